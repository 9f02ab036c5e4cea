/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_FABRIC_BUILD_H
#define FB_FABRIC_BUILD_H

#include "fabricbind/cluster.h"

/**
 * Group the sites of @cluster into fabrics by their readings: sets each site's fabric and the
 * cluster's fabrics with what a healthy node of each has. Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_fabric_build(struct fb_arena *arena, struct fb_cluster *cluster) FB_CHECK;

/** Set the ratios under `auto` of all fabrics, from their shapes and what their pools show. */
enum fb_status fb_fabric_ratios(struct fb_arena *arena, struct fb_cluster *cluster) FB_CHECK;

#endif
