/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/fit.h"

#include "fit_case.h"
#include "unit.h"

#include <string.h>

/* A node with the networks a and b besides the one whose twin is no NIC. */
static struct fit_case networks(int64_t gpus, enum fb_networking networking)
{
    struct fit_case ask = fit_case_good();
    struct fb_nic_rule *rule = &ask.policy->nics[0];

    rule->pattern = "acme.net/*";
    rule->kind = FB_NIC_EACH;
    give_text(ask.builder, &rule->exclude, "*.IP");
    ask.policy->shapes[0].nics = 2;
    for (size_t i = 0; i < 2; i++) {
        struct fb_node *node = &ask.builder->nodes[i];

        node->allocatable.len = 4; /* all but the NIC */
        node->capacity.len = 4;
        give_amount(ask.builder, node, "acme.net/a", 1);
        give_amount(ask.builder, node, "acme.net/b", 1);
        give_amount(ask.builder, node, "acme.net/a.IP", 1);
    }
    give_request(ask.builder, ask.pod, 0, GPU, gpus);
    ask.networking = networking;
    return ask;
}

static void test_fit__each_takes_whole_nodes_only(void **state)
{
    static const struct {
        int64_t gpus;
        enum fb_networking networking;
        bool resident; /* one that takes network b */
        int64_t a, b;  /* of the node */
        const char *want;
    } cases[] = {
        {8, FB_NETWORKING_GANG, false, 1, 1, "fits 0 "},
        {8, FB_NETWORKING_ANNOTATED, false, 1, 1, "fits 0 "},
        {4, FB_NETWORKING_ANNOTATED, false, 1, 1,
         "never 3 fabricbind: this network is shared by whole nodes only"},
        {4, FB_NETWORKING_ANNOTATED, true, 1, 1, /* never goes before busy */
         "never 3 fabricbind: this network is shared by whole nodes only"},
        {4, FB_NETWORKING_ANNOTATED, false, 1, 0, "never 3 fabricbind: node has no acme.net/b"},
        {8, FB_NETWORKING_GANG, false, 0, 1, "never 3 fabricbind: node has no acme.net/a"},
        {8, FB_NETWORKING_GANG, true, 1, 1, "busy 2 fabricbind: too few free acme.net/b"},
        {4, FB_NETWORKING_GANG, true, 1, 1, "fits 0 "}, /* is not networked here */
        {4, FB_NETWORKING_NO, true, 1, 1, "fits 0 "},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fit_case ask = networks(cases[i].gpus, cases[i].networking);
        char text[FIT_CASE_TEXT];

        give_amount(ask.builder, ask.node, "acme.net/a", cases[i].a);
        give_amount(ask.builder, ask.node, "acme.net/b", cases[i].b);
        if (cases[i].resident)
            give_request(ask.builder, fit_case_resident(&ask), 0, "acme.net/b", 1);
        if (strcmp(fit_case_answer(&ask, text), cases[i].want) != 0)
            fail_msg("row %zu: %s", i, text);
    }
}

static void test_fit__a_partial_pod_that_is_not_networked_may_be_anywhere(void **state)
{
    struct fit_case ask = networks(4, FB_NETWORKING_GANG);
    char text[FIT_CASE_TEXT];

    (void)state;
    ask.elsewhere = true;
    fit_case_unknown_fabric(&ask);
    assert_string_equal(fit_case_answer(&ask, text), "fits 0 ");
}

static void test_fit__an_unknown_fabric_takes_single_pods(void **state)
{
    static const struct {
        int64_t gang;
        const char *boundary;
        const char *want;
    } cases[] = {
        {1, "", "fits 0 "},
        {2, "", "never 3 fabricbind: fabric of this node is unknown"},
        {64, "", "never 3 fabricbind: fabric of this node is unknown"},
        {2, "none", "fits 0 "},
        {2, "zone", "never 3 fabricbind: fabric of this node is unknown"},
        {2, "rack", "fits 0 "},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fit_case ask = fit_case_good();
        char text[FIT_CASE_TEXT];

        ask.gang = cases[i].gang;
        ask.builder->settings.boundary = cases[i].boundary;
        fit_case_unknown_fabric(&ask);
        give_label(ask.builder, ask.node, "rack", "r1");
        if (strcmp(fit_case_answer(&ask, text), cases[i].want) != 0)
            fail_msg("row %zu: %s", i, text);
    }
}

static void test_fit__the_gangs_own_fabric_fits(void **state)
{
    struct fit_case ask = fit_case_good();
    char text[FIT_CASE_TEXT];

    (void)state;
    ask.elsewhere = true;
    give_label(ask.builder, &ask.builder->nodes[1], ZONE_LABEL, "z1");
    assert_string_equal(fit_case_answer(&ask, text), "fits 0 ");
}

static void test_fit__a_shape_without_nics_holds_no_networked_pod(void **state)
{
    static const struct {
        enum fb_nic_kind kind;
        enum fb_networking networking;
        int64_t nics, own;
        const char *want;
    } cases[] = {
        {FB_NIC_EXCLUSIVE, FB_NETWORKING_GANG, 16, 0, "never 3 fabricbind: node has no " NIC},
        {FB_NIC_SLOT, FB_NETWORKING_GANG, 63, 0, "never 3 fabricbind: node has no " NIC},
        {FB_NIC_SLOT, FB_NETWORKING_GANG, 0, 0, "never 3 fabricbind: node has no " NIC},
        {FB_NIC_SLOT, FB_NETWORKING_GANG, 63, 1, "fits 0 "}, /* what the pod itself asks for */
        {FB_NIC_SLOT, FB_NETWORKING_NO, 63, 0, "fits 0 "},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fit_case ask = fit_case_good();
        char text[FIT_CASE_TEXT];

        ask.policy->shapes[0].nics = 0;
        ask.policy->nics[0].kind = cases[i].kind;
        ask.networking = cases[i].networking;
        give_amount(ask.builder, ask.node, NIC, cases[i].nics);
        give_request(ask.builder, ask.pod, 0, NIC, cases[i].own);
        if (strcmp(fit_case_answer(&ask, text), cases[i].want) != 0)
            fail_msg("row %zu: %s", i, text);
    }
}

static void test_fit__nodes_of_no_provider(void **state)
{
    static const struct {
        enum fb_networking networking;
        int64_t own;
        const char *want;
    } cases[] = {
        {FB_NETWORKING_GANG, 0, "never 3 fabricbind: node has no NIC resource"},
        {FB_NETWORKING_ANNOTATED, 0, "never 3 fabricbind: node has no NIC resource"},
        {FB_NETWORKING_NO, 0, "fits 0 "},
        {FB_NETWORKING_NO, 16, "fits 0 "},
        {FB_NETWORKING_NO, 17, "excluded -1 too few " NIC},
        {FB_NETWORKING_GANG, 16, "fits 0 "},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fit_case ask = fit_case_good();
        char text[FIT_CASE_TEXT];

        ask.node->provider_id = "";
        ask.networking = cases[i].networking;
        ask.gang = 1;
        give_request(ask.builder, ask.pod, 0, NIC, cases[i].own);
        if (strcmp(fit_case_answer(&ask, text), cases[i].want) != 0)
            fail_msg("row %zu: %s", i, text);
    }
}

static void test_fit__gpus_of_another_maker_are_none(void **state)
{
    struct fit_case ask = fit_case_good();
    char text[FIT_CASE_TEXT];

    (void)state;
    give_request(ask.builder, ask.pod, 0, GPU, 0);
    give_request(ask.builder, ask.pod, 0, "amd.com/gpu", 8);
    assert_string_equal(fit_case_answer(&ask, text), "never 3 fabricbind: node has no amd.com/gpu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit__each_takes_whole_nodes_only),
        cmocka_unit_test(test_fit__a_partial_pod_that_is_not_networked_may_be_anywhere),
        cmocka_unit_test(test_fit__an_unknown_fabric_takes_single_pods),
        cmocka_unit_test(test_fit__the_gangs_own_fabric_fits),
        cmocka_unit_test(test_fit__a_shape_without_nics_holds_no_networked_pod),
        cmocka_unit_test(test_fit__nodes_of_no_provider),
        cmocka_unit_test(test_fit__gpus_of_another_maker_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
