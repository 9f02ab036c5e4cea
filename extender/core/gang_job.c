/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_job.h"

#include <stdlib.h>

static enum fb_status take_tasks(struct fb_arena *arena, const struct fb_settings *settings,
                                 const struct fb_job *from, const struct fb_pod *pod,
                                 struct fb_job *job)
{
    size_t told = pod != NULL ? fb_job_told_task(from, pod) : SIZE_MAX;
    int64_t outside = 0;

    *job = *from;
    job->tasks_len = 0;
    job->tasks = fb_arena_alloc(arena, from->tasks_len * sizeof *job->tasks);
    if (job->tasks == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < from->tasks_len; i++) {
        struct fb_task *task = &job->tasks[job->tasks_len];

        *task = from->tasks[i];
        if (pod != NULL && (i == told || from->tasks_len == 1))
            task->pod = *pod;
        if (fb_need_gpus(&task->pod, settings, NULL) > 0)
            job->tasks_len++;
        else
            outside = fb_amount_add(outside, task->pods);
    }
    if (job->min >= 0)
        job->min = job->min > outside ? job->min - outside : 1;
    return FB_OK;
}

static enum fb_status make_up(struct fb_arena *arena, const struct fb_gang *gang,
                              const struct fb_pod *pod, struct fb_job *job)
{
    const struct fb_owner *owner = fb_pod_owner(pod);
    struct fb_task *task = fb_arena_alloc(arena, sizeof *task);

    if (task == NULL)
        return FB_ENOMEM;
    *task = (struct fb_task){
        .name = "main",
        .pod_name = "{job}-{index}",
        .pods = gang->size,
        .inner = 1,
        .min = -1,
        .pod = *pod,
    };
    *job = (struct fb_job){
        .kind = owner != NULL ? owner->kind : "",
        .group = owner != NULL ? owner->group : "",
        .space = gang->space,
        .name = owner != NULL ? owner->name : "",
        .uid = owner != NULL ? owner->uid : "",
        .indexed = true,
        .min = -1,
        .groups = 1,
        .tasks = task,
        .tasks_len = 1,
    };
    return FB_OK;
}

static int64_t group_of(const struct fb_job *job, const struct fb_pod *pod)
{
    const char *index = NULL;

    if (job->groups > 1 && pod != NULL)
        index = fb_pairs_find(&pod->labels, "leaderworkerset.sigs.k8s.io/group-index");
    return index != NULL ? strtoll(index, NULL, 10) : 0;
}

enum fb_status fb_gang_job_make(struct fb_arena *arena, const struct fb_settings *settings,
                                const struct fb_gang *gang, const struct fb_pod *pod,
                                struct fb_gang_job *ret)
{
    enum fb_status st = gang->job != NULL ? take_tasks(arena, settings, gang->job, pod, &ret->job)
                                          : make_up(arena, gang, pod, &ret->job);

    if (st == FB_OK)
        ret->group = group_of(&ret->job, pod);
    return st;
}
