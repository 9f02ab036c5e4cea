/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/plan.h"

#include "plan_case.h"
#include "unit.h"

#include <stdio.h>

static void check_cases(const struct plan_case *from, const char *const *want, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char text[CASE_TEXT];

        assert_string_equal(plan_case_text(&from[i], text), want[i]);
    }
}

static void test_plan_make__packs_single_pods(void **state)
{
    static const struct plan_case cases[] = {
        {.nodes = "a b c", .pods = "4>b", .job = "w=1x4"},
        {.nodes = "a b c", .pods = "2>a 6>b", .job = "w=1x2"},
        {.nodes = "a b c", .pods = "6>c", .job = "w=1x8"},
        /* Equal nodes: the block with least free, so that whole blocks stay whole. */
        {.nodes = "a:s0/l0 b:s0/l0 c:s0/l1 d:s0/l1", .pods = "8>c", .job = "w=1x1"},
        {.nodes = "a:s0/l0 b:s0/l0 c:s1/l0 d:s1/l0", .pods = "8>c", .job = "w=1x1"},
        {.nodes = "a b c:-/-:z2 d:-/-:z2", .pods = "8>d", .job = "w=1x1"},
        {.nodes = "a:s0/l0 b:s0/l0 c:s0 d:s0", .pods = "8>d", .job = "w=1x1"},
        {.nodes = "a", .pods = "8>a", .job = "w=1x1"},
        {.nodes = NULL, .job = "w=1x1"},
    };
    static const char *const want[COUNT(cases)] = {
        "fits : j-w-0>b",
        "fits : j-w-0>b",
        "fits : j-w-0>a",
        "fits : j-w-0>d",
        "fits : j-w-0>d",
        "fits : j-w-0>c",
        "fits : j-w-0>c",
        "no 1 left short 1 of " GPU ", none takes 0",
        "no 1 left short 1 of " GPU ", none takes 0",
    };

    (void)state;
    check_cases(cases, want, COUNT(cases));
}

/* Several pods that need not talk: each where it packs best, as far as there is room. */
static void test_plan_make__places_pods_one_by_one_outside_gangs(void **state)
{
    static const struct {
        const char *nodes, *job;
        int64_t min;
        const char *want;
    } cases[] = {
        {"a b", "w=3x4", 0, "fits : j-w-0>a j-w-1>a j-w-2>b"},
        {"a b", "w=5x4", 0, "no 5 left short 1 of " GPU ", none takes 4"},
        {"a b", "w=5x4", 3,
         "fits 1 left : j-w-0>a j-w-1>a j-w-2>b j-w-3>b short 1 of " GPU ", none takes 4"},
        {"a", "w=3x4", -1, /* none must */
         "fits 1 left : j-w-0>a j-w-1>a short 1 of " GPU ", none takes 2"},
        {"a", "w=1x9", 0, "no 1 left short 1 of " GPU ", none takes 0"},
        {"a", "w=1x16 x=2x5", 0, "no 3 left short 2 of " GPU ", none takes 1"},
        {"a", "w=2x5/2 x=1x0", 1, "no 3 left short 1 of " GPU ", none takes 1"},
        {"a", "w=2x5/1 x=1x0", 1, "fits 1 left : j-w-0>a j-x-0>a short 1 of " GPU ", none takes 1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan_case from = {.nodes = cases[i].nodes, .job = cases[i].job, .min = cases[i].min};
        struct builder *builder = plan_case_make(&from);
        struct fb_job *job = plan_case_job(builder);
        struct fb_cluster cluster = build_cluster(builder);
        struct fb_plan plan;
        char text[CASE_TEXT];

        job->kind = "Deployment";
        job->group = "apps";
        assert_int_equal(fb_plan_make(&cluster, job, 0, &plan, NULL), FB_OK);
        assert_string_equal(plan_text(&cluster, &plan, text), cases[i].want);
        builder_free(builder);
    }
}

static void test_plan_make__sends_tasks_without_gpus_to_cpu_nodes(void **state)
{
    static const struct plan_case cases[] = {
        {.nodes = "a cpu:x", .job = "l=2x0"},
        {.nodes = "a b cpu:x", .job = "l=1x0 w=2x8"},
        {.nodes = "a b", .pods = "4>b", .job = "l=1x0"}, /* all NICs are free on both */
        {.nodes = "a", .job = "l=1x0"},
    };
    static const char *const want[COUNT(cases)] = {
        "fits : j-l-0>x j-l-1>x",
        "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b j-l-0>x",
        "fits : j-l-0>b",
        "fits : j-l-0>a",
    };

    (void)state;
    check_cases(cases, want, COUNT(cases));
}

/* The resource that alone lets the fewest in, on nodes that may be taken at all; GPUs on ties. */
static void test_plan_make__names_what_is_short(void **state)
{
    static const struct {
        const char *resource;
        int64_t amount; /* that each of three pods asks for besides 2 GPUs */
        const char *selector;
        bool gang;
        const char *want;
    } cases[] = {
        {"cpu", 100000, NULL, false, "no 3 left short 1 of cpu, none takes 2"},
        {"cpu", 0, NULL, false, "fits : j-w-0>a j-w-1>a j-w-2>a"},
        {"ssd", 1, NULL, false, "no 3 left short 3 of ssd, none takes 0"},
        {"cpu", 0, "z9", false, "no 3 left short 3 of " GPU ", none takes 0"},
        {"cpu", 1000, "z9", false, "no 3 left short 3 of " GPU ", none takes 0"},
        {"cpu", 100000, NULL, true, "no 3 left short 1 of cpu, z1 takes 2"},
        {"nic", 3, NULL, true, "no 3 left short 1 of nic, z1 takes 2"},
        {"nic", 5, NULL, true, "no 3 left short 3 of " GPU ", z1 takes 0"},
        {"cpu", 1000, "z9", true, "no 3 left short 3 of " GPU ", z1 takes 0"},
        {"ssd", 1, NULL, true, "no 3 left short 3 of ssd, z1 takes 0"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder =
            plan_case_make(&(struct plan_case){.nodes = "a b", .job = "w=3x2"});
        struct fb_job *job = plan_case_job(builder);
        struct fb_cluster cluster;
        struct fb_plan plan;
        char text[CASE_TEXT];

        job->kind = cases[i].gang ? "Job" : "Deployment";
        give_request(builder, &job->tasks[0].pod, 0, cases[i].resource, cases[i].amount);
        if (cases[i].selector != NULL)
            give_selector(builder, &job->tasks[0].pod, ZONE_LABEL, cases[i].selector);
        cluster = build_cluster(builder);
        assert_int_equal(fb_plan_make(&cluster, job, 0, &plan, NULL), FB_OK);
        assert_string_equal(plan_text(&cluster, &plan, text), cases[i].want);
        builder_free(builder);
    }
}

/* Whatever comes first in the pod: what is scarcest, GPUs on ties, nothing that is not asked for.
 */
static void test_plan_make__names_what_is_short_in_any_order(void **state)
{
    static const struct {
        int64_t cpu, gpus; /* of each of three pods on two nodes */
        const char *want;
    } cases[] = {
        {100000, 2, "no 3 left short 1 of cpu, none takes 2"},
        {100000, 5, "no 3 left short 1 of " GPU ", none takes 2"},
        {0, 5, "no 3 left short 1 of " GPU ", none takes 2"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder =
            plan_case_make(&(struct plan_case){.nodes = "a b", .job = "w=3x0"});
        struct fb_job *job = plan_case_job(builder);
        struct fb_cluster cluster;
        struct fb_plan plan;
        char text[CASE_TEXT];

        job->kind = "Deployment";
        give_request(builder, &job->tasks[0].pod, 0, "cpu", cases[i].cpu);
        give_request(builder, &job->tasks[0].pod, 0, GPU, cases[i].gpus);
        cluster = build_cluster(builder);
        assert_int_equal(fb_plan_make(&cluster, job, 0, &plan, NULL), FB_OK);
        assert_string_equal(plan_text(&cluster, &plan, text), cases[i].want);
        builder_free(builder);
    }
}

/* A block that is fuller does not make up for a node with half its NICs. */
static void test_plan_make__asks_for_the_score_before_the_block(void **state)
{
    struct builder *builder =
        plan_case_make(&(struct plan_case){.nodes = "a:s0/l0 b:s0/l1 c:s0/l1", .job = "w=1x4"});
    struct fb_cluster cluster;
    struct fb_plan plan;
    char text[CASE_TEXT];

    (void)state;
    give_amount(builder, &builder->nodes[0], "nic", 2);
    cluster = build_cluster(builder);
    assert_int_equal(fb_plan_make(&cluster, plan_case_job(builder), 0, &plan, NULL), FB_OK);
    assert_string_equal(plan_text(&cluster, &plan, text), "fits : j-w-0>b");
    builder_free(builder);
}

static void test_plan_make__sees_what_earlier_plans_took(void **state)
{
    static const struct {
        const char *nodes, *job;
        const char *want[3]; /* of the same job, planned again and again */
    } cases[] = {
        {"a b c d e",
         "w=2x8",
         {"fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b", "fits gang 2 in 1 on z1 : j-w-0>c j-w-1>d",
          "no 2 left short 1 of " GPU ", z1 takes 1"}},
        {"a b", "w=1x4 ", {"fits : j-w-0>a", "fits : j-w-0>a", "fits : j-w-0>b"}},
        /* One that does not fit takes nothing. */
        {"a b",
         "w=3x8 l=1x0",
         {"no 4 left short 1 of " GPU ", z1 takes 2", "no 4 left short 1 of " GPU ", z1 takes 2",
          "no 4 left short 1 of " GPU ", z1 takes 2"}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan_case from = {.nodes = cases[i].nodes, .job = cases[i].job};
        struct builder *builder = plan_case_make(&from);
        struct fb_cluster cluster = build_cluster(builder);

        for (size_t n = 0; n < COUNT(cases[i].want); n++) {
            struct fb_plan plan;
            char text[CASE_TEXT];

            assert_int_equal(fb_plan_make(&cluster, plan_case_job(builder), 0, &plan, NULL), FB_OK);
            assert_string_equal(plan_text(&cluster, &plan, text), cases[i].want[n]);
        }
        builder_free(builder);
    }
}

/* The gang would hold, and the launcher finds no place: all is as before. */
static void test_plan_make__gives_back_what_a_job_that_cannot_start_took(void **state)
{
    struct builder *builder = plan_case_make(&(struct plan_case){
        .nodes = "a b c", .pods = "4>c", .members = "w-0>a", .job = "w=3x8 l=1x0"});
    struct fb_job *job = plan_case_job(builder);
    struct fb_cluster cluster;
    struct fb_plan plan;
    char before[CASE_TEXT];
    char text[CASE_TEXT];

    (void)state;
    job->tasks[0].pods = 2;
    give_request(builder, &job->tasks[1].pod, 0, "cpu", 200000);
    give_request(builder, &job->tasks[0].pod, 0, "cpu", 1000);
    cluster = build_cluster(builder);
    (void)amounts_text(&cluster.sites[1].free, before);
    assert_int_equal(fb_plan_make(&cluster, job, 0, &plan, NULL), FB_OK);
    assert_string_equal(plan_text(&cluster, &plan, text),
                        "no 2 left gang 2 in 1 on z1 short 1 of cpu, none takes 0");
    assert_string_equal(amounts_text(&cluster.sites[1].free, text), before);
    assert_true(plan.chosen[0]); /* where its member is */
    assert_false(plan.chosen[1]);

    job->tasks[1].pod.containers[0].requests.len = 0;
    assert_int_equal(fb_plan_make(&cluster, job, 0, &plan, NULL), FB_OK);
    assert_true(plan.fits);
    assert_string_not_equal(amounts_text(&cluster.sites[1].free, text), before);
    builder_free(builder);
}

static void test_plan_make__tells_score_nics_and_verdicts(void **state)
{
    struct builder *builder = plan_case_make(
        &(struct plan_case){.nodes = "a b c:-/-:z2", .pods = "4>b", .job = "w=2x4 l=1x0"});
    struct fb_cluster cluster = build_cluster(builder);
    struct fb_plan plan;
    char text[CASE_TEXT];

    (void)state;
    assert_int_equal(fb_plan_make(&cluster, plan_case_job(builder), 0, &plan, NULL), FB_OK);
    assert_string_equal(plan_text(&cluster, &plan, text),
                        "fits gang 2 in 1 on z2 : j-w-0>c j-w-1>c j-l-0>c");
    assert_string_equal(plan.name, "team/j");
    assert_int_equal(plan.pods, 3);
    assert_string_equal(amounts_text(&plan.placements[0].nics, text), "nic=2");
    (void)snprintf(text, sizeof text, "%.3f", plan.placements[0].score);
    assert_string_equal(text, "950.000");
    (void)snprintf(text, sizeof text, "%.3f", plan.placements[1].score);
    assert_string_equal(text, "1000.000"); /* as things were when its turn came */
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(plan.verdicts[i].kind, FB_FITS); /* before anything was taken */
    assert_false(plan.chosen[0]);
    assert_true(plan.chosen[2]);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_make__packs_single_pods),
        cmocka_unit_test(test_plan_make__places_pods_one_by_one_outside_gangs),
        cmocka_unit_test(test_plan_make__sends_tasks_without_gpus_to_cpu_nodes),
        cmocka_unit_test(test_plan_make__names_what_is_short),
        cmocka_unit_test(test_plan_make__names_what_is_short_in_any_order),
        cmocka_unit_test(test_plan_make__asks_for_the_score_before_the_block),
        cmocka_unit_test(test_plan_make__sees_what_earlier_plans_took),
        cmocka_unit_test(test_plan_make__gives_back_what_a_job_that_cannot_start_took),
        cmocka_unit_test(test_plan_make__tells_score_nics_and_verdicts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
