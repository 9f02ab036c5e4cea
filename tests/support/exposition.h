/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_EXPOSITION_H
#define FB_TESTS_EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Is @text right as Prometheus' text format 0.0.4, read strictly: every family has its TYPE once
 * and before its samples, names and labels and escapes are right, no series stands twice, counters
 * are not negative, buckets rise up to +Inf, which is the count? @fault says what is not.
 */
bool exposition_check(const char *text, char *fault, size_t size);

#endif
