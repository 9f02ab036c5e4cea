/* SPDX-License-Identifier: Apache-2.0 */
#include "decide_work.h"

#include "gang_spec.h"

#include <stdlib.h>
#include <string.h>

/* Every entry is looked at, so not at each request. */
#define EXPIRE_MS 10000

/* A plan outlives an inventory, which in a live cluster is a new one each second; not for long, as
 * what is free changes. */
#define KEEP_MS 10000

/* An inventory tells of every pod that was there so long before it. */
#define GRACE_MS 10000

static bool holds_still(const struct fb_ledger_plan *plan, const struct fb_scene *scene)
{
    const struct fb_cluster *cluster = scene->cluster;

    if (scene->now_ms - plan->made_ms >= KEEP_MS)
        return false;
    for (size_t i = 0; i < plan->quotas_len; i++) {
        size_t site = fb_cluster_find(cluster, plan->quotas[i].node);
        size_t fabric = site != FB_NONE ? cluster->sites[site].fabric : FB_NONE;

        if (fabric == FB_NONE || strcmp(cluster->fabrics[fabric].key, plan->fabric) != 0)
            return false;
    }
    return true;
}

static void review_plan(struct fb_ledger_gang *gang, const struct fb_scene *scene)
{
    if (gang->plan != NULL && !holds_still(gang->plan, scene)) {
        fb_ledger_plan_free(gang->plan);
        gang->plan = NULL;
    }
    gang->planned = false;
}

/* A pod that the inventory shows on a node needs no entry: it has what it took of a plan. */
static void take_resident(struct fb_ledger *ledger, const struct fb_resident *resident)
{
    struct fb_ledger_pod *pod = fb_ledger_find(ledger, resident->pod->uid);

    if (pod == NULL)
        return;
    pod->seen = ledger->generation;
    if (resident->site == FB_NONE)
        return;
    /* The gang is counted anew when it is asked about; its session may end before that. */
    if (pod->gang != NULL && !resident->pod->terminating)
        pod->gang->running++;
    pod->plan = 0;
    fb_ledger_remove(ledger, pod);
}

static void remove_gone(struct fb_ledger *ledger, const struct fb_scene *scene)
{
    struct fb_ledger_pod *next;

    for (struct fb_ledger_pod *pod = ledger->pods; pod != NULL; pod = next) {
        next = pod->hh.next;
        if (pod->seen < ledger->generation && pod->placed_ms + GRACE_MS < scene->told_ms)
            fb_ledger_remove(ledger, pod);
    }
}

static void take_over(struct fb_ledger *ledger, const struct fb_scene *scene)
{
    const struct fb_cluster *cluster = scene->cluster;

    ledger->generation = scene->generation;
    for (struct fb_ledger_gang *gang = ledger->gangs; gang != NULL; gang = gang->hh.next)
        review_plan(gang, scene);
    for (size_t i = 0; ledger->pods != NULL && i < cluster->residents_len; i++)
        take_resident(ledger, &cluster->residents[i]);
    remove_gone(ledger, scene);
}

/* The end of a session may never be told, so it is not waited for. */
void fb_decide_turn(struct fb_ledger *ledger, const struct fb_scene *scene)
{
    if (ledger->generation < scene->generation)
        take_over(ledger, scene);
    if (scene->now_ms - ledger->expired_ms >= EXPIRE_MS)
        fb_ledger_expire(ledger, scene->now_ms);
}

/* Pods of the job that are none of the gang, but count for what must start. */
static int64_t outside(const struct fb_job *job, const struct fb_settings *settings)
{
    int64_t pods = 0;

    for (size_t i = 0; i < job->tasks_len; i++) {
        if (fb_need_gpus(&job->tasks[i].pod, settings, NULL) < 1)
            pods = fb_amount_add(pods, job->tasks[i].pods);
    }
    return pods;
}

/* Owners that do not tell how many must start leave that to the pod group, which Volcano makes of
 * one pod where nobody else makes it. Its own jobs start whole. */
static size_t least_untold(const struct fb_cluster *cluster, const struct fb_gang *gang)
{
    bool whole = gang->job != NULL && fb_text_equal(gang->job->group, "batch.volcano.sh");

    whole = whole || fb_gang_specs_min(cluster->specs, gang) >= gang->size;
    return whole ? (size_t)gang->size : 0;
}

/* How many of the gang's pods must be placed for the job to start, at least; 0: nobody knows. */
static size_t least_of(const struct fb_cluster *cluster, const struct fb_gang *gang)
{
    int64_t least;

    if (gang->job == NULL || gang->job->min < 0)
        return least_untold(cluster, gang);
    least = gang->job->min - outside(gang->job, cluster->settings);
    if (least < 1)
        return 0;
    return (size_t)(least < gang->size ? least : gang->size);
}

static size_t count_running(const struct fb_cluster *cluster, const struct fb_gang *gang)
{
    size_t running = 0;

    for (size_t i = 0; i < cluster->residents_len; i++) {
        const struct fb_resident *resident = &cluster->residents[i];
        const struct fb_gang *of =
            resident->gang != FB_NONE ? &cluster->gangs[resident->gang] : NULL;

        if (of != NULL && resident->site != FB_NONE && !resident->pod->terminating &&
            fb_text_equal(of->key, gang->key) && fb_text_equal(of->space, gang->space))
            running++;
    }
    return running;
}

static enum fb_status find_gang(struct fb_ledger *ledger, const struct fb_scene *scene,
                                struct fb_asked *asked)
{
    struct fb_ledger_gang *in = fb_ledger_gang_get(ledger, asked->gang.space, asked->gang.key);

    if (in == NULL)
        return FB_ENOMEM;
    asked->in = in;
    if (in->generation < scene->generation) {
        in->generation = scene->generation;
        in->least = least_of(scene->cluster, &asked->gang);
        in->running = count_running(scene->cluster, &asked->gang);
    }
    return FB_OK;
}

/* Sessions commit the pods of a gang together: where one of them is not placed after all, nor are
 * those that came with it, unless what the job must have was there. */
static void forget_siblings(struct fb_ledger *ledger, struct fb_ledger_gang *gang, uint64_t session)
{
    struct fb_ledger_pod *next;

    if (gang == NULL || session == ledger->session || gang->least != 0)
        return;
    for (struct fb_ledger_pod *pod = gang->pods; pod != NULL; pod = next) {
        next = pod->next;
        if (pod->session == session)
            fb_ledger_remove(ledger, pod);
    }
}

/* A scheduler asks about pods that it has no place for. */
static void forget_own(struct fb_ledger *ledger, const struct fb_sight_task *task)
{
    struct fb_ledger_pod *own = fb_ledger_find(ledger, task->uid);
    struct fb_ledger_gang *gang;
    uint64_t session;

    if (own == NULL || task->status > FB_TASK_PENDING)
        return;
    gang = own->gang;
    session = own->session;
    fb_ledger_remove(ledger, own);
    forget_siblings(ledger, gang, session);
}

static enum fb_status find_asked(struct fb_ledger *ledger, const struct fb_scene *scene,
                                 const struct fb_sight_task *task, struct fb_asked *ret)
{
    *ret = (struct fb_asked){.pod = task->pod, .own = task->uid};
    ret->networking = fb_gang_of(scene->cluster, task->pod, &ret->gang);
    if (ret->networking == FB_NETWORKING_NO || ret->gang.key == NULL || ret->gang.size < 2)
        return FB_OK;
    return find_gang(ledger, scene, ret);
}

enum fb_status fb_decide_ask(struct fb_ledger *ledger, const struct fb_scene *scene,
                             const struct fb_sight_task *task, struct fb_asked *ret)
{
    enum fb_status st;

    fb_decide_turn(ledger, scene);
    forget_own(ledger, task);
    st = find_asked(ledger, scene, task, ret);
    if (st != FB_OK || ret->in == NULL)
        return st;
    ret->in->asked = true;
    ret->in->asked_ms = scene->now_ms;
    ret->fabric = ret->gang.fabric != FB_NONE ? scene->cluster->fabrics[ret->gang.fabric].key
                                              : fb_ledger_gang_fabric(ret->in);
    return FB_OK;
}

static const char *fabric_of(struct fb_ledger *ledger, const struct fb_scene *scene,
                             const char *node)
{
    size_t site = fb_cluster_find(scene->cluster, node);

    if (site == FB_NONE)
        return fb_ledger_fabric(ledger, node);
    site = scene->cluster->sites[site].fabric;
    return site != FB_NONE ? scene->cluster->fabrics[site].key : "";
}

enum fb_status fb_decide_allocate(struct fb_ledger *ledger, const struct fb_scene *scene,
                                  const struct fb_sight_task *task)
{
    struct fb_asked asked;
    struct fb_ledger_pod *pod;
    const char *fabric;
    enum fb_status st;

    fb_decide_turn(ledger, scene);
    if (task->pod == NULL || *task->node == '\0' ||
        fb_need_gpus(task->pod, scene->cluster->settings, NULL) < 1)
        return FB_OK;
    st = find_asked(ledger, scene, task, &asked);
    if (st == FB_OK)
        st = fb_ledger_put(ledger, task->uid, task->pod, task->node, scene->now_ms, &pod);
    if (st != FB_OK)
        return st;
    pod->status = task->status;
    fabric = fabric_of(ledger, scene, task->node);
    fabric = fb_arena_text(pod->arena, fabric, strlen(fabric));
    pod->fabric = fabric != NULL ? fabric : "";
    if (asked.in != NULL) {
        fb_ledger_gang_join(asked.in, pod);
        fb_ledger_plan_take(asked.in, pod);
    }
    return FB_OK;
}

void fb_decide_deallocate(struct fb_ledger *ledger, const struct fb_scene *scene,
                          const struct fb_sight_task *task)
{
    struct fb_ledger_pod *pod;

    fb_decide_turn(ledger, scene);
    pod = fb_ledger_find(ledger, task->uid);
    if (pod == NULL)
        return;
    if (task->status != FB_TASK_RELEASING) {
        fb_ledger_remove(ledger, pod);
        return;
    }
    pod->status = FB_TASK_RELEASING;
    pod->pod.terminating = true;
}

/* What the gang's statement did not commit: it has less than it must. */
static void drop_uncommitted(struct fb_ledger *ledger, struct fb_ledger_gang *gang)
{
    struct fb_ledger_pod *next;
    bool committed = gang->running + fb_ledger_gang_placed(gang, 0) >= gang->least;

    for (struct fb_ledger_pod *pod = gang->pods; pod != NULL; pod = next) {
        next = pod->next;
        if (pod->session == ledger->session && !committed && pod->status != FB_TASK_RELEASING)
            fb_ledger_remove(ledger, pod);
    }
}

/* Nodes in the plan that fewer pods took than were to; of those for tasks that nobody got to
 * nothing is known. */
static size_t avoid_untaken(const struct fb_ledger *ledger, struct fb_ledger_gang *gang,
                            bool passed, int64_t now_ms)
{
    const struct fb_ledger_plan *plan = gang->plan;
    size_t refused = 0;

    for (size_t i = 0; i < plan->quotas_len; i++) {
        const struct fb_quota *quota = &plan->quotas[i];

        if (quota->taken >= quota->left || quota->passed != passed || !plan->asked[quota->task])
            continue;
        fb_ledger_gang_avoid(gang, quota->node, now_ms + ledger->limits.avoid_ms);
        refused++;
    }
    return refused;
}

/* Nodes that no pod could have are refused by others, or nothing is free there; only where there
 * are none it is asked which ones were passed here and refused behind. */
static void avoid_refused(const struct fb_ledger *ledger, struct fb_ledger_gang *gang,
                          int64_t now_ms)
{
    if (avoid_untaken(ledger, gang, false, now_ms) == 0 &&
        avoid_untaken(ledger, gang, true, now_ms) == 0)
        return;
    fb_ledger_plan_free(gang->plan);
    gang->plan = NULL;
}

static void close_gang(struct fb_ledger *ledger, struct fb_ledger_gang *gang, int64_t now_ms)
{
    drop_uncommitted(ledger, gang);
    if (gang->asked && gang->plan != NULL && fb_ledger_gang_placed(gang, ledger->session) == 0)
        avoid_refused(ledger, gang, now_ms);
    if (gang->plan != NULL)
        fb_ledger_plan_open(gang->plan);
    gang->asked = false;
    gang->planned = false;
}

void fb_decide_close(struct fb_ledger *ledger, const struct fb_scene *scene)
{
    struct fb_ledger_pod *next;

    fb_decide_turn(ledger, scene);
    for (struct fb_ledger_pod *pod = ledger->pods; pod != NULL; pod = next) {
        next = pod->hh.next;
        if (pod->status == FB_TASK_PIPELINED)
            fb_ledger_remove(ledger, pod);
    }
    for (struct fb_ledger_gang *gang = ledger->gangs; gang != NULL; gang = gang->hh.next)
        close_gang(ledger, gang, scene->now_ms);
    fb_ledger_expire(ledger, scene->now_ms);
    ledger->session++;
}
