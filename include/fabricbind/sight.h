/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_SIGHT_H
#define FB_SIGHT_H

#include "fabricbind/node.h"
#include "fabricbind/pod.h"

#include <stddef.h>
#include <stdint.h>

/**
 * A pod and a node as a scheduler shows them in one request. All texts and arrays are borrowed;
 * texts are "" when not told, never NULL.
 */

/** The bits of a task's status that decisions ask for. Source: Volcano, pkg/scheduler/api. */
enum fb_task_status {
    FB_TASK_PENDING = 1,
    FB_TASK_ALLOCATED = 2,
    FB_TASK_PIPELINED = 4, /* gets its place once others are gone */
    FB_TASK_RELEASING = 64,
};

/** The pod that is asked about. */
struct fb_sight_task {
    const char *uid;          /* of the pod; never "" in a request that is answered */
    const char *node;         /* where the scheduler puts it */
    int64_t status;           /* enum fb_task_status; 0 when not told */
    const struct fb_pod *pod; /* NULL: not shown */
};

/** A pod that is on the node already, in the scheduler's books. */
struct fb_sight_pod {
    struct fb_pod pod; /* its own uid, labels, containers, ... */
    int64_t status;
};

struct fb_sight {
    const char *name;
    const struct fb_node *node;                     /* NULL: not shown, or left out as known */
    struct fb_resources idle, releasing, pipelined; /* units of resources.h; below 0 counts as 0 */
    const struct fb_sight_pod *pods;
    size_t pods_len;
};

#endif
