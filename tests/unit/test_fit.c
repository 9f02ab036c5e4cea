/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/fit.h"

#include "fit_case.h"
#include "unit.h"

#include <string.h>

/* In the order in which they are to be found; what no eviction cures comes before what one does. */
static const struct ailment {
    void (*strike)(struct fit_case *ask);
    const char *want;
} ailments[] = {
    {fit_case_selector, "excluded -1 nodeSelector"},
    {fit_case_affinity, "excluded -1 node affinity"},
    {fit_case_taint, "excluded -1 taint acme.test/repair"},
    {fit_case_cordoned, "excluded -1 cordoned"},
    {fit_case_not_ready, "excluded -1 not ready"},
    {fit_case_no_gpu, "never 3 fabricbind: node has no " GPU},
    {fit_case_sick_gpu, "never 3 fabricbind: node has fewer " GPU " than the pod needs"},
    {fit_case_other_fabric, "never 3 fabricbind: other fabric than the rest of the job"},
    {fit_case_no_nic, "never 3 fabricbind: node has no " NIC},
    {fit_case_configured,
     "never 3 fabricbind: configured NICs per GPU do not match this instance type"},
    {fit_case_fewer_nics, "never 3 fabricbind: node has fewer " NIC " than the pod needs"},
    {fit_case_unknown_fabric, "never 3 fabricbind: fabric of this node is unknown"},
    {fit_case_no_memory, "excluded -1 too few memory"},
    {fit_case_busy_gpu, "busy 2 fabricbind: too few free " GPU},
    {fit_case_busy_nic, "busy 2 fabricbind: too few free " NIC},
    {fit_case_busy_cpu, "excluded -1 too few cpu"},
};

static void test_fit__says_what_is_wrong(void **state)
{
    struct fit_case ask = fit_case_good();
    char text[FIT_CASE_TEXT];

    (void)state;
    assert_string_equal(fit_case_answer(&ask, text), "fits 0 ");
    for (size_t i = 0; i < COUNT(ailments); i++) {
        ask = fit_case_good();
        ailments[i].strike(&ask);
        assert_string_equal(fit_case_answer(&ask, text), ailments[i].want);
    }
}

static void test_fit__of_two_reasons_says_the_first_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ailments); i++) {
        for (size_t j = i + 1; j < COUNT(ailments); j++) {
            struct fit_case ask = fit_case_good();
            char text[FIT_CASE_TEXT];

            ailments[j].strike(&ask);
            ailments[i].strike(&ask);
            if (strcmp(fit_case_answer(&ask, text), ailments[i].want) != 0)
                fail_msg("'%s' and '%s': '%s'", ailments[i].want, ailments[j].want, text);
        }
    }
}

/* Free and allocatable on both sides of what is needed: 8 GPUs and 16 NICs are asked for. */
static void test_fit__busy_is_what_eviction_could_cure(void **state)
{
    static const struct {
        int64_t gpus, nics, used_gpus, used_nics;
        const char *want;
    } cases[] = {
        {8, 16, 0, 0, "fits 0 "},
        {8, 16, 0, 1, "busy 2 fabricbind: too few free " NIC},
        {8, 16, 0, 16, "busy 2 fabricbind: too few free " NIC},
        {8, 16, 1, 0, "busy 2 fabricbind: too few free " GPU},
        {8, 16, 8, 16, "busy 2 fabricbind: too few free " GPU},
        {8, 15, 0, 0, "never 3 fabricbind: node has fewer " NIC " than the pod needs"},
        {8, 15, 0, 15, "never 3 fabricbind: node has fewer " NIC " than the pod needs"},
        {8, 1, 0, 0, "never 3 fabricbind: node has fewer " NIC " than the pod needs"},
        {8, 0, 0, 0, "never 3 fabricbind: node has no " NIC},
        {8, -1, 0, 0, "never 3 fabricbind: node has no " NIC}, /* not advertised */
        {8, 17, 0, 0, "fits 0 "},
        {8, 17, 0, 1, "busy 2 fabricbind: too few free " NIC}, /* the 17th reaches no other node */
        {7, 16, 0, 0, "never 3 fabricbind: node has fewer " GPU " than the pod needs"},
        {1, 16, 0, 0, "never 3 fabricbind: node has fewer " GPU " than the pod needs"},
        {-1, 16, 0, 0, "never 3 fabricbind: node has no " GPU},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fit_case ask = fit_case_good();
        struct fb_pod *pod = fit_case_resident(&ask);
        char text[FIT_CASE_TEXT];

        ask.node->capacity.len = 3; /* cpu, memory, pods */
        ask.node->allocatable.len = 3;
        if (cases[i].gpus >= 0)
            give_amount(ask.builder, ask.node, GPU, cases[i].gpus);
        if (cases[i].nics >= 0)
            give_amount(ask.builder, ask.node, NIC, cases[i].nics);
        give_request(ask.builder, pod, 0, GPU, cases[i].used_gpus);
        give_request(ask.builder, pod, 0, NIC, cases[i].used_nics);
        if (strcmp(fit_case_answer(&ask, text), cases[i].want) != 0)
            fail_msg("row %zu: %s", i, text);
    }
}

static void test_fit__the_ratio_of_the_configuration_is_named_when_it_is_at_fault(void **state)
{
    static const struct {
        int64_t num, den;
        const char *per_gpu; /* NULL: no annotation */
        int64_t own;         /* NICs that the pod asks for itself */
        const char *want;
    } cases[] = {
        {4, 1, NULL, 0,
         "never 3 fabricbind: configured NICs per GPU do not match this instance type"},
        {17, 8, NULL, 0,
         "never 3 fabricbind: configured NICs per GPU do not match this instance type"},
        {2, 1, NULL, 0, "fits 0 "},
        {1, 2, NULL, 0, "fits 0 "},
        {2, 1, "3", 0, "never 3 fabricbind: node has fewer " NIC " than the pod needs"},
        {4, 1, "2", 0, "fits 0 "},
        {4, 1, NULL, 16, "fits 0 "},
        {2, 1, NULL, 17, "never 3 fabricbind: node has fewer " NIC " than the pod needs"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fit_case ask = fit_case_good();
        char text[FIT_CASE_TEXT];

        ask.builder->settings.ratio_mode = FB_RATIO_CONFIGURED;
        ask.builder->settings.ratio = fb_ratio_of(cases[i].num, cases[i].den);
        if (cases[i].per_gpu != NULL)
            give_annotation(ask.builder, ask.pod, "fabricbind.io/nics-per-gpu", cases[i].per_gpu);
        give_request(ask.builder, ask.pod, 0, NIC, cases[i].own);
        if (strcmp(fit_case_answer(&ask, text), cases[i].want) != 0)
            fail_msg("row %zu: %s", i, text);
    }
}

/* Without networking only the scheduler's own filters speak. */
static void test_fit__other_pods_are_only_counted(void **state)
{
    static const struct {
        void (*strike)(struct fit_case *ask);
        const char *want;
    } cases[] = {
        {fit_case_taint, "excluded -1 taint acme.test/repair"},
        {fit_case_no_gpu, "excluded -1 too few " GPU},
        {fit_case_sick_gpu, "excluded -1 too few " GPU},
        {fit_case_busy_gpu, "excluded -1 too few " GPU},
        {fit_case_no_memory, "excluded -1 too few memory"},
        {fit_case_busy_cpu, "excluded -1 too few cpu"},
        {fit_case_other_fabric, "fits 0 "},
        {fit_case_no_nic, "fits 0 "},
        {fit_case_unknown_fabric, "fits 0 "},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fit_case ask = fit_case_good();
        char text[FIT_CASE_TEXT];

        ask.networking = FB_NETWORKING_NO;
        cases[i].strike(&ask);
        assert_string_equal(fit_case_answer(&ask, text), cases[i].want);
    }
}

static void test_fit__a_resource_at_0_is_asked_of_no_one(void **state)
{
    static const struct {
        const char *resource;
        int64_t amount;
        const char *want;
    } cases[] = {
        {"disk", 0, "fits 0 "},
        {"disk", 1, "excluded -1 too few disk"},
        {"other.test/thing", 0, "fits 0 "},
        {"other.test/thing", 1, "excluded -1 too few other.test/thing"},
        {"cpu", 0, "fits 0 "},
        {"cpu", 192000, "fits 0 "},
        {"cpu", 192001, "excluded -1 too few cpu"},
    };
    static const enum fb_networking networkings[] = {FB_NETWORKING_NO, FB_NETWORKING_GANG};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        struct fit_case ask = fit_case_good();
        char text[FIT_CASE_TEXT];

        ask.networking = networkings[i % 2];
        give_request(ask.builder, ask.pod, 0, cases[i / 2].resource, cases[i / 2].amount);
        if (strcmp(fit_case_answer(&ask, text), cases[i / 2].want) != 0)
            fail_msg("row %zu: %s", i / 2, text);
    }
}

static void test_fit__a_pod_takes_one_of_the_nodes_pods(void **state)
{
    struct fit_case ask = fit_case_good();
    char text[FIT_CASE_TEXT];

    (void)state;
    give_amount(ask.builder, ask.node, "pods", 1);
    assert_string_equal(fit_case_answer(&ask, text), "fits 0 ");
    ask = fit_case_good();
    give_amount(ask.builder, ask.node, "pods", 1);
    (void)fit_case_resident(&ask);
    assert_string_equal(fit_case_answer(&ask, text), "excluded -1 too few pods");
}

static void test_fit__what_is_tolerated_is_no_reason(void **state)
{
    static const struct fb_toleration all = {"", "Exists", "", ""};
    struct fit_case ask = fit_case_good();
    char text[FIT_CASE_TEXT];

    (void)state;
    fit_case_taint(&ask);
    fit_case_cordoned(&ask);
    give_toleration(ask.builder, ask.pod, &all);
    assert_string_equal(fit_case_answer(&ask, text), "fits 0 ");
}

static void test_verdict_text__cuts_a_long_subject_and_keeps_the_rest(void **state)
{
    char subject[500];
    char text[FB_VERDICT_TEXT];
    struct fb_verdict verdict = {FB_NEVER, FB_REASON_FEWER, subject};

    (void)state;
    memset(subject, 'x', sizeof subject - 1);
    subject[sizeof subject - 1] = '\0';
    assert_ptr_equal(fb_verdict_text(&verdict, text), text);
    assert_int_equal(strspn(text + strlen("fabricbind: node has fewer "), "x"), 320);
    assert_string_equal(text + strlen(text) - 20, "x than the pod needs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit__says_what_is_wrong),
        cmocka_unit_test(test_fit__of_two_reasons_says_the_first_in_order),
        cmocka_unit_test(test_fit__busy_is_what_eviction_could_cure),
        cmocka_unit_test(test_fit__the_ratio_of_the_configuration_is_named_when_it_is_at_fault),
        cmocka_unit_test(test_fit__other_pods_are_only_counted),
        cmocka_unit_test(test_fit__a_resource_at_0_is_asked_of_no_one),
        cmocka_unit_test(test_fit__a_pod_takes_one_of_the_nodes_pods),
        cmocka_unit_test(test_fit__what_is_tolerated_is_no_reason),
        cmocka_unit_test(test_verdict_text__cuts_a_long_subject_and_keeps_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
