/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/text.h"

#include "fabricbind/arena.h"
#include "fabricbind/own.h"

#include "unit.h"

#include <string.h>

static void test_text_equal__compares_byte_by_byte(void **state)
{
    static const struct {
        const char *a, *b;
        bool want;
    } cases[] = {
        {"a", "a", true},   {"a", "A", false},     {"a", "ab", false},
        {"", "", true},     {"", NULL, false},     {NULL, "", false},
        {NULL, NULL, true}, {"abc", "abd", false}, {"b", "a", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(fb_text_equal(cases[i].a, cases[i].b), cases[i].want);
}

static void test_text_has_prefix__also_the_empty_one(void **state)
{
    static const struct {
        const char *text, *prefix;
        bool want;
    } cases[] = {
        {"ml.p5", "ml.", true}, {"ml.", "ml.", true}, {"ml", "ml.", false}, {"p5", "ml.", false},
        {"p5", "", true},       {"", "", true},       {NULL, "ml.", false}, {NULL, "", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(fb_text_has_prefix(cases[i].text, cases[i].prefix), cases[i].want);
}

static void test_text_matches__star_is_any_run(void **state)
{
    static const struct {
        const char *text, *pattern;
        bool want;
    } cases[] = {
        {"net/efa", "net/efa", true},
        {"net/efa", "net/ef", false},
        {"net/ef", "net/efa", false},
        {"net/gpu-nic0", "net/*", true},
        {"net/", "net/*", true},
        {"net", "net/*", false},
        {"net/gpu-nic0.IP", "*.IP", true},
        {"net/gpu-nic0.IPv6", "*.IP", false},
        {"net/gvnic-1", "*/gvnic-*", true},
        {"net/gvnic", "*/gvnic-*", false},
        {"", "", true},
        {"", "*", true},
        {"a", "", false},
        {"", "a", false},
        {"anything", "*", true},
        {"anything", "**", true},
        {"aab", "*ab", true},
        {"abab", "*ab", true},
        {"abcbd", "a*b*d", true},
        {"abcbc", "a*b*d", false},
        {"mississippi", "m*issip*", true},
        {"a*", "a*", true},
        {"a.b", "a?b", false},
        {"A", "a", false},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "*a*a*a*a*a*a*a*a*a*c", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (fb_text_matches(cases[i].text, cases[i].pattern) != cases[i].want)
            fail_msg("'%s' against '%s'", cases[i].text, cases[i].pattern);
    }
}

static void test_texts_has__finds_in_any_place(void **state)
{
    const char *at[] = {"a", "b", "c"};
    struct fb_texts texts = {at, COUNT(at), COUNT(at)};
    struct fb_texts empty = {0};

    (void)state;
    assert_true(fb_texts_has(&texts, "a"));
    assert_true(fb_texts_has(&texts, "c"));
    assert_false(fb_texts_has(&texts, "d"));
    assert_false(fb_texts_has(&texts, ""));
    assert_false(fb_texts_has(&empty, "a"));
}

static void test_texts_add__grows_or_leaves_all_as_it_was(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    FB_OWNED(fb_arena_freep) struct fb_arena *small = fb_arena_new(1);
    struct fb_texts texts = {0};
    struct fb_texts none = {0};

    (void)state;
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(fb_texts_add(arena, &texts, i % 2 == 0 ? "even" : "odd"), FB_OK);
    assert_int_equal(fb_texts_add(arena, &texts, NULL), FB_ENOMEM);
    assert_int_equal(texts.len, 100);
    assert_string_equal(texts.at[0], "even");
    assert_string_equal(texts.at[99], "odd");
    assert_int_equal(fb_texts_add(small, &none, "a"), FB_ENOMEM);
    assert_int_equal(none.len + none.size, 0);
}

static void test_pairs_find__the_last_of_one_key_wins(void **state)
{
    struct fb_pair at[] = {{"first", "0"}, {"a", "1"}, {"b", ""}, {"a", "2"}};
    struct fb_pairs pairs = {at, COUNT(at), COUNT(at)};
    struct fb_pairs empty = {0};

    (void)state;
    assert_string_equal(fb_pairs_find(&pairs, "a"), "2");
    assert_string_equal(fb_pairs_find(&pairs, "b"), "");
    assert_string_equal(fb_pairs_find(&pairs, "first"), "0");
    assert_null(fb_pairs_find(&pairs, "c"));
    assert_null(fb_pairs_find(&empty, "a"));
}

static void test_text_is_name__takes_what_kubernetes_takes(void **state)
{
    static const char *const names[] = {"a", "a-0.b", "0", "p5-0000.example.com"};
    static const char *const others[] = {"",   "A",  "a/b", "..",  ".a",
                                         "a.", "-a", "a-",  "a b", "a%2f"};
    char longest[255];

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        assert_true(fb_text_is_name(names[i]));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(fb_text_is_name(others[i]));
    assert_false(fb_text_is_name(NULL));
    memset(longest, 'a', sizeof longest);
    longest[254] = '\0';
    assert_false(fb_text_is_name(longest));
    longest[253] = '\0';
    assert_true(fb_text_is_name(longest));
}

static void test_text_nearest__names_what_was_meant(void **state)
{
#define FIFTY "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
    static const char *const keys[] = {
        FIFTY "andfifteenmore", /* too long to be compared */
        "placement",
        "provider",
        "scoring",
        "weight",
        "mode",
        FIFTY "thirteenmore_",
    };
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"provider", "provider"},
        {"providr", "provider"},
        {"porvider", "provider"},
        {"Provider", "provider"},
        {"providers", "provider"},
        {"placment", "placement"},
        {"wieght", "weight"},
        {"mod", "mode"},
        {"modes", "mode"},
        {"xxxmode", "mode"},
        {"xxxxxmode", NULL},
        {"mxyz", NULL},
        {"xyz", NULL},
        {"completelyother", NULL},
        {"", NULL},
        {"m", NULL},
        {FIFTY "thirteenmor", FIFTY "thirteenmore_"},
        {FIFTY "andfifteenmor", FIFTY "thirteenmore_"},
        {FIFTY "andfifteenmore", NULL},
    };
    static const char *const ties[] = {"ab", "ac"};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *nearest = fb_text_nearest(cases[i].text, keys, COUNT(keys));

        if (!fb_text_equal(nearest, cases[i].want))
            fail_msg("%s: %s", cases[i].text, nearest != NULL ? nearest : "(none)");
    }
    assert_null(fb_text_nearest("mode", keys, 0));
    assert_string_equal(fb_text_nearest("ad", ties, COUNT(ties)), "ab"); /* the first of equals */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_equal__compares_byte_by_byte),
        cmocka_unit_test(test_text_has_prefix__also_the_empty_one),
        cmocka_unit_test(test_text_matches__star_is_any_run),
        cmocka_unit_test(test_texts_has__finds_in_any_place),
        cmocka_unit_test(test_texts_add__grows_or_leaves_all_as_it_was),
        cmocka_unit_test(test_pairs_find__the_last_of_one_key_wins),
        cmocka_unit_test(test_text_is_name__takes_what_kubernetes_takes),
        cmocka_unit_test(test_text_nearest__names_what_was_meant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
