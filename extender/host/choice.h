/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_CHOICE_H
#define FB_HOST_CHOICE_H

#include "apiserver.h"
#include "inventory.h"
#include "metrics.h"

#include <stdbool.h>

/**
 * The fabric of a gang, chosen when its first pod is created, once for all replicas and restarts:
 * fabricbind/choice.h says how, an annotation of the gang's PodGroup or owner keeps it, written by
 * compare-and-swap. Safe for many threads.
 */
struct fb_choice;

/** Once chosen, or given up on the API server, an answer is there within this. */
#define FB_CHOICE_MS 2000

/**
 * @server   borrowed, outliving it; NULL: choices are made, but kept in this process only
 * @metrics  the same; NULL: not counted
 * @ret      set on success only; free with fb_choice_free()
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_choice_new(struct fb_apiserver *server, struct fb_metrics *metrics,
                             struct fb_choice **ret, struct fb_error *err) FB_CHECK;

/** Only when no call is under way any more. NULL is fine. */
void fb_choice_free(struct fb_choice *choice);
void fb_choice_freep(struct fb_choice **choice);

/**
 * The fabric of the gang of @pod; it has the type of fb_admission_world.choose.
 *
 * Members that are placed say it; else what the inventory, this process or the API server knows to
 * be chosen and has nodes; else it is chosen and kept. Where the API server fails, is too slow or
 * says no five times, the choice is told without being kept, which is counted, logged once, and
 * tried again after a while.
 *
 * @context    a struct fb_choice
 * @arena      @ret is in it
 * @inventory  held by the caller; one without nodes, or not synced yet, makes no choice
 * @pod        as it is created, its namespace told; a name or UID it need not have
 * @dry_run    nothing is written or remembered
 * @ret        the fabric's key; "": the pod is of no gang, or nobody can tell
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_choice_get(void *context, struct fb_arena *arena,
                             const struct fb_inventory *inventory, const struct fb_pod *pod,
                             bool dry_run, const char **ret, struct fb_error *err) FB_CHECK;

#endif
