/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WIRE_VOLCANO_READ_H
#define FB_WIRE_VOLCANO_READ_H

#include "fabricbind/objects.h"
#include "fabricbind/volcano.h"

/** Inside of Volcano's decoder: where things stand in a body, and the values under way. */

#define FB_AT_SPAN 1024 /* no mount has as many paths */

enum fb_volcano_id {
    FB_AT_BODY,
    FB_AT_TASK,
    FB_AT_TASK_UID,
    FB_AT_TASK_NODE,
    FB_AT_TASK_STATUS,
    FB_AT_NODE,
    FB_AT_NODE_NAME,
    FB_AT_IDLE, /* these five for each of three amounts, in this order */
    FB_AT_IDLE_CPU,
    FB_AT_IDLE_MEMORY,
    FB_AT_IDLE_SCALARS,
    FB_AT_IDLE_SCALAR,
    FB_AT_RELEASING,
    FB_AT_PIPELINED = FB_AT_RELEASING + FB_AT_RELEASING - FB_AT_IDLE,
    FB_AT_TASKS = FB_AT_PIPELINED + FB_AT_RELEASING - FB_AT_IDLE,
    FB_AT_ON,
    FB_AT_ON_STATUS,
    FB_AT_TASK_POD, /* these three are first numbers of mounts */
    FB_AT_OBJECT = FB_AT_TASK_POD + FB_AT_SPAN,
    FB_AT_ON_POD = FB_AT_OBJECT + FB_AT_SPAN,
};

/** The paths of bodies of one form. */
struct fb_volcano_format {
    struct fb_scan_paths *paths;
    struct fb_object_mount *task_pod, *node, *pods; /* the last two NULL without nodes */
};

struct fb_volcano_formats {
    struct fb_volcano_format task, predicate, prioritize;
};

const struct fb_volcano_format *fb_volcano_format_of(const struct fb_volcano_formats *formats,
                                                     enum fb_volcano_verb verb);

/**
 * An amount as Volcano writes it, in units of @thousandths or whole ones, rounded down; beyond
 * int64_t the nearest. FB_EINPUT "not a number".
 */
enum fb_status fb_volcano_amount(const struct fb_scan_value *value, bool thousandths, int64_t *ret,
                                 struct fb_error *err) FB_CHECK;

#endif
