/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/own.h"
#include "fabricbind/volcanofile.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static const char whole[] = "actions: \"enqueue, allocate\"\n"
                            "tiers:\n"
                            "- plugins:\n"
                            "  - name: gang\n"
                            "    enablePreemptable: false\n"
                            "- plugins:\n"
                            "  - name: nodeorder\n"
                            "    arguments:\n"
                            "      a: 5\n"
                            "      b: '5'\n"
                            "      c: -0.5\n"
                            "      d: on\n"
                            "      e: [x, z]\n"
                            "      f: [x, 1, [z]]\n"
                            "      g: {h: 7, i: {j: 8}}\n"
                            "      k: ~\n"
                            "      l: 99999999999999999999\n"
                            "      m: -9223372036854775808\n"
                            "  - name: gang\n"
                            "    arguments:\n"
                            "configurations:\n"
                            "- name: allocate\n"
                            "  arguments: {predicateErrorCacheEnable: false}\n"
                            "other: {ignored: true}\n";

static int arena_make(void **state)
{
    *state = fb_arena_new(0);
    return *state == NULL;
}

static int arena_drop(void **state)
{
    fb_arena_free(*state);
    return 0;
}

static struct fb_volcano_conf read_text(struct fb_arena *arena, const char *text)
{
    struct fb_volcano_conf conf = {0};
    struct fb_error err = {0};

    if (fb_volcanofile_read(arena, text, strlen(text), &conf, &err) != FB_OK)
        fail_msg("%s", err.text);
    return conf;
}

static void test_volcanofile__reads_tiers_plugins_and_switches(void **state)
{
    struct fb_volcano_conf conf = read_text(*state, whole);
    const struct fb_volcano_plugins *plugins = &conf.plugins;
    const struct fb_volcano_setting *set;

    assert_string_equal(conf.actions, "enqueue, allocate");
    assert_int_equal(plugins->len, 3);
    assert_string_equal(plugins->at[0].name, "gang");
    assert_int_equal(plugins->at[0].line, 4);
    assert_int_equal(plugins->at[0].tier, 0);
    assert_int_equal(plugins->at[1].tier, 1);
    set = fb_volcano_settings_find(&plugins->at[0].switches, "enablePreemptable");
    assert_non_null(set);
    assert_int_equal(set->type, FB_VOLCANO_TRUTH);
    assert_false(set->yes);
    assert_int_equal(set->line, 5);
    assert_ptr_equal(fb_volcano_plugins_find(plugins, "gang", 1), &plugins->at[2]);
    assert_null(fb_volcano_plugins_find(plugins, "gang", 3));
    assert_null(fb_volcano_plugins_find(plugins, "drf", 0));
    assert_int_equal(plugins->at[2].arguments.len, 0);
    assert_int_equal(conf.actions_set.len, 1);
    assert_non_null(
        fb_volcano_settings_find(&conf.actions_set.at[0].arguments, "predicateErrorCacheEnable"));
}

static void test_volcanofile__types_values_as_volcano_does(void **state)
{
    static const struct {
        const char *key;
        const char *text;
        int64_t whole;
        size_t len;
        enum fb_volcano_type type;
        bool yes, strings;
    } cases[] = {
        {"a", "5", 5, 0, FB_VOLCANO_WHOLE, false, false},
        {"b", "5", 0, 0, FB_VOLCANO_STRING, false, false},
        {"c", "-0.5", 0, 0, FB_VOLCANO_REAL, false, false},
        {"d", "on", 0, 0, FB_VOLCANO_TRUTH, true, false},
        {"e", "", 0, 2, FB_VOLCANO_LIST, false, true},
        {"f", "", 0, 2, FB_VOLCANO_LIST, false, false},
        {"g", "", 0, 0, FB_VOLCANO_MAP, false, false},
        {"g/h", "7", 7, 0, FB_VOLCANO_WHOLE, false, false},
        {"g/i", "", 0, 0, FB_VOLCANO_MAP, false, false},
        {"l", "99999999999999999999", 0, 0, FB_VOLCANO_REAL, false, false},
        {"m", "-9223372036854775808", INT64_MIN, 0, FB_VOLCANO_WHOLE, false, false},
    };
    struct fb_volcano_conf conf = read_text(*state, whole);
    const struct fb_volcano_settings *all = &conf.plugins.at[1].arguments;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fb_volcano_setting *set = fb_volcano_settings_find(all, cases[i].key);

        assert_non_null(set);
        if (set->type != cases[i].type || set->whole != cases[i].whole ||
            set->yes != cases[i].yes || set->strings != cases[i].strings ||
            set->list.len != cases[i].len)
            fail_msg("%s: type %d, whole %lld", cases[i].key, (int)set->type,
                     (long long)set->whole);
        assert_string_equal(set->text, cases[i].text);
    }
    assert_null(fb_volcano_settings_find(all, "k"));
    assert_null(fb_volcano_settings_find(all, "g/i/j"));
    assert_int_equal(all->len, COUNT(cases) + 1);
}

static void test_volcanofile__finds_the_conf_in_a_config_map(void **state)
{
    static const char *const cases[] = {
        "kind: ConfigMap\ndata:\n  a.conf: x\n  volcano-scheduler.conf: |\n    tiers: "
        "[{plugins: [{name: here}]}]\n",
        "kind: ConfigMap\ndata:\n  README: x\n  mine.conf: |\n    tiers: [{plugins: [{name: "
        "here}]}]\n",
        "{\"kind\": \"ConfigMap\", \"data\": {\"volcano-scheduler.conf\": \"tiers:\\n- plugins:"
        "\\n  - name: here\\n\"}}",
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_volcano_conf conf = read_text(*state, cases[i]);

        assert_int_equal(conf.plugins.len, 1);
        assert_string_equal(conf.plugins.at[0].name, "here");
    }
}

static void test_volcanofile__refuses_what_is_none_and_says_where(void **state)
{
    static const struct {
        const char *yaml, *want;
    } cases[] = {
        {"", "line 1: tiers: missing"},
        {"actions: allocate\n", "line 1: tiers: missing"},
        {"- a\n", "line 1: volcano-scheduler.conf: not a mapping"},
        {"tiers: []\n---\ntiers: []\n", "line 3: a second document"},
        {"tiers: {}\n", "line 1: tiers: not a list"},
        {"tiers:\n- x\n", "line 2: tier: not a mapping"},
        {"tiers:\n- plugins: x\n", "line 2: plugins: not a list"},
        {"tiers:\n- plugins:\n  - x\n", "line 3: plugin: not a mapping"},
        {"tiers:\n- plugins:\n  - {nam: x}\n", "line 3: name: missing"},
        {"tiers:\n- plugins:\n  - name: [x]\n", "line 3: name: not a text"},
        {"tiers:\n- plugins:\n  - name: x\n    arguments: [y]\n",
         "line 4: arguments: not a mapping"},
        {"tiers: []\nactions: [allocate]\n", "line 2: actions: not a text"},
        {"tiers: []\nconfigurations: {}\n", "line 2: configurations: not a list"},
        {"tiers: &x []\n", "line 1: anchors and aliases are not taken: 'x'"},
        {"kind: ConfigMap\n", "line 1: data: missing"},
        {"kind: ConfigMap\ndata: [x]\n", "line 1: data: missing"},
        {"kind: ConfigMap\ndata:\n  a: x\n", "line 3: data: no entry volcano-scheduler.conf"},
        {"kind: ConfigMap\ndata: {a.conf: x, b.conf: y}\n",
         "line 2: data: no entry volcano-scheduler.conf"},
        {"kind: ConfigMap\ndata:\n  a.conf: [x]\n", "line 3: a.conf: not a text"},
        {"kind: ConfigMap\ndata:\n  a.conf: |\n    x: y\n    tiers: z\n",
         "data.a.conf: line 2: tiers: not a list"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_volcano_conf conf = {.actions = "untouched"};
        struct fb_error err = {0};

        assert_int_equal(
            fb_volcanofile_read(*state, cases[i].yaml, strlen(cases[i].yaml), &conf, &err),
            FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
        assert_string_equal(conf.actions, "untouched");
    }
}

/* As many plugins as may be, and one more. */
static void test_volcanofile__has_a_limit_on_plugins(void **state)
{
    static char yaml[8192];
    struct fb_volcano_conf conf = {0};
    struct fb_error err = {0};
    size_t len = (size_t)snprintf(yaml, sizeof yaml, "tiers:\n- plugins:\n");

    for (int i = 0; i < 256; i++)
        len += (size_t)snprintf(yaml + len, sizeof yaml - len, "  - name: x\n");
    assert_int_equal(fb_volcanofile_read(*state, yaml, len, &conf, &err), FB_OK);
    len += (size_t)snprintf(yaml + len, sizeof yaml - len, "  - name: x\n");
    assert_int_equal(fb_volcanofile_read(*state, yaml, len, &conf, &err), FB_ELIMIT);
    assert_string_equal(err.text, "line 259: more than 256 plugins");
}

static void test_volcanofile__survives_want_of_memory(void **state)
{
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    for (; st != FB_OK; after++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = NULL;
        struct fb_volcano_conf conf;

        assert_true(after < 1000);
        alloc_fault_arm(after);
        arena = fb_arena_new(0);
        st = arena == NULL ? FB_ENOMEM
                           : fb_volcanofile_read(arena, whole, strlen(whole), &conf, NULL);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
    }
    assert_true(after > 4);
}

/* The arena's own limit stops at other places than malloc does. */
static void test_volcanofile__keeps_to_the_limit_of_its_arena(void **state)
{
    static char yaml[32768];
    size_t len = (size_t)snprintf(yaml, sizeof yaml,
                                  "tiers:\n- plugins:\n  - name: x\n"
                                  "    arguments:\n");
    bool fits = false;
    size_t refused = 0;

    (void)state;
    for (int i = 0; i < 800; i++)
        len += (size_t)snprintf(yaml + len, sizeof yaml - len, "      k%d: [a, {b: c}]\n", i);
    for (size_t limit = 65536; !fits; limit += 16384) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(limit);
        struct fb_volcano_conf conf;
        enum fb_status st = fb_volcanofile_read(arena, yaml, len, &conf, NULL);

        assert_true(limit < 16777216);
        assert_true(st == FB_OK || st == FB_ENOMEM);
        fits = st == FB_OK;
        refused += !fits;
    }
    assert_true(refused > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volcanofile__reads_tiers_plugins_and_switches),
        cmocka_unit_test(test_volcanofile__types_values_as_volcano_does),
        cmocka_unit_test(test_volcanofile__finds_the_conf_in_a_config_map),
        cmocka_unit_test(test_volcanofile__refuses_what_is_none_and_says_where),
        cmocka_unit_test(test_volcanofile__has_a_limit_on_plugins),
        cmocka_unit_test(test_volcanofile__survives_want_of_memory),
        cmocka_unit_test(test_volcanofile__keeps_to_the_limit_of_its_arena),
    };

    return cmocka_run_group_tests_name("volcanofile", tests, arena_make, arena_drop);
}
