/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_GANG_BUILD_H
#define FB_GANG_BUILD_H

#include "fabricbind/cluster.h"

/**
 * Group the residents of @cluster into gangs: sets their gang and networked, and the cluster's
 * gangs. Residents' pods are set before. Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_gang_build(struct fb_arena *arena, const struct fb_objects *objects,
                             struct fb_cluster *cluster) FB_CHECK;

#endif
