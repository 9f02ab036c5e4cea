/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_LOAD_H
#define FB_HOST_LOAD_H

#include "options.h"

#include "fabricbind/cluster.h"
#include "fabricbind/config.h"
#include "fabricbind/snapshot.h"

/** Told what is missing or left out: a line without the program's name, borrowed. */
typedef void (*fb_load_notice)(void *context, const char *text);

/** Everything that a command reads before it decides. In one arena; its parts point at each other,
 * so that it stays where it was read. */
struct fb_inputs {
    struct fb_arena *arena;
    fb_load_notice notice; /* while it is read */
    void *notice_context;
    struct fb_policies policies;
    struct fb_config config;
    struct fb_snapshot snapshot;
    struct fb_jobs jobs; /* of --job, in order */
    struct fb_namespaces namespaces;
    struct fb_objects objects; /* the snapshot's, which the cluster is built from */
    struct fb_cluster cluster;
};

/**
 * Read policies, configuration, snapshot and jobs as @options say, and build the cluster. The
 * jobs' own pods are taken out of the snapshot unless --keep-members. Without --snapshot the
 * cluster is empty. What is missing or left out is said on standard error, a line each.
 *
 * Returns FB_OK; anything else with one line that names the file and the place.
 */
enum fb_status fb_load(struct fb_arena *arena, const struct fb_options *options,
                       struct fb_inputs *ret, struct fb_error *err) FB_CHECK;

/** The same, with what is missing or left out told to @notice. */
enum fb_status fb_load_with(struct fb_arena *arena, const struct fb_options *options,
                            fb_load_notice notice, void *context, struct fb_inputs *ret,
                            struct fb_error *err) FB_CHECK;

/** Build the cluster from the snapshot, the policies and the configuration that @in has. FB_OK;
 * FB_ENOMEM. */
enum fb_status fb_load_build(struct fb_inputs *in, struct fb_error *err) FB_CHECK;

#endif
