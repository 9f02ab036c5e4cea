/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/forecast.h"

#include "fabricbind/outfit_pod.h"
#include "fabricbind/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A forecast in the making. */
struct work {
    const struct fb_forecast_input *in;
    struct fb_arena *arena;
    struct fb_cluster empty; /* the cluster without its pods */
    struct fb_job job;       /* its tasks that have to do with the network */
    const struct fb_podspec **specs;
    struct fb_plan plan;
    struct fb_texts *lines;
};

/* What a pod takes of one resource, and how many pods and nodes there are of the kind. */
struct demand {
    const char *resource;
    int64_t amount, pods;
    size_t nodes;
};

static enum fb_status say(struct work *work, const char *fmt, ...) FB_PRINTF(2, 3);

static enum fb_status say(struct work *work, const char *fmt, ...)
{
    char text[512];
    const char *kept;
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    kept = fb_arena_text(work->arena, text, strlen(text));
    if (kept != NULL && fb_texts_has(work->lines, kept))
        return FB_OK;
    return fb_texts_add(work->arena, work->lines, kept);
}

/* Of the others there is nothing to say, and they may be very many. */
static enum fb_status take_tasks(struct work *work)
{
    const struct fb_job *job = work->in->job;
    int64_t outside = 0;

    work->job = *job;
    work->job.tasks_len = 0;
    work->job.tasks = fb_arena_alloc(work->arena, job->tasks_len * sizeof *job->tasks);
    work->specs = fb_arena_alloc(work->arena, job->tasks_len * sizeof(void *));
    if (work->job.tasks == NULL || work->specs == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < job->tasks_len; i++) {
        const struct fb_pod *pod = &job->tasks[i].pod;

        if (fb_need_gpus(pod, work->empty.settings, NULL) > 0 || fb_need_annotated(pod)) {
            work->specs[work->job.tasks_len] = &work->in->specs[i];
            work->job.tasks[work->job.tasks_len++] = job->tasks[i];
        } else {
            outside = fb_amount_add(outside, job->tasks[i].pods);
        }
    }
    if (work->job.min >= 0)
        work->job.min = work->job.min > outside ? work->job.min - outside : 1;
    return FB_OK;
}

static enum fb_status outfit(const struct work *work, size_t task, struct fb_outfit_task *ret)
{
    const struct fb_plan *plan = &work->plan;
    const struct fb_outfit_new pod = {
        .cluster = &work->empty,
        .pod = &work->job.tasks[task].pod,
        .spec = work->specs[task],
        .networking = plan->networking[task],
        .planned = plan->gang_fabric != FB_NONE ? plan->gang_fabric : plan->short_fabric,
        .network = work->in->network,
        .require_transport = work->in->require_transport,
        .level = work->in->level,
    };

    return fb_outfit_create(&pod, ret);
}

/* NICs where there are any to ask for, else GPUs. */
static enum fb_status demand_on(const struct work *work, size_t task,
                                const struct fb_fabric *fabric, struct demand *ret)
{
    const struct fb_cluster *cluster = &work->empty;
    struct fb_need need;
    enum fb_status st =
        fb_need_make(work->arena, &work->job.tasks[task].pod, work->plan.networking[task], fabric,
                     &(struct fb_rules){cluster->policies, cluster->settings}, &need);

    if (st != FB_OK)
        return st;
    *ret = (struct demand){
        .resource = need.nics.len > 0 ? need.nics.at[0].name : need.gpu,
        .amount = need.nics.len > 0 ? need.nics.at[0].amount : need.gpus,
    };
    return FB_OK;
}

static bool is_same(const struct demand *a, const struct demand *b)
{
    return fb_text_equal(a->resource, b->resource) && a->amount == b->amount;
}

/* Nodes that take a pod of the task, on fabrics where it asks for the same. */
static size_t count_fitting(const struct work *work, size_t task, const bool *same)
{
    size_t nodes = 0;

    for (size_t i = 0; i < work->empty.sites_len; i++) {
        size_t fabric = work->empty.sites[i].fabric;

        nodes += fabric != FB_NONE && same[fabric] &&
                 work->plan.verdicts[i * work->job.tasks_len + task].kind == FB_FITS;
    }
    return nodes;
}

static enum fb_status demand_of(const struct work *work, size_t task,
                                const struct fb_fabric *fabric, struct demand *ret)
{
    size_t fabrics = work->empty.fabrics_len;
    bool *same = fb_arena_alloc(work->arena, fabrics * sizeof *same);
    enum fb_status st = same != NULL ? demand_on(work, task, fabric, ret) : FB_ENOMEM;

    for (size_t i = 0; st == FB_OK && i < fabrics; i++) {
        struct demand there;

        st = demand_on(work, task, &work->empty.fabrics[i], &there);
        same[i] = st == FB_OK && is_same(ret, &there);
    }
    if (st != FB_OK)
        return st;
    ret->pods = work->job.tasks[task].pods;
    ret->nodes = count_fitting(work, task, same);
    return FB_OK;
}

/* Tasks that ask for the same are told as one. */
static void unite(struct demand *all, size_t *len, const struct demand *more)
{
    for (size_t i = 0; i < *len; i++) {
        if (is_same(&all[i], more) && all[i].nodes == more->nodes) {
            all[i].pods = fb_amount_add(all[i].pods, more->pods);
            return;
        }
    }
    all[(*len)++] = *more;
}

static enum fb_status say_short(struct work *work, const struct demand *all, size_t len)
{
    const struct fb_plan *plan = &work->plan;
    enum fb_status st = FB_OK;

    if (plan->fits || !plan->is_short || work->empty.sites_len == 0)
        return FB_OK;
    for (size_t i = 0; st == FB_OK && i < len; i++)
        st = say(work,
                 "%lld pod%s x %lld %s: %zu such node%s, at most %lld of %lld pods fit on one "
                 "fabric",
                 (long long)all[i].pods, all[i].pods == 1 ? "" : "s", (long long)all[i].amount,
                 all[i].resource, all[i].nodes, all[i].nodes == 1 ? " exists" : "s exist",
                 (long long)plan->short_takes, (long long)plan->gang_pods);
    return st;
}

static enum fb_status say_outfit(struct work *work, size_t task, const struct fb_outfit_task *made)
{
    const char *name = work->job.tasks[task].name;
    const struct fb_injection *injection = &made->injection;
    bool annotated = work->plan.networking[task] == FB_NETWORKING_ANNOTATED;
    enum fb_status st = FB_OK;

    if (made->denied != NULL)
        st = say(work, "task %s: its pods will %s: %s", name,
                 annotated && !made->partial ? "be denied" : "get no network", made->denied);
    for (size_t i = 0; st == FB_OK && i < injection->warnings.len; i++)
        st = say(work, "task %s: %s", name, injection->warnings.at[i]);
    for (size_t i = 0; st == FB_OK && i < injection->degraded.len; i++)
        st = say(work, "left out, as Pod Security level %s forbids it: %s",
                 fb_pod_security_name(work->in->level), injection->degraded.at[i]);
    return st;
}

static enum fb_status look_at_tasks(struct work *work)
{
    size_t tasks = work->job.tasks_len;
    struct demand *all = fb_arena_alloc(work->arena, tasks * sizeof *all);
    struct fb_outfit_task *made = fb_arena_alloc(work->arena, tasks * sizeof *made);
    size_t len = 0;
    enum fb_status st = all != NULL && made != NULL ? FB_OK : FB_ENOMEM;

    for (size_t i = 0; st == FB_OK && i < tasks; i++) {
        struct demand demand;

        if (work->plan.networking[i] == FB_NETWORKING_NO)
            continue;
        st = outfit(work, i, &made[i]);
        if (st == FB_OK)
            st = demand_of(work, i, made[i].fabric, &demand);
        if (st == FB_OK)
            unite(all, &len, &demand);
    }
    if (st == FB_OK)
        st = say_short(work, all, len);
    for (size_t i = 0; st == FB_OK && i < tasks; i++)
        st = say_outfit(work, i, &made[i]);
    return st;
}

static bool has_network(const struct fb_plan *plan)
{
    for (size_t i = 0; i < plan->job->tasks_len; i++) {
        if (plan->networking[i] != FB_NETWORKING_NO)
            return true;
    }
    return false;
}

static enum fb_status forecast(struct work *work, struct fb_error *err)
{
    enum fb_status st = fb_plan_make(&work->empty, &work->job, 0, &work->plan, err);

    for (size_t i = 0; st == FB_OK && i < work->plan.warnings.len; i++)
        st = say(work, "%s", work->plan.warnings.at[i]);
    return st == FB_OK && has_network(&work->plan) ? look_at_tasks(work) : st;
}

enum fb_status fb_forecast_make(const struct fb_forecast_input *in, struct fb_texts *ret,
                                struct fb_error *err)
{
    const struct fb_objects nothing = {0};
    struct fb_texts lines = {0};
    struct work work = {.in = in, .arena = in->cluster->arena, .lines = &lines};
    enum fb_status st = fb_cluster_with_pods(work.arena, in->cluster, &nothing, &work.empty);

    if (st == FB_OK)
        st = take_tasks(&work);
    if (st == FB_OK && work.job.tasks_len > 0)
        st = forecast(&work, err);
    if (st != FB_OK)
        return fb_error_set(err, st, "out of memory");
    *ret = lines;
    return FB_OK;
}
