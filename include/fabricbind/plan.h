/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_PLAN_H
#define FB_PLAN_H

#include "fabricbind/cluster.h"
#include "fabricbind/fit.h"
#include "fabricbind/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where every pod of one job goes, and why not elsewhere. */

struct fb_place {
    const char *pod; /* its name */
    size_t task;     /* index in the job's tasks */
    size_t site;
    double score;
    struct fb_resources nics; /* what it takes of NICs there */
};

struct fb_plan {
    const struct fb_job *job;
    const char *name; /* "namespace/name"; of a job of several groups the group's own name */
    int64_t pods;     /* of all tasks */
    bool fits;        /* the least that the job must have gets a place */
    int64_t left_out; /* pods without a place */
    bool has_gang;    /* two networked pods or more */
    int64_t gang_pods;
    size_t gang_fabric;          /* FB_NONE: no place for the gang */
    size_t blocks;               /* finest switch blocks of the gang */
    struct fb_place *placements; /* none of a job that does not fit */
    size_t placements_len, placements_size;
    struct fb_verdict *verdicts;    /* sites x tasks, before the job took anything */
    bool *chosen;                   /* by site */
    enum fb_networking *networking; /* by task */
    bool is_short;
    int64_t short_pods;         /* how many do not fit */
    const char *short_resource; /* that alone lets the fewest in; NULL: there is no fabric */
    size_t short_fabric;        /* that takes most; FB_NONE */
    int64_t short_takes;
    struct fb_texts warnings;
};

/**
 * Plan group @group of @job on @cluster. Its pods among the cluster's residents count as members
 * placed. What the plan places is taken off the cluster's free amounts, so that later plans see it.
 *
 * @ret  filled on success; all in the cluster's arena
 *
 * A gang that does not hold takes nothing.
 *
 * Returns FB_OK, also when the job does not fit; FB_ENOMEM, and the cluster's free amounts are then
 * of no use.
 */
enum fb_status fb_plan_make(struct fb_cluster *cluster, const struct fb_job *job, int64_t group,
                            struct fb_plan *ret, struct fb_error *err) FB_CHECK;

/** The same for a gang that is to be on fabric @fabric, as its members are where some run; FB_NONE:
 * on any. */
enum fb_status fb_plan_make_on(struct fb_cluster *cluster, const struct fb_job *job, int64_t group,
                               size_t fabric, struct fb_plan *ret, struct fb_error *err) FB_CHECK;

#endif
