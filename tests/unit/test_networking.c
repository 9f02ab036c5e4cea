/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/need.h"

#include "make_cluster.h"
#include "unit.h"

#include <string.h>

#define OURS "fabricbind.io/networking"
#define HELIX "nhx.nvidia.com/enable-multi-node-networking"

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

static const char *name_of(enum fb_networking networking)
{
    static const char *const names[] = {
        [FB_NETWORKING_NO] = "no",
        [FB_NETWORKING_GANG] = "gang",
        [FB_NETWORKING_ANNOTATED] = "annotated",
    };

    return names[networking];
}

static void test_need_networking__asks_annotations_then_owner_and_size(void **state)
{
    static const struct {
        const char *ours, *helix; /* NULL: absent */
        int64_t gpus;
        bool owned;
        int64_t size;
        const char *want;
    } cases[] = {
        {NULL, NULL, 8, true, 2, "gang"},
        {NULL, NULL, 1, true, 1000, "gang"},
        {NULL, NULL, 8, true, 1, "no"},
        {NULL, NULL, 8, true, 0, "no"},
        {NULL, NULL, 8, false, 2, "no"},
        {NULL, NULL, 0, true, 2, "no"},
        {"true", NULL, 8, false, 1, "annotated"},
        {NULL, "true", 8, false, 1, "annotated"},
        {"true", "false", 8, false, 1, "annotated"},
        {"true", NULL, 8, true, 2, "annotated"},
        {"true", NULL, 0, true, 2, "no"},
        {NULL, "true", 0, true, 2, "no"},
        {"false", NULL, 8, true, 2, "no"},
        {"false", "true", 8, true, 2, "no"}, /* ours says no: it wins */
        {NULL, "false", 8, true, 2, "gang"},
        {NULL, "false", 8, false, 2, "no"},
        {"True", NULL, 8, false, 1, "no"},
        {"yes", NULL, 8, true, 2, "gang"},
        {"", NULL, 8, true, 2, "gang"},
        {"yes", "true", 8, false, 1, "annotated"}, /* only "false" takes it away */
        {NULL, "1", 8, false, 1, "no"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = *state;
        struct fb_pod *pod = make_template(builder, "p", cases[i].gpus);
        enum fb_networking networking;

        if (cases[i].ours != NULL)
            give_annotation(builder, pod, OURS, cases[i].ours);
        if (cases[i].helix != NULL)
            give_annotation(builder, pod, HELIX, cases[i].helix);
        networking = fb_need_networking(pod, &builder->settings, cases[i].owned, cases[i].size);
        if (strcmp(name_of(networking), cases[i].want) != 0)
            fail_msg("row %zu: %s", i, name_of(networking));
    }
}

static void test_need_networking__unannotated_only_where_configured(void **state)
{
    struct builder *builder = *state;
    struct fb_pod *pod = make_template(builder, "p", 8);

    builder->settings.match_gangs = false;
    assert_int_equal(fb_need_networking(pod, &builder->settings, true, 2), FB_NETWORKING_NO);
    give_annotation(builder, pod, OURS, "true");
    assert_int_equal(fb_need_networking(pod, &builder->settings, true, 2), FB_NETWORKING_ANNOTATED);
}

static void test_need_networking__parts_of_gpus_are_none(void **state)
{
    struct builder *builder = *state;
    struct fb_pod *pod = make_template(builder, "p", 0);

    give_annotation(builder, pod, OURS, "true");
    give_request(builder, pod, 0, "nvidia.com/mig-3g.40gb", 1);
    give_request(builder, pod, 0, GPU ".shared", 1);
    assert_true(fb_need_annotated(pod));
    assert_int_equal(fb_need_networking(pod, &builder->settings, true, 2), FB_NETWORKING_NO);
}

static void test_settings_owns__kind_and_group_together(void **state)
{
    static const struct {
        const char *kind, *group;
        bool indexed, want;
    } cases[] = {
        {"Job", "batch.volcano.sh", false, true},
        {"Job", "batch", true, true},
        {"Job", "batch", false, false},
        {"Job", "example.com", true, false},
        {"Job", "", true, false},
        {"JobSet", "jobset.x-k8s.io", false, true},
        {"JobSet", "batch", true, false},
        {"PyTorchJob", "kubeflow.org", false, true},
        {"MPIJob", "kubeflow.org", false, true},
        {"TrainJob", "trainer.kubeflow.org", false, true},
        {"TrainJob", "kubeflow.org", false, false},
        {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", false, true},
        {"RayCluster", "ray.io", false, true},
        {"RunaiJob", "run.ai", false, true},
        {"StatefulSet", "apps", false, false},
        {"ReplicaSet", "apps", true, false},
        {"", "", false, false},
        {NULL, NULL, false, false},
    };
    struct builder *builder = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (fb_settings_owns(&builder->settings, cases[i].kind, cases[i].group, cases[i].indexed) !=
            cases[i].want)
            fail_msg("%s of %s", cases[i].kind, cases[i].group);
    }
}

static void test_settings_owns__any_of_several_rules_will_do(void **state)
{
    static struct fb_owner_rule rules[] = {{"Job", "batch", true}, {"Job", "batch", false}};
    struct builder *builder = *state;

    builder->settings.owners = rules;
    builder->settings.owners_len = COUNT(rules);
    assert_true(fb_settings_owns(&builder->settings, "Job", "batch", false));
    builder->settings.owners_len = 1;
    assert_false(fb_settings_owns(&builder->settings, "Job", "batch", false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_need_networking__asks_annotations_then_owner_and_size,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_need_networking__unannotated_only_where_configured,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_need_networking__parts_of_gpus_are_none, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_settings_owns__kind_and_group_together, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_settings_owns__any_of_several_rules_will_do, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
