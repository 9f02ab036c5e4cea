/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_JSON_H
#define FB_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/** The document as text of the caller's to free(), NULL when out of memory, now or before. */
char *fb_json_print(struct fb_json *json);
char *fb_json_print_yaml(struct fb_json *json);

#endif
