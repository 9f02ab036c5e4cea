/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_CLUSTER_H
#define FB_CLUSTER_H

#include "fabricbind/job.h"
#include "fabricbind/node.h"
#include "fabricbind/pod.h"
#include "fabricbind/policy.h"
#include "fabricbind/reading.h"
#include "fabricbind/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * A cluster as decisions see it: nodes with their readings and what is free on them, fabrics, and
 * the gangs that run. Built from objects in one go; never depends on their order.
 */

/** Index of no fabric, no site, no gang. */
#define FB_NONE SIZE_MAX

struct fb_gang_specs;

/** Nodes that reach each other at full speed. */
struct fb_fabric {
    const char *key;  /* what its nodes have in common */
    const char *name; /* the same for people: provider, shape, NIC resource and boundary */
    const char *pool; /* fabrics of one pool tell each other their NIC count: those of a known shape
                         only themselves */
    const struct fb_policy *policy; /* may be NULL */
    const struct fb_shape *shape;   /* may be NULL */
    const char *instance;
    bool has_nics;
    bool unknown; /* nobody knows what this one node can reach */
    enum fb_nic_kind kind;
    struct fb_texts nics;       /* NIC resources; for EACH all that a healthy node has */
    int64_t gpus;               /* of a healthy node; whole-node pods ask for all of them */
    struct fb_ratio auto_ratio; /* under `auto`; none where nobody knows */
    int64_t pool_nics;          /* the lower count that a whole pool shows; 0: none */
    size_t nodes;
};

struct fb_site {
    const struct fb_node *node;
    struct fb_reading reading;
    size_t fabric;
    struct fb_resources allocatable; /* NICs beyond the shape's are left out */
    struct fb_resources free;        /* never below 0 */
    struct fb_resources hidden;      /* NICs that its pods use without requesting them */
};

/** GPU pods of one job that run or wait, and how many there are to be. */
struct fb_gang {
    const char *key;          /* owner UID, JobSet uid label, LeaderWorkerSet group key */
    const char *space, *name; /* of the owner */
    const char *kind, *group; /* the same; "" where it has none */
    const struct fb_job *job; /* its owner's spec, or NULL */
    int64_t size;             /* GPU pods */
    size_t fabric; /* where its networked pods run, those of the first by name; FB_NONE */
};

/** One pod of the cluster. */
struct fb_resident {
    const struct fb_pod *pod;
    size_t site; /* FB_NONE: not on a node that is known */
    size_t gang; /* FB_NONE: none */
    bool networked;
};

struct fb_cluster {
    struct fb_arena *arena; /* borrowed */
    const struct fb_policies *policies;
    const struct fb_settings *settings;
    struct fb_site *sites; /* by node name in byte order */
    size_t sites_len;
    struct fb_fabric *fabrics; /* by key in byte order */
    size_t fabrics_len;
    struct fb_gang *gangs; /* by key in byte order */
    size_t gangs_len;
    struct fb_resident *residents; /* living pods, by namespace and name */
    size_t residents_len;
    const struct fb_gang_specs *specs; /* what owners say of gangs */
};

/** What a cluster is built from; all borrowed and outliving it. */
struct fb_objects {
    const struct fb_node *nodes;
    size_t nodes_len;
    const struct fb_pod *pods;
    size_t pods_len;
    const struct fb_jobs *jobs; /* owners, for gang sizes; may be NULL */
    const struct fb_podgroup *podgroups;
    size_t podgroups_len;
};

/**
 * Build a cluster in @arena. Two nodes of one name: the later one counts.
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_cluster_build(struct fb_arena *arena, const struct fb_objects *objects,
                                const struct fb_policies *policies,
                                const struct fb_settings *settings,
                                struct fb_cluster *ret) FB_CHECK;

/**
 * The same nodes with other pods: readings, fabrics and policies are borrowed from @base, which
 * must outlive @ret; of @objects its nodes are not looked at. The sites of @base may stand in any
 * order, those of @ret are by name.
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_cluster_with_pods(struct fb_arena *arena, const struct fb_cluster *base,
                                    const struct fb_objects *objects,
                                    struct fb_cluster *ret) FB_CHECK;

/** Index of the node called @name, or FB_NONE. */
size_t fb_cluster_find(const struct fb_cluster *cluster, const char *name);

/** Index of the fabric with this key, or FB_NONE. */
size_t fb_cluster_fabric(const struct fb_cluster *cluster, const char *key);

#endif
