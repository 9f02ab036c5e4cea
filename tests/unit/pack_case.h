/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_PACK_CASE_H
#define FB_TESTS_PACK_CASE_H

#include "fabricbind/pack.h"

/**
 * Gangs and clusters as one line of text each, for the tables of test_pack.c.
 *
 * gang     "w:12"               12 pods of shape w, one of every resource each, all must run
 *          "m:1@4,1 w:8/4@8,2"  1 of m and 8 of w, of these at least 4, with their needs
 * cluster  "s0/b0*16"           16 nodes of block b0 below s0 with one of every resource free
 *          "f:b0*2@8,4"         on fabric f (else "f"), 8 and 4 free
 *          "b0*1@0+2"           two pods of the first shape run on the entry's first node
 *          "b0*3!w"             shape w may not run here
 *          "-*1"                no tier known; fewer tiers than others: unknown below
 *          "?u:-*1"             fabric u takes gangs of one pod only
 *
 * Nodes are named by path and number in their path: "s0/b0.00".
 */
struct pack_case {
    const char *gang, *cluster;
    size_t dims, tiers;
    size_t min; /* of the gang; PACK_ALL: all pods */
};

#define PACK_ALL SIZE_MAX

/** Everything that pack_case_read() made; borrowed from its arena. */
struct pack_read {
    struct fb_arena *arena;
    struct fb_pack_input in;
    struct fb_pack_shape shapes[8];
    struct fb_pack_fabric fabrics[8];
    struct fb_pack_node nodes[1024];
};

void pack_case_read(const struct pack_case *from, struct pack_read *ret);

/**
 * The answer as text.
 *
 * "f 2: b0=16 b1=4"            fabric, blocks, pods by path in byte order; "b0=m1,w3" with shapes
 * "short f: takes 3, dim 0"
 */
void pack_case_answer(const struct pack_read *from, const struct fb_pack_result *result, char *ret,
                      size_t size);

/** Fail the test when a node is overbooked or a pod is where it may not be. */
void pack_case_is_sound(const struct fb_pack_input *in, const struct fb_pack_result *result);

/** A number below @end, the same ones on every machine; *@seed is not 0. */
size_t pack_below(uint64_t *seed, size_t end);

#endif
