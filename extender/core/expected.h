/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_EXPECTED_H
#define FB_EXPECTED_H

#include "fabricbind/cluster.h"

/**
 * The fabric of nodes that are not there yet: of the instance types that @pod names, of those
 * expected, by the configured number, or of the shape that the policy assumes.
 *
 * @ret         NULL with @ret_reason set where nothing of that is known
 */
enum fb_status fb_expected_fabric(const struct fb_cluster *cluster, const struct fb_pod *pod,
                                  const struct fb_fabric **ret, const char **ret_reason) FB_CHECK;

#endif
