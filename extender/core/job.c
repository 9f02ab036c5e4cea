/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/job.h"

#include <stdio.h>
#include <string.h>

/* What a pattern's places stand for; numbers as text. */
struct places {
    const char *job, *task;
    char index[24]; /* of the pod in its task */
    char next[24];  /* the same counted from 1 */
    char outer[24]; /* of the inner job that the pod is in */
    char inner[24]; /* of the pod in that inner job */
    char group[24];
};

static void count(char text[24], int64_t number)
{
    (void)snprintf(text, 24, "%lld", (long long)number);
}

static struct places fill_places(const struct fb_job *job, const struct fb_task *task,
                                 int64_t group, int64_t index)
{
    struct places places = {.job = job->name, .task = task->name};
    int64_t inner = task->inner > 0 ? task->inner : 1;

    count(places.index, index);
    count(places.next, index + 1);
    count(places.outer, index / inner);
    count(places.inner, index % inner);
    count(places.group, group);
    return places;
}

/* The text for the place that @at begins with, and how long the place is; NULL: no place. */
static const char *find_place(const struct places *places, const char *at, size_t *len)
{
    const struct {
        const char *name, *text;
    } rows[] = {
        {"{job}", places->job},     {"{task}", places->task},   {"{index}", places->index},
        {"{next}", places->next},   {"{outer}", places->outer}, {"{inner}", places->inner},
        {"{group}", places->group},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (fb_text_has_prefix(at, rows[i].name)) {
            *len = strlen(rows[i].name);
            return rows[i].text;
        }
    }
    return NULL;
}

/* Write @pattern with its places filled to @to, or only measure it when @to is NULL. */
static size_t expand(const struct places *places, const char *pattern, char *to)
{
    size_t used = 0;
    size_t step = 1;

    for (const char *at = pattern; *at != '\0'; at += step) {
        const char *text = find_place(places, at, &step);
        size_t len = text != NULL ? strlen(text) : 1;

        if (text == NULL) {
            text = at;
            step = 1;
        }
        for (size_t i = 0; i < len && to != NULL; i++)
            to[used + i] = text[i];
        used += len;
    }
    return used;
}

const char *fb_job_pod_name(struct fb_arena *arena, const struct fb_job *job,
                            const struct fb_task *task, int64_t group, int64_t index)
{
    struct places places = fill_places(job, task, group, index);
    size_t len = expand(&places, task->pod_name, NULL);
    char *name = fb_arena_alloc(arena, len + 1);

    if (name == NULL)
        return NULL;
    (void)expand(&places, task->pod_name, name);
    return fb_arena_text(arena, name, len);
}

int64_t fb_job_pods(const struct fb_job *job)
{
    int64_t pods = 0;

    for (size_t i = 0; i < job->tasks_len; i++)
        pods = fb_amount_add(pods, job->tasks[i].pods);
    return pods;
}

static size_t find_task(const struct fb_job *job, const char *name)
{
    for (size_t i = 0; i < job->tasks_len; i++) {
        if (fb_text_equal(job->tasks[i].name, name))
            return i;
    }
    return SIZE_MAX;
}

size_t fb_job_told_task(const struct fb_job *job, const struct fb_pod *pod)
{
    static const char *const labels[] = {
        "volcano.sh/task-spec",
        "jobset.sigs.k8s.io/replicatedjob-name",
        "training.kubeflow.org/replica-type",
        "training.kubeflow.org/job-role",
        "ray.io/group",
        "ray.io/node-type",
    };
    const char *number = fb_pairs_find(&pod->labels, "leaderworkerset.sigs.k8s.io/worker-index");

    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        size_t task = find_task(job, fb_pairs_find(&pod->labels, labels[i]));

        if (task != SIZE_MAX)
            return task;
    }
    if (number == NULL)
        return SIZE_MAX;
    return find_task(job, fb_text_equal(number, "0") ? "leader" : "worker");
}
