/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/cluster.h"

#include "alloc_fault.h"
#include "node_case.h"
#include "unit.h"

#include <limits.h>
#include <stdlib.h>
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

static void test_cluster_build__takes_what_living_pods_use(void **state)
{
    static const struct {
        const char *want;
        const char *phase; /* of the first pod; NULL: Running */
        int64_t nics;      /* that it requests */
        struct pod_case pods[3];
        struct node_case node;
    } cases[] = {
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
        {GPU "=8 nic=16", NULL, 0, {{.name = NULL}}, {P8, .amounts = GPU "=8 nic=18"}},
        {GPU "=8 nic=2", NULL, 14, {{.name = "x"}}, {P8, .amounts = GPU "=8 nic=18"}},
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
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = one_node(&cases[i].node);
        struct fb_cluster cluster;
        char text[CASE_TEXT];

        for (size_t p = 0; p < COUNT(cases[i].pods) && cases[i].pods[p].name != NULL; p++)
            (void)add_pod_case(builder, &cases[i].pods[p]);
        if (builder->pods_len > 0 && cases[i].phase != NULL)
            builder->pods[0].phase = cases[i].phase;
        if (builder->pods_len > 0 && cases[i].nics > 0)
            give_request(builder, &builder->pods[0], 0, "nic", cases[i].nics);
        cluster = build_cluster(builder);
        assert_string_equal(free_text(&cluster.sites[0], text), cases[i].want);
        builder_free(builder);
    }
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

/* A cluster with something of everything: 24 nodes in three fabrics, 40 pods in gangs and alone. */
static struct builder *mixed(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l",
                                        "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x"};
    struct builder *builder = one_node(&(struct node_case){P8, FULL});

    give_tier(builder, &builder->policies.at[0], "leaf");
    for (size_t i = 1; i < COUNT(names); i++) {
        struct node_case row = {P8, FULL};

        if (i % 3 == 1)
            row.amounts = GPU "=8 nic=12";
        if (i % 7 == 2)
            row = (struct node_case){E8, .amounts = GPU "=8 net/a=1 net/b=1"};
        if (i % 9 == 8)
            row = (struct node_case){.id = "p://n", .instance = "k3s", .amounts = GPU "=4 nic=4"};
        give_label(builder, add_case(builder, names[i], &row), "leaf", names[i % 4]);
    }
    for (size_t i = 0; i < 40; i++) {
        struct fb_pod *pod = make_pod(builder, names[i % 24], names[i * 5 % 24], i % 4);

        pod->space = names[i / 24];
        give_owner(builder, pod, VOLCANO, names[i / 6]);
        pod->terminating = i % 11 == 0;
    }
    make_pod(builder, "twin", "a", 1)->uid = "two"; /* the first of them is going */
    make_pod(builder, "twin", "b", 2)->uid = "one";
    make_podgroup(builder, "a", 9);
    give_task(builder, make_job(builder, "b"), "worker", 7, 8);
    give_task(builder, make_job(builder, "c"), "worker", 3, 8);
    return builder;
}

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245U + 12345U;
    return *seed >> 16;
}

static void shuffle(struct builder *builder, unsigned *seed)
{
    for (size_t i = builder->nodes_len; i > 1; i--) {
        size_t other = next_random(seed) % i;
        struct fb_node node = builder->nodes[other];

        builder->nodes[other] = builder->nodes[i - 1];
        builder->nodes[i - 1] = node;
    }
    for (size_t i = builder->pods_len; i > 1; i--) {
        size_t other = next_random(seed) % i;
        struct fb_pod pod = builder->pods[other];

        builder->pods[other] = builder->pods[i - 1];
        builder->pods[i - 1] = pod;
    }
}

/* All of a cluster that decisions see, as text in the arena. */
static const char *whole_text(struct builder *builder)
{
    struct fb_cluster cluster = build_cluster(builder);
    char *text = fb_arena_alloc(builder->arena, (size_t)32 * CASE_TEXT);
    char piece[CASE_TEXT];

    assert_non_null(text);
    strcpy(text, fabrics_text(&cluster, piece));
    for (size_t i = 0; i < cluster.sites_len; i++) {
        strcat(text, "\n");
        strcat(text, amounts_text(&cluster.sites[i].free, piece));
    }
    for (size_t i = 0; i < cluster.fabrics_len; i++) {
        strcat(text, "\n");
        strcat(text, fb_ratio_format(cluster.fabrics[i].auto_ratio, piece));
    }
    for (size_t i = 0; i < cluster.residents_len; i++) {
        const struct fb_resident *at = &cluster.residents[i];

        piece[0] = '\0';
        add_piece(piece, "\n%s/%s %zu %zu %d", at->pod->space, at->pod->name, at->site, at->gang,
                  at->networked);
        strcat(text, piece);
    }
    for (size_t i = 0; i < cluster.gangs_len; i++) {
        piece[0] = '\0';
        add_piece(piece, "\n%s %lld", cluster.gangs[i].key, (long long)cluster.gangs[i].size);
        strcat(text, piece);
    }
    return text;
}

static void test_cluster_build__never_depends_on_the_order_of_objects(void **state)
{
    struct builder *builder = mixed();
    const char *first = whole_text(builder);
    unsigned seed = 7;

    (void)state;
    assert_non_null(strstr(first, "e E.8 net/a+1 z: "));
    for (int i = 0; i < 100; i++) {
        shuffle(builder, &seed);
        assert_string_equal(whole_text(builder), first);
    }
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

/* Every step meets the end of the arena once: it gives up every 16 bytes further on. */
static void test_cluster_build__survives_a_full_arena(void **state)
{
    enum { STEP = 16, CHUNK = 64 * 1024, CHUNKS = 4 };
    struct builder *builder = mixed();
    struct fb_objects objects = builder_objects(builder);
    size_t built = 0;
    size_t failed = 0;

    (void)state;
    for (size_t spare = 0; spare < (size_t)CHUNKS * CHUNK && built == 0; spare += STEP) {
        struct fb_arena *arena = fb_arena_new((size_t)CHUNKS * CHUNK);
        struct fb_cluster cluster = {.sites_len = 77};
        enum fb_status st;

        assert_non_null(arena);
        for (size_t used = spare; used < (size_t)CHUNKS * CHUNK; used += STEP)
            (void)fb_arena_alloc(arena, STEP);
        st = fb_cluster_build(arena, &objects, &builder->policies, &builder->settings, &cluster);
        built += st == FB_OK;
        failed += st == FB_ENOMEM;
        assert_int_equal(cluster.sites_len, st == FB_OK ? 24 : 77); /* untouched on failure */
        fb_arena_free(arena);
    }
    assert_true(built == 1 && failed > 100);
    builder_free(builder);
}

static void test_cluster_build__survives_every_failed_allocation(void **state)
{
    struct builder *builder = mixed();
    struct fb_objects objects = builder_objects(builder);
    bool built = false;

    (void)state;
    for (int after = 0; !built && after < 1000; after++) {
        struct fb_arena *arena = fb_arena_new(0);
        struct fb_cluster cluster;
        enum fb_status st;

        alloc_fault_arm(after);
        st = fb_cluster_build(arena, &objects, &builder->policies, &builder->settings, &cluster);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        assert_true(st == FB_ENOMEM || after > 0);
        built = st == FB_OK;
        fb_arena_free(arena);
    }
    assert_true(built);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cluster_build__takes_what_living_pods_use),
        cmocka_unit_test(test_cluster_build__counts_pods_and_cpus_too),
        cmocka_unit_test(test_cluster_find__knows_nodes_by_name),
        cmocka_unit_test(test_cluster_build__believes_the_later_of_two_nodes),
        cmocka_unit_test(test_cluster_build__never_depends_on_the_order_of_objects),
        cmocka_unit_test(test_cluster_build__of_nothing_is_empty),
        cmocka_unit_test(test_cluster_build__survives_a_full_arena),
        cmocka_unit_test(test_cluster_build__survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
