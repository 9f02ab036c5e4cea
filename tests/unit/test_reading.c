/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/reading.h"

#include "node_case.h"
#include "unit.h"

#include <stdlib.h>

#define HEALTHY GPU "=8 nic=4"
#define IN_ZONE ZONE_LABEL "=z1"

static struct builder *providers(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *p = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);
    struct fb_policy *e = make_policy(builder, "e", "net/*", FB_NIC_EACH);

    give_nic_rule(builder, p, "seat", FB_NIC_SLOT);
    give_tier(builder, p, "spine");
    make_shape(builder, p, "P.8", 8, 4);
    make_shape(builder, p, "P.half", 8, 1);
    make_shape(builder, p, "P.accelerator", 0, 16);
    make_shape(builder, p, "P.unknown", 8, -1);
    make_shape(builder, p, "P.none", 8, 0);
    make_shape(builder, e, "E.8", 8, 2);
    return builder;
}

static void test_problem_code__names_every_problem(void **state)
{
    static const char *const want[FB_PROBLEMS] = {
        [FB_PROBLEM_NICS_BELOW_SHAPE] = "nics-below-shape",
        [FB_PROBLEM_NICS_ZERO] = "nics-zero",
        [FB_PROBLEM_NICS_ABOVE_SHAPE] = "nics-above-shape",
        [FB_PROBLEM_NICS_UNKNOWN] = "nics-unknown",
        [FB_PROBLEM_NO_NIC_RESOURCE] = "no-nic-resource",
        [FB_PROBLEM_GPUS_BELOW_SHAPE] = "gpus-below-shape",
        [FB_PROBLEM_GPUS_SHARED] = "gpus-shared",
        [FB_PROBLEM_GPUS_MIG] = "gpus-mig",
        [FB_PROBLEM_NO_GPU] = "no-gpu",
        [FB_PROBLEM_CORDONED] = "cordoned",
        [FB_PROBLEM_NOT_READY] = "not-ready",
        [FB_PROBLEM_NOT_INITIALISED] = "not-initialised",
        [FB_PROBLEM_LABELS_PLACEHOLDER] = "labels-placeholder",
        [FB_PROBLEM_SHAPE_UNKNOWN] = "shape-unknown",
        [FB_PROBLEM_BOUNDARY_UNKNOWN] = "boundary-unknown",
    };

    (void)state;
    for (unsigned i = 0; i < FB_PROBLEMS; i++)
        assert_string_equal(fb_problem_code((enum fb_problem)i), want[i]);
}

static void test_reading_make__notes_what_is_wrong(void **state)
{
    static const struct {
        const char *id, *instance, *labels, *amounts;
        const char *want;
    } cases[] = {
        {"p://n", "P.8", IN_ZONE, HEALTHY, ""},
        {"p://n", "P.8", IN_ZONE, GPU "=8 nic=2", "nics-below-shape"},
        {"p://n", "P.8", IN_ZONE, GPU "=8 nic=0/4", "nics-zero"},
        {"p://n", "P.8", IN_ZONE, GPU "=8 nic=5", "nics-above-shape"},
        {"p://n", "P.8", IN_ZONE, GPU "=8", "no-nic-resource"},
        {"p://n", "P.none", IN_ZONE, GPU "=8", "no-nic-resource"},
        {"p://n", "P.none", IN_ZONE, GPU "=8 nic=1", "nics-above-shape"},
        {"p://n", "P.8", IN_ZONE, GPU "=7/8 nic=4", "gpus-below-shape"},
        {"p://n", "P.8", IN_ZONE, GPU "=6/8 nic=3", "nics-below-shape gpus-below-shape"},
        {"p://n", "P.8", IN_ZONE, "nic=4", "gpus-below-shape"},
        {"p://n", "P.8", IN_ZONE, GPU "=0 " GPU ".shared=64 nic=4", "gpus-shared"},
        {"p://n", "P.8", IN_ZONE, GPU "=32 nic=4", "gpus-shared"},
        {"p://n", "P.8", IN_ZONE, GPU "=0 nvidia.com/mig-1g=56 nic=4", "gpus-mig"},
        {"p://n", "P.unknown", IN_ZONE, GPU "=0 nvidia.com/mig-1g=56 seat=63", "gpus-mig"},
        {"p://n", "P.8", IN_ZONE, GPU "=8 seat=63", ""},
        {"p://n", "P.8", IN_ZONE, GPU "=8 seat=1", ""}, /* seats are not held against NICs */
        {"p://n", "P.8", IN_ZONE, GPU "=8 seat=0/63", "nics-zero"},
        {"p://n", "P.unknown", IN_ZONE, GPU "=8 seat=63", "nics-unknown"},
        {"p://n", "P.unknown", IN_ZONE, HEALTHY, ""},
        {"p://n", "P.x", IN_ZONE, GPU "=8 seat=63", "nics-unknown"},
        {"p://n", "P.x", IN_ZONE, HEALTHY, "shape-unknown"},
        {"p://n", "P.x", IN_ZONE, GPU "=0/8 nic=4", "no-gpu"},
        {"p://n", "P.accelerator", IN_ZONE, "nic=16", "no-gpu"},
        {"p://n", "P.accelerator", IN_ZONE, "cpu=1", "no-nic-resource no-gpu"},
        {"p://n", "m5.large", IN_ZONE, "cpu=1", "no-gpu"},
        {"p://n", "m5.large", NULL, "cpu=1", "no-gpu"}, /* of CPU nodes nobody asks for more */
        {"p://n", "P.8", NULL, HEALTHY, "boundary-unknown"},
        {"p://n", "P.8", "spine=s", HEALTHY, ""}, /* a tier will do */
        {"p://n", "P.8", ZONE_LABEL "=", HEALTHY, "labels-placeholder"},
        {"p://n", "P.8", NULL, GPU "=8", "no-nic-resource"},
        {"r://n", "R.8", IN_ZONE, HEALTHY, "no-nic-resource"},
        {"e://n", "E.8", IN_ZONE, GPU "=8 net/a=1 net/b=1", ""},
        {"e://n", "E.8", IN_ZONE, GPU "=8 net/a=1 net/b=0", "nics-below-shape"},
        {"e://n", "E.8", IN_ZONE, GPU "=8 net/a=1", "nics-below-shape"},
        {"e://n", "E.8", IN_ZONE, GPU "=8 net/a=0 net/b=0", "nics-zero"},
        {"e://n", "E.8", IN_ZONE, GPU "=8 net/a=9", "nics-below-shape"},
        {"e://n", "E.8", IN_ZONE, GPU "=8 net/a=1 net/b=1 net/c=1", "nics-above-shape"},
    };
    struct builder *builder = providers();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct node_case row = {.id = cases[i].id,
                                .instance = cases[i].instance,
                                .labels = cases[i].labels,
                                .amounts = cases[i].amounts};
        struct fb_reading reading = read_case(builder, &row);
        char text[CASE_TEXT];

        assert_string_equal(problems_text(&reading, text), cases[i].want);
        assert_true(reading.schedulable);
    }
    builder_free(builder);
}

static void test_reading_make__says_of_a_new_node_only_that_it_is_new(void **state)
{
    struct builder *builder = providers();
    struct node_case row = {.id = "p://n",
                            .instance = "P.8",
                            .labels = IN_ZONE,
                            .taints = "node.kubernetes.io/not-ready:NoSchedule",
                            .cordoned = true};
    struct fb_reading reading;
    char text[CASE_TEXT];

    (void)state;
    reading = read_case(builder, &row);
    assert_string_equal(problems_text(&reading, text), "not-initialised");
    assert_false(reading.schedulable);
    assert_int_equal(reading.gpus, 0);
    assert_int_equal(reading.nics, 0);
    assert_int_equal(reading.ratio.den, 0);
    assert_null(reading.boundary.key);

    row = (struct node_case){.id = "p://n"}; /* ready, and has nothing all the same */
    reading = read_case(builder, &row);
    assert_false(reading.schedulable);
    builder_free(builder);
}

static void test_reading_make__tells_the_ratio_of_the_shape_first(void **state)
{
    static const struct {
        const char *id, *instance, *amounts;
        const char *want;
        int64_t shape_nics;
    } cases[] = {
        {"p://n", "P.8", HEALTHY, "1/2", 4},
        {"p://n", "P.8", GPU "=8 nic=2", "1/2", 4}, /* never the sick node's own */
        {"p://n", "P.8", GPU "=7/8 nic=4", "1/2", 4},
        {"p://n", "P.8", GPU "=8 nic=5", "1/2", 4},
        {"p://n", "P.8", GPU "=0 " GPU ".shared=64 nic=4", "1/2", 4},
        {"p://n", "P.half", GPU "=8 nic=1", "1/8", 1},
        {"p://n", "P.accelerator", "nic=16", "", 16}, /* no GPUs: no ratio */
        {"p://n", "P.none", GPU "=8", "", 0},
        {"p://n", "P.unknown", GPU "=8 nic=16", "2", -1},
        {"p://n", "P.unknown", GPU "=8 seat=63", "", -1},
        {"p://n", "P.x", HEALTHY, "1/2", -1},
        {"p://n", "P.x", GPU "=7/8 nic=8", "1", -1}, /* not 8/7 */
        {"p://n", "P.x", GPU "=8 nic=0", "", -1},
        {"e://n", "E.8", GPU "=8 net/a=1", "1/4", 2},
    };
    struct builder *builder = providers();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct node_case row = {
            .id = cases[i].id, .instance = cases[i].instance, .amounts = cases[i].amounts};
        struct fb_reading reading = read_case(builder, &row);
        char text[FB_RATIO_TEXT];

        assert_string_equal(fb_ratio_format(reading.ratio, text), cases[i].want);
        assert_int_equal(fb_reading_shape_nics(&reading), cases[i].shape_nics);
    }
    builder_free(builder);
}

/* Many tiers and networks, so that lists grow beyond the arena's first chunk. */
static struct fb_node *large_node(struct builder *builder)
{
    struct fb_policy *e = &builder->policies.at[1];
    struct fb_node *node = make_node(builder, "n", "E.8", 8, "net/a", 1);

    node->provider_id = "e://sets/s/0";
    give_amount(builder, node, "net/b", 1);
    give_tier(builder, e, "leaf");
    give_label(builder, node, "leaf", "l");
    e->boundary[0] = (struct fb_boundary_rule){.provider_id = "sets/*/"};
    return node;
}

/* An arena of which only @limit bytes are left: each step of a reading fails in turn. */
static enum fb_status read_within(const struct builder *builder, const struct fb_node *node,
                                  size_t used)
{
    struct fb_arena *arena = fb_arena_new((size_t)64 * 1024);
    struct fb_reading reading = {.gpus = 77};
    enum fb_status st;

    assert_non_null(arena);
    while (fb_arena_alloc(arena, 16) != NULL && --used > 0) {
    }
    st = fb_reading_make(arena, node, &builder->policies, &builder->settings, &reading);
    if (st != FB_OK)
        assert_int_equal(reading.gpus, 77); /* untouched on failure */
    fb_arena_free(arena);
    return st;
}

static void test_reading_make__survives_every_lack_of_memory(void **state)
{
    static const struct {
        const char *resource, *network;
    } cases[] = {{NULL, NULL}, {"net/a", NULL}, {NULL, "a"}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = providers();
        const struct fb_node *node = large_node(builder);
        size_t chunk = (size_t)64 * 1024 / 16;
        size_t failed = 0;

        builder->settings.nic_resource = cases[i].resource;
        if (cases[i].network != NULL)
            give_text(builder, &builder->settings.networks, cases[i].network);
        for (size_t used = chunk; used > 0; used--) {
            if (read_within(builder, node, used) == FB_OK)
                break;
            failed++;
        }
        assert_true(failed > 4);
        assert_true(failed < chunk - 1);
        builder_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problem_code__names_every_problem),
        cmocka_unit_test(test_reading_make__notes_what_is_wrong),
        cmocka_unit_test(test_reading_make__says_of_a_new_node_only_that_it_is_new),
        cmocka_unit_test(test_reading_make__tells_the_ratio_of_the_shape_first),
        cmocka_unit_test(test_reading_make__survives_every_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
