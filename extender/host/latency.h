/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_LATENCY_H
#define FB_HOST_LATENCY_H

#include <stdint.h>

/**
 * How long things took, in memory that does not grow: buckets of which each is at most 1/32 of its
 * place wide.
 */

#define FB_LATENCY_FINE 32 /* buckets a power of two */
#define FB_LATENCY_BUCKETS (37 * FB_LATENCY_FINE)

/** All zero is empty. */
struct fb_latency {
    uint64_t buckets[FB_LATENCY_BUCKETS];
    uint64_t count;
    uint64_t most_ns; /* exact */
};

/** Beyond 2^41 ns, some 36 minutes, only the largest stays exact. */
void fb_latency_add(struct fb_latency *latency, uint64_t ns);

/**
 * What @percent (0 to 100) of all did not take longer than: at most 1/32 above the exact value,
 * never below it and never above the largest. 0 when there are none.
 */
uint64_t fb_latency_at(const struct fb_latency *latency, double percent);

#endif
