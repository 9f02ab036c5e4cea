/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_READ_POD_H
#define FB_TESTS_READ_POD_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/pod.h"
#include "fabricbind/podspec.h"

#include <stddef.h>

/**
 * Read one Pod both ways, as those do who inject: what placement reads of it and what injection
 * reads besides. Aborts when the two do not have the same containers and terms in the same order.
 */
enum fb_status read_pod(struct fb_arena *arena, const char *text, size_t len,
                        struct fb_pod *ret_pod, struct fb_podspec *ret_spec, struct fb_error *err);

#endif
