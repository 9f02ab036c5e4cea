/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_OBJECTS_TEXT_H
#define FB_TESTS_OBJECTS_TEXT_H

#include "fabricbind/objects.h"

#include <stddef.h>

/** A text that grows up to its room. */
struct line {
    char text[8192];
    size_t len;
};

void line_add(struct line *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** What differs from an empty one, in one line: "n uid=u labels{a=b} allocatable{cpu=8000}". */
void line_add_node(struct line *line, const struct fb_node *node);
void line_add_pod(struct line *line, const struct fb_pod *pod);
void line_add_job(struct line *line, const struct fb_job *job);
void line_add_object(struct line *line, const struct fb_object *object);

/** @text with ' turned into ", to spare tests the backslashes; free() it. */
char *json_of(const char *text);

/**
 * Read the document @json, with ' for ", as one object of any kind.
 *
 * Returns the object in one line, or "status: error".
 */
const char *object_line(const char *json, struct line *line);

#endif
