/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_LOOKUP_H
#define FB_HOST_LOOKUP_H

#include "apiserver.h"

#include "fabricbind/arena.h"
#include "fabricbind/pod.h"

/**
 * The pod as the API server tells it now, for those that the inventory does not have yet.
 *
 * @space, @name  as of a request; what is no name of the API is not asked for
 * @ret           in @arena, written on success only
 *
 * Asked for by a list of one, for which no right is wanted that the inventory does not need.
 *
 * Returns FB_OK; FB_ENOTFOUND; FB_EIO when the API server does not answer within a second, or
 * refuses ("GET pod a/b: 403: ..."); FB_EINPUT for an answer that cannot be read; FB_ENOMEM.
 */
enum fb_status fb_lookup_pod(struct fb_apiserver *server, struct fb_arena *arena, const char *space,
                             const char *name, struct fb_pod *ret, struct fb_error *err) FB_CHECK;

#endif
