/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/view.h"

#include "node_case.h"
#include "unit.h"

#include <string.h>

/* A node "a" of shape P.8, 8 GPUs and 4 NICs, as a scheduler shows it. */
struct view_case {
    const char *what;
    int64_t told;       /* NICs that the plugin reports; 0: 4 */
    int64_t gpus, nics; /* idle */
    int64_t releasing_gpus, releasing_nics, pipelined_gpus;
    int64_t pod_gpus; /* of a networked pod on it; 0: none */
    int64_t pod_nics; /* that the pod requests itself */
    int64_t status;   /* of the pod */
    const char *want;
};

static void set(struct builder *builder, struct fb_resources *amounts, int64_t gpus, int64_t nics)
{
    assert_int_equal(fb_resources_set(builder->arena, amounts, GPU, gpus), FB_OK);
    assert_int_equal(fb_resources_set(builder->arena, amounts, "nic", nics), FB_OK);
}

static struct builder *one_node(int64_t told)
{
    struct builder *builder = builder_new();
    struct fb_policy *policy = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);

    make_shape(builder, policy, "P.8", 8, 4);
    make_node(builder, "a", "P.8", 8, "nic", told > 0 ? told : 4);
    return builder;
}

static struct fb_pod *networked(struct builder *builder, int64_t gpus, int64_t nics)
{
    struct fb_pod *pod = make_template(builder, "on", gpus);

    give_annotation(builder, pod, "fabricbind.io/networking", "true");
    if (nics > 0)
        give_request(builder, pod, 0, "nic", nics);
    return pod;
}

static void view_text(const struct view_case *from, bool known, char text[CASE_TEXT])
{
    struct builder *builder = one_node(from->told);
    struct fb_cluster whole = build_cluster(builder);
    struct fb_objects objects = {0};
    struct fb_cluster empty;
    struct fb_sight_pod on = {.status = from->status};
    struct fb_sight sight = {.name = "a", .node = &builder->nodes[0], .pods = &on};
    struct fb_scene scene = {.cluster = &whole, .objects = &objects, .generation = 1};
    struct fb_view view;

    assert_int_equal(
        fb_cluster_build(builder->arena, &objects, &builder->policies, &builder->settings, &empty),
        FB_OK);
    if (known)
        sight.node = NULL;
    else
        scene.cluster = &empty;
    set(builder, &sight.idle, from->gpus, from->nics);
    set(builder, &sight.releasing, from->releasing_gpus, from->releasing_nics);
    set(builder, &sight.pipelined, from->pipelined_gpus, 0);
    if (from->pod_gpus > 0) {
        on.pod = *networked(builder, from->pod_gpus, from->pod_nics);
        sight.pods_len = 1;
    }
    fb_view_init(&view, builder->arena, &scene);
    assert_int_equal(fb_view_knows(&scene, "a"), known);
    assert_int_equal(fb_view_add(&view, &scene, &sight), FB_OK);
    assert_int_equal(view.cluster.sites_len, 1);
    (void)snprintf(text, CASE_TEXT, "%s gpus=%lld nics=%lld",
                   view.cluster.fabrics[view.cluster.sites[0].fabric].name,
                   (long long)fb_resources_get(&view.cluster.sites[0].free, GPU),
                   (long long)fb_resources_get(&view.cluster.sites[0].free, "nic"));
    builder_free(builder);
}

static void test_view_add__counts_what_is_free(void **state)
{
    static const struct view_case cases[] = {
        {"idle", .gpus = 8, .nics = 4, .want = "gpus=8 nics=4"},
        {"nothing idle", .want = "gpus=0 nics=0"},
        {"below nothing", .gpus = -8, .nics = -1, .want = "gpus=0 nics=0"},
        {"going", .releasing_gpus = 8, .releasing_nics = 4, .want = "gpus=8 nics=4"},
        {"going and taken again", .releasing_gpus = 8, .releasing_nics = 4, .pipelined_gpus = 6,
         .want = "gpus=2 nics=4"},
        {"a pod that requests no NICs", .gpus = 4, .nics = 4, .pod_gpus = 4, .status = 32,
         .want = "gpus=4 nics=2"},
        {"a pod that does", .gpus = 4, .nics = 2, .pod_gpus = 4, .pod_nics = 2, .status = 32,
         .want = "gpus=4 nics=2"},
        {"a pod that goes", .releasing_gpus = 4, .gpus = 4, .nics = 4, .pod_gpus = 4,
         .status = FB_TASK_RELEASING, .want = "gpus=8 nics=4"},
        {"a pod that waits for its place", .gpus = 8, .nics = 4, .pod_gpus = 8,
         .status = FB_TASK_PIPELINED, .want = "gpus=8 nics=0"},
        {"more NICs than the shape has", .told = 6, .gpus = 8, .nics = 6, .want = "gpus=8 nics=4"},
        {"of these some are taken", .told = 6, .gpus = 4, .nics = 4, .want = "gpus=4 nics=2"},
    };

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        const struct view_case *at = &cases[i / 2];
        char text[CASE_TEXT];

        view_text(at, i % 2 == 0, text);
        if (strstr(text, at->want) == NULL || strncmp(text, "p P.8 nic z1 ", 13) != 0)
            fail_msg("%s: '%s' instead of '%s'", at->what, text, at->want);
    }
}

/* A new node of a known pool is of its fabric; another one brings its own. */
static void test_view_add__finds_the_fabric_of_strangers(void **state)
{
    struct builder *builder = one_node(0);
    struct fb_cluster cluster = build_cluster(builder);
    struct fb_objects objects = builder_objects(builder);
    struct fb_scene scene = {.cluster = &cluster, .objects = &objects, .generation = 1};
    struct fb_node *same = make_node(builder, "b", "P.8", 8, "nic", 4);
    struct fb_node *other = make_node(builder, "c", "P.8", 8, "nic", 4);
    const struct fb_node *nodes[] = {&builder->nodes[0], same, other, other};
    struct fb_view view;

    (void)state;
    give_label(builder, other, ZONE_LABEL, "z2");
    fb_view_init(&view, builder->arena, &scene);
    for (size_t i = 0; i < COUNT(nodes); i++) {
        struct fb_sight sight = {.name = nodes[i]->name, .node = nodes[i]};

        assert_int_equal(fb_view_add(&view, &scene, &sight), FB_OK);
    }
    assert_int_equal(view.cluster.sites[0].fabric, 0);
    assert_int_equal(view.cluster.sites[1].fabric, 0);
    assert_int_equal(view.cluster.sites[2].fabric, 1);
    assert_int_equal(view.cluster.sites[3].fabric, 1);
    assert_int_equal(view.cluster.fabrics_len, 2);
    assert_int_equal(cluster.fabrics_len, 1);
    builder_free(builder);
}

/* What is said of a node whose object was left out though nobody knows it: nothing fits there. */
static void test_view_add__takes_a_node_of_which_nothing_is_told(void **state)
{
    struct builder *builder = one_node(0);
    struct fb_cluster cluster = build_cluster(builder);
    struct fb_objects objects = builder_objects(builder);
    struct fb_scene scene = {.cluster = &cluster, .objects = &objects, .generation = 1};
    struct fb_sight sight = {.name = "nobody"};
    struct fb_view view;

    (void)state;
    fb_view_init(&view, builder->arena, &scene);
    assert_int_equal(fb_view_add(&view, &scene, &sight), FB_OK);
    assert_string_equal(view.cluster.sites[0].node->name, "nobody");
    assert_int_equal(view.cluster.sites[0].free.len, 0);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_view_add__counts_what_is_free),
        cmocka_unit_test(test_view_add__finds_the_fabric_of_strangers),
        cmocka_unit_test(test_view_add__takes_a_node_of_which_nothing_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
