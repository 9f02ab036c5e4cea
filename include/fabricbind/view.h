/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_VIEW_H
#define FB_VIEW_H

#include "fabricbind/cluster.h"
#include "fabricbind/sight.h"

#include <stddef.h>
#include <stdint.h>

/** The world that decisions are made in: what the inventory tells, and when. All borrowed. */
struct fb_scene {
    const struct fb_cluster *cluster; /* without nodes where there is no inventory */
    const struct fb_objects *objects; /* that it was built from */
    uint64_t generation;              /* rises with every new cluster; requests under way may still
                                         have the one before */
    int64_t now_ms;                   /* of a clock that never goes back */
    int64_t told_ms;                  /* when the API server last spoke, by that clock: pods that
                                         were there before and are not told are gone; 0: unknown */
};

/**
 * The nodes of one request: as the inventory tells them, or as the request does where the inventory
 * does not know them; what is free on them is what the scheduler says.
 *
 * Free = idle + releasing - pipelined - NICs that the node's networked pods use without requesting
 * them; never below 0.
 */
struct fb_view {
    struct fb_arena *arena;    /* borrowed */
    struct fb_cluster cluster; /* sites: one a node, in the order of the request; fabrics: those of
                                  the scene, then those of nodes that it does not know */
    size_t sites_size;
    size_t fabrics_size; /* 0: the fabrics are still the scene's own array */
};

/** Start an empty view in @arena. */
void fb_view_init(struct fb_view *view, struct fb_arena *arena, const struct fb_scene *scene);

/** Does the scene know @node, so that its object need not be read. */
bool fb_view_knows(const struct fb_scene *scene, const char *node);

/**
 * Add a node; what is kept of it is copied. A node that neither the scene nor the request describes
 * is one without labels and resources. One that the scene does not know and whose fabric it does is
 * of that fabric.
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_view_add(struct fb_view *view, const struct fb_scene *scene,
                           const struct fb_sight *sight) FB_CHECK;

#endif
