/* SPDX-License-Identifier: Apache-2.0 */
#include "latency.h"

#include <math.h>
#include <stddef.h>

#define BUCKETS ((size_t)FB_LATENCY_BUCKETS)

/* Up to 2 * FINE a bucket each; from there on FINE buckets for every power of two. */
static size_t bucket_of(uint64_t ns)
{
    size_t bucket;
    unsigned shift = 0;

    while (ns >> shift >= (uint64_t)2 * FB_LATENCY_FINE)
        shift++;
    bucket = (size_t)shift * FB_LATENCY_FINE + (size_t)(ns >> shift);
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* The largest of a bucket. */
static uint64_t end_of(size_t bucket)
{
    size_t shift = bucket < (size_t)2 * FB_LATENCY_FINE ? 0 : bucket / FB_LATENCY_FINE - 1;
    uint64_t place = bucket - shift * FB_LATENCY_FINE;

    return ((place + 1) << shift) - 1;
}

void fb_latency_add(struct fb_latency *latency, uint64_t ns)
{
    latency->buckets[bucket_of(ns)]++;
    latency->count++;
    if (ns > latency->most_ns)
        latency->most_ns = ns;
}

uint64_t fb_latency_at(const struct fb_latency *latency, double percent)
{
    double share = ceil((double)latency->count * percent / 100.0);
    uint64_t rank = share < 1.0 ? 1 : (uint64_t)share;
    uint64_t seen = 0;

    for (size_t i = 0; i < BUCKETS - 1; i++) {
        seen += latency->buckets[i];
        if (seen >= rank)
            return end_of(i) < latency->most_ns ? end_of(i) : latency->most_ns;
    }
    return latency->most_ns;
}
