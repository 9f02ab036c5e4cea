/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/plan.h"

#include "alloc_fault.h"
#include "plan_case.h"
#include "unit.h"

#include <string.h>

#define TRUE_MARK "fabricbind.io/networking"

static const char *plan_of(struct builder *builder, char text[CASE_TEXT])
{
    struct fb_cluster cluster = build_cluster(builder);
    struct fb_plan plan;

    assert_int_equal(fb_plan_make(&cluster, plan_case_job(builder), 0, &plan, NULL), FB_OK);
    return plan_text(&cluster, &plan, text);
}

static void test_plan_make__warns_of_annotated_pods_without_whole_gpus(void **state)
{
    static const struct {
        const char *resource, *mark;
        const char *want;
    } cases[] = {
        {"nvidia.com/mig-3g.40gb", "true",
         "fits : j-w-0>a ! task w: annotated for multi-node networking but asks for no whole GPUs: "
         "it gets no network"},
        {"nvidia.com/mig-3g.40gb", "false", "fits : j-w-0>a"},
        {GPU, "true", "fits : j-w-0>b"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder =
            plan_case_make(&(struct plan_case){.nodes = "a b", .job = "w=1x0"});
        struct fb_job *job = plan_case_job(builder);
        char text[CASE_TEXT];

        give_amount(builder, &builder->nodes[0], "nvidia.com/mig-3g.40gb", 2);
        give_amount(builder, &builder->nodes[0], GPU, 0);
        give_request(builder, &job->tasks[0].pod, 0, cases[i].resource, 1);
        give_annotation(builder, &job->tasks[0].pod, TRUE_MARK, cases[i].mark);
        assert_string_equal(plan_of(builder, text), cases[i].want);
        builder_free(builder);
    }
}

/* Networks that only whole nodes share. */
static void test_plan_make__warns_of_parts_of_nodes(void **state)
{
    static const struct {
        int64_t gpus;
        const char *mark; /* NULL: unannotated */
        bool own;         /* asks for a network itself */
        bool claims;      /* has NICs by ResourceClaim */
        const char *want;
    } cases[] = {
        {8, NULL, false, true, "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b"},
        {8, NULL, false, false, "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b"},
        {4, NULL, false, false,
         "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>a ! task w: asks for 4 of 8 GPUs of a node whose "
         "network is shared by whole nodes only: it gets no network"},
        {4, NULL, true, false, "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b"},
        {4, "true", false, false, "no 2 left short 2 of " GPU ", z1 takes 0"},
        {4, "false", false, false, "fits : j-w-0>a j-w-1>a"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder =
            plan_case_make(&(struct plan_case){.nodes = "a b", .job = "w=2x0"});
        struct fb_pod *pod = &plan_case_job(builder)->tasks[0].pod;
        char text[CASE_TEXT];

        builder->policies.at[0].nics[0].kind = FB_NIC_EACH;
        builder->policies.at[0].nics[0].pattern = "net/*";
        for (size_t n = 0; n < 2; n++) {
            give_amount(builder, &builder->nodes[n], "net/1", 1);
            give_amount(builder, &builder->nodes[n], "net/2", 1);
        }
        give_request(builder, pod, 0, GPU, cases[i].gpus);
        give_text(builder, &builder->policies.at[0].nic_device_classes, "nic.class");
        if (cases[i].claims)
            give_text(builder, &pod->device_classes, "nic.class");
        if (cases[i].own)
            give_request(builder, pod, 0, "net/1", 1);
        if (cases[i].mark != NULL)
            give_annotation(builder, pod, TRUE_MARK, cases[i].mark);
        assert_string_equal(plan_of(builder, text), cases[i].want);
        builder_free(builder);
    }
}

/* Nodes whose NICs come by ResourceClaim only have no network by name, and need none. */
static void test_plan_make__has_no_warning_where_claims_bring_nics(void **state)
{
    struct builder *builder = plan_case_make(&(struct plan_case){.nodes = "a b", .job = "w=2x8"});
    struct fb_pod *pod = &plan_case_job(builder)->tasks[0].pod;
    char text[CASE_TEXT];

    (void)state;
    builder->policies.at[0].shapes[0].dra = true;
    builder->policies.at[0].nics[0] = (struct fb_nic_rule){.pattern = "net/*", .kind = FB_NIC_EACH};
    give_text(builder, &builder->settings.networks, "1");
    give_text(builder, &pod->claims, "nics");
    assert_string_equal(plan_of(builder, text), "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b");
    builder_free(builder);
}

/* What makes pods of a job a gang: its kind, indexes, annotations, size. */
static void test_plan_make__sees_gangs_where_they_are(void **state)
{
    static const struct {
        const char *kind, *group;
        bool indexed;
        const char *mark;
        const char *want;
    } cases[] = {
        {VOLCANO, false, NULL, "fits gang 2 in 1 on z2 : j-w-0>b j-w-1>c"},
        {VOLCANO, false, "false", "fits : j-w-0>a j-w-1>b"},
        {"Job", "batch", false, NULL, "fits : j-w-0>a j-w-1>b"},
        {"Job", "batch", true, NULL, "fits gang 2 in 1 on z2 : j-w-0>b j-w-1>c"},
        {"Job", "batch", false, "true", "fits gang 2 in 1 on z2 : j-w-0>b j-w-1>c"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder =
            plan_case_make(&(struct plan_case){.nodes = "a b:-/-:z2 c:-/-:z2", .job = "w=2x8"});
        struct fb_job *job = plan_case_job(builder);
        char text[CASE_TEXT];

        job->kind = cases[i].kind;
        job->group = cases[i].group;
        job->indexed = cases[i].indexed;
        if (cases[i].mark != NULL)
            give_annotation(builder, &job->tasks[0].pod, TRUE_MARK, cases[i].mark);
        assert_string_equal(plan_of(builder, text), cases[i].want);
        builder_free(builder);
    }
}

/* Two providers with GPUs, NICs and other resources of different names, in two tasks. */
static struct builder *two_providers(void)
{
    struct builder *builder = plan_case_make(&(struct plan_case){
        .nodes = "a:s0/l0 b:s0/l0 c:s0/l1 d:s0/l1", .pods = "4>b", .job = "m=1x4 w=4x8 l=2x0"});
    struct fb_policy *q = make_policy(builder, "q", "seat", FB_NIC_SLOT);
    static const char *const names[] = {"q1", "q2", "q3"};

    for (size_t i = 0; i < COUNT(names); i++)
        add_case(builder, names[i],
                 &(struct node_case){.id = "q://n",
                                     .instance = "Q.8",
                                     .labels = ZONE_LABEL "=z1",
                                     .amounts = GPU "=8 seat=63"});
    make_node(builder, "x", "cpu", -1, NULL, 0);
    add_case(builder, "nobody", &(struct node_case){.id = "r://n", .amounts = GPU "=8"});
    for (size_t t = 0; t < 2; t++) {
        give_request(builder, &plan_case_job(builder)->tasks[t].pod, 0, "cpu", 1000);
        give_request(builder, &plan_case_job(builder)->tasks[t].pod, 0, "memory", 1 << 20);
    }
    assert_string_equal(q->provider, "q");
    give_annotation(builder, &plan_case_job(builder)->tasks[2].pod, TRUE_MARK, "true");
    return builder;
}

static void test_plan_make__never_depends_on_the_order_of_objects(void **state)
{
    struct builder *builder = two_providers();
    char first[CASE_TEXT];

    (void)state;
    (void)plan_of(builder, first);
    assert_non_null(strstr(first, "short 1 of " GPU));
    for (size_t i = 0; i < 50; i++) {
        size_t from = i * 7 % builder->nodes_len;
        size_t to = i * 5 % builder->nodes_len;
        struct fb_node node = builder->nodes[from];
        char text[CASE_TEXT];

        builder->nodes[from] = builder->nodes[to];
        builder->nodes[to] = node;
        assert_string_equal(plan_of(builder, text), first);
    }
    plan_case_job(builder)->tasks[1].pods = 3;
    (void)plan_of(builder, first);
    assert_null(strstr(first, "short"));
    for (size_t i = 0; i < 50; i++) {
        size_t from = i * 3 % builder->nodes_len;
        struct fb_node node = builder->nodes[from];
        char text[CASE_TEXT];

        builder->nodes[from] = builder->nodes[0];
        builder->nodes[0] = node;
        assert_string_equal(plan_of(builder, text), first);
    }
    builder_free(builder);
}

static void test_plan_make__refuses_counts_beyond_reason_without_harm(void **state)
{
    struct builder *builder =
        plan_case_make(&(struct plan_case){.nodes = "a b", .job = "w=2x8 v=1x8 l=1x0"});
    struct fb_job *job = plan_case_job(builder);
    struct fb_cluster cluster;
    struct fb_plan plan;

    (void)state;
    job->tasks[0].pods = INT64_MAX;
    job->tasks[1].pods = INT64_MAX;
    job->tasks[2].pods = INT64_MAX;
    cluster = build_cluster(builder);
    assert_int_equal(fb_plan_make(&cluster, job, 0, &plan, NULL), FB_OK);
    assert_false(plan.fits);
    assert_int_equal(plan.pods, INT64_MAX);
    assert_int_equal(plan.placements_len, 0);
    builder_free(builder);
}

/* Plan with room for @spare texts of 16 bytes only; a lack of room is FB_ENOMEM. */
static enum fb_status plan_within(struct builder *builder, size_t spare)
{
    enum { STEP = 16, BYTES = 256 * 1024 };
    struct fb_objects objects = builder_objects(builder);
    struct fb_arena *arena = fb_arena_new(BYTES);
    struct fb_cluster cluster;
    struct fb_plan plan = {.pods = 77};
    struct fb_error err = {0};
    enum fb_status st;

    /* The first chunk is filled up, so that the cluster's own is not in the way. */
    assert_int_equal(
        fb_cluster_build(arena, &objects, &builder->policies, &builder->settings, &cluster), FB_OK);
    while (fb_arena_bytes(arena) < BYTES)
        (void)fb_arena_alloc(arena, STEP);
    for (size_t used = spare + 1; used < BYTES / 4 / STEP; used++)
        (void)fb_arena_alloc(arena, STEP);
    st = fb_plan_make(&cluster, plan_case_job(builder), 0, &plan, &err);
    if (st != FB_OK) {
        assert_int_equal(st, FB_ENOMEM);
        assert_string_equal(err.text, "out of memory");
        assert_int_equal(plan.pods, 77); /* untouched on failure */
    }
    fb_arena_free(arena);
    return st;
}

static void torture(struct builder *builder)
{
    size_t failed = 0;

    while (plan_within(builder, failed) != FB_OK)
        failed++;
    assert_true(failed > 10);
}

/* More networks than lists have room for at first. */
static struct builder *many_networks(void)
{
    static const char *const names[] = {"net/1", "net/2", "net/3", "net/4", "net/5", "net/6"};
    struct builder *builder = plan_case_make(&(struct plan_case){.nodes = "a b", .job = "w=2x8"});

    builder->policies.at[0].nics[0] = (struct fb_nic_rule){.pattern = "net/*", .kind = FB_NIC_EACH};
    for (size_t i = 0; i < 2 * COUNT(names); i++)
        give_amount(builder, &builder->nodes[i / COUNT(names)], names[i % COUNT(names)], 1);
    return builder;
}

static void test_plan_make__survives_a_full_arena(void **state)
{
    static const struct plan_case cases[] = {
        {.nodes = "a:s0/l0 b:s0/l0 c:s0/l1 d:s0/l1", .members = "w-0>a", .job = "w=4x8 l=2x0"},
        {.nodes = "a:s0/l0 b:s0/l0", .job = "w=3x8"},
        {.nodes = "a", .job = "w=1x4 x=1x9"},
        {.nodes = "a b:-/-:z2", .members = "w-0>a w-1>b", .job = "w=2x8"},
    };
    struct builder *builder = two_providers();

    (void)state;
    torture(builder);
    builder_free(builder);
    builder = many_networks();
    torture(builder);
    builder_free(builder);
    for (size_t i = 0; i < COUNT(cases); i++) {
        builder = plan_case_make(&cases[i]);
        if (i == 2)
            plan_case_job(builder)->kind = "Deployment";
        torture(builder);
        builder_free(builder);
    }
}

static void test_plan_make__survives_every_failed_allocation(void **state)
{
    struct builder *builder = two_providers();
    struct fb_objects objects = builder_objects(builder);
    bool planned = false;

    (void)state;
    for (int after = 0; !planned && after < 1000; after++) {
        struct fb_arena *arena = fb_arena_new(0);
        struct fb_cluster cluster;
        struct fb_plan plan;
        enum fb_status st;

        assert_int_equal(
            fb_cluster_build(arena, &objects, &builder->policies, &builder->settings, &cluster),
            FB_OK);
        alloc_fault_arm(after);
        st = fb_plan_make(&cluster, plan_case_job(builder), 0, &plan, NULL);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        planned = st == FB_OK;
        assert_true(!planned || after > 0);
        fb_arena_free(arena);
    }
    assert_true(planned);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_make__warns_of_annotated_pods_without_whole_gpus),
        cmocka_unit_test(test_plan_make__warns_of_parts_of_nodes),
        cmocka_unit_test(test_plan_make__has_no_warning_where_claims_bring_nics),
        cmocka_unit_test(test_plan_make__sees_gangs_where_they_are),
        cmocka_unit_test(test_plan_make__never_depends_on_the_order_of_objects),
        cmocka_unit_test(test_plan_make__refuses_counts_beyond_reason_without_harm),
        cmocka_unit_test(test_plan_make__survives_a_full_arena),
        cmocka_unit_test(test_plan_make__survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
