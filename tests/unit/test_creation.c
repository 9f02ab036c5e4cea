/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/creation.h"

#include "alloc_fault.h"
#include "make_cluster.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define NIC "example.com/nic"
#define NETS "net.example.com/*"
#define TYPE_LABEL "node.kubernetes.io/instance-type"

/* Shapes full-32 (8 GPUs, 32 NICs), half-4 (8 GPUs, 4 NICs) and twin-4, alike but for its name. */
static struct builder *scene(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *policy = make_policy(builder, "cloud", NIC, FB_NIC_EXCLUSIVE);

    (void)make_shape(builder, policy, "full-32", 8, 32);
    (void)make_shape(builder, policy, "half-4", 8, 4);
    (void)make_shape(builder, policy, "twin-4", 8, 4);
    return builder;
}

/* "<shape> <nics of a pod> [pins]" or the reason. */
static const char *choose_of(struct builder *builder, struct fb_cluster *cluster,
                             const struct fb_pod *pod, size_t planned, bool gang)
{
    const enum fb_networking networking =
        fb_need_annotated(pod) ? FB_NETWORKING_ANNOTATED : FB_NETWORKING_GANG;
    static char text[1024];
    struct fb_creation made;
    struct fb_need need = {.gpus = 0};
    size_t len;

    assert_int_equal(fb_creation_choose(cluster, pod, networking, planned, gang, &made), FB_OK);
    if (made.fabric == NULL) {
        (void)snprintf(text, sizeof text, "%s", made.reason);
        return text;
    }
    assert_null(made.reason);
    assert_int_equal(fb_need_make(builder->arena, pod, networking, made.fabric,
                                  &(struct fb_rules){&builder->policies, &builder->settings},
                                  &need),
                     FB_OK);
    (void)snprintf(text, sizeof text, "%s %s %lld", made.fabric->instance,
                   need.nics.len > 0 ? need.nics.at[0].name : "none",
                   need.nics.len > 0 ? (long long)need.nics.at[0].amount : 0);
    for (size_t i = 0; i < made.pins.len; i++) {
        len = strlen(text);
        (void)snprintf(text + len, sizeof text - len, " %s=%s", made.pins.at[i].key,
                       made.pins.at[i].value);
    }
    return text;
}

static const char *choose(struct builder *builder, struct fb_cluster *cluster, struct fb_pod *pod,
                          enum fb_networking networking, size_t planned)
{
    if (networking == FB_NETWORKING_ANNOTATED)
        give_annotation(builder, pod, "fabricbind.io/networking", "true");
    return choose_of(builder, cluster, pod, planned, false);
}

static size_t fabric_of(const struct fb_cluster *cluster, const char *instance)
{
    for (size_t i = 0; i < cluster->fabrics_len; i++) {
        if (strcmp(cluster->fabrics[i].instance, instance) == 0)
            return i;
    }
    return FB_NONE;
}

static void test_choose__follows_the_nodes_that_the_pod_could_go_to(void **state)
{
    static const struct {
        const char *name, *shapes[3], *selector, *planned, *want;
    } cases[] = {
        {"one shape", {"full-32"}, NULL, NULL, "full-32 " NIC " 32"},
        {"two that ask alike", {"half-4", "twin-4"}, NULL, NULL, "half-4 " NIC " 4"},
        {"two that differ, planned",
         {"full-32", "half-4"},
         NULL,
         "half-4",
         "half-4 " NIC " 4 " TYPE_LABEL "=half-4 " ZONE_LABEL "=z1"},
        {"two that differ, no plan: the one with most nodes",
         {"half-4", "full-32", "full-32"},
         NULL,
         NULL,
         "full-32 " NIC " 32 " TYPE_LABEL "=full-32 " ZONE_LABEL "=z1"},
        {"a selector leaves one", {"full-32", "half-4"}, "half-4", "full-32", "half-4 " NIC " 4"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = scene();
        struct fb_pod *pod = make_template(builder, "worker", 8);
        struct fb_cluster cluster;
        size_t planned = FB_NONE;

        for (size_t n = 0; n < COUNT(cases[i].shapes) && cases[i].shapes[n] != NULL; n++) {
            static const char *const names[] = {"a", "b", "c"};
            const char *shape = cases[i].shapes[n];
            struct fb_node *node =
                make_node(builder, names[n], shape, 8, NIC, strcmp(shape, "full-32") == 0 ? 32 : 4);

            give_label(builder, node, TYPE_LABEL, shape);
        }
        if (cases[i].selector != NULL)
            give_selector(builder, pod, TYPE_LABEL, cases[i].selector);
        cluster = build_cluster(builder);
        if (cases[i].planned != NULL)
            planned = fabric_of(&cluster, cases[i].planned);
        assert_string_equal(choose(builder, &cluster, pod, FB_NETWORKING_ANNOTATED, planned),
                            cases[i].want);
        builder_free(builder);
    }
}

/* NOLINTNEXTLINE(readability-function-size): a table of cases */
static void test_choose__pins_gangs_that_nothing_else_holds(void **state)
{
    static const char alike[] = "half-4 " NIC " 4";
    static const char pinned[] = "half-4 " NIC " 4 " TYPE_LABEL "=half-4 " ZONE_LABEL "=z2";
    static const struct {
        const char *name, *zones[3], *selector;
        bool pin_gangs, gang, edge;
        size_t planned;
        const char *want;
    } cases[] = {
        {"two zones, held by the filter", {"z1", "z2"}, NULL, false, true, false, 1, alike},
        {"two zones", {"z1", "z2"}, NULL, true, true, false, 1, pinned},
        {"no gang", {"z1", "z2"}, NULL, true, false, false, 1, alike},
        {"one zone", {"z2", "z2"}, NULL, true, true, false, 0, alike},
        {"no plan", {"z1", "z2", "z2"}, NULL, true, true, false, FB_NONE, pinned},
        {"the selector says so, too", {"z1", "z2"}, "z2", true, true, false, 1, alike},
        {"the selector says otherwise", {"z1", "z2"}, "z1", true, true, false, 1, pinned},
        {"otherwise, but it is filtered", {"z1", "z2"}, "z1", false, true, false, 1, alike},
        {"nothing to go to",
         {"z1", "z2"},
         "z3",
         true,
         true,
         false,
         1,
         "no node is there that this pod could go to, and no instance type is named by its "
         "nodeSelector or affinity or by expectedShapes"},
        {"no zone tells",
         {"z1", "z2"},
         NULL,
         true,
         true,
         true,
         1,
         "half-4 " NIC " 4 " TYPE_LABEL "=half-4"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        static const char *const names[] = {"a", "b", "c"};
        struct builder *builder = scene();
        struct fb_pod *pod = make_template(builder, "worker", 8);
        struct fb_cluster cluster;
        const char *got;

        for (size_t n = 0; n < COUNT(cases[i].zones) && cases[i].zones[n] != NULL; n++) {
            struct fb_node *node = make_node(builder, names[n], "half-4", 8, NIC, 4);

            give_label(builder, node, ZONE_LABEL, cases[i].zones[n]);
            give_label(builder, node, "edge", cases[i].zones[n]);
        }
        if (cases[i].edge)
            builder->policies.at[0].boundary[0].label = "edge";
        if (cases[i].selector != NULL)
            give_selector(builder, pod, ZONE_LABEL, cases[i].selector);
        builder->settings.pin_gangs = cases[i].pin_gangs;
        cluster = build_cluster(builder);
        got = choose_of(builder, &cluster, pod, cases[i].planned, cases[i].gang);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].name, got);
        builder_free(builder);
    }
}

static void test_choose__knows_what_is_not_there_yet(void **state)
{
    static const struct {
        const char *name, *selector, *term, *expected;
        bool configured, assume;
        const char *want;
    } cases[] = {
        {"a selector", "full-32", NULL, NULL, false, false, "full-32 " NIC " 32"},
        {"an affinity", NULL, "nothing half-4", NULL, false, false, "half-4 " NIC " 4"},
        {"expected", NULL, NULL, "half-4", false, false, "half-4 " NIC " 4"},
        {"the selector first", "full-32", NULL, "half-4", false, false, "full-32 " NIC " 32"},
        {"configured", NULL, NULL, NULL, true, false, " " NIC " 16"},
        {"assumed", NULL, NULL, NULL, false, true, "twin-4 " NIC " 4"},
        {"nothing at all", NULL, NULL, NULL, false, false,
         "no node is there that this pod could go to, and no instance type is named by its "
         "nodeSelector or affinity or by expectedShapes"},
        {"a type that nobody knows", "huge", NULL, NULL, false, false,
         "no node is there that this pod could go to, and no instance type is named by its "
         "nodeSelector or affinity or by expectedShapes"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = scene();
        struct fb_pod *pod = make_template(builder, "worker", 8);
        struct fb_cluster cluster;

        (void)make_node(builder, "cpu", "small", 0, NULL, 0);
        if (cases[i].selector != NULL)
            give_selector(builder, pod, TYPE_LABEL, cases[i].selector);
        if (cases[i].term != NULL) {
            give_term(builder, pod);
            give_requirement(builder, pod, TYPE_LABEL, "In", cases[i].term);
        }
        if (cases[i].expected != NULL)
            give_text(builder, &builder->settings.expected_shapes, cases[i].expected);
        if (cases[i].configured || cases[i].assume)
            builder->settings.provider = "cloud";
        if (cases[i].configured) {
            builder->settings.ratio_mode = FB_RATIO_CONFIGURED;
            builder->settings.ratio = (struct fb_ratio){2, 1};
        }
        if (cases[i].assume)
            builder->policies.at[0].assume = "twin-4";
        cluster = build_cluster(builder);
        assert_string_equal(choose(builder, &cluster, pod, FB_NETWORKING_ANNOTATED, FB_NONE),
                            cases[i].want);
        builder_free(builder);
    }
}

static void test_choose__of_shared_networks_wants_whole_nodes(void **state)
{
    static const struct {
        int64_t gpus;
        enum fb_networking networking;
        const char *want;
    } cases[] = {
        {8, FB_NETWORKING_ANNOTATED, "nets-2 net.example.com/a 1"},
        {4, FB_NETWORKING_ANNOTATED,
         "this network is shared by whole nodes only: ask for all GPUs of a node"},
        {4, FB_NETWORKING_GANG, "nets-2 none 0"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = builder_new();
        struct fb_policy *policy = make_policy(builder, "cloud", NETS, FB_NIC_EACH);
        struct fb_shape *shape = make_shape(builder, policy, "nets-2", 8, 2);
        struct fb_cluster cluster;

        give_text(builder, &shape->networks, "a");
        give_text(builder, &shape->networks, "b");
        give_text(builder, &builder->settings.expected_shapes, "nets-2");
        cluster = build_cluster(builder);
        assert_string_equal(choose(builder, &cluster, make_template(builder, "w", cases[i].gpus),
                                   cases[i].networking, FB_NONE),
                            cases[i].want);
        builder_free(builder);
    }
}

static void test_choose__takes_the_configured_resource(void **state)
{
    struct builder *builder = scene();
    struct fb_cluster cluster;

    (void)state;
    builder->settings.provider = "cloud";
    builder->settings.nic_resource = "example.com/seats";
    builder->settings.ratio_mode = FB_RATIO_CONFIGURED;
    builder->settings.ratio = (struct fb_ratio){1, 1};
    cluster = build_cluster(builder);
    assert_string_equal(
        choose(builder, &cluster, make_template(builder, "w", 8), FB_NETWORKING_ANNOTATED, FB_NONE),
        " example.com/seats 8");
    builder_free(builder);
}

static void test_choose__survives_every_lack_of_memory(void **state)
{
    struct builder *builder = scene();
    struct fb_pod *pod = make_template(builder, "worker", 8);
    struct fb_cluster cluster;
    int failures = 0;

    (void)state;
    (void)make_node(builder, "a", "full-32", 8, NIC, 32);
    (void)make_node(builder, "b", "half-4", 8, NIC, 4);
    cluster = build_cluster(builder);
    for (int after = 0;; after++) {
        struct fb_arena *arena = fb_arena_new(0);
        struct fb_creation made;
        enum fb_status st;

        assert_non_null(arena);
        cluster.arena = arena;
        alloc_fault_arm(after);
        st = fb_creation_choose(&cluster, pod, FB_NETWORKING_ANNOTATED, FB_NONE, true, &made);
        alloc_fault_disarm();
        fb_arena_free(arena);
        if (st == FB_OK)
            break;
        assert_int_equal(st, FB_ENOMEM);
        failures++;
    }
    assert_true(failures > 0);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choose__follows_the_nodes_that_the_pod_could_go_to),
        cmocka_unit_test(test_choose__pins_gangs_that_nothing_else_holds),
        cmocka_unit_test(test_choose__knows_what_is_not_there_yet),
        cmocka_unit_test(test_choose__of_shared_networks_wants_whole_nodes),
        cmocka_unit_test(test_choose__takes_the_configured_resource),
        cmocka_unit_test(test_choose__survives_every_lack_of_memory),
    };

    return cmocka_run_group_tests_name("creation", tests, NULL, NULL);
}
