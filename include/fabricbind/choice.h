/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_CHOICE_H
#define FB_CHOICE_H

#include "fabricbind/cluster.h"
#include "fabricbind/need.h"

#include <stdbool.h>

/**
 * For which fabric the pods of a gang are made: chosen once, when its first pod is created, and
 * kept as an annotation of the gang's PodGroup or owner.
 */

/** Key of that annotation; its value is the fabric's key. Gangs of a LeaderWorkerSet have one
 * owner, so the number of the group is behind it: "fabricbind.io/fabric.3". */
#define FB_CHOICE_KEY "fabricbind.io/fabric"
#define FB_CHOICE_KEY_BYTES 48

/** The key for the gang of @pod. Returns @text. */
const char *fb_choice_key(const struct fb_gang *gang, const struct fb_pod *pod,
                          char text[FB_CHOICE_KEY_BYTES]);

/** Is there a choice to make: the pod is networked and one of a gang of two or more. An annotated
 * pod whose owner nobody knows is taken for one. */
bool fb_choice_due(const struct fb_gang *gang, enum fb_networking networking);

/** The fabric's key as the inventory tells it, of the pod group of @gang before its owner; NULL:
 * none is told. @pod is any of the gang. */
const char *fb_choice_told(const struct fb_cluster *cluster, const struct fb_gang *gang,
                           const struct fb_pod *pod);

/**
 * Index of the fabric that @told, a key as it was kept, stands for: one of this key, else the
 * largest that differs in NIC resources only, for these come and go with their plugins. FB_NONE: it
 * has no node any more, or @told is NULL.
 */
size_t fb_choice_find(const struct fb_cluster *cluster, const char *told);

/** A choice that was made and that the inventory perhaps does not tell yet. */
struct fb_choice_note {
    const struct fb_pod *pod; /* for which it was made */
    const char *fabric;       /* key */
};

struct fb_choice_input {
    const struct fb_cluster *cluster; /* read only, also its arena */
    const struct fb_objects *objects; /* that it was built from */
    const struct fb_pod *pod;         /* at creation; it need not have a name */
    const struct fb_choice_note *notes;
    size_t notes_len;
};

/** Gangs that one choice leaves room for; what is beyond, by name, is left out, for pods wait to be
 * created while they are planned. */
#define FB_CHOICE_RESERVATIONS 64

/**
 * Choose the fabric for the gang of @in->pod: that of members which are placed; else the one of its
 * plan, made for the whole gang on what is free, where pods of other gangs that are not placed yet
 * count as placed on the fabrics chosen for them; else the one that would hold it were all nodes
 * empty; else the one with most nodes that the pod could go to.
 *
 * @ret_fabric  index in @in->cluster; FB_NONE: no choice is due, or there is no such node
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_choice_plan(struct fb_arena *arena, const struct fb_choice_input *in,
                              size_t *ret_fabric) FB_CHECK;

#endif
