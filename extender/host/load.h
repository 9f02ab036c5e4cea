/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_LOAD_H
#define FB_HOST_LOAD_H

#include "options.h"

#include "fabricbind/cluster.h"
#include "fabricbind/config.h"
#include "fabricbind/snapshot.h"

/** Everything that a command reads before it decides. In one arena. */
struct fb_inputs {
    struct fb_arena *arena;
    struct fb_policies policies;
    struct fb_config config;
    struct fb_snapshot snapshot;
    struct fb_jobs jobs; /* of --job, in order */
    struct fb_cluster cluster;
};

/**
 * Read policies, configuration, snapshot and jobs as @options say, and build the cluster. The
 * jobs' own pods are taken out of the snapshot unless --keep-members. What is missing or left out
 * is said on standard error, a line each.
 *
 * Returns FB_OK; anything else with one line that names the file and the place.
 */
enum fb_status fb_load(struct fb_arena *arena, const struct fb_options *options,
                       struct fb_inputs *ret, struct fb_error *err) FB_CHECK;

#endif
