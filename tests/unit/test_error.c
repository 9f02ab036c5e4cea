/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/error.h"

#include "unit.h"

#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#define TEXT_MAX (sizeof((struct fb_error *)0)->text - 1)

static void test_error_set__records_status_and_text(void **state)
{
    struct fb_error err = {0};

    (void)state;
    assert_int_equal(fb_error_set(&err, FB_EINPUT, "line %d: %s", 3, "not a list"), FB_EINPUT);
    assert_int_equal(err.status, FB_EINPUT);
    assert_string_equal(err.text, "line 3: not a list");
}

static void test_error_set__takes_no_error(void **state)
{
    (void)state;
    assert_int_equal(fb_error_set(NULL, FB_ENOMEM, "out of memory"), FB_ENOMEM);
    assert_int_equal(fb_error_prefix(NULL, FB_ELIMIT, "node %s", "a"), FB_ELIMIT);
}

static void test_error_set__marks_a_cut(void **state)
{
    static const struct {
        size_t len;
        bool cut;
    } cases[] = {
        {TEXT_MAX - 1, false},
        {TEXT_MAX, false},
        {TEXT_MAX + 1, true},
        {4 * TEXT_MAX, true},
    };
    char text[4 * TEXT_MAX + 1];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_error err = {0};

        memset(text, 'x', cases[i].len);
        text[cases[i].len] = '\0';
        (void)fb_error_set(&err, FB_EINPUT, "%s", text);
        assert_int_equal(strlen(err.text), cases[i].cut ? TEXT_MAX : cases[i].len);
        assert_string_equal(err.text + strlen(err.text) - 3, cases[i].cut ? "..." : "xxx");
    }
}

/* What was sent is quoted: it must neither break the line nor steer a terminal. */
static void test_error_set__is_one_plain_line(void **state)
{
    static const struct {
        const char *sent, *want;
    } cases[] = {
        {"a\nb", "line 1: 'a?b'"},
        {"a\r\tb", "line 1: 'a??b'"},
        {"\x1b[31mred", "line 1: '?[31mred'"},
        {"\x7f", "line 1: '?'"},
        {"\x01", "line 1: '?'"},
        {"\xC2\xB5m \xE2\x82\xAC", "line 1: '\xC2\xB5m \xE2\x82\xAC'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_error err = {0};

        (void)fb_error_set(&err, FB_EINPUT, "'%s'", cases[i].sent);
        (void)fb_error_prefix(&err, FB_EINPUT, "line %d", 1);
        assert_string_equal(err.text, cases[i].want);
        (void)fb_error_set(&err, FB_EINPUT, "''");
        (void)fb_error_prefix(&err, FB_EINPUT, "%s", cases[i].sent);
        assert_null(strpbrk(err.text, "\n\r\t\x1b\x7f\x01"));
    }
}

static void test_error_set__survives_what_cannot_be_formatted(void **state)
{
    static const wchar_t none[] = {(wchar_t)0x7FFFFFFF, 0};
    struct fb_error err = {0};

    (void)state;
    assert_int_equal(fb_error_set(&err, FB_EINPUT, "%ls", none), FB_EINPUT);
    assert_true(memchr(err.text, '\0', sizeof err.text) != NULL);
}

static void test_error_prefix__puts_the_place_in_front(void **state)
{
    struct fb_error err = {0};
    enum fb_status st = fb_error_set(&err, FB_EINPUT, "not a quantity");

    (void)state;
    st = fb_error_prefix(&err, st, "%s", "cpu");
    st = fb_error_prefix(&err, st, "node %s", "p5-0001");
    assert_int_equal(st, FB_EINPUT);
    assert_int_equal(err.status, FB_EINPUT);
    assert_string_equal(err.text, "node p5-0001: cpu: not a quantity");
}

static void test_error_prefix__marks_a_cut(void **state)
{
    struct fb_error err = {0};

    (void)state;
    (void)fb_error_set(&err, FB_EINPUT, "%0200d", 0);
    (void)fb_error_prefix(&err, FB_EINPUT, "%0100d", 0);
    assert_int_equal(strlen(err.text), TEXT_MAX);
    assert_string_equal(err.text + TEXT_MAX - 4, "0...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_set__records_status_and_text),
        cmocka_unit_test(test_error_set__takes_no_error),
        cmocka_unit_test(test_error_set__marks_a_cut),
        cmocka_unit_test(test_error_set__is_one_plain_line),
        cmocka_unit_test(test_error_set__survives_what_cannot_be_formatted),
        cmocka_unit_test(test_error_prefix__puts_the_place_in_front),
        cmocka_unit_test(test_error_prefix__marks_a_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
