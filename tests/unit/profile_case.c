/* SPDX-License-Identifier: Apache-2.0 */
#include "profile_case.h"

#include "unit.h"

#include <string.h>

static void give_topology(struct profile_case *bench, struct fb_shape *shape)
{
    static struct fb_pci_switch at;
    static struct fb_pci_numa numa;

    at = (struct fb_pci_switch){0};
    give_text(bench->builder, &at.gpus, "0000:10:1c.0");
    give_text(bench->builder, &at.nics, "0000:10:1b.0");
    numa = (struct fb_pci_numa){.at = &at, .len = 1, .size = 1};
    shape->topology = &numa;
    shape->topology_len = 1;
}

void profile_case_conf(struct profile_case *bench, const char *key, const char *value)
{
    struct fb_pairs *conf = &bench->equip.conf;

    if (conf->at == NULL)
        conf->at = fb_arena_alloc(bench->builder->arena, BUILDER_PARTS * sizeof *conf->at);
    assert_non_null(conf->at);
    assert_true(conf->len < BUILDER_PARTS);
    conf->at[conf->len++] = (struct fb_pair){key, value};
}

struct profile_case *profile_case_new(bool topology)
{
    static struct profile_case bench;
    struct fb_policy *policy;
    struct fb_shape *shape;

    bench = (struct profile_case){.builder = builder_new()};
    policy = make_policy(bench.builder, "acme", NIC, FB_NIC_EXCLUSIVE);
    shape = make_shape(bench.builder, policy, "box.8", 8, 4);
    if (topology)
        give_topology(&bench, shape);
    (void)make_node(bench.builder, "n1", "box.8", 8, NIC, 4);
    bench.cluster = build_cluster(bench.builder);
    bench.need.gpus = 4;
    assert_int_equal(fb_resources_set(bench.builder->arena, &bench.need.nics, NIC, 2), FB_OK);
    bench.in = (struct fb_profile_input){
        .site = &bench.cluster.sites[0],
        .fabric = &bench.cluster.fabrics[0],
        .need = &bench.need,
        .equip = &bench.equip,
    };
    return &bench;
}

void profile_case_free(struct profile_case *bench)
{
    builder_free(bench->builder);
}

struct fb_profile profile_case_make(struct profile_case *bench)
{
    struct fb_profile profile = {0};
    struct fb_error err = {0};

    if (fb_profile_make(bench->builder->arena, &bench->in, &profile, &err) != FB_OK)
        fail_msg("%s", err.text);
    return profile;
}

const char *profile_case_repeat(struct profile_case *bench, char c, size_t len)
{
    char *text = fb_arena_alloc(bench->builder->arena, len + 1);

    assert_non_null(text);
    memset(text, c, len);
    return text;
}
