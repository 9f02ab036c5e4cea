/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_JOB_H
#define FB_JOB_H

#include "fabricbind/pod.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * A job as submitted: an object that owns pods, cut to its tasks and their pod templates. A plain
 * Pod is a job of one task. Texts are borrowed and never NULL.
 */

struct fb_task {
    const char *name;
    /* How its controller names pods: {job} {task} {index} {next}
       (from 1) {outer} {inner} {group}; see fb_job_pod_name. */
    const char *pod_name;
    int64_t pods;              /* replicas in all; < 0 never */
    int64_t inner;             /* pods of one inner job (JobSet) or group; 1 where there is none */
    int64_t min;               /* minAvailable of the task; -1: not told */
    struct fb_pod pod;         /* the template; space is the job's */
    const char *template_json; /* the template as JSON, of a manifest; NULL: not kept */
};

struct fb_job {
    const char *kind, *group; /* "Job", "batch.volcano.sh"; a plain pod: "Pod", "" */
    const char *space, *name, *uid;
    bool indexed; /* batch Job with completionMode Indexed */
    bool terminating;
    int64_t min;    /* minAvailable over all pods; -1: all */
    int64_t groups; /* LeaderWorkerSet: replicas, each a gang of its own; else 1. Tasks count the
                       pods of one group */
    struct fb_pairs labels, annotations;
    struct fb_task *tasks;
    size_t tasks_len, tasks_size;
};

/** PodGroup of Volcano. Source: scheduling.volcano.sh/v1beta1. */
struct fb_podgroup {
    const char *space, *name, *uid;
    struct fb_owner owner; /* all "" when it has none */
    int64_t min_member;    /* 0 when not told */
    struct fb_pairs annotations;
};

/** Many of them. */
struct fb_jobs {
    struct fb_job *at;
    size_t len, size;
};

/**
 * The name that the controller gives pod @index of @task in group @group, as far as it is known
 * beforehand (a random suffix is left out).
 *
 * Returns a text of @arena, NULL when out of memory.
 */
const char *fb_job_pod_name(struct fb_arena *arena, const struct fb_job *job,
                            const struct fb_task *task, int64_t group, int64_t index);

/** Index of the task that its controller wrote on @pod (of a LeaderWorkerSet a number tells it);
 * SIZE_MAX when none of @job's is told. */
size_t fb_job_told_task(const struct fb_job *job, const struct fb_pod *pod);

/** Pods of all tasks in one group. */
int64_t fb_job_pods(const struct fb_job *job);

#endif
