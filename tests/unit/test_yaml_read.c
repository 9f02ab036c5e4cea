/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/yaml.h"

#include "unit.h"

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

static void test_yaml_find__sees_neither_absent_nor_null(void **state)
{
    const struct fb_yaml *map = parse(*state, "a: 1\nb: null\nc: ''\n");

    assert_string_equal(fb_yaml_find(map, "a")->text, "1");
    assert_null(fb_yaml_find(map, "b"));
    assert_string_equal(fb_yaml_find(map, "c")->text, "");
    assert_null(fb_yaml_find(map, "d"));
    assert_null(fb_yaml_find(&map->at[0], "a"));
    assert_null(fb_yaml_find(NULL, "a"));
}

static enum fb_status read_text(const struct fb_yaml *node, struct fb_error *err)
{
    const char *text;

    return fb_yaml_text(node, "k", &text, err);
}

static enum fb_status read_bool(const struct fb_yaml *node, struct fb_error *err)
{
    bool value;

    return fb_yaml_bool(node, "k", &value, err);
}

static enum fb_status read_int(const struct fb_yaml *node, struct fb_error *err)
{
    int64_t value;

    return fb_yaml_int(node, "k", 0, 1000, &value, err);
}

static enum fb_status read_double(const struct fb_yaml *node, struct fb_error *err)
{
    double value;

    return fb_yaml_double(node, "k", 0.0, 1.0, &value, err);
}

static void test_yaml_readers__refuse_other_types_and_say_where(void **state)
{
    static const struct {
        const char *yaml;
        enum fb_status (*read)(const struct fb_yaml *node, struct fb_error *err);
        const char *want;
    } cases[] = {
        {"\n- [x]\n", read_text, "line 2: k: not a text"},
        {"- {a: 1}\n", read_text, "line 1: k: not a text"},
        {"- ~\n", read_text, "line 1: k: not a text"},
        {"- x\n", read_bool, "line 1: k: 'x' is neither true nor false"},
        {"- 'true'\n", read_bool, "line 1: k: 'true' in quotes is a text, not true or false"},
        {"- []\n", read_bool, "line 1: k: not true or false"},
        {"- x\n", read_int, "line 1: k: 'x' is no whole number"},
        {"- 1.5\n", read_int, "line 1: k: '1.5' is no whole number"},
        {"- 1e3\n", read_int, "line 1: k: '1e3' is no whole number"},
        {"- 010\n", read_int, "line 1: k: '010' is no whole number"},
        {"- +\n", read_int, "line 1: k: '+' is no whole number"},
        {"- \"8\"\n", read_int, "line 1: k: '8' in quotes is a text, not a whole number"},
        {"- {}\n", read_int, "line 1: k: not a whole number"},
        {"- -1\n", read_int, "line 1: k: -1 is outside 0 to 1000"},
        {"- 1001\n", read_int, "line 1: k: 1001 is outside 0 to 1000"},
        {"- 99999999999999999999\n", read_int,
         "line 1: k: 99999999999999999999 is outside 0 to 1000"},
        {"- x\n", read_double, "line 1: k: 'x' is no number"},
        {"- .nan\n", read_double, "line 1: k: '.nan' is no number"},
        {"- nan\n", read_double, "line 1: k: 'nan' is no number"},
        {"- 0x1p3\n", read_double, "line 1: k: '0x1p3' is no number"},
        {"- 1e\n", read_double, "line 1: k: '1e' is no number"},
        {"- .\n", read_double, "line 1: k: '.' is no number"},
        {"- 1.5\n", read_double, "line 1: k: 1.5 is outside 0 to 1"},
        {"- -0.5\n", read_double, "line 1: k: -0.5 is outside 0 to 1"},
        {"- 1e999\n", read_double, "line 1: k: 1e999 is outside 0 to 1"},
        {"- '1'\n", read_double, "line 1: k: '1' in quotes is a text, not a number"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_error err = {0};
        const struct fb_yaml *list = parse(*state, cases[i].yaml);

        assert_int_equal(cases[i].read(&list->at[0], &err), FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
    }
}

static void test_yaml_readers__give_values(void **state)
{
    const struct fb_yaml *list = parse(*state, "[5, yes, Off, -7, +7, 0.25, 1e-1]");
    const char *text;
    bool truth;
    int64_t whole;
    double number;

    assert_int_equal(fb_yaml_text(&list->at[0], "k", &text, NULL), FB_OK);
    assert_string_equal(text, "5");
    assert_int_equal(fb_yaml_bool(&list->at[1], "k", &truth, NULL), FB_OK);
    assert_true(truth);
    assert_int_equal(fb_yaml_bool(&list->at[2], "k", &truth, NULL), FB_OK);
    assert_false(truth);
    assert_int_equal(fb_yaml_int(&list->at[3], "k", -7, 7, &whole, NULL), FB_OK);
    assert_int_equal(whole, -7);
    assert_int_equal(fb_yaml_int(&list->at[4], "k", -7, 7, &whole, NULL), FB_OK);
    assert_int_equal(whole, 7);
    assert_int_equal(fb_yaml_double(&list->at[5], "k", 0, 1, &number, NULL), FB_OK);
    assert_true(number == 0.25);
    assert_int_equal(fb_yaml_double(&list->at[6], "k", 0, 1, &number, NULL), FB_OK);
    assert_true(number == 0.1);
}

static void test_yaml_texts__adds_one_or_many_or_nothing(void **state)
{
    const struct fb_yaml *list = parse(*state, "[a, [b, '', 5], [], [c, [d]], ~]");
    struct fb_texts texts = {0};
    struct fb_error err = {0};

    for (size_t i = 0; i < 3; i++)
        assert_int_equal(fb_yaml_texts(*state, &list->at[i], "k", &texts, NULL), FB_OK);
    assert_int_equal(texts.len, 4);
    assert_string_equal(texts.at[0], "a");
    assert_string_equal(texts.at[2], "");
    assert_string_equal(texts.at[3], "5");
    assert_int_equal(fb_yaml_texts(*state, &list->at[3], "k", &texts, &err), FB_EINPUT);
    assert_string_equal(err.text, "line 1: k: not a text");
    assert_int_equal(fb_yaml_texts(*state, &list->at[4], "k", &texts, &err), FB_EINPUT);
    assert_int_equal(texts.len, 4);
}

struct settings {
    const char *name;
    int64_t size;
    int calls;
};

static enum fb_status take_name(void *into, const struct fb_yaml *node, const char *key,
                                struct fb_error *err)
{
    struct settings *settings = into;

    settings->calls++;
    return fb_yaml_text(node, key, &settings->name, err);
}

static enum fb_status take_size(void *into, const struct fb_yaml *node, const char *key,
                                struct fb_error *err)
{
    struct settings *settings = into;

    settings->calls++;
    return fb_yaml_int(node, key, 1, 9, &settings->size, err);
}

static const struct fb_yaml_key inner_keys[] = {{"size", take_size, "digits"}};

static enum fb_status take_inner(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    return fb_yaml_read(node, key, inner_keys, COUNT(inner_keys), into, err);
}

static const struct fb_yaml_key outer_keys[] = {
    {"name", take_name, "what it is called"},
    {"inner", take_inner, "more"},
    {"later", NULL, "known and ignored"},
};

static void test_yaml_read__calls_the_row_of_each_key(void **state)
{
    const struct fb_yaml *map = parse(*state, "name: n\ninner: {size: 3}\nlater: {any: [1]}\n");
    struct settings got = {0};

    assert_int_equal(fb_yaml_read(map, "", outer_keys, COUNT(outer_keys), &got, NULL), FB_OK);
    assert_string_equal(got.name, "n");
    assert_int_equal(got.size, 3);
    map = parse(*state, "name:\ninner: ~\n");
    assert_int_equal(fb_yaml_read(map, "", outer_keys, COUNT(outer_keys), &got, NULL), FB_OK);
    assert_int_equal(got.calls, 2); /* null counts as absent */
}

static void test_yaml_read__names_the_path_of_what_it_refuses(void **state)
{
    static const struct {
        const char *yaml;
        const char *want;
    } cases[] = {
        {"[]", "line 1: not a mapping"},
        {"name: n\ninner: 5\n", "line 2: inner: not a mapping"},
        {"name: n\nnam: m\n", "line 2: nam: unknown key, nearest is 'name'"},
        {"inner:\n  sise: 3\n", "line 2: inner.sise: unknown key, nearest is 'size'"},
        {"something: 5\n", "line 1: something: unknown key"},
        {"inner: {size: 10}\n", "line 1: inner.size: 10 is outside 1 to 9"},
        {"name: [n]\n", "line 1: name: not a text"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_error err = {0};
        struct settings got = {0};
        const struct fb_yaml *map = parse(*state, cases[i].yaml);

        assert_int_equal(fb_yaml_read(map, "", outer_keys, COUNT(outer_keys), &got, &err),
                         FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yaml_find__sees_neither_absent_nor_null),
        cmocka_unit_test(test_yaml_readers__refuse_other_types_and_say_where),
        cmocka_unit_test(test_yaml_readers__give_values),
        cmocka_unit_test(test_yaml_texts__adds_one_or_many_or_nothing),
        cmocka_unit_test(test_yaml_read__calls_the_row_of_each_key),
        cmocka_unit_test(test_yaml_read__names_the_path_of_what_it_refuses),
    };

    return cmocka_run_group_tests_name("yaml_read", tests, arena_make, arena_drop);
}
