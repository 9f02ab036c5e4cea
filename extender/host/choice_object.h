/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_CHOICE_OBJECT_H
#define FB_HOST_CHOICE_OBJECT_H

#include "apiserver.h"

#include "fabricbind/gang.h"

/** The object of the API server that keeps a gang's choice as an annotation. */

#define FB_CHOICE_OBJECTS 3 /* places to look for it, at most */

/** "batch.volcano.sh/v1alpha1" of an owner's kind; NULL: a kind that nobody knows here. */
const char *fb_choice_api_version(const char *kind, const char *group);

/**
 * Where the choice of @gang may be kept, best first: the PodGroup that @pod names, then the owner,
 * under each version of its API that is known. Names that are none are left out.
 *
 * @ret  paths in @arena
 *
 * Returns FB_OK, with none for owners of a kind that nobody knows; FB_ENOMEM.
 */
enum fb_status fb_choice_paths(struct fb_arena *arena, const struct fb_gang *gang,
                               const struct fb_pod *pod, const char *ret[FB_CHOICE_OBJECTS],
                               size_t *ret_len) FB_CHECK;

/** One of these as it was read. Texts of the arena. */
struct fb_choice_object {
    const char *path;
    const char *uid, *version; /* metadata.resourceVersion */
    const char *told;          /* the annotation; NULL: it has none */
};

/** How the API server is asked. Borrowed. */
struct fb_choice_asking {
    struct fb_apiserver *server;
    struct fb_arena *arena;
    const char *key; /* of the annotation */
    int64_t end_ms;  /* by fb_inventory_clock_ms(): an answer that comes later is none */
};

/**
 * Read the object at @path.
 *
 * Returns FB_OK; FB_ENOTFOUND: it is not there, nor perhaps its API; FB_EINPUT for what is no
 * object; FB_EIO also for any other status; FB_ELIMIT; FB_ENOMEM.
 */
enum fb_status fb_choice_object_read(const struct fb_choice_asking *asking, const char *path,
                                     struct fb_choice_object *ret, struct fb_error *err) FB_CHECK;

/**
 * Set the annotation to @value, if the object is still as it was read.
 *
 * Returns FB_OK; FB_ENOTFOUND; FB_EINPUT: it has changed since; FB_EIO, FB_ELIMIT, FB_ENOMEM.
 */
enum fb_status fb_choice_object_write(const struct fb_choice_asking *asking,
                                      const struct fb_choice_object *object, const char *value,
                                      struct fb_error *err) FB_CHECK;

#endif
