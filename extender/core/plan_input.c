/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_input.h"

#include <string.h>

static struct fb_arena *arena_of(const struct fb_plan_input *gang)
{
    return gang->work->cluster->arena;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Pods of other tasks, which minAvailable counts too. */
static int64_t outside(const struct fb_plan_input *gang)
{
    int64_t pods = 0;

    for (size_t i = 0; i < gang->work->job->tasks_len; i++) {
        if (gang->work->tasks[i].networking == FB_NETWORKING_NO)
            pods = fb_amount_add(pods, gang->work->job->tasks[i].pods);
    }
    return pods;
}

static size_t running(const struct fb_plan_input *gang)
{
    size_t pods = 0;

    for (size_t i = 0; i < gang->work->members_len; i++) {
        if (gang->work->tasks[gang->work->member_tasks[i]].networking != FB_NETWORKING_NO)
            pods++;
    }
    return pods;
}

/* How many more pods of the gang must start for the job to start. */
static size_t must_start(const struct fb_plan_input *gang, int64_t left)
{
    const struct fb_plan *plan = gang->work->plan;
    int64_t min = gang->work->job->min;
    int64_t must = min < 0 ? plan->gang_pods : least(min - outside(gang), plan->gang_pods);

    if (must < 1)
        must = 1;
    must -= (int64_t)running(gang);
    return must > 0 ? (size_t)least(must, left) : 0;
}

static enum fb_status take_shapes(struct fb_plan_input *gang)
{
    struct fb_plan_work *work = gang->work;
    size_t tasks = work->job->tasks_len;
    int64_t left = 0;

    gang->shapes = fb_arena_alloc(arena_of(gang), tasks * sizeof *gang->shapes);
    gang->tasks = fb_arena_alloc(arena_of(gang), tasks * sizeof *gang->tasks);
    if (gang->shapes == NULL || gang->tasks == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < tasks; i++) {
        const struct fb_task *task = &work->job->tasks[i];
        int64_t have = task->pods - work->tasks[i].left;
        int64_t min = task->min - have;

        if (work->tasks[i].networking == FB_NETWORKING_NO)
            continue;
        gang->tasks[gang->in.shapes_len] = i;
        gang->shapes[gang->in.shapes_len++] = (struct fb_pack_shape){
            .name = task->name,
            .count = (size_t)work->tasks[i].left,
            .min = min > 0 ? (size_t)least(min, work->tasks[i].left) : 0,
        };
        left = fb_amount_add(left, work->tasks[i].left);
    }
    gang->in.shapes = gang->shapes;
    gang->in.min = must_start(gang, left);
    return FB_OK;
}

static enum fb_status add_dim(struct fb_plan_input *gang, const char *name)
{
    return fb_resources_set(arena_of(gang), &gang->dims, name, 0);
}

static enum fb_status add_gpu(struct fb_plan_input *gang, const struct fb_need *need)
{
    return add_dim(gang, need->gpu);
}

static enum fb_status add_nics(struct fb_plan_input *gang, const struct fb_need *need)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < need->nics.len; i++)
        st = add_dim(gang, need->nics.at[i].name);
    return st;
}

static enum fb_status add_others(struct fb_plan_input *gang, const struct fb_need *need)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < need->all.len; i++)
        st = add_dim(gang, need->all.at[i].name);
    return st;
}

/* Every resource that some task asks for somewhere: all GPUs, then all NICs, then the others. */
static enum fb_status take_dims(struct fb_plan_input *gang)
{
    static enum fb_status (*const adders[])(struct fb_plan_input *, const struct fb_need *) = {
        add_gpu,
        add_nics,
        add_others,
    };
    size_t shapes = gang->in.shapes_len;
    enum fb_status st = FB_OK;

    for (size_t a = 0; a < sizeof adders / sizeof adders[0]; a++) {
        for (size_t i = 0; st == FB_OK && i < shapes * gang->work->cluster->fabrics_len; i++)
            st = adders[a](gang, &gang->work->tasks[gang->tasks[i % shapes]].needs[i / shapes]);
    }
    gang->in.dims_len = gang->dims.len;
    return st;
}

static enum fb_status take_fabrics(struct fb_plan_input *gang)
{
    const struct fb_cluster *cluster = gang->work->cluster;
    size_t dims = gang->in.dims_len;
    size_t shapes = gang->in.shapes_len;

    gang->fabrics = fb_arena_alloc(arena_of(gang), cluster->fabrics_len * sizeof *gang->fabrics);
    if (gang->fabrics == NULL)
        return FB_ENOMEM;
    for (size_t f = 0; f < cluster->fabrics_len; f++) {
        int64_t *need = fb_arena_alloc(arena_of(gang), dims * shapes * sizeof *need);

        if (need == NULL)
            return FB_ENOMEM;
        for (size_t i = 0; i < dims * shapes; i++) {
            const struct fb_need *of = &gang->work->tasks[gang->tasks[i / dims]].needs[f];

            need[i] = fb_resources_get(&of->all, gang->dims.at[i % dims].name);
        }
        gang->fabrics[f] = (struct fb_pack_fabric){
            .name = cluster->fabrics[f].key, .need = need, .alone = cluster->fabrics[f].unknown};
    }
    gang->in.fabrics = gang->fabrics;
    gang->in.fabrics_len = cluster->fabrics_len;
    return FB_OK;
}

/* A tier that is not told between two that are. */
static const char gap[] = "";

/* The node's switches by the policy's tiers, the same text at the same address everywhere. */
static const char **path_of(struct fb_plan_input *gang, const struct fb_site *site)
{
    const struct fb_pairs *tiers = &site->reading.tiers;
    const char **path = fb_arena_alloc(arena_of(gang), (gang->in.tiers_len + 1) * sizeof *path);
    size_t known = 0;

    /* Tiers of the reading are some of the policy's, in its order. */
    for (size_t t = 0; path != NULL && t < gang->in.tiers_len && known < tiers->len; t++) {
        const struct fb_pair *tier = &tiers->at[known];

        path[t] = gap;
        if (!fb_texts_has(&site->reading.policy->tiers[t].labels, tier->key))
            continue;
        path[t] = fb_arena_text(arena_of(gang), tier->value, strlen(tier->value));
        if (path[t] == NULL)
            return NULL;
        known++;
    }
    return path;
}

static enum fb_status take_node(struct fb_plan_input *gang, size_t site)
{
    struct fb_plan_work *work = gang->work;
    const struct fb_site *from = &work->cluster->sites[site];
    struct fb_pack_node *node = &gang->nodes[gang->in.nodes_len];
    size_t shapes = gang->in.shapes_len;
    int64_t *left = fb_arena_alloc(arena_of(gang), gang->in.dims_len * sizeof *left);
    bool *admits = fb_arena_alloc(arena_of(gang), shapes * sizeof *admits);
    size_t *placed = fb_arena_alloc(arena_of(gang), shapes * sizeof *placed);
    const char **path = path_of(gang, from);

    if (left == NULL || admits == NULL || placed == NULL || path == NULL)
        return FB_ENOMEM;
    for (size_t d = 0; d < gang->in.dims_len; d++)
        left[d] = fb_resources_get(&from->free, gang->dims.at[d].name);
    for (size_t i = 0; i < shapes; i++) {
        admits[i] =
            fb_plan_may_run(&work->plan->verdicts[site * work->job->tasks_len + gang->tasks[i]]);
        for (size_t m = 0; m < work->members_len; m++)
            placed[i] += work->members[m]->site == site && work->member_tasks[m] == gang->tasks[i];
    }
    *node = (struct fb_pack_node){
        .name = from->node->name,
        .fabric = from->fabric,
        .path = path,
        .free = left,
        .admits = admits,
        .placed = placed,
    };
    gang->sites[gang->in.nodes_len++] = site;
    return FB_OK;
}

static enum fb_status take_nodes(struct fb_plan_input *gang)
{
    const struct fb_cluster *cluster = gang->work->cluster;
    enum fb_status st = FB_OK;

    for (size_t f = 0; f < cluster->fabrics_len; f++) {
        const struct fb_policy *policy = cluster->fabrics[f].policy;

        if (policy != NULL && policy->tiers_len > gang->in.tiers_len)
            gang->in.tiers_len = policy->tiers_len;
    }
    gang->nodes = fb_arena_alloc(arena_of(gang), cluster->sites_len * sizeof *gang->nodes);
    gang->sites = fb_arena_alloc(arena_of(gang), cluster->sites_len * sizeof *gang->sites);
    if (gang->nodes == NULL || gang->sites == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; st == FB_OK && i < cluster->sites_len; i++) {
        if (cluster->sites[i].fabric != FB_NONE)
            st = take_node(gang, i);
    }
    gang->in.nodes = gang->nodes;
    return st;
}

enum fb_status fb_plan_input_make(struct fb_plan_work *work, struct fb_plan_input *ret)
{
    enum fb_status st;

    *ret = (struct fb_plan_input){.work = work};
    st = take_shapes(ret);
    if (st == FB_OK)
        st = take_dims(ret);
    if (st == FB_OK)
        st = take_fabrics(ret);
    return st == FB_OK ? take_nodes(ret) : st;
}
