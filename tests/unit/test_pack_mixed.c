/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/pack.h"

#include "fabricbind/own.h"
#include "pack_case.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* Few nodes and pods of mixed shapes, small enough to try every packing. */
#define NODES 6
#define PODS 8
#define SHAPES 3
#define DIMS 2 /* GPUs, NICs */

struct mixed {
    struct fb_pack_shape shapes[SHAPES];
    size_t shapes_len;
    int64_t need[SHAPES * DIMS];
    size_t nodes_len;
    int64_t free[NODES][DIMS];
    bool admits[NODES][SHAPES];
    size_t min;
};

static int64_t nics(int64_t gpus, size_t ratio)
{
    static const int64_t ratios[][2] = {{4, 1}, {2, 1}, {1, 1}, {1, 2}, {1, 8}};

    return (gpus * ratios[ratio][0] + ratios[ratio][1] - 1) / ratios[ratio][1];
}

static void add_shape(struct mixed *to, int64_t gpus, size_t ratio, size_t count)
{
    static const char *const names[SHAPES] = {"a", "b", "c"};
    size_t at = to->shapes_len++;

    to->shapes[at] = (struct fb_pack_shape){.name = names[at], .count = count, .min = count};
    to->need[at * DIMS] = gpus;
    to->need[at * DIMS + 1] = nics(gpus, ratio);
}

static void make_nodes(uint64_t *seed, size_t ratio, bool choosy, struct mixed *to)
{
    for (size_t i = 0; i < to->nodes_len; i++) {
        static const int64_t gpus[] = {8, 8, 8, 8, 6, 4, 2, 0};
        int64_t all = gpus[pack_below(seed, COUNT(gpus))];
        bool odd = pack_below(seed, 4) == 0;

        to->free[i][0] = all;
        to->free[i][1] =
            odd ? (int64_t)pack_below(seed, (size_t)nics(8, ratio) + 1) : nics(all, ratio);
        for (size_t shape = 0; shape < SHAPES; shape++)
            to->admits[i][shape] = !choosy || pack_below(seed, 3) > 0;
    }
}

static void add_three(uint64_t *seed, size_t ratio, size_t pods, bool odd, struct mixed *to)
{
    static const int64_t gpus[SHAPES] = {8, 4, 2};
    size_t first = pack_below(seed, pods + 1);
    size_t second = pack_below(seed, pods - first + 1);
    size_t counts[SHAPES] = {first, second, pods - first - second};

    for (size_t i = 0; i < SHAPES; i++)
        add_shape(to, odd ? 1 + (int64_t)pack_below(seed, 5) : gpus[i], ratio, counts[i]);
}

static void make_mixed(uint64_t *seed, bool odd, struct mixed *ret)
{
    size_t ratio = pack_below(seed, 5);
    size_t left = 1 + pack_below(seed, PODS);

    *ret = (struct mixed){.nodes_len = 1 + pack_below(seed, NODES)};
    if (!odd && pack_below(seed, 2) == 0) {
        add_shape(ret, 4, ratio, 1);
        add_shape(ret, 8, ratio, left - 1);
    } else {
        add_three(seed, ratio, left, odd, ret);
    }
    make_nodes(seed, ratio, pack_below(seed, 2) == 0, ret);
    ret->min = left;
    for (size_t i = 0; i < ret->shapes_len && pack_below(seed, 2) == 0; i++)
        ret->shapes[i].min = pack_below(seed, ret->shapes[i].count + 1);
    if (pack_below(seed, 2) == 0)
        ret->min = pack_below(seed, left + 1);
}

struct trial {
    const struct mixed *of;
    int64_t left[NODES][DIMS];
    size_t taken[SHAPES], sum;
    size_t most;     /* pods placed at most */
    size_t most_min; /* likewise of packings that meet the minimum; SIZE_MAX: there is none */
};

static bool put(struct trial *trial, size_t node, size_t shape, int64_t sign)
{
    const int64_t *need = trial->of->need + shape * DIMS;

    if (sign < 0 && (!trial->of->admits[node][shape] || trial->left[node][0] < need[0] ||
                     trial->left[node][1] < need[1]))
        return false;
    for (size_t dim = 0; dim < DIMS; dim++)
        trial->left[node][dim] += sign * need[dim];
    trial->taken[shape] -= (size_t)sign;
    trial->sum -= (size_t)sign;
    return true;
}

static void note(struct trial *trial)
{
    bool met = trial->sum >= trial->of->min;

    trial->most = trial->sum > trial->most ? trial->sum : trial->most;
    for (size_t i = 0; i < trial->of->shapes_len; i++)
        met = met && trial->taken[i] >= trial->of->shapes[i].min;
    if (met && (trial->most_min == SIZE_MAX || trial->sum > trial->most_min))
        trial->most_min = trial->sum;
}

/* Every packing: pods of a shape go to nodes in rising order. */
static void try_all(struct trial *trial, size_t shape, size_t node)
{
    if (shape == trial->of->shapes_len) {
        note(trial);
        return;
    }
    if (node == trial->of->nodes_len) {
        try_all(trial, shape + 1, 0);
        return;
    }
    try_all(trial, shape, node + 1);
    if (trial->taken[shape] < trial->of->shapes[shape].count && put(trial, node, shape, -1)) {
        try_all(trial, shape, node);
        (void)put(trial, node, shape, 1);
    }
}

static void plan_mixed(const struct mixed *of, struct fb_arena *arena, struct fb_pack_result *ret)
{
    static const char *const names[NODES] = {"n0", "n1", "n2", "n3", "n4", "n5"};
    static const char *const paths[][2] = {{"s0", "b0"}, {"s0", "b1"}, {"s1", "b2"}};
    struct fb_pack_node nodes[NODES];
    struct fb_pack_fabric fabric = {.name = "f", .need = of->need};
    struct fb_pack_input in = {.dims_len = DIMS,
                               .tiers_len = 2,
                               .shapes = of->shapes,
                               .shapes_len = of->shapes_len,
                               .fabrics = &fabric,
                               .fabrics_len = 1,
                               .nodes = nodes,
                               .nodes_len = of->nodes_len,
                               .min = of->min};

    for (size_t i = 0; i < of->nodes_len; i++)
        nodes[i] = (struct fb_pack_node){
            .name = names[i], .path = paths[i / 2], .free = of->free[i], .admits = of->admits[i]};
    assert_int_equal(fb_pack(&in, arena, ret, NULL), FB_OK);
    pack_case_is_sound(&in, ret);
}

/* Returns whether the gang holds. */
static bool check_mixed(const struct mixed *mixed)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_pack_result result;
    struct trial trial = {.of = mixed, .most_min = SIZE_MAX};

    memcpy(trial.left, mixed->free, sizeof trial.left);
    try_all(&trial, 0, 0);
    plan_mixed(mixed, arena, &result);
    assert_int_equal(result.holds, trial.most_min != SIZE_MAX);
    assert_int_equal(result.takes, result.holds ? trial.most_min : trial.most);
    return result.holds;
}

static void check_many(uint64_t seed, bool odd)
{
    enum { CASES = 500 };
    size_t holding = 0;

    for (size_t run = 0; run < CASES; run++) {
        struct mixed mixed;

        make_mixed(&seed, odd, &mixed);
        holding += check_mixed(&mixed) ? 1 : 0;
    }
    print_message("%zu of %d mixed gangs hold, as by trying all packings\n", holding, CASES);
    assert_true(holding > CASES / 5 && holding < CASES * 4 / 5);
}

static void test_pack__calls_nothing_short_that_fits(void **state)
{
    (void)state;
    check_many(8421, false);
}

static void test_pack__calls_nothing_short_of_any_size(void **state)
{
    (void)state;
    check_many(97531, true);
}

/* Pods that take a whole node each, of shapes that admit different nodes. */
#define MATCH_NODES 200
#define MATCH_SHAPES 6

struct match {
    bool admits[MATCH_NODES][MATCH_SHAPES];
    size_t shape[MATCH_NODES]; /* of each pod */
    size_t pods;
    size_t owner[MATCH_NODES]; /* pod on the node; MATCH_NODES: none */
    bool seen[MATCH_NODES];
};

static void make_match(uint64_t *seed, struct fb_pack_shape *shapes, struct match *ret)
{
    static const char *const names[MATCH_SHAPES] = {"a", "b", "c", "d", "e", "f"};

    *ret = (struct match){0};
    for (size_t i = 0; i < MATCH_SHAPES; i++) {
        size_t count = MATCH_NODES * (85 + pack_below(seed, 15)) / 100 / MATCH_SHAPES;

        shapes[i] = (struct fb_pack_shape){.name = names[i], .count = count};
        for (size_t pod = 0; pod < count; pod++)
            ret->shape[ret->pods++] = i;
    }
    for (size_t node = 0; node < MATCH_NODES; node++) {
        ret->owner[node] = MATCH_NODES;
        for (size_t i = 0; i < MATCH_SHAPES; i++)
            ret->admits[node][i] = pack_below(seed, 10) < 3;
    }
}

/* Kuhn's augmenting path. */
static bool match_pod(struct match *match, size_t pod)
{
    for (size_t node = 0; node < MATCH_NODES; node++) {
        if (!match->admits[node][match->shape[pod]] || match->seen[node])
            continue;
        match->seen[node] = true;
        if (match->owner[node] == MATCH_NODES || match_pod(match, match->owner[node])) {
            match->owner[node] = pod;
            return true;
        }
    }
    return false;
}

static size_t most_matched(struct match *match)
{
    size_t most = 0;

    for (size_t pod = 0; pod < match->pods; pod++) {
        memset(match->seen, 0, sizeof match->seen);
        most += match_pod(match, pod) ? 1 : 0;
    }
    return most;
}

static size_t plan_match(const struct match *match, const struct fb_pack_shape *shapes)
{
    static const int64_t need[MATCH_SHAPES] = {8, 8, 8, 8, 8, 8};
    static int64_t free[MATCH_NODES];
    static char names[MATCH_NODES][24];
    static struct fb_pack_node nodes[MATCH_NODES];
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_pack_fabric fabric = {.name = "f", .need = need};
    struct fb_pack_input in = {.dims_len = 1,
                               .shapes = shapes,
                               .shapes_len = MATCH_SHAPES,
                               .fabrics = &fabric,
                               .fabrics_len = 1,
                               .nodes = nodes,
                               .nodes_len = MATCH_NODES};
    struct fb_pack_result result;

    for (size_t i = 0; i < MATCH_NODES; i++) {
        free[i] = 8 + (int64_t)(i % 8); /* no two alike side by side */
        (void)snprintf(names[i], sizeof names[i], "n%zu", i);
        nodes[i] =
            (struct fb_pack_node){.name = names[i], .free = &free[i], .admits = match->admits[i]};
    }
    assert_int_equal(fb_pack(&in, arena, &result, NULL), FB_OK);
    pack_case_is_sound(&in, &result);
    return result.takes;
}

static void test_pack__matches_as_many_pods_as_can_be(void **state)
{
    uint64_t seed = 6;

    (void)state;
    for (size_t run = 0; run < 40; run++) {
        struct fb_pack_shape shapes[MATCH_SHAPES];
        struct match match;

        make_match(&seed, shapes, &match);
        assert_int_equal(plan_match(&match, shapes), most_matched(&match));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pack__calls_nothing_short_that_fits),
        cmocka_unit_test(test_pack__calls_nothing_short_of_any_size),
        cmocka_unit_test(test_pack__matches_as_many_pods_as_can_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
