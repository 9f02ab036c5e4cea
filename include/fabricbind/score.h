/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_SCORE_H
#define FB_SCORE_H

#include "fabricbind/need.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * How good a node is for a pod that fits there: weight x (locality x L + packing x P x health),
 * each part from 0 to 1. Always finite, from 0 to weight when locality and packing sum to 1.
 */

/**
 * P: 1 for a pod that takes the whole node, else 1 - (g + |g - n|) / 2 with g and n the fractions
 * of GPUs and (exclusive NICs only) NICs that stay free once the pod is there.
 */
double fb_score_packing(const struct fb_cluster *cluster, size_t site, const struct fb_need *need);

/** Advertised NICs by NICs of the shape, at most 1; unknown shape: 1. */
double fb_score_health(const struct fb_site *site);

/**
 * L of @len candidates, written to @ret: 1 where the gang's plan has quota left (@quota), else by
 * the rank of @shared, the tiers that a node shares with the plan's nodes, in even steps down to
 * 0; nothing to tell apart: 1 for all. @scratch: room for @len.
 */
void fb_score_locality(const size_t *shared, const bool *quota, size_t len, size_t *scratch,
                       double *ret);

/** Leading tiers that two nodes share. */
size_t fb_score_shared_tiers(const struct fb_site *a, const struct fb_site *b);

/** Order of sites in which those of one finest switch block are neighbours, and compare as equal;
 * sites that tell no switches share their fabric's own block. */
int fb_score_by_switches(const struct fb_site *a, const struct fb_site *b);

/** The score of a GPU pod with L = @locality, or of a pod without GPUs (locality ignored). */
double fb_score(const struct fb_cluster *cluster, size_t site, const struct fb_need *need,
                double locality);

#endif
