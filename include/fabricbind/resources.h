/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_RESOURCES_H
#define FB_RESOURCES_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Amounts by resource name, as kube-scheduler counts them: cpu in thousandths, all others in
 * whole units, rounded up. Sums stop at INT64_MAX instead of wrapping.
 */
struct fb_resource {
    const char *name; /* borrowed; in practice a text of the arena */
    int64_t amount;
};

/** Each name once, in the order of its first mention. All zero: empty. */
struct fb_resources {
    struct fb_resource *at;
    size_t len, size;
};

/** a + b without wrapping. */
int64_t fb_amount_add(int64_t a, int64_t b);

/** The entry of @name, or NULL. */
const struct fb_resource *fb_resources_find(const struct fb_resources *all, const char *name);

/** The amount of @name; 0 when absent. */
int64_t fb_resources_get(const struct fb_resources *all, const char *name);

/** Make room for @len entries in all, so that no smaller arrays are left in @arena on the way. */
enum fb_status fb_resources_reserve(struct fb_arena *arena, struct fb_resources *all,
                                    size_t len) FB_CHECK;

/** Set @name to @amount; the array is in @arena. FB_ENOMEM leaves @all as it was. */
enum fb_status fb_resources_set(struct fb_arena *arena, struct fb_resources *all, const char *name,
                                int64_t amount) FB_CHECK;

/** Add @amount to @name. */
enum fb_status fb_resources_add(struct fb_arena *arena, struct fb_resources *all, const char *name,
                                int64_t amount) FB_CHECK;

/** Add every entry of @more to @all. */
enum fb_status fb_resources_add_all(struct fb_arena *arena, struct fb_resources *all,
                                    const struct fb_resources *more) FB_CHECK;

/** Raise every entry of @all to that of @other where it is larger. */
enum fb_status fb_resources_max_all(struct fb_arena *arena, struct fb_resources *all,
                                    const struct fb_resources *other) FB_CHECK;

#endif
