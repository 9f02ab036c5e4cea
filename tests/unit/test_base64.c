/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/base64.h"

#include "unit.h"

#include <string.h>

static void test_base64__gives_back_what_it_took(void **state)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        {"", ""},
        {"1", "MQ=="},
        {"12", "MTI="},
        {"123", "MTIz"},
        {"1234", "MTIzNA=="},
        {"12345", "MTIzNDU="},
        {"123456", "MTIzNDU2"},
        {"\xfb\xff\xfe", "+//+"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[16];
        unsigned char bytes[16];
        size_t len = 99;

        assert_int_equal(fb_base64_size(strlen(cases[i].bytes)), strlen(cases[i].text) + 1);
        fb_base64_encode((const unsigned char *)cases[i].bytes, strlen(cases[i].bytes), text);
        assert_string_equal(text, cases[i].text);
        assert_true(fb_base64_decode(text, strlen(text), bytes, &len));
        assert_int_equal(len, strlen(cases[i].bytes));
        assert_memory_equal(bytes, cases[i].bytes, len);
    }
}

static void test_base64_decode__refuses_what_is_none(void **state)
{
    static const char *const cases[] = {
        "A",    "AA",   "AAA",  "A===",  "====",     "AA=A",     "Zg=",
        "Zh==", "Zm9=", "Z-_=", "Zm9\n", "Zg==Zg==", "Zm 9v===", "=AAA",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned char bytes[16];
        size_t len = 99;

        if (fb_base64_decode(cases[i], strlen(cases[i]), bytes, &len))
            fail_msg("'%s' was taken", cases[i]);
        assert_int_equal(len, 99);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64__gives_back_what_it_took),
        cmocka_unit_test(test_base64_decode__refuses_what_is_none),
    };

    return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
