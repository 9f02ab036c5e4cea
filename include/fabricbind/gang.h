/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_GANG_H
#define FB_GANG_H

#include "fabricbind/cluster.h"
#include "fabricbind/need.h"

#include <stdbool.h>
#include <stdint.h>

/** Who belongs to a gang and how many it counts. */

/** GPU pods of @job (of one group of it) by its spec, or by Helix's num-nodes annotation. */
int64_t fb_gang_size(const struct fb_job *job, const struct fb_settings *settings);

/** Is @pod one of @job's: same owner kind, namespace and name, and UID where both tell one; also
 * through inner jobs. */
bool fb_gang_owns(const struct fb_job *job, const struct fb_pod *pod);

/**
 * The gang of a pod that may not be in the inventory yet: key NULL where it has none.
 *
 * Returns whether it is networked.
 */
enum fb_networking fb_gang_of(const struct fb_cluster *cluster, const struct fb_pod *pod,
                              struct fb_gang *ret);

/** The gang as the inventory has pods of it, or NULL. */
const struct fb_gang *fb_gang_find(const struct fb_cluster *cluster, const char *space,
                                   const char *key);

/** The fabric that @resident holds its gang to; FB_NONE: none, as it is of no gang, not networked,
 * terminating, or on a node of no fabric. */
size_t fb_gang_fabric(const struct fb_cluster *cluster, const struct fb_resident *resident);

/**
 * The indexes of two fabrics on which networked pods of gang @gang run, the lower first, or false.
 * Terminating pods and nodes of no fabric do not count.
 */
bool fb_gang_spans(const struct fb_cluster *cluster, size_t gang, size_t ret_fabrics[2]);

#endif
