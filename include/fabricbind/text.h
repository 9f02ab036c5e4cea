/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TEXT_H
#define FB_TEXT_H

#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>

struct fb_arena;

/** Texts are NUL-terminated UTF-8, borrowed, compared byte by byte. */

/** A list of texts. */
struct fb_texts {
    const char **at;
    size_t len, size;
};

/** One label, annotation or selector entry. */
struct fb_pair {
    const char *key, *value;
};

struct fb_pairs {
    struct fb_pair *at;
    size_t len, size;
};

bool fb_text_equal(const char *a, const char *b);
bool fb_text_has_prefix(const char *text, const char *prefix);

/** Does @text match @pattern, in which "*" stands for any run of characters, also an empty one. */
bool fb_text_matches(const char *text, const char *pattern);

bool fb_texts_has(const struct fb_texts *texts, const char *text);

/** Put @text at the end of @texts, which grows in @arena. FB_ENOMEM, then also for a @text that is
 * NULL because there was no memory for it: @texts is as before. */
enum fb_status fb_texts_add(struct fb_arena *arena, struct fb_texts *texts,
                            const char *text) FB_CHECK;

/** The value of @key, or NULL. A key set twice: the last wins. */
const char *fb_pairs_find(const struct fb_pairs *pairs, const char *key);

/** Is @text, which may be NULL, what Kubernetes lets most objects be called: a DNS subdomain, with
 * nothing that would have to be escaped in a path or leads out of it. */
bool fb_text_is_name(const char *text);

/** The candidate closest to @text by edit distance, or NULL when none is near. */
const char *fb_text_nearest(const char *text, const char *const *candidates, size_t len);

#endif
