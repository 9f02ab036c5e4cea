/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/pod.h"

#include "unit.h"

static void test_pod_lives__until_it_succeeded_or_failed(void **state)
{
    static const struct {
        const char *phase;
        bool terminating, want;
    } cases[] = {
        {"", false, true},           {"Pending", false, true}, {"Running", false, true},
        {"Unknown", false, true},    {"Running", true, true},  {"Pending", true, true},
        {"Succeeded", false, false}, {"Failed", false, false}, {"Failed", true, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pod pod = {.phase = cases[i].phase, .terminating = cases[i].terminating};

        assert_int_equal(fb_pod_lives(&pod), cases[i].want);
    }
}

static void test_pod_owner__is_the_controller_else_the_first(void **state)
{
    struct fb_owner owners[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    struct fb_pod pod = {.owners = owners};

    (void)state;
    assert_null(fb_pod_owner(&pod));
    pod.owners_len = COUNT(owners);
    assert_string_equal(fb_pod_owner(&pod)->name, "a");
    owners[2].controller = true;
    assert_string_equal(fb_pod_owner(&pod)->name, "c");
    owners[1].controller = true;
    assert_string_equal(fb_pod_owner(&pod)->name, "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pod_lives__until_it_succeeded_or_failed),
        cmocka_unit_test(test_pod_owner__is_the_controller_else_the_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
