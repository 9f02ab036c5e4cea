/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/json.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define MAX ((size_t)1 << 20)

/* Parse @text from a copy without a NUL behind it, so that a sanitizer sees who reads on. */
static enum fb_status parse(const char *text, size_t max, struct fb_json *ret, struct fb_error *err)
{
    size_t len = strlen(text);
    char *bytes = malloc(len > 0 ? len : 1);
    enum fb_status st;

    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++)
        bytes[i] = text[i];
    st = fb_json_parse(bytes, len, max, ret, err);
    free(bytes);
    return st;
}

static void test_json_parse__reads_every_type(void **state)
{
    static const char text[] = "{\"n\":null,\"t\":true,\"f\":false,\"i\":-7,\"s\":\"\\u00e9\\n\","
                               "\"l\":[1,\"x\",null],\"m\":{\"a\":{}},\"\":0}";
    static const struct {
        const char *key;
        enum fb_json_type type;
        const char *print;
    } want[] = {
        {"n", FB_JSON_NULL, "null"},      {"t", FB_JSON_BOOL, "true"},
        {"f", FB_JSON_BOOL, "false"},     {"i", FB_JSON_NUMBER, "-7"},
        {"s", FB_JSON_TEXT, "\"é\\n\""},  {"l", FB_JSON_LIST, "[1,\"x\",null]"},
        {"m", FB_JSON_MAP, "{\"a\":{}}"}, {"", FB_JSON_NUMBER, "0"},
    };
    FB_OWNED(fb_json_fini) struct fb_json json = {0};
    const struct fb_json_node *node;
    size_t i = 0;

    (void)state;
    assert_int_equal(parse(text, MAX, &json, NULL), FB_OK);
    node = fb_json_first(fb_json_root(&json));
    for (; node != NULL; node = fb_json_next(node), i++) {
        char *print = fb_json_print_node(node);

        assert_string_equal(fb_json_key(node), want[i].key);
        assert_int_equal(fb_json_type(node), want[i].type);
        assert_string_equal(print, want[i].print);
        free(print);
    }
    assert_int_equal(i, COUNT(want));
    assert_int_equal(fb_json_type(fb_json_root(&json)), FB_JSON_MAP);
    assert_string_equal(fb_json_key(fb_json_root(&json)), "");
    assert_string_equal(fb_json_key(fb_json_first(fb_json_find(fb_json_root(&json), "l"))), "");
}

static void test_json_find__the_last_of_a_key_counts_and_null_is_absent(void **state)
{
    static const struct {
        const char *text, *key;
        const char *want; /* NULL: absent */
    } cases[] = {
        {"{\"a\":\"1\"}", "a", "1"},
        {"{\"a\":\"1\"}", "A", NULL},
        {"{\"a\":\"1\",\"a\":\"2\"}", "a", "2"},
        {"{\"a\":\"1\",\"a\":null}", "a", NULL},
        {"{\"a\":null,\"a\":\"2\"}", "a", "2"},
        {"{\"\\u0061\":\"1\"}", "a", "1"},
        {"{}", "a", NULL},
        {"[\"a\"]", "a", NULL},
        {"\"a\"", "a", NULL},
        {"null", "a", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_json_fini) struct fb_json json = {0};
        const struct fb_json_node *node;

        assert_int_equal(parse(cases[i].text, MAX, &json, NULL), FB_OK);
        node = fb_json_find(fb_json_root(&json), cases[i].key);
        assert_int_equal(node == NULL, cases[i].want == NULL);
        if (node != NULL)
            assert_string_equal(fb_json_read_text(node), cases[i].want);
    }
    assert_null(fb_json_find(NULL, "a"));
    assert_null(fb_json_first(NULL));
    assert_int_equal(fb_json_type(NULL), FB_JSON_NULL);
}

static void test_json_read__gives_values_of_their_type_only(void **state)
{
    static const struct {
        const char *text;
        const char *string; /* NULL: no string */
        bool truth, has_int;
        int64_t number;
    } cases[] = {
        {"\"x\"", "x", false, false, 0},
        {"\"\"", "", false, false, 0},
        {"true", NULL, true, false, 0},
        {"false", NULL, false, false, 0},
        {"null", NULL, false, false, 0},
        {"[]", NULL, false, false, 0},
        {"12", NULL, false, true, 12},
        {"-0", NULL, false, true, 0},
        {"1e3", NULL, false, true, 1000},
        {"1.5", NULL, false, false, 0},
        {"9007199254740992", NULL, false, true, INT64_C(9007199254740992)},
        {"-9007199254740992", NULL, false, true, INT64_C(-9007199254740992)},
        {"9007199254740994", NULL, false, false, 0},
        {"1e300", NULL, false, false, 0},
        {"-1e999", NULL, false, false, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_json_fini) struct fb_json json = {0};
        const struct fb_json_node *root;
        int64_t number = 77;

        assert_int_equal(parse(cases[i].text, MAX, &json, NULL), FB_OK);
        root = fb_json_root(&json);
        assert_int_equal(fb_json_read_text(root) == NULL, cases[i].string == NULL);
        if (cases[i].string != NULL)
            assert_string_equal(fb_json_read_text(root), cases[i].string);
        assert_int_equal(fb_json_read_bool(root), cases[i].truth);
        assert_int_equal(fb_json_read_int(root, &number), cases[i].has_int);
        assert_int_equal(number, cases[i].has_int ? cases[i].number : 77);
    }
}

static void test_json_parse__refuses_what_is_no_json_and_says_where(void **state)
{
    static const struct {
        const char *text;
        size_t max;
        enum fb_status status;
        const char *want;
    } cases[] = {
        {"", MAX, FB_EINPUT, "byte 0: input ends"},
        {"{\"a\":1", MAX, FB_EINPUT, "byte 6: "},
        {"{} {}", MAX, FB_EINPUT, "byte 3: more behind the document"},
        {"{\"a\":01}", MAX, FB_EINPUT, "byte 6: "},
        {"{'a':1}", MAX, FB_EINPUT, "byte 1: "},
        {"[1,]", MAX, FB_EINPUT, "byte 3: "},
        {"NaN", MAX, FB_EINPUT, "byte 0: "},
        {"\"a\tb\"", MAX, FB_EINPUT, "byte 2: control character in a string"},
        {"\"\\u0000\"", MAX, FB_EINPUT, "byte 1: \\u0000 in a string"},
        {"\"\\ud800\"", MAX, FB_EINPUT, "byte 1: lone surrogate in a string"},
        {"[\"\xc3\"]", MAX, FB_EINPUT, "byte 2: not UTF-8"},
        {"[\"\x80\"]", MAX, FB_EINPUT, "byte 2: not UTF-8"},
        {"[\"\xc0\x80\"]", MAX, FB_EINPUT, "byte 2: not UTF-8"},
        {"[\"\xe0\x9f\x80\"]", MAX, FB_EINPUT, "byte 2: not UTF-8"},
        {"[\"\xed\xa0\x80\"]", MAX, FB_EINPUT, "byte 2: not UTF-8"},
        {"[\"\xe2\x82!\"]", MAX, FB_EINPUT, "byte 2: not UTF-8"},
        {"[\"\xf0\x8f\x80\x80\"]", MAX, FB_EINPUT, "byte 2: not UTF-8"},
        {"[\"\xf4\x90\x80\x80\"]", MAX, FB_EINPUT, "byte 2: not UTF-8"},
        {"[\"\xf5\x80\x80\x80\"]", MAX, FB_EINPUT, "byte 2: not UTF-8"},
        {"[1,2]", 4, FB_ELIMIT, "byte 4: "},
        {"1000000000000000000000000000000000000000000000000000000000000001", MAX, FB_ELIMIT,
         "byte 63: "},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_json_fini) struct fb_json json = {0};
        struct fb_error err = {0};

        if (parse(cases[i].text, cases[i].max, &json, &err) != cases[i].status ||
            strncmp(err.text, cases[i].want, strlen(cases[i].want)) != 0)
            fail_msg("row %zu: %d %s", i, (int)err.status, err.text);
        assert_null(fb_json_root(&json));
    }
}

static void test_json_parse__takes_every_length_of_utf8(void **state)
{
    static const char *const texts[] = {"\"\x7f\"",
                                        "\"\xc2\x80\"",
                                        "\"\xe2\x82\xac\"",
                                        "\"\xed\x9f\xbf\"",
                                        "\"\xf0\x90\x80\x80\"",
                                        "\"\xf4\x8f\xbf\xbf\"",
                                        "[1,2]"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        FB_OWNED(fb_json_fini) struct fb_json json = {0};
        char *print;

        assert_int_equal(parse(texts[i], strlen(texts[i]), &json, NULL), FB_OK);
        print = fb_json_print(&json);
        assert_string_equal(print, texts[i]);
        free(print);
    }
}

static void test_json_parse__has_a_limit_on_depth(void **state)
{
    (void)state;
    for (size_t depth = FB_JSON_DEPTH - 1; depth <= FB_JSON_DEPTH + 1; depth++) {
        FB_OWNED(fb_json_fini) struct fb_json json = {0};
        char text[2 * (FB_JSON_DEPTH + 1) + 1] = "";

        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(parse(text, MAX, &json, NULL), depth <= FB_JSON_DEPTH ? FB_OK : FB_ELIMIT);
    }
}

static void test_json_raw__takes_json_as_it_is(void **state)
{
    FB_OWNED(fb_json_fini) struct fb_json json = {0};
    void *root = fb_json_map(&json, NULL, NULL);
    void *list;
    char *text;

    (void)state;
    fb_json_raw(&json, root, "a", "{\"b\":[1]}");
    fb_json_raw(&json, root, "n", NULL);
    list = fb_json_list(&json, root, "l");
    fb_json_raw(&json, list, NULL, "9223372036854775807");
    text = fb_json_print(&json);
    assert_string_equal(text, "{\"a\":{\"b\":[1]},\"n\":null,\"l\":[9223372036854775807]}");
    free(text);
}

static void test_json_parse__survives_want_of_memory(void **state)
{
    static const char text[] = "{\"a\":[1,\"two\",{\"b\":null}],\"c\":\"d\"}";
    cJSON_Hooks hooks = {malloc, free}; /* those that can be made to fail */
    enum fb_status st = FB_ENOMEM;
    int after;

    (void)state;
    cJSON_InitHooks(&hooks);
    for (after = 0; st == FB_ENOMEM && after < 1000; after++) {
        FB_OWNED(fb_json_fini) struct fb_json json = {0};
        char *print;

        alloc_fault_arm(after);
        st = fb_json_parse(text, sizeof text - 1, MAX, &json, NULL);
        print = st == FB_OK ? fb_json_print_node(fb_json_root(&json)) : NULL;
        alloc_fault_disarm();
        if (st == FB_OK && print == NULL)
            st = FB_ENOMEM;
        if (print != NULL)
            assert_string_equal(print, text);
        free(print);
    }
    assert_true(after > 15 && st == FB_OK);
    cJSON_InitHooks(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_parse__reads_every_type),
        cmocka_unit_test(test_json_find__the_last_of_a_key_counts_and_null_is_absent),
        cmocka_unit_test(test_json_read__gives_values_of_their_type_only),
        cmocka_unit_test(test_json_parse__refuses_what_is_no_json_and_says_where),
        cmocka_unit_test(test_json_parse__takes_every_length_of_utf8),
        cmocka_unit_test(test_json_parse__has_a_limit_on_depth),
        cmocka_unit_test(test_json_raw__takes_json_as_it_is),
        cmocka_unit_test(test_json_parse__survives_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
