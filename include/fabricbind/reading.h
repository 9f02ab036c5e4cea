/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_READING_H
#define FB_READING_H

#include "fabricbind/node.h"
#include "fabricbind/policy.h"
#include "fabricbind/settings.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * How a node is read: its provider, shape, whole GPUs, working NICs, boundary and switch tiers.
 * All texts are borrowed from the node, the policy and the arena.
 */

/** What is wrong with a node, or not known of it. */
enum fb_problem {
    FB_PROBLEM_NICS_BELOW_SHAPE,
    FB_PROBLEM_NICS_ZERO,
    FB_PROBLEM_NICS_ABOVE_SHAPE,
    FB_PROBLEM_NICS_UNKNOWN,    /* the shared plugin does not tell */
    FB_PROBLEM_NO_NIC_RESOURCE, /* none by design, by DRA, or its plugin is absent */
    FB_PROBLEM_GPUS_BELOW_SHAPE,
    FB_PROBLEM_GPUS_SHARED,
    FB_PROBLEM_GPUS_MIG,
    FB_PROBLEM_NO_GPU,
    FB_PROBLEM_CORDONED, /* or tainted by its platform as failing */
    FB_PROBLEM_NOT_READY,
    FB_PROBLEM_NOT_INITIALISED,
    FB_PROBLEM_LABELS_PLACEHOLDER,
    FB_PROBLEM_SHAPE_UNKNOWN,
    FB_PROBLEM_BOUNDARY_UNKNOWN,
    FB_PROBLEMS,
};

/** "nics-below-shape" and so on. */
const char *fb_problem_code(enum fb_problem problem);

struct fb_reading {
    const struct fb_policy *policy;   /* NULL: no provider known */
    const struct fb_policy *detected; /* by the node's own signs, whatever is configured; or NULL */
    const struct fb_shape *shape;     /* NULL: unknown */
    const char *instance;             /* instance type without the provider's prefix; "" */
    const char *gpu;                  /* the GPU resource counted; NULL: none */
    int64_t gpus;                     /* whole GPUs for multi-node pods */
    int64_t gpus_full;                /* of a healthy node of this type */
    bool has_nics;                    /* kind is known: a NIC resource is advertised */
    enum fb_nic_kind kind;
    struct fb_resources units; /* allocatable by NIC resource, in byte order of the names */
    int64_t nics;              /* that really work for pods; -1: the node does not tell */
    struct fb_ratio ratio;     /* of the shape, else of the node */
    struct fb_pair boundary;   /* where it is read and the value; key NULL: unknown */
    struct fb_pairs tiers;     /* label and value, coarse to fine, those that are known */
    bool schedulable;          /* Ready, neither cordoned nor tainted by a health controller */
    uint32_t problems;         /* bit 1 << enum fb_problem */
};

/** Is @problem among those of @reading. */
bool fb_reading_has(const struct fb_reading *reading, enum fb_problem problem);

/** NICs of a healthy node of this shape; -1: unknown. */
int64_t fb_reading_shape_nics(const struct fb_reading *reading);

/**
 * Read @node.
 *
 * @ret  filled on success; lists are in @arena, texts borrowed from @node and @policies
 *
 * Returns FB_OK; FB_ENOMEM. A node is never refused: what is missing is unknown.
 */
enum fb_status fb_reading_make(struct fb_arena *arena, const struct fb_node *node,
                               const struct fb_policies *policies,
                               const struct fb_settings *settings, struct fb_reading *ret) FB_CHECK;

#endif
