/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/score.h"

#include "node_case.h"
#include "unit.h"

#include <stdio.h>

/* Three decimals, as plan prints them. */
static const char *number(double value, char text[32])
{
    (void)snprintf(text, 32, "%.3f", value);
    return text;
}

static struct builder *one_node(int64_t gpus, const char *nic, int64_t nics)
{
    struct builder *builder = builder_new();
    struct fb_policy *p = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);

    give_nic_rule(builder, p, "seat", FB_NIC_SLOT);
    make_shape(builder, p, "P.8", 8, 16);
    make_shape(builder, p, "P.0", 0, 0);
    make_shape(builder, p, "P.1", 8, 1);
    make_node(builder, "a", "P.8", gpus, nic, nics);
    return builder;
}

/* A pod that takes so many GPUs and NICs. */
static struct fb_need need_of(struct builder *builder, int64_t gpus, const char *nic, int64_t nics)
{
    struct fb_need need = {.gpu = GPU, .gpus = gpus};

    if (gpus > 0)
        assert_int_equal(fb_resources_set(builder->arena, &need.all, GPU, gpus), FB_OK);
    if (nics > 0)
        assert_int_equal(fb_resources_set(builder->arena, &need.nics, nic, nics), FB_OK);
    return need;
}

static void test_score_packing__balances_what_stays_free(void **state)
{
    static const struct {
        int64_t node_gpus, node_nics; /* of the node */
        const char *nic;
        int64_t used_gpus, used_nics; /* by another pod */
        int64_t gpus, nics;           /* asked for */
        const char *want;
    } cases[] = {
        {8, 16, "nic", 0, 0, 8, 16, "1.000"}, /* the whole node */
        {8, 16, "nic", 0, 0, 9, 16, "1.000"},
        {8, 16, "nic", 0, 0, 7, 14, "0.938"}, /* an eighth of both stays */
        {7, 16, "nic", 0, 0, 7, 14, "1.000"}, /* all that is left of it */
        {8, 16, "nic", 0, 0, 4, 8, "0.750"},  /* g 1/2, n 1/2 */
        {8, 16, "nic", 0, 0, 4, 16, "0.500"}, /* g 1/2, n 0 */
        {8, 16, "nic", 0, 0, 4, 0, "0.500"},  /* g 1/2, n 1 */
        {8, 16, "nic", 4, 8, 4, 8, "1.000"},  /* nothing stays */
        {8, 16, "nic", 0, 0, 2, 4, "0.625"},  /* g 3/4, n 3/4 */
        {8, 16, "nic", 4, 8, 2, 4, "0.875"},  /* the fuller node is the better one */
        {8, 16, "nic", 4, 8, 2, 8, "0.750"},  /* g 1/4, n 0 */
        {8, 16, "nic", 8, 16, 2, 4, "1.000"}, /* nothing free: never beyond 1 */
        {8, 18, "nic", 0, 0, 4, 8, "0.750"},  /* of the NICs that work */
        {8, 63, "seat", 0, 0, 4, 1, "0.750"}, /* seats tell nothing: g alone */
        {8, 0, NULL, 0, 0, 2, 0, "0.625"},
        {8, 0, "nic", 0, 0, 4, 0, "0.500"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = one_node(cases[i].node_gpus, cases[i].nic, cases[i].node_nics);
        struct fb_need need = need_of(builder, cases[i].gpus, cases[i].nic, cases[i].nics);
        struct fb_cluster cluster;
        char text[32];

        if (cases[i].used_gpus > 0)
            give_request(builder, make_pod(builder, "x", "a", cases[i].used_gpus), 0, "nic",
                         cases[i].used_nics);
        cluster = build_cluster(builder);
        assert_string_equal(number(fb_score_packing(&cluster, 0, &need), text), cases[i].want);
        builder_free(builder);
    }
}

static void test_score_health__is_the_share_of_nics_that_work(void **state)
{
    static const struct {
        const char *type, *nic;
        int64_t nics;
        const char *want;
    } cases[] = {
        {"P.8", "nic", 16, "1.000"},  {"P.8", "nic", 12, "0.750"},  {"P.8", "nic", 0, "0.000"},
        {"P.8", "nic", 18, "1.000"}, /* at most 1 */
        {"P.8", NULL, 0, "0.000"},    {"P.8", "seat", 63, "1.000"}, {"P.x", "nic", 3, "1.000"},
        {"P.x", "seat", 63, "1.000"}, {"P.0", "nic", 3, "1.000"},   {"P.1", "nic", 0, "0.000"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = one_node(8, cases[i].nic, cases[i].nics);
        struct fb_cluster cluster;
        char text[32];

        builder->nodes[0].instance_type = cases[i].type;
        cluster = build_cluster(builder);
        assert_string_equal(number(fb_score_health(&cluster.sites[0]), text), cases[i].want);
        builder_free(builder);
    }
}

static void test_score_locality__falls_in_even_steps(void **state)
{
    static const struct {
        const char *candidates; /* shared tiers, "q" where quota is left */
        const char *want;
    } cases[] = {
        {"", ""},
        {"0", "1.000"},
        {"3 3 3", "1.000 1.000 1.000"}, /* nothing to tell apart */
        {"q q", "1.000 1.000"},
        {"q 2", "1.000 0.000"},
        {"q 2 1", "1.000 0.500 0.000"},
        {"1 q 3 0 3", "0.333 1.000 0.667 0.000 0.667"},
        {"3 0", "1.000 0.000"}, /* quotas used up: the nearest are best */
        {"0 1 2", "0.000 0.500 1.000"},
        {"9 0 1", "1.000 0.000 0.500"}, /* ranks, not distances */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t shared[8] = {0};
        size_t scratch[8];
        bool quota[8] = {false};
        double scores[8];
        size_t len = 0;
        char text[CASE_TEXT] = "";

        for (const char *at = cases[i].candidates; *at != '\0'; at += at[1] == ' ' ? 2 : 1) {
            quota[len] = *at == 'q';
            shared[len++] = *at == 'q' ? 9 : (size_t)(*at - '0');
        }
        fb_score_locality(shared, quota, len, scratch, scores);
        for (size_t n = 0; n < len; n++)
            add_piece(text, "%.3f", scores[n]);
        assert_string_equal(text, cases[i].want);
    }
}

static void test_score_shared_tiers__counts_from_the_coarsest(void **state)
{
    static const struct {
        const char *a, *b;
        size_t want;
    } cases[] = {
        {"spine=s leaf=l", "spine=s leaf=l", 2},
        {"spine=s leaf=l", "spine=s leaf=m", 1},
        {"spine=s leaf=l", "spine=t leaf=l", 0},
        {"spine=s leaf=l", "spine=s", 1},
        {"spine=s", "spine=s leaf=l", 1},
        {"leaf=s", "spine=s", 0},
        {"", "spine=s", 0},
        {"", "", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = one_node(8, "nic", 16);
        struct fb_policy *p = builder->policies.at;
        struct fb_cluster cluster;

        give_tier(builder, p, "spine");
        give_tier(builder, p, "leaf");
        add_case(builder, "b", &(struct node_case){.id = "p://n", .labels = cases[i].a});
        add_case(builder, "c", &(struct node_case){.id = "p://n", .labels = cases[i].b});
        cluster = build_cluster(builder);
        assert_int_equal(fb_score_shared_tiers(&cluster.sites[1], &cluster.sites[2]),
                         cases[i].want);
        builder_free(builder);
    }
}

static void test_score__weighs_its_parts(void **state)
{
    static const struct {
        int64_t node_nics;
        int64_t gpus, nics;
        double locality;
        const char *want;
    } cases[] = {
        {16, 8, 16, 1.0, "1000.000"},
        {16, 8, 16, 0.0, "200.000"},
        {16, 8, 16, 0.5, "600.000"},
        {16, 4, 8, 1.0, "950.000"},
        {16, 1, 2, 1.0, "912.500"},
        /* a single GPU is no pod without */ {12, 8, 12, 1.0, "950.000"}, /* P 1, health 3/4 */
        {0, 8, 0, 1.0, "800.000"},
        {16, 4, 16, 0.0, "100.000"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = one_node(8, "nic", cases[i].node_nics);
        struct fb_need need = need_of(builder, cases[i].gpus, "nic", cases[i].nics);
        struct fb_cluster cluster = build_cluster(builder);
        char text[32];

        assert_string_equal(number(fb_score(&cluster, 0, &need, cases[i].locality), text),
                            cases[i].want);
        builder->settings.scoring.weight = 10;
        assert_true(fb_score(&cluster, 0, &need, cases[i].locality) <= 10.0);
        builder_free(builder);
    }
}

static void test_score__keeps_pods_without_gpus_off_free_nics(void **state)
{
    static const struct {
        const char *nic;
        int64_t nics, used;
        const char *want;
    } cases[] = {
        {NULL, 0, 0, "1000.000"},    {"nic", 16, 0, "0.000"},  {"nic", 16, 4, "250.000"},
        {"nic", 16, 16, "1000.000"}, /* none left to keep for others */
        {"nic", 0, 0, "1000.000"},   {"seat", 10, 0, "0.000"}, {"nic", 1, 0, "0.000"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = one_node(8, cases[i].nic, cases[i].nics);
        struct fb_need need = {.gpus = 0};
        struct fb_cluster cluster;
        char text[32];

        if (cases[i].used > 0)
            give_request(builder, make_pod(builder, "x", "a", 1), 0, "nic", cases[i].used);
        cluster = build_cluster(builder);
        assert_string_equal(number(fb_score(&cluster, 0, &need, 0.0), text), cases[i].want);
        assert_string_equal(number(fb_score(&cluster, 0, &need, 1.0), text), cases[i].want);
        builder_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_score_packing__balances_what_stays_free),
        cmocka_unit_test(test_score_health__is_the_share_of_nics_that_work),
        cmocka_unit_test(test_score_locality__falls_in_even_steps),
        cmocka_unit_test(test_score_shared_tiers__counts_from_the_coarsest),
        cmocka_unit_test(test_score__weighs_its_parts),
        cmocka_unit_test(test_score__keeps_pods_without_gpus_off_free_nics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
