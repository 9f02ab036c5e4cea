/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/podjson.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"

/* @head, then @count times @each, numbered where it has a %zu, then @tail. */
static char *repeat(const char *head, const char *each, size_t count, const char *tail)
{
    size_t size = strlen(head) + strlen(tail) + count * (strlen(each) + 24) + 1;
    char *text = malloc(size);
    const char *place = strchr(each, '#');
    size_t len;

    assert_non_null(text);
    assert_non_null(place);
    len = (size_t)snprintf(text, size, "%s", head);
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(text + len, size - len, "%s%.*s%zu%s", i > 0 ? "," : "",
                                (int)(place - each), each, i, place + 1);
    (void)snprintf(text + len, size - len, "%s", tail);
    return text;
}

static void test_podspec_decode__takes_much_and_has_limits(void **state)
{
    static const struct {
        const char *head, *each;
        size_t count;
        const char *tail, *want; /* NULL: it is read */
    } cases[] = {
        {"{\"spec\":{\"containers\":[", "{\"name\":\"c#\"}", 1000, "]}}", NULL},
        {"{\"spec\":{\"containers\":[", "{\"name\":\"c#\"}", 4096, "]}}", NULL},
        {"{\"spec\":{\"containers\":[", "{\"name\":\"c#\"}", 4097, "]}}",
         "spec.containers: more than 4096 entries"},
        {"{\"metadata\":{\"labels\":{", "\"k#\":\"v\"", 4097, "}}}",
         "metadata.labels: more than 4096 entries"},
        {"{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{", "\"r#\":1", 256, "}}}]}}",
         NULL},
        {"{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{", "\"r#\":1", 257, "}}}]}}",
         "spec.containers[0].resources.limits: more than 256 entries"},
        {"{\"spec\":{\"x\":[", "[\"#\"]", 1000000, "]}}", "byte 8388608: input over 8388608 bytes"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        char *text = repeat(cases[i].head, cases[i].each, cases[i].count, cases[i].tail);
        struct fb_podspec spec;
        struct fb_error err = {0};
        enum fb_status st = fb_podspec_decode(arena, text, strlen(text), &spec, &err);

        assert_int_equal(st, cases[i].want == NULL ? FB_OK : FB_ELIMIT);
        assert_string_equal(err.text, cases[i].want != NULL ? cases[i].want : "");
        free(text);
    }
}

static void test_podspec_decode__reads_5_megabytes_of_variables(void **state)
{
    static char value[1025];
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_podspec spec;
    char each[1100];
    char *text;

    (void)state;
    memset(value, 'x', sizeof value - 1);
    (void)snprintf(each, sizeof each, "{\"name\":\"V#\",\"value\":\"%s\"}", value);
    text = repeat("{\"spec\":{\"containers\":[{\"env\":[", each, 4000, "]}]}}");
    assert_int_equal(fb_podspec_decode(arena, text, strlen(text), &spec, NULL), FB_OK);
    assert_int_equal(spec.containers[0].env.len, 4000);
    assert_string_equal(spec.containers[0].env.at[3999], "V3999");
    free(text);
}

#define POD(amount)                                                                                \
    "{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"env\":[" \
    "{"                                                                                            \
    "\"name\":\"E\"}],\"volumeMounts\":[{\"mountPath\":\"/"                                        \
    "p\"}],\"resources\":{\"limits\":{\"g\":" amount                                               \
    "}},\"securityContext\":{\"capabilities\":{\"add\":[\"X\"],\"drop\":[\"Y\"]}}}],\"volumes\":[" \
    "{"                                                                                            \
    "\"name\":\"v\",\"emptyDir\":{}}],\"affinity\":{\"nodeAffinity\":{\"" REQUIRED                 \
    "\":{\"nodeSelectorTerms\":[{}]}}}}}"

/* Decode @json with @after allocations, @fill bytes of the arena's own room being taken. */
static enum fb_status decode_starved(const char *json, int after, size_t fill)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_podspec spec = {.terms_len = 77};
    struct fb_error err = {0};
    enum fb_status st;

    assert_non_null(arena);
    assert_non_null(fb_arena_alloc(arena, 16)); /* from now on it has room of its own */
    if (fill > 0)
        assert_non_null(fb_arena_alloc(arena, fill));
    alloc_fault_arm(after);
    st = fb_podspec_decode(arena, json, strlen(json), &spec, &err);
    alloc_fault_disarm();
    assert_true(st == FB_OK || st == FB_ENOMEM);
    assert_int_equal(spec.terms_len, st == FB_OK ? 1 : 77);
    assert_string_equal(err.text, st == FB_OK ? "" : "out of memory");
    return st;
}

/* The fewest allocations that do. */
static int find_enough(const char *json)
{
    int after = 0;

    while (after < 1000 && decode_starved(json, after, 0) != FB_OK)
        after++;
    return after;
}

static void test_podspec_decode__survives_want_of_memory(void **state)
{
    cJSON_Hooks hooks = {malloc, free}; /* those that can be made to fail */
    const size_t room = (size_t)64 * 1024 - 16;
    size_t failed = 0;
    int after;

    (void)state;
    cJSON_InitHooks(&hooks);
    after = find_enough(POD("8"));
    assert_true(after > 60 && after < 1000);
    /* A string is read without an allocation, so that none is left for more room of the arena. */
    after = find_enough(POD("\"8\""));
    for (size_t left = 0; left < room; left += left < 8192 ? 16 : 4096)
        failed += decode_starved(POD("\"8\""), after, room - left) != FB_OK ? 1 : 0;
    assert_true(failed > 60);
    cJSON_InitHooks(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_podspec_decode__takes_much_and_has_limits),
        cmocka_unit_test(test_podspec_decode__reads_5_megabytes_of_variables),
        cmocka_unit_test(test_podspec_decode__survives_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
