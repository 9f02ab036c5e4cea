/* SPDX-License-Identifier: Apache-2.0 */
#include "routes.h"

#include "extender.h"
#include "status.h"

#include "fabricbind/volcano.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

static const struct fb_route *find(const struct fb_route *routes, size_t len, const char *path)
{
    for (size_t i = 0; i < len; i++) {
        if (strcmp(routes[i].path, path) == 0)
            return &routes[i];
    }
    fail_msg("no route %s", path);
    return NULL;
}

static void test_routes__serve_every_verb_of_volcano(void **state)
{
    struct fb_route routes[FB_ROUTES_MOST];
    int context = 0;
    size_t len = fb_routes_make(FB_LISTENER_EXTENDER, &context, routes);

    (void)state;
    assert_int_equal(len, FB_VOLCANO_VERBS + 1);
    for (int verb = 0; verb < FB_VOLCANO_VERBS; verb++) {
        const char *name = fb_volcano_verb_name((enum fb_volcano_verb)verb);
        const struct fb_route *route;
        char path[64];

        (void)snprintf(path, sizeof path, "/volcano/%s", name);
        route = find(routes, len, path);
        assert_string_equal(route->method, "POST");
        assert_string_equal(route->api, "volcano");
        assert_string_equal(route->verb, name);
        assert_int_equal(route->number, FB_EXTENDER_ROUTE(verb, FB_VOLCANO_TEXT));
        assert_ptr_equal(route->handler, &fb_extender_handler);
        assert_ptr_equal(route->context, &context);
    }
}

static void test_routes__have_the_array_dialect_apart(void **state)
{
    struct fb_route routes[FB_ROUTES_MOST];
    size_t len = fb_routes_make(FB_LISTENER_EXTENDER, NULL, routes);
    const struct fb_route *route = find(routes, len, "/volcano-1.9/predicate");

    (void)state;
    assert_string_equal(route->method, "POST");
    assert_string_equal(route->api, "volcano-1.9");
    assert_string_equal(route->verb, "predicate");
    assert_int_equal(route->number, FB_EXTENDER_ROUTE(FB_VOLCANO_PREDICATE, FB_VOLCANO_ARRAY));
    assert_ptr_equal(route->handler, &fb_extender_handler);
}

static void test_routes__tell_of_the_daemon_on_another_address(void **state)
{
    static const struct {
        const char *path;
        int number;
    } cases[] = {
        {"/livez", FB_STATUS_LIVEZ},
        {"/readyz", FB_STATUS_READYZ},
        {"/metrics", FB_STATUS_METRICS},
    };
    struct fb_route routes[FB_ROUTES_MOST];
    int context = 0;
    size_t len = fb_routes_make(FB_LISTENER_METRICS, &context, routes);

    (void)state;
    assert_int_equal(len, COUNT(cases));
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fb_route *route = find(routes, len, cases[i].path);

        assert_string_equal(route->method, "GET");
        assert_int_equal(route->number, cases[i].number);
        assert_ptr_equal(route->handler, &fb_status_handler);
        assert_ptr_equal(route->context, &context);
    }
}

static void test_routes__are_told_apart_by_listeners_names(void **state)
{
    (void)state;
    assert_string_equal(fb_listener_name(FB_LISTENER_EXTENDER), "extender");
    assert_string_equal(fb_listener_name(FB_LISTENER_METRICS), "metrics");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routes__serve_every_verb_of_volcano),
        cmocka_unit_test(test_routes__have_the_array_dialect_apart),
        cmocka_unit_test(test_routes__tell_of_the_daemon_on_another_address),
        cmocka_unit_test(test_routes__are_told_apart_by_listeners_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
