/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/scan.h"

#include "fabricbind/own.h"
#include "scan_trace.h"
#include "unit.h"

#include <string.h>

static void test_scan_feed__holds_its_limits(void **state)
{
    static const struct {
        struct fb_scan_limits limits;
        const char *at_bound;
        const char *above;
        const char *want;
    } cases[] = {
        {{.depth = 2}, "{\"b\":[]}", "{\"b\":[{}]}", "byte 6: depth over 2 levels"},
        {{.depth = 2}, "{\"a\":[]}", "{\"a\":[[]]}", "byte 6: depth over 2 levels"},
        {{.depth = 1}, "{\"a\":1}", "{\"a\":[]}", "byte 5: a: depth over 1 levels"},
        {{.depth = 9}, "[[[[[[[[{}]]]]]]]]", "[[[[[[[[[[]]]]]]]]]]", "byte 9: depth over 9 levels"},
        {{.string_bytes = 3},
         "{\"a\":\"xyz\"}",
         "{\"a\":\"xyz4\"}",
         "byte 9: a: string over 3 bytes"},
        {{.string_bytes = 3},
         "{\"b\":\"xyz\"}",
         "{\"b\":\"xyz45\"}",
         "byte 9: string over 3 bytes"},
        {{.string_bytes = 3},
         "{\"a\":\"xyz\"}",
         "{\"a\":\"xyz\xFF\"}",
         "byte 9: a: string over 3 bytes"},
        {{.string_bytes = 3},
         "{\"b\":\"\\u20ac\"}",
         "{\"b\":\"1\\u20ac\"}",
         "byte 7: string over 3 bytes"},
        {{.string_bytes = 3},
         "{\"b\":\"\\n\\n\\n\"}",
         "{\"b\":\"\\n\\n\\n\\n\"}",
         "byte 12: string over 3 bytes"},
        {{.string_bytes = 4},
         "{\"a\":\"\\ud83d\\ude00\"}",
         "{\"a\":\"1\\ud83d\\ude00\"}",
         "byte 7: a: string over 4 bytes"},
        {{.string_bytes = 3}, "{\"xyz\":1}", "{\"xyz4\":1}", "byte 5: key over 3 bytes"},
        {{.string_bytes = 3}, "[{\"xyz\":1}]", "[{\"xyz4\":1}]", "byte 6: key over 3 bytes"},
        {{.number_bytes = 4, .strict = true}, "[-1.5,1]", "[-1.55]", "byte 5: number over 4 bytes"},
        {{.number_bytes = 4}, "{\"a\":1234}", "{\"a\":12345}", "byte 9: a: number over 4 bytes"},
        {{.bytes = 7}, "{\"b\":1}", "{\"b\":1} ", "byte 7: input over 7 bytes"},
        {{.bytes = 7}, "{\"a\":1}", "{\"a\":12}", "byte 7: input over 7 bytes"},
        {{.bytes = 7}, "{\"b\":1}", "{\"bcde\":1}", "byte 7: input over 7 bytes"},
    };
    static const char *const paths[] = {"a", NULL};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        scan_trace_expect(paths, &cases[i].limits, cases[i].at_bound, "", NULL);
        scan_trace_expect(paths, &cases[i].limits, cases[i].above, cases[i].want, NULL);
    }
}

/* Feed @len times @filler behind @head, then @tail. */
static enum fb_status read_long(const char *head, char filler, size_t len, const char *tail,
                                struct fb_error *err)
{
    static const char *const texts[] = {"a", NULL};
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = scan_trace_compile(texts);
    struct scan_trace trace = {0};
    FB_OWNED(fb_scan_freep)
    struct fb_scan *scan = fb_scan_new(paths, NULL, scan_trace_note, &trace);
    enum fb_status st;

    assert_non_null(scan);
    st = fb_scan_feed(scan, head, strlen(head), err);
    for (size_t i = 0; st == FB_OK && i < len; i++)
        st = fb_scan_feed(scan, &filler, 1, err);
    if (st == FB_OK)
        st = fb_scan_feed(scan, tail, strlen(tail), err);
    return st == FB_OK ? fb_scan_finish(scan, err) : st;
}

static void test_scan_new__has_the_limits_that_the_contract_names(void **state)
{
    static const struct {
        const char *head;
        char filler;
        size_t bound;
        const char *tail;
        const char *want;
    } cases[] = {
        {"[\"", 'x', (size_t)1 << 20, "\"]", "byte 1048578: string over 1048576 bytes"},
        {"{\"a\":", '1', 512, "}", "byte 517: a: number over 512 bytes"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_error err = {0};

        assert_int_equal(
            read_long(cases[i].head, cases[i].filler, cases[i].bound, cases[i].tail, &err), FB_OK);
        assert_int_equal(
            read_long(cases[i].head, cases[i].filler, cases[i].bound + 1, cases[i].tail, &err),
            FB_ELIMIT);
        assert_string_equal(err.text, cases[i].want);
    }
}

static void test_scan_new__nests_64_levels_by_default(void **state)
{
    static const char *const paths[] = {"a", NULL};
    char json[131] = "";

    (void)state;
    memset(json, '[', 65);
    memset(json + 65, ']', 65);
    scan_trace_expect(paths, NULL, json, "byte 64: depth over 64 levels", NULL);
    json[129] = '\0';
    scan_trace_expect(paths, NULL, json + 1, "", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan_feed__holds_its_limits),
        cmocka_unit_test(test_scan_new__has_the_limits_that_the_contract_names),
        cmocka_unit_test(test_scan_new__nests_64_levels_by_default),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
