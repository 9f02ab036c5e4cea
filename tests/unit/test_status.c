/* SPDX-License-Identifier: Apache-2.0 */
#include "status.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "metrics_text.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNAPSHOT FB_TEST_DATA "/snapshots/aws"

static const char *policies[] = {FB_TEST_POLICIES};

struct scene {
    struct fb_inventory_slot *slot;
    struct fb_metrics *metrics;
    struct fb_extender *extender;
    struct fb_status_page *page;
};

static void hush(void *context, const char *text)
{
    (void)context;
    (void)text;
}

static struct fb_inventory *read_one(const char *snapshot)
{
    struct fb_options options = {.snapshot = snapshot, .policies = {.at = policies, .len = 1}};
    struct fb_inventory *inventory = NULL;

    assert_int_equal(fb_inventory_read(&options, hush, NULL, &inventory, NULL), FB_OK);
    return inventory;
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);

    assert_non_null(scene);
    scene->slot = fb_inventory_slot_new(read_one(SNAPSHOT));
    scene->metrics = fb_metrics_new();
    assert_true(scene->slot != NULL && scene->metrics != NULL);
    assert_int_equal(fb_extender_new(scene->slot, scene->metrics, &scene->extender, NULL), FB_OK);
    scene->page = fb_status_page_new(scene->slot, scene->extender, scene->metrics);
    assert_non_null(scene->page);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    fb_status_page_free(scene->page);
    fb_extender_free(scene->extender);
    fb_metrics_free(scene->metrics);
    fb_inventory_slot_free(scene->slot);
    free(scene);
    return 0;
}

static struct fb_answer ask(struct scene *scene, enum fb_status_verb verb, enum fb_status st)
{
    struct fb_route route = {.context = scene->page, .number = (int)verb};
    struct fb_request request = {.route = &route, .query = "", .id = 1};
    struct fb_answer answer = {0};
    void *state = fb_status_handler.begin(route.context, &request);

    assert_non_null(state);
    assert_int_equal(fb_status_handler.feed(state, "x", 1, NULL), FB_OK);
    fb_status_handler.finish(route.context, &request, state, st, NULL, &answer);
    return answer;
}

static void expect_constant(struct fb_answer answer, unsigned status, const char *text)
{
    assert_int_equal(answer.status, status);
    assert_null(answer.body);
    assert_string_equal(answer.constant, text);
    assert_int_equal(answer.len, strlen(text));
    assert_string_equal(answer.type, "text/plain; charset=utf-8");
}

static void test_status__is_alive_and_ready_until_it_shuts_down(void **state)
{
    struct scene *scene = *state;

    expect_constant(ask(scene, FB_STATUS_LIVEZ, FB_OK), 200, "ok\n");
    expect_constant(ask(scene, FB_STATUS_READYZ, FB_OK), 200, "ok\n");
    fb_status_page_shut(scene->page);
    expect_constant(ask(scene, FB_STATUS_READYZ, FB_OK), 503, "shutting down\n");
    expect_constant(ask(scene, FB_STATUS_LIVEZ, FB_OK), 200, "ok\n");
}

static void test_status__refuses_what_is_no_request(void **state)
{
    struct scene *scene = *state;

    expect_constant(ask(scene, FB_STATUS_METRICS, FB_ELIMIT), 413, "too long\n");
    expect_constant(ask(scene, FB_STATUS_LIVEZ, FB_EIO), 400, "bad request\n");
}

static void test_status__drops_a_request_without_harm(void **state)
{
    struct scene *scene = *state;
    struct fb_route route = {.context = scene->page, .number = FB_STATUS_LIVEZ};
    struct fb_request request = {.route = &route, .query = ""};

    fb_status_handler.drop(fb_status_handler.begin(route.context, &request));
    expect_constant(ask(scene, FB_STATUS_LIVEZ, FB_OK), 200, "ok\n");
}

static void scrape(struct scene *scene)
{
    struct fb_answer answer = ask(scene, FB_STATUS_METRICS, FB_OK);

    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.type, "text/plain; version=0.0.4");
    assert_non_null(answer.body);
    assert_int_equal(answer.len, strlen(answer.body));
    free(answer.body);
}

static void test_status__makes_gauges_of_the_inventory_that_is_there(void **state)
{
    struct scene *scene = *state;
    struct fb_inventory *inventory = fb_inventory_slot_get(scene->slot);
    char line[128];

    (void)snprintf(line, sizeof line, "fabricbind_inventory_objects{kind=\"node\"} %zu",
                   inventory->in.objects.nodes_len);
    fb_inventory_release(inventory);
    scrape(scene);
    expect_metric(scene->metrics, line);
    expect_metric(scene->metrics, "fabricbind_ledger_entries{kind=\"planned\"} 7");
    expect_metric(scene->metrics, "fabricbind_build_info{version=\"" FB_VERSION "\"} 1");
    fb_inventory_slot_put(scene->slot, read_one(NULL));
    scrape(scene);
    expect_metric(scene->metrics, "fabricbind_inventory_objects{kind=\"node\"} 0");
    expect_no_metric(scene->metrics, "fabricbind_nics{");
    expect_no_metric(scene->metrics, "fabricbind_inventory_age_seconds");
}

static void test_status__answers_also_without_memory(void **state)
{
    struct scene *scene = *state;
    unsigned status = 0;

    for (int after = 0; status != 200; after++) {
        struct fb_answer answer;

        alloc_fault_arm(after);
        answer = ask(scene, FB_STATUS_METRICS, FB_OK);
        alloc_fault_disarm();
        status = answer.status;
        assert_true(status == 200 || status == 503);
        if (status == 503)
            expect_constant(answer, 503, "out of memory\n");
        free(answer.body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_status__is_alive_and_ready_until_it_shuts_down, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_status__refuses_what_is_no_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_status__drops_a_request_without_harm, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_status__makes_gauges_of_the_inventory_that_is_there,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_status__answers_also_without_memory, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
