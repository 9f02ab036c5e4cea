/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/forecast.h"

#include "alloc_fault.h"
#include "make_cluster.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

#define NIC "acme.net/nic"

/* Two nodes of 4 NICs for 8 GPUs in one zone, a third in another; a pod runs on the first. */
static struct builder *build(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *policy = make_policy(builder, "acme", NIC, FB_NIC_EXCLUSIVE);
    static const char *const names[] = {"n1", "n2", "n3"};

    (void)make_shape(builder, policy, "box.8", 8, 4);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct fb_node *node = make_node(builder, names[i], "box.8", 8, NIC, 4);

        if (i == 2)
            give_label(builder, node, ZONE_LABEL, "z2");
    }
    (void)make_pod(builder, "busy", "n1", 8);
    return builder;
}

static struct fb_forecast_input input(const struct fb_cluster *cluster, const struct fb_job *job)
{
    static const struct fb_podspec specs[BUILDER_PARTS];

    return (struct fb_forecast_input){.cluster = cluster, .job = job, .specs = specs};
}

static void expect(struct builder *builder, const struct fb_job *job, const char *want)
{
    struct fb_cluster cluster = build_cluster(builder);
    struct fb_forecast_input in = input(&cluster, job);
    struct fb_texts lines = {0};
    char text[1024] = "";

    assert_int_equal(fb_forecast_make(&in, &lines, NULL), FB_OK);
    for (size_t i = 0; i < lines.len; i++) {
        size_t len = strlen(text);

        (void)snprintf(text + len, sizeof text - len, "%s\n", lines.at[i]);
    }
    assert_string_equal(text, want);
}

/* What runs there now does not count: it ends some day. */
static void test_forecast__counts_nodes_busy_or_not(void **state)
{
    static const struct {
        int64_t pods, gpus;
        const char *want;
    } cases[] = {
        {1, 8, ""},
        {2, 8, ""},
        {3, 8, "3 pods x 4 " NIC ": 3 such nodes exist, at most 2 of 3 pods fit on one fabric\n"},
        {4, 4, ""},
        {5, 4, "5 pods x 2 " NIC ": 3 such nodes exist, at most 4 of 5 pods fit on one fabric\n"},
        {2, 16, "2 pods x 8 " NIC ": 0 such nodes exist, at most 0 of 2 pods fit on one fabric\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = build();
        struct fb_job *job = make_job(builder, "j");

        (void)give_task(builder, job, "w", cases[i].pods, cases[i].gpus);
        expect(builder, job, cases[i].want);
        builder_free(builder);
    }
}

static void test_forecast__tells_unlike_tasks_apart(void **state)
{
    struct builder *builder = build();
    struct fb_job *job = make_job(builder, "j");

    (void)state;
    (void)give_task(builder, job, "a", 2, 8);
    (void)give_task(builder, job, "b", 1, 8);
    (void)give_task(builder, job, "c", 1, 4);
    (void)give_task(builder, job, "driver", 50, 0);
    expect(builder, job,
           "3 pods x 4 " NIC ": 3 such nodes exist, at most 2 of 4 pods fit on one fabric\n"
           "1 pod x 2 " NIC ": 3 such nodes exist, at most 2 of 4 pods fit on one fabric\n");
    builder_free(builder);
}

/* The least that the job starts with has to fit; pods without GPUs are part of it. */
static void test_forecast__asks_for_what_must_be_there(void **state)
{
    struct builder *builder = build();
    struct fb_job *job = make_job(builder, "j");

    (void)state;
    (void)give_task(builder, job, "driver", 1, 0);
    (void)give_task(builder, job, "w", 3, 8);
    job->min = 4;
    expect(builder, job,
           "3 pods x 4 " NIC ": 3 such nodes exist, at most 2 of 3 pods fit on one fabric\n");
    job->min = 3;
    expect(builder, job, "");
    builder_free(builder);
}

static void test_forecast__survives_want_of_memory(void **state)
{
    struct builder *builder = build();
    struct fb_job *job = make_job(builder, "j");
    struct fb_cluster cluster = build_cluster(builder);
    struct fb_forecast_input in = input(&cluster, job);
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    (void)give_task(builder, job, "w", 3, 8);
    for (; st == FB_ENOMEM && after < 500; after++) {
        struct fb_texts lines = {0};

        cluster.arena = fb_arena_new(0);
        assert_non_null(cluster.arena);
        alloc_fault_arm(after);
        st = fb_forecast_make(&in, &lines, NULL);
        alloc_fault_disarm();
        assert_int_equal(lines.len, st == FB_OK ? 1 : 0);
        fb_arena_free(cluster.arena);
    }
    assert_int_equal(st, FB_OK);
    assert_true(after > 1);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forecast__counts_nodes_busy_or_not),
        cmocka_unit_test(test_forecast__tells_unlike_tasks_apart),
        cmocka_unit_test(test_forecast__asks_for_what_must_be_there),
        cmocka_unit_test(test_forecast__survives_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
