/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_VOLCANO_CASE_H
#define FB_TESTS_VOLCANO_CASE_H

#include "fabricbind/volcano.h"

#include <stdio.h>

/** Bodies of Volcano's requests, decoded and written down again in few words. */

/** A recorded body: "aws/0005-predicate.json"; the caller frees @ret. */
char *volcano_case_load(const char *path, size_t *ret_len);

/** Call @each for every recorded body of @verb ("predicate"), with its path; returns how many. */
size_t volcano_case_each(const char *verb, void (*each)(const char *path, void *context),
                         void *context);

/** A body, and how it comes. */
struct volcano_case {
    enum fb_volcano_verb verb;
    const char *body;
    size_t len, piece; /* bytes in all and in one piece */
    const char *known; /* a node whose object need not be read; NULL: none */
};

/** Decode it and write what was read to @out: a line for each node, a line for the task. */
enum fb_status volcano_case_read(const struct fb_volcano_formats *formats,
                                 const struct volcano_case *from, FILE *out, struct fb_error *err);

/** The same as text that the caller frees. */
char *volcano_case_text(const struct fb_volcano_formats *formats, const struct volcano_case *from);

struct fb_volcano_formats *volcano_case_formats(void);

#endif
