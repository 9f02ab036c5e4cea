/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_INJECTION_H
#define FB_INJECTION_H

#include "fabricbind/equip.h"
#include "fabricbind/need.h"
#include "fabricbind/podspec.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * What is put into a networked pod when it is created, because its spec is frozen afterwards: a
 * JSON Patch (RFC 6902). Everything is set only where it is absent, by name and in front of the
 * user's; applied twice it is the same as once. Only the annotations of profile_keys.h, and what
 * tells of degradation, are emptied where a user has set them: they are ours to say.
 */

/** "add" @value, a JSON text, at the JSON Pointer @path (RFC 6901). */
struct fb_patch_op {
    const char *path, *value;
};

struct fb_patch {
    struct fb_patch_op *at;
    size_t len, size;
};

/** One more at the end of @patch, which grows in @arena. FB_ENOMEM, then also for a @path or @value
 * that is NULL because there was no memory for it: @patch is as before. */
enum fb_status fb_patch_add(struct fb_arena *arena, struct fb_patch *patch, const char *path,
                            const char *value) FB_CHECK;

struct fb_injection_input {
    const struct fb_pod *pod;
    const struct fb_podspec *spec;
    enum fb_networking networking;
    const struct fb_fabric *fabric; /* for which the pod is made */
    const struct fb_equip *equip;   /* of the fabric's provider and shape */
    const struct fb_policies *policies;
    const struct fb_settings *settings;
    const char *network;        /* Multus network configured; NULL: the policy's */
    bool require_transport;     /* set NCCL_NET */
    enum fb_pod_security level; /* of the pod's namespace */
    struct fb_pairs pins;       /* node labels that hold the gang to its fabric */
};

struct fb_injection {
    struct fb_patch patch;
    struct fb_texts degraded; /* what the namespace's Pod Security level forbids, left out */
    struct fb_texts warnings;
    const char *refused; /* why the pod cannot be equipped at all; NULL: it can. Empty patch then */
};

/** More Multus networks than this on one pod are refused. */
#define FB_INJECTION_NETWORKS 1024

/**
 * Make the patch for one pod. A pod that is not networked gets an empty one.
 *
 * @ret  filled on success, in @arena
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_injection_make(struct fb_arena *arena, const struct fb_injection_input *in,
                                 struct fb_injection *ret) FB_CHECK;

#endif
