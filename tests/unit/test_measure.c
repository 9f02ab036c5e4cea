/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include "fabricbind/own.h"

#include "make_cluster.h"
#include "metrics_text.h"
#include "unit.h"

#define NIC "example.com/nic"

/* Two healthy nodes, one whose NICs are gone, one with half of them, and one without GPUs. */
static struct builder *five_nodes(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *policy = make_policy(builder, "cloud", NIC, FB_NIC_EXCLUSIVE);

    (void)make_shape(builder, policy, "full-8", 8, 8);
    (void)make_shape(builder, policy, "half-4", 8, 4);
    (void)make_node(builder, "a", "full-8", 8, NIC, 8);
    (void)make_node(builder, "b", "full-8", 8, NIC, 8);
    (void)make_node(builder, "c", "full-8", 8, NIC, 0);
    (void)make_node(builder, "d", "half-4", 8, NIC, 3);
    (void)make_node(builder, "e", "small", 0, NULL, 0);
    return builder;
}

/* A pod with 8 GPUs and @nics of the gang @owner. */
static void add_member(struct builder *builder, const char *name, const char *node,
                       const char *owner, int64_t nics)
{
    struct fb_pod *pod = make_pod(builder, name, node, 8);

    give_owner(builder, pod, "Job", "batch.volcano.sh", owner);
    if (nics > 0)
        give_request(builder, pod, 0, NIC, nics);
}

static void measure(struct fb_metrics *metrics, struct builder *builder)
{
    struct fb_cluster cluster = build_cluster(builder);

    fb_measure_cluster(metrics, &cluster);
    builder_free(builder);
}

static void test_measure__counts_nics_that_are_there_and_free(void **state)
{
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();
    struct builder *builder = five_nodes();

    (void)state;
    add_member(builder, "train-0", "a", "train", 6);
    measure(metrics, builder);
    expect_metric(metrics, "fabricbind_nics{provider=\"cloud\",resource=\"" NIC
                           "\",state=\"allocatable\"} 19");
    expect_metric(metrics,
                  "fabricbind_nics{provider=\"cloud\",resource=\"" NIC "\",state=\"free\"} 13");
}

static void test_measure__counts_nodes_that_lost_nics(void **state)
{
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();

    (void)state;
    measure(metrics, five_nodes());
    expect_metric(metrics, "fabricbind_degraded_nodes 2");
    expect_metric(metrics, "fabricbind_ratio_mismatch_nodes 0");
}

static void test_measure__counts_nodes_with_another_ratio_than_configured(void **state)
{
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();
    struct builder *builder = five_nodes();

    (void)state;
    builder->settings.ratio_mode = FB_RATIO_CONFIGURED;
    builder->settings.ratio = (struct fb_ratio){1, 1}; /* right for a, b and c */
    measure(metrics, builder);
    expect_metric(metrics, "fabricbind_ratio_mismatch_nodes 1");
}

static void test_measure__tells_gangs_that_run_from_those_that_span(void **state)
{
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();
    struct builder *builder = five_nodes();

    (void)state;
    add_member(builder, "near-0", "a", "near", 8);
    add_member(builder, "near-1", "b", "near", 8);
    add_member(builder, "wide-0", "c", "wide", 0);
    add_member(builder, "wide-1", "d", "wide", 0);
    add_member(builder, "waits-0", NULL, "waits", 8);
    add_member(builder, "waits-1", NULL, "waits", 8);
    measure(metrics, builder);
    expect_metric(metrics, "fabricbind_gangs{state=\"running\"} 1");
    expect_metric(metrics, "fabricbind_gangs{state=\"spanning\"} 1");
}

static void test_measure__forgets_what_was_there_before(void **state)
{
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();

    (void)state;
    measure(metrics, five_nodes());
    measure(metrics, five_nodes()); /* not added up */
    expect_metric(metrics, "fabricbind_nics{provider=\"cloud\",resource=\"" NIC
                           "\",state=\"allocatable\"} 19");
    measure(metrics, builder_new());
    expect_no_metric(metrics, "fabricbind_nics{");
    expect_metric(metrics, "fabricbind_degraded_nodes 0");
    expect_metric(metrics, "fabricbind_gangs{state=\"running\"} 0");
}

static void test_measure_age__is_that_of_a_snapshot(void **state)
{
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();
    struct fb_inventory inventory = {.has_snapshot = true, .read_ms = 1000};

    (void)state;
    fb_measure_age(metrics, &inventory, 3500);
    expect_metric(metrics, "fabricbind_inventory_age_seconds 2.5");
    inventory.has_snapshot = false;
    inventory.live = inventory.synced = true;
    inventory.read_ms = 2000;
    fb_measure_age(metrics, &inventory, 3500);
    expect_metric(metrics, "fabricbind_inventory_age_seconds 1.5");
    inventory.synced = false;
    fb_measure_age(metrics, &inventory, 3500);
    expect_no_metric(metrics, "fabricbind_inventory_age_seconds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measure__counts_nics_that_are_there_and_free),
        cmocka_unit_test(test_measure__counts_nodes_that_lost_nics),
        cmocka_unit_test(test_measure__counts_nodes_with_another_ratio_than_configured),
        cmocka_unit_test(test_measure__tells_gangs_that_run_from_those_that_span),
        cmocka_unit_test(test_measure__forgets_what_was_there_before),
        cmocka_unit_test(test_measure_age__is_that_of_a_snapshot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
