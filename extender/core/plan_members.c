/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/gang.h"
#include "plan_work.h"

#include <stdlib.h>

/* LeaderWorkerSet numbers its groups on the pods. */
static bool in_group(const struct fb_plan_work *work, const struct fb_pod *pod)
{
    const char *index = fb_pairs_find(&pod->labels, "leaderworkerset.sigs.k8s.io/group-index");

    return work->job->groups <= 1 || (index != NULL && strtoll(index, NULL, 10) == work->group);
}

/* By its labels; a pod that says nothing is of a task that asks for as many GPUs, else of any. */
static size_t task_of(const struct fb_plan_work *work, const struct fb_pod *pod)
{
    const struct fb_settings *settings = work->cluster->settings;
    const struct fb_job *job = work->job;
    size_t told = fb_job_told_task(job, pod);
    int64_t gpus = fb_need_gpus(pod, settings, NULL);
    size_t any = FB_NONE;

    if (told != FB_NONE)
        return told;
    for (size_t i = 0; i < job->tasks_len; i++) {
        if (work->tasks[i].left < 1)
            continue;
        if (fb_need_gpus(&job->tasks[i].pod, settings, NULL) == gpus)
            return i;
        if (any == FB_NONE)
            any = i;
    }
    return any;
}

/* More pods than the job has are not its members. */
static void add_member(struct fb_plan_work *work, const struct fb_resident *resident)
{
    size_t task = task_of(work, resident->pod);

    if (task == FB_NONE || work->tasks[task].left < 1)
        return;
    work->tasks[task].left--;
    work->members[work->members_len] = resident;
    work->member_tasks[work->members_len++] = task;
    work->plan->chosen[resident->site] = true;
}

/* The fabric of most networked members is the gang's; those on another one are lost to it. */
static enum fb_status find_fabric(struct fb_plan_work *work)
{
    const struct fb_cluster *cluster = work->cluster;
    size_t *counts = fb_arena_alloc(cluster->arena, cluster->fabrics_len * sizeof *counts);
    size_t used[2];
    size_t used_len = 0;

    if (counts == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < work->members_len; i++) {
        size_t fabric = cluster->sites[work->members[i]->site].fabric;

        if (fabric != FB_NONE && work->tasks[work->member_tasks[i]].networking != FB_NETWORKING_NO)
            counts[fabric]++;
    }
    for (size_t f = 0; f < cluster->fabrics_len; f++) {
        if (counts[f] == 0)
            continue;
        if (used_len < 2)
            used[used_len++] = f;
        if (work->members_fabric == FB_NONE || counts[f] > counts[work->members_fabric])
            work->members_fabric = f;
    }
    work->spans = used_len > 1;
    if (!work->spans)
        return FB_OK;
    return fb_plan_warn(work, "the gang already spans two fabrics: %s and %s",
                        cluster->fabrics[used[0]].name, cluster->fabrics[used[1]].name);
}

enum fb_status fb_plan_find_members(struct fb_plan_work *work)
{
    const struct fb_cluster *cluster = work->cluster;
    size_t most = cluster->residents_len;

    work->members = fb_arena_alloc(cluster->arena, most * sizeof(void *));
    work->member_tasks = fb_arena_alloc(cluster->arena, most * sizeof *work->member_tasks);
    if (work->members == NULL || work->member_tasks == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < most; i++) {
        const struct fb_resident *resident = &cluster->residents[i];

        if (resident->site != FB_NONE && !resident->pod->terminating &&
            fb_gang_owns(work->job, resident->pod) && in_group(work, resident->pod))
            add_member(work, resident);
    }
    return find_fabric(work);
}
