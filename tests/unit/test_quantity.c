/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/quantity.h"

#include "unit.h"

#include <string.h>

#define MOST INT64_MAX
#define TWENTY_ZEROS "00000000000000000000"

struct row {
    const char *text;
    int64_t whole;
    int32_t nano;
};

static void check_rows(const struct row *rows, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        struct fb_quantity quantity;
        struct fb_error err = {0};

        if (fb_quantity_parse(rows[i].text, strlen(rows[i].text), &quantity, &err) != FB_OK)
            fail_msg("%s: %s", rows[i].text, err.text);
        if (quantity.whole != rows[i].whole || quantity.nano != rows[i].nano)
            fail_msg("%s: %lld + %d / 10^9", rows[i].text, (long long)quantity.whole,
                     (int)quantity.nano);
    }
}

static void test_quantity_parse__knows_every_suffix(void **state)
{
    static const struct row rows[] = {
        {"8k", 8000, 0},
        {"1k", 1000, 0},
        {"16Gi", INT64_C(17179869184), 0},
        {"500m", 0, 500000000},
        {"1n", 0, 1},
        {"1u", 0, 1000},
        {"1m", 0, 1000000},
        {"1M", 1000000, 0},
        {"1G", 1000000000, 0},
        {"1T", INT64_C(1000000000000), 0},
        {"1P", INT64_C(1000000000000000), 0},
        {"1E", INT64_C(1000000000000000000), 0},
        {"1Ki", 1024, 0},
        {"1Mi", 1048576, 0},
        {"1Ti", INT64_C(1099511627776), 0},
        {"1Pi", INT64_C(1125899906842624), 0},
        {"1Ei", INT64_C(1152921504606846976), 0},
        {"2000m", 2, 0},
        {"0Ei", 0, 0},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_quantity_parse__reads_what_kubernetes_writes(void **state)
{
    static const struct row rows[] = {
        {"0", 0, 0},
        {"8", 8, 0},
        {"1e3", 1000, 0},
        {"1E3", 1000, 0},
        {"1e+3", 1000, 0},
        {"1500e-3", 1, 500000000},
        {"1e0", 1, 0},
        {"12E-1", 1, 200000000},
        {".5", 0, 500000000},
        {"5.", 5, 0},
        {"5.k", 5000, 0},
        {"1.5Gi", INT64_C(1610612736), 0},
        {"0.5Ki", 512, 0},
        {"0.001Ki", 1, 24000000},
        {"+1", 1, 0},
        {"+1.5k", 1500, 0},
        {"-1", -1, 0},
        {"-0", 0, 0},
        {"-0.5", -1, 500000000},
        {"-1500m", -2, 500000000},
        {"007", 7, 0},
        {"0.1", 0, 100000000},
        {"0e99999", 0, 0},
        {"0.000", 0, 0},
        {"9223372036854775807", MOST, 0},
        {"9223372036854775806.999999999", MOST - 1, 999999999},
        {"0" TWENTY_ZEROS TWENTY_ZEROS "8", 8, 0},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_quantity_parse__rounds_away_from_zero_and_stops_at_the_ends(void **state)
{
    static const struct row rows[] = {
        {"0.1n", 0, 1},
        {"0.0000000001", 0, 1},
        {"1.0000000001", 1, 1},
        {"1.9999999999", 2, 0},
        {"1e-99999999999", 0, 1},
        {"0." TWENTY_ZEROS TWENTY_ZEROS TWENTY_ZEROS "1", 0, 1},
        {"-0.1n", -1, 999999999},
        {"-1.9999999999", -2, 0},
        {"9223372036854775808", MOST, 0},
        {"9223372036854775807.1", MOST, 0},
        {"9223372036854775807.5k", MOST, 0},
        {"10E", MOST, 0},
        {"8Ei", MOST, 0},
        {"16Ei", MOST, 0},
        {"1e99999999999", MOST, 0},
        {"99999999999Ei", MOST, 0},
        {"1000e-60", 0, 1},
        {"1001e-60", 0, 1},
        {"-10E", -MOST, 0},
        {"-9223372036854775808", -MOST, 0},
        {"99999999999999999999999999999999999999999999", MOST, 0},
        {"99999999999999999999999999999999999999999999e-43", 10, 0},
        {"10000000000000000000000000000000000000000000e-43", 1, 0},
        {"10000000000000000000000000000000000000000001e-43", 1, 1},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* A binary suffix behind many digits of a fraction: nothing may be capped or lost in between. */
static void test_quantity_parse__keeps_long_fractions_of_binary_units(void **state)
{
    static const struct row rows[] = {
        {"1.000000000000Ei", INT64_C(1152921504606846976), 0},
        {"1." TWENTY_ZEROS "00000000Ki", 1024, 0},
        {"1." TWENTY_ZEROS TWENTY_ZEROS "Ki", 1024, 0},
        {"7.9999999999Ei", INT64_C(9223372036739483657), 539315303},
        {"0." TWENTY_ZEROS "1Ei", 0, 1152922},
        {"0.0009765625Ki", 1, 0},
        {"0.00000000000000000086736173798840354720596224069595336914062Ei", 1, 0},
        {"0." TWENTY_ZEROS TWENTY_ZEROS TWENTY_ZEROS "1Ei", 0, 1},
        {"-1.000000000000Ei", -INT64_C(1152921504606846976), 0},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_quantity_parse__refuses_what_is_none(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "'' is no quantity"},
        {"4x", "'4x' is no quantity"},
        {"abc", "'abc' is no quantity"},
        {".", "'.' is no quantity"},
        {"+", "'+' is no quantity"},
        {"-", "'-' is no quantity"},
        {"--1", "'--1' is no quantity"},
        {"+-1", "'+-1' is no quantity"},
        {" 1", "' 1' is no quantity"},
        {"1 ", "'1 ' is no quantity"},
        {"1 Gi", "'1 Gi' is no quantity"},
        {"Gi", "'Gi' is no quantity"},
        {"k", "'k' is no quantity"},
        {"-k", "'-k' is no quantity"},
        {"e3", "'e3' is no quantity"},
        {"1e", "'1e' is no quantity"},
        {"1e+", "'1e+' is no quantity"},
        {"1e-", "'1e-' is no quantity"},
        {"1e3k", "'1e3k' is no quantity"},
        {"1e3.5", "'1e3.5' is no quantity"},
        {"1e+-3", "'1e+-3' is no quantity"},
        {"1e3e3", "'1e3e3' is no quantity"},
        {"1K", "'1K' is no quantity"},
        {"1ki", "'1ki' is no quantity"},
        {"1KI", "'1KI' is no quantity"},
        {"1mi", "'1mi' is no quantity"},
        {"1i", "'1i' is no quantity"},
        {"1kk", "'1kk' is no quantity"},
        {"1GiB", "'1GiB' is no quantity"},
        {"1GB", "'1GB' is no quantity"},
        {"1g", "'1g' is no quantity"},
        {"1.2.3", "'1.2.3' is no quantity"},
        {"1..2", "'1..2' is no quantity"},
        {"1,5", "'1,5' is no quantity"},
        {"1_000", "'1_000' is no quantity"},
        {"0x10", "'0x10' is no quantity"},
        {"1/2", "'1/2' is no quantity"},
        {"inf", "'inf' is no quantity"},
        {"nan", "'nan' is no quantity"},
        {"true", "'true' is no quantity"},
        {"1\xC2\xB5", "'1\xC2\xB5' is no quantity"},
        {"0123456789012345678901234567890123456789012345x",
         "'0123456789012345678901234567890123456789' is no quantity"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_quantity quantity = {7, 7};
        struct fb_error err = {0};

        if (fb_quantity_parse(cases[i].text, strlen(cases[i].text), &quantity, &err) != FB_EINPUT)
            fail_msg("'%s' is taken", cases[i].text);
        assert_string_equal(err.text, cases[i].want);
        assert_true(quantity.whole == 7 && quantity.nano == 7); /* untouched on failure */
    }
}

static void test_quantity_parse__reads_no_further_than_told(void **state)
{
    struct fb_quantity quantity;

    (void)state;
    assert_int_equal(fb_quantity_parse("8Gi", 1, &quantity, NULL), FB_OK);
    assert_int_equal(quantity.whole, 8);
    assert_int_equal(fb_quantity_parse("85", 1, &quantity, NULL), FB_OK);
    assert_int_equal(quantity.whole, 8);
    assert_int_equal(fb_quantity_parse("8Gi", 2, &quantity, NULL), FB_OK);
    assert_int_equal(quantity.whole, INT64_C(8000000000));
    assert_int_equal(fb_quantity_parse("8e3", 2, &quantity, NULL), FB_EINPUT);
    assert_int_equal(fb_quantity_parse("8e-3", 2, &quantity, NULL), FB_EINPUT);
    assert_int_equal(fb_quantity_parse("8\0", 2, &quantity, NULL), FB_EINPUT);
    assert_int_equal(fb_quantity_parse("-5", 1, &quantity, NULL), FB_EINPUT);
}

static void test_quantity_units__round_away_from_zero(void **state)
{
    static const struct {
        const char *text;
        int64_t units, milli;
    } cases[] = {
        {"0", 0, 0},
        {"1", 1, 1000},
        {"500m", 1, 500},
        {"1500m", 2, 1500},
        {"1n", 1, 1},
        {"1.0001", 2, 1001},
        {"0.9999", 1, 1000},
        {"0.9991", 1, 1000},
        {"0.999", 1, 999},
        {"-1", -1, -1000},
        {"-500m", -1, -500},
        {"-1.0001", -2, -1001},
        {"-1.5", -2, -1500},
        {"9223372036854775807", MOST, MOST},
        {"9223372036854775806.1", MOST, MOST},
        {"9223372036854775", INT64_C(9223372036854775), INT64_C(9223372036854775000)},
        {"9223372036854775.8071", INT64_C(9223372036854776), MOST},
        {"-9223372036854775807", -MOST, INT64_MIN},
        {"-9223372036854775.8060925", INT64_C(-9223372036854776), -MOST},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_quantity quantity;

        assert_int_equal(fb_quantity_parse(cases[i].text, strlen(cases[i].text), &quantity, NULL),
                         FB_OK);
        if (fb_quantity_units(&quantity) != cases[i].units ||
            fb_quantity_milli(&quantity) != cases[i].milli)
            fail_msg("%s: %lld units, %lld thousandths", cases[i].text,
                     (long long)fb_quantity_units(&quantity),
                     (long long)fb_quantity_milli(&quantity));
    }
}

static void test_quantity_units__stop_at_the_largest(void **state)
{
    static const struct fb_quantity over = {MOST, 1};

    (void)state;
    assert_true(fb_quantity_units(&over) == MOST);
    assert_true(fb_quantity_milli(&over) == MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantity_parse__knows_every_suffix),
        cmocka_unit_test(test_quantity_parse__reads_what_kubernetes_writes),
        cmocka_unit_test(test_quantity_parse__rounds_away_from_zero_and_stops_at_the_ends),
        cmocka_unit_test(test_quantity_parse__keeps_long_fractions_of_binary_units),
        cmocka_unit_test(test_quantity_parse__refuses_what_is_none),
        cmocka_unit_test(test_quantity_parse__reads_no_further_than_told),
        cmocka_unit_test(test_quantity_units__round_away_from_zero),
        cmocka_unit_test(test_quantity_units__stop_at_the_largest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
