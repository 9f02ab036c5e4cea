/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/secret.h"

#include "alloc_fault.h"
#include "unit.h"

#include <string.h>

static const char whole[] = "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"7\"},"
                            "\"type\":\"kubernetes.io/tls\","
                            "\"data\":{\"x\":\"YQ==\",\"bytes\":\"AAE=\",\"odd\":\"?\"}}";
static struct fb_arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = fb_arena_new(0);
    return arena == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    fb_arena_free(arena);
    return 0;
}

static void expect(const struct fb_secret *secret, const char *key, const char *want)
{
    const char *got = NULL;

    assert_int_equal(fb_secret_text(arena, secret, key, &got, NULL), FB_OK);
    assert_string_equal(got, want);
}

static void test_secret__keeps_what_is_not_ours(void **state)
{
    struct fb_secret secret = {0};
    struct fb_secret before;
    const char *text = NULL;

    (void)state;
    assert_int_equal(fb_secret_decode(arena, whole, &secret, NULL), FB_OK);
    expect(&secret, "x", "a");
    expect(&secret, "bytes", "");
    expect(&secret, "odd", "");
    expect(&secret, "none", "");
    before = secret;
    assert_int_equal(fb_secret_set(arena, &secret, "x", "new\n", NULL), FB_OK);
    assert_int_equal(fb_secret_set(arena, &secret, "y", "", NULL), FB_OK);
    expect(&before, "x", "a");
    expect(&secret, "x", "new\n");
    assert_int_equal(fb_secret_encode(arena, &secret, &text, NULL), FB_OK);
    assert_string_equal(text, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":"
                              "\"a\",\"resourceVersion\":\"7\"},\"type\":\"kubernetes.io/tls\","
                              "\"data\":{\"bytes\":\"AAE=\",\"odd\":\"?\",\"x\":\"bmV3Cg==\","
                              "\"y\":\"\"}}");
}

static void test_secret_encode__names_a_new_one(void **state)
{
    const struct fb_secret secret = {.space = "ops", .name = "keys", .type = "Opaque"};
    const char *text = NULL;

    (void)state;
    assert_int_equal(fb_secret_encode(arena, &secret, &text, NULL), FB_OK);
    assert_string_equal(text,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":"
                        "\"keys\",\"namespace\":\"ops\",\"labels\":{\"app.kubernetes.io/managed-by"
                        "\":\"fabricbind\",\"app.kubernetes.io/name\":\"fabricbind\"}},"
                        "\"type\":\"Opaque\",\"data\":{}}");
}

static void test_secret_decode__refuses_what_is_none(void **state)
{
    static const struct {
        const char *text, *want; /* NULL: fine */
    } cases[] = {
        {"{\"metadata\":{}}", NULL},
        {"{\"metadata\":{},\"data\":null}", NULL},
        {"{}", "metadata: not a map"},
        {"[]", "metadata: not a map"},
        {"{\"metadata\":{},\"data\":[]}", "data: not a map"},
        {"{\"metadata\":{},\"data\":{\"a\":7}}", "data: a: not a text"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_secret secret = {.name = "as before"};
        struct fb_error err = {0};

        assert_int_equal(fb_secret_decode(arena, cases[i].text, &secret, &err),
                         cases[i].want == NULL ? FB_OK : FB_EINPUT);
        assert_string_equal(err.text, cases[i].want == NULL ? "" : cases[i].want);
        assert_string_equal(secret.name, cases[i].want == NULL ? "" : "as before");
    }
    assert_int_equal(fb_secret_decode(arena, "{", &(struct fb_secret){0}, NULL), FB_EINPUT);
}

static enum fb_status change(struct fb_arena *own)
{
    struct fb_secret secret = {0};
    const char *text = NULL;
    enum fb_status st = fb_secret_decode(own, whole, &secret, NULL);

    if (st == FB_OK)
        st = fb_secret_text(own, &secret, "x", &text, NULL);
    if (st == FB_OK)
        st = fb_secret_set(own, &secret, "x", "b", NULL);
    return st == FB_OK ? fb_secret_encode(own, &secret, &text, NULL) : st;
}

static void test_secret__survives_a_full_arena(void **state)
{
    enum fb_status st = FB_ENOMEM;

    (void)state;
    for (size_t bytes = 64; st == FB_ENOMEM && bytes < 100000; bytes += 64) {
        struct fb_arena *own = fb_arena_new_small(bytes);

        assert_non_null(own);
        st = change(own);
        fb_arena_free(own);
    }
    assert_int_equal(st, FB_OK);
}

static void test_secret__survives_a_lack_of_memory(void **state)
{
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    for (; st == FB_ENOMEM && after < 1000; after++) {
        struct fb_arena *own;

        alloc_fault_arm(after);
        own = fb_arena_new(0);
        st = own == NULL ? FB_ENOMEM : change(own);
        alloc_fault_disarm();
        fb_arena_free(own);
    }
    assert_int_equal(st, FB_OK);
    assert_true(after > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_secret__keeps_what_is_not_ours),
        cmocka_unit_test(test_secret_encode__names_a_new_one),
        cmocka_unit_test(test_secret_decode__refuses_what_is_none),
        cmocka_unit_test(test_secret__survives_a_full_arena),
        cmocka_unit_test(test_secret__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("secret", tests, set_up, tear_down);
}
