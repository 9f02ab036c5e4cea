/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_JSON_H
#define FB_JSON_H

#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * JSON documents as trees: built to be printed, or parsed to be read. For what is large or arrives
 * in pieces there is scan.h.
 */

/**
 * JSON being built. A failure is remembered and told at the end, so that builders need not look
 * at every step: after one, all further calls do nothing.
 */
struct fb_json {
    void *root;  /* owned */
    bool failed; /* out of memory */
};

void fb_json_fini(struct fb_json *json);

/**
 * Each puts a value into @in: under @key when @in is a map, at the end when it is a list (@key is
 * NULL then). A NULL @in makes the root. Texts are copied; a NULL text becomes null.
 * fb_json_map() and fb_json_list() return what the next values go into, NULL after a failure.
 */
void *fb_json_map(struct fb_json *json, void *in, const char *key);
void *fb_json_list(struct fb_json *json, void *in, const char *key);
void fb_json_text(struct fb_json *json, void *in, const char *key, const char *text);
void fb_json_int(struct fb_json *json, void *in, const char *key, int64_t value);  /* exact */
void fb_json_score(struct fb_json *json, void *in, const char *key, double value); /* 3 decimals */
void fb_json_bool(struct fb_json *json, void *in, const char *key, bool value);
void fb_json_null(struct fb_json *json, void *in, const char *key);
/** @text is JSON already and is taken as it is; NULL becomes null. */
void fb_json_raw(struct fb_json *json, void *in, const char *key, const char *text);

/** The document as text of the caller's to free(), NULL when out of memory, now or before. */
char *fb_json_print(struct fb_json *json);
char *fb_json_print_yaml(struct fb_json *json);

/** A value of a document that was parsed; lives as long as the document. */
struct fb_json_node;

enum fb_json_type {
    FB_JSON_NULL,
    FB_JSON_BOOL,
    FB_JSON_NUMBER,
    FB_JSON_TEXT,
    FB_JSON_LIST,
    FB_JSON_MAP,
};

#define FB_JSON_DEPTH 64        /* nested lists and maps */
#define FB_JSON_NUMBER_BYTES 63 /* one number as written */

/**
 * Parse one document of UTF-8.
 *
 * @bytes      len bytes; need not end in NUL
 * @max_bytes  refuse more than that
 * @ret        empty before; to be ended by fb_json_fini(), also after a failure
 *
 * Strict: what RFC 8259 does not allow is refused, and so are NUL characters, lone surrogates and
 * strings over 1 MiB.
 *
 * Returns FB_OK; FB_EINPUT with the place ("byte 17: ',' or '}' expected"); FB_ELIMIT naming the
 * bound; FB_ENOMEM.
 */
enum fb_status fb_json_parse(const char *bytes, size_t len, size_t max_bytes, struct fb_json *ret,
                             struct fb_error *err) FB_CHECK;

/** The whole document, or NULL when there is none. */
const struct fb_json_node *fb_json_root(const struct fb_json *json);

/** NULL is null. */
enum fb_json_type fb_json_type(const struct fb_json_node *node);

/** The value of @key in @map, of a key given twice the last one; NULL when absent, when null, and
 * when @map is no map. */
const struct fb_json_node *fb_json_find(const struct fb_json_node *map, const char *key);

/** The first entry of a list or map and the one behind @entry, in the order of the text, also null
 * ones and each one of a key given twice; NULL when there is none. */
const struct fb_json_node *fb_json_first(const struct fb_json_node *in);
const struct fb_json_node *fb_json_next(const struct fb_json_node *entry);

/** The key of an entry of a map; "" of what is none. */
const char *fb_json_key(const struct fb_json_node *entry);

/** The value of a string, NULL of anything else. */
const char *fb_json_read_text(const struct fb_json_node *node);

/** Is it true; false of anything else. */
bool fb_json_read_bool(const struct fb_json_node *node);

/** A number without a fraction up to 2^53 in magnitude, beyond which it would not be exact. False,
 * and @ret as before, of anything else. */
bool fb_json_read_int(const struct fb_json_node *node, int64_t *ret);

/** @node as compact text of the caller's to free(), NULL when out of memory. */
char *fb_json_print_node(const struct fb_json_node *node);

#endif
