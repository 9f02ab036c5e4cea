/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/select.h"

#include "make_cluster.h"
#include "unit.h"

#include <string.h>

static int set_up(void **state)
{
    *state = builder_new();
    return 0;
}

static int tear_down(void **state)
{
    builder_free(*state);
    return 0;
}

/* A node called "n1" with the labels disk=ssd, cores=96, low=-5, empty= and huge. */
static struct fb_node *labelled(struct builder *builder)
{
    struct fb_node *node = make_node(builder, "n1", "", 8, NULL, 0);

    give_label(builder, node, "disk", "ssd");
    give_label(builder, node, "cores", "96");
    give_label(builder, node, "low", "-5");
    give_label(builder, node, "empty", "");
    give_label(builder, node, "most", "9223372036854775807");
    give_label(builder, node, "huge", "9223372036854775808");
    return node;
}

static void test_select_labels__wants_every_one(void **state)
{
    static const struct {
        const char *key[2], *value[2];
        bool want;
    } cases[] = {
        {{NULL}, {NULL}, true},
        {{"disk"}, {"ssd"}, true},
        {{"disk"}, {"hdd"}, false},
        {{"disk"}, {""}, false},
        {{"absent"}, {""}, false},
        {{"empty"}, {""}, true},
        {{"disk", "cores"}, {"ssd", "96"}, true},
        {{"disk", "cores"}, {"ssd", "97"}, false},
        {{"disk", "absent"}, {"ssd", "x"}, false},
    };
    const struct fb_node *node = labelled(*state);

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pod *pod = make_template(*state, "p", 0);

        for (size_t j = 0; j < 2 && cases[i].key[j] != NULL; j++)
            give_selector(*state, pod, cases[i].key[j], cases[i].value[j]);
        if (fb_select_labels(pod, node) != cases[i].want)
            fail_msg("row %zu", i);
    }
}

static void test_select_affinity__knows_every_operator(void **state)
{
    static const struct {
        const char *key, *op, *values;
        bool want;
    } cases[] = {
        {"disk", "In", "ssd", true},
        {"disk", "In", "hdd ssd", true},
        {"disk", "In", "hdd", false},
        {"absent", "In", "ssd", false},
        {"disk", "In", "", false},
        {"disk", "NotIn", "hdd", true},
        {"disk", "NotIn", "hdd ssd", false},
        {"absent", "NotIn", "ssd", true},
        {"absent", "NotIn", "", false}, /* the API wants a value */
        {"disk", "Exists", "", true},
        {"empty", "Exists", "", true},
        {"absent", "Exists", "", false},
        {"disk", "Exists", "ssd", false}, /* the API wants none */
        {"disk", "DoesNotExist", "", false},
        {"absent", "DoesNotExist", "", true},
        {"absent", "DoesNotExist", "ssd", false},
        {"cores", "Gt", "95", true},
        {"cores", "Gt", "96", false},
        {"cores", "Gt", "+95", true},
        {"cores", "Gt", "-1", true},
        {"cores", "Gt", "95 1", false},
        {"cores", "Gt", "", false},
        {"cores", "Gt", "9x", false},
        {"cores", "Gt", "-", false},
        {"cores", "Gt", "1.5", false},
        {"cores", "Gt", "99999999999999999999", false},
        {"disk", "Gt", "1", false},
        {"empty", "Gt", "1", false},
        {"absent", "Gt", "1", false},
        {"low", "Gt", "-6", true},
        {"low", "Gt", "-5", false},
        {"most", "Gt", "9223372036854775806", true},
        {"huge", "Gt", "1", false},
        {"most", "Gt", "-9223372036854775808", true},
        {"most", "Gt", "-9223372036854775809", false},
        {"cores", "Lt", "97", true},
        {"cores", "Lt", "96", false},
        {"cores", "Lt", "1000 1", false},
        {"low", "Lt", "-4", true},
        {"cores", "Lt", "", false},
        {"absent", "Lt", "97", false},
        {"disk", "in", "ssd", false},
        {"disk", "", "ssd", false},
        {"disk", "Matches", "ssd", false},
    };
    const struct fb_node *node = labelled(*state);

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pod *pod = make_template(*state, "p", 0);

        give_term(*state, pod);
        give_requirement(*state, pod, cases[i].key, cases[i].op, cases[i].values);
        if (fb_select_affinity(pod, node) != cases[i].want)
            fail_msg("%s %s [%s]", cases[i].key, cases[i].op, cases[i].values);
    }
}

static void test_select_affinity__of_fields_only_the_name(void **state)
{
    static const struct {
        const char *key, *op, *values;
        bool want;
    } cases[] = {
        {"metadata.name", "In", "n1", true},     {"metadata.name", "In", "n2", false},
        {"metadata.name", "In", "n1 n2", false}, /* the API wants one value */
        {"metadata.name", "NotIn", "n2", true},  {"metadata.name", "NotIn", "n1", false},
        {"metadata.name", "Exists", "", false},  {"metadata.name", "DoesNotExist", "", false},
        {"metadata.name", "Gt", "1", false},     {"metadata.namespace", "In", "n1", false},
        {"disk", "NotIn", "hdd", false},
    };
    const struct fb_node *node = labelled(*state);

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pod *pod = make_template(*state, "p", 0);

        give_term(*state, pod);
        give_requirement(*state, pod, cases[i].key, cases[i].op, cases[i].values);
        pod->terms[0].at[0].field = true;
        if (fb_select_affinity(pod, node) != cases[i].want)
            fail_msg("%s %s [%s]", cases[i].key, cases[i].op, cases[i].values);
    }
}

/* y: a requirement that holds, n: one that does not; a space begins another term. */
static struct fb_pod *read_terms(struct builder *builder, const char *terms)
{
    struct fb_pod *pod = make_template(builder, "p", 0);

    pod->has_affinity = true;
    if (*terms != '\0')
        give_term(builder, pod);
    for (; *terms != '\0'; terms++) {
        if (*terms == ' ')
            give_term(builder, pod);
        else if (*terms != '-')
            give_requirement(builder, pod, "disk", "In", *terms == 'y' ? "ssd" : "hdd");
    }
    return pod;
}

/* Terms are any of, requirements all of. */
static void test_select_affinity__joins_terms_and_requirements(void **state)
{
    static const struct {
        const char *terms; /* "-": an empty one */
        bool want;
    } cases[] = {
        {"y", true},   {"n", false},  {"yy", true},   {"yn", false},     {"ny", false},
        {"n y", true}, {"y n", true}, {"n n", false}, {"yn nyy", false}, {"yn yy", true},
        {"-", false},  {"- y", true}, {"- n", false}, {"", false},
    };
    const struct fb_node *node = labelled(*state);

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (fb_select_affinity(read_terms(*state, cases[i].terms), node) != cases[i].want)
            fail_msg("'%s'", cases[i].terms);
    }
}

static void test_select_affinity__none_asked_holds(void **state)
{
    assert_true(fb_select_affinity(make_template(*state, "p", 0), labelled(*state)));
}

static void test_select_taint__needs_a_toleration(void **state)
{
    static const struct {
        struct fb_taint taint;
        struct fb_toleration toleration;
        bool tolerated;
    } cases[] = {
        {{"gpu", "yes", "NoSchedule"}, {"gpu", "Equal", "yes", "NoSchedule"}, true},
        {{"gpu", "yes", "NoSchedule"}, {"gpu", "", "yes", ""}, true},
        {{"gpu", "yes", "NoSchedule"}, {"gpu", "Equal", "no", ""}, false},
        {{"gpu", "yes", "NoSchedule"}, {"gpu", "Equal", "", ""}, false},
        {{"gpu", "", "NoSchedule"}, {"gpu", "Equal", "", ""}, true},
        {{"gpu", "yes", "NoSchedule"}, {"gpu", "Exists", "", ""}, true},
        {{"gpu", "yes", "NoSchedule"}, {"gpu", "Exists", "", "NoExecute"}, false},
        {{"gpu", "yes", "NoExecute"}, {"gpu", "Exists", "", "NoExecute"}, true},
        {{"gpu", "yes", "NoExecute"}, {"gpu", "Exists", "", "NoSchedule"}, false},
        {{"gpu", "yes", "NoSchedule"}, {"cpu", "Exists", "", ""}, false},
        {{"gpu", "yes", "NoSchedule"}, {"", "Exists", "", ""}, true},
        {{"gpu", "yes", "NoSchedule"}, {"", "Exists", "", "NoExecute"}, false},
        {{"gpu", "yes", "NoSchedule"}, {"", "Equal", "yes", ""}, false}, /* no key: Exists only */
        {{"gpu", "yes", "NoSchedule"}, {"", "", "", ""}, false},
        {{"gpu", "yes", "NoSchedule"}, {"gpu", "exists", "", ""}, false},
        {{"gpu", "yes", "NoSchedule"}, {"gpu", "In", "yes", ""}, false},
        {{"sla", "95", "NoSchedule"}, {"sla", "Gt", "90", ""}, true},
        {{"sla", "95", "NoSchedule"}, {"sla", "Gt", "95", ""}, false},
        {{"sla", "95", "NoSchedule"}, {"sla", "Lt", "96", ""}, true},
        {{"sla", "95", "NoSchedule"}, {"sla", "Lt", "95", ""}, false},
        {{"sla", "high", "NoSchedule"}, {"sla", "Gt", "1", ""}, false},
        {{"sla", "95", "NoSchedule"}, {"sla", "Lt", "", ""}, false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_node *node = make_node(*state, "n", "", 8, NULL, 0);
        struct fb_pod *pod = make_template(*state, "p", 0);

        give_taint(*state, node, cases[i].taint.key, cases[i].taint.value, cases[i].taint.effect);
        assert_ptr_equal(fb_select_taint(pod, node), &node->taints[0]);
        give_toleration(*state, pod, &cases[i].toleration);
        if ((fb_select_taint(pod, node) == NULL) != cases[i].tolerated)
            fail_msg("row %zu", i);
    }
}

static void test_select_taint__names_the_first_that_is_not_tolerated(void **state)
{
    static const struct fb_toleration gpu = {"gpu", "Exists", "", ""};
    static const struct fb_toleration second = {"second", "Exists", "", ""};
    static const struct fb_toleration third = {"third", "Exists", "", ""};
    struct fb_node *node = make_node(*state, "n", "", 8, NULL, 0);
    struct fb_pod *pod = make_template(*state, "p", 0);

    assert_null(fb_select_taint(pod, node));
    give_taint(*state, node, "soft", "", "PreferNoSchedule");
    assert_null(fb_select_taint(pod, node));
    give_taint(*state, node, "gpu", "", "NoSchedule");
    give_taint(*state, node, "second", "", "NoExecute");
    give_taint(*state, node, "third", "", "NoSchedule");
    assert_string_equal(fb_select_taint(pod, node)->key, "gpu");
    give_toleration(*state, pod, &gpu);
    assert_string_equal(fb_select_taint(pod, node)->key, "second");
    give_toleration(*state, pod, &third);
    assert_string_equal(fb_select_taint(pod, node)->key, "second");
    give_toleration(*state, pod, &second);
    assert_null(fb_select_taint(pod, node));
}

static void test_select_cordon__is_for_pods_that_tolerate_it(void **state)
{
    static const struct {
        struct fb_toleration toleration;
        bool want;
    } cases[] = {
        {{"node.kubernetes.io/unschedulable", "Exists", "", "NoSchedule"}, true},
        {{"node.kubernetes.io/unschedulable", "Exists", "", ""}, true},
        {{"node.kubernetes.io/unschedulable", "Exists", "", "NoExecute"}, false},
        {{"", "Exists", "", ""}, true},
        {{"node.kubernetes.io/not-ready", "Exists", "", ""}, false},
    };

    assert_false(fb_select_cordon(make_template(*state, "p", 0)));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pod *pod = make_template(*state, "p", 0);

        give_toleration(*state, pod, &cases[i].toleration);
        assert_int_equal(fb_select_cordon(pod), cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_select_labels__wants_every_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_select_affinity__knows_every_operator, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_select_affinity__of_fields_only_the_name, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_select_affinity__joins_terms_and_requirements, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_select_affinity__none_asked_holds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_select_taint__needs_a_toleration, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_select_taint__names_the_first_that_is_not_tolerated,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_select_cordon__is_for_pods_that_tolerate_it, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
