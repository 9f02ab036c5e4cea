/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/check.h"

#include "alloc_fault.h"
#include "make_cluster.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* Eight GPUs; the NICs of a healthy node are in the name. */
#define EFA "example.com/nic"
#define SEATS "example.com/seats"

struct scene {
    struct builder *builder;
    struct fb_policy *policy;
};

static struct scene scene_new(void)
{
    struct scene scene = {.builder = builder_new()};

    scene.policy = make_policy(scene.builder, "cloud", EFA, FB_NIC_EXCLUSIVE);
    (void)give_nic_rule(scene.builder, scene.policy, SEATS, FB_NIC_SLOT);
    (void)make_shape(scene.builder, scene.policy, "full-8", 8, 8);
    (void)make_shape(scene.builder, scene.policy, "half-4", 8, 4);
    (void)make_shape(scene.builder, scene.policy, "plain", 8, 0);
    return scene;
}

/* Findings as lines "level code subject count: message", each ending in a newline. */
static void tell(const struct fb_findings *findings, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < findings->len; i++) {
        const struct fb_finding *at = &findings->at[i];
        size_t len = strlen(text);

        (void)snprintf(text + len, size - len, "%s %s %s %zu: %s\n", fb_level_name(at->level),
                       at->code, at->subject, at->count, at->message);
    }
}

static size_t mismatched(const struct fb_findings *findings)
{
    size_t nodes = 0;

    for (size_t i = 0; i < findings->len; i++)
        nodes += strcmp(findings->at[i].code, "ratio-mismatch") == 0 ? findings->at[i].count : 0;
    return nodes;
}

static void expect(struct scene *scene, const char *name, const char *want)
{
    struct fb_cluster cluster = build_cluster(scene->builder);
    struct fb_findings findings;
    char text[4096];

    assert_int_equal(fb_check_make(&cluster, &findings), FB_OK);
    tell(&findings, text, sizeof text);
    if (strcmp(text, want) != 0)
        fail_msg("%s:\nwant %sgot  %s", name, want, text);
    assert_int_equal(fb_check_mismatched(&cluster), mismatched(&findings));
    assert_int_equal(fb_check_bad(&findings),
                     strncmp(want, "error", 5) == 0 || strncmp(want, "warning", 7) == 0);
    builder_free(scene->builder);
}

static void set_amount(struct scene *scene, struct fb_node *node, const char *resource,
                       int64_t amount)
{
    give_amount(scene->builder, node, resource, amount);
}

static void test_check__says_nothing_of_a_healthy_cluster(void **state)
{
    struct scene scene = scene_new();

    (void)state;
    (void)make_node(scene.builder, "a", "full-8", 8, EFA, 8);
    (void)make_node(scene.builder, "b", "full-8", 8, EFA, 8);
    (void)make_node(scene.builder, "cpu", "small", 0, NULL, 0);
    expect(&scene, "healthy", "");
}

/* One node of three is changed by the row. */
static void test_check__names_the_node_that_is_wrong(void **state)
{
    static const struct {
        const char *name, *shape, *resource;
        int64_t amount;
        const char *want;
    } cases[] = {
        {"a NIC missing", "full-8", EFA, 7,
         "warning nics-below-shape full-8 1: fewer NICs than the instance type has: c (7 of 8)\n"},
        {"NICs at 0", "full-8", EFA, 0,
         "warning nics-zero full-8 1: NIC resource advertised with 0 (plugin down?): c\n"},
        {"NICs too many", "full-8", EFA, 10,
         "warning nics-above-shape full-8 1: more NICs reported than the instance type has: c (10 "
         "of 8)\n"},
        {"a GPU missing", "full-8", GPU, 7,
         "warning gpus-below-shape full-8 1: fewer GPUs than the instance type has: c (7 of 8)\n"},
        {"GPUs shared", "full-8", GPU, 32,
         "info gpus-shared full-8 1: GPUs are shared: no multi-node jobs: c\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene = scene_new();

        (void)make_node(scene.builder, "a", cases[i].shape, 8, EFA, 8);
        (void)make_node(scene.builder, "b", cases[i].shape, 8, EFA, 8);
        set_amount(&scene, make_node(scene.builder, "c", cases[i].shape, 8, EFA, 8),
                   cases[i].resource, cases[i].amount);
        expect(&scene, cases[i].name, cases[i].want);
    }
}

static void test_check__tells_states_apart(void **state)
{
    struct scene scene = scene_new();
    struct fb_node *node;

    (void)state;
    (void)make_node(scene.builder, "a", "plain", 8, NULL, 0);
    node = make_node(scene.builder, "b", "full-8", 8, EFA, 8);
    node->unschedulable = true;
    node = make_node(scene.builder, "c", "full-8", 8, EFA, 8);
    node->ready = false;
    (void)make_node(scene.builder, "d", "full-8", 8, NULL, 0);
    node = make_node(scene.builder, "e", "full-8", 8, EFA, 8);
    give_label(scene.builder, node, ZONE_LABEL, "");
    expect(&scene, "states",
           "warning labels-placeholder full-8 1: topology labels say nothing (placeholders): e\n"
           "warning no-nic-resource full-8 1: no NIC resource (device plugin absent?): d\n"
           "info cordoned full-8 1: cordoned, or tainted as failing: b\n"
           "info no-nic-resource plain 1: no NIC resource (device plugin absent?): a\n"
           "info not-ready full-8 1: not ready: c\n");
}

static void test_check__counts_what_is_alike(void **state)
{
    struct scene scene = scene_new();

    (void)state;
    for (int i = 0; i < 7; i++) {
        static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};

        (void)make_node(scene.builder, names[i], "full-8", 8, EFA, i < 2 ? 8 : i - 1);
    }
    expect(&scene, "alike",
           "warning nics-below-shape full-8 5: fewer NICs than the instance type has: c (1 of 8), "
           "d (2 of 8), e (3 of 8) and 2 more\n");
}

static void test_check__holds_the_ratio_against_the_shapes(void **state)
{
    static const struct {
        const char *name;
        enum fb_ratio_mode mode;
        struct fb_ratio ratio;
        const char *want;
    } cases[] = {
        {"auto", FB_RATIO_AUTO, {0, 0}, ""},
        {"shape", FB_RATIO_SHAPE, {0, 0}, ""},
        {"right for one",
         FB_RATIO_CONFIGURED,
         {1, 1},
         "error ratio-mismatch half-4 1: 1 NICs per GPU against 1/2: a pod of 8 GPUs asks for 8 "
         "of 4 " EFA " and fits nowhere\n"},
        {"right for the other",
         FB_RATIO_CONFIGURED,
         {1, 2},
         "warning ratio-mismatch full-8 1: 1/2 NICs per GPU against 1: 4 of 8 " EFA
         " stay unused on a whole node\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene = scene_new();
        char want[1024];

        scene.builder->settings.ratio_mode = cases[i].mode;
        scene.builder->settings.ratio = cases[i].ratio;
        (void)make_node(scene.builder, "a", "full-8", 8, EFA, 8);
        (void)make_node(scene.builder, "b", "half-4", 8, EFA, 4);
        (void)snprintf(want, sizeof want,
                       "%sinfo fabrics cluster 2: fabrics side by side that cannot reach each "
                       "other: cloud full-8 " EFA " z1, cloud half-4 " EFA " z1\n",
                       cases[i].want);
        expect(&scene, cases[i].name, want);
    }
}

static void test_check__counts_seats_against_seats(void **state)
{
    static const struct {
        int64_t seats;
        const char *want;
    } cases[] = {
        {63, ""},
        {8, ""},
        {7, "error ratio-mismatch full-8 1: 1 NICs per GPU against 7/8: a pod of 8 GPUs asks for 8 "
            "of 7 " SEATS " and fits nowhere\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene = scene_new();

        scene.builder->settings.ratio_mode = FB_RATIO_CONFIGURED;
        scene.builder->settings.ratio = (struct fb_ratio){1, 1};
        (void)make_node(scene.builder, "a", "full-8", 8, SEATS, cases[i].seats);
        expect(&scene, "seats", cases[i].want);
    }
}

static void test_check__believes_a_whole_pool(void **state)
{
    static const struct {
        enum fb_ratio_mode mode;
        const char *want;
    } cases[] = {
        {FB_RATIO_AUTO,
         "info pool-below-shape half-4 3: most nodes show 3 of 4 " EFA ": auto asks for 3\n"},
        {FB_RATIO_SHAPE,
         "error ratio-mismatch half-4 3: 1/2 NICs per GPU against 3/8: a pod of 8 GPUs asks for 4 "
         "of 3 " EFA " and fits nowhere\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene = scene_new();

        scene.builder->settings.ratio_mode = cases[i].mode;
        (void)make_node(scene.builder, "a", "half-4", 8, EFA, 3);
        (void)make_node(scene.builder, "b", "half-4", 8, EFA, 3);
        (void)make_node(scene.builder, "c", "half-4", 8, EFA, 3);
        expect(&scene, "pool", cases[i].want);
    }
}

static void add_member(struct scene *scene, const char *name, const char *node)
{
    struct fb_pod *pod = make_pod(scene->builder, name, node, 8);

    give_owner(scene->builder, pod, "Job", "batch.volcano.sh", "train");
}

static void test_check__finds_a_gang_on_two_fabrics(void **state)
{
    static const struct {
        const char *name, *second, *want;
    } cases[] = {
        {"one fabric", "b", ""},
        {"two fabrics", "c",
         "error gang-two-fabrics team/train 2: the gang spans two fabrics: cloud full-8 " EFA
         " z1 and cloud half-4 " EFA " z1\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene = scene_new();
        char want[1024];

        (void)make_node(scene.builder, "a", "full-8", 8, EFA, 8);
        (void)make_node(scene.builder, "b", "full-8", 8, EFA, 8);
        (void)make_node(scene.builder, "c", "half-4", 8, EFA, 4);
        (void)make_node(scene.builder, "cpu", "small", 0, NULL, 0);
        add_member(&scene, "train-0", "a");
        add_member(&scene, "train-1", cases[i].second);
        (void)snprintf(want, sizeof want,
                       "%sinfo fabrics cluster 2: fabrics side by side that cannot reach each "
                       "other: cloud full-8 " EFA " z1, cloud half-4 " EFA " z1\n",
                       cases[i].want);
        expect(&scene, cases[i].name, want);
    }
}

static void test_check__tells_nodes_of_another_provider(void **state)
{
    struct scene scene = scene_new();

    (void)state;
    (void)make_policy(scene.builder, "other", EFA, FB_NIC_EXCLUSIVE);
    scene.builder->settings.provider = "other";
    (void)make_node(scene.builder, "a", "full-8", 8, EFA, 8);
    expect(&scene, "another provider",
           "warning provider-mismatch cloud 1: nodes look like this provider's, configured is "
           "other: a\n"
           "info shape-unknown full-8 1: instance type not in the policies: NICs are taken as the "
           "nodes show them: a\n");
}

static void test_check__survives_every_lack_of_memory(void **state)
{
    struct scene scene = scene_new();
    struct fb_cluster cluster;
    struct fb_findings findings;
    int failures = 0;

    (void)state;
    scene.builder->settings.ratio_mode = FB_RATIO_CONFIGURED;
    scene.builder->settings.ratio = (struct fb_ratio){1, 1};
    (void)make_node(scene.builder, "a", "half-4", 8, EFA, 4);
    (void)make_node(scene.builder, "b", "full-8", 8, EFA, 7);
    add_member(&scene, "train-0", "a");
    add_member(&scene, "train-1", "b");
    cluster = build_cluster(scene.builder);
    for (int after = 0;; after++) {
        /* A small arena of its own, so that every call for memory reaches the allocator. */
        struct fb_arena *arena = fb_arena_new(0);
        enum fb_status st;

        assert_non_null(arena);
        cluster.arena = arena;
        alloc_fault_arm(after);
        st = fb_check_make(&cluster, &findings);
        alloc_fault_disarm();
        fb_arena_free(arena);
        if (st == FB_OK)
            break;
        assert_int_equal(st, FB_ENOMEM);
        failures++;
    }
    assert_true(failures > 0);
    builder_free(scene.builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check__says_nothing_of_a_healthy_cluster),
        cmocka_unit_test(test_check__names_the_node_that_is_wrong),
        cmocka_unit_test(test_check__tells_states_apart),
        cmocka_unit_test(test_check__counts_what_is_alike),
        cmocka_unit_test(test_check__holds_the_ratio_against_the_shapes),
        cmocka_unit_test(test_check__counts_seats_against_seats),
        cmocka_unit_test(test_check__believes_a_whole_pool),
        cmocka_unit_test(test_check__finds_a_gang_on_two_fabrics),
        cmocka_unit_test(test_check__tells_nodes_of_another_provider),
        cmocka_unit_test(test_check__survives_every_lack_of_memory),
    };

    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
