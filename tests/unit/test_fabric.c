/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric_build.h"

#include "node_case.h"
#include "unit.h"

#include <string.h>

#define Z1 ZONE_LABEL "=z1"
#define Z2 ZONE_LABEL "=z2"
#define P8 .id = "p://n", .instance = "P.8", .labels = Z1

static struct builder *providers(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *p = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);
    struct fb_policy *q = make_policy(builder, "q", "nic", FB_NIC_EXCLUSIVE);
    struct fb_policy *e = make_policy(builder, "e", "net/*", FB_NIC_EACH);

    give_nic_rule(builder, p, "other", FB_NIC_EXCLUSIVE);
    give_text(builder, &p->detect.instance_type_prefixes, "ml.");
    give_text(builder, &p->placeholders, "unknown");
    give_tier(builder, p, "spine");
    give_tier(builder, p, "leaf");
    make_shape(builder, p, "P.8", 8, 4);
    make_shape(builder, p, "P.16", 16, 4);
    make_shape(builder, q, "P.8", 8, 4);
    make_shape(builder, e, "E.8", 8, 3);
    return builder;
}

struct fabric_row {
    const char *want;
    const char *boundary; /* configured */
    struct node_case nodes[6];
};

static void check_rows(const struct fabric_row *rows, size_t len)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};

    for (size_t i = 0; i < len; i++) {
        struct builder *builder = providers();
        struct fb_cluster cluster;
        char text[CASE_TEXT];

        if (rows[i].boundary != NULL)
            builder->settings.boundary = rows[i].boundary;
        for (size_t n = 0; n < COUNT(names) && rows[i].nodes[n].id != NULL; n++)
            add_case(builder, names[n], &rows[i].nodes[n]);
        cluster = build_cluster(builder);
        assert_string_equal(fabrics_text(&cluster, text), rows[i].want);
        builder_free(builder);
    }
}

static void test_fabric_build__joins_nodes_that_reach_each_other(void **state)
{
    static const struct fabric_row rows[] = {
        {"p P.8 nic z1: a b",
         NULL,
         {{P8, .amounts = GPU "=8 nic=4"}, {P8, .amounts = GPU "=8 nic=4"}}},
        {"p P.8 nic z1: a b", /* another spelling of the instance type */
         NULL,
         {{P8, .amounts = GPU "=8 nic=4"},
          {.id = "p://n", .instance = "ml.P.8", .labels = Z1, .amounts = GPU "=8 nic=4"}}},
        {"p P.8 nic z1: a q P.8 nic z1: b", /* provider */
         NULL,
         {{P8, .amounts = GPU "=8 nic=4"},
          {.id = "q://n", .instance = "P.8", .labels = Z1, .amounts = GPU "=8 nic=4"}}},
        {"p P.16 nic z1: b p P.8 nic z1: a", /* shape */
         NULL,
         {{P8, .amounts = GPU "=8 nic=4"},
          {.id = "p://n", .instance = "P.16", .labels = Z1, .amounts = GPU "=16 nic=4"}}},
        {"p P.8 nic z1: a p P.8 other z1: b", /* NIC resource */
         NULL,
         {{P8, .amounts = GPU "=8 nic=4"}, {P8, .amounts = GPU "=8 other=4"}}},
        {"p P.8 nic z1: a p P.8 nic z2: b", /* boundary */
         NULL,
         {{P8, .amounts = GPU "=8 nic=4"},
          {.id = "p://n", .instance = "P.8", .labels = Z2, .amounts = GPU "=8 nic=4"}}},
        {"p P.8 nic z1: a b", /* sick, cordoned, silent: where a node is does not change */
         NULL,
         {{P8, .amounts = GPU "=8 nic=4", .cordoned = true},
          {P8, .amounts = GPU "=7/8 nic=2", .silent = true}}},
        {"p P.8 nic z1: a b", /* a node of which the GPUs are cut */
         NULL,
         {{P8, .amounts = GPU "=8 nic=4"}, {P8, .amounts = GPU "=32 nic=4"}}},
        {"p P.8 nic z1: a -: b c", /* nodes without GPUs take no part */
         NULL,
         {{P8, .amounts = GPU "=8 nic=4"},
          {.id = "p://n", .instance = "cpu.1", .labels = Z1, .amounts = "nic=4"},
          {.id = "r://n", .amounts = "cpu=1"}}},
        {"p k3s nic z1: a", /* one GPU is a GPU node too */
         NULL,
         {{.id = "p://n", .instance = "k3s", .labels = Z1, .amounts = GPU "=1 nic=1"}}},
        {"p P.8 z1: a q P.8 z1: b", /* nobody has NICs */
         NULL,
         {{P8, .amounts = GPU "=8"},
          {.id = "q://n", .instance = "P.8", .labels = Z1, .amounts = GPU "=8"}}},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_fabric_build__tells_unknown_shapes_by_type_and_gpus(void **state)
{
    static const struct fabric_row rows[] = {
        {"p k3s nic z1: a b p k3s nic z1: c p other nic z1: d",
         NULL,
         {{.id = "p://n", .instance = "k3s", .labels = Z1, .amounts = GPU "=4 nic=4"},
          {.id = "p://n", .instance = "k3s", .labels = Z1, .amounts = GPU "=3/4 nic=4"},
          {.id = "p://n", .instance = "k3s", .labels = Z1, .amounts = GPU "=8 nic=8"},
          {.id = "p://n", .instance = "other", .labels = Z1, .amounts = GPU "=4 nic=4"}}},
        {"unknown k3s b: b unknown a: a", /* nobody's nodes */
         NULL,
         {{.id = "r://n", .labels = Z1, .amounts = GPU "=4"},
          {.id = "r://n", .instance = "k3s", .labels = Z1, .amounts = GPU "=4"}}},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_fabric_build__ends_where_knowledge_ends(void **state)
{
    static const struct fabric_row rows[] = {
        {"p P.8 nic s1: a b p P.8 nic s2: c", /* no boundary: the coarsest tier */
         NULL,
         {{.id = "p://n",
           .instance = "P.8",
           .labels = "spine=s1 leaf=l1",
           .amounts = GPU "=8 nic=4"},
          {.id = "p://n",
           .instance = "P.8",
           .labels = "spine=s1 leaf=l2",
           .amounts = GPU "=8 nic=4"},
          {.id = "p://n", .instance = "P.8", .labels = "spine=s2", .amounts = GPU "=8 nic=4"}}},
        {"p P.8 nic l1: a p P.8 nic s1: b", /* that of one is finer */
         NULL,
         {{.id = "p://n", .instance = "P.8", .labels = "leaf=l1", .amounts = GPU "=8 nic=4"},
          {.id = "p://n",
           .instance = "P.8",
           .labels = "spine=s1 leaf=l1",
           .amounts = GPU "=8 nic=4"}}},
        {"p P.8 nic a: a p P.8 nic b: b", /* nothing: each alone */
         NULL,
         {{.id = "p://n", .instance = "P.8", .amounts = GPU "=8 nic=4"},
          {.id = "p://n", .instance = "P.8", .amounts = GPU "=8 nic=4"}}},
        {"p P.8 nic a: a p P.8 nic b: b", /* a placeholder is not a common place */
         NULL,
         {{.id = "p://n",
           .instance = "P.8",
           .labels = ZONE_LABEL "=unknown",
           .amounts = GPU "=8 nic=4"},
          {.id = "p://n",
           .instance = "P.8",
           .labels = ZONE_LABEL "=unknown",
           .amounts = GPU "=8 nic=4"}}},
        {"p P.8 nic: a b", /* the administrator vouches for it */
         "none",
         {{.id = "p://n", .instance = "P.8", .amounts = GPU "=8 nic=4"},
          {P8, .amounts = GPU "=8 nic=4"}}},
        {"p P.8 nic l1: a b",
         "leaf",
         {{.id = "p://n", .instance = "P.8", .labels = Z1 " leaf=l1", .amounts = GPU "=8 nic=4"},
          {.id = "p://n", .instance = "P.8", .labels = Z2 " leaf=l1", .amounts = GPU "=8 nic=4"}}},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_fabric_build__says_when_reach_is_unknown(void **state)
{
    static const struct {
        const char *labels, *boundary;
        bool want;
    } cases[] = {
        {Z1, "", false},  {"spine=s", "", false}, {"leaf=s", "", false},
        {NULL, "", true}, {Z1, "rack", true},     {NULL, "none", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = providers();
        struct fb_cluster cluster;

        builder->settings.boundary = cases[i].boundary;
        add_case(builder, "a",
                 &(struct node_case){.id = "p://n",
                                     .instance = "P.8",
                                     .labels = cases[i].labels,
                                     .amounts = GPU "=8 nic=4"});
        cluster = build_cluster(builder);
        assert_int_equal(cluster.fabrics[0].unknown, cases[i].want);
        builder_free(builder);
    }
}

#define E8 .id = "e://n", .instance = "E.8", .labels = Z1

static void test_fabric_build__keeps_sick_members(void **state)
{
    static const struct fabric_row rows[] = {
        {"p P.8 nic z1: a b c", /* its plugin is gone */
         NULL,
         {{P8, .amounts = GPU "=8 nic=4"},
          {P8, .amounts = GPU "=8"},
          {P8, .amounts = GPU "=8 nic=4"}}},
        {"p P.8 nic z1: a b", /* even one that has them tells */
         NULL,
         {{P8, .amounts = GPU "=8"}, {P8, .amounts = GPU "=8 nic=4"}}},
        {"p P.8 nic z1: a b c", /* however few they are */
         NULL,
         {{P8, .amounts = GPU "=8"}, {P8, .amounts = GPU "=8"}, {P8, .amounts = GPU "=8 nic=4"}}},
        {"e E.8 net/1+2 z1: a b c", /* a network is missing */
         NULL,
         {{E8, .amounts = GPU "=8 net/1=1 net/3=1"},
          {E8, .amounts = GPU "=8 net/1=1 net/2=1 net/3=1"},
          {E8, .amounts = GPU "=8 net/1=1 net/2=1 net/3=1"}}},
        {"e E.8 net/1+2 z1: a b c", /* no two alike: the one that has most */
         NULL,
         {{E8, .amounts = GPU "=8 net/1=1 net/3=1"},
          {E8, .amounts = GPU "=8 net/2=1"},
          {E8, .amounts = GPU "=8 net/1=1 net/2=1 net/3=1"}}},
        {"e E.8 net/1+1 z1: a b e E.8 net/1+2 z1: c", /* most have two: they are no likes */
         NULL,
         {{E8, .amounts = GPU "=8 net/1=1 net/2=1"},
          {E8, .amounts = GPU "=8 net/1=1 net/2=1"},
          {E8, .amounts = GPU "=8 net/1=1 net/2=1 net/3=1"}}},
        {"e E.8 net/1+1 z1: a e E.8 net/1+1 z1: b", /* neither is part of the other */
         NULL,
         {{E8, .amounts = GPU "=8 net/1=1 net/2=1"}, {E8, .amounts = GPU "=8 net/1=1 net/3=1"}}},
        {"e E.8 net/1 z1: a e E.8 net/1 z2: b e E.8 z3: c", /* likes are of one fabric */
         NULL,
         {{E8, .amounts = GPU "=8 net/1=1"},
          {.id = "e://n", .instance = "E.8", .labels = Z2, .amounts = GPU "=8 net/1=1"},
          {.id = "e://n", .instance = "E.8", .labels = ZONE_LABEL "=z3", .amounts = GPU "=8"}}},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_fabric_build__shows_what_a_healthy_node_has(void **state)
{
    struct builder *builder = providers();
    struct fb_cluster cluster;
    const struct fb_fabric *fabric;

    (void)state;
    add_case(builder, "a", &(struct node_case){E8, .amounts = GPU "=6/8 net/2=1"});
    add_case(builder, "b", &(struct node_case){E8, .amounts = GPU "=8 net/2=1 net/1=1"});
    cluster = build_cluster(builder);
    fabric = &cluster.fabrics[0];
    assert_int_equal(cluster.fabrics_len, 1);
    assert_string_equal(fabric->policy->provider, "e");
    assert_string_equal(fabric->shape->name, "E.8");
    assert_string_equal(fabric->instance, "E.8");
    assert_true(fabric->has_nics);
    assert_int_equal(fabric->kind, FB_NIC_EACH);
    assert_int_equal(fabric->gpus, 8);
    assert_int_equal(fabric->nics.len, 2);
    assert_string_equal(fabric->nics.at[0], "net/1");
    assert_string_equal(fabric->nics.at[1], "net/2");
    assert_int_equal(fabric->nodes, 2);
    builder_free(builder);
}

/* A label's value is whatever its writer likes, here longer than the room for a key. */
static void test_fabric_build__cuts_endless_texts(void **state)
{
    struct builder *builder = providers();
    struct fb_cluster cluster;
    char *zone = fb_arena_alloc(builder->arena, 8192);
    struct fb_node *node;

    (void)state;
    assert_non_null(zone);
    memset(zone, 'z', 8191);
    node = add_case(builder, "a", &(struct node_case){E8, .amounts = GPU "=8 net/1=1"});
    give_label(builder, node, ZONE_LABEL, zone);
    give_amount(builder, node, zone, 1);
    builder->policies.at[2].nics[0].pattern = "*z*";
    cluster = build_cluster(builder);
    assert_int_equal(cluster.fabrics_len, 1);
    assert_true(strlen(cluster.fabrics[0].name) < 8191);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fabric_build__joins_nodes_that_reach_each_other),
        cmocka_unit_test(test_fabric_build__tells_unknown_shapes_by_type_and_gpus),
        cmocka_unit_test(test_fabric_build__ends_where_knowledge_ends),
        cmocka_unit_test(test_fabric_build__says_when_reach_is_unknown),
        cmocka_unit_test(test_fabric_build__keeps_sick_members),
        cmocka_unit_test(test_fabric_build__shows_what_a_healthy_node_has),
        cmocka_unit_test(test_fabric_build__cuts_endless_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
