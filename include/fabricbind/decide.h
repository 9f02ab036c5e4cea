/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_DECIDE_H
#define FB_DECIDE_H

#include "fabricbind/fit.h"
#include "fabricbind/ledger.h"
#include "fabricbind/view.h"

#include <stdbool.h>

/**
 * What a scheduler's questions are answered with, and what its events do to the ledger.
 *
 * A gang is planned whole when its first pod is asked about, from the inventory; without one, from
 * the nodes of the first request that scores. Its pods are then held to the plan's fabric, and with
 * `placement: require` to its nodes. A plan that does not hold leaves the gang to its free nodes on
 * one fabric. Times and sessions are the caller's to tell; memory that a decision needs is of the
 * view's arena.
 */

/**
 * May the pod of @task run on the first node of @view.
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_decide_verdict(struct fb_ledger *ledger, const struct fb_scene *scene,
                                 struct fb_view *view, const struct fb_sight_task *task,
                                 struct fb_verdict *ret) FB_CHECK;

/**
 * Score every node of @view for the pod of @task.
 *
 * @ret  as many as the view has sites, finite, 0 to the configured weight; 0 where the pod cannot
 *       run
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_decide_scores(struct fb_ledger *ledger, const struct fb_scene *scene,
                                struct fb_view *view, const struct fb_sight_task *task,
                                double *ret) FB_CHECK;

/** The scheduler puts the pod of @task on task->node, by its status for now or once others are
 * gone. Pods without GPUs are not kept. FB_ENOMEM; what was kept of this pod is then perhaps lost.
 */
enum fb_status fb_decide_allocate(struct fb_ledger *ledger, const struct fb_scene *scene,
                                  const struct fb_sight_task *task) FB_CHECK;

/** It takes it back; a pod that is evicted keeps its place until the inventory says it is gone. */
void fb_decide_deallocate(struct fb_ledger *ledger, const struct fb_scene *scene,
                          const struct fb_sight_task *task);

/**
 * A scheduling session ends. Forgotten is what it did not commit: pipelined pods, and those of
 * gangs that have fewer placed than they must. A gang that got nowhere is planned anew without the
 * nodes of its plan that it could not have.
 */
void fb_decide_close(struct fb_ledger *ledger, const struct fb_scene *scene);

#endif
