/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc_fault.h"
#include "extender_case.h"
#include "extender_values.h"
#include "metrics_text.h"

#include "fabricbind/own.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pod that wants a whole node, and two nodes of the snapshot's kind, one with a pod on it. */
/* clang-format off */
#define POD(name) \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"team\",\"uid\":\"" name "\"," \
    "\"labels\":{\"a\":\"b\"},\"annotations\":{\"fabricbind.io/networking\":\"true\"}," \
    "\"ownerReferences\":[{\"kind\":\"Job\",\"apiVersion\":\"batch.volcano.sh/v1alpha1\"," \
    "\"name\":\"j\",\"uid\":\"u-j\",\"controller\":true}]}," \
    "\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":" \
    "{\"nvidia.com/gpu\":\"8\",\"cpu\":\"4\"}}}],\"tolerations\":[{\"operator\":\"Exists\"}]}," \
    "\"status\":{\"phase\":\"Pending\"}}"
#define TASK(name, node, status) \
    "\"task\":{\"UID\":\"" name "\",\"NodeName\":\"" node "\",\"Status\":" status "," \
    "\"Pod\":" POD(name) "}"
#define AMOUNTS(gpus, nics) \
    "{\"MilliCPU\":9000,\"Memory\":1000000,\"ScalarResources\":{\"nvidia.com/gpu\":" gpus "," \
    "\"vpc.amazonaws.com/efa\":" nics ",\"pods\":110}}"
#define NODE(name, nics) \
    "{\"Name\":\"" name "\",\"Node\":{\"metadata\":{\"name\":\"" name "\"," \
    "\"labels\":{\"node.kubernetes.io/instance-type\":\"p5.48xlarge\"}}," \
    "\"spec\":{\"providerID\":\"aws:///z/i-1\"," \
    "\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]}," \
    "\"status\":{\"allocatable\":{\"nvidia.com/gpu\":\"8\",\"vpc.amazonaws.com/efa\":\"32\"," \
    "\"cpu\":\"9\",\"memory\":\"1Gi\",\"pods\":\"110\"}," \
    "\"capacity\":{\"nvidia.com/gpu\":\"8\"}," \
    "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}," \
    "\"Idle\":" AMOUNTS("8000", nics) ",\"Releasing\":" AMOUNTS("0", "0") "," \
    "\"Pipelined\":{\"MilliCPU\":0,\"Memory\":0,\"ScalarResources\":null}," \
    "\"Tasks\":{\"o\":{\"Status\":64,\"Pod\":" POD("o") "}}}"
/* clang-format on */

static const char predicate[] = "{" TASK("p", "", "1") ",\"node\":" NODE("n-1", "32000") "}";
static const char busy[] = "{" TASK("p", "", "1") ",\"node\":" NODE("n-1", "0") "}";
static const char prioritize[] =
    "{" TASK("p", "", "1") ",\"nodes\":[" NODE("n-1", "32000") "," NODE("n-2", "0") "]}";
static const char allocate[] = "{" TASK("p", "n-1", "2") "}";

static const char passed[] = "{\"errorMessage\":\"\",\"status\":\"\",\"code\":0}";
static const char refused[] = "{\"errorMessage\":\"fabricbind: request not readable\","
                              "\"status\":\"fabricbind: request not readable\",\"code\":2}";
static const char unscored[] = "{\"nodeScore\":{},\"errorMessage\":\"\"}";

static void start(struct extender_case *run, enum fb_mode mode, enum fb_on_fault on_fault)
{
    struct fb_inventory *inventory = extender_case_read(NULL);

    inventory->in.config.mode = mode;
    inventory->in.config.on_fault = on_fault;
    extender_case_start(run, inventory);
}

static void expect(const struct extender_case *run, enum fb_volcano_verb verb, const char *body,
                   const char *want)
{
    char *text = extender_case_say(run, verb, body);

    if (strcmp(text, want) != 0)
        fail_msg("%s: %.60s: %s, wanted %s", fb_volcano_verb_name(verb), body, text, want);
    free(text);
}

static void expect_faults(const struct extender_case *run, enum fb_volcano_verb verb, size_t faults)
{
    char series[128], line[160];

    (void)snprintf(series, sizeof series, "fabricbind_faults_total{where=\"%s\"}",
                   fb_volcano_verb_name(verb));
    (void)snprintf(line, sizeof line, "%s %zu", series, faults);
    if (faults > 0)
        expect_metric(run->metrics, line);
    else
        expect_no_metric(run->metrics, series);
}

/* A node that fits, one that does not, scores and events: what all faults are set against. */
static void test_extender__answers_what_can_be_read(void **state)
{
    struct extender_case run;

    (void)state;
    start(&run, FB_MODE_ENFORCE, FB_ON_FAULT_PASS);
    expect(&run, FB_VOLCANO_PREDICATE, predicate, passed);
    expect(&run, FB_VOLCANO_PRIORITIZE, "{" TASK("p", "", "1") ",\"nodes\":[]}", unscored);
    expect(&run, FB_VOLCANO_PRIORITIZE, "{" TASK("p", "", "1") "}", unscored);
    expect(&run, FB_VOLCANO_ALLOCATE, allocate, "{\"errorMessage\":\"\"}");
    expect(&run, FB_VOLCANO_DEALLOCATE, allocate, "{\"errorMessage\":\"\"}");
    expect_no_metric(run.metrics, "fabricbind_faults_total");
    extender_case_stop(&run);
}

static const char *const broken[] = {
    "",
    "{",
    "null",
    "7",
    "[]",
    "\"x\"",
    "{}",
    "{]",
    "{}}",
    "{\"task\":7}",
    "{\"task\":{}}",
    "\xff\xfe",
    "{\"task\":null}",
    "{\"task\":{\"UID\":\"\"}}",
};

static void test_extender__stays_neutral_where_a_body_is_broken(void **state)
{
    struct extender_case run;

    (void)state;
    start(&run, FB_MODE_ENFORCE, FB_ON_FAULT_PASS);
    for (int i = 0; i < FB_VOLCANO_VERBS; i++) {
        enum fb_volcano_verb verb = (enum fb_volcano_verb)i;

        for (size_t at = 0; at < COUNT(broken); at++)
            expect(&run, verb, broken[at], fb_volcano_neutral(verb, FB_VOLCANO_TEXT, false));
        expect_faults(&run, verb, fb_volcano_reads(verb) ? COUNT(broken) : 0);
    }
    extender_case_stop(&run);
}

static void test_extender__refuses_where_a_body_is_broken_if_told_so(void **state)
{
    struct extender_case run;

    (void)state;
    start(&run, FB_MODE_ENFORCE, FB_ON_FAULT_REJECT);
    for (size_t at = 0; at < COUNT(broken); at++) {
        struct extender_ask ask = {FB_VOLCANO_PREDICATE, FB_VOLCANO_ARRAY,   broken[at],
                                   strlen(broken[at]),   strlen(broken[at]), FB_OK};
        char *text = extender_case_ask(&run, &ask);

        assert_string_equal(text, "{\"status\":[{\"Code\":2,\"Reason\":"
                                  "\"fabricbind: request not readable\"}]}");
        free(text);
        expect(&run, FB_VOLCANO_PREDICATE, broken[at], refused);
        expect(&run, FB_VOLCANO_PRIORITIZE, broken[at], unscored);
        expect(&run, FB_VOLCANO_ALLOCATE, broken[at], "{\"errorMessage\":\"\"}");
    }
    expect(&run, FB_VOLCANO_PREDICATE, predicate, passed);
    expect_faults(&run, FB_VOLCANO_PREDICATE, 2 * COUNT(broken));
    extender_case_stop(&run);
}

/* Too long, too slow: the server tells so once the body is over. */
static void test_extender__stays_neutral_where_the_server_gave_up(void **state)
{
    static const enum fb_status faults[] = {FB_ELIMIT, FB_EIO, FB_ENOMEM};
    struct extender_case run;

    (void)state;
    for (int rejects = 0; rejects < 2; rejects++) {
        start(&run, FB_MODE_ENFORCE, rejects ? FB_ON_FAULT_REJECT : FB_ON_FAULT_PASS);
        for (size_t i = 0; i < COUNT(faults); i++) {
            struct extender_ask ask = {
                .body = predicate, .len = strlen(predicate), .st = faults[i]};
            char *text = extender_case_ask(&run, &ask);

            assert_string_equal(text, rejects ? refused : passed);
            free(text);
        }
        expect_faults(&run, FB_VOLCANO_PREDICATE, COUNT(faults));
        extender_case_stop(&run);
    }
}

static void test_extender__forgets_a_request_that_is_dropped(void **state)
{
    struct extender_case run;
    struct fb_route route = {.number = FB_EXTENDER_ROUTE(FB_VOLCANO_ALLOCATE, FB_VOLCANO_TEXT)};
    struct fb_request request = {.route = &route, .query = ""};

    (void)state;
    start(&run, FB_MODE_ENFORCE, FB_ON_FAULT_PASS);
    for (size_t len = 0; len <= strlen(allocate); len += 7) {
        void *kept = fb_extender_handler.begin(run.extender, &request);

        assert_non_null(kept);
        assert_int_equal(fb_extender_handler.feed(kept, allocate, len, NULL), FB_OK);
        fb_extender_handler.drop(kept);
    }
    fb_extender_measure(run.extender);
    expect_metric(run.metrics, "fabricbind_ledger_entries{kind=\"allocated\"} 0");
    expect_no_metric(run.metrics, "fabricbind_faults_total");
    extender_case_stop(&run);
}

static void test_extender__changes_nothing_when_it_observes(void **state)
{
    struct extender_case run;
    char *text;

    (void)state;
    start(&run, FB_MODE_ENFORCE, FB_ON_FAULT_REJECT);
    text = extender_case_say(&run, FB_VOLCANO_PREDICATE, busy);
    assert_non_null(strstr(text, "\"code\":2}")); /* or this test would show nothing */
    free(text);
    text = extender_case_say(&run, FB_VOLCANO_PRIORITIZE, prioritize);
    assert_string_not_equal(text, unscored);
    free(text);
    extender_case_stop(&run);

    start(&run, FB_MODE_OBSERVE, FB_ON_FAULT_REJECT);
    expect(&run, FB_VOLCANO_PREDICATE, busy, passed);
    expect(&run, FB_VOLCANO_PREDICATE, "{", passed);
    expect(&run, FB_VOLCANO_PRIORITIZE, prioritize, unscored);
    expect_metric(run.metrics, "fabricbind_decisions_total{verdict=\"busy\",reason=\"busy\"} 1");
    expect_faults(&run, FB_VOLCANO_PREDICATE, 1);
    extender_case_stop(&run);
}

static void expect_documented(const struct extender_case *run, enum fb_volcano_verb verb,
                              const char *body)
{
    char *text = extender_case_say(run, verb, body);

    if (!extender_case_documented(verb, FB_VOLCANO_TEXT, text))
        fail_msg("%s: %s: %s", fb_volcano_verb_name(verb), body, text);
    free(text);
}

static void replace_each(const struct extender_case *run, enum fb_volcano_verb verb,
                         const char *body)
{
    static const char *const others[] = {
        "null", "7", "-1e400", "\"x\"", "[]", "{}", "true", "[[{}]]", "{\"a\":{\"b\":[1]}}"};
    struct extender_values values;

    extender_values_find(body, &values);
    assert_true(values.len > 20);
    for (size_t at = 0; at < values.len; at++) {
        for (size_t i = 0; i < COUNT(others); i++) {
            char *text = extender_values_put(&values, at, others[i]);

            expect_documented(run, verb, text);
            free(text);
        }
    }
}

static void test_extender__keeps_to_the_protocol_whatever_the_types(void **state)
{
    static const char *const providers[] = {NULL, "aws"};
    struct extender_case run;

    (void)state;
    for (size_t i = 0; i < COUNT(providers); i++) {
        extender_case_start(&run, extender_case_read(providers[i]));
        replace_each(&run, FB_VOLCANO_PREDICATE, predicate);
        replace_each(&run, FB_VOLCANO_PRIORITIZE, prioritize);
        replace_each(&run, FB_VOLCANO_ALLOCATE, allocate);
        replace_each(&run, FB_VOLCANO_DEALLOCATE, allocate);
        replace_each(&run, FB_VOLCANO_PREEMPTABLE, allocate);
        expect(&run, FB_VOLCANO_SESSIONCLOSE, "{}", "");
        extender_case_stop(&run);
    }
}

static void test_extender__keeps_to_the_protocol_wherever_a_body_is_cut(void **state)
{
    struct extender_case run;

    (void)state;
    start(&run, FB_MODE_ENFORCE, FB_ON_FAULT_REJECT);
    for (size_t len = 0; len < strlen(predicate); len++) {
        struct extender_ask ask = {.body = predicate, .len = len};
        char *text = extender_case_ask(&run, &ask);

        assert_string_equal(text, refused);
        free(text);
    }
    extender_case_stop(&run);
}

static char *ask_with_memory_for(const struct extender_case *run, enum fb_volcano_verb verb,
                                 const char *body, int after)
{
    struct extender_ask ask = {.verb = verb, .body = body, .len = strlen(body), .piece = 100};
    char *text;

    alloc_fault_arm(after);
    text = extender_case_ask(run, &ask);
    alloc_fault_disarm();
    assert_non_null(text);
    return text;
}

/* Room for no allocation, for one and so on, until the answer is what it is with memory enough. */
static void starve(enum fb_volcano_verb verb, const char *body, const char *fault)
{
    struct extender_case run;
    char *want;
    int after = 0;

    start(&run, FB_MODE_ENFORCE, FB_ON_FAULT_PASS);
    want = extender_case_say(&run, verb, body);
    extender_case_stop(&run);
    assert_string_not_equal(want, fault);
    for (bool done = false; !done; after++) {
        char *text;

        start(&run, FB_MODE_ENFORCE, FB_ON_FAULT_REJECT);
        text = ask_with_memory_for(&run, verb, body, after);
        done = strcmp(text, want) == 0;
        if (!done)
            assert_string_equal(text, fault);
        free(text);
        expect(&run, verb, body, want); /* what failed left nothing behind */
        extender_case_stop(&run);
    }
    assert_true(after > 5);
    free(want);
}

static void test_extender__survives_a_lack_of_memory(void **state)
{
    (void)state;
    starve(FB_VOLCANO_PREDICATE, predicate, refused);
    starve(FB_VOLCANO_PRIORITIZE, prioritize, unscored);
}

static double allocated(const struct extender_case *run)
{
    size_t len;
    char *text, *at;
    double found;

    fb_extender_measure(run->extender);
    text = fb_metrics_print(run->metrics, &len);
    assert_non_null(text);
    at = strstr(text, "fabricbind_ledger_entries{kind=\"allocated\"} ");
    assert_non_null(at);
    found = strtod(strchr(at, ' '), NULL);
    free(text);
    return found;
}

static void test_extender__keeps_an_event_whole_or_not_at_all(void **state)
{
    int after = 0;

    (void)state;
    for (bool done = false; !done; after++) {
        struct extender_case run;
        char *text;

        start(&run, FB_MODE_ENFORCE, FB_ON_FAULT_PASS);
        text = ask_with_memory_for(&run, FB_VOLCANO_ALLOCATE, allocate, after);
        assert_string_equal(text, "{\"errorMessage\":\"\"}");
        free(text);
        done = allocated(&run) == 1.0;
        expect(&run, FB_VOLCANO_ALLOCATE, allocate, "{\"errorMessage\":\"\"}");
        assert_true(allocated(&run) == 1.0);
        expect(&run, FB_VOLCANO_DEALLOCATE, allocate, "{\"errorMessage\":\"\"}");
        assert_true(allocated(&run) == 0.0);
        extender_case_stop(&run);
    }
    assert_true(after > 5);
}

static void test_extender_new__survives_a_lack_of_memory(void **state)
{
    enum fb_status st = FB_ENOMEM;
    struct extender_case run;

    (void)state;
    start(&run, FB_MODE_ENFORCE, FB_ON_FAULT_PASS);
    for (int after = 0; st != FB_OK; after++) {
        FB_OWNED(fb_extender_freep) struct fb_extender *extender = NULL;
        struct fb_error err = {0};

        alloc_fault_arm(after);
        st = fb_extender_new(run.slot, run.metrics, &extender, &err);
        alloc_fault_disarm();
        if (st != FB_OK) {
            assert_int_equal(st, FB_ENOMEM);
            assert_null(extender);
            assert_string_equal(err.text, "out of memory");
        }
    }
    extender_case_stop(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extender__answers_what_can_be_read),
        cmocka_unit_test(test_extender__stays_neutral_where_a_body_is_broken),
        cmocka_unit_test(test_extender__refuses_where_a_body_is_broken_if_told_so),
        cmocka_unit_test(test_extender__stays_neutral_where_the_server_gave_up),
        cmocka_unit_test(test_extender__forgets_a_request_that_is_dropped),
        cmocka_unit_test(test_extender__changes_nothing_when_it_observes),
        cmocka_unit_test(test_extender__keeps_to_the_protocol_whatever_the_types),
        cmocka_unit_test(test_extender__keeps_to_the_protocol_wherever_a_body_is_cut),
        cmocka_unit_test(test_extender__survives_a_lack_of_memory),
        cmocka_unit_test(test_extender__keeps_an_event_whole_or_not_at_all),
        cmocka_unit_test(test_extender_new__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
