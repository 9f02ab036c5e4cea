/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_PACK_H
#define FB_PACK_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Which nodes the pods of one gang take: on one fabric, in as few switch blocks as can be.
 *
 * Plain numbers in, plain numbers out: resources are columns (dims), task shapes are rows. All
 * memory is the caller's or comes from the arena given. No floating point in what decides whether
 * the gang holds.
 */

/** Pods of the gang that ask for the same and may go to the same nodes. */
struct fb_pack_shape {
    const char *name; /* the task; borrowed */
    size_t count;     /* pods still to place */
    size_t min;       /* of these, how many must be placed for the shape; <= count */
};

/** Nodes that reach each other at full speed. */
struct fb_pack_fabric {
    const char *name; /* tie-break, byte order; borrowed */
    const int64_t
        *need;  /* shapes_len rows of dims_len: what one pod takes from a node here; >= 0 */
    bool alone; /* unknown fabric: takes gangs of one pod only */
};

struct fb_pack_node {
    const char *name;        /* tie-break, byte order; borrowed */
    size_t fabric;           /* index in fabrics */
    const char *const *path; /* tiers_len switch names coarse to fine, equal ones best of
                                equal address; NULL: unknown from here on */
    const int64_t *free;     /* dims_len: left for this gang, other gangs' reservations
                                already taken off; >= 0 */
    const bool *admits;      /* shapes_len: may a pod of the shape run here at all */
    const size_t *placed;    /* shapes_len: pods of this gang that run here already; NULL: none.
                                Their resources are already off free */
};

struct fb_pack_input {
    size_t dims_len, tiers_len;
    const struct fb_pack_shape *shapes;
    size_t shapes_len;
    const struct fb_pack_fabric *fabrics;
    size_t fabrics_len;
    const struct fb_pack_node *nodes;
    size_t nodes_len;
    size_t min; /* pods over all shapes that must be placed, besides those that run already */
};

/** Index of no fabric. */
#define FB_PACK_NONE SIZE_MAX

struct fb_pack_result {
    bool holds;    /* min and every shape's min are met */
    size_t fabric; /* the one chosen; when nothing holds the one that takes most; FB_PACK_NONE
                      when there is none */
    size_t takes;  /* pods placed (holds) or that the fabric would take at most (not) */
    size_t blocks; /* finest switch blocks used, those with running members included */
    size_t *quota; /* nodes_len x shapes_len: pods to put there; all 0 when nothing holds */
    size_t dim;    /* not holds: the column that alone lets the fewest pods in on that fabric;
                      ties: the lower column (callers put GPUs first) */
};

/**
 * Plan one gang.
 *
 * Aims in order: the lowest domain that holds the gang; in it the fewest children, then the fewest
 * finest blocks, then the least room left over, then names in byte order. Running members fix the
 * fabric, and their domains are in the set from the start. Never depends on the order of nodes.
 *
 * @ret  filled on success; ret->quota is in @arena
 *
 * Returns FB_OK, also when the gang does not hold; FB_ENOMEM.
 * Cost: O(n log n) in nodes for one shape, plus bounded search where shapes compete.
 */
enum fb_status fb_pack(const struct fb_pack_input *in, struct fb_arena *arena,
                       struct fb_pack_result *ret, struct fb_error *err) FB_CHECK;

#endif
