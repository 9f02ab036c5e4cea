/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_CREATION_H
#define FB_CREATION_H

#include "fabricbind/cluster.h"
#include "fabricbind/need.h"

#include <stdbool.h>

/** For which fabric a pod is made: how many NICs it asks for must be known before its node is. */
struct fb_creation {
    const struct fb_fabric *fabric; /* NULL: nobody can tell */
    struct fb_pairs pins;           /* node labels that hold the pod to it, where others would take
                                       the pod and ask for something else */
    const char *reason;             /* why nobody can tell; NULL: a fabric was found */
    bool partial; /* it can be told: only whole nodes, and the pod asks for less */
};

/** Could @pod go to @site, busy or not: its labels, taints and GPUs. */
bool fb_creation_admits(const struct fb_cluster *cluster, const struct fb_site *site,
                        const struct fb_pod *pod);

/**
 * Choose the fabric for @pod: that of all nodes it could go to, where they ask for the same; else
 * @planned, the gang's plan, with pins; without such nodes the instance types that its selector
 * or affinity names, then those expected, then the configured number, then the one that the
 * policy assumes.
 *
 * With settings.pin_gangs a pod of a gang that could go to another fabric, too, is always pinned to
 * the one planned, for nothing else holds it there. Pins name instance type and zone only. So where
 * no zone tells the fabrics apart (a boundary inside the zone, two NIC resources of one instance
 * type in a zone) a gang with pin_gangs is not held to one of them.
 *
 * @planned  index of a fabric, FB_NONE: the gang has no plan
 * @gang     the pod is one of a gang that has to keep together
 * @ret      in the cluster's arena; the fabric may be one that is not in the cluster
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_creation_choose(const struct fb_cluster *cluster, const struct fb_pod *pod,
                                  enum fb_networking networking, size_t planned, bool gang,
                                  struct fb_creation *ret) FB_CHECK;

#endif
