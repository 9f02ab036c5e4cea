/* SPDX-License-Identifier: Apache-2.0 */
#include "outfits.h"

#include "fabricbind/podjson.h"

#include <string.h>

static enum fb_status decode_specs(struct fb_inputs *in, const struct fb_job *job,
                                   struct fb_podspec **ret, struct fb_error *err)
{
    struct fb_podspec *specs = fb_arena_alloc(in->arena, job->tasks_len * sizeof *specs);
    enum fb_status st = FB_OK;

    if (specs == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    for (size_t i = 0; st == FB_OK && i < job->tasks_len; i++) {
        const char *text = job->tasks[i].template_json;

        if (text != NULL && *text != '\0')
            st = fb_podspec_decode(in->arena, text, strlen(text), &specs[i], err);
        if (st != FB_OK)
            return fb_error_prefix(err, st, "%s/%s: task %s", job->space, job->name,
                                   job->tasks[i].name);
    }
    *ret = specs;
    return st;
}

static enum fb_status equip(struct fb_inputs *in, const struct fb_options *options,
                            struct fb_planned *planned, struct fb_error *err)
{
    struct fb_outfit_input input = {
        .cluster = &in->cluster,
        .plan = &planned->plan,
        .network = in->config.network_attachment,
        .require_transport = in->config.transport == FB_TRANSPORT_REQUIRE,
        .level = options->pod_security,
    };
    struct fb_podspec *specs = NULL;
    enum fb_status st = decode_specs(in, planned->plan.job, &specs, err);

    input.specs = specs;
    return st == FB_OK ? fb_outfit_make(&input, &planned->outfit, err) : st;
}

static enum fb_status plan_group(struct fb_inputs *in, const struct fb_options *options,
                                 const struct fb_job *job, int64_t group,
                                 struct fb_planned_list *all, struct fb_error *err)
{
    struct fb_planned *at = fb_arena_more(in->arena, all->at, all->len, &all->size, sizeof *at);
    enum fb_status st;

    if (at == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    all->at = at;
    at += all->len;
    st = fb_plan_make(&in->cluster, job, group, &at->plan, err);
    if (st == FB_OK)
        st = equip(in, options, at, err);
    if (st == FB_OK)
        all->len++;
    return st;
}

enum fb_status fb_outfits_make(struct fb_inputs *in, const struct fb_options *options,
                               struct fb_planned_list *ret, struct fb_error *err)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < in->jobs.len; i++) {
        const struct fb_job *job = &in->jobs.at[i];

        for (int64_t group = 0; st == FB_OK && group < job->groups; group++)
            st = plan_group(in, options, job, group, ret, err);
    }
    return st;
}
