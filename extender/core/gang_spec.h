/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_GANG_SPEC_H
#define FB_GANG_SPEC_H

#include "fabricbind/cluster.h"

/** What owners and pod groups say of gangs, found by name without walking all of them. */
struct fb_gang_specs {
    const struct fb_job **jobs; /* by kind, group, namespace and name */
    size_t jobs_len;
    const struct fb_podgroup **podgroups; /* by namespace and owner */
    size_t podgroups_len;
};

enum fb_status fb_gang_specs_make(struct fb_arena *arena, const struct fb_objects *objects,
                                  struct fb_gang_specs *ret) FB_CHECK;

/** An owner's UID; one without (an object written by hand) is known by its name. */
const char *fb_gang_owner_key(const struct fb_owner *owner);

/**
 * The owner of @gang, or NULL. Another one of the same name that came later is not it: where both
 * tell a UID it is the same, but of LeaderWorkerSets, whose groups have keys of their own.
 */
const struct fb_job *fb_gang_specs_job(const struct fb_gang_specs *specs,
                                       const struct fb_gang *gang);

/** The pod group of @gang, or NULL. */
const struct fb_podgroup *fb_gang_specs_podgroup(const struct fb_gang_specs *specs,
                                                 const struct fb_gang *gang);

/** minMember of the pod group of @gang; 0: none. */
int64_t fb_gang_specs_min(const struct fb_gang_specs *specs, const struct fb_gang *gang);

#endif
