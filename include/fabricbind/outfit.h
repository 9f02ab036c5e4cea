/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_OUTFIT_H
#define FB_OUTFIT_H

#include "fabricbind/outfit_pod.h"
#include "fabricbind/plan.h"

#include <stddef.h>

/** What the pods of a planned job get: at creation, by task, and at bind, by placement. */

struct fb_outfit {
    struct fb_outfit_task *tasks; /* as many as the job has */
    struct fb_profile *profiles;  /* by placement; all NULL where the pod is not networked */
};

struct fb_outfit_input {
    const struct fb_cluster *cluster;
    const struct fb_plan *plan;
    const struct fb_podspec *specs; /* of the job's tasks */
    const char *network;            /* Multus network configured; NULL: the policy's */
    bool require_transport;
    enum fb_pod_security level; /* of the job's namespace */
};

/**
 * Equip @in->plan.
 *
 * @ret  filled on success, in the cluster's arena
 *
 * Returns FB_OK; FB_ENOMEM; FB_ELIMIT when a profile cannot be kept below the API's bound.
 */
enum fb_status fb_outfit_make(const struct fb_outfit_input *in, struct fb_outfit *ret,
                              struct fb_error *err) FB_CHECK;

#endif
