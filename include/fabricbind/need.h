/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_NEED_H
#define FB_NEED_H

#include "fabricbind/cluster.h"

#include <stdbool.h>
#include <stdint.h>

/** What a pod takes from a node of a given fabric. */

/** Who says how many NICs a pod needs. */
enum fb_need_source {
    FB_NEED_NONE,       /* the pod has no network need */
    FB_NEED_OWN,        /* its own requests */
    FB_NEED_ANNOTATION, /* fabricbind.io/nics-per-gpu */
    FB_NEED_CONFIGURED,
    FB_NEED_AUTO, /* the shape's ratio, or what the pool shows */
};

struct fb_need {
    struct fb_resources all;  /* everything, NICs and one of "pods" included */
    struct fb_resources nics; /* NICs alone; amount 0 never */
    const char *gpu;          /* the GPU resource asked for; NULL: none */
    int64_t gpus;
    enum fb_need_source source;
    bool whole; /* the network is shared by whole nodes only */
    bool plain; /* so it is, and the pod is neither annotated nor asks for all GPUs of a node: here
                   it is not networked */
};

/** Why a pod's gang and network are what they are. */
enum fb_networking {
    FB_NETWORKING_NO,
    FB_NETWORKING_GANG,      /* not annotated: its owner matches and two GPU pods or more */
    FB_NETWORKING_ANNOTATED, /* fabricbind.io/networking or Helix's annotation */
};

/** What providers there are, and what is configured. */
struct fb_rules {
    const struct fb_policies *policies;
    const struct fb_settings *settings;
};

/** Does @owner_kind of @owner_group (indexed: a batch Job with indexes) own pods to be looked at.
 */
bool fb_settings_owns(const struct fb_settings *settings, const char *kind, const char *group,
                      bool indexed);

/**
 * Is @pod networked. @owned: its owner is in match.owners; @size: GPU pods of its gang.
 * A pod without whole GPUs never is.
 */
enum fb_networking fb_need_networking(const struct fb_pod *pod, const struct fb_settings *settings,
                                      bool owned, int64_t size);

/** Is the pod annotated for networking, GPUs or not. */
bool fb_need_annotated(const struct fb_pod *pod);

/** Whole GPUs that the pod asks for, as the kubelet counts; @ret_gpu: of which resource, or NULL.
 */
int64_t fb_need_gpus(const struct fb_pod *pod, const struct fb_settings *settings,
                     const char **ret_gpu);

/** Does the pod itself request NICs: of any provider, or the resource that is configured. */
bool fb_need_owns_nics(const struct fb_pod *pod, const struct fb_rules *rules);

/**
 * What @pod takes on @fabric. NULL fabric: requests alone.
 *
 * @ret  lists are in @arena; written on success
 *
 * Source: KEP-753 (sidecars), kubelet and kube-scheduler resource helpers.
 */
enum fb_status fb_need_make(struct fb_arena *arena, const struct fb_pod *pod,
                            enum fb_networking networking, const struct fb_fabric *fabric,
                            const struct fb_rules *rules, struct fb_need *ret) FB_CHECK;

/** NICs that one container with @gpus GPUs needs on @fabric by @ratio; see the design: Need. */
int64_t fb_need_nics(const struct fb_fabric *fabric, enum fb_need_source source,
                     struct fb_ratio ratio, int64_t gpus);

/** The ratio that speaks for @pod on @fabric, and who says it. */
struct fb_ratio fb_need_ratio(const struct fb_pod *pod, const struct fb_fabric *fabric,
                              const struct fb_settings *settings, enum fb_need_source *ret_source);

/** Is nothing added to the pod's own requests there: it asks for NICs itself, they come by
 * ResourceClaim or the host's network, or the shape has none. */
bool fb_need_leaves_nics(const struct fb_pod *pod, const struct fb_fabric *fabric,
                         const struct fb_rules *rules);

#endif
