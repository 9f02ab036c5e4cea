/* SPDX-License-Identifier: Apache-2.0 */
#include "detect.h"

#include "node_case.h"
#include "unit.h"

#include <string.h>

/* q before p, so that the order of policies and that of names differ. */
static struct builder *two_providers(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *q = make_policy(builder, "q", "q.io/nic", FB_NIC_EXCLUSIVE);
    struct fb_policy *p = make_policy(builder, "p", "p.io/nic", FB_NIC_EXCLUSIVE);

    give_text(builder, &q->detect.labels, "q.io/pool");
    give_text(builder, &q->detect.instance_types, "Q.*");
    give_text(builder, &q->detect.resources, "rdma/*");
    give_text(builder, &p->detect.labels, "p.io/*");
    give_text(builder, &p->detect.instance_types, "P.*");
    give_text(builder, &p->detect.instance_type_prefixes, "ml.");
    give_text(builder, &p->detect.resources, "p.io/nic");
    give_text(builder, &p->detect.resources, "rdma/*");
    make_shape(builder, p, "P.8", 8, 4);
    return builder;
}

static void test_detect_provider__believes_the_strongest_sign(void **state)
{
    static const struct {
        struct node_case node;
        const char *want;
    } cases[] = {
        {{.id = "p://zone/n"}, "p"},
        {{.id = "q://zone/n"}, "q"},
        {{.id = "xp://zone/n"}, "none"}, /* prefixes only */
        {{.labels = "p.io/anything=x"}, "p"},
        {{.labels = "q.io/pool="}, "q"},
        {{.labels = "q.io/pools=x"}, "none"},
        {{.instance = "Q.8"}, "q"},
        {{.instance = "P.8"}, "p"},
        {{.instance = "ml.P.8"}, "p"}, /* after its prefix is cut off */
        {{.instance = "ml.Q.8"}, "none"},
        {{.amounts = "p.io/nic=0"}, "p"},
        {{.amounts = "cpu=1 q.io/nic=4"}, "none"}, /* a NIC rule alone is no sign */
        {{.id = "q://n", .labels = "p.io/x=1", .instance = "P.8", .amounts = "p.io/nic=1"}, "q"},
        {{.labels = "p.io/x=1", .instance = "Q.8"}, "p"},
        {{.instance = "Q.8", .amounts = "p.io/nic=1"}, "q"},
        {{.amounts = "rdma/ib=1"}, "p"}, /* both: the first name in byte order */
        {{.id = "r://n", .instance = "R.8", .labels = "a=b", .amounts = "cpu=1"}, "none"},
        {{.id = NULL}, "none"},
    };
    struct builder *builder = two_providers();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_node node = make_case(builder, &cases[i].node);
        const struct fb_policy *found = fb_detect_provider(&node, &builder->policies);

        assert_string_equal(found != NULL ? found->provider : "none", cases[i].want);
    }
    builder_free(builder);
}

static void test_detect_shape__cuts_the_prefix_before_it_looks(void **state)
{
    static const struct {
        const char *id, *type, *instance, *shape;
    } cases[] = {
        {"p://n", "P.8", "P.8", "P.8"},        {"p://n", "ml.P.8", "P.8", "P.8"},
        {"p://n", "ml.P.9", "P.9", "none"},    {"q://n", "ml.P.8", "ml.P.8", "none"},
        {"r://n", "ml.R.8", "ml.R.8", "none"}, {"p://n", "", "", "none"},
    };
    struct builder *builder = two_providers();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct node_case row = {.id = cases[i].id, .instance = cases[i].type};
        struct fb_reading reading = read_case(builder, &row);

        assert_string_equal(reading.instance, cases[i].instance);
        assert_string_equal(reading.shape != NULL ? reading.shape->name : "none", cases[i].shape);
    }
    builder_free(builder);
}

static void test_detect_provider__gives_way_to_the_configured_one(void **state)
{
    static const struct {
        const char *configured, *policy, *detected, *shape;
    } cases[] = {
        {NULL, "q", "q", "none"},
        {"p", "p", "q", "P.8"},
        {"nobody", "none", "q", "none"},
    };
    struct builder *builder = two_providers();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct node_case row = {.id = "q://n", .instance = "ml.P.8"};
        struct fb_reading reading;

        builder->settings.provider = cases[i].configured;
        reading = read_case(builder, &row);
        assert_string_equal(reading.policy != NULL ? reading.policy->provider : "none",
                            cases[i].policy);
        assert_string_equal(reading.detected->provider, cases[i].detected);
        assert_string_equal(reading.shape != NULL ? reading.shape->name : "none", cases[i].shape);
    }
    builder_free(builder);
}

static void test_detect_health__knows_cordons_and_taints_of_controllers(void **state)
{
    static const struct {
        struct node_case node;
        bool takes;
        const char *want;
    } cases[] = {
        {{.taints = NULL}, true, ""},
        {{.cordoned = true}, false, "cordoned"},
        {{.silent = true}, false, "not-ready"},
        {{.taints = "nvidia.com/gpu:NoSchedule sku:NoExecute"}, true, ""},
        {{.taints = "node.kubernetes.io/unschedulable:NoSchedule"}, false, "cordoned"},
        {{.taints = "node.kubernetes.io/disk-pressure:NoSchedule"}, false, "cordoned"},
        {{.taints = "node.cloudprovider.kubernetes.io/shutdown:NoSchedule"}, false, "cordoned"},
        {{.taints = "node.kubernetes.io/not-ready:NoExecute"}, false, "not-ready"},
        {{.taints = "node.kubernetes.io/unreachable:NoSchedule"}, false, "not-ready"},
        {{.taints = "node.kubernetes.io/disk-pressure:PreferNoSchedule"}, true, ""},
        {{.taints = "p.io/failing-disk:NoSchedule"}, false, "cordoned"},
        {{.taints = "p.io/failing-disk:NoSchedule", .id = "q://n"}, true, ""},
        {{.taints = "p.io/failing-disk:NoSchedule", .id = "r://n"}, true, ""},
        {{.taints = "node.kubernetes.io/unreachable:NoExecute", .cordoned = true},
         false,
         "cordoned not-ready"},
    };
    struct builder *builder = two_providers();

    (void)state;
    give_text(builder, &builder->policies.at[1].health_taints, "p.io/failing-*");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct node_case row = cases[i].node;
        struct fb_reading reading;
        char text[CASE_TEXT];

        row.id = row.id != NULL ? row.id : "p://n";
        row.amounts = "cpu=1";
        reading = read_case(builder, &row);
        reading.problems &= ~(UINT32_C(1) << FB_PROBLEM_NO_GPU);
        assert_string_equal(problems_text(&reading, text), cases[i].want);
        assert_int_equal(reading.schedulable, cases[i].takes);
    }
    builder_free(builder);
}

/* Scale sets in the provider ID, else a label with two spellings; three tiers, one of two names. */
static struct builder *places(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *p = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);

    p->boundary[0] = (struct fb_boundary_rule){.provider_id = "sets/*/"};
    p->boundary[1] = (struct fb_boundary_rule){.label = "pool"};
    p->boundary[2] = (struct fb_boundary_rule){.label = "old-pool"};
    p->boundary_len = 3;
    give_tier(builder, p, "spine");
    give_tier(builder, p, "leaf");
    give_text(builder, &p->tiers[1].labels, "old-leaf");
    give_tier(builder, p, "host");
    give_text(builder, &p->placeholders, "unknown");
    return builder;
}

static void test_detect_place__reads_the_first_boundary_and_all_tiers(void **state)
{
    static const struct {
        const char *id, *labels;
        const char *boundary, *tiers;
        bool placeholder;
    } cases[] = {
        {"p:///a/sets/s1/vm/0", "pool=x", "spec.providerID=s1", "", false},
        {"p:///sets/s1/sets/s2/0", NULL, "spec.providerID=s1", "", false},
        {"p:///a/sets//vm/0", "pool=x", "pool=x", "", false}, /* an empty value is none */
        {"p:///a/sets/s1", "pool=x", "pool=x", "", false},    /* not closed */
        {"p:///a/vm/0", "pool=x", "pool=x", "", false},       /* not there */
        {"p:///a", "old-pool=y", "old-pool=y", "", false},    /* fallback */
        {"p:///a", "pool= old-pool=y", "old-pool=y", "", false},
        {"p:///a", "pool=", "", "", true},
        {"p:///a", "pool=unknown old-pool=unknown", "", "", true},
        {"p:///a", NULL, "", "", false},
        {"p:///a", "pool=x spine=s leaf=l host=h", "pool=x", "spine=s leaf=l host=h", false},
        {"p:///a", "pool=x host=h spine=s", "pool=x", "spine=s host=h", false}, /* a gap */
        {"p:///a", "pool=x old-leaf=o", "pool=x", "old-leaf=o", false},
        {"p:///a", "pool=x old-leaf=o leaf=l", "pool=x", "leaf=l", false},
        {"p:///a", "pool=x old-leaf=o leaf=", "pool=x", "old-leaf=o", false},
        {"p:///a", "pool=x spine=unknown leaf= host=h", "pool=x", "host=h", true},
    };
    struct builder *builder = places();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_node node =
            make_case(builder, &(struct node_case){.id = cases[i].id, .labels = cases[i].labels});
        struct fb_reading reading = {.policy = builder->policies.at};
        struct fb_pairs boundary = {&reading.boundary, 1, 1};
        bool placeholder = false;
        char text[CASE_TEXT];

        assert_int_equal(
            fb_detect_place(builder->arena, &node, &builder->settings, &reading, &placeholder),
            FB_OK);
        boundary.len = reading.boundary.key != NULL ? 1 : 0;
        assert_string_equal(pairs_text(&boundary, text), cases[i].boundary);
        assert_string_equal(pairs_text(&reading.tiers, text), cases[i].tiers);
        assert_int_equal(placeholder, cases[i].placeholder);
    }
    builder_free(builder);
}

static void test_detect_place__lets_the_configuration_override_the_boundary(void **state)
{
    static const struct {
        const char *configured, *labels, *id, *want;
        bool placeholder;
    } cases[] = {
        {"", "rack=r", "p://sets/s/0", "spec.providerID=s", false},
        {NULL, "rack=r", "p://sets/s/0", "spec.providerID=s", false},
        {"rack", "rack=r", "p://sets/s/0", "rack=r", false},
        {"rack", NULL, "p://sets/s/0", "", false}, /* never what the policy says */
        {"rack", "rack=unknown", "p://sets/s/0", "", true},
        {"rack", "rack=r", "r://n", "rack=r", false},
        {"zone", "topology.kubernetes.io/zone=z1 zone=x", "p://n", "topology.kubernetes.io/zone=z1",
         false},
        {"none", "rack=r", "p://sets/s/0", "none=", false},
    };
    struct builder *builder = places();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct node_case row = {.id = cases[i].id, .labels = cases[i].labels, .amounts = "cpu=1"};
        struct fb_reading reading;
        struct fb_pairs boundary = {&reading.boundary, 1, 1};
        char text[CASE_TEXT];

        builder->settings.boundary = cases[i].configured;
        reading = read_case(builder, &row);
        boundary.len = reading.boundary.key != NULL ? 1 : 0;
        assert_string_equal(pairs_text(&boundary, text), cases[i].want);
        assert_int_equal(fb_reading_has(&reading, FB_PROBLEM_LABELS_PLACEHOLDER),
                         cases[i].placeholder);
    }
    builder_free(builder);
}

/* A pattern reaches to the end of the ID, or has no star and says nothing. */
static void test_detect_place__copes_with_odd_patterns(void **state)
{
    static const struct {
        const char *pattern, *id, *want;
    } cases[] = {
        {"rack/*", "p://rack/r7", "r7"},  {"*/n", "p:/n", "p:"},           {"*", "", "none"},
        {"rack/", "p://rack/r7", "none"}, {"rack/*", "p://rack/", "none"},
    };
    struct builder *builder = places();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_node node = make_case(builder, &(struct node_case){.id = cases[i].id});
        struct fb_reading reading = {.policy = builder->policies.at};
        bool placeholder = false;

        builder->policies.at[0].boundary[0].provider_id = cases[i].pattern;
        assert_int_equal(
            fb_detect_place(builder->arena, &node, &builder->settings, &reading, &placeholder),
            FB_OK);
        assert_string_equal(reading.boundary.value != NULL ? reading.boundary.value : "none",
                            cases[i].want);
    }
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_detect_provider__believes_the_strongest_sign),
        cmocka_unit_test(test_detect_shape__cuts_the_prefix_before_it_looks),
        cmocka_unit_test(test_detect_provider__gives_way_to_the_configured_one),
        cmocka_unit_test(test_detect_health__knows_cordons_and_taints_of_controllers),
        cmocka_unit_test(test_detect_place__reads_the_first_boundary_and_all_tiers),
        cmocka_unit_test(test_detect_place__lets_the_configuration_override_the_boundary),
        cmocka_unit_test(test_detect_place__copes_with_odd_patterns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
