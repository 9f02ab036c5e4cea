/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_PLAN_WORK_H
#define FB_PLAN_WORK_H

#include "fabricbind/plan.h"

/** A plan in the making; everything is in the cluster's arena. */

struct fb_plan_task {
    enum fb_networking networking;
    int64_t left;          /* pods still to place */
    int64_t next;          /* index of the next pod to name */
    struct fb_need *needs; /* by fabric, the last for nodes of none */
};

struct fb_plan_work {
    struct fb_cluster *cluster;
    const struct fb_job *job;
    int64_t group;
    struct fb_plan *plan;
    struct fb_plan_task *tasks;
    const struct fb_resident **members; /* pods of the job that run already */
    size_t *member_tasks;
    size_t members_len;
    size_t members_fabric; /* of most networked members, else the one asked for; FB_NONE: any */
    bool spans;            /* members run on two fabrics */
};

/** What a pod of task @task takes on @site. */
const struct fb_need *fb_plan_need(const struct fb_plan_work *work, size_t task, size_t site);

/** Put the next pod of @task on @site and take its need off what is free there. */
enum fb_status fb_plan_place(struct fb_plan_work *work, size_t task, size_t site) FB_CHECK;

/** The verdict on a pod of @task at @site, as things are free now. */
struct fb_verdict fb_plan_ask(const struct fb_plan_work *work, size_t task, size_t site);

/** Could the pod run there were it empty: what is free may be short now. */
bool fb_plan_may_run(const struct fb_verdict *verdict);

/** One more warning, formatted. */
enum fb_status fb_plan_warn(struct fb_plan_work *work, const char *fmt, ...)
    FB_PRINTF(2, 3) FB_CHECK;

/** Find the members that run and take them off what is left to place. */
enum fb_status fb_plan_find_members(struct fb_plan_work *work) FB_CHECK;

/** Place the networked tasks as one gang; sets the plan's gang and short. */
enum fb_status fb_plan_gang(struct fb_plan_work *work, bool *ret_holds,
                            struct fb_error *err) FB_CHECK;

/** Place all other tasks pod by pod, the best score first; sets short where one does not fit. */
enum fb_status fb_plan_rest(struct fb_plan_work *work) FB_CHECK;

#endif
