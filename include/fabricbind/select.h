/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_SELECT_H
#define FB_SELECT_H

#include "fabricbind/node.h"
#include "fabricbind/pod.h"

#include <stdbool.h>

/** What kube-scheduler's own filters ask of a node. Source: component-helpers, nodeaffinity. */

/** Does the node carry every label of spec.nodeSelector. */
bool fb_select_labels(const struct fb_pod *pod, const struct fb_node *node);

/** Does one term of the required node affinity hold; true where there is none. */
bool fb_select_affinity(const struct fb_pod *pod, const struct fb_node *node);

/** The first NoSchedule or NoExecute taint that the pod does not tolerate, or NULL. */
const struct fb_taint *fb_select_taint(const struct fb_pod *pod, const struct fb_node *node);

/** May the pod run on a cordoned node: it tolerates node.kubernetes.io/unschedulable. */
bool fb_select_cordon(const struct fb_pod *pod);

#endif
