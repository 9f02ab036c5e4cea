/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware.h"

#include "node_case.h"
#include "unit.h"

#include <string.h>

static struct builder *providers(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *p = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);
    struct fb_policy *e = make_policy(builder, "e", "plain", FB_NIC_EXCLUSIVE);

    give_nic_rule(builder, p, "old-nic", FB_NIC_EXCLUSIVE);
    give_nic_rule(builder, p, "seat", FB_NIC_SLOT);
    make_shape(builder, p, "P.8", 8, 4);
    make_shape(builder, p, "P.0", 0, 16);
    make_shape(builder, p, "P.unknown", 8, -1);
    make_shape(builder, p, "P.none", 8, 0);

    give_nic_rule(builder, e, "one", FB_NIC_EACH);
    give_nic_rule(builder, e, "net/*", FB_NIC_EACH);
    give_text(builder, &e->nics[2].exclude, "*.IP");
    give_text(builder, &e->nics[2].exclude, "*/gvnic-*");
    make_shape(builder, e, "E.8", 8, 3);
    return builder;
}

/* "<resource> <whole>/<of a healthy node> <problems>" */
static const char *gpus_text(const struct fb_reading *reading, char text[CASE_TEXT])
{
    text[0] = '\0';
    add_piece(text, "%s", reading->gpu != NULL ? reading->gpu : "-");
    add_piece(text, "%lld/%lld", (long long)reading->gpus, (long long)reading->gpus_full);
    if (fb_reading_has(reading, FB_PROBLEM_GPUS_SHARED))
        add_piece(text, "shared");
    if (fb_reading_has(reading, FB_PROBLEM_GPUS_MIG))
        add_piece(text, "mig");
    return text;
}

static void test_hardware_gpus__counts_whole_gpus_only(void **state)
{
    static const struct {
        const char *instance, *labels, *amounts;
        const char *want;
    } cases[] = {
        {"P.8", NULL, GPU "=8", GPU " 8/8"},
        {"P.8", NULL, GPU "=7/8", GPU " 7/8"}, /* one is unhealthy */
        {"P.8", NULL, GPU "=0/8", GPU " 0/8"},
        {"P.8", NULL, "cpu=1", "- 0/8"}, /* no plugin */
        {"P.0", NULL, "cpu=1", "- 0/0"},
        {"P.0", NULL, GPU "=2", GPU " 2/2"},
        {"P.x", NULL, GPU "=7/8", GPU " 7/8"},
        {"P.x", NULL, GPU "=8/7", GPU " 8/8"}, /* never more than a healthy one has */
        {"P.8", NULL, "amd.com/gpu=8", "amd.com/gpu 8/8"},
        {"P.8", NULL, GPU "=0 amd.com/gpu=8", "amd.com/gpu 8/8"},
        {"P.8", NULL, "amd.com/gpu=0 " GPU "=0", GPU " 0/8"},
        {"P.8", NULL, "x.com/gpu=8", "- 0/8"}, /* not configured */

        {"P.8", NULL, GPU "=9", GPU " 0/8 shared"}, /* more than the shape has */
        {"P.x", NULL, GPU "=9", GPU " 9/9"},
        {"P.8", GPU ".replicas=4", GPU "=32", GPU " 0/8 shared"},
        {"P.8", GPU ".replicas=4", GPU "=8", GPU " 0/8 shared"},
        {"P.8", GPU ".replicas=1", GPU "=8", GPU " 8/8"},
        {"P.8", GPU ".replicas=many", GPU "=8", GPU " 8/8"},
        {"P.8", GPU ".product=X-SHARED", GPU "=8", GPU " 0/8 shared"},
        {"P.8", GPU ".product=X", GPU "=8", GPU " 8/8"},
        {"P.8", "amd.com/gpu.replicas=4", GPU "=8", GPU " 8/8"}, /* of the other resource */
        {"P.8", NULL, GPU "=0 " GPU ".shared=128", GPU " 0/8 shared"},
        {"P.8", NULL, GPU ".shared=128", "- 0/8 shared"},
        {"P.8", NULL, GPU "=8 " GPU ".shared=0", GPU " 8/8"}, /* left behind */
        {"P.8", NULL, GPU "=4 " GPU ".shared=16", GPU " 4/8 shared"},

        {"P.x", GPU ".product=A100-MIG-1g.5gb", GPU "=56", GPU " 0/0 mig"}, /* single */
        {"P.8", GPU ".product=A100-MIG-1g.5gb", GPU "=56", GPU " 0/8 mig"},
        {"P.8", NULL, GPU "=0 nvidia.com/mig-1g.5gb=56", GPU " 0/8 mig"}, /* mixed */
        {"P.8", NULL, "nvidia.com/mig-1g.5gb=56", "- 0/8 mig"},
        {"P.8", NULL, GPU "=8 nvidia.com/mig-1g.5gb=0", GPU " 8/8"},
        {"P.8", NULL, GPU "=4 nvidia.com/mig-1g.5gb=28", GPU " 4/8 mig"},
        {"P.8", NULL, GPU "=8 amd.com/mig-1g=2", GPU " 8/8 mig"},
    };
    struct builder *builder = providers();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct node_case row = {.id = "p://n",
                                .instance = cases[i].instance,
                                .labels = cases[i].labels,
                                .amounts = cases[i].amounts};
        struct fb_reading reading = read_case(builder, &row);
        char text[CASE_TEXT];

        assert_string_equal(gpus_text(&reading, text), cases[i].want);
    }
    builder_free(builder);
}

static void test_hardware_gpus__copes_with_a_resource_of_no_vendor(void **state)
{
    struct builder *builder = builder_new();
    struct node_case row = {.amounts = "gpu=2 gpu.shared=0 /mig-x=1"};
    struct fb_reading reading;
    char text[CASE_TEXT];

    (void)state;
    builder->settings.gpu_resources.len = 0;
    give_text(builder, &builder->settings.gpu_resources, "gpu");
    reading = read_case(builder, &row);
    assert_string_equal(gpus_text(&reading, text), "gpu 2/2");
    builder_free(builder);
}

/* "<kind> <working NICs> <units>" */
static const char *nics_text(const struct fb_reading *reading, char text[CASE_TEXT])
{
    char units[CASE_TEXT];

    text[0] = '\0';
    add_piece(text, "%s", reading->has_nics ? fb_nic_kind_name(reading->kind) : "no");
    add_piece(text, "%lld", (long long)reading->nics);
    if (reading->units.len > 0)
        add_piece(text, "%s", amounts_text(&reading->units, units));
    return text;
}

static void test_hardware_nics__takes_the_first_rule_with_units(void **state)
{
    static const struct {
        const char *id, *instance, *amounts;
        const char *want;
    } cases[] = {
        {"p://n", "P.8", "nic=4", "exclusive 4 nic=4"},
        {"p://n", "P.8", "nic=3/4", "exclusive 3 nic=3"},
        {"p://n", "P.8", "nic=0/4", "exclusive 0 nic=0"},
        {"p://n", "P.8", "nic=5", "exclusive 4 nic=5"}, /* no more work than the shape has */
        {"p://n", "P.8", "cpu=1", "no 0"},
        {"p://n", "P.8", "plain=4", "no 0"},                      /* another provider's */
        {"r://n", "P.8", "nic=4", "no 0"},                        /* nobody's node */
        {"p://n", "P.8", "old-nic=4 nic=2", "exclusive 2 nic=2"}, /* order of the rules */
        {"p://n", "P.8", "seat=63 old-nic=4", "exclusive 4 old-nic=4"},
        {"p://n", "P.8", "nic=0 old-nic=4", "exclusive 4 old-nic=4"}, /* one left at 0 */
        {"p://n", "P.8", "nic=0 seat=63", "slot 4 seat=63"},
        {"p://n", "P.8", "nic=0 old-nic=0", "exclusive 0 nic=0"},
        {"p://n", "P.unknown", "nic=9", "exclusive 9 nic=9"},
        {"p://n", "P.x", "nic=9", "exclusive 9 nic=9"},
        {"p://n", "P.none", "nic=9", "exclusive 0 nic=9"},
        {"p://n", "P.8", "seat=63", "slot 4 seat=63"}, /* seats are no NICs */
        {"p://n", "P.8", "seat=0", "slot 0 seat=0"},
        {"p://n", "P.x", "seat=63", "slot -1 seat=63"},
        {"p://n", "P.unknown", "seat=1", "slot -1 seat=1"},

        {"e://n", "E.8", "net/b=1 net/a=1 net/c=1", "each 3 net/a=1 net/b=1 net/c=1"},
        {"e://n", "E.8", "net/a=1 net/a.IP=1 net/b=1 net/b.IP=1", "each 2 net/a=1 net/b=1"},
        {"e://n", "E.8", "net/a=1 net/gvnic-1=1", "each 1 net/a=1"},
        {"e://n", "E.8", "net/a=1 net/b=0", "each 1 net/a=1 net/b=0"},
        {"e://n", "E.8", "net/a=0 net/b=0", "each 0 net/a=0 net/b=0"},
        {"e://n", "E.8", "net/a=7", "each 1 net/a=7"}, /* one NIC behind a name */
        {"e://n", "E.8", "net/a=1 net/b=1 net/c=1 net/d=1",
         "each 3 net/a=1 net/b=1 net/c=1 net/d=1"},
        {"e://n", "E.8", "net/a.IP=1", "no 0"},
    };
    struct builder *builder = providers();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct node_case row = {
            .id = cases[i].id, .instance = cases[i].instance, .amounts = cases[i].amounts};
        struct fb_reading reading = read_case(builder, &row);
        char text[CASE_TEXT];

        assert_string_equal(nics_text(&reading, text), cases[i].want);
    }
    builder_free(builder);
}

static void test_hardware_nics__looks_for_what_is_configured_alone(void **state)
{
    static const struct {
        const char *resource, *networks, *id, *amounts;
        const char *want;
    } cases[] = {
        {"old-nic", NULL, "p://n", "nic=4 old-nic=2", "exclusive 2 old-nic=2"},
        {"seat", NULL, "p://n", "nic=4 seat=63", "slot 4 seat=63"},
        {"rdma/mine", NULL, "p://n", "nic=4 rdma/mine=63", "slot 4 rdma/mine=63"},
        {"old-nic", NULL, "p://n", "nic=4", "no 0"},
        {"old-nic", NULL, "p://n", "nic=4 old-nic=0", "exclusive 0 old-nic=0"},
        {"old-nic", NULL, "r://n", "old-nic=2", "no 0"},
        {NULL, "b a", "e://n", "net/a=1 net/b=1 net/c=1", "each 2 net/a=1 net/b=1"},
        {NULL, "gvnic-1 a", "e://n", "net/a=1 net/gvnic-1=1", "each 2 net/a=1 net/gvnic-1=1"},
        {NULL, "a x", "e://n", "net/a=1", "each 1 net/a=1 net/x=0"}, /* absent: asked for still */
        {NULL, "a x", "e://n", "net/a=0", "each 0 net/a=0 net/x=0"},
        {NULL, "a x", "e://n", "net/b=1", "no 0"},
        {NULL, "a x", "p://n", "nic=4", "exclusive 4 nic=4"}, /* no networks by name there */
        {"plain", "a", "e://n", "net/a=1 plain=2", "exclusive 2 plain=2"},
    };
    struct builder *builder = providers();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct node_case row = {.id = cases[i].id, .instance = "P.8", .amounts = cases[i].amounts};
        struct fb_reading reading;
        char text[CASE_TEXT];

        builder->settings.nic_resource = cases[i].resource;
        builder->settings.networks.len = 0;
        for (const char *at = cases[i].networks; at != NULL && *at != '\0';) {
            size_t len = strcspn(at, " ");

            give_text(builder, &builder->settings.networks, fb_arena_text(builder->arena, at, len));
            at += len + (at[len] == ' ' ? 1 : 0);
        }
        reading = read_case(builder, &row);
        assert_string_equal(nics_text(&reading, text), cases[i].want);
    }
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hardware_gpus__counts_whole_gpus_only),
        cmocka_unit_test(test_hardware_gpus__copes_with_a_resource_of_no_vendor),
        cmocka_unit_test(test_hardware_nics__takes_the_first_rule_with_units),
        cmocka_unit_test(test_hardware_nics__looks_for_what_is_configured_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
