/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/score.h"
#include "plan_work.h"

#include <stdlib.h>
#include <string.h>

/* Sites as one task sees them, kept up to date while its pods are placed. */
struct choice {
    double *scores;      /* below 0: the pod does not fit */
    size_t *blocks;      /* the site's finest switch block, by number */
    int64_t *block_free; /* GPUs free in each block */
};

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

static int64_t gpus_free(const struct fb_site *site)
{
    return site->reading.gpu != NULL ? fb_resources_get(&site->free, site->reading.gpu) : 0;
}

static enum fb_status find_blocks(struct fb_cluster *cluster, struct choice *choice)
{
    size_t len = cluster->sites_len;
    struct entry *order = fb_arena_alloc(cluster->arena, len * sizeof *order);
    size_t block = 0;

    choice->blocks = fb_arena_alloc(cluster->arena, len * sizeof *choice->blocks);
    choice->block_free = fb_arena_alloc(cluster->arena, len * sizeof *choice->block_free);
    if (order == NULL || choice->blocks == NULL || choice->block_free == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < len; i++)
        order[i] = (struct entry){&cluster->sites[i], i};
    if (len > 1)
        qsort(order, len, sizeof *order, by_block);
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && fb_score_by_switches(order[i - 1].site, order[i].site) != 0)
            block++;
        choice->blocks[order[i].index] = block;
        choice->block_free[block] =
            fb_amount_add(choice->block_free[block], gpus_free(order[i].site));
    }
    return FB_OK;
}

static void score_site(const struct fb_plan_work *work, size_t task, size_t site,
                       struct choice *choice)
{
    bool fits = fb_plan_ask(work, task, site).kind == FB_FITS;

    choice->scores[site] =
        fits ? fb_score(work->cluster, site, fb_plan_need(work, task, site), 1.0) : -1.0;
}

/* Among equals the block with least free, so that whole blocks stay whole; in it the node with
 * least free, and the one with fewest GPUs at all. */
static bool is_better(const struct fb_cluster *cluster, const struct choice *choice, size_t site,
                      size_t than)
{
    const struct fb_site *left = &cluster->sites[site];
    const struct fb_site *right = &cluster->sites[than];
    int64_t keys[][2] = {
        {choice->block_free[choice->blocks[site]], choice->block_free[choice->blocks[than]]},
        {gpus_free(left), gpus_free(right)},
        {left->reading.gpus_full, right->reading.gpus_full},
    };

    if (choice->scores[site] > choice->scores[than] || choice->scores[site] < choice->scores[than])
        return choice->scores[site] > choice->scores[than];
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1];
    }
    return false; /* the name in front */
}

static size_t best_site(const struct fb_cluster *cluster, const struct choice *choice)
{
    size_t best = FB_NONE;

    for (size_t i = 0; i < cluster->sites_len; i++) {
        if (choice->scores[i] >= 0.0 && (best == FB_NONE || is_better(cluster, choice, i, best)))
            best = i;
    }
    return best;
}

/* Pods that one resource alone lets in, on nodes that the scheduler's filters admit. */
static int64_t takes_by(const struct fb_plan_work *work, size_t task,
                        const struct fb_resource *entry)
{
    const struct fb_cluster *cluster = work->cluster;
    int64_t takes = 0;

    for (size_t i = 0; i < cluster->sites_len; i++) {
        if (fb_plan_may_run(&work->plan->verdicts[i * work->job->tasks_len + task]))
            takes = fb_amount_add(takes, fb_resources_get(&cluster->sites[i].free, entry->name) /
                                             entry->amount);
    }
    return takes;
}

/* The resource that alone would let the fewest pods in; GPUs are asked first. */
static void note_short(struct fb_plan_work *work, size_t task, int64_t placed)
{
    struct fb_plan *plan = work->plan;
    const struct fb_need *need = &work->tasks[task].needs[work->cluster->fabrics_len];
    int64_t fewest = INT64_MAX;

    for (size_t r = 0; r < need->all.len; r++) {
        const struct fb_resource *entry = &need->all.at[r];
        int64_t takes = entry->amount > 0 ? takes_by(work, task, entry) : INT64_MAX;

        if (takes < fewest || (takes == fewest && fb_text_equal(entry->name, need->gpu))) {
            fewest = takes;
            plan->short_resource = entry->name;
        }
    }
    plan->is_short = true;
    plan->short_pods = fb_amount_add(plan->short_pods, work->tasks[task].left);
    plan->short_takes = fb_amount_add(plan->short_takes, placed);
}

static enum fb_status place_task(struct fb_plan_work *work, size_t task, struct choice *choice)
{
    struct fb_cluster *cluster = work->cluster;
    int64_t wanted = work->tasks[task].left;
    enum fb_status st = FB_OK;

    for (size_t i = 0; i < cluster->sites_len; i++)
        score_site(work, task, i, choice);
    while (st == FB_OK && work->tasks[task].left > 0) {
        size_t site = best_site(cluster, choice);

        if (site == FB_NONE) {
            note_short(work, task, wanted - work->tasks[task].left);
            return FB_OK;
        }
        choice->block_free[choice->blocks[site]] -= gpus_free(&cluster->sites[site]);
        st = fb_plan_place(work, task, site);
        choice->block_free[choice->blocks[site]] += gpus_free(&cluster->sites[site]);
        score_site(work, task, site, choice);
    }
    return st;
}

enum fb_status fb_plan_rest(struct fb_plan_work *work)
{
    struct fb_cluster *cluster = work->cluster;
    struct choice choice = {0};
    enum fb_status st = find_blocks(cluster, &choice);

    choice.scores = fb_arena_alloc(cluster->arena, cluster->sites_len * sizeof *choice.scores);
    if (choice.scores == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; st == FB_OK && i < work->job->tasks_len; i++) {
        if (work->tasks[i].networking == FB_NETWORKING_NO && work->tasks[i].left > 0)
            st = place_task(work, i, &choice);
    }
    return st;
}
