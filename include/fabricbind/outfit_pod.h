/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_OUTFIT_POD_H
#define FB_OUTFIT_POD_H

#include "fabricbind/injection.h"
#include "fabricbind/profile.h"

#include <stdbool.h>
#include <stddef.h>

/** What one pod gets: at creation, and at bind. What is made is in the cluster's arena. */

/** A pod that is created; borrowed. */
struct fb_outfit_new {
    const struct fb_cluster *cluster;
    const struct fb_pod *pod;
    const struct fb_podspec *spec; /* of the same pod */
    enum fb_networking networking;
    size_t planned;             /* index of the fabric chosen for its gang; FB_NONE: none */
    bool gang;                  /* one of a gang that has to keep together: fb_choice_due() */
    const char *network;        /* Multus network configured; NULL: the policy's */
    bool require_transport;     /* set NCCL_NET */
    enum fb_pod_security level; /* of its namespace */
};

/** What it gets at creation; all empty where it is not networked. */
struct fb_outfit_task {
    const struct fb_fabric *fabric; /* for which it is made; NULL: none */
    struct fb_injection injection;
    const char *denied; /* why a networked pod could not be made; NULL: it can */
    bool partial;       /* for it asks for a part of a node only, which is shared whole */
};

/** A pod that is bound; borrowed. */
struct fb_outfit_bound {
    const struct fb_cluster *cluster;
    const struct fb_pod *pod;
    enum fb_networking networking;
    size_t site;                     /* of the cluster; FB_NONE: not known */
    const struct fb_texts *degraded; /* what injection left out */
    size_t annotations_bytes;        /* as fb_profile_input.pod_annotations_bytes */
};

/** @ret is written on success. Returns FB_OK; FB_ENOMEM. */
enum fb_status fb_outfit_create(const struct fb_outfit_new *in,
                                struct fb_outfit_task *ret) FB_CHECK;

/**
 * @ret  written on success; all NULL where the pod is not networked or its node is of no fabric
 *
 * Returns as fb_profile_make().
 */
enum fb_status fb_outfit_bind(const struct fb_outfit_bound *in, struct fb_profile *ret,
                              struct fb_error *err) FB_CHECK;

#endif
