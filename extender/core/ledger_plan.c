/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_work.h"

#include <stdlib.h>
#include <string.h>

void fb_ledger_plan_free(struct fb_ledger_plan *plan)
{
    if (plan == NULL)
        return;
    fb_arena_free(plan->arena);
    free(plan);
}

/* The first quota of @node, or the one before which it would stand. */
static size_t first_of(const struct fb_ledger_plan *plan, const char *node)
{
    size_t low = 0;
    size_t high = plan->quotas_len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(plan->quotas[middle].node, node) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_on(const struct fb_ledger_plan *plan, size_t at, const char *node)
{
    return at < plan->quotas_len && strcmp(plan->quotas[at].node, node) == 0;
}

struct fb_quota *fb_ledger_plan_find(const struct fb_ledger_plan *plan, const char *node,
                                     size_t task)
{
    for (size_t i = first_of(plan, node); is_on(plan, i, node); i++) {
        if (plan->quotas[i].task == task)
            return &plan->quotas[i];
    }
    return NULL;
}

/* A pod that does not tell its task is of the first. */
size_t fb_ledger_plan_task(const struct fb_ledger_plan *plan, const struct fb_pod *pod)
{
    size_t task = fb_job_told_task(&plan->job, pod);

    return task != FB_NONE ? task : 0;
}

/* Room for the task that is left over once a pod of it went elsewhere. */
static struct fb_quota *spare(const struct fb_ledger_plan *plan, size_t task)
{
    for (size_t i = plan->quotas_len; i-- > 0;) {
        if (plan->quotas[i].task == task && plan->quotas[i].left > 0)
            return &plan->quotas[i];
    }
    return NULL;
}

void fb_ledger_plan_take(struct fb_ledger_gang *gang, struct fb_ledger_pod *pod)
{
    struct fb_ledger_plan *plan = gang->plan;
    size_t task;
    struct fb_quota *quota;

    if (plan == NULL)
        return;
    if (*pod->fabric != '\0' && strcmp(pod->fabric, plan->fabric) != 0) {
        fb_ledger_plan_free(plan);
        gang->plan = NULL;
        return;
    }
    task = fb_ledger_plan_task(plan, &pod->pod);
    quota = fb_ledger_plan_find(plan, pod->pod.node, task);
    if (quota != NULL)
        quota->taken++;
    if (quota == NULL || quota->left == 0)
        quota = spare(plan, task);
    if (quota == NULL)
        return;
    quota->left--;
    pod->plan = plan->serial;
    pod->quota = (size_t)(quota - plan->quotas);
}

void fb_ledger_plan_give_back(struct fb_ledger_pod *pod)
{
    struct fb_ledger_plan *plan = pod->gang != NULL ? pod->gang->plan : NULL;

    if (plan != NULL && pod->plan == plan->serial)
        plan->quotas[pod->quota].left++;
    pod->plan = 0;
}

size_t fb_ledger_plan_room(const struct fb_ledger_plan *plan, size_t task)
{
    size_t left = 0;

    for (size_t i = 0; i < plan->quotas_len; i++) {
        if (task == FB_NONE || plan->quotas[i].task == task)
            left += plan->quotas[i].left;
    }
    return left;
}

void fb_ledger_plan_open(struct fb_ledger_plan *plan)
{
    for (size_t i = 0; i < plan->quotas_len; i++) {
        plan->quotas[i].passed = false;
        plan->quotas[i].taken = 0;
    }
    for (size_t i = 0; i < plan->job.tasks_len; i++)
        plan->asked[i] = false;
}
