/* SPDX-License-Identifier: Apache-2.0 */
#include "volcano_conf_case.h"

#include "alloc_fault.h"
#include "unit.h"

#include "fabricbind/own.h"
#include "fabricbind/volcanofile.h"

#include <stdio.h>
#include <string.h>

/* Plugins, scores, and how calls may fail; where calls go is test_check_volcano_verbs.c's. */

#define TIMEOUT "extender.httpTimeout: 2s"
#define IGNORABLE "extender.ignorable: \"true\""
#define MANAGED "extender.managedResources: [nvidia.com/gpu, amd.com/gpu]"
#define SAMPLING                                                                                   \
    "info node-sampling nodes 1: above 100 nodes Volcano shows a sample only, and scores pull to " \
    "no node outside it: start it with --percentage-nodes-to-find=100\n"

static void expect_all(const struct conf_case *cases, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        struct builder *builder = conf_builder();

        conf_expect(builder, &conf_full, &cases[i]);
        builder_free(builder);
    }
}

static void test_check_volcano__looks_at_plugins_and_actions(void **state)
{
    static const struct conf_case cases[] = {
        {"sound", NULL, NULL, ""},
        {"no extender", "name: extender", "name: extenders",
         "error no-extender extender 1: the plugin is absent: Volcano calls nobody\n"},
        {"twice", "  - name: nodeorder\n", "  - name: extender\n  - name: nodeorder\n",
         "error extender-twice extender 1: line 19: given again after line 8: Volcano knows "
         "plugins "
         "by name, so the later one is asked twice and scores count twice\n"},
        {"before predicates",
         "  - name: gang\n    enablePreemptable: false\n- plugins:\n  - name: "
         "predicates\n",
         "  - name: gang\n- plugins:\n",
         "warning no-predicates predicates 1: the plugin is absent: nobody looks at selectors and "
         "taints\n"},
        {"in a tier before", "  - name: nodeorder\n", "  - name: predicates\n  - name: nodeorder\n",
         ""},
        {"predicates last", "  - name: predicates\n  - name: extender\n", "  - name: extender\n",
         "warning no-predicates predicates 1: the plugin is absent: nobody looks at selectors and "
         "taints\n"},
        {"filter off", "  - name: extender\n", "  - name: extender\n    enablePredicate: false\n",
         "error switched-off extender 1: line 9: enablePredicate is off: wiring full is never "
         "asked\n"},
        {"score off", "  - name: extender\n", "  - name: extender\n    enableNodeOrder: off\n",
         "error switched-off extender 1: line 9: enableNodeOrder is off: wiring full is never "
         "asked\n"},
        {"another switch", "  - name: extender\n",
         "  - name: extender\n    enableJobReady: false\n", ""},
        {"a switch in quotes", "enablePreemptable: false", "enablePreemptable: 'false'",
         "error volcano-refuses gang 1: line 5: enablePreemptable: neither true nor false: Volcano "
         "refuses the file and goes on with the one before\n"},
        {"a switch that is none", "enablePreemptable: false", "enabledPreemptable: false",
         "warning unknown-key gang 1: Volcano passes over keys that it does not know: "
         "enabledPreemptable in line 5 (nearest is enablePreemptable)\n"},
        {"a key that is none", "  - name: extender\n    arguments:\n",
         "  - name: extender\n    what: {ever: 1}\n    arguments:\n      extender.ignoreable: "
         "true\n"
         "      zzz: 1\n",
         "warning unknown-key extender 3: Volcano passes over keys that it does not know: what in "
         "line 9, extender.ignoreable in line 11 (nearest is extender.ignorable), zzz in line "
         "12\n"},
        {"no allocate", "enqueue, allocate, backfill", "enqueue,allocated, backfill",
         "error no-allocate actions 1: actions lack allocate: no pod gets a node\n"},
        {"no cache", "tiers:\n",
         "configurations: [{name: allocate, arguments: {predicateErrorCacheEnable: false}}]\n"
         "tiers:\n",
         "warning no-error-cache actions 1: line 2: predicateErrorCacheEnable is off: each pod of "
         "a gang asks anew about nodes that were refused\n"},
    };

    (void)state;
    expect_all(cases, COUNT(cases));
}

static void test_check_volcano__wants_the_extender_behind_predicates(void **state)
{
    struct builder *builder = conf_builder();
    struct fb_findings findings =
        conf_check(builder, &conf_lean,
                   "actions: allocate\ntiers:\n- plugins:\n  - name: extender\n- plugins:\n  - "
                   "name: predicates\n");
    size_t found = 0;

    (void)state;
    for (size_t i = 0; i < findings.len; i++) {
        if (strcmp(findings.at[i].code, "extender-first") == 0) {
            assert_string_equal(findings.at[i].message,
                                "line 4: stands before predicates (line 6): it is asked about "
                                "nodes that selectors and taints exclude");
            found++;
        }
    }
    assert_int_equal(found, 1);
    builder_free(builder);
}

static void test_check_volcano__adds_up_what_others_score(void **state)
{
    static const struct conf_case cases[] = {
        {"just below nearness", "tainttoleration.weight: 1", "tainttoleration.weight: 5", ""},
        {"nearness", "tainttoleration.weight: 1", "tainttoleration.weight: 6",
         "info score-near scoring.weight 1: other plugins add up to 800 (nodeorder 800), nearness "
         "to the gang is worth 800: they can outweigh it\n"},
        {"all of it", "tainttoleration.weight: 1", "tainttoleration.weight: 8",
         "warning score-drowned scoring.weight 1: other plugins add up to 1000 (nodeorder 1000) "
         "against scoring.weight 1000: lower their weights, or raise it\n"},
        {"a weight left out",
         "      tainttoleration.weight: 1\n      imagelocality.weight: 0\n      "
         "podtopologyspread.weight: 0\n",
         "",
         "info score-near scoring.weight 1: other plugins add up to 800 (nodeorder 800), nearness "
         "to the gang is worth 800: they can outweigh it\n"},
        {"a weight in quotes", "tainttoleration.weight: 1", "tainttoleration.weight: '1'",
         "warning weight-ignored nodeorder 1: Volcano passes over weights that are no whole "
         "numbers "
         "without quotes: tainttoleration.weight '1' in line 25 (it takes 3)\n"},
        {"weights with points", "leastrequested.weight: 0\n      balancedresource.weight: 0",
         "leastrequested.weight: 0.0\n      balancedresource.weight: 0.5",
         "warning weight-ignored nodeorder 2: Volcano passes over weights that are no whole "
         "numbers "
         "without quotes: leastrequested.weight '0.0' in line 21 (it takes 1), "
         "balancedresource.weight '0.5' in line 22 (it takes 1)\n"},
        {"a negative weight", "leastrequested.weight: 0", "leastrequested.weight: -7",
         "warning score-drowned scoring.weight 1: other plugins add up to 1000 (nodeorder 1000) "
         "against scoring.weight 1000: lower their weights, or raise it\n"},
        {"a huge weight", "leastrequested.weight: 0", "leastrequested.weight: 9223372036854775807",
         "warning score-drowned scoring.weight 1: other plugins add up to 100000000300 (nodeorder "
         "100000000300) against scoring.weight 1000: lower their weights, or raise it\n"},
        {"binpack", "  - name: nodeorder\n",
         "  - name: binpack\n    arguments: {binpack.weight: 10}\n  - name: nodeorder\n",
         "warning score-drowned scoring.weight 1: other plugins add up to 1300 (binpack 1000, "
         "nodeorder 300) against scoring.weight 1000: lower their weights, or raise it\n"},
        {"what has no weights given", "  - name: nodeorder\n",
         "  - name: binpack\n  - name: usage\n  - name: nodeorder\n",
         "info score-near scoring.weight 1: other plugins add up to 900 (binpack 100, usage 500, "
         "nodeorder 300), nearness to the gang is worth 800: they can outweigh it\n"},
        {"what is off", "  - name: nodeorder\n",
         "  - name: resource-strategy-fit\n    enableNodeOrder: false\n  - name: nodeorder\n", ""},
        {"a part that is on", "  - name: nodeorder\n",
         "  - name: resource-strategy-fit\n    arguments: {resourceStrategyFitWeight: 0, sra: "
         "{enable: true, weight: 6}}\n  - name: nodeorder\n",
         "info score-near scoring.weight 1: other plugins add up to 900 (resource-strategy-fit "
         "600, "
         "nodeorder 300), nearness to the gang is worth 800: they can outweigh it\n"},
        {"a part that is off", "  - name: nodeorder\n",
         "  - name: resource-strategy-fit\n    arguments: {resourceStrategyFitWeight: 0, sra: "
         "{weight: 6}}\n  - name: nodeorder\n",
         ""},
        {"what has no weight", "  - name: nodeorder\n",
         "  - name: tdm\n  - name: nodegroup\n  - name: usage\n  - name: nodeorder\n",
         "warning score-drowned scoring.weight 1: other plugins add up to 1050 (tdm 100, nodegroup "
         "150, usage 500, nodeorder 300) against scoring.weight 1000: lower their weights, or "
         "raise it\n"},
    };

    (void)state;
    expect_all(cases, COUNT(cases));
}

static void test_check_volcano__goes_by_the_weight_that_is_configured(void **state)
{
    static const struct conf_case drowned = {"10000", "tainttoleration.weight: 1",
                                             "tainttoleration.weight: 70", ""};
    struct builder *builder = conf_builder();

    (void)state;
    builder->settings.scoring.weight = 10000;
    conf_expect(builder, &conf_full, &drowned);
    builder_free(builder);
}

#define IGNORED(text)                                                                              \
    "warning timeout-ignored extender 1: line 11: extender.httpTimeout: '" text                    \
    "' is no duration such as 2s: Volcano takes 1s\n"
#define SHORT(text)                                                                                \
    "warning timeout-short extender 1: line 11: extender.httpTimeout " text                        \
    " is less than large requests may take: at least 200ms, better 2s\n"
#define ENDLESS(text)                                                                              \
    "warning timeout-none extender 1: line 11: extender.httpTimeout " text                         \
    " means no limit: a call that hangs stops the scheduler\n"

static void test_check_volcano__reads_the_timeout_as_go_does(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"200ms", ""},
        {"0.2s", ""},
        {"1m30s", ""},
        {".5s", ""},
        {"1.s", ""},
        {"+1h", ""},
        {"200000us", ""},
        {"200000\xc2\xb5s", ""},
        {"200000\xce\xbcs", ""},
        {"200000000ns", ""},
        {"100ms99ms", SHORT("100ms99ms")},
        {"199999us", SHORT("199999us")},
        {"'0'", ENDLESS("0")},
        {"0s", ENDLESS("0s")},
        {"-5s", ENDLESS("-5s")},
        {"5", IGNORED("5")},
        {"'5'", IGNORED("5")},
        {"5 s", IGNORED("5 s")},
        {"s", IGNORED("s")},
        {"1.5.5s", IGNORED("1.5.5s")},
        {".s", IGNORED(".s")},
        {"5sec", IGNORED("5sec")},
        {"1d", IGNORED("1d")},
        {"'-'", IGNORED("-")},
        {"''", IGNORED("")},
        {"9999999h", IGNORED("9999999h")},
        {"true", IGNORED("true")},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char line[64];
        const struct conf_case at = {cases[i].text, TIMEOUT, line, cases[i].want};

        (void)snprintf(line, sizeof line, "extender.httpTimeout: %s", cases[i].text);
        expect_all(&at, 1);
    }
}

#define NOT_IGNORABLE                                                                              \
    "warning not-ignorable extender 1: extender.ignorable is not true: while fabricbind is away, " \
    "no pod that it is asked about gets a node\n"

static void test_check_volcano__says_what_a_failing_call_does(void **state)
{
    static const struct conf_case cases[] = {
        {"no timeout", "      " TIMEOUT "\n", "", ""},
        {"true", IGNORABLE, "extender.ignorable: true", ""},
        {"t in quotes", IGNORABLE, "extender.ignorable: 't'", ""},
        {"absent", "      " IGNORABLE "\n", "", NOT_IGNORABLE},
        {"false", IGNORABLE, "extender.ignorable: false", NOT_IGNORABLE},
        {"yes in quotes", IGNORABLE, "extender.ignorable: 'yes'", NOT_IGNORABLE},
        {"a number", IGNORABLE, "extender.ignorable: 1", NOT_IGNORABLE},
        {"with sessionopen", IGNORABLE,
         "extender.ignorable: false\n      extender.onSessionOpenVerb: sessionopen",
         "error sessionopen-strict extender 1: extender.onSessionOpenVerb is set and "
         "extender.ignorable is not true: where one call fails, all of that session is scheduled "
         "without fabricbind\n"
         "warning sessionopen extender 1: the whole cluster is sent each second, and nothing of it "
         "is read: extender.onSessionOpenVerb\n"},
    };

    (void)state;
    expect_all(cases, COUNT(cases));
}

#define ALL                                                                                        \
    "warning managed-all extender 1: extender.managedResources is absent: pods without GPUs are "  \
    "asked about, too (Volcano from 1.13)\n"
#define ENDS                                                                                       \
    "error volcano-ends extender 1: line 18: extender.managedResources is no list of texts: "      \
    "Volcano ends on reading it\n"

static void test_check_volcano__looks_at_the_managed_resources(void **state)
{
    static const struct conf_case cases[] = {
        {"absent", "      " MANAGED "\n", "", ALL},
        {"empty", MANAGED, "extender.managedResources: []", ALL},
        {"one text", MANAGED, "extender.managedResources: nvidia.com/gpu", ENDS},
        {"a number", MANAGED, "extender.managedResources: [nvidia.com/gpu, 5]", ENDS},
        {"only what nodes have", MANAGED, "extender.managedResources: [nvidia.com/gpu]", ""},
        {"not what nodes have", MANAGED, "extender.managedResources: [amd.com/gpu]",
         "error managed-gpus extender 1: extender.managedResources lacks GPUs that nodes have: "
         "pods "
         "that ask for them are placed without fabricbind: nvidia.com/gpu\n"},
        {"NICs", MANAGED, "extender.managedResources: [nvidia.com/gpu, " NIC "]",
         "warning managed-nics extender 1: extender.managedResources is for GPUs: pods are found "
         "by "
         "those, and NICs are counted for them: " NIC " in line 18\n"},
        {"an own resource", MANAGED, "extender.managedResources: [nvidia.com/gpu, example.com/own]",
         ""},
    };

    (void)state;
    expect_all(cases, COUNT(cases));
}

static void test_check_volcano__tells_of_sampling_where_it_hides_the_plan(void **state)
{
    static const struct conf_case at = {"prefer", NULL, NULL, SAMPLING};
    struct builder *builder = conf_builder();

    (void)state;
    builder->settings.placement = FB_PLACEMENT_PREFER;
    conf_expect(builder, &conf_full, &at);
    builder_free(builder);
}

static struct fb_finding finding_of(enum fb_level level, const char *code)
{
    return (struct fb_finding){level, code, "x", "y", 1};
}

static void test_check_join__keeps_the_order_of_levels(void **state)
{
    struct fb_finding ours[] = {finding_of(FB_LEVEL_ERROR, "b"), finding_of(FB_LEVEL_INFO, "a")};
    struct fb_finding theirs[] = {finding_of(FB_LEVEL_ERROR, "a"),
                                  finding_of(FB_LEVEL_WARNING, "c")};
    static const char *const want[] = {"a", "b", "c", "a"};
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_findings all = {0};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fb_findings more = {i == 0 ? ours : theirs, 2, 2};

        assert_int_equal(fb_check_join(arena, &all, &more), FB_OK);
    }
    assert_int_equal(all.len, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++)
        assert_string_equal(all.at[i].code, want[i]);
}

/* Every allocation fails once, with findings of all kinds. */
static void test_check_volcano__survives_want_of_memory(void **state)
{
    static const char yaml[] =
        "actions: backfill\n"
        "tiers:\n"
        "- plugins:\n"
        "  - {name: nodeorder, arguments: {leastrequested.weight: 1.5}}\n"
        "  - {name: usage, what: 1}\n"
        "  - {name: extender, enablePredicate: false, arguments: {extender.x: 1, "
        "extender.jobReadyVerb: x, extender.predicateVerb: prioritize, extender.onSessionOpenVerb: "
        "sessionopen, extender.urlPrefix: 'http://a', extender.httpTimeout: 1ms, "
        "extender.managedResources: [" NIC "]}}\n";
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    for (; st != FB_OK; after++) {
        struct builder *builder = conf_builder();
        struct fb_cluster cluster = build_cluster(builder);
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new_small(0);
        struct fb_volcano_conf conf = {0};
        struct fb_findings findings = {0};

        assert_true(after < 1000);
        assert_int_equal(fb_volcanofile_read(builder->arena, yaml, strlen(yaml), &conf, NULL),
                         FB_OK);
        cluster.arena = arena;
        alloc_fault_arm(after);
        st = fb_check_volcano(&cluster, &conf_full, &conf, &findings);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        assert_int_equal(findings.len > 0, st == FB_OK);
        builder_free(builder);
    }
    assert_true(after > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_volcano__looks_at_plugins_and_actions),
        cmocka_unit_test(test_check_volcano__wants_the_extender_behind_predicates),
        cmocka_unit_test(test_check_volcano__adds_up_what_others_score),
        cmocka_unit_test(test_check_volcano__goes_by_the_weight_that_is_configured),
        cmocka_unit_test(test_check_volcano__reads_the_timeout_as_go_does),
        cmocka_unit_test(test_check_volcano__says_what_a_failing_call_does),
        cmocka_unit_test(test_check_volcano__looks_at_the_managed_resources),
        cmocka_unit_test(test_check_volcano__tells_of_sampling_where_it_hides_the_plan),
        cmocka_unit_test(test_check_join__keeps_the_order_of_levels),
        cmocka_unit_test(test_check_volcano__survives_want_of_memory),
    };

    return cmocka_run_group_tests_name("check_volcano", tests, NULL, NULL);
}
