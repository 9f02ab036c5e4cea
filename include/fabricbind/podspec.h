/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_PODSPEC_H
#define FB_PODSPEC_H

#include "fabricbind/pod.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * What injection reads of a pod besides struct fb_pod: which lists and maps are there, and the
 * names that are taken. All texts are borrowed and never NULL.
 */

struct fb_spec_container {
    const char *name;
    bool init;    /* of spec.initContainers */
    size_t index; /* in its list */
    bool has_env, has_mounts, has_resources, has_requests, has_limits;
    bool has_security, has_capabilities, has_add; /* securityContext and below */
    struct fb_texts env;                          /* names */
    struct fb_texts mounts;                /* paths taken, as the kubelet reads them: "/dev/shm" */
    struct fb_resources requests, limits;  /* as written */
    struct fb_texts capabilities, dropped; /* of securityContext: add and drop */
    bool privileged, says_escalation, says_seccomp;
    bool has_env_from; /* variables whose names nobody can tell here */
};

struct fb_spec_volume {
    const char *name;
    const char *kind; /* the key of its source: "emptyDir"; "" where it has none */
};

/** A term of required node affinity. */
struct fb_spec_term {
    size_t index; /* in its list */
    bool empty;   /* asks for nothing: it matches no node, and would with a requirement */
    bool has_expressions;
};

struct fb_podspec {
    struct fb_pairs labels, annotations; /* all of them */
    bool has_metadata, has_labels, has_annotations, has_volumes, has_init;
    struct fb_spec_container *containers; /* init containers first, then the main ones */
    size_t containers_len, containers_size;
    struct fb_spec_volume *volumes;
    size_t volumes_len, volumes_size;
    bool says_seccomp; /* of the whole pod */
    bool has_affinity, has_node_affinity, has_required;
    struct fb_spec_term *terms; /* in the order of fb_pod.terms */
    size_t terms_len, terms_size;
};

#endif
