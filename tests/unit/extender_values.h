/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_EXTENDER_VALUES_H
#define FB_TESTS_EXTENDER_VALUES_H

#include <stddef.h>

/** Where the values of a JSON text stand, so that each can be replaced by another. */

#define VALUES_MOST 256

struct extender_values {
    const char *text;
    struct {
        size_t at, len;
    } found[VALUES_MOST];
    size_t len;
};

/** All values of @text, which must be JSON, the whole one last. */
void extender_values_find(const char *text, struct extender_values *ret);

/** The text with another value in place of the @at-th, to be freed. */
char *extender_values_put(const struct extender_values *values, size_t at, const char *value);

#endif
