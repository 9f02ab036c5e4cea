/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_CREATION_H
#define FB_CREATION_H

#include "fabricbind/cluster.h"
#include "fabricbind/need.h"

/** For which fabric a pod is made: how many NICs it asks for must be known before its node is. */
struct fb_creation {
    const struct fb_fabric *fabric; /* NULL: nobody can tell */
    struct fb_pairs pins;           /* node labels that hold the pod to it, where others would take
                                       the pod and ask for something else */
    const char *reason;             /* why nobody can tell; NULL: a fabric was found */
};

/**
 * Choose the fabric for @pod: that of all nodes it could go to, where they ask for the same; else
 * @planned, the gang's plan, with pins; without such nodes the instance types that its selector
 * or affinity names, then those expected, then the configured number, then the one that the
 * policy assumes.
 *
 * @planned  index of a fabric, FB_NONE: the gang has no plan
 * @ret      in the cluster's arena; the fabric may be one that is not in the cluster
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_creation_choose(const struct fb_cluster *cluster, const struct fb_pod *pod,
                                  enum fb_networking networking, size_t planned,
                                  struct fb_creation *ret) FB_CHECK;

#endif
