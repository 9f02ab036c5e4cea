/* SPDX-License-Identifier: Apache-2.0 */
#include "fit_case.h"

#include "unit.h"

#include <stdio.h>

#define GIB (INT64_C(1) << 30)

struct fit_case fit_case_good(void)
{
    struct builder *builder = builder_new();
    struct fit_case ask = {.builder = builder, .networking = FB_NETWORKING_GANG, .gang = 2};

    ask.policy = make_policy(builder, "acme", NIC, FB_NIC_EXCLUSIVE);
    make_shape(builder, ask.policy, "big", 8, 16);
    ask.node = make_node(builder, "n1", "big", 8, NIC, 16);
    give_label(builder, make_node(builder, "far", "big", 8, NIC, 16), ZONE_LABEL, "z2");
    ask.pod = make_template(builder, "p", 8);
    give_request(builder, ask.pod, 0, "cpu", 64000);
    give_request(builder, ask.pod, 0, "memory", 512 * GIB);
    give_request(builder, ask.pod, 0, "disk", 0);
    return ask;
}

static struct fb_verdict fit(const struct fit_case *ask)
{
    struct builder *builder = ask->builder;
    struct fb_cluster cluster = build_cluster(builder);
    size_t site = fb_cluster_find(&cluster, "n1");
    size_t fabric = cluster.sites[site].fabric;
    struct fb_need need;
    struct fb_question question = {
        .pod = ask->pod,
        .need = &need,
        .networking = ask->networking,
        .gang = ask->gang,
        .fabric = ask->elsewhere ? cluster.sites[fb_cluster_find(&cluster, "far")].fabric : FB_NONE,
    };

    assert_int_equal(fb_need_make(builder->arena, ask->pod, ask->networking,
                                  fabric != FB_NONE ? &cluster.fabrics[fabric] : NULL,
                                  &(struct fb_rules){&builder->policies, &builder->settings},
                                  &need),
                     FB_OK);
    return fb_fit(&cluster, site, &question);
}

const char *fit_case_answer(const struct fit_case *ask, char text[FIT_CASE_TEXT])
{
    struct fb_verdict verdict = fit(ask);
    char reason[FB_VERDICT_TEXT];

    (void)snprintf(text, FIT_CASE_TEXT, "%s %d %s", fb_verdict_name(verdict.kind),
                   fb_verdict_code(verdict.kind), fb_verdict_text(&verdict, reason));
    builder_free(ask->builder);
    return text;
}

void fit_case_selector(struct fit_case *ask)
{
    give_selector(ask->builder, ask->pod, "disk", "ssd");
}

void fit_case_affinity(struct fit_case *ask)
{
    give_term(ask->builder, ask->pod);
    give_requirement(ask->builder, ask->pod, "disk", "Exists", "");
}

void fit_case_taint(struct fit_case *ask)
{
    give_taint(ask->builder, ask->node, "soft", "", "PreferNoSchedule");
    give_taint(ask->builder, ask->node, "acme.test/repair", "now", "NoSchedule");
}

void fit_case_cordoned(struct fit_case *ask)
{
    ask->node->unschedulable = true;
}

void fit_case_not_ready(struct fit_case *ask)
{
    ask->node->ready = false;
}

void fit_case_no_gpu(struct fit_case *ask)
{
    give_amount(ask->builder, ask->node, GPU, 0);
}

void fit_case_sick_gpu(struct fit_case *ask)
{
    give_amount(ask->builder, ask->node, GPU, 7);
}

void fit_case_other_fabric(struct fit_case *ask)
{
    ask->elsewhere = true;
}

void fit_case_no_nic(struct fit_case *ask)
{
    give_amount(ask->builder, ask->node, NIC, 0);
}

void fit_case_fewer_nics(struct fit_case *ask)
{
    give_amount(ask->builder, ask->node, NIC, 15);
}

void fit_case_configured(struct fit_case *ask)
{
    ask->builder->settings.ratio_mode = FB_RATIO_CONFIGURED;
    ask->builder->settings.ratio = fb_ratio_of(4, 1);
}

void fit_case_unknown_fabric(struct fit_case *ask)
{
    give_label(ask->builder, ask->node, ZONE_LABEL, "");
}

void fit_case_no_memory(struct fit_case *ask)
{
    give_amount(ask->builder, ask->node, "memory", 511 * GIB);
}

struct fb_pod *fit_case_resident(struct fit_case *ask)
{
    return make_pod(ask->builder, "resident", "n1", 0);
}

void fit_case_busy_gpu(struct fit_case *ask)
{
    give_request(ask->builder, fit_case_resident(ask), 0, GPU, 1);
}

void fit_case_busy_nic(struct fit_case *ask)
{
    give_request(ask->builder, fit_case_resident(ask), 0, NIC, 1);
}

void fit_case_busy_cpu(struct fit_case *ask)
{
    give_request(ask->builder, fit_case_resident(ask), 0, "cpu", 128001);
}
