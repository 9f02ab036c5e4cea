/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/pack.h"

#include "alloc_fault.h"
#include "fabricbind/own.h"
#include "pack_case.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* One line in, one line out. */
static void answer(const struct pack_case *from, char *ret, size_t size)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct pack_read read = {.arena = arena};
    struct fb_pack_result result;
    struct fb_error err = {0};

    pack_case_read(from, &read);
    assert_int_equal(fb_pack(&read.in, arena, &result, &err), FB_OK);
    pack_case_is_sound(&read.in, &result);
    pack_case_answer(&read, &result, ret, size);
}

struct row {
    const char *gang, *cluster, *want;
};

static void check_rows(const struct row *rows, size_t len, struct pack_case with)
{
    for (size_t i = 0; i < len; i++) {
        char text[512];

        with.gang = rows[i].gang;
        with.cluster = rows[i].cluster;
        answer(&with, text, sizeof text);
        if (strcmp(text, rows[i].want) != 0)
            print_error("%s on %s\n", rows[i].gang, rows[i].cluster);
        assert_string_equal(text, rows[i].want);
    }
}

static void test_pack__takes_few_blocks(void **state)
{
    static const struct row rows[] = {
        {"w:12", "b0*16 b1*16 b2*12 b2*4@0 b3*16", "f 1: b2=12"},
        {"w:12", "b3*16 b1*16 b2*16 b0*15", "f 1: b0=12"},
        {"w:12", "b3*16 b1*16 b2*16", "f 1: b1=12"},
        {"w:20", "b0*16 b1*16 b2*3 b3*3 b4*3 b5*3", "f 2: b0=16 b1=4"},
        {"w:20", "b0*3 b1*3 b2*3 b3*3 b4*16 b5*16", "f 2: b4=16 b5=4"},
        /* The last block is the smallest that still holds the rest. */
        {"w:20", "b0*16 b1*16 b2*3 b3*4 b4*5", "f 2: b0=16 b3=4"},
        {"w:38", "b0*16 b1*9 b2*16 b3*7 b4*6", "f 3: b0=16 b2=16 b4=6"},
        {"w:16", "b0*16 b1*15", "f 1: b0=16"},
        {"w:31", "b0*16 b1*15", "f 2: b0=16 b1=15"},
        {"w:32", "b0*16 b1*15", "short f: takes 31, dim 0"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 1, .tiers = 1, .min = PACK_ALL});
}

static void test_pack__takes_few_upper_domains_first(void **state)
{
    static const struct row rows[] = {
        {"w:6", "s0/b0*1 s0/b1*1 s0/b2*1 s0/b3*1 s0/b4*1 s0/b5*1 s1/b6*5 s1/b7*5",
         "f 2: s1/b6=5 s1/b7=1"},
        /* A block before a spine, a spine before the fabric. */
        {"w:4", "s0/b0*2 s0/b1*2 s1/b0*4", "f 1: s1/b0=4"},
        {"w:4", "s0/b0*3 s1/b0*2 s1/b1*1 s1/b2*1", "f 3: s1/b0=2 s1/b1=1 s1/b2=1"},
        /* Two spines with five blocks go before three with three. */
        {"w:9", "s0/b0*4 s1/b0*2 s1/b1*2 s1/b2*1 s2/b0*3 s3/b0*3",
         "f 4: s0/b0=4 s1/b0=2 s1/b1=2 s1/b2=1"},
        /* Of the spines that complete the first that with the fewest blocks. */
        {"w:10", "s0/b0*6 s1/b0*2 s1/b1*2 s1/b2*1 s2/b0*4", "f 2: s0/b0=6 s2/b0=4"},
        /* With its smallest block it leaves nothing over. */
        {"w:36", "s0/b0*16 s1/b0*16 s2/b0*10 s2/b1*4 s3/b0*9", "f 3: s0/b0=16 s1/b0=16 s2/b1=4"},
        /* The largest spine is no help when its blocks are small. */
        {"w:18", "s0/b0*4 s0/b1*4 s0/b2*4 s1/b0*9 s1/b1*1 s2/b0*9", "f 2: s1/b0=9 s2/b0=9"},
        /* Equal names below different spines are different blocks. */
        {"w:4", "s0/b*2 s1/b*2 s2/b*1", "f 2: s0/b=2 s1/b=2"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 1, .tiers = 2, .min = PACK_ALL});
}

static void test_pack__works_down_three_tiers(void **state)
{
    static const struct row rows[] = {
        {"w:6", "c0/s0/b0*3 c0/s1/b0*3 c1/s0/b0*2 c1/s0/b1*2 c1/s0/b2*2",
         "f 3: c1/s0/b0=2 c1/s0/b1=2 c1/s0/b2=2"},
        {"w:8", "c0/s0/b0*3 c0/s1/b0*3 c1/s0/b0*3 c1/s1/b0*5", "f 2: c1/s0/b0=3 c1/s1/b0=5"},
        {"w:10", "c0/s0/b0*3 c0/s1/b0*4 c1/s0/b0*3 c2/s0/b0*1 c2/s0/b1*2",
         "f 3: c0/s0/b0=3 c0/s1/b0=4 c1/s0/b0=3"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 1, .tiers = 3, .min = PACK_ALL});
}

static void test_pack__keeps_running_members_company(void **state)
{
    static const struct row rows[] = {
        {"w:3", "s0/b0*3 s0/b1*4 s0/b1*1@0+1", "f 1: s0/b1=3"},
        {"w:5", "s0/b0*5 s0/b1*4 s0/b1*1@0+1", "f 2: s0/b0=1 s0/b1=4"},
        /* Their blocks are filled first, though others are larger. */
        {"w:4", "s0/b0*9 s0/b1*1@1+1 s0/b2*3", "f 2: s0/b1=1 s0/b2=3"},
        {"w:2", "s0/b0*9 s0/b1*1@0+1 s1/b0*9", "f 2: s0/b0=2"},
        {"w:9", "s0/b0*1@0+1 s0/b1*3 s1/b0*9 s2/b0*6", "f 2: s1/b0=9"},
        {"w:9", "s0/b0*1@0+1 s0/b1*3 s1/b0*7 s2/b0*6", "f 3: s0/b1=3 s2/b0=6"},
        {"w:2", "s0/b0*1@0+1 s1/b0*1@0+1 s2/b0*9 s0/b1*2", "f 3: s0/b1=2"},
        /* They fix the fabric: that with most of them. */
        {"w:2", "e:s0/b0*9 g:s0/b0*1@0+1 g:s1/b0*2", "g 2: s1/b0=2"},
        {"w:2", "e:s0/b0*1@0+1 e:s0/b1*9 g:s0/b2*1@0+2 g:s1/b3*2", "g 2: s1/b3=2"},
        {"w:2", "g:s0/b0*1@0+1 g:s0/b1*9 e:s0/b2*1@0+1 e:s1/b3*2", "e 2: s1/b3=2"},
        {"w:3", "e:s0/b0*9 g:s0/b0*1@0+1 g:s1/b0*2", "short g: takes 2, dim 0"},
        {"w:0", "e:s0/b0*9 g:s0/b0*1@0+1 g:s1/b0*2", "g 1:"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 1, .tiers = 2, .min = PACK_ALL});
}

static void test_pack__stays_within_one_fabric(void **state)
{
    static const struct row rows[] = {
        {"w:4", "e:b0*3 g:b0*3", "short e: takes 3, dim 0"},
        {"w:4", "e:b0*3 g:b0*2 g:b1*2", "g 2: b0=2 b1=2"},
        {"w:4", "e:b0*2 e:b1*2 g:b2*5", "g 1: b2=4"},
        {"w:4", "g:b0*5 e:b2*4", "e 1: b2=4"},
        {"w:4", "g:b0*4 e:b2*4", "g 1: b0=4"},
        {"w:4", "g:b0*4 e:b0*4", "e 1: b0=4"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 1, .tiers = 1, .min = PACK_ALL});
}

static void test_pack__knows_only_the_tiers_told(void **state)
{
    static const struct row rows[] = {
        {"w:4", "-*6", "f 1: -=4"},
        {"w:4", "e:s0/b0*3 g:-*4", "g 1: -=4"},
        /* A node below its spine only is a block of its own. */
        {"w:4", "s0*4 s1/b0*2 s1/b1*2", "f 2: s1/b0=2 s1/b1=2"},
        {"w:4", "s0*4 s1/b0*2", "f 4: s0=4"},
        /* Without any tier it is a child of the fabric. */
        {"w:5", "-*3 s1/b0*2 s2/b0*1 s2/b1*1", "f 4: -=1 s1/b0=2 s2/b0=1 s2/b1=1"},
        {"w:2", "-*1@2 s1/b0*2", "f 1: -=2"},
        /* No node knows more than the spine: that is the finest. */
        {"w:3", "s0*3 s1*4", "f 1: s0=3"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 1, .tiers = 2, .min = PACK_ALL});
}

static void test_pack__takes_one_pod_on_unknown_fabrics(void **state)
{
    static const struct row rows[] = {
        {"w:1", "?u:-*1@8", "u 1: -=1"},
        {"w:2", "?u:-*1@8", "short u: takes 0, dim 0"},
        {"w:2", "?u:-*1@8 g:-*1", "short g: takes 1, dim 0"},
        {"w:1", "?u:-*1@8+1", "short u: takes 0, dim 0"},
        {"m:1 w:0", "?u:-*1@8", "u 1: -=m1"},
        {"m:1 w:1", "?u:-*1@8", "short u: takes 0, dim 0"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 1, .tiers = 1, .min = PACK_ALL});
}

static void test_pack__packs_shapes_jointly(void **state)
{
    static const struct row rows[] = {
        {"m:1@4,4 w:2@8,8", "b0*2@8,8 b1*1@4,4", "f 2: b0=w2 b1=m1"},
        {"m:1@4,4 w:2@8,8", "b0*1@4,4 b0*2@8,8 b1*3@8,8", "f 1: b0=m1,w2"},
        {"m:1@4,4 w:3@8,8", "b0*3@8,8 b1*1@2,8", "short f: takes 3, dim 0"},
        /* By counts alone each shape would fit. */
        {"a:2@8,1 b:2@8,1", "b0*3@8,8", "short f: takes 3, dim 0"},
        {"a:2@4,1 b:4@2,1 c:1@8,1", "b0*3@8,8", "f 1: b0=a2,b4,c1"},
        /* NICs run out before GPUs. */
        {"a:1@8,1 b:1@4,1", "b0*1@16,1", "short f: takes 1, dim 1"},
        /* The larger share of a node goes first, whatever it is a share of. */
        {"a:4@2,1 b:1@1,8", "b0*1@8,4 b1*1@1,8", "f 2: b0=a4 b1=b1"},
        /* The first fit of a would take the only node of b. */
        {"a:1@8,1 b:1@8,1", "b0*1@8,1 b1*1@8,1!b", "f 2: b0=b1 b1=a1"},
        {"a:1@8,1 b:1@8,1 c:1@8,1", "b0*1@8,1!a b0*1@8,1!b b0*1@8,1!c", "f 1: b0=a1,b1,c1"},
        /* Largest first is wrong here: 6 + 4 and 5 + 5 fill two nodes of 10. */
        {"a:1@6,1 b:2@5,1 c:1@4,1", "b0*2@10,8", "f 1: b0=a1,b2,c1"},
        {"a:2@4,1 b:3@3,1 c:1@5,1", "b0*2@11,8", "f 1: b0=a2,b3,c1"},
        {"a:1@9,1 b:2@5,1 c:1@6,1 d:3@2,1", "b0*1@15,8!c b0*1@16,8", "f 1: b0=a1,b2,c1,d3"},
        {"a:3@5,1 b:2@4,1 c:1@5,1", "b0*1@13,8 b0*1@16,8", "f 1: b0=a3,b2,c1"},
        {"a:1@8,1 b:3@7,1 c:3@4,1", "b0*1@16,8 b0*1@19,8", "short f: takes 6, dim 0"},
        /* A pod makes room for another that only its node admits, over two steps. */
        {"a:1@8,1 b:2@8,1 c:1@8,1", "b0*1@8,1!b!c b0*1@8,1!c b0*1@8,1 b0*1@8,1!a",
         "f 1: b0=a1,b2,c1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 2, .tiers = 1, .min = PACK_ALL});
}

static void test_pack__fills_used_nodes_before_whole_ones(void **state)
{
    /* The nodes of a block are told apart by a second tier here. */
    static const struct row rows[] = {
        {"w:1@4", "b/a*1@8 b/b*1@4 b/c*1@6 b/d*1@3", "f 1: b/b=1"},
        {"w:2@4", "b/a*1@8 b/b*1@4 b/c*1@6 b/d*1@3", "f 1: b/a=2"},
        {"m:1@4 w:1@8", "b/a*1@8 b/b*1@4 b/c*1@8", "f 2: b/a=w1 b/b=m1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 1, .tiers = 2, .min = PACK_ALL});
}

static void test_pack__places_a_part_when_the_minimum_holds(void **state)
{
    static const struct {
        struct pack_case with;
        const char *want;
    } cases[] = {
        {{"w:8/4", "b0*3 b1*2", 1, 1, 4}, "f 2: b0=3 b1=2"},
        {{"w:8/4", "b0*3 b1*2", 1, 1, 6}, "short f: takes 5, dim 0"},
        {{"w:8/6", "b0*3 b1*2", 1, 1, 4}, "short f: takes 5, dim 0"},
        {{"w:8/2", "e:b0*3 g:b1*2 g:b2*2", 1, 1, 2}, "g 2: b1=2 b2=2"},
        {{"w:8/2", "g:b0*3 e:b1*2 e:b2*1", 1, 1, 2}, "g 1: b0=3"},
        {{"w:4/2", "e:b0*3 g:b1*2 g:b2*2", 1, 1, 2}, "g 2: b1=2 b2=2"},
        /* What runs already counts for the caller, so nothing more may be needed. */
        {{"w:2/0", "b0*1@0+2", 1, 1, 0}, "f 1:"},
        {{"w:2/0", "", 1, 1, 0}, "short none: takes 0, dim 0"},
        {{"w:0", "b0*2", 1, 1, 1}, "short none: takes 0, dim 0"},
        {{"w:2/0", "b0*2", 1, 1, 3}, "short f: takes 2, dim 0"},
        {{"m:1/1@8 w:8/1@4", "b0*2@8", 1, 1, 2}, "f 1: b0=m1,w2"},
        {{"m:1/0@8 w:8/1@4", "b0*2@8", 1, 1, 2}, "f 1: b0=w4"},
        {{"m:2/2@8 w:8/1@4", "b0*2@8", 1, 1, 2}, "short f: takes 4, dim 0"},
        {{"m:1/1@8 w:8/1@4", "e:b0*2@8 g:b0*1@4 g:b1*3@8", 1, 1, 2}, "g 2: b0=w1 b1=m1,w4"},
        /* Only by search: 6 + 4 and 5 + 5, and one 5 stays out. */
        {{"a:1/1@6 b:3/2@5 c:1/1@4", "b0*2@10", 1, 1, 4}, "f 1: b0=a1,b2,c1"},
        {{"a:1/0@5 b:1/0@9 c:3/0@6", "b0*1@11 b0*1@8", 1, 1, 1}, "f 1: b0=a1,c2"},
        {{"a:3/0@4 b:3/0@5 c:2/0@8 d:3/0@6", "b0*1@12 b0*1@11 b0*1@13!b", 1, 1, 1},
         "f 1: b0=a3,b1,d3"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];

        answer(&cases[i].with, text, sizeof text);
        assert_string_equal(text, cases[i].want);
    }
}

static void test_pack__names_what_is_short(void **state)
{
    static const struct row rows[] = {
        {"w:4@8,32,1", "b0*3@8,32,9", "short f: takes 3, dim 0"},
        {"w:4@8,32,1", "b0*5@8,31,9 b0*1@8,32,9", "short f: takes 1, dim 1"},
        {"w:4@8,32,1", "b0*2@8,31,9 b0*2@7,32,9", "short f: takes 0, dim 0"},
        {"w:4@8,32,1", "b0*2@8,31,9 b0*3@7,32,9", "short f: takes 0, dim 0"},
        {"w:4@8,32,1", "b0*3@8,31,9 b0*2@7,32,9", "short f: takes 0, dim 1"},
        {"w:4@1,1,1", "b0*4@9,9,0", "short f: takes 0, dim 2"},
        {"w:4@1,1,1", "e:b0*1@1,9,9 g:b0*2@9,9,1", "short g: takes 2, dim 2"},
        /* Not admitted counts in every column. */
        {"w:4@1,1,1", "b0*4@4,4,4!w", "short f: takes 0, dim 0"},
        {"m:1@4,1,1 w:3@8,1,1", "b0*2@8,1,9 b0*1@4,1,9", "short f: takes 3, dim 0"},
        {"w:1", "", "short none: takes 0, dim 0"},
        {"w:0", "b0*1", "none 0:"},
        {"", "b0*1", "none 0:"},
        {"", "", "none 0:"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 3, .tiers = 1, .min = PACK_ALL});
}

static void test_pack__survives_large_numbers(void **state)
{
    static const struct row rows[] = {
        {"w:4@0", "b0*2@0", "f 1: b0=4"},
        {"w:4@0 m:1@1", "b0*2@0", "short f: takes 4, dim 0"},
        {"w:4", "b0*2@9223372036854775807 b1*9@9223372036854775807", "f 1: b0=4"},
        {"w:2@9223372036854775807", "b0*2@9223372036854775807", "f 1: b0=2"},
        {"w:2@9223372036854775807 m:1", "b0*2@9223372036854775807", "short f: takes 2, dim 0"},
        {"w:18446744073709551615", "b0*2@9223372036854775807", "short f: takes 2147483648, dim 0"},
        {"w:18446744073709551615 m:3", "b0*2@9223372036854775807",
         "short f: takes 2147483651, dim 0"},
        {"w:3", "b0*1@0+18446744073709551615 b1*2@9223372036854775807", "f 2: b1=3"},
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct pack_case){.dims = 1, .tiers = 1, .min = PACK_ALL});
}

/* The pods on the node of that name. */
static size_t quota_of(const struct fb_pack_input *in, const struct fb_pack_result *result,
                       const char *name, size_t shape)
{
    for (size_t i = 0; i < in->nodes_len; i++)
        if (strcmp(in->nodes[i].name, name) == 0)
            return result->quota[i * in->shapes_len + shape];
    fail_msg("no node %s", name);
    return 0;
}

static void shuffle(struct fb_pack_node *nodes, size_t len, uint64_t *seed)
{
    for (size_t i = len; i > 1; i--) {
        size_t other = pack_below(seed, i);
        struct fb_pack_node node = nodes[i - 1];

        nodes[i - 1] = nodes[other];
        nodes[other] = node;
    }
}

static void test_pack__does_not_depend_on_the_order_of_nodes(void **state)
{
    static const struct pack_case cases[] = {
        {"w:9", "s0/b0*4 s1/b0*4 s1/b1*4 s2/b0*4 -*3 s3*4", 1, 2, PACK_ALL},
        {"w:11", "s0/b0*5 s1/b0*5 s2/b0*5 e:s0/b0*9 e:s0/b1*9", 1, 2, PACK_ALL},
        {"m:1@4 w:5@8 v:2@2", "s0/b0*4@8 s1/b0*4@8!m s1/b1*4@8 s2/b0*2@8!v s2/b0*2@4", 1, 2, 8},
        {"m:3/1@4 w:9/2@8", "s0/b0*4@8 s1/b0*4@7 s1/b1*1@9", 1, 2, 3},
    };
    uint64_t seed = 42;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct pack_read read = {.arena = arena};
        struct pack_read other;
        struct fb_pack_result first;

        pack_case_read(&cases[i], &read);
        other = read;
        assert_int_equal(fb_pack(&read.in, arena, &first, NULL), FB_OK);
        assert_true(first.holds);
        for (size_t n = 0; n < 50; n++) {
            struct fb_pack_result result;

            shuffle(other.nodes, other.in.nodes_len, &seed);
            other.in.nodes = other.nodes;
            assert_int_equal(fb_pack(&other.in, arena, &result, NULL), FB_OK);
            assert_int_equal(result.fabric, first.fabric);
            assert_int_equal(result.blocks, first.blocks);
            for (size_t at = 0; at < read.in.nodes_len * read.in.shapes_len; at++)
                assert_int_equal(first.quota[at], quota_of(&other.in, &result,
                                                           read.nodes[at / read.in.shapes_len].name,
                                                           at % read.in.shapes_len));
        }
    }
}

static void test_pack__breaks_ties_by_name(void **state)
{
    static const struct pack_case from = {"w:2", "b/n*5 b/a*1", 1, 1, PACK_ALL};
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct pack_read read = {.arena = arena};
    struct fb_pack_result result;

    (void)state;
    pack_case_read(&from, &read);
    assert_int_equal(fb_pack(&read.in, arena, &result, NULL), FB_OK);
    assert_int_equal(quota_of(&read.in, &result, "b/a.00", 0), 1);
    assert_int_equal(quota_of(&read.in, &result, "b/n.00", 0), 1);
}

static void test_pack__fails_cleanly_without_memory(void **state)
{
    /* Many nodes, so that an arena takes a chunk for each array. */
    static const struct pack_case from = {"m:1 w:5/2", "s0/b0*3 s1/b0*2 s2*900@0", 1, 2, 3};
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct pack_read read = {.arena = arena};
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    pack_case_read(&from, &read);
    for (; st != FB_OK; after++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *own = fb_arena_new(0);
        struct fb_pack_result result = {.takes = 77};
        struct fb_error err = {0};

        alloc_fault_arm(after);
        st = fb_pack(&read.in, own, &result, &err);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        assert_int_equal(result.takes, st == FB_OK ? 5 : 77);
        assert_string_equal(err.text, st == FB_OK ? "" : "out of memory");
    }
    assert_true(after > 3);
}

static void test_pack__refuses_sizes_that_overflow(void **state)
{
    static const struct pack_case from = {"w:1", "b0*1", 1, 1, PACK_ALL};
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct pack_read read = {.arena = arena};
    struct fb_pack_result result;

    (void)state;
    pack_case_read(&from, &read);
    read.in.nodes_len = SIZE_MAX / 2;
    assert_int_equal(fb_pack(&read.in, arena, &result, NULL), FB_ENOMEM);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pack__takes_few_blocks),
        cmocka_unit_test(test_pack__takes_few_upper_domains_first),
        cmocka_unit_test(test_pack__works_down_three_tiers),
        cmocka_unit_test(test_pack__keeps_running_members_company),
        cmocka_unit_test(test_pack__stays_within_one_fabric),
        cmocka_unit_test(test_pack__knows_only_the_tiers_told),
        cmocka_unit_test(test_pack__takes_one_pod_on_unknown_fabrics),
        cmocka_unit_test(test_pack__packs_shapes_jointly),
        cmocka_unit_test(test_pack__fills_used_nodes_before_whole_ones),
        cmocka_unit_test(test_pack__places_a_part_when_the_minimum_holds),
        cmocka_unit_test(test_pack__names_what_is_short),
        cmocka_unit_test(test_pack__survives_large_numbers),
        cmocka_unit_test(test_pack__does_not_depend_on_the_order_of_nodes),
        cmocka_unit_test(test_pack__breaks_ties_by_name),
        cmocka_unit_test(test_pack__fails_cleanly_without_memory),
        cmocka_unit_test(test_pack__refuses_sizes_that_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
