/* SPDX-License-Identifier: Apache-2.0 */
#include "decide_work.h"

#include "fabricbind/own.h"
#include "fabricbind/plan.h"
#include "fabricbind/score.h"
#include "gang_job.h"

#include <stdlib.h>
#include <string.h>

/* A gang that does not hold is tried again in the next session, or after this where none ends. */
#define AGAIN_MS 1000

/* A plan in the making: the cluster as it will be once all that is decided has come true. */
struct work {
    struct fb_ledger *ledger;
    const struct fb_scene *scene;
    const struct fb_view *view; /* whose nodes are the cluster's where the scene has none */
    const struct fb_asked *asked;
    struct fb_arena *arena;
    struct fb_cluster cluster;
    struct fb_gang_job gang;
};

/* Pods of the inventory, those of the ledger in their place where both have one. */
static enum fb_status collect_pods(struct work *work, struct fb_objects *objects)
{
    const struct fb_objects *from = work->scene->objects;
    size_t most = from->pods_len + HASH_COUNT(work->ledger->pods);
    struct fb_pod *pods = fb_arena_alloc(work->arena, most * sizeof *pods);

    if (pods == NULL)
        return FB_ENOMEM;
    objects->pods = pods;
    objects->pods_len = 0;
    for (size_t i = 0; i < from->pods_len; i++) {
        if (fb_ledger_find(work->ledger, from->pods[i].uid) == NULL)
            pods[objects->pods_len++] = from->pods[i];
    }
    for (const struct fb_ledger_pod *pod = work->ledger->pods; pod != NULL; pod = pod->hh.next)
        pods[objects->pods_len++] = pod->pod;
    return FB_OK;
}

/* What the request says is free counts where there is no inventory. A copy: plans take off it. */
static enum fb_status take_free(struct work *work)
{
    enum fb_status st = FB_OK;

    if (work->scene->cluster->sites_len > 0)
        return FB_OK;
    for (size_t i = 0; st == FB_OK && i < work->view->cluster.sites_len; i++) {
        const struct fb_site *from = &work->view->cluster.sites[i];
        size_t to = fb_cluster_find(&work->cluster, from->node->name);

        if (to == FB_NONE)
            continue;
        work->cluster.sites[to].free = (struct fb_resources){0};
        st = fb_resources_add_all(work->arena, &work->cluster.sites[to].free, &from->free);
    }
    return st;
}

static void take_off(struct fb_site *site, const struct fb_resources *need, int64_t pods)
{
    for (size_t i = 0; i < site->free.len; i++) {
        struct fb_resource *entry = &site->free.at[i];

        for (int64_t p = 0; p < pods && entry->amount > 0; p++)
            entry->amount -= fb_resources_get(need, entry->name);
        if (entry->amount < 0)
            entry->amount = 0;
    }
}

/* Room that other gangs' plans count on is not there for this one. */
static void take_reserved(struct work *work, const struct fb_ledger_plan *plan)
{
    for (size_t i = 0; i < plan->quotas_len; i++) {
        const struct fb_quota *quota = &plan->quotas[i];
        size_t site = fb_cluster_find(&work->cluster, quota->node);

        if (site != FB_NONE)
            take_off(&work->cluster.sites[site], &plan->needs[quota->task], (int64_t)quota->left);
    }
}

static void take_avoided(struct work *work)
{
    const struct fb_ledger_gang *gang = work->asked->in;

    for (size_t i = 0; i < gang->avoid_len; i++) {
        size_t site = fb_cluster_find(&work->cluster, gang->avoid[i].node);

        if (site != FB_NONE)
            work->cluster.sites[site].free.len = 0;
    }
}

static enum fb_status build(struct work *work)
{
    const struct fb_cluster *base =
        work->scene->cluster->sites_len > 0 ? work->scene->cluster : &work->view->cluster;
    struct fb_objects objects = *work->scene->objects;
    enum fb_status st = collect_pods(work, &objects);

    if (st == FB_OK)
        st = fb_cluster_with_pods(work->arena, base, &objects, &work->cluster);
    if (st == FB_OK)
        st = take_free(work);
    if (st != FB_OK)
        return st;
    for (const struct fb_ledger_gang *gang = work->ledger->gangs; gang != NULL;
         gang = gang->hh.next) {
        if (gang != work->asked->in && gang->plan != NULL)
            take_reserved(work, gang->plan);
    }
    take_avoided(work);
    return FB_OK;
}

static int by_node(const void *a, const void *b)
{
    const struct fb_quota *left = a;
    const struct fb_quota *right = b;
    int order = strcmp(left->node, right->node);

    return order != 0 ? order : (left->task > right->task) - (left->task < right->task);
}

static const char *keep_text(struct fb_ledger_plan *plan, const char *text)
{
    return fb_arena_text(plan->arena, text, strlen(text));
}

static enum fb_status keep_quotas(const struct work *work, const struct fb_plan *from,
                                  struct fb_ledger_plan *plan)
{
    size_t kept = 0;

    plan->quotas = fb_arena_alloc(plan->arena, from->placements_len * sizeof *plan->quotas);
    if (plan->quotas == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < from->placements_len; i++) {
        const struct fb_place *place = &from->placements[i];

        plan->quotas[i] = (struct fb_quota){.task = place->task, .left = 1};
        plan->quotas[i].node = keep_text(plan, work->cluster.sites[place->site].node->name);
        if (plan->quotas[i].node == NULL)
            return FB_ENOMEM;
    }
    qsort(plan->quotas, from->placements_len, sizeof *plan->quotas, by_node);
    for (size_t i = 0; i < from->placements_len; i++) {
        if (kept > 0 && by_node(&plan->quotas[kept - 1], &plan->quotas[i]) == 0)
            plan->quotas[kept - 1].left++;
        else
            plan->quotas[kept++] = plan->quotas[i];
    }
    plan->quotas_len = kept;
    return FB_OK;
}

static enum fb_status keep_tasks(const struct work *work, const struct fb_plan *from,
                                 struct fb_ledger_plan *plan)
{
    const struct fb_cluster *cluster = &work->cluster;
    const struct fb_rules rules = {cluster->policies, cluster->settings};
    size_t len = work->gang.job.tasks_len;

    plan->job.tasks = fb_arena_alloc(plan->arena, len * sizeof *plan->job.tasks);
    plan->needs = fb_arena_alloc(plan->arena, len * sizeof *plan->needs);
    plan->asked = fb_arena_alloc(plan->arena, len * sizeof *plan->asked);
    if (plan->job.tasks == NULL || plan->needs == NULL || plan->asked == NULL)
        return FB_ENOMEM;
    plan->job.tasks_len = len;
    for (size_t i = 0; i < len; i++) {
        const struct fb_task *task = &work->gang.job.tasks[i];
        struct fb_need need;

        if (fb_need_make(work->arena, &task->pod, from->networking[i],
                         &cluster->fabrics[from->gang_fabric], &rules, &need) != FB_OK)
            return FB_ENOMEM;
        for (size_t r = 0; r < need.all.len; r++) {
            const char *name = keep_text(plan, need.all.at[r].name);

            if (name == NULL || fb_resources_set(plan->arena, &plan->needs[i], name,
                                                 need.all.at[r].amount) != FB_OK)
                return FB_ENOMEM;
        }
        plan->job.tasks[i].name = keep_text(plan, task->name);
        if (plan->job.tasks[i].name == NULL)
            return FB_ENOMEM;
    }
    return FB_OK;
}

static bool has_block(const struct fb_ledger_plan *plan, const struct fb_site *site)
{
    for (size_t i = 0; i < plan->blocks_len; i++) {
        if (plan->blocks[i].reading.tiers.len == site->reading.tiers.len &&
            fb_score_shared_tiers(&plan->blocks[i], site) == site->reading.tiers.len)
            return true;
    }
    return false;
}

static enum fb_status keep_block(struct fb_ledger_plan *plan, const struct fb_site *site)
{
    struct fb_pairs *tiers = &plan->blocks[plan->blocks_len].reading.tiers;

    tiers->at = fb_arena_alloc(plan->arena, site->reading.tiers.len * sizeof *tiers->at);
    if (tiers->at == NULL)
        return FB_ENOMEM;
    for (size_t t = 0; t < site->reading.tiers.len; t++) {
        tiers->at[t].key = keep_text(plan, site->reading.tiers.at[t].key);
        tiers->at[t].value = keep_text(plan, site->reading.tiers.at[t].value);
        if (tiers->at[t].key == NULL || tiers->at[t].value == NULL)
            return FB_ENOMEM;
    }
    tiers->len = site->reading.tiers.len;
    plan->blocks_len++;
    return FB_OK;
}

/* The switch blocks of the whole gang, members that run included. */
static enum fb_status keep_blocks(const struct work *work, const struct fb_plan *from,
                                  struct fb_ledger_plan *plan)
{
    const struct fb_cluster *cluster = &work->cluster;
    enum fb_status st = FB_OK;
    size_t chosen = 0;

    for (size_t i = 0; i < cluster->sites_len; i++)
        chosen += from->chosen[i] ? 1 : 0;
    plan->blocks = fb_arena_alloc(plan->arena, chosen * sizeof *plan->blocks);
    if (plan->blocks == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; st == FB_OK && i < cluster->sites_len; i++) {
        const struct fb_site *site = &cluster->sites[i];

        if (from->chosen[i] && site->fabric == from->gang_fabric && !has_block(plan, site))
            st = keep_block(plan, site);
    }
    return st;
}

static void free_planp(struct fb_ledger_plan **plan)
{
    fb_ledger_plan_free(*plan);
}

static enum fb_status keep(struct work *work, const struct fb_plan *from)
{
    FB_OWNED(free_planp) struct fb_ledger_plan *plan = calloc(1, sizeof *plan);
    enum fb_status st;

    if (plan == NULL)
        return FB_ENOMEM;
    plan->arena = fb_arena_new_small(0);
    if (plan->arena == NULL)
        return FB_ENOMEM;
    plan->fabric = keep_text(plan, work->cluster.fabrics[from->gang_fabric].key);
    st = plan->fabric != NULL ? keep_quotas(work, from, plan) : FB_ENOMEM;
    if (st == FB_OK)
        st = keep_tasks(work, from, plan);
    if (st == FB_OK)
        st = keep_blocks(work, from, plan);
    if (st != FB_OK)
        return st;
    plan->serial = ++work->ledger->serial;
    plan->made_ms = work->scene->now_ms;
    plan->expires_ms = work->scene->now_ms + work->ledger->limits.plan_ms;
    work->asked->in->plan = FB_TAKE(plan);
    return FB_OK;
}

static enum fb_status make(struct work *work)
{
    struct fb_plan plan;
    enum fb_status st = build(work);

    if (st == FB_OK)
        st = fb_gang_job_make(work->arena, work->scene->cluster->settings, &work->asked->gang,
                              work->asked->pod, &work->gang);
    if (st == FB_OK)
        st = fb_plan_make(&work->cluster, &work->gang.job, work->gang.group, &plan, NULL);
    if (st != FB_OK)
        return st;
    return plan.fits && plan.has_gang && plan.gang_fabric != FB_NONE && plan.placements_len > 0
               ? keep(work, &plan)
               : FB_OK;
}

/* A plan that has no room for the pod was made when not all of them could be placed. */
static bool is_due(const struct fb_asked *asked, int64_t now_ms)
{
    const struct fb_ledger_gang *gang = asked->in;

    if (gang->planned && now_ms - gang->planned_ms < AGAIN_MS)
        return false;
    return gang->plan == NULL ||
           fb_ledger_plan_room(gang->plan, fb_ledger_plan_task(gang->plan, asked->pod)) == 0;
}

enum fb_status fb_decide_plan(struct fb_ledger *ledger, const struct fb_scene *scene,
                              const struct fb_view *view, const struct fb_asked *asked)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = NULL;
    struct work work = {
        .ledger = ledger,
        .scene = scene,
        .view = view,
        .asked = asked,
    };

    if (asked->in != NULL && asked->in->plan != NULL)
        asked->in->plan->expires_ms = scene->now_ms + ledger->limits.plan_ms;
    if (asked->in == NULL || !is_due(asked, scene->now_ms) ||
        (scene->cluster->sites_len == 0 && view == NULL))
        return FB_OK;
    fb_ledger_plan_free(asked->in->plan);
    asked->in->plan = NULL;
    asked->in->planned = true;
    asked->in->planned_ms = scene->now_ms;
    arena = fb_arena_new(0);
    work.arena = arena;
    return arena != NULL ? make(&work) : FB_ENOMEM;
}
