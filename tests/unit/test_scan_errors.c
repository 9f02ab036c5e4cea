/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/scan.h"

#include "fabricbind/own.h"
#include "scan_trace.h"
#include "unit.h"

#include <string.h>

/* No path leads anywhere in these documents. */
static const struct fb_scan_limits strict = {.strict = true};

static void test_scan_feed__refuses_a_document_of_no_structure(void **state)
{
    static const struct {
        const char *json;
        const char *want;
    } cases[] = {
        {"", "byte 0: input ends before any value"},
        {" \n", "byte 2: input ends before any value"},
        {"\xEF\xBB\xBF{}", "byte 0: value expected"},
        {"{} x", "byte 3: more behind the document"},
        {"1 2", "byte 2: more behind the document"},
        {"{}{}", "byte 2: more behind the document"},
        {"nullx", "byte 4: more behind the document"},
        {"]", "byte 0: value expected"},
        {"'a'", "byte 0: value expected"},
        {"NaN", "byte 0: value expected"},
        {"+1", "byte 0: value expected"},
        {".5", "byte 0: value expected"},
        {"{", "byte 1: input ends inside an object"},
        {"[[]", "byte 3: input ends inside an array"},
        {"{\"b\":[{}]", "byte 9: input ends inside an object"},
        {"{\"b\" 1}", "byte 5: ':' expected"},
        {"{\"b\"}", "byte 4: ':' expected"},
        {"{\"b\":}", "byte 5: value expected"},
        {"{\"b\":1,}", "byte 7: '\"' of a key expected"},
        {"{,}", "byte 1: '\"' of a key or '}' expected"},
        {"{b:1}", "byte 1: '\"' of a key or '}' expected"},
        {"{\"b\":1 \"c\":2}", "byte 7: ',' or '}' expected"},
        {"{\"b\":1]", "byte 6: ',' or '}' expected"},
        {"[1}", "byte 2: ',' or ']' expected"},
        {"[1,]", "byte 3: value expected"},
        {"[,1]", "byte 1: value or ']' expected"},
        {"[[],[1,{\"b\":[}]]", "byte 13: value or ']' expected"},
        {"[1 2]", "byte 3: ',' or ']' expected"},
        {"[1\v]", "byte 2: ',' or ']' expected"},
        {"[/**/1]", "byte 1: value or ']' expected"},
    };
    static const char *const paths[] = {"not.there", NULL};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect(paths, &strict, cases[i].json, cases[i].want, "");
}

static void test_scan_feed__refuses_what_is_no_word_or_number(void **state)
{
    static const struct {
        const char *json;
        const char *want;
    } cases[] = {
        {"[tru]", "byte 4: 'true' expected"},
        {"[fals", "byte 5: input ends inside true, false or null"},
        {"[falsy]", "byte 5: 'false' expected"},
        {"[nul1]", "byte 4: 'null' expected"},
        {"[True]", "byte 1: value or ']' expected"},
        {"[truefalse]", "byte 5: ',' or ']' expected"},
        {"01", "byte 1: digit behind a leading 0"},
        {"[-00]", "byte 3: digit behind a leading 0"},
        {"[-]", "byte 2: digit expected"},
        {"[-a]", "byte 2: digit expected"},
        {"[1.]", "byte 3: digit expected"},
        {"[1.e5]", "byte 3: digit expected"},
        {"[1e]", "byte 3: digit expected"},
        {"[1e+]", "byte 4: digit expected"},
        {"[1.5.5]", "byte 4: ',' or ']' expected"},
        {"[1e5e5]", "byte 4: ',' or ']' expected"},
        {"[0x10]", "byte 2: ',' or ']' expected"},
        {"[1-2]", "byte 2: ',' or ']' expected"},
        {"-", "byte 1: input ends inside a number"},
        {"1.", "byte 2: input ends inside a number"},
        {"[12", "byte 3: input ends inside a number"},
    };
    static const char *const paths[] = {"not.there", NULL};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect(paths, &strict, cases[i].json, cases[i].want, "");
}

static void test_scan_feed__refuses_what_is_no_string(void **state)
{
    static const struct {
        const char *json;
        const char *want;
    } cases[] = {
        {"[\"a", "byte 3: input ends inside a string"},
        {"[\"a\\", "byte 4: input ends inside a string"},
        {"[\"a\\u00", "byte 7: input ends inside a string"},
        {"[\"\\ud83d", "byte 8: input ends inside a string"},
        {"[\"\\ud83d\\", "byte 9: input ends inside a string"},
        {"{\"a", "byte 3: input ends inside a key"},
        {"[\"a\nb\"]", "byte 3: control character in a string"},
        {"[\"0123456789\x1f\"]", "byte 12: control character in a string"},
        {"{\"\t\":1}", "byte 2: control character in a string"},
        {"[\"\\q\"]", "byte 3: unknown escape in a string"},
        {"[\"\\U0041\"]", "byte 3: unknown escape in a string"},
        {"[\"\\u00g0\"]", "byte 6: hexadecimal digit expected"},
        {"[\"\\u 041\"]", "byte 4: hexadecimal digit expected"},
        {"[\"a\\u0000\"]", "byte 3: \\u0000 in a string"},
        {"[\"a\\udc00\"]", "byte 3: lone surrogate in a string"},
        {"[\"a\\ud800\"]", "byte 3: lone surrogate in a string"},
        {"[\"\\ud800\\n\"]", "byte 2: lone surrogate in a string"},
        {"[\"\\ud800\\u0041\"]", "byte 2: lone surrogate in a string"},
        {"[\"\\ud800\\ud800\"]", "byte 2: lone surrogate in a string"},
    };
    static const char *const paths[] = {"not.there", NULL};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect(paths, &strict, cases[i].json, cases[i].want, "");
}

static void test_scan_feed__puts_the_path_in_front_at_a_named_path(void **state)
{
    static const struct {
        const char *paths[SCAN_PATHS_MOST + 1];
        const char *json;
        const char *want;
    } cases[] = {
        {{"a"}, "{\"a\":x}", "byte 5: a: value expected"},
        {{"a"}, "{\"b\":x}", "byte 5: value expected"},
        {{"a.b"}, "{\"a\":x}", "byte 5: value expected"},
        {{"i[].l.*"},
         "{\"i\":[0,{\"l\":{\"x\":1,\"f.o/o\":-}}]}",
         "byte 29: i[1].l.f.o/o: digit expected"},
        {{"[][]"}, "[[],[1,2,01]]", "byte 10: [1][2]: digit behind a leading 0"},
        {{"[].a"}, "[{\"a\":\"\n\"}]", "byte 7: [0].a: control character in a string"},
        {{"a.b"}, "{\"a\":{\"b\":tru", "byte 13: a.b: input ends inside true, false or null"},
        {{"a"}, "{\"a\":[1}", "byte 7: ',' or ']' expected"},
        {{"*"}, "{\"a\":[],\"\\n\\u007f\\u001f\":x}", "byte 25: ???: value expected"},
        {{""}, "x", "byte 0: value expected"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect(cases[i].paths, NULL, cases[i].json, cases[i].want, NULL);
}

static void test_scan_feed__refuses_what_is_no_utf8_at_a_named_path(void **state)
{
    static const struct {
        const char *json;
        const char *want;
    } cases[] = {
        {"{\"a\":\"12345678\x80\"}", "byte 14: a: not UTF-8"},
        {"{\"a\":\"\xC1\xBF\"}", "byte 6: a: not UTF-8"},
        {"{\"a\":\"\xE0\x9F\xBF\"}", "byte 7: a: not UTF-8"},
        {"{\"a\":\"\xED\xA0\x80\"}", "byte 7: a: not UTF-8"},
        {"{\"a\":\"\xF0\x8F\xBF\xBF\"}", "byte 7: a: not UTF-8"},
        {"{\"a\":\"\xF4\x90\x80\x80\"}", "byte 7: a: not UTF-8"},
        {"{\"a\":\"\xF5\x80\x80\x80\"}", "byte 6: a: not UTF-8"},
        {"{\"a\":\"\xE2\x82\"}", "byte 8: a: not UTF-8"},
        {"{\"a\":\"\xE2\x82z\"}", "byte 8: a: not UTF-8"},
        {"{\"a\":\"\xE2\\n\"}", "byte 7: a: not UTF-8"},
        {"{\"\xFF\":1}", "byte 2: not UTF-8"},
    };
    static const char *const paths[] = {"a", NULL};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect(paths, NULL, cases[i].json, cases[i].want, NULL);
}

static void test_scan_feed__cuts_a_path_that_is_too_long_for_an_error(void **state)
{
    static const char *const paths[] = {"*.*.*", NULL};
    const char *json =
        "{\"a\":{\"0123456789012345678901234567890123456789012345678901234567890123456"
        "78901234567890123456789012345678901234567890123456789\xE2\x82\xAC.tail\":{\"b\":x}}}";

    (void)state;
    scan_trace_expect(
        paths, NULL, json,
        "byte 142: a.01234567890123456789012345678901234567890123456789012345678901"
        "2345678901234567890123456789012345678901234567890123456789...: value expected",
        NULL);
}

static void test_scan_feed__hands_on_what_the_callback_says_and_repeats_it(void **state)
{
    static const struct {
        const char *json;
        int refuse;
        enum fb_status st;
        const char *reason;
        const char *want;
    } cases[] = {
        {"{\"i\":[1,{\"l\":{\"foo\":\"4x\"}}]}", 0, FB_EINPUT, "'4x' is no quantity",
         "byte 20: i[1].l.foo: '4x' is no quantity"},
        {"{\"i\":[1,{\"l\":{\"foo\": 12 }}]}", 0, FB_EIO, "gone", "byte 21: i[1].l.foo: gone"},
        {"{\"i\":[{\"l\":{\"foo\":null}}]}", 0, FB_ENOMEM, NULL, "byte 18: i[0].l.foo: refused"},
        {"{\"i\":[{}, {\"l\":{}}]}", 1, FB_ELIMIT, "one too many", "byte 6: i[0]: one too many"},
        {"{ \"i\": {}}", 2, FB_EINPUT, "no list", "byte 7: i: no list"},
        {"{}", 3, FB_ENOTFOUND, "nothing", "byte 0: nothing"},
    };
    static const char *const texts[] = {"i[].l.*", "i[]", "i", "", NULL};
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = scan_trace_compile(texts);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scan_trace trace = {
            .refuse = cases[i].refuse, .refuse_with = cases[i].st, .reason = cases[i].reason};
        FB_OWNED(fb_scan_freep)
        struct fb_scan *scan = fb_scan_new(paths, NULL, scan_trace_note, &trace);
        struct fb_error err = {0}, again = {0};
        char before[sizeof trace.text];

        assert_non_null(scan);
        assert_int_equal(fb_scan_feed(scan, cases[i].json, strlen(cases[i].json), &err),
                         cases[i].st);
        assert_string_equal(err.text, cases[i].want);
        memcpy(before, trace.text, sizeof before);
        assert_int_equal(fb_scan_feed(scan, "{}", 2, NULL), cases[i].st);
        assert_int_equal(fb_scan_finish(scan, &again), cases[i].st);
        assert_string_equal(again.text, cases[i].want);
        assert_int_equal(again.status, cases[i].st);
        assert_string_equal(trace.text, before); /* not called again */
    }
}

static enum fb_status shrug(void *context, const struct fb_scan_value *value, struct fb_error *err)
{
    (void)context;
    (void)value;
    (void)fb_error_set(err, FB_EINPUT, "not what it might be");
    return FB_OK;
}

static void test_scan_feed__goes_on_when_the_callback_does(void **state)
{
    static const char *const texts[] = {"[]", NULL};
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = scan_trace_compile(texts);
    struct fb_error err = {0};

    (void)state;
    assert_int_equal(fb_scan_all(paths, NULL, "[1,2]", 5, shrug, NULL, &err), FB_OK);
    assert_string_equal(err.text, "");
}

static enum fb_status refuse_end(void *context, const struct fb_scan_value *value,
                                 struct fb_error *err)
{
    (void)context;
    if (value->type != FB_SCAN_END)
        return FB_OK;
    return fb_error_set(err, FB_EINPUT, "no name of its own");
}

static void test_scan_feed__places_a_failure_at_the_end_of_an_object(void **state)
{
    static const char *const texts[] = {"i[].*", NULL};
    static const char json[] = "{\"i\":[1,{\"m\":{\"name\":[2]}}]}";
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = scan_trace_compile(texts);
    struct fb_error err = {0};

    (void)state;
    assert_int_equal(fb_scan_all(paths, NULL, json, strlen(json), refuse_end, NULL, &err),
                     FB_EINPUT);
    assert_string_equal(err.text, "byte 24: i[1].m: no name of its own");
}

static void test_scan_paths_new__refuses_what_is_no_path(void **state)
{
    static const struct {
        struct fb_scan_path row;
        const char *want;
    } cases[] = {
        {{"a..b", 1}, "path 'a..b': a key expected at character 2"},
        {{".a", 1}, "path '.a': a key expected at character 0"},
        {{"a.", 1}, "path 'a.': a key expected at character 2"},
        {{"a.[]", 1}, "path 'a.[]': a key expected at character 2"},
        {{"a[", 1}, "path 'a[': '[]' expected at character 1"},
        {{"a[0]", 1}, "path 'a[0]': '[]' expected at character 1"},
        {{"a]", 1}, "path 'a]': '.' or '[]' expected at character 1"},
        {{"[]b", 1}, "path '[]b': '.' or '[]' expected at character 2"},
        {{"a*", 1}, "path 'a*': '.' or '[]' expected at character 1"},
        {{"*a", 1}, "path '*a': '.' or '[]' expected at character 1"},
        {{"a.b", -1}, "path 'a.b': id -1 is negative"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_scan_path rows[] = {{"fine", 0}, cases[i].row};
        struct fb_scan_paths *paths = NULL;
        struct fb_error err = {0};

        assert_int_equal(fb_scan_paths_new(rows, COUNT(rows), &paths, &err), FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
        assert_null(paths);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan_feed__refuses_a_document_of_no_structure),
        cmocka_unit_test(test_scan_feed__refuses_what_is_no_word_or_number),
        cmocka_unit_test(test_scan_feed__refuses_what_is_no_string),
        cmocka_unit_test(test_scan_feed__puts_the_path_in_front_at_a_named_path),
        cmocka_unit_test(test_scan_feed__refuses_what_is_no_utf8_at_a_named_path),
        cmocka_unit_test(test_scan_feed__cuts_a_path_that_is_too_long_for_an_error),
        cmocka_unit_test(test_scan_feed__hands_on_what_the_callback_says_and_repeats_it),
        cmocka_unit_test(test_scan_feed__goes_on_when_the_callback_does),
        cmocka_unit_test(test_scan_feed__places_a_failure_at_the_end_of_an_object),
        cmocka_unit_test(test_scan_paths_new__refuses_what_is_no_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
