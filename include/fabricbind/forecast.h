/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_FORECAST_H
#define FB_FORECAST_H

#include "fabricbind/injection.h"
#include "fabricbind/job.h"

#include <stdbool.h>

/** What who submits a job should know before its first pod is made; borrowed. */
struct fb_forecast_input {
    const struct fb_cluster *cluster; /* of its arena is taken */
    const struct fb_job *job;
    const struct fb_podspec *specs; /* of the job's tasks */
    const char *network;            /* Multus network configured; NULL: the policy's */
    bool require_transport;
    enum fb_pod_security level; /* of the job's namespace */
};

/**
 * Plan the job's networked tasks on the nodes as if no pod ran there, and make one pod of each.
 *
 * @ret  a line each: that the gang cannot fit on any fabric, busy or not ("64 pods x 4
 *       acme.net/nic: 8 such nodes exist, at most 8 of 64 pods fit on one fabric"), that
 *       pods of a task will be denied, what will be left out of them, and other warnings of plan
 *       and injection. Empty for a job without networked tasks, and no word on fitting where
 *       there are no nodes
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_forecast_make(const struct fb_forecast_input *in, struct fb_texts *ret,
                                struct fb_error *err) FB_CHECK;

#endif
