/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/scan.h"

#include "scan_trace.h"
#include "unit.h"

#include <string.h>

static void test_scan_skip__leaves_out_what_is_inside_and_the_end(void **state)
{
    static const struct {
        const char *paths[SCAN_PATHS_MOST + 1];
        int skip;
        const char *json;
        const char *want;
    } cases[] = {
        {{"a", "a.b", "c"}, 0, "{\"a\":{\"b\":1,\"d\":{\"b\":[]}},\"c\":2}", "0{ 2#2"},
        {{"a", "a[]"}, 0, "{\"a\":[1,[2],{\"a\":3}],\"a\":4}", "0[ 0#4"},
        {{"a", "a.b"}, 0, "{\"a\":{},\"a\":[],\"a\":{\"b\":1}}", "0{ 0[ 0{"},
        {{"a.b", "a.b.c", "a.d", "a"}, 0, "{\"a\":{\"b\":{\"c\":1},\"d\":2}}", "3{ 0{ 2#2 3}"},
        {{"", "a"}, 0, "{\"a\":{\"a\":\"}\"}} ", "0{"},
        {{"", "[]"}, 0, " [1]", "0["},
        {{"n[]", "n[].N", "n[].N.l", "n[].I"},
         1,
         "{\"n\":[{\"N\":{\"l\":\"x]}\\\"\",\"m\":[{}]},\"I\":1},{\"N\":null,\"I\":2}]}",
         "0{ 1{ 3#1 0} 0{ 1n 3#2 0}"},
        {{"*", "*.x"}, 0, "{\"k\":{\"x\":1},\"l\":3}", "0{@k 0#3@l"},
        /* only objects and arrays hold anything to skip */
        {{"a", "a.b"}, 1, "{\"a\":{\"b\":1,\"b\":\"x\"}}", "0{ 1#1 1'x' 0}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect_skip(cases[i].paths, cases[i].skip, cases[i].json, cases[i].want);
}

static const char *const only_a[] = {"a", NULL};

static void test_scan_feed__follows_what_is_not_wanted_to_its_end_only(void **state)
{
    static const char *const documents[] = {
        "{\"b\":{\"c\" 1,,tru:[01],\"\\q\":\"\n\xFF\\u00\"},\"a\":1}",
        "{\"b\":[[[{}]],{\"a\":2}],\"a\":1}",
        "{\"b\":[\"]\",\"}}\",\"\\\"]\",\"\\\\\"],\"c\":{\"\\\\\\\"}\":\"{[\"},\"a\":1}",
        "{\"b\":{},\"c\":[],\"d\":[{}],\"e\":{\"f\":[]} , \"a\":1}",
        "{\"b\":[{],1],\"a\":1}",
        "{\"b\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],\"a\":1}",
        "{\"b\":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}],\"a\":1}",
        "{\"b\":\"\\\"\xC2\x80\",\"\\u0062\":[1],\"a\":1}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(documents); i++)
        scan_trace_expect(only_a, NULL, documents[i], "", "0#1");
    scan_trace_expect(only_a, NULL, "{\"a\":[1 2,,tru],\"a\":{x}}", "", "0[ 0} 0{ 0}");
}

static void test_scan_feed__still_refuses_in_what_is_not_wanted(void **state)
{
#define X20 "01234567890123456789"
    static const struct {
        struct fb_scan_limits limits;
        const char *json;
        const char *want;
    } cases[] = {
        {{0}, "{\"b\":[}", "byte 6: ',' or ']' expected"},
        {{0}, "{\"b\":{\"c\":1]", "byte 11: ',' or '}' expected"},
        {{0}, "{\"b\":[]]", "byte 7: ',' or '}' expected"},
        {{0}, "{\"b\":[{}", "byte 8: input ends inside an array"},
        {{0}, "{\"b\":{\"c\":[]", "byte 12: input ends inside an object"},
        {{0}, "{\"b\":[\"]}", "byte 9: input ends inside a string"},
        {{0}, "{\"b\":[\"\\\"]}", "byte 11: input ends inside a string"},
        {{.depth = 3}, "{\"b\":[[[]]]}", "byte 7: depth over 3 levels"},
        {{.depth = 3}, "{\"b\":[[],{},[1,{}]]}", "byte 15: depth over 3 levels"},
        {{.depth = 3}, "{\"b\":[[],{},[[[[]]]]]}", "byte 13: depth over 3 levels"},
        {{.depth = 1}, "{\"b\":[]}", "byte 5: depth over 1 levels"},
        {{.string_bytes = 64},
         "{\"b\":[" X20 "\"" X20 X20 X20 "12345\"]}",
         "byte 91: string over 64 bytes"},
        {{.string_bytes = 64},
         "{\"b\":[[[\"\\n" X20 X20 X20 "123\"]}",
         "byte 73: string over 64 bytes"},
        {{.string_bytes = 70},
         "{\"b\":{\"c\":[{\"" X20 X20 X20 X20 "\"]}",
         "byte 83: string over 70 bytes"},
        {{.string_bytes = 64, .depth = 2},
         "{\"b\":[\"" X20 X20 X20 "12345\",[]]}",
         "byte 71: string over 64 bytes"},
        {{.bytes = 30}, "{\"b\":[" X20 X20 "]}", "byte 30: input over 30 bytes"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect(only_a, &cases[i].limits, cases[i].json, cases[i].want, "");
}

static void test_scan_feed__takes_strings_up_to_the_bound_in_what_is_not_wanted(void **state)
{
    static const struct fb_scan_limits limits = {.string_bytes = 64, .depth = 2};
    static const char json[] = "{\"b\":[\"" X20 X20 X20 "1234\",\"" X20 X20 X20 "1234\",      "
                               "                                                              "
                               "        \"\"," X20 X20 X20 X20 ",\"x\"],\"a\":1}";

    (void)state;
    scan_trace_expect(only_a, &limits, json, "", "0#1");
}

/* Everything that may lie across the border of two blocks does so once. */
static void test_scan_feed__follows_alike_wherever_the_blocks_begin(void **state)
{
    static const char json[] = "\"\\\\\\\\\\\\\\\"]\\\\\\\\\",\"\\\\\",[[{}],[]],{\"}\\\"\\\\\":"
                               "[[[[[[\"[\"]]]]]]},\"\"],\"a\":1}";
    char text[256] = "{\"b\":[";

    (void)state;
    for (size_t shift = 0; shift <= 64; shift++) {
        memset(text + 6, ' ', shift);
        memcpy(text + 6 + shift, json, sizeof json);
        scan_trace_expect(only_a, NULL, text, "", "0#1");
    }
}

static void test_scan_feed__finds_what_volcano_sends(void **state)
{
    static const struct {
        const char *paths[SCAN_PATHS_MOST + 1];
        const char *json;
        const char *want;
    } cases[] = {
        {{"task.Resreq.*", "task.UID"},
         "{\"task\":{\"UID\":\"a\\u0026b\\u003cc\\u003e\",\"Pod\":{\"x\":\"\\u0026]}\"},\"Resreq\":"
         "{\"MilliCPU\":1.7976931348623157e+308,\"MaxTaskNum\":9223372036854775807,"
         "\"Memory\":-9223372036854775808}},\"node\":null}",
         "1'a&b<c>' 0#1.7976931348623157e+308@MilliCPU 0#9223372036854775807@MaxTaskNum "
         "0#-9223372036854775808@Memory"},
        {{"task.Pod.metadata.labels.*", "nodes[].Name", "nodes[].Idle.ScalarResources.*"},
         "{\"task\":null,\"nodes\":null}",
         ""},
        {{"task.Pod.metadata.labels.*", "nodes[].Name", "nodes[].Idle.ScalarResources.*"},
         "{\"task\":{\"Pod\":null},\"nodes\":[null,{\"Name\":null,\"Node\":null,\"Idle\":null}]}",
         "1n"},
        {{"task.Pod.metadata.labels.*", "nodes[].Name", "nodes[].Idle.ScalarResources.*"},
         "{\"task\":{\"Pod\":{\"metadata\":{\"labels\":null,\"managedFields\":[{\"f:x\":{\".\":{}}}"
         "]}}},\"nodes\":[{\"Idle\":{\"ScalarResources\":null},\"Tasks\":{},\"Name\":\"n\"},"
         "{\"Idle\":{\"ScalarResources\":{\"pods\":1}}}]}",
         "1'n' 2#1@pods"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        scan_trace_expect(cases[i].paths, NULL, cases[i].json, "", cases[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan_feed__follows_what_is_not_wanted_to_its_end_only),
        cmocka_unit_test(test_scan_feed__still_refuses_in_what_is_not_wanted),
        cmocka_unit_test(test_scan_feed__takes_strings_up_to_the_bound_in_what_is_not_wanted),
        cmocka_unit_test(test_scan_feed__follows_alike_wherever_the_blocks_begin),
        cmocka_unit_test(test_scan_feed__finds_what_volcano_sends),
        cmocka_unit_test(test_scan_skip__leaves_out_what_is_inside_and_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
