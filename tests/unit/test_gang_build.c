/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_build.h"

#include "node_case.h"
#include "unit.h"

#define JOBSET_UID "jobset.sigs.k8s.io/jobset-uid"
#define JOBSET_NAME "jobset.sigs.k8s.io/jobset-name"
#define LWS_KEY "leaderworkerset.sigs.k8s.io/group-key"
#define LWS_NAME "leaderworkerset.sigs.k8s.io/name"
#define NUM_NODES "nhx.nvidia.com/num-nodes"
#define INDEX "batch.kubernetes.io/job-completion-index"
#define TRUE_MARK "fabricbind.io/networking"

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

/* "<space>/<name> <key> <size>: pod pod+; ..." with "+" behind networked ones. */
static const char *gangs_text(const struct fb_cluster *cluster, char text[CASE_TEXT])
{
    text[0] = '\0';
    for (size_t g = 0; g < cluster->gangs_len; g++) {
        const struct fb_gang *gang = &cluster->gangs[g];

        add_piece(text, "%s/%s %s %lld:", gang->space, gang->name, gang->key,
                  (long long)gang->size);
        for (size_t i = 0; i < cluster->residents_len; i++) {
            if (cluster->residents[i].gang == g)
                add_piece(text, "%s%s", cluster->residents[i].pod->name,
                          cluster->residents[i].networked ? "+" : "");
        }
    }
    return text;
}

static void test_gang_build__keys_gangs_by_what_owns_them(void **state)
{
    static const struct {
        const char *want;
        struct pod_case pods[4];
    } cases[] = {
        {"team/j j 2: x+ y+", {{POD("x"), OWNER(VOLCANO, "j")}, {POD("y"), OWNER(VOLCANO, "j")}}},
        {"team/j j 1: x team/k k 1: y",
         {{POD("x"), OWNER(VOLCANO, "j")}, {POD("y"), OWNER(VOLCANO, "k")}}},
        {"team/j j 2: x+ y+", /* pods without GPUs are of no gang */
         {{POD("x"), OWNER(VOLCANO, "j")},
          {POD("y"), OWNER(VOLCANO, "j")},
          {.name = "z", OWNER(VOLCANO, "j")}}},
        {"", {{POD("x")}, {POD("y")}}},
        {"team/set u 2: x+ y+", /* over the batch Jobs that own them */
         {{POD("x"), OWNER("Job", "batch", "set-a"), LABEL(JOBSET_UID, "u"),
           .other_label = JOBSET_NAME, .other_value = "set"},
          {POD("y"), OWNER("Job", "batch", "set-b"), LABEL(JOBSET_UID, "u"),
           .other_label = JOBSET_NAME, .other_value = "set"}}},
        {"team/x u 1: x", {{POD("x"), .annotation = JOBSET_UID, .text = "u"}}},
        {"team/j j 1: x", {{POD("x"), OWNER(VOLCANO, "j"), LABEL(JOBSET_UID, "")}}},
        {"team/lws k1 2: x+ y+ team/lws k2 1: z",
         {{POD("x"), OWNER("StatefulSet", "apps", "lws"), LABEL(LWS_KEY, "k1"),
           .other_label = LWS_NAME, .other_value = "lws"},
          {POD("y"), OWNER("StatefulSet", "apps", "lws-0"), LABEL(LWS_KEY, "k1"),
           .other_label = LWS_NAME, .other_value = "lws"},
          {POD("z"), OWNER("StatefulSet", "apps", "lws"), LABEL(LWS_KEY, "k2"),
           .other_label = LWS_NAME, .other_value = "lws"}}},
        {"team/x k 1: x", {{POD("x"), OWNER("StatefulSet", "apps", "lws"), LABEL(LWS_KEY, "k")}}},
        /* Whoever writes another team's key on a pod does not get into its gang. */
        {"mine/y u 1: y team/x u 1: x",
         {{POD("x"), .label = JOBSET_UID, .value = "u"},
          {POD("y"), .label = JOBSET_UID, .value = "u", .space = "mine"}}},
        {"team/x u 1: x team/y u 1: y",
         {{POD("x"), .label = JOBSET_UID, .value = "u"},
          {POD("y"), .label = LWS_KEY, .value = "u"}}},
        {"team/u u 1: y team/u u 1: x",
         {{POD("x"), OWNER("Job", "batch.volcano.sh", "u")},
          {POD("y"), OWNER("Job", "batch", "u")}}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = nodes();
        struct fb_cluster cluster;
        char text[CASE_TEXT];

        for (size_t p = 0; p < COUNT(cases[i].pods) && cases[i].pods[p].name != NULL; p++)
            add_pod_case(builder, &cases[i].pods[p]);
        cluster = build_cluster(builder);
        assert_string_equal(gangs_text(&cluster, text), cases[i].want);
        builder_free(builder);
    }
}

static void test_gang_build__matches_owners_and_annotations(void **state)
{
    static const struct {
        const char *kind, *group;
        const char *label, *annotation, *text;
        bool want;
    } cases[] = {
        {VOLCANO, NULL, NULL, NULL, true},
        {"Job", "batch", NULL, NULL, NULL, false},
        {"Job", "batch", INDEX, NULL, NULL, true}, /* indexed, as its pods show */
        {"PyTorchJob", "kubeflow.org", NULL, NULL, NULL, true},
        {"PyTorchJob", "batch", NULL, NULL, NULL, false}, /* kind and group together */
        {"StatefulSet", "apps", NULL, NULL, NULL, false},
        {"StatefulSet", "apps", NULL, TRUE_MARK, "true", true},
        {"StatefulSet", "apps", NULL, "nhx.nvidia.com/enable-multi-node-networking", "true", true},
        {VOLCANO, NULL, TRUE_MARK, "false", false}, /* ours always wins */
        {NULL, NULL, NULL, TRUE_MARK, "true", true},
        {NULL, NULL, NULL, NULL, NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = nodes();
        struct fb_cluster cluster;
        struct pod_case row = {POD("x"), OWNER(cases[i].kind, cases[i].group, "j"),
                               LABEL(cases[i].label, "0"), .annotation = cases[i].annotation,
                               .text = cases[i].text};

        add_pod_case(builder, &row);
        row.name = "y";
        add_pod_case(builder, &row);
        cluster = build_cluster(builder);
        assert_int_equal(cluster.residents[0].networked, cases[i].want);
        assert_int_equal(cluster.residents[1].networked, cases[i].want);
        builder_free(builder);
    }
}

/* Size by annotation, by spec, by minMember, by siblings: the first that is told. */
static void test_gang_build__counts_gpu_pods(void **state)
{
    static const struct {
        const char *num_nodes; /* on the first of three pods, of which one is terminating */
        int64_t replicas;      /* of the owner's GPU task; below 0: no owner is told */
        int64_t min_member;    /* below 0: no pod group */
        int64_t want;
    } cases[] =
        {
            {NULL, -1, -1, 2}, {NULL, -1, 5, 5}, {NULL, -1, 1, 2}, {NULL, -1, 0, 2},
            {NULL, 7, 5, 7},   {NULL, 1, 5, 1},  {"9", 7, 5, 9},   {"1", 7, 5, 1},
            {"9x", 7, 5, 7},   {"", 7, 5, 7},    {"-3", 7, 5, 7},  {"0", -1, -1, 2},
            {NULL, 0, 5, 5}, /* a spec without GPU pods says nothing of them */
        };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = nodes();
        struct fb_cluster cluster;

        add_pod_case(builder, &(struct pod_case){
                                  POD("x"), OWNER(VOLCANO, "j"),
                                  .annotation = cases[i].num_nodes != NULL ? NUM_NODES : "other",
                                  .text = cases[i].num_nodes});
        add_pod_case(builder, &(struct pod_case){POD("y"), OWNER(VOLCANO, "j")});
        add_pod_case(builder,
                     &(struct pod_case){POD("z"), OWNER(VOLCANO, "j"), .terminating = true});
        if (cases[i].replicas >= 0) {
            struct fb_job *job = make_job(builder, "j");

            give_task(builder, job, "worker", cases[i].replicas, 8);
            give_task(builder, job, "launcher", 1, 0);
        }
        make_job(builder, "other");
        make_podgroup(builder, "other", 40);
        if (cases[i].min_member >= 0)
            make_podgroup(builder, "j", cases[i].min_member);
        cluster = build_cluster(builder);
        assert_int_equal(cluster.gangs_len, 1);
        assert_int_equal(cluster.gangs[0].size, cases[i].want);
        builder_free(builder);
    }
}

static void test_gang_build__counts_those_that_go_where_all_go(void **state)
{
    struct builder *builder = nodes();
    struct fb_cluster cluster;
    char text[CASE_TEXT];

    (void)state;
    add_pod_case(builder, &(struct pod_case){POD("x"), OWNER(VOLCANO, "j"), .terminating = true});
    add_pod_case(builder, &(struct pod_case){POD("y"), OWNER(VOLCANO, "j"), .terminating = true});
    cluster = build_cluster(builder);
    assert_string_equal(gangs_text(&cluster, text), "team/j j 2: x+ y+");
    builder_free(builder);
}

/* An owner that is gone and one that came later under its name are two. */
static void test_gang_build__finds_the_owner_by_name_and_uid(void **state)
{
    static const struct {
        const char *kind, *group, *space, *name, *uid; /* of the spec */
        const char *owner_name, *owner_uid;            /* as the pods tell */
        int64_t want;                                  /* 9: that of the spec */
    } cases[] = {
        {VOLCANO, "team", "j", "u1", "j", "u1", 9},
        {VOLCANO, "team", "j", "u2", "j", "u1", 1},
        {VOLCANO, "team", "j", "", "j", "u1", 9}, /* written by hand */
        {VOLCANO, "team", "j", "u1", "j", "", 9},
        {VOLCANO, "mine", "j", "u1", "j", "u1", 1},
        {VOLCANO, "team", "k", "u1", "j", "u1", 1},
        {"Job", "batch", "team", "j", "u1", "j", "u1", 1},
        {"PyTorchJob", "batch.volcano.sh", "team", "j", "u1", "j", "u1", 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = nodes();
        struct fb_pod *pod = make_pod(builder, "x", "a", 8);
        struct fb_job *job = make_job(builder, cases[i].name);
        struct fb_cluster cluster;

        give_owner(builder, pod, VOLCANO, cases[i].owner_uid);
        pod->owners[0].name = cases[i].owner_name;
        job->kind = cases[i].kind;
        job->group = cases[i].group;
        job->space = cases[i].space;
        job->uid = cases[i].uid;
        give_task(builder, job, "worker", 9, 8);
        cluster = build_cluster(builder);
        assert_int_equal(cluster.gangs[0].size, cases[i].want);
        assert_ptr_equal(cluster.gangs[0].job, cases[i].want == 9 ? job : NULL);
        builder_free(builder);
    }
}

/* Without jobs at all, of a LeaderWorkerSet by name, and of a batch Job what it says of indexes. */
static void test_gang_build__reads_specs_of_all_kinds(void **state)
{
    struct builder *builder = nodes();
    struct fb_objects objects;
    struct fb_cluster cluster;
    struct fb_job *lws = make_job(builder, "lws");
    struct fb_job *batch = make_job(builder, "b");
    char text[CASE_TEXT];

    (void)state;
    lws->kind = "LeaderWorkerSet";
    lws->group = "leaderworkerset.x-k8s.io";
    give_task(builder, lws, "worker", 4, 8);
    batch->group = "batch";
    give_task(builder, batch, "main", 2, 8);
    add_pod_case(builder, &(struct pod_case){POD("w"), .label = LWS_KEY, .value = "k1",
                                             .other_label = LWS_NAME, .other_value = "lws"});
    add_pod_case(builder,
                 &(struct pod_case){POD("x"), OWNER("Job", "batch", "b"), LABEL(INDEX, "0")});
    cluster = build_cluster(builder);
    assert_string_equal(gangs_text(&cluster, text), "team/b b 2: x team/lws k1 4: w+");
    batch->indexed = true;
    cluster = build_cluster(builder);
    assert_string_equal(gangs_text(&cluster, text), "team/b b 2: x+ team/lws k1 4: w+");

    objects = builder_objects(builder);
    objects.jobs = NULL;
    assert_int_equal(fb_cluster_build(builder->arena, &objects, &builder->policies,
                                      &builder->settings, &cluster),
                     FB_OK);
    assert_string_equal(gangs_text(&cluster, text), "team/b b 1: x team/lws k1 1: w");
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gang_build__keys_gangs_by_what_owns_them),
        cmocka_unit_test(test_gang_build__matches_owners_and_annotations),
        cmocka_unit_test(test_gang_build__counts_gpu_pods),
        cmocka_unit_test(test_gang_build__counts_those_that_go_where_all_go),
        cmocka_unit_test(test_gang_build__finds_the_owner_by_name_and_uid),
        cmocka_unit_test(test_gang_build__reads_specs_of_all_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
