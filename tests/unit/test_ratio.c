/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/ratio.h"

#include "unit.h"

static void test_ratio_parse__reads_exact_fractions(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"4", "4"},
        {"1", "1"},
        {"1/2", "1/2"},
        {"0.5", "1/2"},
        {"32/8", "4"},
        {"4/8", "1/2"},
        {"1/8", "1/8"},
        {"3/8", "3/8"},
        {"0.125", "1/8"},
        {"0.375", "3/8"},
        {"2.0", "2"},
        {"1.50", "3/2"},
        {"0.1", "1/10"},
        {"0.3", "3/10"},
        {"0.333333", "333333/1000000"},
        {"04", "4"},
        {"1/02", "1/2"},
        {"1000000", "1000000"},
        {"1/1000000", "1/1000000"},
        {"0.000001", "1/1000000"},
        {"1000000/999999", "1000000/999999"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_ratio ratio;
        struct fb_error err = {0};
        char text[FB_RATIO_TEXT];

        if (fb_ratio_parse(cases[i].text, &ratio, &err) != FB_OK)
            fail_msg("%s", err.text);
        assert_string_equal(fb_ratio_format(ratio, text), cases[i].want);
    }
}

static void test_ratio_parse__refuses_what_is_none(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "'' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"0", "'0' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"-1", "'-1' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1/0", "'1/0' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"4x", "'4x' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"0/4", "'0/4' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"0.0", "'0.0' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1/", "'1/' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"/2", "'/2' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1/2/3", "'1/2/3' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1/-2", "'1/-2' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1/2x", "'1/2x' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1 / 2", "'1 / 2' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1.5/2", "'1.5/2' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"4.", "'4.' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {".5", "'.5' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"0.5.5", "'0.5.5' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"+4", "'+4' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {" 4", "' 4' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"4 ", "'4 ' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1e3", "'1e3' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"auto", "'auto' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"0x4", "'0x4' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1000001", "'1000001' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1/1000001", "'1/1000001' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"00000004", "'00000004' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"1/00000002", "'1/00000002' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"00000000", "'00000000' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"0.0000001", "'0.0000001' is no ratio above 0 such as 4, 1/2 or 0.5"},
        {"99999999999999999999999999999999999999999999",
         "'9999999999999999999999999999999999999999' is no ratio above 0 such as 4, 1/2 or 0.5"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_ratio ratio = {7, 9};
        struct fb_error err = {0};

        if (fb_ratio_parse(cases[i].text, &ratio, &err) != FB_EINPUT)
            fail_msg("'%s' is taken", cases[i].text);
        assert_string_equal(err.text, cases[i].want);
        assert_true(ratio.num == 7 && ratio.den == 9); /* untouched on failure */
    }
}

static void test_ratio_of__is_in_lowest_terms_or_none(void **state)
{
    static const struct {
        int64_t nics, gpus;
        const char *want;
    } cases[] = {
        {32, 8, "4"},
        {4, 8, "1/2"},
        {31, 8, "31/8"},
        {1, 8, "1/8"},
        {8, 8, "1"},
        {0, 8, ""},
        {8, 0, ""},
        {-1, 8, ""},
        {8, -1, ""},
        {FB_RATIO_MAX, 1, "1000000"},
        {FB_RATIO_MAX + 1, 1, ""},
        {1, FB_RATIO_MAX + 1, ""},
        {INT64_C(8000000), INT64_C(16000000), "1/2"},
        {INT64_MAX, 1, ""},
        {INT64_MAX, INT64_MAX, "1"},
        {1, INT64_MAX, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_ratio ratio = fb_ratio_of(cases[i].nics, cases[i].gpus);
        char text[FB_RATIO_TEXT];

        assert_string_equal(fb_ratio_format(ratio, text), cases[i].want);
        assert_int_equal(ratio.num == 0, *cases[i].want == '\0');
    }
}

static void test_ratio_nics__is_the_ceiling(void **state)
{
    static const struct {
        int64_t num, den, gpus, want;
    } cases[] = {
        {4, 1, 8, 32},
        {1, 2, 8, 4},
        {1, 2, 1, 1},
        {1, 2, 3, 2},
        {1, 2, 7, 4},
        {1, 8, 1, 1},
        {1, 8, 4, 1},
        {1, 8, 8, 1},
        {1, 8, 9, 2},
        {3, 8, 8, 3},
        {3, 8, 4, 2},
        {3, 8, 1, 1},
        {3, 2, 1, 2},
        {3, 2, 2, 3},
        {4, 1, 0, 0},
        {0, 0, 8, 0},
        {FB_RATIO_MAX, 1, 8, 8000000},
        {1, FB_RATIO_MAX, 1, 1},
        {FB_RATIO_MAX, FB_RATIO_MAX - 1, FB_RATIO_MAX - 2, FB_RATIO_MAX - 1},
        {1, 1, INT64_MAX - 1, INT64_MAX - 1},
        {1, 1, INT64_MAX, INT64_MAX},
        {2, 1, INT64_MAX, INT64_MAX},
        {1, 2, INT64_MAX, INT64_MAX / 2 + 1},
        {FB_RATIO_MAX, 3, INT64_MAX, INT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_ratio ratio = {cases[i].num, cases[i].den};
        int64_t nics = fb_ratio_nics(ratio, cases[i].gpus);

        if (nics != cases[i].want)
            fail_msg("%lld/%lld of %lld: %lld", (long long)ratio.num, (long long)ratio.den,
                     (long long)cases[i].gpus, (long long)nics);
    }
}

static void test_ratio_compare__orders_by_value(void **state)
{
    static const struct {
        const char *a, *b;
        int want;
    } cases[] = {
        {"4", "1/2", 1},
        {"1/2", "4", -1},
        {"1/2", "0.5", 0},
        {"1/3", "333333/1000000", 1},
        {"999999/1000000", "1", -1},
        {"1000000", "999999", 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_ratio a;
        struct fb_ratio b;

        assert_int_equal(fb_ratio_parse(cases[i].a, &a, NULL), FB_OK);
        assert_int_equal(fb_ratio_parse(cases[i].b, &b, NULL), FB_OK);
        assert_int_equal(fb_ratio_compare(a, b), cases[i].want);
        assert_int_equal(fb_ratio_equal(a, b), cases[i].want == 0);
    }
}

static void test_ratio_equal__knows_none(void **state)
{
    struct fb_ratio none = {0, 0};

    (void)state;
    assert_true(fb_ratio_equal(none, fb_ratio_of(0, 8)));
    assert_false(fb_ratio_equal(none, fb_ratio_of(1, 8)));
    assert_false(fb_ratio_equal(fb_ratio_of(1, 4), fb_ratio_of(1, 8)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio_parse__reads_exact_fractions),
        cmocka_unit_test(test_ratio_parse__refuses_what_is_none),
        cmocka_unit_test(test_ratio_of__is_in_lowest_terms_or_none),
        cmocka_unit_test(test_ratio_nics__is_the_ceiling),
        cmocka_unit_test(test_ratio_compare__orders_by_value),
        cmocka_unit_test(test_ratio_equal__knows_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
