/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_COPY_H
#define FB_COPY_H

#include "fabricbind/job.h"
#include "fabricbind/node.h"
#include "fabricbind/pod.h"

#include <stddef.h>

/** Deep copies of objects to wherever the caller has room for them. */

/** Where they go; each call returns NULL where there is no room, which ends the copy. */
struct fb_copy_room {
    void *context;
    /** Room for an array of @bytes, aligned for any object. */
    void *(*array)(void *context, size_t bytes);
    /** A copy of @text, which is not NULL. */
    const char *(*text)(void *context, const char *text);
};

/** Room in @arena, with each text once. */
struct fb_copy_room fb_copy_room_of(struct fb_arena *arena);

/** @ret with all that it points at in @room; arrays have no room to grow. A text that is NULL stays
 * so. FB_ENOMEM: no room; @ret is written on success. */
enum fb_status fb_copy_node(const struct fb_copy_room *room, const struct fb_node *node,
                            struct fb_node *ret) FB_CHECK;
enum fb_status fb_copy_pod(const struct fb_copy_room *room, const struct fb_pod *pod,
                           struct fb_pod *ret) FB_CHECK;
enum fb_status fb_copy_job(const struct fb_copy_room *room, const struct fb_job *job,
                           struct fb_job *ret) FB_CHECK;
enum fb_status fb_copy_podgroup(const struct fb_copy_room *room, const struct fb_podgroup *group,
                                struct fb_podgroup *ret) FB_CHECK;

#endif
