/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/outfit.h"

#include <string.h>

/* The fabric that the job was planned for, also where it did not fit. */
static size_t planned_fabric(const struct fb_plan *plan)
{
    return plan->gang_fabric != FB_NONE ? plan->gang_fabric : plan->short_fabric;
}

static enum fb_status inject(const struct fb_outfit_input *in, size_t task,
                             struct fb_outfit_task *ret)
{
    const struct fb_outfit_new pod = {
        .cluster = in->cluster,
        .pod = &in->plan->job->tasks[task].pod,
        .spec = &in->specs[task],
        .networking = in->plan->networking[task],
        .planned = planned_fabric(in->plan),
        .gang = in->plan->has_gang,
        .network = in->network,
        .require_transport = in->require_transport,
        .level = in->level,
    };

    return fb_outfit_create(&pod, ret);
}

/* Keys and values that the pod has once it is made; those of the profile are written anew. */
static size_t annotations_bytes(const struct fb_podspec *spec, const struct fb_injection *injection)
{
    static const char at[] = "/metadata/annotations/";
    size_t bytes = 0;

    for (size_t i = 0; i < spec->annotations.len; i++) {
        const struct fb_pair *pair = &spec->annotations.at[i];

        if (!fb_profile_is_key(pair->key))
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
    const struct fb_place *at = &in->plan->placements[place];
    const struct fb_injection *injection = &outfit->tasks[at->task].injection;
    const struct fb_outfit_bound bound = {
        .cluster = in->cluster,
        .pod = &in->plan->job->tasks[at->task].pod,
        .networking = in->plan->networking[at->task],
        .site = at->site,
        .degraded = &injection->degraded,
        .annotations_bytes = annotations_bytes(&in->specs[at->task], injection),
    };

    return fb_outfit_bind(&bound, ret, err);
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
