/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/score.h"

#include <stdlib.h>
#include <string.h>

static double fraction(int64_t part, int64_t whole)
{
    if (whole < 1 || part < 1)
        return 0.0;
    return part < whole ? (double)part / (double)whole : 1.0;
}

static int64_t nics_free(const struct fb_site *site)
{
    int64_t left = 0;

    for (size_t i = 0; i < site->reading.units.len; i++)
        left = fb_amount_add(left, fb_resources_get(&site->free, site->reading.units.at[i].name));
    return left;
}

static int64_t nics_total(const struct fb_site *site)
{
    int64_t total = 0;

    for (size_t i = 0; i < site->reading.units.len; i++)
        total = fb_amount_add(total,
                              fb_resources_get(&site->allocatable, site->reading.units.at[i].name));
    return total;
}

static int64_t nics_wanted(const struct fb_need *need)
{
    int64_t wanted = 0;

    for (size_t i = 0; i < need->nics.len; i++)
        wanted = fb_amount_add(wanted, need->nics.at[i].amount);
    return wanted;
}

double fb_score_packing(const struct fb_cluster *cluster, size_t site, const struct fb_need *need)
{
    const struct fb_site *at = &cluster->sites[site];
    double g;
    double n;

    if (need->gpus >= at->reading.gpus)
        return 1.0;
    g = fraction(fb_resources_get(&at->free, need->gpu) - need->gpus, at->reading.gpus);
    if (!at->reading.has_nics || at->reading.kind != FB_NIC_EXCLUSIVE)
        return 1.0 - g / 2.0;
    n = fraction(nics_free(at) - nics_wanted(need), nics_total(at));
    return 1.0 - (g + (g > n ? g - n : n - g)) / 2.0;
}

double fb_score_health(const struct fb_site *site)
{
    int64_t shape = fb_reading_shape_nics(&site->reading);

    if (shape < 1)
        return 1.0;
    return fraction(site->reading.nics, shape);
}

static int descending(const void *a, const void *b)
{
    size_t left = *(const size_t *)a;
    size_t right = *(const size_t *)b;

    return (left < right) - (left > right);
}

/* Distinct values in front, largest first. */
static size_t distinct(size_t *at, size_t len)
{
    size_t kept = 0;

    if (len > 1)
        qsort(at, len, sizeof *at, descending);
    for (size_t i = 0; i < len; i++) {
        if (kept == 0 || at[kept - 1] != at[i])
            at[kept++] = at[i];
    }
    return kept;
}

/* It is among them. */
static size_t rank_of(const size_t *ranks, size_t shared)
{
    size_t rank = 0;

    while (ranks[rank] != shared)
        rank++;
    return rank;
}

void fb_score_locality(const size_t *shared, const bool *quota, size_t len, size_t *scratch,
                       double *ret)
{
    size_t others = 0;
    size_t ranks;
    size_t levels;

    for (size_t i = 0; i < len; i++) {
        if (!quota[i])
            scratch[others++] = shared[i];
    }
    ranks = distinct(scratch, others);
    levels = ranks + (others < len ? 1 : 0);
    for (size_t i = 0; i < len; i++) {
        size_t rank = levels - ranks;

        ret[i] = 1.0;
        if (quota[i] || levels < 2)
            continue;
        rank += rank_of(scratch, shared[i]);
        ret[i] = 1.0 - (double)rank / (double)(levels - 1);
    }
}

size_t fb_score_shared_tiers(const struct fb_site *a, const struct fb_site *b)
{
    const struct fb_pairs *left = &a->reading.tiers;
    const struct fb_pairs *right = &b->reading.tiers;
    size_t same = 0;

    while (same < left->len && same < right->len &&
           fb_text_equal(left->at[same].key, right->at[same].key) &&
           fb_text_equal(left->at[same].value, right->at[same].value))
        same++;
    return same;
}

int fb_score_by_switches(const struct fb_site *a, const struct fb_site *b)
{
    const struct fb_pairs *left = &a->reading.tiers;
    const struct fb_pairs *right = &b->reading.tiers;
    int order = (a->fabric > b->fabric) - (a->fabric < b->fabric);

    for (size_t t = 0; order == 0 && t < left->len && t < right->len; t++)
        order = strcmp(left->at[t].value, right->at[t].value);
    return order != 0 ? order : (left->len > right->len) - (left->len < right->len);
}

double fb_score(const struct fb_cluster *cluster, size_t site, const struct fb_need *need,
                double locality)
{
    const struct fb_site *at = &cluster->sites[site];
    const struct fb_settings *settings = cluster->settings;

    /* Pods without GPUs stay away from NICs that others will want. */
    if (need->gpus < 1)
        return settings->scoring.weight * (1.0 - fraction(nics_free(at), nics_total(at)));
    return settings->scoring.weight *
           (settings->scoring.locality * locality + settings->scoring.packing *
                                                        fb_score_packing(cluster, site, need) *
                                                        fb_score_health(at));
}
