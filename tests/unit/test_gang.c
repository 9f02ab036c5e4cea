/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/gang.h"

#include "node_case.h"
#include "unit.h"

#define JOBSET_NAME "jobset.sigs.k8s.io/jobset-name"
#define LWS_NAME "leaderworkerset.sigs.k8s.io/name"
#define NUM_NODES "nhx.nvidia.com/num-nodes"

static struct builder *nodes(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *p = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);

    make_shape(builder, p, "P.8", 8, 4);
    make_node(builder, "a", "P.8", 8, "nic", 4);
    make_node(builder, "b", "P.8", 8, "nic", 4);
    give_label(builder, make_node(builder, "z", "P.8", 8, "nic", 4), ZONE_LABEL, "z2");
    make_node(builder, "cpu", "", -1, NULL, 0);
    return builder;
}

static void test_gang_size__counts_what_the_spec_tells(void **state)
{
    struct builder *builder = builder_new();
    struct fb_job *job = make_job(builder, "j");

    (void)state;
    assert_int_equal(fb_gang_size(job, &builder->settings), 0);
    give_task(builder, job, "launcher", 3, 0);
    assert_int_equal(fb_gang_size(job, &builder->settings), 0);
    give_task(builder, job, "worker", 4, 8);
    give_task(builder, job, "more", 2, 1);
    assert_int_equal(fb_gang_size(job, &builder->settings), 6);
    give_annotation(builder, &job->tasks[0].pod, NUM_NODES, "99"); /* no GPU pod */
    assert_int_equal(fb_gang_size(job, &builder->settings), 6);
    give_annotation(builder, &job->tasks[2].pod, NUM_NODES, "16");
    give_annotation(builder, &job->tasks[1].pod, NUM_NODES, "12");
    assert_int_equal(fb_gang_size(job, &builder->settings), 16);
    job->tasks[1].pods = INT64_MAX;
    job->tasks[1].pod.annotations.len = 0;
    job->tasks[2].pod.annotations.len = 0;
    assert_int_equal(fb_gang_size(job, &builder->settings), INT64_MAX);
    builder_free(builder);
}

static void test_gang_owns__knows_pods_of_a_job(void **state)
{
    static const struct {
        const char *kind, *group, *name; /* of the job, in namespace team */
        struct pod_case pod;
        bool want;
    } cases[] = {
        {VOLCANO, "j", {POD("x"), OWNER(VOLCANO, "j")}, true},
        {VOLCANO, "j", {POD("x"), OWNER(VOLCANO, "k")}, false},
        {VOLCANO, "j", {POD("x"), OWNER(VOLCANO, "j"), .space = "mine"}, false},
        {VOLCANO, "j", {POD("x"), OWNER("Job", "batch", "j")}, false},
        {VOLCANO, "j", {POD("x"), OWNER("JobSet", "batch.volcano.sh", "j")}, false},
        {VOLCANO, "j", {POD("x")}, false},
        {"Pod", "", "x", {POD("x")}, true},
        {"Pod", "", "y", {POD("x")}, false},
        {"JobSet",
         "jobset.x-k8s.io",
         "s",
         {POD("x"), OWNER("Job", "batch", "s-w-0"), LABEL(JOBSET_NAME, "s")},
         true},
        {"JobSet",
         "jobset.x-k8s.io",
         "t",
         {POD("x"), OWNER("Job", "batch", "s-w-0"), LABEL(JOBSET_NAME, "s")},
         false},
        {"JobSet",
         "else.io",
         "s",
         {POD("x"), OWNER("Job", "batch", "s-w-0"), LABEL(JOBSET_NAME, "s")},
         false},
        {"TrainJob",
         "trainer.kubeflow.org",
         "s",
         {POD("x"), OWNER("Job", "batch", "s-w-0"), LABEL(JOBSET_NAME, "s")},
         true},
        {"LeaderWorkerSet",
         "leaderworkerset.x-k8s.io",
         "l",
         {POD("x"), OWNER("StatefulSet", "apps", "l-0"), LABEL(LWS_NAME, "l")},
         true},
        {"MPIJob",
         "kubeflow.org",
         "m",
         {POD("x"), OWNER("Job", "batch", "m-launcher"),
          LABEL("training.kubeflow.org/job-name", "m")},
         true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = builder_new();
        struct fb_job *job = make_job(builder, cases[i].name);

        job->kind = cases[i].kind;
        job->group = cases[i].group;
        add_pod_case(builder, &cases[i].pod);
        assert_int_equal(fb_gang_owns(job, &builder->pods[0]), cases[i].want);
        job->uid = "";
        assert_int_equal(fb_gang_owns(job, &builder->pods[0]), cases[i].want);
        builder_free(builder);
    }
}

static void test_gang_spans__finds_the_two_fabrics(void **state)
{
    static const struct {
        const char *first, *second; /* node of each pod */
        bool going, networked;
        bool want;
    } cases[] = {
        {"a", "b", false, true, false},    {"a", "z", false, true, true},
        {"z", "a", false, true, true},     {"a", "z", true, true, false}, /* terminating */
        {"a", "z", false, false, false},   {"a", NULL, false, true, false},
        {"a", "gone", false, true, false}, {"a", "cpu", false, true, false}, /* of no fabric */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = nodes();
        struct fb_pod *pods[2] = {make_pod(builder, "x", cases[i].first, 8),
                                  make_pod(builder, "y", cases[i].second, 8)};
        struct fb_cluster cluster;
        size_t fabrics[2] = {77, 77};

        pods[1]->terminating = cases[i].going;
        for (size_t p = 0; p < 2; p++)
            give_owner(builder, pods[p], cases[i].networked ? "Job" : "StatefulSet",
                       "batch.volcano.sh", "j");
        give_owner(builder, make_pod(builder, "other", "z", 8), VOLCANO, "other");
        make_podgroup(builder, "j", 2);
        cluster = build_cluster(builder);
        assert_int_equal(fb_gang_spans(&cluster, 0, fabrics), cases[i].want);
        assert_int_equal(fabrics[0], cases[i].want ? 0 : 77);
        assert_int_equal(fabrics[1], cases[i].want ? 1 : 77);
        builder_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gang_size__counts_what_the_spec_tells),
        cmocka_unit_test(test_gang_owns__knows_pods_of_a_job),
        cmocka_unit_test(test_gang_spans__finds_the_two_fabrics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
