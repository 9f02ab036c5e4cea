/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_EQUIP_H
#define FB_EQUIP_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * What a policy puts into pods: rules of a provider, and of a shape on top of them (by name, the
 * shape's win). Data of policies/<provider>.yaml; JSON texts are compact and valid.
 */

/** Pod Security levels of a namespace, the laxest first. */
enum fb_pod_security {
    FB_POD_SECURITY_PRIVILEGED,
    FB_POD_SECURITY_BASELINE,
    FB_POD_SECURITY_RESTRICTED,
};

/** "privileged", "baseline" or "restricted". */
const char *fb_pod_security_name(enum fb_pod_security level);

/** A volume and where GPU containers mount it. */
struct fb_equip_mount {
    const char *volume;   /* its name in the pod */
    const char *path;     /* mountPath */
    const char *source;   /* JSON of the volume's source: {"emptyDir":{"medium":"Memory"}} */
    const char *sub_path; /* NULL: the whole volume */
    const char *kind;     /* the source's one key: "emptyDir", "hostPath" */
    bool read_only;
    bool on; /* its policy key switches it on; what is off is left out */
};

/** A restartable init container that serves the GPU containers of the pod. */
struct fb_equip_sidecar {
    const char *name;
    const char *container;          /* compact JSON of the whole container, volumeMounts included */
    struct fb_equip_mount *volumes; /* all that it mounts: volume, source and kind are set */
    size_t volumes_len, volumes_size;
    enum fb_pod_security level; /* the strictest Pod Security level that lets it run */
};

/** Where NCCL finds its configuration. */
enum fb_conf_file {
    FB_CONF_FILE_BOTH, /* NCCL_CONF_FILE and /etc/nccl.conf */
    FB_CONF_FILE_ENV,
    FB_CONF_FILE_ETC,
    FB_CONF_FILE_NONE,
};

struct fb_equip {
    struct fb_pairs env; /* variables that do not depend on the node */
    struct fb_equip_mount *mounts;
    size_t mounts_len, mounts_size;
    struct fb_texts capabilities;    /* added to GPU containers */
    bool no_escalation;              /* allowPrivilegeEscalation: false where nothing is said */
    const char *seccomp;             /* type of the profile where nothing is said; NULL: none */
    struct fb_pairs requests;        /* of GPU containers that ask for none: {cpu: 100m} */
    struct fb_pairs annotations;     /* of the pod, where they are absent */
    const char *networks_annotation; /* Multus: one entry a NIC; NULL: none */
    const char *network;             /* that entry, unless the configuration names one */
    struct fb_pairs networks_by_nic; /* by NIC resource, in its place: see fb_equip_network() */
    /* A JSON list of {"interfaceName","network"}: the first interface for the pod's own network,
       then one for each NIC network in order. NULL: none. */
    const char *interfaces_annotation;
    const char *first_interface, *first_network; /* "eth0", "default" */
    const char *interface_prefix;                /* "eth" */
    long interface_from;                         /* number of the first NIC's interface */
    struct fb_equip_sidecar *sidecars;
    size_t sidecars_len, sidecars_size;
    const char *nccl_net; /* NCCL_NET where transport is required; NULL or "": none */
    struct fb_pairs conf; /* nccl.conf, set at bind; in order */
    bool has_conf_file;
    enum fb_conf_file conf_file;
    const char *link_speed; /* topology: PCI speed of the shape as NCCL spells it; NULL */
    const char *nic_class;  /* topology: PCI class of the NICs; NULL */
};

/**
 * @base with @over on top: what both name is @over's, in its place; what only @over names follows.
 * Mounts are named by path, sidecars and all else by name; capabilities are united. Of the two
 * interfaces_* groups one is taken whole.
 *
 * @base, @over  NULL stands for nothing
 * @ret          lists are new, in @arena, texts those of the two; nccl_net is never ""; written
 *               on success only
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_equip_merge(struct fb_arena *arena, const struct fb_equip *base,
                              const struct fb_equip *over, struct fb_equip *ret) FB_CHECK;

/** The Multus network of one NIC of @resource (NULL: not known), or NULL; borrowed from @equip. */
const char *fb_equip_network(const struct fb_equip *equip, const char *resource);

#endif
