/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/plan.h"

#include "fabricbind/gang.h"
#include "fabricbind/score.h"
#include "plan_work.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum fb_status fb_plan_warn(struct fb_plan_work *work, const char *fmt, ...)
{
    struct fb_arena *arena = work->cluster->arena;
    char text[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fb_texts_add(arena, &work->plan->warnings, fb_arena_text(arena, text, strlen(text)));
}

const struct fb_need *fb_plan_need(const struct fb_plan_work *work, size_t task, size_t site)
{
    size_t fabric = work->cluster->sites[site].fabric;

    return &work->tasks[task].needs[fabric != FB_NONE ? fabric : work->cluster->fabrics_len];
}

struct fb_verdict fb_plan_ask(const struct fb_plan_work *work, size_t task, size_t site)
{
    struct fb_question question = {
        .pod = &work->job->tasks[task].pod,
        .need = fb_plan_need(work, task, site),
        .networking = work->tasks[task].networking,
        .gang = work->plan->gang_pods,
        .fabric = work->members_fabric,
    };

    return fb_fit(work->cluster, site, &question);
}

bool fb_plan_may_run(const struct fb_verdict *verdict)
{
    return verdict->kind == FB_FITS || verdict->kind == FB_BUSY ||
           verdict->reason == FB_REASON_TOO_FEW;
}

static bool is_taken(const struct fb_plan_work *work, const char *name)
{
    for (size_t i = 0; i < work->members_len; i++) {
        if (fb_text_equal(work->members[i]->pod->name, name))
            return true;
    }
    return false;
}

/* The name of the next pod of @task that does not run yet. */
static const char *next_name(struct fb_plan_work *work, size_t task)
{
    const char *name;

    do {
        name = fb_job_pod_name(work->cluster->arena, work->job, &work->job->tasks[task],
                               work->group, work->tasks[task].next++);
    } while (name != NULL && is_taken(work, name) &&
             work->tasks[task].next <= work->job->tasks[task].pods);
    return name;
}

static void take_off(struct fb_site *site, const struct fb_need *need)
{
    for (size_t i = 0; i < site->free.len; i++) {
        struct fb_resource *entry = &site->free.at[i];
        int64_t left = entry->amount - fb_resources_get(&need->all, entry->name);

        entry->amount = left > 0 ? left : 0;
    }
}

enum fb_status fb_plan_place(struct fb_plan_work *work, size_t task, size_t site)
{
    struct fb_plan *plan = work->plan;
    struct fb_place *at = fb_arena_more(work->cluster->arena, plan->placements,
                                        plan->placements_len, &plan->placements_size, sizeof *at);
    const struct fb_need *need = fb_plan_need(work, task, site);

    if (at == NULL)
        return FB_ENOMEM;
    plan->placements = at;
    at += plan->placements_len;
    *at = (struct fb_place){
        .pod = next_name(work, task),
        .task = task,
        .site = site,
        .score = fb_score(work->cluster, site, need, 1.0),
        .nics = need->nics,
    };
    if (at->pod == NULL)
        return FB_ENOMEM;
    plan->placements_len++;
    plan->chosen[site] = true;
    work->tasks[task].left--;
    take_off(&work->cluster->sites[site], need);
    return FB_OK;
}

/* What a pod of the task takes on every fabric, and on nodes of none. */
static enum fb_status make_needs(struct fb_plan_work *work, size_t task)
{
    struct fb_cluster *cluster = work->cluster;
    struct fb_plan_task *ours = &work->tasks[task];
    enum fb_status st = FB_OK;

    ours->needs = fb_arena_alloc(cluster->arena, (cluster->fabrics_len + 1) * sizeof *ours->needs);
    if (ours->needs == NULL)
        return FB_ENOMEM;
    for (size_t f = 0; st == FB_OK && f <= cluster->fabrics_len; f++)
        st =
            fb_need_make(cluster->arena, &work->job->tasks[task].pod, ours->networking,
                         f < cluster->fabrics_len ? &cluster->fabrics[f] : NULL,
                         &(struct fb_rules){cluster->policies, cluster->settings}, &ours->needs[f]);
    return st;
}

static enum fb_status prepare_task(struct fb_plan_work *work, size_t task, bool owned, int64_t size)
{
    const struct fb_task *of = &work->job->tasks[task];
    struct fb_plan_task *ours = &work->tasks[task];
    enum fb_status st;

    ours->left = of->pods;
    ours->networking = fb_need_networking(&of->pod, work->cluster->settings, owned, size);
    work->plan->networking[task] = ours->networking;
    st = make_needs(work, task);
    if (st != FB_OK)
        return st;
    if (ours->networking != FB_NETWORKING_NO)
        work->plan->gang_pods = fb_amount_add(work->plan->gang_pods, of->pods);
    else if (fb_need_annotated(&of->pod))
        return fb_plan_warn(work,
                            "task %s: annotated for multi-node networking but asks for no whole "
                            "GPUs: it gets no network",
                            of->name);
    return FB_OK;
}

static enum fb_status prepare(struct fb_plan_work *work)
{
    const struct fb_job *job = work->job;
    struct fb_cluster *cluster = work->cluster;
    int64_t size = fb_gang_size(job, cluster->settings);
    bool owned = fb_settings_owns(cluster->settings, job->kind, job->group, job->indexed);
    enum fb_status st = FB_OK;

    work->tasks = fb_arena_alloc(cluster->arena, job->tasks_len * sizeof *work->tasks);
    work->plan->chosen =
        fb_arena_alloc(cluster->arena, cluster->sites_len * sizeof *work->plan->chosen);
    work->plan->verdicts = fb_arena_alloc(cluster->arena, cluster->sites_len * job->tasks_len *
                                                              sizeof *work->plan->verdicts);
    work->plan->networking =
        fb_arena_alloc(cluster->arena, job->tasks_len * sizeof *work->plan->networking);
    if (work->tasks == NULL || work->plan->chosen == NULL || work->plan->verdicts == NULL ||
        work->plan->networking == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; st == FB_OK && i < job->tasks_len; i++)
        st = prepare_task(work, i, owned, size);
    work->plan->has_gang = work->plan->gang_pods > 1;
    return st;
}

static void ask_all(struct fb_plan_work *work)
{
    size_t tasks = work->job->tasks_len;

    for (size_t s = 0; s < work->cluster->sites_len; s++) {
        for (size_t t = 0; t < tasks; t++)
            work->plan->verdicts[s * tasks + t] = fb_plan_ask(work, t, s);
    }
}

static const char *plan_name(struct fb_plan_work *work)
{
    const struct fb_job *job = work->job;
    char text[600];

    if (job->groups > 1)
        (void)snprintf(text, sizeof text, "%s/%s-%lld", job->space, job->name,
                       (long long)work->group);
    else
        (void)snprintf(text, sizeof text, "%s/%s", job->space, job->name);
    return fb_arena_text(work->cluster->arena, text, strlen(text));
}

/* Enough pods of every task, and of the job as a whole, for it to start. */
static bool enough(const struct fb_plan_work *work)
{
    const struct fb_plan *plan = work->plan;
    int64_t min = plan->job->min;

    for (size_t i = 0; i < plan->job->tasks_len; i++) {
        const struct fb_task *task = &plan->job->tasks[i];

        if (task->pods - work->tasks[i].left < task->min)
            return false;
    }
    return plan->left_out == 0 || (min >= 0 && plan->pods - plan->left_out >= min);
}

/* Unannotated pods on part of a node are placed together, but have no NICs to talk over. */
static enum fb_status warn_of_parts(struct fb_plan_work *work)
{
    const struct fb_plan *plan = work->plan;
    const struct fb_fabric *fabric;
    enum fb_status st = FB_OK;

    if (plan->gang_fabric == FB_NONE)
        return FB_OK;
    fabric = &work->cluster->fabrics[plan->gang_fabric];
    for (size_t i = 0; st == FB_OK && i < plan->job->tasks_len; i++) {
        const struct fb_need *need = &work->tasks[i].needs[plan->gang_fabric];

        if (need->plain && need->source == FB_NEED_NONE)
            st = fb_plan_warn(work,
                              "task %s: asks for %lld of %lld GPUs of a node whose network is "
                              "shared by whole nodes only: it gets no network",
                              plan->job->tasks[i].name, (long long)need->gpus,
                              (long long)fabric->gpus);
    }
    return st;
}

/* A job that cannot start leaves what it took to the next one. */
static void give_back(struct fb_plan_work *work)
{
    struct fb_plan *plan = work->plan;

    for (size_t i = 0; i < plan->placements_len; i++) {
        const struct fb_place *place = &plan->placements[i];
        struct fb_site *site = &work->cluster->sites[place->site];
        const struct fb_need *need = fb_plan_need(work, place->task, place->site);

        for (size_t r = 0; r < site->free.len; r++) {
            struct fb_resource *entry = &site->free.at[r];

            entry->amount = fb_amount_add(entry->amount, fb_resources_get(&need->all, entry->name));
        }
        plan->chosen[place->site] = false;
    }
    for (size_t i = 0; i < work->members_len; i++)
        plan->chosen[work->members[i]->site] = true;
    plan->placements_len = 0;
}

static enum fb_status make(struct fb_plan_work *work, struct fb_error *err)
{
    struct fb_plan *plan = work->plan;
    bool holds = true;
    enum fb_status st = prepare(work);

    if (st == FB_OK)
        st = fb_plan_find_members(work);
    if (st != FB_OK)
        return st;
    ask_all(work);
    if (plan->gang_pods > 0)
        st = fb_plan_gang(work, &holds, err);
    if (st == FB_OK)
        st = warn_of_parts(work);
    /* A job whose gang cannot start takes nothing. */
    if (st == FB_OK && holds)
        st = fb_plan_rest(work);
    if (st != FB_OK)
        return st;
    plan->left_out = plan->pods - (int64_t)plan->placements_len - (int64_t)work->members_len;
    plan->fits = holds && !work->spans && enough(work);
    if (!plan->fits) {
        give_back(work);
        plan->left_out = plan->pods - (int64_t)work->members_len;
    }
    return FB_OK;
}

enum fb_status fb_plan_make_on(struct fb_cluster *cluster, const struct fb_job *job, int64_t group,
                               size_t fabric, struct fb_plan *ret, struct fb_error *err)
{
    struct fb_plan plan = {
        .job = job,
        .pods = fb_job_pods(job),
        .gang_fabric = FB_NONE,
        .short_fabric = FB_NONE,
    };
    struct fb_plan_work work = {
        .cluster = cluster,
        .job = job,
        .group = group,
        .plan = &plan,
        .members_fabric = fabric,
    };

    plan.name = plan_name(&work);
    if (plan.name == NULL || make(&work, err) != FB_OK)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    *ret = plan;
    return FB_OK;
}

enum fb_status fb_plan_make(struct fb_cluster *cluster, const struct fb_job *job, int64_t group,
                            struct fb_plan *ret, struct fb_error *err)
{
    return fb_plan_make_on(cluster, job, group, FB_NONE, ret, err);
}
