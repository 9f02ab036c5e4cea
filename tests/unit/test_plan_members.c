/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_work.h"

#include "plan_case.h"
#include "unit.h"

#include <string.h>

#define LWS_NAME "leaderworkerset.sigs.k8s.io/name"
#define LWS_GROUP "leaderworkerset.sigs.k8s.io/group-index"
#define LWS_WORKER "leaderworkerset.sigs.k8s.io/worker-index"

/* Which pods are still to be placed when one of them runs on node "a", told by one label. */
static void test_plan_find_members__tells_tasks_by_label(void **state)
{
    static const struct {
        const char *label, *value;
        int64_t gpus;     /* of the member; first, second and leader ask for 8, worker for 4 */
        const char *want; /* pods left by task */
    } cases[] = {
        {"volcano.sh/task-spec", "second", 8, "first=2 second=1 leader=1 worker=3"},
        {"jobset.sigs.k8s.io/replicatedjob-name", "second", 8,
         "first=2 second=1 leader=1 worker=3"},
        {"training.kubeflow.org/replica-type", "worker", 8, "first=2 second=2 leader=1 worker=2"},
        {"training.kubeflow.org/job-role", "worker", 8, "first=2 second=2 leader=1 worker=2"},
        {"ray.io/group", "second", 8, "first=2 second=1 leader=1 worker=3"},
        {"ray.io/node-type", "leader", 8, "first=2 second=2 leader=0 worker=3"},
        {LWS_WORKER, "0", 8, "first=2 second=2 leader=0 worker=3"},
        {LWS_WORKER, "2", 8, "first=2 second=2 leader=1 worker=2"},
        {"volcano.sh/task-spec", "nobody", 8, "first=1 second=2 leader=1 worker=3"},
        {"app", "second", 8, "first=1 second=2 leader=1 worker=3"}, /* the first that asks alike */
        {"app", "x", 4, "first=2 second=2 leader=1 worker=2"},
        {"app", "x", 2, "first=1 second=2 leader=1 worker=3"}, /* none does: any */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = plan_case_make(
            &(struct plan_case){.nodes = "a", .job = "first=2x8 second=2x8 leader=1x8 worker=3x4"});
        struct fb_job *job = plan_case_job(builder);
        struct fb_pod *pod = make_pod(builder, "x", "a", cases[i].gpus);
        struct fb_plan_task tasks[4] = {{.left = 2}, {.left = 2}, {.left = 1}, {.left = 3}};
        bool chosen[1] = {false};
        struct fb_plan plan = {.chosen = chosen};
        struct fb_cluster cluster;
        struct fb_plan_work work = {
            .job = job, .plan = &plan, .tasks = tasks, .members_fabric = FB_NONE};
        char text[CASE_TEXT] = "";

        give_owner(builder, pod, VOLCANO, "j");
        give_pod_label(builder, pod, cases[i].label, cases[i].value);
        cluster = build_cluster(builder);
        work.cluster = &cluster;
        assert_int_equal(fb_plan_find_members(&work), FB_OK);
        for (size_t t = 0; t < 4; t++)
            add_piece(text, "%s=%lld", job->tasks[t].name, (long long)tasks[t].left);
        assert_string_equal(text, cases[i].want);
        assert_int_equal(work.members_len, 1);
        builder_free(builder);
    }
}

static void test_plan_make__passes_over_tasks_that_are_complete(void **state)
{
    struct builder *builder =
        plan_case_make(&(struct plan_case){.nodes = "a b c d", .job = "m=1x8 w=2x8"});
    static const char *const names[] = {"x", "y", "z", "over"};
    struct fb_cluster cluster;
    struct fb_plan plan;
    char text[CASE_TEXT];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        give_owner(builder, make_pod(builder, names[i], i < 2 ? "a" : "b", 8), VOLCANO, "j");
    cluster = build_cluster(builder);
    assert_int_equal(fb_plan_make(&cluster, plan_case_job(builder), 0, &plan, NULL), FB_OK);
    assert_string_equal(plan_text(&cluster, &plan, text), "fits gang 3 in 1 on z1");
    builder_free(builder);
}

/* Suffixes that nobody knows beforehand are left out: all pods of a task have one name. */
static void test_plan_make__names_pods_as_far_as_names_are_known(void **state)
{
    struct builder *builder = plan_case_make(&(struct plan_case){.nodes = "a b c", .job = "w=3x8"});
    struct fb_job *job = plan_case_job(builder);
    struct fb_cluster cluster;
    struct fb_plan plan;
    char text[CASE_TEXT];

    (void)state;
    job->tasks[0].pod_name = "{job}";
    give_owner(builder, make_pod(builder, "j", "a", 8), VOLCANO, "j");
    cluster = build_cluster(builder);
    assert_int_equal(fb_plan_make(&cluster, job, 0, &plan, NULL), FB_OK);
    assert_string_equal(plan_text(&cluster, &plan, text), "fits gang 3 in 1 on z1 : j>b j>c");
    builder_free(builder);
}

/* Neither going, nor finished, nor without a node, nor another job's. */
static void test_plan_make__counts_only_pods_that_stay(void **state)
{
    static const struct {
        const char *node, *phase, *owner;
        bool terminating;
        const char *want;
    } cases[] = {
        {"a", "Running", "j", false, "fits gang 2 in 1 on z1 : j-w-1>b"},
        {"a", "Pending", "j", false, "fits gang 2 in 1 on z1 : j-w-1>b"},
        {"a", "Running", "j", true, "fits gang 2 in 1 on z1 : j-w-0>b j-w-1>c"},
        {"a", "Failed", "j", false, "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b"},
        {"", "Pending", "j", false, "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b"},
        {"gone", "Running", "j", false, "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b"},
        {"a", "Running", "k", false, "fits gang 2 in 1 on z1 : j-w-0>b j-w-1>c"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder =
            plan_case_make(&(struct plan_case){.nodes = "a b c", .job = "w=2x8"});
        struct fb_pod *pod = make_pod(builder, "j-w-0", cases[i].node, 8);
        struct fb_cluster cluster;
        struct fb_plan plan;
        char text[CASE_TEXT];

        pod->phase = cases[i].phase;
        pod->terminating = cases[i].terminating;
        give_owner(builder, pod, VOLCANO, cases[i].owner);
        cluster = build_cluster(builder);
        assert_int_equal(fb_plan_make(&cluster, plan_case_job(builder), 0, &plan, NULL), FB_OK);
        assert_string_equal(plan_text(&cluster, &plan, text), cases[i].want);
        builder_free(builder);
    }
}

/* A LeaderWorkerSet of groups of three; of the second group a worker runs in zone z2. */
static struct builder *three_groups(void)
{
    struct builder *builder = plan_case_make(&(struct plan_case){
        .nodes = "a b c d:-/-:z2 e:-/-:z2 f:-/-:z2", .job = "leader=1x8 worker=2x8"});
    struct fb_job *job = plan_case_job(builder);
    struct fb_pod *pod = make_pod(builder, "j-1-2", "f", 8);

    job->kind = "LeaderWorkerSet";
    job->group = "leaderworkerset.x-k8s.io";
    job->groups = 3;
    job->tasks[0].pod_name = "{job}-{group}";
    job->tasks[1].pod_name = "{job}-{group}-{next}";
    give_owner(builder, pod, "StatefulSet", "apps", "j-1");
    give_pod_label(builder, pod, LWS_NAME, "j");
    give_pod_label(builder, pod, LWS_GROUP, "1");
    give_pod_label(builder, pod, LWS_WORKER, "2");
    return builder;
}

static void test_plan_make__plans_every_group_as_a_gang_of_its_own(void **state)
{
    static const char *const want[][2] = {
        {"team/j-0", "fits gang 3 in 1 on z1 : j-0>a j-0-1>b j-0-2>c"},
        {"team/j-1", "fits gang 3 in 1 on z2 : j-1>d j-1-1>e"},
        {"team/j-2", "no 3 left short 3 of " GPU ", z1 takes 0"},
    };
    struct builder *builder = three_groups();
    struct fb_cluster cluster = build_cluster(builder);

    (void)state;
    for (size_t g = 0; g < COUNT(want); g++) {
        struct fb_plan plan;
        char text[CASE_TEXT];

        assert_int_equal(fb_plan_make(&cluster, plan_case_job(builder), (int64_t)g, &plan, NULL),
                         FB_OK);
        assert_string_equal(plan.name, want[g][0]);
        assert_string_equal(plan_text(&cluster, &plan, text), want[g][1]);
    }
    builder_free(builder);
}

static void test_plan_make__leaves_pods_of_no_group_alone(void **state)
{
    struct builder *builder = three_groups();
    struct fb_cluster cluster;
    struct fb_plan plan;
    char text[CASE_TEXT];

    (void)state;
    builder->pods[0].labels.at[1].key = "else"; /* the number of its group */
    cluster = build_cluster(builder);
    assert_int_equal(fb_plan_make(&cluster, plan_case_job(builder), 1, &plan, NULL), FB_OK);
    assert_string_equal(plan_text(&cluster, &plan, text),
                        "fits gang 3 in 1 on z1 : j-1>a j-1-1>b j-1-2>c");
    plan_case_job(builder)->groups = 1; /* where there is one only, it is of that */
    cluster = build_cluster(builder);
    assert_int_equal(fb_plan_make(&cluster, plan_case_job(builder), 1, &plan, NULL), FB_OK);
    assert_string_equal(plan_text(&cluster, &plan, text), "fits gang 3 in 1 on z2 : j-1>d j-1-1>e");
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_find_members__tells_tasks_by_label),
        cmocka_unit_test(test_plan_make__passes_over_tasks_that_are_complete),
        cmocka_unit_test(test_plan_make__names_pods_as_far_as_names_are_known),
        cmocka_unit_test(test_plan_make__counts_only_pods_that_stay),
        cmocka_unit_test(test_plan_make__plans_every_group_as_a_gang_of_its_own),
        cmocka_unit_test(test_plan_make__leaves_pods_of_no_group_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
