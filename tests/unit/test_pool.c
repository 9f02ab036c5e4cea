/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric_build.h"

#include "node_case.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define NODES 8

/* A node of a pool: its NICs, and a letter where it is not well. */
static void add_node(struct builder *builder, const char *type, const char *word, size_t number)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    char *mark_at;
    int64_t nics = strtoll(word, &mark_at, 10);
    char mark = *mark_at;
    struct fb_node *node;

    assert_true(number < NODES && mark_at != word);
    node = make_node(builder, names[number], type, 8, "nic", nics);
    if (mark == 'c')
        node->unschedulable = true;
    if (mark == 'n')
        node->ready = false;
    if (mark == 'g') /* a GPU is sick */
        assert_int_equal(fb_resources_set(builder->arena, &node->allocatable, GPU, 7), FB_OK);
    if (mark == 'z') /* another fabric of the same kind */
        give_label(builder, node, ZONE_LABEL, "z2");
}

/* "<ratio> <lower count of the pool>" of the first node's fabric. */
static const char *ratio_text(const char *type, const char *nodes, enum fb_nic_kind kind,
                              char text[CASE_TEXT])
{
    struct builder *builder = builder_new();
    struct fb_policy *p = make_policy(builder, "p", "nic", kind);
    struct fb_cluster cluster;
    const struct fb_fabric *fabric;
    char ratio[FB_RATIO_TEXT];
    size_t count = 0;

    make_shape(builder, p, "P.8", 8, 4);
    make_shape(builder, p, "P.32", 8, 32);
    make_shape(builder, p, "P.5", 8, 5);
    make_shape(builder, p, "P.none", 8, 0);
    make_shape(builder, p, "P.unknown", 8, -1);
    for (const char *at = nodes; *at != '\0'; at += strspn(at, " ")) {
        add_node(builder, type, at, count++);
        at += strcspn(at, " ");
    }
    cluster = build_cluster(builder);
    fabric = &cluster.fabrics[cluster.sites[0].fabric];
    text[0] = '\0';
    add_piece(text, "%s",
              fabric->auto_ratio.den > 0 ? fb_ratio_format(fabric->auto_ratio, ratio) : "none");
    add_piece(text, "%lld", (long long)fabric->pool_nics);
    builder_free(builder);
    return text;
}

static void test_fabric_ratios__believe_a_whole_pool_and_no_single_node(void **state)
{
    static const struct {
        const char *type, *nodes;
        const char *want;
    } cases[] = {
        {"P.8", "4", "1/2 0"},          {"P.8", "4 4 4 4", "1/2 0"},
        {"P.8", "3 3 3 3", "3/8 3"},   /* card 0 is plain Ethernet */
        {"P.8", "3 3", "3/8 3"},       /* two are enough */
        {"P.8", "3", "1/2 0"},         /* one is not */
        {"P.8", "4 4 4 3", "1/2 0"},   /* a sick node */
        {"P.8", "3 3 4", "3/8 3"},     /* more than half */
        {"P.8", "3 3 4 4", "1/2 0"},   /* exactly half */
        {"P.8", "3 3 3 4 4", "3/8 3"}, /* 3 of 5 */
        {"P.8", "3 3 4 4 2", "1/2 0"}, /* the most, but not more than half */
        {"P.8", "3 3 2 2 4", "1/2 0"},  {"P.8", "2 2 2", "1/4 2"}, /* just half of the shape's */
        {"P.8", "1 1 1", "1/2 0"},                                 /* less: attached as asked for */
        {"P.5", "3 3 3", "3/8 3"},      {"P.5", "2 2 2", "5/8 0"}, /* below half of 5 */
        {"P.32", "31 32 32 32", "4 0"}, {"P.32", "2 2 2", "4 0"},
        {"P.8", "5 5 5", "1/2 0"}, /* more than the shape's count as the shape's */
        {"P.8", "5 3 3", "3/8 3"},      {"P.8", "5 5 3 3", "1/2 0"},
        {"P.8", "3 3c", "3/8 3"},                                 /* cordoned counts */
        {"P.8", "3c 3c", "3/8 3"},      {"P.8", "3 3n", "1/2 0"}, /* not ready does not */
        {"P.8", "3 3 4n 4n", "3/8 3"},  {"P.8", "3 3g", "1/2 0"}, /* nor one with sick GPUs */
        {"P.8", "3 0 0 0", "1/2 0"},                              /* nor one without NICs */
        {"P.8", "3 3 0 0 0", "3/8 3"},  {"P.8", "3 3z", "1/2 0"}, /* nor one of another fabric */
        {"P.none", "4 4", "none 0"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[CASE_TEXT];

        assert_string_equal(ratio_text(cases[i].type, cases[i].nodes, FB_NIC_EXCLUSIVE, text),
                            cases[i].want);
    }
}

static void test_fabric_ratios__take_the_commonest_of_unknown_shapes(void **state)
{
    static const struct {
        const char *type, *nodes;
        const char *want;
    } cases[] = {
        {"k3s", "8", "1 0"},
        {"k3s", "8 8 4", "1 0"},
        {"k3s", "4 8 4", "1/2 0"},
        {"k3s", "4 8", "1 0"}, /* ties to the larger */
        {"k3s", "8 4 2 4 8", "1 0"},
        {"k3s", "4 4 8n 8n 8n", "1/2 0"},
        {"k3s", "4 8z 8z", "1 0"},  /* of all fabrics of equal type, GPUs and NICs */
        {"k3s", "8g 4g", "none 0"}, /* nobody well, nobody knows */
        {"k3s", "8g 4", "1/2 0"},
        {"P.unknown", "8 8 4", "1 0"}, /* the type is known and its count is not */
        {"P.unknown", "4 8z 8z", "1/2 0"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[CASE_TEXT];

        assert_string_equal(ratio_text(cases[i].type, cases[i].nodes, FB_NIC_EXCLUSIVE, text),
                            cases[i].want);
    }
}

static void test_fabric_ratios__learn_nothing_from_seats(void **state)
{
    static const struct {
        const char *type, *nodes;
        enum fb_nic_kind kind;
        const char *want;
    } cases[] = {
        {"P.8", "63 63", FB_NIC_SLOT, "1/2 0"},
        {"P.8", "1 1 1", FB_NIC_SLOT, "1/2 0"},
        {"k3s", "63 63", FB_NIC_SLOT, "none 0"},
        {"P.8", "1 1 1", FB_NIC_EACH, "1/2 0"}, /* names are counted by the fabric itself */
        {"P.32", "1 1 1", FB_NIC_EACH, "4 0"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[CASE_TEXT];

        assert_string_equal(ratio_text(cases[i].type, cases[i].nodes, cases[i].kind, text),
                            cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fabric_ratios__believe_a_whole_pool_and_no_single_node),
        cmocka_unit_test(test_fabric_ratios__take_the_commonest_of_unknown_shapes),
        cmocka_unit_test(test_fabric_ratios__learn_nothing_from_seats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
