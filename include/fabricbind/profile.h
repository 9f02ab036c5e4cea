/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_PROFILE_H
#define FB_PROFILE_H

#include "fabricbind/equip.h"
#include "fabricbind/need.h"
#include "fabricbind/profile_keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the network of the node that a pod lands on asks of it: three annotations of its Binding.
 */

/** Is @key one of the three. */
bool fb_profile_is_key(const char *key);

/** Where the downward API volume puts them in the pod. */
#define FB_PROFILE_DIR "/etc/fabricbind"
#define FB_PROFILE_TOPO_FILE FB_PROFILE_DIR "/nccl-topo.xml"

/** The API server's bound on all annotations of a pod, keys and values together. */
#define FB_PROFILE_LIMIT_BYTES ((size_t)256 * 1024)

struct fb_profile_input {
    const struct fb_site *site;
    const struct fb_fabric *fabric;
    const struct fb_need *need;      /* of the pod there */
    const struct fb_equip *equip;    /* of the node's provider and shape */
    const struct fb_texts *degraded; /* what injection left out */
    size_t pod_annotations_bytes;    /* keys and values that the pod has, these three left out */
};

struct fb_profile {
    const char *profile; /* compact JSON; its ratio is what `auto` goes by on that fabric */
    const char *conf;    /* KEY=VALUE lines; "" where there is nothing to say */
    const char *topo;    /* XML; "" where the shape has no topology */
};

/**
 * Make the profile of one pod on one node. Always all three, empty where not applicable: an old
 * value must not survive. Where all annotations together would exceed the limit, first the
 * topology (and the line that names its file) is dropped, then the conf; "degraded" in the profile
 * says so, and names settings that NCCL could not read from a line. Of a setting that is there
 * twice the first counts, as it does for NCCL; a NCCL_TOPO_FILE of the policy's own stays.
 *
 * @ret  filled on success, in @arena
 *
 * Returns FB_OK; FB_ENOMEM; FB_ELIMIT when even the profile alone is too much.
 */
enum fb_status fb_profile_make(struct fb_arena *arena, const struct fb_profile_input *in,
                               struct fb_profile *ret, struct fb_error *err) FB_CHECK;

/** What a signature adds to a profile at most; to be counted as the pod's beforehand. */
#define FB_PROFILE_SIGNATURE_BYTES ((size_t)128)

/**
 * @profile as fb_profile_make() made it, which is what is signed, with the text @signature as its
 * last member in place of null: who verifies puts the null back. In @arena; NULL when out of
 * memory, or over FB_PROFILE_SIGNATURE_BYTES.
 */
const char *fb_profile_sign(struct fb_arena *arena, const char *profile, const char *signature);

/**
 * NCCL's topology XML of @shape, which may be NULL. "" where the policy knows none, or has values
 * or numbers of devices that NCCL could not read. NULL when out of memory.
 *
 * @equip  link_speed NULL: 8 GT/s, for which NCCL takes an unknown one; nic_class NULL: Ethernet
 */
const char *fb_profile_topology(struct fb_arena *arena, const struct fb_shape *shape,
                                const struct fb_equip *equip);

#endif
