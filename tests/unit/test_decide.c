/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc_fault.h"
#include "decide_case.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define TWO_ZONES "a:s0/l0 b:s0/l0 c:s0/l0 d:s0/l1 x:s0/l0:z2 y:s0/l0:z2"

/* With `placement: prefer` the fabric is held to, the nodes are preferred. */
static void test_decide__prefers_the_plan(void **state)
{
    static const struct plan_case from = {.nodes = TWO_ZONES, .job = "worker=3x8"};
    struct decide_case *at = decide_case_new(&from, false);

    (void)state;
    at->builder->settings.placement = FB_PLACEMENT_PREFER;
    assert_string_equal(decide_case_play(at, "nodes worker-0; ask worker-0 x; best worker-0; "
                                             "put worker-0 b; best worker-1; gang"),
                        "[a b c d] other-fabric (a b c) (a c) worker-1>a worker-2>c");
    decide_case_free(at);
}

/* Where the plan's blocks are full the nearest nodes come next. */
static void test_decide__scores_by_distance(void **state)
{
    static const struct plan_case from = {.nodes = "a:s0/l0 b:s0/l0 c:s0/l1 d:s1/l2",
                                          .job = "worker=2x8"};
    struct decide_case *at = decide_case_new(&from, false);

    (void)state;
    at->builder->settings.placement = FB_PLACEMENT_PREFER;
    assert_string_equal(decide_case_play(at, "put worker-0 a; ban b; best worker-1; ban c; "
                                             "best worker-1"),
                        "(c) (d)");
    decide_case_free(at);
}

/* A pod on its own goes where least of a switch block is free. */
static void test_decide__keeps_blocks_whole(void **state)
{
    static const struct plan_case from = {
        .nodes = "a:s0/l0 b:s0/l0 c:s0/l1 d:s0/l1", .pods = "8>d", .job = "worker=1x8"};
    char text[CASE_TEXT];

    (void)state;
    assert_string_equal(decide_case_text(&from, false, "best worker-0", text), "(c)");
}

/* Two gangs asked about in turn get nodes of their own. */
static void test_decide__reserves_what_is_planned(void **state)
{
    static const struct plan_case from = {.nodes = "a:s0/l0 b:s0/l0 c:s0/l1 d:s0/l1",
                                          .job = "worker=2x8"};
    struct decide_case *at = decide_case_new(&from, false);
    struct fb_pod *other[2];

    (void)state;
    for (size_t i = 0; i < COUNT(other); i++) {
        other[i] = make_template(at->builder, i == 0 ? "j-other-0" : "j-other-1", 8);
        give_owner(at->builder, other[i], VOLCANO, "k");
        give_annotation(at->builder, other[i], "nhx.nvidia.com/num-nodes", "2");
        at->pods[at->pods_len++] = (struct decide_pod){.pod = other[i], .status = FB_TASK_PENDING};
    }
    assert_string_equal(decide_case_play(at, "nodes worker-0; nodes other-0; nodes worker-1"),
                        "[a b] [c d] [a b]");
    decide_case_free(at);
}

/* Labels that name the gang of another namespace do not steer it. */
static void test_decide__tells_namespaces_apart(void **state)
{
    static const struct plan_case from = {.nodes = TWO_ZONES, .job = "worker=2x8"};
    struct decide_case *at = decide_case_new(&from, false);
    struct fb_pod *forged = make_template(at->builder, "j-forged-0", 8);
    struct fb_sight_task task = {.uid = "forged", .node = "a", .status = FB_TASK_ALLOCATED};

    (void)state;
    give_owner(at->builder, forged, VOLCANO, "j");
    give_annotation(at->builder, forged, "nhx.nvidia.com/num-nodes", "2");
    forged->space = "elsewhere";
    task.pod = forged;
    assert_string_equal(decide_case_play(at, "nodes worker-0"), "[x y]");
    assert_int_equal(fb_decide_allocate(at->ledger, &at->scene, &task), FB_OK);
    assert_string_equal(decide_case_play(at, "nodes worker-0; nodes worker-1"), "[x y] [x y]");
    decide_case_free(at);
}

/* Pods of a job that had the same name are none of the gang. */
static void test_decide__tells_jobs_of_one_name_apart(void **state)
{
    static const struct plan_case from = {
        .nodes = TWO_ZONES, .job = "worker=2x8", .members = "worker-0>a worker-1>b"};
    struct decide_case *at = decide_case_new(&from, false);

    (void)state;
    for (size_t i = 0; i < at->pods_len; i++) {
        at->pods[i].pod->owners[0].uid = "submitted again";
        give_annotation(at->builder, at->pods[i].pod, "nhx.nvidia.com/num-nodes", "2");
    }
    assert_string_equal(decide_case_play(at, "nodes worker-0; gang; count"),
                        "[x y] worker-0>x worker-1>y allocated=2 pipelined=0 releasing=0 "
                        "planned=1 reserved=0");
    decide_case_free(at);
}

/* Another inventory confirms placements and ends plans; the gang stays where it is. */
static void test_decide__takes_over_another_inventory(void **state)
{
    static const struct plan_case from = {.nodes = TWO_ZONES, .job = "worker=3x8", .min = 1};
    struct decide_case *at = decide_case_new(&from, false);
    struct fb_pod *bound;

    (void)state;
    (void)decide_case_play(at, "put worker-0 x; close");
    bound = make_pod(at->builder, "j-worker-0", "x", 8);
    give_owner(at->builder, bound, VOLCANO, "j");
    bound->uid = at->pods[0].pod->uid;
    at->cluster = build_cluster(at->builder);
    at->objects = builder_objects(at->builder);
    at->scene.generation = 2;
    assert_string_equal(
        decide_case_play(at, "count; ask worker-1 a; nodes worker-1; count"),
        "allocated=1 pipelined=0 releasing=0 planned=0 reserved=0 other-fabric [y] allocated=0 "
        "pipelined=0 releasing=0 planned=1 reserved=1");
    decide_case_free(at);
}

static void tell(struct fb_ledger *ledger, const struct fb_scene *scene, const char *uid,
                 const struct fb_pod *pod)
{
    struct fb_sight_task task = {uid, "a", FB_TASK_ALLOCATED, pod};

    assert_int_equal(fb_decide_allocate(ledger, scene, &task), FB_OK);
}

static void test_ledger__stays_within_its_bounds(void **state)
{
    static const struct plan_case from = {.nodes = TWO_ZONES, .job = "worker=3x8"};
    static const struct fb_ledger_limits limits = {.pods = 2, .gangs = 1};
    struct decide_case *at = decide_case_new(&from, false);
    struct fb_ledger *ledger = fb_ledger_new(&limits);
    struct fb_pod *other = make_template(at->builder, "other", 8);

    (void)state;
    assert_non_null(ledger);
    give_owner(at->builder, other, VOLCANO, "k");
    give_annotation(at->builder, other, "nhx.nvidia.com/num-nodes", "2");
    tell(ledger, &at->scene, "1", at->pods[0].pod);
    tell(ledger, &at->scene, "2", other);
    tell(ledger, &at->scene, "3", at->pods[1].pod);
    tell(ledger, &at->scene, "3", at->pods[1].pod);
    assert_int_equal(fb_ledger_count(ledger).allocated, 2);
    fb_ledger_free(ledger);
    decide_case_free(at);
}

static const char script[] = "nodes worker-0; put worker-0 a; best worker-1; put worker-1 b; "
                             "pipe worker-2 c; close; nodes worker-2";

/* All that a session does, as a whole: a decision fails or is right, and the ledger lives on. */
static enum fb_status play_once(struct decide_case *at)
{
    struct fb_arena *arena = fb_arena_new(0);
    enum fb_status st = arena != NULL ? FB_OK : FB_ENOMEM;

    for (size_t i = 0; st == FB_OK && i < 3; i++) {
        struct fb_sight_task task = {at->pods[i].pod->uid, "", FB_TASK_PENDING, at->pods[i].pod};
        double scores[8];
        struct fb_verdict verdict;
        struct fb_view view;

        fb_view_init(&view, arena, &at->scene);
        for (size_t s = 0; st == FB_OK && s < at->all.sites_len; s++) {
            struct fb_sight sight = {.name = at->all.sites[s].node->name,
                                     .node = at->all.sites[s].node,
                                     .idle = at->all.sites[s].free};

            st = fb_view_add(&view, &at->scene, &sight);
        }
        if (st == FB_OK)
            st = fb_decide_verdict(at->ledger, &at->scene, &view, &task, &verdict);
        if (st == FB_OK)
            st = fb_decide_scores(at->ledger, &at->scene, &view, &task, scores);
        task.node = "a";
        task.status = FB_TASK_ALLOCATED;
        if (st == FB_OK)
            st = fb_decide_allocate(at->ledger, &at->scene, &task);
    }
    fb_decide_close(at->ledger, &at->scene);
    fb_arena_free(arena);
    return st;
}

static void survive(bool blind)
{
    static const struct plan_case from = {.nodes = TWO_ZONES, .job = "worker=3x8"};
    bool done = false;

    for (int after = 0; !done && after < 5000; after++) {
        struct decide_case *at = decide_case_new(&from, blind);
        enum fb_status st;

        for (size_t i = 0; i < at->pods_len; i++)
            give_annotation(at->builder, at->pods[i].pod, "nhx.nvidia.com/num-nodes", "3");
        alloc_fault_arm(after);
        st = play_once(at);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        done = st == FB_OK;
        (void)decide_case_play(at, script);
        decide_case_free(at);
    }
    assert_true(done);
}

static void test_decide__survives_every_failed_allocation(void **state)
{
    (void)state;
    survive(false);
    survive(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decide__prefers_the_plan),
        cmocka_unit_test(test_decide__scores_by_distance),
        cmocka_unit_test(test_decide__keeps_blocks_whole),
        cmocka_unit_test(test_decide__reserves_what_is_planned),
        cmocka_unit_test(test_decide__tells_namespaces_apart),
        cmocka_unit_test(test_decide__tells_jobs_of_one_name_apart),
        cmocka_unit_test(test_decide__takes_over_another_inventory),
        cmocka_unit_test(test_ledger__stays_within_its_bounds),
        cmocka_unit_test(test_decide__survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
