/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_JSONTEXT_H
#define FB_JSONTEXT_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Text that grows in an arena; a lack of memory is remembered and told at the end. */
struct fb_jsontext {
    struct fb_arena *arena;
    char *at;
    size_t len, size;
    bool failed;
};

/** Append as it is. */
void fb_jsontext_raw(struct fb_jsontext *text, const char *raw);
void fb_jsontext_bytes(struct fb_jsontext *text, const char *bytes, size_t len);

/** Append as a JSON string, in quotes, escaped. */
void fb_jsontext_string(struct fb_jsontext *text, const char *value);

void fb_jsontext_int(struct fb_jsontext *text, int64_t value);

/** Append as one segment of a JSON Pointer: "/" and @key with "~" and "/" escaped. */
void fb_jsontext_pointer(struct fb_jsontext *text, const char *key);

/** The text, NUL-ended; NULL when memory ran out on the way. */
const char *fb_jsontext_done(struct fb_jsontext *text);

#endif
