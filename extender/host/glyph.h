/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_GLYPH_H
#define FB_HOST_GLYPH_H

#include <stddef.h>

/**
 * Texts as a terminal shows them: one glyph a code point. Bytes that are no UTF-8 and control
 * characters are one glyph each, "?".
 */
struct fb_glyph {
    const char *bytes; /* what to write */
    size_t len;        /* bytes to write */
    size_t taken;      /* bytes of the text that it stands for */
};

/** The first glyph of @text, which must not be empty. */
struct fb_glyph fb_glyph_get(const char *text);

/** Glyphs in @text, counted up to @most. */
size_t fb_glyph_count(const char *text, size_t most);

/** @text behind its first @count glyphs; its end when there are fewer. */
const char *fb_glyph_skip(const char *text, size_t count);

#endif
