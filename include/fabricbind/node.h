/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_NODE_H
#define FB_NODE_H

#include "fabricbind/error.h"
#include "fabricbind/resources.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>

/** A taint of a node. Source: k8s.io/api/core/v1, Taint. */
struct fb_taint {
    const char *key, *value, *effect; /* never NULL; value may be "" */
};

/** A node as the API server tells it, cut to what decisions read. All texts borrowed. */
struct fb_node {
    const char *name;
    const char *uid;           /* "" when not told */
    const char *provider_id;   /* "" when not told */
    const char *instance_type; /* label node.kubernetes.io/instance-type, else the beta one; "" */
    struct fb_pairs labels;
    struct fb_taint *taints;
    size_t taints_len, taints_size;
    struct fb_resources capacity, allocatable;
    bool unschedulable; /* cordoned */
    bool ready;         /* condition Ready is True */
};

/** A copy of @node with all that it points at, in @arena. FB_ENOMEM; @ret is written on success. */
enum fb_status fb_node_copy(struct fb_arena *arena, const struct fb_node *node,
                            struct fb_node *ret) FB_CHECK;

#endif
