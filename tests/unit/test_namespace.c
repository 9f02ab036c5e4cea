/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/namespace.h"

#include "unit.h"

static void test_namespace_of__reads_labels(void **state)
{
    static const struct {
        struct fb_pair labels[2];
        enum fb_pod_security level;
        bool off, strict;
    } cases[] = {
        {{{"a", "b"}, {"c", "d"}}, FB_POD_SECURITY_PRIVILEGED, false, false},
        {{{FB_NAMESPACE_LEVEL_KEY, "privileged"}, {"pod-security.kubernetes.io/warn", "baseline"}},
         FB_POD_SECURITY_PRIVILEGED,
         false,
         false},
        {{{FB_NAMESPACE_LEVEL_KEY, "baseline"}, {FB_NAMESPACE_OFF_KEY, "true"}},
         FB_POD_SECURITY_BASELINE,
         false,
         false},
        {{{FB_NAMESPACE_LEVEL_KEY, "restricted"}, {FB_NAMESPACE_OFF_KEY, "false"}},
         FB_POD_SECURITY_RESTRICTED,
         true,
         false},
        {{{FB_NAMESPACE_LEVEL_KEY, "lax"}, {FB_NAMESPACE_OFF_KEY, "disabled"}},
         FB_POD_SECURITY_RESTRICTED,
         true,
         false},
        {{{FB_NAMESPACE_STRICT_KEY, "true"}, {"c", "d"}}, FB_POD_SECURITY_PRIVILEGED, false, true},
        {{{FB_NAMESPACE_STRICT_KEY, "yes"}, {"c", "d"}}, FB_POD_SECURITY_PRIVILEGED, false, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pair pairs[2] = {cases[i].labels[0], cases[i].labels[1]};
        struct fb_pairs labels = {.at = pairs, .len = COUNT(pairs)};
        struct fb_namespace space = fb_namespace_of("team", &labels);

        assert_string_equal(space.name, "team");
        assert_int_equal(space.level, cases[i].level);
        assert_int_equal(space.off, cases[i].off);
        assert_int_equal(space.strict, cases[i].strict);
    }
}

static void test_namespaces_find__finds_by_name_in_any_order(void **state)
{
    struct fb_namespace at[] = {{.name = "team-b"}, {.name = "default"}, {.name = "team-a"}};
    struct fb_namespaces all = {.at = at, .len = COUNT(at)};
    struct fb_namespaces none = {0};

    (void)state;
    fb_namespaces_sort(&none);
    assert_null(fb_namespaces_find(&none, "default"));
    fb_namespaces_sort(&all);
    assert_string_equal(fb_namespaces_find(&all, "default")->name, "default");
    assert_string_equal(fb_namespaces_find(&all, "team-a")->name, "team-a");
    assert_string_equal(fb_namespaces_find(&all, "team-b")->name, "team-b");
    assert_null(fb_namespaces_find(&all, "team"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_namespace_of__reads_labels),
        cmocka_unit_test(test_namespaces_find__finds_by_name_in_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
