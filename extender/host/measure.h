/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_MEASURE_H
#define FB_HOST_MEASURE_H

#include "inventory.h"
#include "metrics.h"

/** Gauges of what the inventory tells. Each call drops the series of before and sets those of now;
 * who reads the metrics in between sees a part, so both are for one thread at a time. */

/**
 * fabricbind_nics, _gangs, _degraded_nodes and _ratio_mismatch_nodes of @cluster.
 *
 * A gang that runs on one fabric is "running", one on two or more is "spanning" and not counted as
 * running; those that only wait are not counted. Out of memory, gangs are left out.
 */
void fb_measure_cluster(struct fb_metrics *metrics, const struct fb_cluster *cluster);

/** The same of its cluster, and fabricbind_inventory_objects and _build_info. */
void fb_measure_inventory(struct fb_metrics *metrics, const struct fb_inventory *inventory);

/** fabricbind_inventory_age_seconds; absent without a snapshot. @now_ms: fb_inventory_clock_ms() */
void fb_measure_age(struct fb_metrics *metrics, const struct fb_inventory *inventory,
                    int64_t now_ms);

#endif
