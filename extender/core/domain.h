/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_DOMAIN_H
#define FB_DOMAIN_H

#include "fabricbind/pack.h"

/**
 * The switch domains of one fabric as a tree: the fabric, its tiers, its finest blocks.
 *
 * Every leaf is a finest block at the same depth. A node whose tiers end early hangs below its last
 * known domain as a chain of domains of its own; the depth is that of the node known best, so that
 * a fabric without any tier is one block.
 */

/** No node takes more pods than this, whatever it claims: sums over nodes cannot overflow. */
#define FB_PACK_MOST ((size_t)1 << 30)

/** A node at its place: by fabric, then by the names of its tiers, then by its own. */
struct fb_seat {
    const struct fb_pack_node *node;
    size_t index;  /* in the caller's nodes */
    size_t fabric; /* rank of the fabric by name */
    size_t known;  /* tiers known */
    size_t placed; /* pods of the gang that run here already */
};

struct fb_domain {
    const char *name;
    size_t from, to;         /* its seats, end excluded */
    size_t child, child_end; /* the domains right below; empty for a finest block */
    size_t block, block_end; /* the finest blocks in it */
    size_t placed;           /* pods of the gang that run in it already */
    size_t size;             /* pods of the gang that it takes alone; set by fb_choose() */
    size_t room;             /* the same by task shape, added up and never capped */
};

struct fb_tree {
    const char *fabric;        /* its name; borrowed */
    struct fb_domain *domains; /* coarse to fine; [0] is the fabric */
    size_t depth;              /* of the finest blocks; that of the fabric is 0 */
    size_t *level;             /* depth + 2: the domains of depth d are [level[d], level[d + 1]) */
};

/** @len elements of @size bytes each, zeroed, or NULL. */
void *fb_pack_array(struct fb_arena *arena, size_t len, size_t size);

/** A fabric with its seats [from, to), which may be none. */
struct fb_place {
    const struct fb_pack_fabric *fabric;
    size_t index; /* in the caller's fabrics */
    size_t from, to;
    struct fb_tree tree;
};

/** All nodes and fabrics in their order, which is not that of the caller. */
struct fb_places {
    struct fb_seat *seats;   /* nodes_len */
    struct fb_place *places; /* fabrics_len, by name; the index is a fabric's rank */
};

/**
 * Returns FB_OK; FB_ENOMEM. What @ret points to is in @arena.
 * Cost: O(n log n) in nodes.
 */
enum fb_status fb_places_new(const struct fb_pack_input *in, struct fb_arena *arena,
                             struct fb_places *ret) FB_CHECK;

#endif
