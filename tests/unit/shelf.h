/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_SHELF_H
#define FB_TESTS_SHELF_H

#include "fabricbind/policy.h"

#define SHELF_PROVIDERS 7
extern const char *const shelf_providers[SHELF_PROVIDERS];

/** All policies that are shipped. */
struct shelf {
    struct fb_arena *arena;
    struct fb_policies all;
};

/** Set-up and tear-down of a group: its state is the shelf. */
int shelf_fill(void **state);
int shelf_empty(void **state);

#endif
