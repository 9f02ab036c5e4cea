/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_POLICY_H
#define FB_POLICY_H

#include "fabricbind/equip.h"
#include "fabricbind/ratio.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * What is known of one provider: how its nodes are told, which resources stand for NICs, where a
 * fabric ends, and the hardware facts of its instance types. Data of policies/<provider>.yaml;
 * every text lives in the arena of the set.
 */

/** What one unit of a NIC resource stands for. */
enum fb_nic_kind {
    FB_NIC_EXCLUSIVE, /* one NIC */
    FB_NIC_SLOT,      /* a pod's seat at all NICs of the node */
    FB_NIC_EACH,      /* the one NIC of that name: a pod takes one unit of every name */
};

/** "exclusive", "slot", "each". */
const char *fb_nic_kind_name(enum fb_nic_kind kind);

/** How nodes of the provider are told from others; any one sign is enough. */
struct fb_detect {
    struct fb_texts provider_ids;           /* prefixes of spec.providerID */
    struct fb_texts labels;                 /* label keys; "*" stands for any run */
    struct fb_texts instance_types;         /* patterns, after the prefixes are cut off */
    struct fb_texts instance_type_prefixes; /* cut off before shapes are looked up */
    struct fb_texts resources;              /* patterns of allocatable; the weakest sign */
};

/** A NIC resource; the first rule whose resource a node advertises wins. */
struct fb_nic_rule {
    const char *pattern; /* a name, or for EACH a pattern with "*" */
    enum fb_nic_kind kind;
    struct fb_texts exclude; /* patterns of names that are no GPU NICs */
};

/** Where a boundary is read: one of the two is set. */
struct fb_boundary_rule {
    const char *label;       /* a label key */
    const char *provider_id; /* a piece of spec.providerID with one "*" that is the value:
                                "virtualMachineScaleSets/" "*" "/" */
};

/** PCI addresses of one switch: GPUs and NICs that reach each other without the CPU. */
struct fb_pci_switch {
    struct fb_texts gpus, nics; /* "0000:10:1c.0" */
};

struct fb_pci_numa {
    int64_t numa;
    struct fb_pci_switch *at;
    size_t len, size;
};

/** An instance type. */
struct fb_shape {
    const char *name;
    int64_t gpus;      /* 0: none under a known GPU resource */
    int64_t nics;      /* of a healthy node, for pods; -1: nobody knows */
    int64_t gbps;      /* all NICs together; 0: not stated */
    bool host_network; /* NICs reach pods by host network only */
    bool dra;          /* NICs reach pods by ResourceClaim only */
    struct fb_pci_numa *topology;
    size_t topology_len, topology_size;
    struct fb_texts networks; /* usual names of its EACH networks, where no node tells them */
    struct fb_equip equip;    /* on top of the provider's */
};

/** One tier of switches: the label that names it, the first present of several spellings. */
struct fb_tier_rule {
    struct fb_texts labels;
};

/**
 * What the provider's part of NeMo Helix's multinodeNetworking block may hold beside "enabled":
 * names of keys, each NULL where there is none; all NULL: the provider is not part of the block.
 */
struct fb_helix {
    const char *ratio_key;       /* NICs per GPU */
    const char *resource_key;    /* the NIC resource, without resource_prefix */
    const char *resource_prefix; /* put in front of that value; NULL: nothing */
    const char *networks_key;    /* names behind the pattern of an EACH resource */
    const char *attachment_key;  /* the Multus network of a NIC */
};

struct fb_policy {
    const char *provider;
    struct fb_detect detect;
    struct fb_nic_rule *nics;
    size_t nics_len, nics_size;
    struct fb_boundary_rule *boundary;
    size_t boundary_len, boundary_size;
    struct fb_tier_rule *tiers; /* coarse to fine */
    size_t tiers_len, tiers_size;
    struct fb_texts placeholders;  /* label values that say nothing; the empty one always does */
    struct fb_texts health_taints; /* patterns of taints that mark a node as failing */
    struct fb_texts nic_device_classes; /* DRA DeviceClasses that stand for NICs */
    struct fb_shape *shapes;
    size_t shapes_len, shapes_size;
    struct fb_helix helix;
    struct fb_equip equip; /* what its pods get, at creation and at bind */
    const char *assume;    /* the shape to think of where no node is there and nothing is named */
};

/** All providers; borrowed by readers, immutable once loaded. */
struct fb_policies {
    struct fb_policy *at;
    size_t len, size;
};

/** The policy of @provider, or NULL. */
const struct fb_policy *fb_policies_find(const struct fb_policies *policies, const char *provider);

/** The shape called @name in @policy, or NULL. */
const struct fb_shape *fb_policy_shape(const struct fb_policy *policy, const char *name);

/** @instance_type without the first of the provider's prefixes that it has; borrowed from it. */
const char *fb_policy_instance(const struct fb_policy *policy, const char *instance_type);

/** Does @rule cover resource @name: its pattern matches and no exclusion does. */
bool fb_nic_rule_covers(const struct fb_nic_rule *rule, const char *name);

/** The resource of @network by an EACH rule: its pattern with @network for the "*". In @arena;
 * NULL when out of memory. */
const char *fb_nic_rule_name(struct fb_arena *arena, const struct fb_nic_rule *rule,
                             const char *network);

/** The first rule of @policy that covers resource @name, or NULL; exclusions respected. */
const struct fb_nic_rule *fb_policy_nic_rule(const struct fb_policy *policy, const char *name);

/** Does any provider call @name a NIC resource. */
bool fb_policies_nic(const struct fb_policies *policies, const char *name);

#endif
