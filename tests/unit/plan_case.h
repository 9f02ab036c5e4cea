/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_PLAN_CASE_H
#define FB_TESTS_PLAN_CASE_H

#include "fabricbind/plan.h"
#include "node_case.h"

/**
 * A job and a cluster as one row of a table; NULL where there is none.
 *
 * Nodes are of shape P.8 (8 GPUs, 4 NICs "nic", two tiers, boundary the zone) or "cpu" without
 * GPUs. The job is the Volcano Job "team/j".
 */
struct plan_case {
    const char *nodes;   /* "a:s0/l0 b:s0/l0:z2 c": name, spine and leaf, zone if not z1; "cpu:" in
                            front of the name for one without GPUs */
    const char *pods;    /* of nobody: "4>a 8>b" GPUs and node */
    const char *members; /* pods of the job that run: "worker-0>a" */
    const char *job;     /* "worker=4x8 launcher=1x0": task, pods, GPUs each; "worker=4x8/2": of
                            these 2 at least */
    int64_t min;         /* minAvailable; 0: all, below 0: none */
};

struct builder *plan_case_make(const struct plan_case *from);

/** The builder's first job. */
struct fb_job *plan_case_job(struct builder *builder);

/**
 * The plan in one line.
 *
 * "fits: j-worker-0>a j-worker-1>b", "no, 2 left:", and behind it where they are there
 * "gang 4 in 2 on z1" (its pods, blocks and fabric), "short 2 of nic, z1 takes 2", "! warning".
 */
const char *plan_text(const struct fb_cluster *cluster, const struct fb_plan *plan,
                      char text[CASE_TEXT]);

/** Plan the builder's first job on a cluster built from it. */
const char *plan_case_text(const struct plan_case *from, char text[CASE_TEXT]);

#endif
