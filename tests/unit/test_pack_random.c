/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/pack.h"

#include "fabricbind/own.h"
#include "pack_case.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

/* Two tiers of blocks of one-pod nodes. */
#define SPINES 6
#define BLOCKS 6
#define PER_BLOCK 17 /* the last is the running member's */

struct blocks {
    size_t spines, blocks[SPINES];
    size_t free[SPINES][BLOCKS];
    size_t spine, block; /* of the running member; spine SPINES: none */
    size_t pods, total;
};

static void make_blocks(uint64_t *seed, bool running, struct blocks *ret)
{
    ret->total = 0;
    ret->spines = 1 + pack_below(seed, SPINES);
    for (size_t s = 0; s < ret->spines; s++) {
        ret->blocks[s] = 1 + pack_below(seed, BLOCKS);
        for (size_t b = 0; b < ret->blocks[s]; b++) {
            ret->free[s][b] = pack_below(seed, 17);
            ret->total += ret->free[s][b];
        }
    }
    ret->spine = running ? pack_below(seed, ret->spines) : SPINES;
    ret->block = running ? pack_below(seed, ret->blocks[ret->spine]) : 0;
    ret->pods = ret->total == 0 ? 0 : 1 + pack_below(seed, ret->total);
}

static int falling(const void *left, const void *right)
{
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;

    return (a < b) - (a > b);
}

/* The blocks in the spines of @set but that of the running member, largest first. */
static size_t list_blocks(const struct blocks *of, size_t set, size_t *ret)
{
    size_t len = 0;

    for (size_t s = 0; s < of->spines; s++)
        for (size_t b = 0; (set >> s & 1) != 0 && b < of->blocks[s]; b++)
            if (s != of->spine || b != of->block)
                ret[len++] = of->free[s][b];
    qsort(ret, len, sizeof *ret, falling);
    return len;
}

/* Fewest blocks in the spines of @set, or SIZE_MAX when these do not hold the pods. */
static size_t fewest_blocks(const struct blocks *of, size_t set)
{
    size_t sizes[SPINES * BLOCKS];
    size_t len = list_blocks(of, set, sizes);
    size_t used = of->spine < SPINES ? 1 : 0;
    size_t held = used > 0 ? of->free[of->spine][of->block] : 0;

    for (size_t i = 0; held < of->pods && i < len; i++, used++)
        held += sizes[i];
    return held < of->pods ? SIZE_MAX : used;
}

/* Over all sets of spines: the fewest spines first, then the fewest blocks. */
static void best_blocks(const struct blocks *of, size_t *ret_spines, size_t *ret_blocks)
{
    *ret_spines = SIZE_MAX;
    *ret_blocks = SIZE_MAX;
    for (size_t set = 0; set < (size_t)1 << of->spines; set++) {
        size_t spines = (size_t)__builtin_popcountll(set);
        size_t blocks = fewest_blocks(of, set);

        if (blocks == SIZE_MAX || (of->spine < SPINES && (set >> of->spine & 1) == 0))
            continue;
        if (spines < *ret_spines || (spines == *ret_spines && blocks < *ret_blocks)) {
            *ret_spines = spines;
            *ret_blocks = blocks;
        }
    }
}

struct block_nodes {
    struct fb_pack_node nodes[SPINES * BLOCKS * PER_BLOCK];
    char names[SPINES * BLOCKS * PER_BLOCK][24];
    const char *paths[SPINES * BLOCKS][2];
    char tiers[SPINES * BLOCKS][2][24];
    size_t spine[SPINES * BLOCKS * PER_BLOCK];
    size_t len;
};

static void add_node(struct block_nodes *to, size_t s, size_t b, bool running)
{
    static const int64_t one = 1;
    static const int64_t zero = 0;
    static const size_t member = 1;
    static const bool yes = true;
    size_t at = to->len++;

    (void)snprintf(to->names[at], sizeof to->names[at], "n%zu", (at * 7919) % 1000);
    to->spine[at] = s;
    to->nodes[at] = (struct fb_pack_node){.name = to->names[at],
                                          .path = to->paths[s * BLOCKS + b],
                                          .free = running ? &zero : &one,
                                          .admits = &yes,
                                          .placed = running ? &member : NULL};
}

static void lay_out(const struct blocks *of, struct block_nodes *to)
{
    to->len = 0;
    for (size_t s = 0; s < of->spines; s++)
        for (size_t b = 0; b < of->blocks[s]; b++) {
            size_t at = s * BLOCKS + b;

            (void)snprintf(to->tiers[at][0], sizeof to->tiers[at][0], "s%zu", s);
            (void)snprintf(to->tiers[at][1], sizeof to->tiers[at][1], "b%zu", b);
            to->paths[at][0] = to->tiers[at][0];
            to->paths[at][1] = to->tiers[at][1];
            if (s == of->spine && b == of->block)
                add_node(to, s, b, true);
            for (size_t i = 0; i < of->free[s][b]; i++)
                add_node(to, s, b, false);
        }
}

static size_t spines_used(const struct blocks *of, const struct block_nodes *nodes,
                          const struct fb_pack_result *result)
{
    size_t set = of->spine < SPINES ? (size_t)1 << of->spine : 0;

    for (size_t i = 0; i < nodes->len; i++)
        if (result->quota[i] > 0)
            set |= (size_t)1 << nodes->spine[i];
    return (size_t)__builtin_popcountll(set);
}

/* Returns by how many blocks the plan is above the best. */
static size_t check_blocks(const struct blocks *of)
{
    static const int64_t need = 1;
    static struct block_nodes nodes;
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_pack_shape shape = {.name = "w", .count = of->pods, .min = of->pods};
    struct fb_pack_fabric fabric = {.name = "f", .need = &need};
    struct fb_pack_input in = {.dims_len = 1,
                               .tiers_len = 2,
                               .shapes = &shape,
                               .shapes_len = 1,
                               .fabrics = &fabric,
                               .fabrics_len = 1,
                               .nodes = nodes.nodes,
                               .min = of->pods};
    struct fb_pack_result result;
    size_t spines;
    size_t blocks;

    lay_out(of, &nodes);
    in.nodes_len = nodes.len;
    assert_int_equal(fb_pack(&in, arena, &result, NULL), FB_OK);
    pack_case_is_sound(&in, &result);
    assert_true(result.holds);
    assert_int_equal(result.takes, of->pods);
    best_blocks(of, &spines, &blocks);
    assert_int_equal(spines_used(of, &nodes, &result), spines);
    assert_true(result.blocks >= blocks);
    return result.blocks - blocks;
}

static void test_pack__is_close_to_the_fewest_blocks(void **state)
{
    enum { CASES = 2000 };
    uint64_t seed = 20240607;
    size_t above[SPINES * BLOCKS + 1] = {0};
    size_t run = 0;

    (void)state;
    while (run < CASES) {
        struct blocks blocks;

        make_blocks(&seed, run % 2 == 1, &blocks);
        if (blocks.pods == 0)
            continue;
        above[check_blocks(&blocks)]++;
        run++;
    }
    print_message("upper domains equal in %d of %d; finest blocks equal in %zu, 1 above in %zu, "
                  "2 above in %zu\n",
                  CASES, CASES, above[0], above[1], above[2]);
    assert_true(above[0] * 100 >= (size_t)CASES * 98);
    assert_int_equal(above[0] + above[1] + above[2], CASES);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pack__is_close_to_the_fewest_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
