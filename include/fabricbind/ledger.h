/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_LEDGER_H
#define FB_LEDGER_H

#include "fabricbind/error.h"

#include <stddef.h>
#include <stdint.h>

/**
 * Placements decided but not yet seen in the inventory, and what planned gangs have reserved.
 *
 * Fed by a scheduler's events, which are hints: they come in any order, come again, and some never
 * come. So an entry that is told again replaces itself, one that is unknown is nothing to remove,
 * and every entry expires. Not safe for use by two threads at once.
 */
struct fb_ledger;

/** Bounds; 0: the default. */
struct fb_ledger_limits {
    size_t pods;      /* entries, 100000; beyond it the oldest goes */
    size_t gangs;     /* gangs looked after, 20000; beyond it the one longest not asked for goes */
    size_t nodes;     /* nodes that no inventory tells, 20000; beyond it the oldest goes */
    int64_t pod_ms;   /* an entry that nobody confirms, 600000 */
    int64_t plan_ms;  /* a plan that nobody asks for, 60000 */
    int64_t avoid_ms; /* a planned node that others refused is left out, 60000 */
};

/** Returns NULL when out of memory. Free with fb_ledger_free(). @limits: NULL: all defaults. */
struct fb_ledger *fb_ledger_new(const struct fb_ledger_limits *limits);
void fb_ledger_free(struct fb_ledger *ledger);
void fb_ledger_freep(struct fb_ledger **ledger);

struct fb_ledger_counts {
    size_t allocated, pipelined, releasing; /* pods */
    size_t planned;                         /* gangs with a plan */
    size_t reserved;                        /* pods that plans have still room for */
};

struct fb_ledger_counts fb_ledger_count(const struct fb_ledger *ledger);

#endif
