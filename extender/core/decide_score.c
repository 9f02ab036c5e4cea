/* SPDX-License-Identifier: Apache-2.0 */
#include "decide_work.h"

#include "fabricbind/score.h"

#include <stdlib.h>

/* How much of L a pod that belongs to no gang gives for whole blocks that stay whole: less than one
 * GPU of a node weighs in P. */
#define WHOLE_BLOCKS 0.01

/* The nodes of a request on their way to scores. */
struct scoring {
    const struct fb_scene *scene;
    const struct fb_view *view;
    const struct fb_asked *asked;
    struct fb_needs needs;
    bool *runs; /* by site: may the pod run there */
    double *locality;
};

/* Where the gang is or is to be: sites of which the tiers count. */
struct spots {
    const struct fb_site **at;
    size_t len;
};

static enum fb_status collect_spots(const struct scoring *scoring, struct spots *spots)
{
    const struct fb_ledger_gang *gang = scoring->asked->in;
    const struct fb_cluster *cluster = scoring->scene->cluster;
    const struct fb_ledger_plan *plan = gang->plan;
    size_t most = plan != NULL ? plan->blocks_len : 0;

    for (const struct fb_ledger_pod *pod = gang->pods; plan == NULL && pod != NULL; pod = pod->next)
        most++;
    spots->at = fb_arena_alloc(scoring->view->arena, most * sizeof(void *));
    if (spots->at == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; plan != NULL && i < plan->blocks_len; i++)
        spots->at[spots->len++] = &plan->blocks[i];
    for (const struct fb_ledger_pod *pod = gang->pods; plan == NULL && pod != NULL;
         pod = pod->next) {
        size_t site = fb_cluster_find(cluster, pod->pod.node);

        if (site != FB_NONE && pod->status != FB_TASK_RELEASING)
            spots->at[spots->len++] = &cluster->sites[site];
    }
    return FB_OK;
}

static size_t shared_tiers(const struct spots *spots, const struct fb_site *site)
{
    size_t most = 0;

    for (size_t i = 0; i < spots->len; i++) {
        size_t shared = fb_score_shared_tiers(spots->at[i], site);

        if (shared > most)
            most = shared;
    }
    return most;
}

static bool has_quota(const struct fb_asked *asked, const struct fb_site *site)
{
    const struct fb_ledger_plan *plan = asked->in->plan;
    const struct fb_quota *quota;

    if (plan == NULL)
        return false;
    quota = fb_ledger_plan_find(plan, site->node->name, fb_ledger_plan_task(plan, asked->pod));
    return quota != NULL && quota->left > 0;
}

/* L of a gang's pod: near the plan, or near those that are placed. */
static enum fb_status locate_gang(struct scoring *scoring)
{
    const struct fb_cluster *cluster = &scoring->view->cluster;
    struct fb_arena *arena = scoring->view->arena;
    size_t *shared = fb_arena_alloc(arena, cluster->sites_len * sizeof *shared);
    size_t *scratch = fb_arena_alloc(arena, cluster->sites_len * sizeof *scratch);
    bool *quota = fb_arena_alloc(arena, cluster->sites_len * sizeof *quota);
    struct spots spots = {0};

    if (shared == NULL || scratch == NULL || quota == NULL ||
        collect_spots(scoring, &spots) != FB_OK)
        return FB_ENOMEM;
    for (size_t i = 0; i < cluster->sites_len; i++) {
        quota[i] = has_quota(scoring->asked, &cluster->sites[i]);
        shared[i] = shared_tiers(&spots, &cluster->sites[i]);
    }
    fb_score_locality(shared, quota, cluster->sites_len, scratch, scoring->locality);
    return FB_OK;
}

/* A site on its way into a block. */
struct entry {
    const struct fb_site *site;
    size_t index;
};

static int by_block(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;
    int order = fb_score_by_switches(left->site, right->site);

    return order != 0 ? order : (left->index > right->index) - (left->index < right->index);
}

static double gpus_free(const struct fb_site *site)
{
    const char *gpu = site->reading.gpu;

    return gpu != NULL ? (double)fb_resources_get(&site->free, gpu) : 0.0;
}

/* L of a pod on its own: 1, a little less the more is free in its block. */
static enum fb_status locate_single(struct scoring *scoring)
{
    const struct fb_cluster *cluster = &scoring->view->cluster;
    size_t len = cluster->sites_len;
    struct entry *order = fb_arena_alloc(scoring->view->arena, len * sizeof *order);
    double most = 1.0;

    if (order == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < len; i++)
        order[i] = (struct entry){&cluster->sites[i], i};
    if (len > 1)
        qsort(order, len, sizeof *order, by_block);
    for (size_t from = 0, to; from < len; from = to) {
        double all = 0.0;

        for (to = from; to < len && fb_score_by_switches(order[from].site, order[to].site) == 0;
             to++)
            all += gpus_free(order[to].site);
        for (size_t i = from; i < to; i++)
            scoring->locality[order[i].index] = all;
        most = all > most ? all : most;
    }
    for (size_t i = 0; i < len; i++)
        scoring->locality[i] = 1.0 - WHOLE_BLOCKS * scoring->locality[i] / most;
    return FB_OK;
}

static enum fb_status ask_all(struct scoring *scoring)
{
    const struct fb_cluster *cluster = &scoring->view->cluster;

    for (size_t i = 0; i < cluster->sites_len; i++) {
        struct fb_verdict verdict;
        enum fb_status st =
            fb_decide_at(scoring->view, i, scoring->asked, &scoring->needs, &verdict);

        if (st != FB_OK)
            return st;
        /* What only the scheduler counts it has counted. */
        scoring->runs[i] = verdict.kind == FB_FITS || verdict.kind == FB_EXCLUDED;
    }
    return FB_OK;
}

static enum fb_status score_all(struct scoring *scoring, double *ret)
{
    const struct fb_cluster *cluster = &scoring->view->cluster;
    size_t len = cluster->sites_len;
    enum fb_status st;

    scoring->runs = fb_arena_alloc(scoring->view->arena, len * sizeof *scoring->runs);
    scoring->locality = fb_arena_alloc(scoring->view->arena, len * sizeof *scoring->locality);
    if (scoring->runs == NULL || scoring->locality == NULL)
        return FB_ENOMEM;
    st = ask_all(scoring);
    if (st == FB_OK)
        st = scoring->asked->in != NULL ? locate_gang(scoring) : locate_single(scoring);
    for (size_t i = 0; st == FB_OK && i < len; i++) {
        const struct fb_need *need = fb_needs_get(&scoring->needs, cluster->sites[i].fabric);

        if (need == NULL)
            return FB_ENOMEM;
        ret[i] = scoring->runs[i] ? fb_score(cluster, i, need, scoring->locality[i]) : 0.0;
    }
    return st;
}

/* Fabrics of nodes that only this request tells, for the events that follow. */
static void note_strangers(struct fb_ledger *ledger, const struct scoring *scoring)
{
    const struct fb_cluster *cluster = &scoring->view->cluster;

    for (size_t i = 0; i < cluster->sites_len && scoring->asked->in != NULL; i++) {
        const struct fb_site *site = &cluster->sites[i];

        if (scoring->runs[i] && site->fabric != FB_NONE &&
            !fb_view_knows(scoring->scene, site->node->name))
            fb_ledger_note(ledger, site->node->name, cluster->fabrics[site->fabric].key);
    }
}

enum fb_status fb_decide_scores(struct fb_ledger *ledger, const struct fb_scene *scene,
                                struct fb_view *view, const struct fb_sight_task *task, double *ret)
{
    struct fb_asked asked;
    struct scoring scoring = {.scene = scene, .view = view, .asked = &asked};
    enum fb_status st = fb_decide_ask(ledger, scene, task, &asked);

    if (st == FB_OK)
        st = fb_needs_init(&scoring.needs, view, &asked);
    if (st == FB_OK)
        st = fb_decide_plan(ledger, scene, view, &asked);
    if (st == FB_OK)
        st = score_all(&scoring, ret);
    if (st == FB_OK)
        note_strangers(ledger, &scoring);
    return st;
}
