/* SPDX-License-Identifier: Apache-2.0 */
#include "objects_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job while its tasks are put together. */
struct build {
    struct fb_object_reader *reader;
    struct fb_job *job;
    struct fb_error *err;
};

static int64_t told(int64_t value, int64_t fallback)
{
    return value >= 0 ? value : fallback;
}

static enum fb_status no_memory(const struct build *build)
{
    return fb_error_set(build->err, FB_ENOMEM, "out of memory");
}

static const struct fb_pod *template_of(const struct build *build, enum fb_place place)
{
    const struct fb_task_drafts *tasks = &build->reader->tasks[place];

    return tasks->len > 0 ? &tasks->at[0].pod : NULL;
}

/* Append @task with @template as its pod; NULL: a pod that asks for nothing. */
static enum fb_status add_task(const struct build *build, const struct fb_task *task,
                               const struct fb_pod *template)
{
    struct fb_job *job = build->job;
    struct fb_arena *arena = build->reader->arena;
    struct fb_task *at =
        fb_arena_more(arena, job->tasks, job->tasks_len, &job->tasks_size, sizeof *at);

    if (at == NULL || task->name == NULL)
        return no_memory(build);
    job->tasks = at;
    at += job->tasks_len++;
    *at = *task;
    if (template != NULL)
        at->pod = *template;
    else
        fb_pod_init(&at->pod);
    at->pod.space = job->space;
    if (fb_job_pods(job) * job->groups > FB_OBJECT_PODS_MAX)
        return fb_error_set(build->err, FB_ELIMIT, "more than %d pods", FB_OBJECT_PODS_MAX);
    return fb_pod_finish(arena, &at->pod, build->err);
}

/* A Job runs no more pods at a time than are left to complete. */
static int64_t at_once(int64_t parallelism, int64_t completions)
{
    int64_t pods = told(parallelism, 1);

    return completions >= 0 && completions < pods ? completions : pods;
}

static enum fb_status build_vcjob(const struct build *build)
{
    const struct fb_task_drafts *tasks = &build->reader->tasks[FB_PLACE_TASKS];
    const struct fb_draft *draft = &build->reader->draft;
    enum fb_status st = FB_OK;

    build->job->min = draft->min_available > 0 ? draft->min_available : -1;
    for (size_t i = 0; i < tasks->len && st == FB_OK; i++) {
        struct fb_task task = {.name = tasks->at[i].name,
                               .pod_name = "{job}-{task}-{index}",
                               .pods = told(tasks->at[i].replicas, 0),
                               .inner = 1,
                               .min = tasks->at[i].min};
        char name[32];

        /* Source: volcano.sh/volcano pkg/webhooks/admission/jobs/mutate, mutateSpec. */
        (void)snprintf(name, sizeof name, "default%zu", i);
        if (task.name[0] == '\0')
            task.name = fb_arena_text(build->reader->arena, name, strlen(name));
        st = add_task(build, &task, &tasks->at[i].pod);
    }
    return st;
}

static enum fb_status build_main(const struct build *build, int64_t pods)
{
    struct fb_task task = {.name = fb_arena_text(build->reader->arena, "main", 4),
                           .pod_name = "{job}-{index}",
                           .pods = pods,
                           .inner = 1,
                           .min = -1};

    return add_task(build, &task, template_of(build, FB_PLACE_TEMPLATE));
}

static enum fb_status build_batchjob(const struct build *build)
{
    const struct fb_draft *draft = &build->reader->draft;

    build->job->indexed = fb_text_equal(draft->completion_mode, "Indexed");
    return build_main(build, at_once(draft->parallelism, draft->completions));
}

static enum fb_status build_statefulset(const struct build *build)
{
    return build_main(build, told(build->reader->draft.replicas, 1));
}

static enum fb_status build_jobset(const struct build *build)
{
    const struct fb_task_drafts *tasks = &build->reader->tasks[FB_PLACE_REPLICATED];
    enum fb_status st = FB_OK;

    for (size_t i = 0; i < tasks->len && st == FB_OK; i++) {
        const struct fb_task_draft *each = &tasks->at[i];
        int64_t inner = at_once(each->parallelism, each->completions);
        struct fb_task task = {.name = each->name,
                               .pod_name = "{job}-{task}-{outer}-{inner}",
                               .pods = told(each->replicas, 1) * inner,
                               .inner = inner > 0 ? inner : 1,
                               .min = -1};

        st = add_task(build, &task, &each->pod);
    }
    return st;
}

static const char *lower(struct fb_arena *arena, const char *text)
{
    static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";
    size_t len = strlen(text);
    char *copy = fb_arena_alloc(arena, len + 1);

    if (copy == NULL)
        return NULL;
    memcpy(copy, text, len + 1);
    for (char *at = copy; *at != '\0'; at++) {
        const char *letter = strchr(upper, *at);

        if (letter != NULL)
            *at = small[letter - upper];
    }
    return fb_arena_text(arena, copy, len);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct fb_task_draft *)a)->name, ((const struct fb_task_draft *)b)->name);
}

/* Replica types of Kubeflow; those of a type that tells no number are @fallback. */
static enum fb_status build_replicas(const struct build *build, enum fb_place place,
                                     int64_t fallback)
{
    struct fb_task_drafts *tasks = &build->reader->tasks[place];
    enum fb_status st = FB_OK;

    build->job->min = build->reader->draft.policy_min;
    if (tasks->len > 0)
        qsort(tasks->at, tasks->len, sizeof *tasks->at, compare_names);
    for (size_t i = 0; i < tasks->len && st == FB_OK; i++) {
        const struct fb_task_draft *each = &tasks->at[i];
        struct fb_task task = {.name = lower(build->reader->arena, each->name),
                               .pod_name = "{job}-{task}-{index}",
                               .pods = told(each->replicas, fallback),
                               .inner = 1,
                               .min = -1};

        if (place == FB_PLACE_MPI && fb_text_equal(task.name, "launcher")) {
            task.pod_name = "{job}-{task}";
            task.pods = 1;
        }
        st = add_task(build, &task, &each->pod);
    }
    return st;
}

static enum fb_status build_pytorchjob(const struct build *build)
{
    return build_replicas(build, FB_PLACE_PYTORCH, 1);
}

/* Source: kubeflow/mpi-operator pkg/apis/kubeflow/v2beta1/default.go: no worker by default. */
static enum fb_status build_mpijob(const struct build *build)
{
    return build_replicas(build, FB_PLACE_MPI, 0);
}

static enum fb_status build_lws(const struct build *build)
{
    const struct fb_draft *draft = &build->reader->draft;
    const struct fb_pod *worker = template_of(build, FB_PLACE_FOLLOWER);
    const struct fb_pod *leader = template_of(build, FB_PLACE_LEADER);
    int64_t size = told(draft->size, 1);
    struct fb_task head = {.name = fb_arena_text(build->reader->arena, "leader", 6),
                           .pod_name = "{job}-{group}",
                           .pods = 1,
                           .inner = 1,
                           .min = -1};
    struct fb_task rest = {.name = fb_arena_text(build->reader->arena, "worker", 6),
                           .pod_name = "{job}-{group}-{next}",
                           .pods = size > 1 ? size - 1 : 0,
                           .inner = 1,
                           .min = -1};
    enum fb_status st;

    build->job->groups = told(draft->replicas, 1);
    st = add_task(build, &head, leader != NULL ? leader : worker);
    return st != FB_OK ? st : add_task(build, &rest, worker);
}

static enum fb_status build_raycluster(const struct build *build)
{
    const struct fb_task_drafts *groups = &build->reader->tasks[FB_PLACE_GROUPS];
    struct fb_task head = {.name = fb_arena_text(build->reader->arena, "head", 4),
                           .pod_name = "{job}-head",
                           .pods = 1,
                           .inner = 1,
                           .min = -1};
    enum fb_status st = add_task(build, &head, template_of(build, FB_PLACE_HEAD));

    for (size_t i = 0; i < groups->len && st == FB_OK; i++) {
        const struct fb_task_draft *each = &groups->at[i];
        int64_t replicas = each->replicas > each->least ? each->replicas : each->least;
        struct fb_task task = {.name = each->name,
                               .pod_name = "{job}-{task}-worker-{index}",
                               .pods = told(replicas, 0) * told(each->hosts, 1),
                               .inner = 1,
                               .min = -1};

        st = add_task(build, &task, &each->pod);
    }
    return st;
}

/* Its pods are those of a JobSet of the runtime, whose trainer is called node. */
static enum fb_status build_trainjob(const struct build *build)
{
    struct fb_task task = {.name = fb_arena_text(build->reader->arena, "node", 4),
                           .pod_name = "{job}-{task}-0-{index}",
                           .pods = told(build->reader->draft.num_nodes, 1),
                           .inner = 1,
                           .min = -1};

    return add_task(build, &task, NULL);
}

static const struct {
    const char *name, *group;
    enum fb_status (*build)(const struct build *build);
} kinds[FB_KIND_COUNT] = {
    [FB_KIND_NODE] = {"Node", "", NULL},
    [FB_KIND_POD] = {"Pod", "", NULL},
    [FB_KIND_PODGROUP] = {"PodGroup", "scheduling.volcano.sh", NULL},
    [FB_KIND_NAMESPACE] = {"Namespace", "", NULL},
    [FB_KIND_VCJOB] = {"Job", "batch.volcano.sh", build_vcjob},
    [FB_KIND_BATCHJOB] = {"Job", "batch", build_batchjob},
    [FB_KIND_JOBSET] = {"JobSet", "jobset.x-k8s.io", build_jobset},
    [FB_KIND_PYTORCHJOB] = {"PyTorchJob", "kubeflow.org", build_pytorchjob},
    [FB_KIND_MPIJOB] = {"MPIJob", "kubeflow.org", build_mpijob},
    [FB_KIND_LWS] = {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", build_lws},
    [FB_KIND_RAYCLUSTER] = {"RayCluster", "ray.io", build_raycluster},
    [FB_KIND_STATEFULSET] = {"StatefulSet", "apps", build_statefulset},
    [FB_KIND_TRAINJOB] = {"TrainJob", "trainer.kubeflow.org", build_trainjob},
    [FB_KIND_RUNAIJOB] = {"RunaiJob", "run.ai", build_batchjob},
};

static enum fb_kind find_kind(const char *kind, size_t len, const char *group)
{
    for (unsigned i = FB_KIND_NODE; i < FB_KIND_COUNT; i++) {
        if (strlen(kinds[i].name) == len && memcmp(kinds[i].name, kind, len) == 0 &&
            strcmp(kinds[i].group, group) == 0)
            return (enum fb_kind)i;
    }
    return FB_KIND_NONE;
}

enum fb_kind fb_kind_find(const char *kind, const char *group)
{
    return find_kind(kind, strlen(kind), group);
}

enum fb_kind fb_kind_of_list(const char *list, const char *group)
{
    static const char ending[] = "List";
    size_t len = strlen(list);

    if (len < sizeof ending || strcmp(list + len - strlen(ending), ending) != 0)
        return FB_KIND_NONE;
    return find_kind(list, len - strlen(ending), group);
}

enum fb_status fb_job_finish(struct fb_object_reader *reader, enum fb_kind kind,
                             struct fb_error *err)
{
    const struct fb_pod *meta = &reader->draft.object.pod;
    struct fb_job *job = &reader->draft.object.job;
    struct build build = {.reader = reader, .job = job, .err = err};

    *job = (struct fb_job){
        .kind = fb_arena_text(reader->arena, kinds[kind].name, strlen(kinds[kind].name)),
        .group = fb_arena_text(reader->arena, kinds[kind].group, strlen(kinds[kind].group)),
        .space = meta->space,
        .name = meta->name,
        .uid = meta->uid,
        .terminating = meta->terminating,
        .min = -1,
        .groups = 1,
        .labels = meta->labels,
        .annotations = meta->annotations,
    };
    if (job->kind == NULL || job->group == NULL)
        return no_memory(&build);
    return kinds[kind].build(&build);
}

enum fb_status fb_job_of_pod(struct fb_arena *arena, const struct fb_pod *pod, struct fb_job *ret,
                             struct fb_error *err)
{
    struct fb_task *task = fb_arena_alloc(arena, sizeof *task);
    struct fb_job job = {
        .kind = fb_arena_text(arena, "Pod", 3),
        .group = fb_arena_text(arena, "", 0),
        .space = pod->space,
        .name = pod->name,
        .uid = pod->uid,
        .terminating = pod->terminating,
        .min = -1,
        .groups = 1,
        .labels = pod->labels,
        .annotations = pod->annotations,
        .tasks = task,
        .tasks_len = 1,
        .tasks_size = 1,
    };

    if (task == NULL || job.kind == NULL || job.group == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    *task = (struct fb_task){.name = fb_arena_text(arena, "main", 4),
                             .pod_name = "{job}",
                             .pods = 1,
                             .inner = 1,
                             .min = -1,
                             .pod = *pod};
    if (task->name == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    *ret = job;
    return FB_OK;
}
