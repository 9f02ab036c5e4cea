/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_CHOOSE_H
#define FB_CHOOSE_H

#include "fill.h"

/** What holds a gang on one fabric, and how well: less is better, fields in order of weight. */
struct fb_choice {
    size_t height;        /* of the domain above the finest blocks */
    size_t children;      /* of it that are used; 0 for a finest block */
    size_t blocks_len;    /* finest blocks, those with running members included */
    size_t room;          /* of these blocks, in pods */
    const char *domain;   /* its name; borrowed */
    size_t fabric;        /* rank of the fabric by name */
    const size_t *blocks; /* their domains, in the order of filling */
    const struct fb_tree *tree;
};

/** A domain in a set. */
struct fb_pick {
    const struct fb_domain *domain;
    size_t blocks, spare; /* of the set with this one as its last: finest blocks used, room over */
    size_t at;            /* in the pool, for one of those tried */
};

/** What choosing takes, for one fabric after the other. Made by fb_chooser_new(). */
struct fb_chooser {
    struct fb_tree *tree;
    struct fb_fill *fill;
    struct fb_pick *pool, *below, *lasts;
    struct fb_spot *spots;
    size_t *kept, *sums, kept_len; /* sizes of finest blocks in the set, falling; sums from 0 on */
    size_t *tried, tried_len;      /* likewise of the one tried as its last */
    size_t goal;                   /* what these have to hold */
    size_t *blocks;
};

enum fb_status fb_chooser_new(struct fb_fill *fill, struct fb_arena *arena,
                              struct fb_chooser *ret) FB_CHECK;

/**
 * The lowest domain of the fabric that holds all pods of fill->want, and in it the blocks to use.
 *
 * @tree    the fabric that fill was aimed at; sizes and rooms of its domains are set
 * @fabric  its rank by name
 * @ret     set when true; its blocks are overwritten by the next call
 *
 * Returns whether there is one: for one shape exactly, for several as fb_fill_most() finds it.
 */
bool fb_choose(struct fb_chooser *chooser, struct fb_tree *tree, size_t fabric,
               struct fb_choice *ret);

/** Whether it beats one that comes before it by name of the fabric or place in it. */
bool fb_choice_is_better(const struct fb_choice *choice, const struct fb_choice *than);

/** Pack fill->want into the blocks of @choice. */
void fb_choice_fill(struct fb_chooser *chooser, const struct fb_choice *choice);

#endif
