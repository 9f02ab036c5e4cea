/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_GANG_JOB_H
#define FB_GANG_JOB_H

#include "fabricbind/gang.h"

#include <stdint.h>

/** The gang of one pod as a job that can be planned. */
struct fb_gang_job {
    struct fb_job job;
    int64_t group; /* to plan: of a LeaderWorkerSet the pod's, else 0 */
};

/**
 * The tasks with GPUs of the gang's owner, @pod in place of the template of its own task: webhooks
 * change pods, not owners. Of an owner that nobody told: as many pods as the gang counts, all like
 * this one.
 *
 * @pod  NULL: all are as the owner says, which is told
 * @ret  in @arena, texts borrowed from @gang and @pod
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_gang_job_make(struct fb_arena *arena, const struct fb_settings *settings,
                                const struct fb_gang *gang, const struct fb_pod *pod,
                                struct fb_gang_job *ret) FB_CHECK;

#endif
