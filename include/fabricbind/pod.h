/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_POD_H
#define FB_POD_H

#include "fabricbind/error.h"
#include "fabricbind/resources.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>

/** All texts are borrowed and never NULL unless said; "" where the object has none. */

enum fb_container_role {
    FB_CONTAINER_MAIN,
    FB_CONTAINER_INIT,    /* runs to its end before the main ones */
    FB_CONTAINER_SIDECAR, /* init container with restartPolicy Always */
};

struct fb_container {
    const char *name;
    enum fb_container_role role;
    struct fb_resources requests; /* where only a limit is set it is the request, by name */
    struct fb_resources limits;   /* as written */
};

struct fb_owner {
    const char *kind, *group, *name, *uid; /* group: apiVersion without the version */
    bool controller;
};

/** Source: k8s.io/api/core/v1, Toleration; op "" is Equal, key "" with Exists is every key. */
struct fb_toleration {
    const char *key, *op, *value, *effect;
};

/** key op values; of matchFields only metadata.name is known to the API: field is true then. */
struct fb_requirement {
    const char *key, *op; /* In, NotIn, Exists, DoesNotExist, Gt, Lt */
    struct fb_texts values;
    bool field;
};

/** All requirements must hold. */
struct fb_term {
    struct fb_requirement *at;
    size_t len, size;
};

struct fb_pod {
    const char *space, *name, *uid; /* metadata.namespace, name, uid */
    const char *node;               /* spec.nodeName */
    const char *phase;              /* status.phase */
    bool terminating;               /* has a deletionTimestamp */
    bool host_network;
    struct fb_pairs labels, annotations, selector; /* selector: spec.nodeSelector */
    size_t annotations_bytes; /* keys and values of all annotations, also of those not kept; the
                                 three of profile.h left out */
    struct fb_owner *owners;
    size_t owners_len, owners_size;
    struct fb_container *containers; /* of all roles, in the order of the object: init first */
    size_t containers_len, containers_size;
    struct fb_resources overhead;
    struct fb_toleration *tolerations;
    size_t tolerations_len, tolerations_size;
    bool has_affinity; /* required node affinity is there: one of terms must hold */
    struct fb_term *terms;
    size_t terms_len, terms_size;
    struct fb_texts device_classes; /* of its ResourceClaims, as far as told inline */
    struct fb_texts claims;         /* names of spec.resourceClaims */
};

/** Is it still taking its node's resources: phase neither Succeeded nor Failed. */
bool fb_pod_lives(const struct fb_pod *pod);

/** The controlling owner, else the first one, or NULL. */
const struct fb_owner *fb_pod_owner(const struct fb_pod *pod);

/** A copy of @pod with all that it points at, in @arena. FB_ENOMEM; @ret is written on success. */
enum fb_status fb_pod_copy(struct fb_arena *arena, const struct fb_pod *pod,
                           struct fb_pod *ret) FB_CHECK;

#endif
