/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/cluster.h"

#include "alloc_fault.h"
#include "node_case.h"
#include "unit.h"

#include <string.h>

#define P8 .id = "p://n", .instance = "P.8", .labels = ZONE_LABEL "=z"
#define E8 .id = "e://n", .instance = "E.8", .labels = ZONE_LABEL "=z"
#define FULL .amounts = GPU "=8 nic=16"

static struct builder *two_providers(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *p = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);
    struct fb_policy *e = make_policy(builder, "e", "net/*", FB_NIC_EACH);

    give_nic_rule(builder, p, "seat", FB_NIC_SLOT);
    give_text(builder, &e->nics[0].exclude, "*.IP");
    make_shape(builder, p, "P.8", 8, 16);
    make_shape(builder, e, "E.8", 8, 2);
    add_case(builder, "a", &(struct node_case){P8, FULL});
    return builder;
}

/* A cluster with something of everything: 24 nodes in three fabrics, 40 pods in gangs and alone. */
static struct builder *mixed(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l",
                                        "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x"};
    struct builder *builder = two_providers();

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
        struct fb_pod *pod = make_pod(builder, names[i % 24], names[i * 5 % 24], (int64_t)i % 4);

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

#define WHOLE_TEXT ((size_t)32 * CASE_TEXT)

struct long_text {
    char *at;
    size_t len;
};

static void add_line(struct long_text *text, const char *line)
{
    size_t len = strlen(line);

    assert_true(text->len + len + 2 < WHOLE_TEXT);
    memcpy(text->at + text->len, line, len);
    text->len += len;
    text->at[text->len++] = '\n';
}

/* All of a cluster that decisions see, as text in the arena. */
static const char *whole_text(struct builder *builder)
{
    struct fb_cluster cluster = build_cluster(builder);
    struct long_text text = {fb_arena_alloc(builder->arena, WHOLE_TEXT), 0};
    char piece[CASE_TEXT];

    assert_non_null(text.at);
    add_line(&text, fabrics_text(&cluster, piece));
    for (size_t i = 0; i < cluster.sites_len; i++) {
        add_line(&text, amounts_text(&cluster.sites[i].free, piece));
    }
    for (size_t i = 0; i < cluster.fabrics_len; i++) {
        add_line(&text, fb_ratio_format(cluster.fabrics[i].auto_ratio, piece));
    }
    for (size_t i = 0; i < cluster.residents_len; i++) {
        const struct fb_resident *at = &cluster.residents[i];

        piece[0] = '\0';
        add_piece(piece, "%s/%s %zu %zu %d", at->pod->space, at->pod->name, at->site, at->gang,
                  at->networked);
        add_line(&text, piece);
    }
    for (size_t i = 0; i < cluster.gangs_len; i++) {
        piece[0] = '\0';
        add_piece(piece, "%s %lld", cluster.gangs[i].key, (long long)cluster.gangs[i].size);
        add_line(&text, piece);
    }
    return text.at;
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
        cmocka_unit_test(test_cluster_build__never_depends_on_the_order_of_objects),
        cmocka_unit_test(test_cluster_build__survives_a_full_arena),
        cmocka_unit_test(test_cluster_build__survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
