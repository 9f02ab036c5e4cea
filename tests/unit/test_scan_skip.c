/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/scan.h"

#include "scan_trace.h"
#include "unit.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan_skip__leaves_out_what_is_inside_and_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
