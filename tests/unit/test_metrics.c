/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "exposition.h"
#include "unit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All there is, after the strict reader has found it right; free() it. */
static char *print(struct fb_metrics *metrics)
{
    char fault[256] = "";
    size_t len = 0;
    char *text = fb_metrics_print(metrics, &len);

    assert_non_null(text);
    assert_int_equal(strlen(text), len);
    if (!exposition_check(text, fault, sizeof fault))
        fail_msg("%s in:\n%s", fault, text);
    return text;
}

/* @text without process_*, which change; free() it. */
static char *own_part(char *text)
{
    char *process = strstr(text, "# HELP process_");

    assert_non_null(process);
    *process = '\0';
    return text;
}

static void fill(struct fb_metrics *metrics)
{
    static const char *const ok[] = {"volcano", "predicate", "200"};
    static const char *const odd[] = {"a\"b\\c\nd", "", "{}, =1"};
    static const char *const version[] = {"0.1.0"};

    fb_metrics_add(metrics, FB_METRIC_REQUESTS, ok, 1.0);
    fb_metrics_add(metrics, FB_METRIC_REQUESTS, odd, 2.0);
    fb_metrics_add(metrics, FB_METRIC_REQUESTS, ok, 41.0);
    fb_metrics_add(metrics, FB_METRIC_BYTES, ok, 9007199254740992.0);
    fb_metrics_set(metrics, FB_METRIC_DEGRADED, NULL, 3.0);
    fb_metrics_set(metrics, FB_METRIC_DEGRADED, NULL, 2.0);
    fb_metrics_add(metrics, FB_METRIC_DEGRADED, NULL, -1.0);
    fb_metrics_set(metrics, FB_METRIC_AGE, NULL, 0.125);
    fb_metrics_set(metrics, FB_METRIC_BUILD, version, 1.0);
}

static void test_metrics_print__is_what_was_measured(void **state)
{
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();
    char *text;

    (void)state;
    assert_non_null(metrics);
    fill(metrics);
    text = own_part(print(metrics));
    assert_string_equal(
        text,
        "# HELP fabricbind_requests_total Requests by the status that answered them; 0 is none.\n"
        "# TYPE fabricbind_requests_total counter\n"
        "fabricbind_requests_total{api=\"volcano\",verb=\"predicate\",code=\"200\"} 42\n"
        "fabricbind_requests_total{api=\"a\\\"b\\\\c\\nd\",verb=\"\",code=\"{}, =1\"} 2\n"
        "# HELP fabricbind_request_bytes_total Bytes of request bodies that were read.\n"
        "# TYPE fabricbind_request_bytes_total counter\n"
        "fabricbind_request_bytes_total{api=\"volcano\",verb=\"predicate\"} 9007199254740992\n"
        "# HELP fabricbind_degraded_nodes Nodes with fewer NICs than their instance type has.\n"
        "# TYPE fabricbind_degraded_nodes gauge\n"
        "fabricbind_degraded_nodes 1\n"
        "# HELP fabricbind_inventory_age_seconds Since the inventory was read.\n"
        "# TYPE fabricbind_inventory_age_seconds gauge\n"
        "fabricbind_inventory_age_seconds 0.125\n"
        "# HELP fabricbind_build_info Always 1; the version that runs.\n"
        "# TYPE fabricbind_build_info gauge\n"
        "fabricbind_build_info{version=\"0.1.0\"} 1\n");
    free(text);
}

static void expect_has(const char *text, const char *line)
{
    if (strstr(text, line) == NULL)
        fail_msg("no '%s' in:\n%s", line, text);
}

static void test_metrics_observe__fills_buckets(void **state)
{
    static const char *const labels[] = {"volcano", "prioritize"};
    /* At a bound, between two, above all, below all: exact in binary. */
    static const double values[] = {0.5, 0.75, 16.0, 0.0};
    static const struct {
        const char *bound;
        unsigned count;
    } want[] = {{"5e-05", 1}, {"0.0001", 1}, {"0.25", 1}, {"0.5", 2},
                {"1", 3},     {"10", 3},     {"+Inf", 4}};
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();
    char *text;

    (void)state;
    assert_non_null(metrics);
    for (size_t i = 0; i < COUNT(values); i++)
        fb_metrics_observe(metrics, FB_METRIC_DURATION, labels, values[i]);
    text = print(metrics);
    for (size_t i = 0; i < COUNT(want); i++) {
        char line[256];

        (void)snprintf(line, sizeof line,
                       "\nfabricbind_request_duration_seconds_bucket{api=\"volcano\","
                       "verb=\"prioritize\",le=\"%s\"} %u\n",
                       want[i].bound, want[i].count);
        expect_has(text, line);
    }
    expect_has(text, "_sum{api=\"volcano\",verb=\"prioritize\"} 17.25\n");
    expect_has(text, "_count{api=\"volcano\",verb=\"prioritize\"} 4\n");
    free(text);
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;

    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        count++;
    return count;
}

static void test_metrics__bound_the_series_of_a_family(void **state)
{
    static char too_long[1100];
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();
    const char *label[] = {too_long};
    char *text;

    (void)state;
    assert_non_null(metrics);
    memset(too_long, 'x', sizeof too_long - 1);
    fb_metrics_set(metrics, FB_METRIC_GANGS, label, 1.0);
    for (int i = 0; i < 1500; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "s%d", i);
        label[0] = name;
        fb_metrics_set(metrics, FB_METRIC_GANGS, label, i);
        fb_metrics_set(metrics, FB_METRIC_GANGS, label, i + 1);
    }
    text = print(metrics);
    assert_int_equal(count_of(text, "\nfabricbind_gangs{"), 1000);
    expect_has(text, "\nfabricbind_gangs{state=\"s999\"} 1000\n");
    free(text);
    fb_metrics_clear(metrics, FB_METRIC_GANGS);
    label[0] = "new";
    fb_metrics_set(metrics, FB_METRIC_GANGS, label, 7.0);
    text = print(metrics);
    assert_int_equal(count_of(text, "\nfabricbind_gangs{"), 1);
    expect_has(text, "\nfabricbind_gangs{state=\"new\"} 7\n");
    free(text);
}

/* The value behind @name at the start of a line. */
static double value_of(const char *text, const char *name)
{
    char start[128];
    const char *line;

    (void)snprintf(start, sizeof start, "\n%s ", name);
    line = strstr(text, start);
    if (line == NULL) {
        fail_msg("no %s in:\n%s", name, text);
        return 0.0;
    }
    return strtod(line + strlen(start), NULL);
}

static void test_metrics_print__tells_of_the_process(void **state)
{
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();
    FILE *file = fopen("/dev/null", "r");
    double fds;
    char *text;

    (void)state;
    assert_non_null(metrics);
    assert_non_null(file);
    text = print(metrics);
    fds = value_of(text, "process_open_fds");
    assert_true(value_of(text, "process_cpu_seconds_total") >= 0.0);
    assert_true(value_of(text, "process_resident_memory_bytes") > 100000.0);
    assert_true(value_of(text, "process_virtual_memory_bytes") >
                value_of(text, "process_resident_memory_bytes"));
    assert_true(value_of(text, "process_start_time_seconds") > 1.7e9);
    assert_true(value_of(text, "process_max_fds") >= fds);
    free(text);
    (void)fclose(file);
    text = print(metrics);
    assert_true(value_of(text, "process_open_fds") == fds - 1.0);
    free(text);
}

static void test_metrics__cope_without_memory(void **state)
{
    static const char *const labels[] = {"core"};
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = NULL;
    char *text;

    (void)state;
    alloc_fault_arm(0);
    assert_null(fb_metrics_new());
    alloc_fault_disarm();
    metrics = fb_metrics_new();
    assert_non_null(metrics);
    for (int after = 0; after < 2; after++) {
        alloc_fault_arm(after);
        fb_metrics_add(metrics, FB_METRIC_FAULTS, labels, 1.0);
        alloc_fault_disarm();
    }
    text = print(metrics);
    assert_int_equal(count_of(text, "fabricbind_faults_total"), 0);
    free(text);
    fb_metrics_add(metrics, FB_METRIC_FAULTS, labels, 1.0);
    text = print(metrics);
    expect_has(text, "\nfabricbind_faults_total{where=\"core\"} 1\n");
    free(text);
}

#define THREADS 8
#define TIMES 2000

static void *count_up(void *context)
{
    static const char *const labels[] = {"volcano", "predicate", "200"};
    struct fb_metrics *metrics = context;

    for (int i = 0; i < TIMES; i++) {
        fb_metrics_add(metrics, FB_METRIC_REQUESTS, labels, 1.0);
        fb_metrics_observe(metrics, FB_METRIC_DURATION, labels, 0.5);
        if (i % 500 == 0)
            free(print(metrics));
    }
    return NULL;
}

static void test_metrics__count_for_many_threads(void **state)
{
    FB_OWNED(fb_metrics_freep) struct fb_metrics *metrics = fb_metrics_new();
    pthread_t threads[THREADS];
    char *text;

    (void)state;
    assert_non_null(metrics);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_up, metrics), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    text = print(metrics);
    expect_has(text, "code=\"200\"} 16000\n");
    expect_has(text, "_sum{api=\"volcano\",verb=\"predicate\"} 8000\n");
    free(text);
}

static void test_exposition_check__refuses_what_prometheus_would(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"# HELP a b\n# TYPE a counter\na 1", "line 3: does not end"},
        {"a 1\n", "line 1: no TYPE before it"},
        {"# TYPE a counter\n# TYPE a gauge\n", "line 2: a second TYPE"},
        {"# TYPE a counter\na{b=\"c\"d=\"e\"} 1\n", "line 2: labels"},
        {"# TYPE a counter\na{b=\"c\\x\"} 1\n", "line 2: labels"},
        {"# TYPE a counter\na{1b=\"c\"} 1\n", "line 2: labels"},
        {"# TYPE a counter\na one\n", "line 2: value"},
        {"# TYPE a counter\na -1\n", "line 2: a counter below 0"},
        {"# TYPE a counter\na 1\na 1\n", "line 3: a second time"},
        {"# TYPE a-b counter\n", "line 1: name"},
        {"# TYPE a many\n", "line 1: kind"},
        {"# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\n",
         "line 3: buckets fall"},
        {"# TYPE a histogram\na_bucket{le=\"1\"} 2\na_sum 1\n", "line 3: no +Inf before it"},
        {"# TYPE a histogram\na_bucket{le=\"+Inf\"} 2\na_sum 1\na_count 3\n",
         "line 4: count is not that of +Inf"},
        {"# TYPE a gauge\n\n", "line 2: empty"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char fault[256] = "";

        assert_false(exposition_check(cases[i].text, fault, sizeof fault));
        assert_string_equal(fault, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metrics_print__is_what_was_measured),
        cmocka_unit_test(test_metrics_observe__fills_buckets),
        cmocka_unit_test(test_metrics__bound_the_series_of_a_family),
        cmocka_unit_test(test_metrics_print__tells_of_the_process),
        cmocka_unit_test(test_metrics__cope_without_memory),
        cmocka_unit_test(test_metrics__count_for_many_threads),
        cmocka_unit_test(test_exposition_check__refuses_what_prometheus_would),
    };

    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
