/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/scan.h"

#include "alloc_fault.h"
#include "fabricbind/own.h"
#include "scan_trace.h"
#include "unit.h"

#include <string.h>

static void test_scan_feed__finds_named_paths(void **state)
{
    static const struct {
        const char *paths[SCAN_PATHS_MOST + 1];
        const char *json;
        const char *want;
    } cases[] = {
        {{"a"}, "{\"a\":1}", "0#1"},
        {{"a"}, " { \"a\" :\t\"x\" ,\r\n\"b\":{\"a\":2},\"c\":[{\"a\":3}]} ", "0'x'"},
        {{"b"}, "{\"a\":{\"b\":[1,{\"b\":2}]},\"b\":true}", "0t"},
        {{"a.b.c", "a.b"}, "{\"a\":{\"b\":{\"d\":1,\"c\":false}}}", "1{ 0f 1}"},
        {{"a.b"}, "{\"a\":[{\"b\":1}],\"a\":3,\"a\":null,\"a\":{\"b\":4}}", "0#4"},
        {{"abc", "ab"}, "{\"a\":1,\"ab\":2,\"abc\":3,\"abcd\":4}", "1#2 0#3"},
        {{"ab", "abc"}, "{\"a\":1,\"ab\":2,\"abc\":3,\"abcd\":4}", "0#2 1#3"},
        /* the whole document */
        {{""}, "{\"a\":[]}", "0{ 0}"},
        {{""}, "[{}]", "0[ 0}"},
        {{""}, "-0.5e-7", "0#-0.5e-7"},
        {{""}, "0", "0#0"},
        {{""}, "\"\"", "0''"},
        {{""}, " null ", "0n"},
        {{"a"}, "[1,2]", ""},
        {{"a"}, "7", ""},
        /* elements */
        {{"[]"}, "[1,\"b\",true,false,null,[2],{\"c\":3}]", "0#1 0'b' 0t 0f 0n 0[ 0} 0{ 0}"},
        {{"[][]", "[]"}, "[[1,[2]],[],3]", "1[ 0#1 0[ 0} 1} 1[ 1} 1#3"},
        {{"i", "i[]", "i[].n"}, "{\"i\":[{\"n\":1},{},[5]]}", "0[ 1{ 2#1 1} 1{ 1} 1[ 1} 0}"},
        {{"i[]"}, "{\"i\":{\"a\":1},\"i\":null}", ""},
        {{"i[]", "i.a"}, "{\"i\":{\"a\":1},\"i\":[2]}", "1#1 0#2"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect(cases[i].paths, NULL, cases[i].json, "", cases[i].want);
}

static void test_scan_feed__lets_a_star_stand_for_any_other_key(void **state)
{
    static const struct {
        const char *paths[SCAN_PATHS_MOST + 1];
        const char *json;
        const char *want;
    } cases[] = {
        {{"l.*"}, "{\"l\":{\"x.y/z\":\"1\",\"\":2}}", "0'1'@x.y/z 0#2"},
        {{"l.*", "l.a"}, "{\"l\":{\"a\":1,\"b\":2,\"ab\":3}}", "1#1 0#2@b 0#3@ab"},
        {{"*.x", "a.y"}, "{\"a\":{\"x\":1,\"y\":2},\"b\":{\"x\":3,\"y\":4}}", "1#2 0#3@b"},
        {{"*.*", "*"}, "{\"a\":{\"b\":1,\"c\":2},\"d\":3}", "1{@a 0#1@b 0#2@c 1}@a 1#3@d"},
        {{"*.k[].v"}, "{\"a\":{\"k\":[{\"v\":1},{\"w\":{\"v\":5},\"v\":2}]}}", "0#1@a 0#2@a"},
        {{"*"}, "{\"a\":{\"b\":{}},\"c\":[]}", "0{@a 0}@a 0[@c 0}@c"},
        {{"*"}, "{\"\\u0061\\n\":1}", "0#1@a\n"},
        /* duplicates and null anywhere */
        {{"a", "a.b"}, "{\"a\":{\"b\":1},\"a\":{},\"a\":null}", "0{ 1#1 0} 0{ 0} 0n"},
        {{"a.b", "a[]"}, "{\"a\":null}", ""},
        {{"a"}, "{\"a\":1,\"a\":1}", "0#1 0#1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect(cases[i].paths, NULL, cases[i].json, "", cases[i].want);
}

static void test_scan_feed__hands_on_numbers_as_written_and_strings_without_escapes(void **state)
{
    static const struct {
        const char *paths[SCAN_PATHS_MOST + 1];
        const char *json;
        const char *want;
    } cases[] = {
        {{"[]"},
         "[18446744073709551615,-9223372036854775808]",
         "0#18446744073709551615 0#-9223372036854775808"},
        {{"[]"},
         "[1.797e308,10E+5,0.0,-0e1,1e05,20]",
         "0#1.797e308 0#10E+5 0#0.0 0#-0e1 0#1e05 0#20"},
        /* escapes */
        {{"a"}, "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "0'\"\\/\b\f\n\r\t'"},
        {{"a"},
         "{\"a\":\"\\u0026\\u00e9\\u20aC\\uD83d\\ude00.\"}",
         "0'&\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80.'"},
        {{"a"},
         "{\"a\":\"\\u0001\\u007f\\u0080\\u07ff\\u0800\\uffff\\uD800\\uDC00\\uDBFF\\uDFFF\"}",
         "0'\x01\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF'"},
        {{"a&"}, "{\"a\\u0026\":1}", "0#1"},
        {{"a"}, "{\"x\\\"a\":1,\"\\\\\":2,\"y\":\"\\u0041\\ud800\\udc00\\n\",\"a\":3}", "0#3"},
        /* UTF-8 as it is */
        {{"a"},
         "{\"a\":\"\xC2\x80\xE0\xA0\x80\xED\x9F\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\x7F\"}",
         "0'\xC2\x80\xE0\xA0\x80\xED\x9F\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\x7F'"},
        {{"a"}, "{\"b\":\"\xFF\",\"b\":{\"\xC3\":1},\"a\":1}", "0#1"}, /* skipped: not looked at */
        /* longer than a word and than the first block of text */
        {{"a"},
         "{\"b\":\"0123456789abcdef0123456789\",\"a\":"
         "\"0123456\\n789abcdef0123456789abcdef0123456789"
         "abcdef0123456789abcdef0123456789abcdef\"}",
         "0'0123456\n789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect(cases[i].paths, NULL, cases[i].json, "", cases[i].want);
}

static void test_scan_feed__reads_two_documents_at_once_with_the_same_paths(void **state)
{
    static const char *const texts[] = {"*.a[].*", "*.a", NULL};
    static const char *const json[] = {"{\"x\":{\"a\":[{\"b\":\"one\"}]}}",
                                       "{\"y\":{\"a\":[{\"c\":\"two\"}]}}"};
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = scan_trace_compile(texts);
    struct scan_trace traces[2] = {0};
    struct fb_scan *scans[2];

    (void)state;
    for (size_t i = 0; i < COUNT(scans); i++) {
        scans[i] = fb_scan_new(paths, NULL, scan_trace_note, &traces[i]);
        assert_non_null(scans[i]);
    }
    for (size_t at = 0; at < strlen(json[0]); at++) {
        for (size_t i = 0; i < COUNT(scans); i++)
            assert_int_equal(scan_trace_feed(scans[i], json[i] + at, 1, NULL), FB_OK);
    }
    for (size_t i = 0; i < COUNT(scans); i++) {
        assert_int_equal(fb_scan_finish(scans[i], NULL), FB_OK);
        fb_scan_free(scans[i]);
    }
    assert_string_equal(traces[0].text, "1[@x 0'one'@b 1}@x");
    assert_string_equal(traces[1].text, "1[@y 0'two'@c 1}@y");
}

static void test_scan_reset__forgets_a_document_that_was_cut_or_failed(void **state)
{
    static const char *const left[] = {"{\"a\":[{\"b", "[[\"\\ud800", "{\"a\":[1,2,x",
                                       "-1",           "{} {",        "{\"a\":[{\"b\":\"\xE2\x82",
                                       "[{\"a\":1}",   "{\"a\" ",     "{\"z\":x"};
    static const char *const texts[] = {"a[].b", "[].a", "", "*", NULL};
    static const char good[] = "{\"a\":[{\"b\":\"\xC2\x80\"}]}";
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = scan_trace_compile(texts);
    struct scan_trace trace;
    FB_OWNED(fb_scan_freep)
    struct fb_scan *scan = fb_scan_new(paths, NULL, scan_trace_note, &trace);

    (void)state;
    assert_non_null(scan);
    for (size_t i = 0; i < COUNT(left); i++) {
        memset(&trace, 0, sizeof trace);
        (void)!scan_trace_feed(scan, left[i], strlen(left[i]), NULL);
        fb_scan_reset(scan);
        trace.text[0] = '\0';
        assert_int_equal(scan_trace_feed(scan, good, strlen(good), NULL), FB_OK);
        assert_int_equal(fb_scan_finish(scan, NULL), FB_OK);
        assert_int_equal(fb_scan_finish(scan, NULL), FB_OK); /* twice is fine */
        assert_string_equal(trace.text, "2{ 0'\xC2\x80' 2}");
        fb_scan_reset(scan);
    }
}

static void test_scan_feed__takes_empty_pieces(void **state)
{
    static const char *const texts[] = {"", NULL};
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = scan_trace_compile(texts);
    struct scan_trace trace = {0};
    FB_OWNED(fb_scan_freep)
    struct fb_scan *scan = fb_scan_new(paths, NULL, scan_trace_note, &trace);

    (void)state;
    assert_non_null(scan);
    assert_int_equal(fb_scan_feed(scan, NULL, 0, NULL), FB_OK);
    assert_int_equal(fb_scan_feed(scan, "12", 2, NULL), FB_OK);
    assert_int_equal(fb_scan_feed(scan, NULL, 0, NULL), FB_OK);
    assert_string_equal(trace.text, ""); /* it could go on */
    assert_int_equal(fb_scan_finish(scan, NULL), FB_OK);
    assert_string_equal(trace.text, "0#12");
}

static void test_scan_paths_new__lets_the_later_row_win(void **state)
{
    static const char *const texts[] = {"a", "b", "a", NULL};

    (void)state;
    scan_trace_expect(texts, NULL, "{\"a\":1,\"b\":2}", "", "2#1 1#2");
}

static enum fb_status compile_and_read(const char *json, struct scan_trace *trace,
                                       struct fb_error *err)
{
    static const struct fb_scan_path rows[] = {{"a[].*", 0}, {"a[].*.b", 1}, {"c", 2}};
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = NULL;
    enum fb_status st = fb_scan_paths_new(rows, COUNT(rows), &paths, err);

    if (st != FB_OK)
        return st;
    trace->text[0] = '\0';
    return fb_scan_all(paths, NULL, json, strlen(json), scan_trace_note, trace, err);
}

/* Fail the 1st, 2nd, ... allocation until none is left to fail. */
static void test_scan_all__survives_every_failed_allocation(void **state)
{
    static const char json[] =
        "{\"a\":[{\"0123456789012345678901234567890123456789012345678901234567890123456789\":"
        "{\"b\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}}],"
        "\"c\":1}";
    struct scan_trace trace = {0};
    enum fb_status st = FB_ENOMEM;
    int n = 0;

    (void)state;
    for (; st != FB_OK && n < 100; n++) {
        struct fb_error err = {0};

        alloc_fault_arm(n);
        st = compile_and_read(json, &trace, &err);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        assert_true(st == FB_OK || strstr(err.text, "out of memory") != NULL);
    }
    assert_int_equal(st, FB_OK);
    assert_in_range(n, 10, 99); /* paths, nodes, reader, keys and the text */
    assert_non_null(strstr(trace.text, " 2#1"));
}

static void test_scan_feed__allocates_nothing_for_what_is_not_wanted(void **state)
{
    static const char *const texts[] = {"b[].c", NULL};
    static const char piece[] = "{\"d\":[{},\"\\\"]\"],\"a long key that no path names\":\"0\"},";
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = scan_trace_compile(texts);
    struct scan_trace trace = {0};
    FB_OWNED(fb_scan_freep)
    struct fb_scan *scan = fb_scan_new(paths, NULL, scan_trace_note, &trace);
    enum fb_status st;

    (void)state;
    assert_non_null(scan);
    assert_int_equal(scan_trace_feed(scan, "{\"b\":[", 6, NULL), FB_OK);
    alloc_fault_arm(0);
    st = fb_scan_feed(scan, "[", 1, NULL);
    for (int i = 0; st == FB_OK && i < 100000; i++)
        st = fb_scan_feed(scan, piece, sizeof piece - 1, NULL);
    alloc_fault_disarm();
    assert_int_equal(st, FB_OK);
    assert_int_equal(scan_trace_feed(scan, "1],{\"c\":1}]}", 12, NULL), FB_OK);
    assert_int_equal(fb_scan_finish(scan, NULL), FB_OK);
    assert_string_equal(trace.text, "0#1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan_feed__finds_named_paths),
        cmocka_unit_test(test_scan_feed__lets_a_star_stand_for_any_other_key),
        cmocka_unit_test(test_scan_feed__hands_on_numbers_as_written_and_strings_without_escapes),
        cmocka_unit_test(test_scan_feed__reads_two_documents_at_once_with_the_same_paths),
        cmocka_unit_test(test_scan_reset__forgets_a_document_that_was_cut_or_failed),
        cmocka_unit_test(test_scan_feed__takes_empty_pieces),
        cmocka_unit_test(test_scan_paths_new__lets_the_later_row_win),
        cmocka_unit_test(test_scan_all__survives_every_failed_allocation),
        cmocka_unit_test(test_scan_feed__allocates_nothing_for_what_is_not_wanted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
