/* SPDX-License-Identifier: Apache-2.0 */
#include "volcano_conf_case.h"

#include "unit.h"

#include "fabricbind/volcano.h"

#include <stdio.h>
#include <string.h>

/* What is called, and where. */

static void expect_all(const struct fb_volcano_coupling *coupling, const struct conf_case *cases,
                       size_t len)
{
    for (size_t i = 0; i < len; i++) {
        struct builder *builder = conf_builder();

        conf_expect(builder, coupling, &cases[i]);
        builder_free(builder);
    }
}

#define URL "http://127.0.0.1:9712/volcano"
#define VERB "extender.predicateVerb: predicate"

static void test_check_volcano_url__says_where_calls_do_not_arrive(void **state)
{
    static const struct conf_case cases[] = {
        {"slashes at the end", URL, URL "//", ""},
        {"localhost", URL, "http://localhost:9712/volcano", ""},
        {"no prefix", "extender.urlPrefix: " URL, "extender.httpTimeouts: 1s",
         "error url-missing extender 1: extender.urlPrefix is missing: every call fails\n"
         "error verb-unknown extender 5: paths that fabricbind does not serve: "
         "extender.predicateVerb goes to /predicate instead of /volcano/predicate, "
         "extender.prioritizeVerb goes to /prioritize instead of /volcano/prioritize, "
         "extender.allocateFuncVerb goes to /allocate instead of /volcano/allocate and 2 more\n"
         "warning unknown-key extender 1: Volcano passes over keys that it does not know: "
         "extender.httpTimeouts in line 10 (nearest is extender.httpTimeout)\n"},
        {"TLS", URL, "https://127.0.0.1:9712/volcano",
         "error url-https extender 1: line 10: extender.urlPrefix is https: listen.extender speaks "
         "plain HTTP, as Volcano can neither be given a CA nor prove who it is\n"},
        {"no scheme", URL, "127.0.0.1:9712/volcano",
         "error url-scheme extender 1: line 10: extender.urlPrefix is no http://host:port/path: "
         "every call fails\n"},
        {"no host", URL, "http:///volcano",
         "error url-scheme extender 1: line 10: extender.urlPrefix is no http://host:port/path: "
         "every call fails\n"},
        {"another port", URL, "http://127.0.0.1:9713/volcano",
         "error url-port extender 1: line 10: extender.urlPrefix goes to port 9713, "
         "listen.extender is 127.0.0.1:9712\n"},
        {"the port of HTTP", URL, "http://127.0.0.1/volcano",
         "error url-port extender 1: line 10: extender.urlPrefix goes to port 80, "
         "listen.extender is 127.0.0.1:9712\n"},
        {"another host", URL, "http://example.com:9712/volcano",
         "error url-unreachable extender 1: line 10: extender.urlPrefix goes to host example.com, "
         "which does not lead to listen.extender 127.0.0.1:9712\n"},
        {"another host, version 6", URL, "http://[2001:db8::1]:9712/volcano",
         "error url-unreachable extender 1: line 10: extender.urlPrefix goes to host 2001:db8::1, "
         "which does not lead to listen.extender 127.0.0.1:9712\n"},
    };

    (void)state;
    expect_all(&conf_full, cases, COUNT(cases));
}

static void test_check_volcano_url__knows_that_a_service_may_lead_on(void **state)
{
    static const struct {
        const char *listen, *url, *want;
    } cases[] = {
        {"0.0.0.0:9712", "http://127.0.0.1:9712/volcano", ""},
        {"[::]:9712", "http://[::1]:9712/volcano", ""},
        {"0.0.0.0:9712", "http://fabricbind.example.com:9712/volcano", ""},
        {"0.0.0.0:0", "http://127.0.0.1:1234/volcano", ""},
        {"0.0.0.0:9712", "http://fabricbind.example.com/volcano",
         "warning url-port extender 1: line 10: extender.urlPrefix goes to port 80, "
         "listen.extender is 0.0.0.0:9712: fine where a Service leads there\n"},
        {"192.0.2.1:9712", "http://127.0.0.1:9712/volcano",
         "error url-unreachable extender 1: line 10: extender.urlPrefix goes to host 127.0.0.1, "
         "which does not lead to listen.extender 192.0.2.1:9712\n"},
        {"0.0.0.0:9712", "http://127.0.0.1:x/volcano",
         "error url-port extender 1: line 10: extender.urlPrefix goes to port 80, "
         "listen.extender is 0.0.0.0:9712\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = conf_builder();
        struct fb_volcano_coupling coupling = {"full", true, true, cases[i].listen};
        struct conf_case at = {cases[i].url, URL, cases[i].url, cases[i].want};

        conf_expect(builder, &coupling, &at);
        builder_free(builder);
    }
}

static void test_check_volcano_verbs__says_what_full_lacks(void **state)
{
    static const struct conf_case cases[] = {
        {"sound", NULL, NULL, ""},
        {"verbs as paths",
         URL "\n      extender.httpTimeout: 2s\n      extender.ignorable: \"true\"\n      " VERB,
         "http://127.0.0.1:9712/volcano\n      extender.httpTimeout: 2s\n      extender.ignorable: "
         "\"true\"\n      " VERB,
         ""},
        {"no predicate", "      " VERB "\n", "",
         "error verb-missing extender 1: wiring full needs verbs that are not set: "
         "extender.predicateVerb\n"},
        {"empty prioritize", "prioritizeVerb: prioritize", "prioritizeVerb: ''",
         "error verb-missing extender 1: wiring full needs verbs that are not set: "
         "extender.prioritizeVerb\n"},
        {"a verb that is no text", "prioritizeVerb: prioritize", "prioritizeVerb: 5",
         "error verb-missing extender 1: wiring full needs verbs that are not set: "
         "extender.prioritizeVerb\n"},
        {"no allocate", "      extender.allocateFuncVerb: allocate\n", "",
         "warning verb-missing extender 1: without these verbs placements are seen late, once pods "
         "are bound (Volcano before 1.13 has no allocateFuncVerb and deallocateFuncVerb): "
         "extender.allocateFuncVerb\n"},
        {"unknown", "prioritizeVerb: prioritize", "prioritizeVerb: prioritise",
         "error verb-unknown extender 1: paths that fabricbind does not serve: "
         "extender.prioritizeVerb goes to /volcano/prioritise instead of /volcano/prioritize\n"},
        {"case counts", "onSessionCloseVerb: sessionclose", "onSessionCloseVerb: onSessionClose",
         "error verb-unknown extender 1: paths that fabricbind does not serve: "
         "extender.onSessionCloseVerb goes to /volcano/onSessionClose instead of "
         "/volcano/sessionclose\n"},
        {"swapped", "deallocateFuncVerb: deallocate", "deallocateFuncVerb: allocate",
         "error verb-wrong extender 1: paths that answer other questions: "
         "extender.deallocateFuncVerb goes to /volcano/allocate instead of /volcano/deallocate\n"},
        {"idle ones", VERB,
         VERB
         "\n      extender.jobReadyVerb: jobready\n      extender.preemptableVerb: preemptable",
         "info verb-idle extender 2: fabricbind leaves these to the other plugins: each call costs "
         "and decides nothing: extender.jobReadyVerb, extender.preemptableVerb\n"},
        {"sessionopen", VERB, VERB "\n      extender.onSessionOpenVerb: sessionopen",
         "warning sessionopen extender 1: the whole cluster is sent each second, and nothing of it "
         "is read: extender.onSessionOpenVerb\n"},
    };

    (void)state;
    expect_all(&conf_full, cases, COUNT(cases));
}

static void test_check_volcano_verbs__takes_the_old_dialect(void **state)
{
    static const struct conf_case cases[] = {
        {"paths", URL, "http://127.0.0.1:9712",
         "error verb-unknown extender 5: paths that fabricbind does not serve: "
         "extender.predicateVerb goes to /predicate instead of /volcano/predicate, "
         "extender.prioritizeVerb goes to /prioritize instead of /volcano/prioritize, "
         "extender.allocateFuncVerb goes to /allocate instead of /volcano/allocate and 2 more\n"},
        {"a verb with dots", VERB, "extender.predicateVerb: ../volcano-1.9/predicate",
         "error verb-unknown extender 1: paths that fabricbind does not serve: "
         "extender.predicateVerb goes to /volcano/../volcano-1.9/predicate instead of "
         "/volcano/predicate\n"},
        {"all of 1.9",
         URL "\n"
             "      extender.httpTimeout: 2s\n"
             "      extender.ignorable: \"true\"\n"
             "      extender.predicateVerb: predicate\n"
             "      extender.prioritizeVerb: prioritize\n"
             "      extender.allocateFuncVerb: allocate\n"
             "      extender.deallocateFuncVerb: deallocate\n"
             "      extender.onSessionCloseVerb: sessionclose\n"
             "      extender.managedResources: [nvidia.com/gpu, amd.com/gpu]\n",
         "http://127.0.0.1:9712\n"
         "      extender.ignorable: true\n"
         "      extender.predicateVerb: volcano-1.9/predicate\n"
         "      extender.prioritizeVerb: volcano/prioritize\n",
         ""},
        {"its prefix has nothing else", URL, "http://127.0.0.1:9712/volcano-1.9",
         "error verb-unknown extender 4: paths that fabricbind does not serve: "
         "extender.prioritizeVerb goes to /volcano-1.9/prioritize instead of /volcano/prioritize, "
         "extender.allocateFuncVerb goes to /volcano-1.9/allocate instead of /volcano/allocate, "
         "extender.deallocateFuncVerb goes to /volcano-1.9/deallocate instead of "
         "/volcano/deallocate and 1 more\n"},
    };

    (void)state;
    expect_all(&conf_full, cases, COUNT(cases));
}

static void test_check_volcano_verbs__knows_what_a_wiring_has_no_use_for(void **state)
{
    static const struct conf_case score[] = {
        {"the filter", NULL, NULL,
         "warning verb-beside-wiring extender 1: wiring score has no use for verbs that are set: "
         "extender.predicateVerb\n"
         "info node-sampling nodes 1: above 100 nodes Volcano shows a sample only, and scores pull "
         "to no node outside it: start it with --percentage-nodes-to-find=100\n"},
        {"none", "      " VERB "\n", "",
         "info node-sampling nodes 1: above 100 nodes Volcano shows a sample only, and scores pull "
         "to no node outside it: start it with --percentage-nodes-to-find=100\n"},
    };
    static const struct conf_case lean[] = {
        {"both", NULL, NULL,
         "warning verb-beside-wiring extender 2: wiring lean has no use for verbs that are set: "
         "extender.predicateVerb, extender.prioritizeVerb\n"},
        {"weights are its own affair",
         "      " VERB "\n      extender.prioritizeVerb: prioritize\n", "", ""},
    };

    (void)state;
    expect_all(&conf_score, score, COUNT(score));
    expect_all(&conf_lean, lean, COUNT(lean));
}

static bool said(const struct fb_findings *findings, const char *code, const char *text)
{
    for (size_t i = 0; i < findings->len; i++) {
        if (strcmp(findings->at[i].code, code) == 0)
            return strstr(findings->at[i].message, text) != NULL;
    }
    return false;
}

/* Every verb that is answered has a key here, under the name of its route. */
static void test_check_volcano_verbs__knows_every_verb_that_is_answered(void **state)
{
    static const char *const keys[FB_VOLCANO_VERBS] = {
        [FB_VOLCANO_PREDICATE] = "predicate",
        [FB_VOLCANO_PRIORITIZE] = "prioritize",
        [FB_VOLCANO_ALLOCATE] = "allocateFunc",
        [FB_VOLCANO_DEALLOCATE] = "deallocateFunc",
        [FB_VOLCANO_JOBENQUEUEABLE] = "jobEnqueueable",
        [FB_VOLCANO_JOBREADY] = "jobReady",
        [FB_VOLCANO_PREEMPTABLE] = "preemptable",
        [FB_VOLCANO_RECLAIMABLE] = "reclaimable",
        [FB_VOLCANO_QUEUEOVERUSED] = "queueOverused",
        [FB_VOLCANO_JOBENQUEUED] = "jobEnqueued",
        [FB_VOLCANO_SESSIONOPEN] = "onSessionOpen",
        [FB_VOLCANO_SESSIONCLOSE] = "onSessionClose",
    };

    (void)state;
    for (int verb = 0; verb < FB_VOLCANO_VERBS; verb++) {
        const char *name = fb_volcano_verb_name((enum fb_volcano_verb)verb);
        struct builder *builder = conf_builder();
        struct fb_findings findings;
        char yaml[256];
        char want[128];

        (void)snprintf(yaml, sizeof yaml,
                       "tiers: [{plugins: [{name: extender, arguments: {extender.urlPrefix: "
                       "'" URL "', extender.%sVerb: x}}]}]",
                       keys[verb]);
        (void)snprintf(want, sizeof want,
                       "extender.%sVerb goes to /volcano/x instead of /volcano/%s", keys[verb],
                       name);
        findings = conf_check(builder, &conf_lean, yaml);
        assert_true(said(&findings, "verb-unknown", want));
        builder_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_volcano_url__says_where_calls_do_not_arrive),
        cmocka_unit_test(test_check_volcano_url__knows_that_a_service_may_lead_on),
        cmocka_unit_test(test_check_volcano_verbs__says_what_full_lacks),
        cmocka_unit_test(test_check_volcano_verbs__takes_the_old_dialect),
        cmocka_unit_test(test_check_volcano_verbs__knows_what_a_wiring_has_no_use_for),
        cmocka_unit_test(test_check_volcano_verbs__knows_every_verb_that_is_answered),
    };

    return cmocka_run_group_tests_name("check_volcano_verbs", tests, NULL, NULL);
}
