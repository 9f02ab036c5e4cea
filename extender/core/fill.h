/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_FILL_H
#define FB_FILL_H

#include "domain.h"

/**
 * The joint packing of all task shapes on a set of nodes.
 *
 * Shapes go by the largest share of a node first, and what one takes is gone for the next. Where
 * shapes compete and that order leaves pods out, other orders are tried, then moving pods out of
 * the way, then a bounded search, so that what fits is not called short.
 */

/** A node of the set; those of a lower group are filled first. */
struct fb_spot {
    size_t seat, group;
};

/** A node of the set in the order in which a shape tries them. */
struct fb_fill_key {
    size_t group;
    size_t suitors;     /* shapes that could use the node; 0 where that does not matter */
    int64_t left;       /* of the first resource that the shape needs */
    size_t fits;        /* pods of the shape */
    const bool *admits; /* of the node, by shape */
    const int64_t *all; /* left of it, by dim */
    size_t seat;
    const struct fb_fill *fill;
};

/** A pod put on a node or taken from it. */
struct fb_fill_move {
    size_t seat, shape;
    bool in;
};

/** A shape's place in the order of packing. */
struct fb_fill_rank {
    const char *name;
    uint64_t part, whole; /* the largest of its resources' shares of a node */
    size_t admitting;     /* nodes */
    size_t shape;
};

/** Packing on one fabric at a time. */
struct fb_fill {
    const struct fb_pack_input *in;
    const struct fb_seat *seats;
    const int64_t *need;      /* by shape and dim: what a pod takes on this fabric */
    size_t dim_from, dim_to;  /* the dims that count, end excluded */
    size_t *want;             /* by shape: pods to place */
    size_t pods;              /* sum of want */
    size_t *order, order_len; /* shapes with pods to place, largest share first */
    int64_t *left;            /* by seat and dim, of the nodes of the set last packed */
    size_t *quota;            /* by seat and shape, likewise */
    size_t *taken, taken_sum; /* by shape, likewise */
    size_t work;              /* what searches may still cost besides the decisive ones */
    struct fb_fill_key *keys; /* the rest is scratch */
    struct fb_fill_rank *ranks;
    size_t *count, *best; /* FB_FILL_DEEP, as moves */
    struct fb_fill_move *moves;
    bool *asked; /* by shape */
};

/** A search over more nodes times shapes than this is not begun. */
#define FB_FILL_DEEP 20000

/** What a packing must reach. */
struct fb_goal {
    const size_t *least; /* by shape, at most what is wanted */
    size_t sum;          /* over all shapes */
    bool decisive;       /* the search may take as long as any */
};

enum fb_status fb_fill_new(const struct fb_pack_input *in, const struct fb_seat *seats,
                           struct fb_arena *arena, struct fb_fill *ret) FB_CHECK;

/** Turn to the fabric @need is of, with the seats [@from, @to), and to @want pods by shape. */
void fb_fill_aim(struct fb_fill *fill, const int64_t *need, size_t from, size_t to,
                 const size_t *want);

/** Pods of @shape that the free resources of a node take; at most FB_PACK_MOST. */
size_t fb_fill_alone(const struct fb_fill *fill, size_t seat, size_t shape);

/** Pack by largest share first, in the order of groups. Returns the pods placed. */
size_t fb_fill_first(struct fb_fill *fill, const struct fb_spot *spots, size_t len);

/**
 * Place as many pods as can be on the nodes of @spots.
 *
 * @spots  ordered by seat, all of one group: the answer depends on the set alone
 *
 * Returns whether @goal is met; only then quota and taken are set.
 */
bool fb_fill_most(struct fb_fill *fill, const struct fb_spot *spots, size_t len,
                  const struct fb_goal *goal);

/* What the files of this noun share: fill, share, shift, search. */

/** Pods of @shape that what is left of a node takes. */
size_t fb_fill_fits(const struct fb_fill *fill, size_t seat, size_t shape);
void fb_fill_start(struct fb_fill *fill, const struct fb_spot *spots, size_t len);
void fb_fill_put(struct fb_fill *fill, size_t seat, size_t shape, size_t pods);
void fb_fill_back(struct fb_fill *fill, size_t seat, size_t shape, size_t pods);

/** Find places for pods left out by moving others. */
void fb_fill_shift(struct fb_fill *fill, const struct fb_spot *spots, size_t len);

/** Search for a packing of at least @goal and, with luck, more. Sets quota and taken if found. */
bool fb_fill_search(struct fb_fill *fill, const struct fb_spot *spots, size_t len,
                    const struct fb_goal *goal);

#endif
