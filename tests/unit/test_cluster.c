/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/cluster.h"

#include "node_case.h"
#include "unit.h"

#include <string.h>

#define NETWORKED .annotation = "fabricbind.io/networking", .text = "true"

static struct builder *one_node(const struct node_case *node)
{
    struct builder *builder = builder_new();
    struct fb_policy *p = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);
    struct fb_policy *e = make_policy(builder, "e", "net/*", FB_NIC_EACH);

    give_nic_rule(builder, p, "seat", FB_NIC_SLOT);
    give_text(builder, &e->nics[0].exclude, "*.IP");
    make_shape(builder, p, "P.8", 8, 16);
    make_shape(builder, p, "P.none", 8, 0);
    make_shape(builder, e, "E.8", 8, 2);
    add_case(builder, "a", node);
    return builder;
}

#define P8 .id = "p://n", .instance = "P.8", .labels = ZONE_LABEL "=z"
#define E8 .id = "e://n", .instance = "E.8", .labels = ZONE_LABEL "=z"
#define FULL .amounts = GPU "=8 nic=16"

/* What is free besides CPUs, memory and room for pods. */
static const char *free_text(const struct fb_site *site, char text[CASE_TEXT])
{
    text[0] = '\0';
    for (size_t i = 0; i < site->free.len; i++) {
        const struct fb_resource *entry = &site->free.at[i];

        if (strcmp(entry->name, "cpu") != 0 && strcmp(entry->name, "memory") != 0 &&
            strcmp(entry->name, "pods") != 0)
            add_piece(text, "%s=%lld", entry->name, (long long)entry->amount);
    }
    return text;
}

struct free_row {
    const char *want;
    const char *phase; /* of the first pod; NULL: Running */
    int64_t nics;      /* that it requests */
    struct pod_case pods[3];
    struct node_case node;
};

static void check_rows(const struct free_row *rows, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        struct builder *builder = one_node(&rows[i].node);
        struct fb_cluster cluster;
        char text[CASE_TEXT];

        for (size_t p = 0; p < COUNT(rows[i].pods) && rows[i].pods[p].name != NULL; p++)
            (void)add_pod_case(builder, &rows[i].pods[p]);
        if (builder->pods_len > 0 && rows[i].phase != NULL)
            builder->pods[0].phase = rows[i].phase;
        if (builder->pods_len > 0 && rows[i].nics > 0)
            give_request(builder, &builder->pods[0], 0, "nic", rows[i].nics);
        cluster = build_cluster(builder);
        assert_string_equal(free_text(&cluster.sites[0], text), rows[i].want);
        builder_free(builder);
    }
}

static void test_cluster_build__takes_what_living_pods_use(void **state)
{
    static const struct free_row rows[] = {
        {GPU "=8 nic=16", NULL, 0, {{.name = NULL}}, {P8, FULL}},
        {GPU "=6 nic=16", NULL, 0, {{.name = "x", .gpus = 2}}, {P8, FULL}},
        {GPU "=6 nic=13", NULL, 3, {{.name = "x", .gpus = 2}}, {P8, FULL}},
        /* Networked and not asking for NICs itself: it uses them all the same. */
        {GPU "=6 nic=12", NULL, 0, {{.name = "x", .gpus = 2, NETWORKED}}, {P8, FULL}},
        {GPU "=6 nic=15", NULL, 1, {{.name = "x", .gpus = 2, NETWORKED}}, {P8, FULL}},
        {GPU "=4 nic=8",
         NULL,
         0,
         {{.name = "x", .gpus = 2, OWNER(VOLCANO, "j")},
          {.name = "y", .gpus = 2, OWNER(VOLCANO, "j")}},
         {P8, FULL}},
        {GPU "=4 nic=16",
         NULL,
         0,
         {{.name = "x", .gpus = 2, OWNER(VOLCANO, "j")},
          {.name = "y", .gpus = 2, OWNER(VOLCANO, "k")}},
         {P8, FULL}},
        {GPU "=6 nic=14", "Pending", 2, {{.name = "x", .gpus = 2}}, {P8, FULL}},
        {GPU "=6 nic=14", "Unknown", 2, {{.name = "x", .gpus = 2}}, {P8, FULL}},
        {GPU "=8 nic=16", "Succeeded", 2, {{.name = "x", .gpus = 2}}, {P8, FULL}},
        {GPU "=8 nic=16", "Failed", 2, {{.name = "x", .gpus = 2}}, {P8, FULL}},
        {GPU "=6 nic=14", NULL, 2, {{.name = "x", .gpus = 2, .terminating = true}}, {P8, FULL}},
        {GPU "=6 nic=12",
         NULL,
         0,
         {{.name = "x", .gpus = 2, NETWORKED, .terminating = true}},
         {P8, FULL}},
        {GPU "=0 nic=0", NULL, 99, {{.name = "x", .gpus = 99}}, {P8, FULL}}, /* never below 0 */
        {GPU "=0 nic=0",
         NULL,
         INT64_MAX,
         {{.name = "x", .gpus = INT64_MAX}, {.name = "y", .gpus = INT64_MAX, NETWORKED}},
         {P8, FULL}},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_cluster_build__counts_nics_as_the_kind_of_node_has_them(void **state)
{
    static const struct free_row rows[] = {
        {GPU "=8 nic=16", NULL, 0, {{.name = NULL}}, {P8, .amounts = GPU "=8 nic=18"}},
        {GPU "=8 nic=2", NULL, 14, {{.name = "x"}}, {P8, .amounts = GPU "=8 nic=18"}},
        {GPU "=8 nic=0",
         NULL,
         0,
         {{.name = NULL}},
         {.id = "p://n", .instance = "P.none", .amounts = GPU "=8 nic=9"}},
        {GPU "=6 seat=62",
         NULL,
         0,
         {{.name = "x", .gpus = 2, NETWORKED}},
         {P8, .amounts = GPU "=8 seat=63"}},
        {GPU "=8 seat=63 nic=0",
         NULL,
         0,
         {{.name = NULL}},
         {P8, .amounts = GPU "=8 seat=63 nic=0"}},
        {GPU "=8 nic=18",
         NULL,
         0,
         {{.name = NULL}},
         {.id = "p://n", .instance = "P.x", .amounts = GPU "=8 nic=18"}},
        {GPU "=0 net/a=0 net/a.IP=1 net/b=0",
         NULL,
         0,
         {{POD("x"), NETWORKED}},
         {E8, .amounts = GPU "=8 net/a=1 net/a.IP=1 net/b=1"}},
        {GPU "=0 net/a=1 net/a.IP=1 net/b=1",
         NULL,
         0,
         {{POD("x")}},
         {E8, .amounts = GPU "=8 net/a=1 net/a.IP=1 net/b=1"}},
        {GPU "=8 net/a=7", NULL, 0, {{.name = NULL}}, {E8, .amounts = GPU "=8 net/a=7"}},
        {"nic=12", NULL, 0, {{.name = "x", .gpus = 2, NETWORKED}}, {P8, .amounts = "nic=16"}},
        {"nic=16",
         NULL,
         0,
         {{.name = "x", .gpus = 2, NETWORKED}},
         {.id = "p://n", .instance = "cpu", .amounts = "nic=16"}},
        {"disk=5", NULL, 0, {{.name = "x", .gpus = 2, NETWORKED}}, {.amounts = "disk=5"}},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_cluster_build__counts_pods_and_cpus_too(void **state)
{
    struct builder *builder = one_node(&(struct node_case){P8, FULL});
    struct fb_cluster cluster;

    (void)state;
    give_request(builder, make_pod(builder, "x", "a", 0), 0, "cpu", 2000);
    make_pod(builder, "y", "a", 1);
    make_pod(builder, "waiting", NULL, 8);     /* has no node yet */
    make_pod(builder, "elsewhere", "gone", 8); /* on one that nobody knows */
    cluster = build_cluster(builder);
    assert_int_equal(fb_resources_get(&cluster.sites[0].free, "pods"), 108);
    assert_int_equal(fb_resources_get(&cluster.sites[0].free, "cpu"), 190000);
    assert_int_equal(fb_resources_get(&cluster.sites[0].free, GPU), 7);
    assert_int_equal(fb_resources_get(&cluster.sites[0].allocatable, GPU), 8);
    assert_int_equal(cluster.residents_len, 4);
    assert_int_equal(cluster.residents[0].site, FB_NONE);
    assert_int_equal(cluster.residents[2].site, 0);
    builder_free(builder);
}

static void test_cluster_find__knows_nodes_by_name(void **state)
{
    struct builder *builder = builder_new();
    struct fb_cluster cluster = build_cluster(builder);

    (void)state;
    assert_int_equal(fb_cluster_find(&cluster, "a"), FB_NONE);
    make_node(builder, "c", "", 0, NULL, 0);
    make_node(builder, "a", "", 0, NULL, 0);
    make_node(builder, "b", "", 0, NULL, 0);
    cluster = build_cluster(builder);
    assert_int_equal(fb_cluster_find(&cluster, "a"), 0);
    assert_int_equal(fb_cluster_find(&cluster, "b"), 1);
    assert_int_equal(fb_cluster_find(&cluster, "c"), 2);
    assert_int_equal(fb_cluster_find(&cluster, "aa"), FB_NONE);
    builder_free(builder);
}

static void test_cluster_build__believes_the_later_of_two_nodes(void **state)
{
    struct builder *builder = builder_new();
    struct fb_cluster cluster;

    (void)state;
    make_node(builder, "a", "", 1, NULL, 0);
    make_node(builder, "b", "", 2, NULL, 0);
    make_node(builder, "a", "", 3, NULL, 0);
    cluster = build_cluster(builder);
    assert_int_equal(cluster.sites_len, 2);
    assert_int_equal(fb_resources_get(&cluster.sites[0].free, GPU), 3);
    builder_free(builder);
}

static void test_cluster_build__of_nothing_is_empty(void **state)
{
    struct builder *builder = builder_new();
    struct fb_cluster cluster = build_cluster(builder);

    (void)state;
    assert_int_equal(cluster.sites_len + cluster.fabrics_len + cluster.residents_len, 0);
    assert_int_equal(cluster.gangs_len, 0);
    assert_ptr_equal(cluster.settings, &builder->settings);
    assert_ptr_equal(cluster.policies, &builder->policies);
    builder_free(builder);
}

/* The same nodes with other pods are what a cluster built from both is. */
static void test_cluster_with_pods__is_as_if_built_anew(void **state)
{
    struct builder *builder = builder_new();
    struct fb_policy *policy = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);
    static const char *const names[] = {"c", "a", "b"};
    struct fb_objects objects;
    struct fb_cluster base;
    struct fb_cluster anew;
    struct fb_cluster again;

    (void)state;
    make_shape(builder, policy, "P.8", 8, 4);
    for (size_t i = 0; i < COUNT(names); i++)
        make_node(builder, names[i], "P.8", 8, "nic", i == 0 ? 6 : 4);
    make_pod(builder, "before", "a", 8);
    base = build_cluster(builder);
    builder->pods_len = 0;
    for (size_t i = 0; i < 2; i++) {
        struct fb_pod *pod = make_pod(builder, i == 0 ? "j-0" : "j-1", names[i], 4);

        give_owner(builder, pod, VOLCANO, "j");
    }
    anew = build_cluster(builder);
    objects = builder_objects(builder);
    objects.nodes = NULL;
    objects.nodes_len = 0;
    assert_int_equal(fb_cluster_with_pods(builder->arena, &base, &objects, &again), FB_OK);
    assert_int_equal(again.sites_len, 3);
    assert_int_equal(again.gangs_len, 1);
    assert_int_equal(again.gangs[0].fabric, anew.gangs[0].fabric);
    for (size_t i = 0; i < 3; i++) {
        char text[CASE_TEXT];
        char want[CASE_TEXT];

        assert_string_equal(again.sites[i].node->name, anew.sites[i].node->name);
        assert_string_equal(amounts_text(&again.sites[i].free, text),
                            amounts_text(&anew.sites[i].free, want));
        assert_string_equal(amounts_text(&again.sites[i].hidden, text),
                            amounts_text(&anew.sites[i].hidden, want));
    }
    assert_int_equal(fb_resources_get(&base.sites[0].free, GPU), 0);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cluster_build__takes_what_living_pods_use),
        cmocka_unit_test(test_cluster_build__counts_nics_as_the_kind_of_node_has_them),
        cmocka_unit_test(test_cluster_build__counts_pods_and_cpus_too),
        cmocka_unit_test(test_cluster_find__knows_nodes_by_name),
        cmocka_unit_test(test_cluster_build__believes_the_later_of_two_nodes),
        cmocka_unit_test(test_cluster_build__of_nothing_is_empty),
        cmocka_unit_test(test_cluster_with_pods__is_as_if_built_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
