/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_YAML_H
#define FB_YAML_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** YAML documents as trees that remember their lines. JSON is YAML here too. */

enum fb_yaml_type {
    FB_YAML_NULL,
    FB_YAML_SCALAR,
    FB_YAML_LIST,
    FB_YAML_MAP,
};

struct fb_yaml {
    enum fb_yaml_type type;
    size_t line;        /* counted from 1 */
    const char *text;   /* scalar: its value; else "" */
    bool quoted;        /* scalar in quotes: a string whatever it looks like */
    struct fb_yaml *at; /* list: elements; map: values, in the order of the file */
    const char **keys;  /* map: len keys */
    size_t *key_lines;  /* map: len lines of the keys */
    size_t len, size;
};

/** Several documents of one file; empty ones are left out. */
struct fb_yaml_documents {
    struct fb_yaml *at;
    size_t len, size;
};

/**
 * Read @len bytes of @text.
 *
 * @arena  owns all that is built
 *
 * Aliases, anchors, merge keys, tags other than the standard ones, keys that are no scalars, a key
 * given twice in a map, NUL in a text, nesting over 64 and more than 1,000,000 nodes are refused.
 *
 * Returns FB_OK; FB_EINPUT or FB_ELIMIT with the line ("line 3: key 'a' is given twice");
 * FB_ENOMEM.
 */
enum fb_status fb_yaml_parse(struct fb_arena *arena, const char *text, size_t len,
                             struct fb_yaml_documents *ret, struct fb_error *err) FB_CHECK;

/** The value of @key in @map, or NULL when absent, null, or @map is no map. */
const struct fb_yaml *fb_yaml_find(const struct fb_yaml *map, const char *key);

/**
 * Typed readers. @key names the node in errors: "line 4: weight: 'x' is no number".
 * FB_EINPUT when the node is of another type or does not parse; results are written on success.
 */
enum fb_status fb_yaml_text(const struct fb_yaml *node, const char *key, const char **ret,
                            struct fb_error *err) FB_CHECK;
enum fb_status fb_yaml_bool(const struct fb_yaml *node, const char *key, bool *ret,
                            struct fb_error *err) FB_CHECK;
enum fb_status fb_yaml_int(const struct fb_yaml *node, const char *key, int64_t least, int64_t most,
                           int64_t *ret, struct fb_error *err) FB_CHECK;
enum fb_status fb_yaml_double(const struct fb_yaml *node, const char *key, double least,
                              double most, double *ret, struct fb_error *err) FB_CHECK;
/** A list of scalars, or one scalar as a list of one; texts are added to @ret. */
enum fb_status fb_yaml_texts(struct fb_arena *arena, const struct fb_yaml *node, const char *key,
                             struct fb_texts *ret, struct fb_error *err) FB_CHECK;

/**
 * The document as compact JSON, plain scalars typed as Kubernetes' YAML reader does (null, true
 * and false, integers, floats; all else strings).
 *
 * @ret  NUL-terminated, in @arena
 */
enum fb_status fb_yaml_json(struct fb_arena *arena, const struct fb_yaml *node, const char **ret,
                            size_t *ret_len, struct fb_error *err) FB_CHECK;

/** One row of a table of keys: what a map may hold. */
struct fb_yaml_key {
    const char *key;
    enum fb_status (*read)(void *into, const struct fb_yaml *node, const char *key,
                           struct fb_error *err); /* NULL: known and ignored */
    const char *help;                             /* one line for the table of keys in the README */
};

/** Rows that one table may have. */
#define FB_YAML_KEYS_MAX 64

/**
 * Read @map by the table @keys: every key must be in it.
 *
 * @name  the path of the map, "" for the document itself; rows get "name.key" as their key, so that
 *        errors of nested maps carry the whole path; the row's own key is what follows the last dot
 *
 * Returns what a row's read returned; FB_EINPUT for a node that is no map ("line 2: fabric: not a
 * mapping") or an unknown key ("line 7: placment: unknown key, nearest is 'placement'").
 * A null value counts as absent: the row is not called.
 */
enum fb_status fb_yaml_read(const struct fb_yaml *map, const char *name,
                            const struct fb_yaml_key *keys, size_t keys_len, void *into,
                            struct fb_error *err) FB_CHECK;

#endif
