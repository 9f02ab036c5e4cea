/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_ADMISSION_WORK_H
#define FB_HOST_ADMISSION_WORK_H

#include "admission.h"

#include "fabricbind/admission.h"
#include "fabricbind/need.h"

#include <stdatomic.h>

/** What one review may take: a job of many tasks is looked at on every node. */
#define FB_ADMISSION_ARENA_BYTES ((size_t)256 << 20)

/** One review on its way to an answer. */
struct fb_admission_work {
    const struct fb_admission_world *world;
    struct fb_metrics *metrics;
    const struct fb_review_formats *formats;
    struct fb_inventory_slot *slot;
    struct fb_inventory *inventory; /* held */
    int64_t until_ms;               /* so long it may wait for another one */
    atomic_uint *waiting;           /* how many do */
    struct fb_arena *arena;
    struct fb_cluster cluster; /* the inventory's, which takes memory of this arena */
    struct fb_review review;
    uint64_t request;      /* its id, for logs */
    struct fb_patch patch; /* what is answered; stays in observe mode, but is not sent */
    struct fb_texts warnings;
    const char *denied; /* why; NULL: allowed */
};

/** Go by @inventory from now on, whose hold is taken over. */
void fb_admission_look(struct fb_admission_work *work, struct fb_inventory *inventory);

/**
 * Something that was made just now is not in the inventory yet: wait for the next one. Nothing that
 * was taken from the one before may be used afterwards. False when there is none in time.
 */
bool fb_admission_wait(struct fb_admission_work *work);

/** Each returns FB_OK with @work's answer set, or a status with the text of a fault. */
enum fb_status fb_admission_pod(struct fb_admission_work *work, struct fb_error *err) FB_CHECK;
enum fb_status fb_admission_binding(struct fb_admission_work *work, struct fb_error *err) FB_CHECK;
enum fb_status fb_admission_job(struct fb_admission_work *work, struct fb_error *err) FB_CHECK;

/** Is the review about the creation of a @kind of @group (@subresource "": of itself). */
bool fb_admission_creates(const struct fb_admission_work *work, const char *group, const char *kind,
                          const char *subresource);

/** Is the review's namespace in the inventory. */
bool fb_admission_knows_space(const struct fb_admission_work *work);

/** Is nothing to be done in the review's namespace, and how strict is Pod Security there. */
bool fb_admission_leaves(const struct fb_admission_work *work);
enum fb_pod_security fb_admission_level(const struct fb_admission_work *work);

/** Only look: mode observe. */
bool fb_admission_observes(const struct fb_admission_work *work);

/** One more warning, cut where the API server would. */
enum fb_status fb_admission_warn(struct fb_admission_work *work, const char *fmt, ...)
    FB_PRINTF(2, 3) FB_CHECK;

/** One more warning: the namespace's Pod Security level forbids @what. */
enum fb_status fb_admission_warn_left_out(struct fb_admission_work *work,
                                          const char *what) FB_CHECK;

/** Log at level debug what became of the object called @name. */
void fb_admission_log(const struct fb_admission_work *work, const char *name, const char *result);

/** Out of memory, as an error. */
enum fb_status fb_admission_no_memory(struct fb_error *err);

#endif
