/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric_build.h"

#include <stdlib.h>
#include <string.h>

/*
 * The ratio under `auto`. A pool of which most healthy nodes show the same lower count (one card
 * kept for plain Ethernet) is believed; a single sick node never is.
 */

/* What one healthy node says. */
struct ballot {
    const char *pool;
    int64_t nics;
};

/* What a pool says: the count that most show, ties to the larger. */
struct vote {
    const char *pool;
    int64_t nics;
    size_t votes, voters;
};

/* Ready, all GPUs, some NICs; cordoned counts. */
static bool healthy(const struct fb_site *site, int64_t gpus)
{
    return site->node->ready && site->reading.gpus > 0 && site->reading.gpus == gpus &&
           site->reading.nics > 0;
}

static int by_pool(const void *a, const void *b)
{
    const struct ballot *left = a;
    const struct ballot *right = b;
    int order = strcmp(left->pool, right->pool);

    return order != 0 ? order : (left->nics > right->nics) - (left->nics < right->nics);
}

static size_t collect(const struct fb_cluster *cluster, struct ballot *at)
{
    size_t len = 0;

    for (size_t i = 0; i < cluster->sites_len; i++) {
        const struct fb_site *site = &cluster->sites[i];
        const struct fb_fabric *fabric;

        if (site->fabric == FB_NONE)
            continue;
        fabric = &cluster->fabrics[site->fabric];
        if (healthy(site, fabric->gpus))
            at[len++] = (struct ballot){fabric->pool, site->reading.nics};
    }
    if (len > 1)
        qsort(at, len, sizeof *at, by_pool);
    return len;
}

/* Sorted ballots become one vote a pool; returns how many pools. */
static size_t tally(const struct ballot *at, size_t len, struct vote *ret)
{
    size_t pools = 0;

    for (size_t i = 0; i < len;) {
        size_t end = i + 1;

        while (end < len && at[end].pool == at[i].pool && at[end].nics == at[i].nics)
            end++;
        if (pools == 0 || ret[pools - 1].pool != at[i].pool)
            ret[pools++] = (struct vote){.pool = at[i].pool};
        ret[pools - 1].voters += end - i;
        if (end - i >= ret[pools - 1].votes) {
            ret[pools - 1].votes = end - i;
            ret[pools - 1].nics = at[i].nics;
        }
        i = end;
    }
    return pools;
}

static int pool_order(const void *key, const void *vote)
{
    return strcmp(key, ((const struct vote *)vote)->pool);
}

/* Seats tell nothing of NICs, and the names of EACH are their own count. */
static void settle(struct fb_fabric *fabric, const struct vote *vote)
{
    int64_t shape = fabric->shape != NULL ? fabric->shape->nics : -1;

    if (shape >= 0)
        fabric->auto_ratio = fb_ratio_of(shape, fabric->gpus);
    if (vote == NULL)
        return;
    if (shape < 0) {
        fabric->auto_ratio = fb_ratio_of(vote->nics, fabric->gpus);
        return;
    }
    if (fabric->kind == FB_NIC_EXCLUSIVE && vote->votes >= 2 && vote->votes > vote->voters / 2 &&
        vote->nics < shape && vote->nics >= shape - vote->nics) {
        fabric->pool_nics = vote->nics;
        fabric->auto_ratio = fb_ratio_of(vote->nics, fabric->gpus);
    }
}

enum fb_status fb_fabric_ratios(struct fb_arena *arena, struct fb_cluster *cluster)
{
    struct ballot *ballots = fb_arena_alloc(arena, cluster->sites_len * sizeof *ballots);
    struct vote *votes = fb_arena_alloc(arena, cluster->sites_len * sizeof *votes);
    size_t len;

    if (ballots == NULL || votes == NULL)
        return FB_ENOMEM;
    len = tally(ballots, collect(cluster, ballots), votes);
    for (size_t i = 0; i < cluster->fabrics_len; i++)
        settle(&cluster->fabrics[i],
               len > 0 ? bsearch(cluster->fabrics[i].pool, votes, len, sizeof *votes, pool_order)
                       : NULL);
    return FB_OK;
}
