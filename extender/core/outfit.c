/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/outfit.h"

#include "fabricbind/creation.h"

#include <string.h>

/* The provider's equipment with the shape's on top. */
static enum fb_status equip_of(struct fb_arena *arena, const struct fb_fabric *fabric,
                               struct fb_equip *ret)
{
    return fb_equip_merge(arena, fabric->policy != NULL ? &fabric->policy->equip : NULL,
                          fabric->shape != NULL ? &fabric->shape->equip : NULL, ret);
}

/* The fabric that the job was planned for, also where it did not fit. */
static size_t planned_fabric(const struct fb_plan *plan)
{
    return plan->gang_fabric != FB_NONE ? plan->gang_fabric : plan->short_fabric;
}

static enum fb_status inject(const struct fb_outfit_input *in, size_t task,
                             struct fb_outfit_task *ret)
{
    const struct fb_cluster *cluster = in->cluster;
    struct fb_injection_input input = {
        .pod = &in->plan->job->tasks[task].pod,
        .spec = &in->specs[task],
        .networking = in->plan->networking[task],
        .policies = cluster->policies,
        .settings = cluster->settings,
        .network = in->network,
        .require_transport = in->require_transport,
        .level = in->level,
    };
    struct fb_creation creation = {0};
    struct fb_equip equip = {0};
    enum fb_status st = FB_OK;

    if (input.networking == FB_NETWORKING_NO)
        return FB_OK;
    st = fb_creation_choose(cluster, input.pod, input.networking, planned_fabric(in->plan),
                            in->plan->has_gang, &creation);
    if (st != FB_OK)
        return st;
    ret->denied = creation.reason;
    if (creation.fabric == NULL)
        return FB_OK;
    st = equip_of(cluster->arena, creation.fabric, &equip);
    if (st != FB_OK)
        return st;
    input.fabric = creation.fabric;
    input.equip = &equip;
    input.pins = creation.pins;
    st = fb_injection_make(cluster->arena, &input, &ret->injection);
    if (st == FB_OK && ret->injection.refused != NULL)
        ret->denied = ret->injection.refused;
    return st;
}

static bool is_profile(const char *key)
{
    return fb_text_equal(key, FB_PROFILE_KEY) || fb_text_equal(key, FB_PROFILE_CONF_KEY) ||
           fb_text_equal(key, FB_PROFILE_TOPO_KEY);
}

/* Keys and values that the pod has once it is made; those of the profile are written anew. */
static size_t annotations_bytes(const struct fb_podspec *spec, const struct fb_injection *injection)
{
    static const char at[] = "/metadata/annotations/";
    size_t bytes = 0;

    for (size_t i = 0; i < spec->annotations.len; i++) {
        const struct fb_pair *pair = &spec->annotations.at[i];

        if (!is_profile(pair->key))
            bytes += strlen(pair->key) + strlen(pair->value);
    }
    for (size_t i = 0; i < injection->patch.len; i++) {
        const struct fb_patch_op *op = &injection->patch.at[i];

        /* Escaped, both are at least as long as what is stored. */
        if (fb_text_has_prefix(op->path, at))
            bytes += strlen(op->path) - strlen(at) + strlen(op->value);
    }
    return bytes;
}

static enum fb_status bind_place(const struct fb_outfit_input *in, const struct fb_outfit *outfit,
                                 size_t place, struct fb_profile *ret, struct fb_error *err)
{
    const struct fb_cluster *cluster = in->cluster;
    const struct fb_place *at = &in->plan->placements[place];
    const struct fb_site *site = &cluster->sites[at->site];
    const struct fb_injection *injection = &outfit->tasks[at->task].injection;
    struct fb_profile_input input = {.site = site, .degraded = &injection->degraded};
    struct fb_equip equip = {0};
    struct fb_need need;
    enum fb_status st;

    if (in->plan->networking[at->task] == FB_NETWORKING_NO || site->fabric == FB_NONE)
        return FB_OK;
    input.fabric = &cluster->fabrics[site->fabric];
    input.need = &need;
    input.equip = &equip;
    input.pod_annotations_bytes = annotations_bytes(&in->specs[at->task], injection);
    st = equip_of(cluster->arena, input.fabric, &equip);
    if (st == FB_OK)
        st = fb_need_make(cluster->arena, &in->plan->job->tasks[at->task].pod,
                          in->plan->networking[at->task], input.fabric,
                          &(struct fb_rules){cluster->policies, cluster->settings}, &need);
    return st == FB_OK ? fb_profile_make(cluster->arena, &input, ret, err) : st;
}

enum fb_status fb_outfit_make(const struct fb_outfit_input *in, struct fb_outfit *ret,
                              struct fb_error *err)
{
    struct fb_arena *arena = in->cluster->arena;
    size_t tasks = in->plan->job->tasks_len;
    struct fb_outfit made = {
        .tasks = fb_arena_alloc(arena, tasks * sizeof *made.tasks),
        .profiles = fb_arena_alloc(arena, in->plan->placements_len * sizeof *made.profiles),
    };
    enum fb_status st = FB_OK;

    if (made.tasks == NULL || made.profiles == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    for (size_t i = 0; st == FB_OK && i < tasks; i++)
        st = inject(in, i, &made.tasks[i]);
    if (st != FB_OK)
        return fb_error_set(err, st, "out of memory");
    for (size_t i = 0; st == FB_OK && i < in->plan->placements_len; i++) {
        st = bind_place(in, &made, i, &made.profiles[i], err);
        if (st == FB_ENOMEM)
            return fb_error_set(err, st, "out of memory");
        if (st != FB_OK)
            return fb_error_prefix(err, st, "pod %s", in->plan->placements[i].pod);
    }
    *ret = made;
    return st;
}
