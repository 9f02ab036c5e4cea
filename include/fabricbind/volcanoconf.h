/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_VOLCANOCONF_H
#define FB_VOLCANOCONF_H

#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * A volcano-scheduler.conf as values. Volcano asks for the type of what it reads: a number in
 * quotes is no number to it, so types are kept. Texts and arrays live in one arena.
 * Source: Volcano, pkg/scheduler/conf/scheduler_conf.go and framework/arguments.go.
 */

enum fb_volcano_type {
    FB_VOLCANO_NOTHING, /* null */
    FB_VOLCANO_STRING,
    FB_VOLCANO_WHOLE, /* an integer */
    FB_VOLCANO_REAL,  /* any other number */
    FB_VOLCANO_TRUTH,
    FB_VOLCANO_LIST,
    FB_VOLCANO_MAP,
};

/** A key and its value. Keys of a map within are "outer/inner", behind the map's own. */
struct fb_volcano_setting {
    const char *key;
    size_t line; /* of the document, counted from 1 */
    enum fb_volcano_type type;
    const char *text;     /* scalar: as written; else "" */
    int64_t whole;        /* WHOLE: the number, the nearest that there is */
    bool yes;             /* TRUTH */
    bool strings;         /* LIST: of strings only */
    struct fb_texts list; /* LIST: its scalars */
};

struct fb_volcano_settings {
    struct fb_volcano_setting *at;
    size_t len, size;
};

/** A plugin of a tier, or what is configured for an action. */
struct fb_volcano_plugin {
    const char *name;
    size_t line;
    size_t tier;                          /* counted from 0 */
    struct fb_volcano_settings arguments; /* what stands under "arguments" */
    struct fb_volcano_settings switches;  /* all keys but "name" and "arguments" */
};

struct fb_volcano_plugins {
    struct fb_volcano_plugin *at; /* in Volcano's order: tier by tier */
    size_t len, size;
};

struct fb_volcano_conf {
    const char *actions; /* "enqueue, allocate, backfill" */
    struct fb_volcano_plugins plugins;
    struct fb_volcano_plugins actions_set; /* "configurations" */
};

/** The setting called @key, or NULL when absent or null. */
const struct fb_volcano_setting *
fb_volcano_settings_find(const struct fb_volcano_settings *settings, const char *key);

/** The first plugin called @name from @from on, or NULL. */
const struct fb_volcano_plugin *fb_volcano_plugins_find(const struct fb_volcano_plugins *plugins,
                                                        const char *name, size_t from);

#endif
