/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/yaml.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int arena_make(void **state)
{
    *state = fb_arena_new(0);
    return *state != NULL ? 0 : -1;
}

static int arena_drop(void **state)
{
    fb_arena_free(*state);
    return 0;
}

/* The first document of @text, which must be sound. */
static const struct fb_yaml *parse(struct fb_arena *arena, const char *text)
{
    struct fb_yaml_documents all = {0};
    struct fb_error err = {0};

    if (fb_yaml_parse(arena, text, strlen(text), &all, &err) != FB_OK)
        fail_msg("%s: %s", text, err.text);
    assert_true(all.len > 0);
    return &all.at[0];
}

static const char *json(struct fb_arena *arena, const char *text)
{
    const char *ret = "";
    size_t len = 0;

    assert_int_equal(fb_yaml_json(arena, parse(arena, text), &ret, &len, NULL), FB_OK);
    assert_int_equal(strlen(ret), len);
    return ret;
}

static void test_yaml_parse__keeps_the_order_the_lines_and_the_quotes(void **state)
{
    const struct fb_yaml *map = parse(*state, "# head\nb: 1\na:\n  - x\n  - 'y'\nc: {d: ~}\n");

    assert_int_equal(map->type, FB_YAML_MAP);
    assert_int_equal(map->line, 2);
    assert_int_equal(map->len, 3);
    assert_string_equal(map->keys[0], "b");
    assert_string_equal(map->keys[1], "a");
    assert_int_equal(map->key_lines[1], 3);
    assert_int_equal(map->key_lines[2], 6);
    assert_int_equal(map->at[1].type, FB_YAML_LIST);
    assert_int_equal(map->at[1].at[1].line, 5);
    assert_string_equal(map->at[1].at[1].text, "y");
    assert_true(map->at[1].at[1].quoted);
    assert_false(map->at[1].at[0].quoted);
    assert_int_equal(map->at[2].at[0].type, FB_YAML_NULL);
    assert_string_equal(map->at[2].at[0].text, "");
}

static void test_yaml_parse__reads_several_documents_and_leaves_out_empty_ones(void **state)
{
    static const struct {
        const char *yaml;
        size_t want;
    } cases[] = {
        {"", 0},
        {"# nothing\n", 0},
        {"---\n---\n", 0},
        {"null\n", 0},
        {"a: 1\n", 1},
        {"---\na: 1\n---\n\n---\nb: 2\n...\n", 2},
        {"{\"a\": [1, \"x\"]}", 1},
        {"\xEF\xBB\xBF"
         "a: 1\n",
         1},
        {"a: 1\r\nb: 2\r\n", 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_yaml_documents all = {0};
        const char *yaml = cases[i].yaml;

        assert_int_equal(fb_yaml_parse(*state, yaml, strlen(yaml), &all, NULL), FB_OK);
        assert_int_equal(all.len, cases[i].want);
    }
}

static void test_yaml_parse__refuses_what_it_does_not_take_and_says_where(void **state)
{
    static const struct {
        const char *yaml;
        const char *want;
    } cases[] = {
        {"a: 1\nb: 2\na: 3\n", "line 3: key 'a' is given twice"},
        {"b: 1\nb: 2\na: 3\na: 4\n", "line 2: key 'b' is given twice"},
        {"x:\n- {k: 1, k: 1}\n", "line 2: key 'k' is given twice"},
        {"a: &x 1\n", "line 1: anchors and aliases are not taken: 'x'"},
        {"a: &x [1]\n", "line 1: anchors and aliases are not taken: 'x'"},
        {"a: &x {b: 1}\n", "line 1: anchors and aliases are not taken: 'x'"},
        {"a: 1\nb: *x\n", "line 2: anchors and aliases are not taken: 'x'"},
        {"*x : 1\n", "line 1: anchors and aliases are not taken: 'x'"},
        {"<<: {a: 1}\n", "line 1: merge keys are not taken"},
        {"[a]: 1\n", "line 1: a key is no text"},
        {"? {a: 1}\n: 2\n", "line 1: a key is no text"},
        {"a: !!binary eA==\n", "line 1: tag 'tag:yaml.org,2002:binary' is not taken here"},
        {"a: !own x\n", "line 1: tag '!own' is not taken here"},
        {"a: !!map x\n", "line 1: tag 'tag:yaml.org,2002:map' is not taken here"},
        {"a: !!str [x]\n", "line 1: tag 'tag:yaml.org,2002:str' is not taken here"},
        {"a: !!seq {b: 1}\n", "line 1: tag 'tag:yaml.org,2002:seq' is not taken here"},
        {"a: \"x\\0y\"\n", "line 1: NUL in a text"},
        {"a: 1\nb: \xFF\n", "line 2: invalid leading UTF-8 octet"},
        {"a: 1\nb: \x01\n", "line 2: control characters are not allowed"},
        {"a: [1\n", "line 2: did not find expected ',' or ']'"},
        {"a: 1\n b: 2\n", "line 2: mapping values are not allowed in this context"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_yaml_documents all = {.len = 7};
        struct fb_error err = {0};
        const char *yaml = cases[i].yaml;

        assert_int_equal(fb_yaml_parse(*state, yaml, strlen(yaml), &all, &err), FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
        assert_int_equal(all.len, 7); /* untouched on failure */
    }
}

static void test_yaml_parse__takes_the_standard_tags(void **state)
{
    assert_string_equal(json(*state, "[!!str 5, !!int \"5\", !!float 0.5, ! 5, !!bool 'true']"),
                        "[\"5\",5,0.5,\"5\",true]");
    assert_string_equal(json(*state, "!!map {a: !!seq [!!null '']}"), "{\"a\":[null]}");
    assert_string_equal(json(*state, "\"<<\": 1"), "{\"<<\":1}");
}

static void test_yaml_parse__has_a_limit_on_depth(void **state)
{
    char text[2 * 65 + 1] = "";
    struct fb_yaml_documents all;
    struct fb_error err = {0};

    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    assert_int_equal(fb_yaml_parse(*state, text, 128, &all, NULL), FB_OK);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    assert_int_equal(fb_yaml_parse(*state, text, 130, &all, &err), FB_ELIMIT);
    assert_string_equal(err.text, "line 1: nested deeper than 64");
}

/* @count elements of a list, one a line, over as many documents as it takes. */
static char *long_list(size_t count, size_t each)
{
    char *text = malloc(count * 8 + 1);
    size_t len = 0;

    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(text + len, 9, "%s- x\n", i % each == 0 ? "---\n" : "");
    return text;
}

static void test_yaml_parse__has_a_limit_on_nodes(void **state)
{
    struct fb_yaml_documents all = {0};
    struct fb_error err = {0};
    char *text = long_list(999998, 500000); /* and two lists */

    assert_int_equal(fb_yaml_parse(*state, text, strlen(text), &all, NULL), FB_OK);
    assert_int_equal(all.len, 2);
    free(text);
    text = long_list(999999, 500000);
    assert_int_equal(fb_yaml_parse(*state, text, strlen(text), &all, &err), FB_ELIMIT);
    assert_string_equal(err.text, "line 1000001: more than 1000000 nodes");
    free(text);
}

static void test_yaml_json__types_plain_scalars_as_kubernetes_does(void **state)
{
    static const struct {
        const char *yaml;
        const char *want;
    } cases[] = {
        {"{a: 1, b: [x, {}], c: ~, d: {}, e: []}",
         "{\"a\":1,\"b\":[\"x\",{}],\"c\":null,\"d\":{},\"e\":[]}"},
        {"[true, False, yes, NO, on, n, truE]", "[true,false,true,false,true,false,\"truE\"]"},
        {"['true', \"5\", 'null', '']", "[\"true\",\"5\",\"null\",\"\"]"},
        {"[null, Null, ~, NuLL]", "[null,null,null,\"NuLL\"]"},
        {"[0, -0, +7, -7, 1_000, 007, 0x1F, -0x1f, 0b101, 0o17]", "[0,0,7,-7,1000,7,31,-31,5,15]"},
        {"[08, 0x, 0x0x1, 0b12, 0xg, 1__, _1, +, '-']",
         "[8,\"0x\",\"0x0x1\",\"0b12\",\"0xg\",1,\"_1\",\"+\",\"-\"]"},
        {"[9223372036854775807, -9223372036854775808, 18446744073709551615]",
         "[9223372036854775807,-9223372036854775808,18446744073709551615]"},
        {"[18446744073709551616, -9223372036854775809]",
         "[18446744073709551616,-9223372036854775809]"},
        {"[0.5, .5, -.5, 5., 5.e3, +1.50, 1e3, 1E+3, 00.5, -0.0]",
         "[0.5,0.5,-0.5,5,5e3,1.50,1e3,1E+3,0.5,-0.0]"},
        {"[1.2.3, 1e, ., 4x, 500m, 16Gi, 2001-01-01, 12:30]",
         "[\"1.2.3\",\"1e\",\".\",\"4x\",\"500m\",\"16Gi\",\"2001-01-01\",\"12:30\"]"},
        {"\"q\\\"b\\\\n\\n\\u00e9\\x01\": \"\\t\"",
         "{\"q\\u0022b\\u005cn\\u000a\xC3\xA9\\u0001\":\"\\u0009\"}"},
        {"- |\n  a\n  b\n- >-\n  c\n  d\n", "[\"a\\u000ab\\u000a\",\"c d\"]"},
        {"x\n", "\"x\""},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(json(*state, cases[i].yaml), cases[i].want);
}

static void test_yaml_json__refuses_numbers_that_json_does_not_have(void **state)
{
    static const char *const words[] = {".nan", ".Inf", "+.inf", "-.INF"};

    for (size_t i = 0; i < COUNT(words); i++) {
        struct fb_error err = {0};
        char yaml[32];
        char want[64];
        const char *ret = NULL;
        size_t len = 0;

        (void)snprintf(yaml, sizeof yaml, "\na: [%s]\n", words[i]);
        (void)snprintf(want, sizeof want, "line 2: %s is no number in JSON", words[i]);
        assert_int_equal(fb_yaml_json(*state, parse(*state, yaml), &ret, &len, &err), FB_EINPUT);
        assert_string_equal(err.text, want);
        assert_null(ret);
    }
}

/* Every allocation of the tree and of the JSON fails once. */
static void test_yaml__survives_want_of_memory(void **state)
{
    static const char yaml[] = "a: [1, 2, 3, 4, 5]\nb: {c: 1, d: 2}\n---\n- x\n";
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    for (; st != FB_OK; after++) {
        struct fb_arena *arena;
        struct fb_yaml_documents all = {0};
        const char *ret;
        size_t len;

        assert_true(after < 1000);
        alloc_fault_arm(after);
        arena = fb_arena_new(0);
        st = arena == NULL ? FB_ENOMEM : fb_yaml_parse(arena, yaml, strlen(yaml), &all, NULL);
        if (st == FB_OK)
            st = fb_yaml_json(arena, &all.at[0], &ret, &len, NULL);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        fb_arena_free(arena);
    }
    assert_true(after > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yaml_parse__keeps_the_order_the_lines_and_the_quotes),
        cmocka_unit_test(test_yaml_parse__reads_several_documents_and_leaves_out_empty_ones),
        cmocka_unit_test(test_yaml_parse__refuses_what_it_does_not_take_and_says_where),
        cmocka_unit_test(test_yaml_parse__takes_the_standard_tags),
        cmocka_unit_test(test_yaml_parse__has_a_limit_on_depth),
        cmocka_unit_test(test_yaml_parse__has_a_limit_on_nodes),
        cmocka_unit_test(test_yaml_json__types_plain_scalars_as_kubernetes_does),
        cmocka_unit_test(test_yaml_json__refuses_numbers_that_json_does_not_have),
        cmocka_unit_test(test_yaml__survives_want_of_memory),
    };

    return cmocka_run_group_tests_name("yaml", tests, arena_make, arena_drop);
}
