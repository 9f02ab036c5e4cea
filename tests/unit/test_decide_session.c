/* SPDX-License-Identifier: Apache-2.0 */
#include "decide_case.h"
#include "unit.h"

#include <string.h>

/* Two zones, z1 with three nodes below one leaf and one below another, z2 with two. */
#define TWO_ZONES "a:s0/l0 b:s0/l0 c:s0/l0 d:s0/l1 x:s0/l0:z2 y:s0/l0:z2"

struct script_case {
    const char *what;
    struct plan_case from;
    bool blind;
    const char *script, *want;
};

static void play_all(const struct script_case *cases, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char text[CASE_TEXT];

        (void)decide_case_text(&cases[i].from, cases[i].blind, cases[i].script, text);
        if (strcmp(text, cases[i].want) != 0)
            fail_msg("%s: '%s' instead of '%s'", cases[i].what, text, cases[i].want);
    }
}

static void test_decide__holds_a_gang_to_its_plan(void **state)
{
    static const struct script_case cases[] = {
        {"the plan's nodes only",
         {.nodes = TWO_ZONES, .job = "worker=3x8"},
         false,
         "nodes worker-0; nodes worker-1; ask worker-0 d; ask worker-0 x",
         "[a b c] [a b c] plan plan"},
        {"the whole gang, also from the middle on",
         {.nodes = TWO_ZONES, .job = "worker=3x8"},
         false,
         "put worker-0 b; nodes worker-1; gang; count",
         "[a c] worker-1>a worker-2>c allocated=3 pipelined=0 releasing=0 planned=1 reserved=0"},
        {"fills the other zone when a member is there",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "put worker-0 x; nodes worker-1; ask worker-1 a",
         "[y] other-fabric"},
        {"tasks of two shapes",
         {.nodes = TWO_ZONES, .job = "leader=1x8 worker=4x4"},
         false,
         "gang",
         "leader-0>a worker-0>b worker-1>b worker-2>c worker-3>c"},
        {"a gang that nowhere holds goes by what is free, on one fabric",
         {.nodes = TWO_ZONES, .job = "worker=5x8"},
         false,
         "nodes worker-0; put worker-0 x; nodes worker-1; ask worker-1 a",
         "[a b c d x y] [y] other-fabric"},
        {"one pod alone goes anywhere",
         {.nodes = "a b:/l0:z2", .job = "worker=1x8"},
         false,
         "nodes worker-0; count",
         "[a b] allocated=0 pipelined=0 releasing=0 planned=0 reserved=0"},
    };

    (void)state;
    play_all(cases, COUNT(cases));
}

static void test_decide__plans_again_without_nodes_that_others_refuse(void **state)
{
    static const struct script_case cases[] = {
        {"a node that is never asked about",
         {.nodes = TWO_ZONES, .job = "worker=3x8"},
         false,
         "ban b; gang; close; gang; close",
         "none worker-0>a worker-1>c worker-2>d"},
        {"all of one zone",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "ban x; ban y; gang; close; gang",
         "none worker-0>a worker-1>b"},
        {"nodes for tasks that nobody got to are not left out",
         {.nodes = "a:s0/l0 b:s0/l0 c:s0/l0 d:s0/l0", .job = "first=1x8 second=2x8"},
         false,
         "ban a; gang; close; gang; count",
         "none first-0>b second-0>c second-1>d allocated=3 pipelined=0 releasing=0 planned=1 "
         "reserved=0"},
        {"a node that was passed here and refused behind",
         {.nodes = "a:s0/l0 b:s0/l0 c:s0/l0 d:s0/l0", .job = "first=1x8 second=2x8"},
         false,
         "ask first-0 a; close; gang",
         "fits first-0>b second-0>c second-1>d"},
        {"the ban is forgotten in time",
         {.nodes = "a b:/l0", .job = "worker=2x8"},
         false,
         "ban a; gang; close; gang; close; allow; wait 61000; close; gang",
         "none none worker-0>a worker-1>b"},
    };

    (void)state;
    play_all(cases, COUNT(cases));
}

static void test_decide__keeps_what_another_inventory_does_not_change(void **state)
{
    static const struct script_case cases[] = {
        {"a plan whose nodes are still there",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "ask worker-0 x; list; drop worker-1; count",
         "fits allocated=0 pipelined=0 releasing=0 planned=1 reserved=2"},
        {"not for long",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "ask worker-0 x; wait 10000; list; drop worker-1; count",
         "fits allocated=0 pipelined=0 releasing=0 planned=0 reserved=0"},
        {"the place of a pod that it shows is not free again",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "gang; show worker-0; drop worker-1; count",
         "worker-0>x worker-1>y allocated=0 pipelined=0 releasing=0 planned=1 reserved=1"},
        {"an entry of a pod that is perhaps not told yet",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "put worker-0 x; wait 10000; list; drop worker-1; count",
         "allocated=1 pipelined=0 releasing=0 planned=0 reserved=0"},
        {"not that of one that is gone",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "put worker-0 x; wait 10001; list; drop worker-1; count",
         "allocated=0 pipelined=0 releasing=0 planned=0 reserved=0"},
    };

    (void)state;
    play_all(cases, COUNT(cases));
}

static void test_decide__forgets_what_a_session_did_not_commit(void **state)
{
    static const struct script_case cases[] = {
        {"pipelined pods",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "pipe worker-0 x; ask worker-1 a; close; count; ask worker-1 a",
         "other-fabric allocated=0 pipelined=0 releasing=0 planned=0 reserved=0 fits"},
        {"fewer than the job must have",
         {.nodes = TWO_ZONES, .job = "worker=3x8"},
         false,
         "put worker-0 x; put worker-1 y; close; count",
         "allocated=0 pipelined=0 releasing=0 planned=0 reserved=0"},
        {"enough of them stay",
         {.nodes = TWO_ZONES, .job = "worker=3x8", .min = 2},
         false,
         "put worker-0 x; put worker-1 y; close; ask worker-2 a; count",
         "other-fabric allocated=2 pipelined=0 releasing=0 planned=0 reserved=0"},
        {"a pod that is asked about again has no place",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "put worker-0 x; put worker-1 y; close; drop worker-1; nodes worker-1; count",
         "[y] allocated=1 pipelined=0 releasing=0 planned=1 reserved=1"},
        {"those that the inventory has shown since count, too",
         {.nodes = TWO_ZONES, .job = "worker=3x8"},
         false,
         "gang; show worker-0; show worker-1; close; count",
         "worker-0>a worker-1>b worker-2>c allocated=1 pipelined=0 releasing=0 planned=1 "
         "reserved=0"},
        {"without an inventory those that came with it go, too",
         {.nodes = TWO_ZONES, .job = "worker=3x8"},
         true,
         "put worker-0 x; put worker-1 y; close; count",
         "allocated=2 pipelined=0 releasing=0 planned=0 reserved=0"},
    };

    (void)state;
    play_all(cases, COUNT(cases));
}

/* Volcano makes pod groups of one for pods of other owners, and so starts them one by one. */
static void test_decide__keeps_what_other_owners_start_one_by_one(void **state)
{
    static const struct plan_case from = {.nodes = TWO_ZONES, .job = "worker=3x8"};
    struct decide_case *at = decide_case_new(&from, false);

    (void)state;
    plan_case_job(at->builder)->group = "batch";
    plan_case_job(at->builder)->indexed = true; /* else it is no gang */
    for (size_t i = 0; i < at->pods_len; i++)
        at->pods[i].pod->owners[0].group = "batch";
    assert_string_equal(decide_case_play(at, "put worker-0 x; close; count; ask worker-1 a"),
                        "allocated=1 pipelined=0 releasing=0 planned=0 reserved=0 other-fabric");
    decide_case_free(at);
}

static void test_decide__takes_events_in_any_order(void **state)
{
    static const struct script_case cases[] = {
        {"the same again",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "nodes worker-0; put worker-0 x; put worker-0 x; count; drop worker-0; drop worker-0; "
         "count",
         "[x y] allocated=1 pipelined=0 releasing=0 planned=1 reserved=1 allocated=0 pipelined=0 "
         "releasing=0 planned=1 reserved=2"},
        {"a dry run",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "gang; drop worker-1; drop worker-0; gang; count",
         "worker-0>x worker-1>y worker-0>x worker-1>y allocated=2 pipelined=0 releasing=0 "
         "planned=1 reserved=0"},
        {"an evicted pod keeps its place and counts no more",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "put worker-0 x; put worker-1 y; close; evict worker-0; evict worker-1; close; count",
         "allocated=0 pipelined=0 releasing=2 planned=0 reserved=0"},
        {"elsewhere on the fabric: the plan has one less to go",
         {.nodes = TWO_ZONES, .job = "worker=3x8"},
         false,
         "nodes worker-0; put worker-0 d; count",
         "[a b c] allocated=1 pipelined=0 releasing=0 planned=1 reserved=2"},
        {"elsewhere on another fabric: planned anew",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "nodes worker-0; put worker-0 d; count; wait 1000; nodes worker-1",
         "[x y] allocated=1 pipelined=0 releasing=0 planned=0 reserved=0 [a]"},
        {"entries expire",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "gang; close; wait 600001; close; count",
         "worker-0>x worker-1>y allocated=0 pipelined=0 releasing=0 planned=0 reserved=0"},
        {"entries expire where no session ends",
         {.nodes = TWO_ZONES, .job = "worker=2x8"},
         false,
         "put worker-0 x; wait 600001; ask worker-1 a; count",
         "plan allocated=0 pipelined=0 releasing=0 planned=1 reserved=2"},
    };

    (void)state;
    play_all(cases, COUNT(cases));
}

static void test_decide__goes_by_requests_without_an_inventory(void **state)
{
    static const struct script_case cases[] = {
        {"planned at the first score, on one fabric",
         {.nodes = TWO_ZONES, .job = "worker=3x8"},
         true,
         "best worker-0; gang; count",
         ""},
    };
    char text[CASE_TEXT];
    struct decide_case *at = decide_case_new(&cases[0].from, true);

    (void)state;
    /* The gang's size is told by an annotation, for nobody knows its owner. */
    for (size_t i = 0; i < at->pods_len; i++)
        give_annotation(at->builder, at->pods[i].pod, "nhx.nvidia.com/num-nodes", "3");
    (void)snprintf(text, sizeof text, "%s", decide_case_play(at, cases[0].script));
    assert_string_equal(text, "(a b c) worker-0>a worker-1>b worker-2>c allocated=3 pipelined=0 "
                              "releasing=0 planned=1 reserved=0");
    decide_case_free(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decide__holds_a_gang_to_its_plan),
        cmocka_unit_test(test_decide__plans_again_without_nodes_that_others_refuse),
        cmocka_unit_test(test_decide__keeps_what_another_inventory_does_not_change),
        cmocka_unit_test(test_decide__forgets_what_a_session_did_not_commit),
        cmocka_unit_test(test_decide__keeps_what_other_owners_start_one_by_one),
        cmocka_unit_test(test_decide__takes_events_in_any_order),
        cmocka_unit_test(test_decide__goes_by_requests_without_an_inventory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
