/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/creation.h"

#include "expected.h"
#include "fabricbind/select.h"

/* Of scale-from-zero clusters nothing else is known, and autoscalers simulate these two. */
#define INSTANCE_LABEL "node.kubernetes.io/instance-type"
#define ZONE_LABEL "topology.kubernetes.io/zone"

/* However many GPUs it asks for. */
static bool admits_some(const struct fb_cluster *cluster, const struct fb_site *site,
                        const struct fb_pod *pod)
{
    const char *gpu;

    (void)fb_need_gpus(pod, cluster->settings, &gpu);
    return site->fabric != FB_NONE && site->reading.gpus_full > 0 &&
           fb_select_labels(pod, site->node) && fb_select_affinity(pod, site->node) &&
           fb_select_taint(pod, site->node) == NULL &&
           (site->reading.gpu == NULL || fb_text_equal(site->reading.gpu, gpu));
}

bool fb_creation_admits(const struct fb_cluster *cluster, const struct fb_site *site,
                        const struct fb_pod *pod)
{
    return admits_some(cluster, site, pod) &&
           site->reading.gpus_full >= fb_need_gpus(pod, cluster->settings, NULL);
}

/* Does the shape put anything of its own into pods. */
static bool is_plain(const struct fb_shape *shape)
{
    const struct fb_equip *equip = shape != NULL ? &shape->equip : NULL;

    return equip == NULL ||
           (equip->env.len == 0 && equip->mounts_len == 0 && equip->capabilities.len == 0 &&
            equip->annotations.len == 0 && equip->sidecars_len == 0 &&
            equip->interfaces_annotation == NULL && equip->networks_annotation == NULL);
}

static bool same_amounts(const struct fb_resources *a, const struct fb_resources *b)
{
    if (a->len != b->len)
        return false;
    for (size_t i = 0; i < a->len; i++) {
        if (fb_resources_get(b, a->at[i].name) != a->at[i].amount)
            return false;
    }
    return true;
}

/* A pod in the choosing. */
struct choice {
    const struct fb_cluster *cluster;
    const struct fb_pod *pod;
    enum fb_networking networking;
    bool gang;     /* of two or more pods */
    bool *could;   /* by fabric: the pod could go there */
    size_t fabric; /* the one chosen */
};

static void find_candidates(const struct choice *choice,
                            bool (*admits)(const struct fb_cluster *cluster,
                                           const struct fb_site *site, const struct fb_pod *pod))
{
    const struct fb_cluster *cluster = choice->cluster;

    for (size_t i = 0; i < cluster->sites_len; i++) {
        if (admits(cluster, &cluster->sites[i], choice->pod))
            choice->could[cluster->sites[i].fabric] = true;
    }
}

static enum fb_status nics_on(const struct choice *choice, const struct fb_fabric *fabric,
                              struct fb_resources *ret)
{
    struct fb_need need;
    enum fb_status st = fb_need_make(
        choice->cluster->arena, choice->pod, choice->networking, fabric,
        &(struct fb_rules){choice->cluster->policies, choice->cluster->settings}, &need);

    if (st == FB_OK)
        *ret = need.nics;
    return st;
}

/* Would the pod be made alike for both. */
static enum fb_status same_pod(const struct choice *choice, const struct fb_fabric *a,
                               const struct fb_fabric *b, bool *ret)
{
    struct fb_resources left = {0};
    struct fb_resources right = {0};
    enum fb_status st = nics_on(choice, a, &left);

    if (st == FB_OK)
        st = nics_on(choice, b, &right);
    if (st == FB_OK)
        *ret = a->policy == b->policy &&
               (a->shape == b->shape || (is_plain(a->shape) && is_plain(b->shape))) &&
               same_amounts(&left, &right);
    return st;
}

static enum fb_status add_pin(const struct fb_cluster *cluster, struct fb_pairs *pins,
                              const char *key, const char *value)
{
    struct fb_pair *at =
        fb_arena_more(cluster->arena, pins->at, pins->len, &pins->size, sizeof *at);

    if (at == NULL)
        return FB_ENOMEM;
    pins->at = at;
    at[pins->len++] = (struct fb_pair){key, value};
    return FB_OK;
}

/* The labels of a node of the fabric: its own spelling of the instance type, and its zone. */
static enum fb_status pin(const struct fb_cluster *cluster, size_t fabric, struct fb_pairs *pins)
{
    const struct fb_site *model = NULL;
    const char *zone;
    enum fb_status st = FB_OK;

    for (size_t i = 0; model == NULL && i < cluster->sites_len; i++) {
        if (cluster->sites[i].fabric == fabric)
            model = &cluster->sites[i];
    }
    if (model == NULL)
        return FB_OK;
    if (*model->node->instance_type != '\0')
        st = add_pin(cluster, pins, INSTANCE_LABEL, model->node->instance_type);
    zone = model->reading.boundary.key;
    if (st == FB_OK && fb_text_equal(zone, ZONE_LABEL))
        st = add_pin(cluster, pins, ZONE_LABEL, model->reading.boundary.value);
    return st;
}

/* Is the gang held to its fabric by the labels of its pods alone. */
static bool holds_by_pins(const struct choice *choice)
{
    return choice->gang && choice->cluster->settings->pin_gangs;
}

/* The candidate that the plan chose, else the one with most nodes; ties: the first. A pod that
 * cannot go to the fabric of its gang waits rather than go to another one. */
static size_t prefer(const struct choice *choice, size_t planned)
{
    const struct fb_cluster *cluster = choice->cluster;
    size_t best = FB_NONE;

    for (size_t i = 0; i < cluster->fabrics_len; i++) {
        if (choice->could[i] &&
            (best == FB_NONE || cluster->fabrics[i].nodes > cluster->fabrics[best].nodes))
            best = i;
    }
    if (best == FB_NONE || planned == FB_NONE)
        return best;
    return choice->could[planned] || holds_by_pins(choice) ? planned : best;
}

static enum fb_status agree(const struct choice *choice, bool *ret)
{
    const struct fb_cluster *cluster = choice->cluster;
    enum fb_status st = FB_OK;

    *ret = true;
    for (size_t i = 0; st == FB_OK && *ret && i < cluster->fabrics_len; i++) {
        if (!choice->could[i] || i == choice->fabric)
            continue;
        *ret = false;
        if (!holds_by_pins(choice))
            st = same_pod(choice, &cluster->fabrics[choice->fabric], &cluster->fabrics[i], ret);
    }
    return st;
}

/* Two pods cannot share a node's networks: an annotated one must ask for all of it. */
static bool needs_whole(const struct choice *choice, const struct fb_fabric *fabric)
{
    return fabric != NULL && fabric->has_nics && fabric->kind == FB_NIC_EACH &&
           choice->networking == FB_NETWORKING_ANNOTATED &&
           fb_need_gpus(choice->pod, choice->cluster->settings, NULL) < fabric->gpus;
}

/* Nothing else tells: a pod that asks for more GPUs than any node has stays pending, and says why,
 * as any such pod does; it is made for the nodes that would take it. */
static enum fb_status expect(struct choice *choice, struct fb_creation *ret)
{
    enum fb_status st =
        fb_expected_fabric(choice->cluster, choice->pod, &ret->fabric, &ret->reason);

    if (st != FB_OK || ret->fabric != NULL)
        return st;
    find_candidates(choice, admits_some);
    choice->fabric = prefer(choice, FB_NONE);
    if (choice->fabric == FB_NONE)
        return FB_OK;
    ret->reason = NULL;
    ret->fabric = &choice->cluster->fabrics[choice->fabric];
    return FB_OK;
}

/* Of @choice its fabric is set. */
static enum fb_status make(struct choice *choice, struct fb_creation *ret)
{
    const struct fb_cluster *cluster = choice->cluster;
    bool alike = true;
    enum fb_status st;

    if (choice->fabric == FB_NONE)
        return expect(choice, ret);
    ret->fabric = &cluster->fabrics[choice->fabric];
    st = agree(choice, &alike);
    return st == FB_OK && !alike ? pin(cluster, choice->fabric, &ret->pins) : st;
}

enum fb_status fb_creation_choose(const struct fb_cluster *cluster, const struct fb_pod *pod,
                                  enum fb_networking networking, size_t planned, bool gang,
                                  struct fb_creation *ret)
{
    struct choice choice = {.cluster = cluster, .pod = pod, .networking = networking, .gang = gang};
    struct fb_creation made = {0};
    enum fb_status st;

    choice.could =
        fb_arena_alloc(cluster->arena, (cluster->fabrics_len + 1) * sizeof *choice.could);
    if (choice.could == NULL)
        return FB_ENOMEM;
    find_candidates(&choice, fb_creation_admits);
    choice.fabric = prefer(&choice, planned);
    st = make(&choice, &made);
    if (st == FB_OK && needs_whole(&choice, made.fabric)) {
        made = (struct fb_creation){.partial = true};
        made.reason = "this network is shared by whole nodes only: ask for all GPUs of a node";
    }
    if (st == FB_OK)
        *ret = made;
    return st;
}
