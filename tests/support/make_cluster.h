/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_MAKE_CLUSTER_H
#define FB_TESTS_MAKE_CLUSTER_H

#include "fabricbind/cluster.h"

/**
 * Clusters by hand, a line an object. make_x() makes an object that could stand in a cluster as it
 * is, give_x() adds to one; what else a test wants it sets in the struct. Pointers stay valid until
 * builder_free(); texts are borrowed; out of memory or over the bounds below the test fails.
 */
#define BUILDER_POLICIES 8
#define BUILDER_NODES 256
#define BUILDER_PODS 512
#define BUILDER_JOBS 32
#define BUILDER_PARTS 32 /* shapes of a policy, containers of a pod and so on */

#define GPU "nvidia.com/gpu"
#define ZONE_LABEL "topology.kubernetes.io/zone"

struct builder {
    struct fb_arena *arena;
    struct fb_policies policies;
    struct fb_settings settings;
    struct fb_node *nodes;
    size_t nodes_len;
    struct fb_pod *pods;
    size_t pods_len;
    struct fb_jobs jobs;
    struct fb_podgroup *podgroups;
    size_t podgroups_len;
};

/** Empty, with make_settings() in it. */
struct builder *builder_new(void);
void builder_free(struct builder *builder);

/** The configuration's defaults: auto, gpuResources and owners of the design, weight 1000. */
void make_settings(struct builder *builder);

/** Nodes "<provider>://..." are its; boundary is the zone; one NIC rule unless @nic is NULL. */
struct fb_policy *make_policy(struct builder *builder, const char *provider, const char *nic,
                              enum fb_nic_kind kind);
struct fb_nic_rule *give_nic_rule(struct builder *builder, struct fb_policy *policy,
                                  const char *pattern, enum fb_nic_kind kind);
void give_tier(struct builder *builder, struct fb_policy *policy, const char *label);
struct fb_shape *make_shape(struct builder *builder, struct fb_policy *policy, const char *name,
                            int64_t gpus, int64_t nics);

/**
 * A ready node of the first policy's provider in zone "z1" with 192 CPUs, 2 TiB and 110 pods.
 *
 * @instance  "" for none
 * @gpus      of GPU; below 0: the resource is not there
 * @nic       NULL: no NIC resource
 */
struct fb_node *make_node(struct builder *builder, const char *name, const char *instance,
                          int64_t gpus, const char *nic, int64_t nics);

/** Set @amount of @resource in capacity and allocatable. */
void give_amount(struct builder *builder, struct fb_node *node, const char *resource,
                 int64_t amount);
/** Set a label, in place of the value that it had. */
void give_label(struct builder *builder, struct fb_node *node, const char *key, const char *value);
void give_taint(struct builder *builder, struct fb_node *node, const char *key, const char *value,
                const char *effect);

/** A pod of namespace "team", uid as its name, with one main container of @gpus (0: none). It runs
 * on @node, or is pending where that is NULL. */
struct fb_pod *make_pod(struct builder *builder, const char *name, const char *node, int64_t gpus);

/** The same as a value of nobody's cluster: a question or a template. */
struct fb_pod *make_template(struct builder *builder, const char *name, int64_t gpus);

/** Another container of @gpus GPUs, 0: none. */
struct fb_container *give_container(struct builder *builder, struct fb_pod *pod,
                                    enum fb_container_role role, int64_t gpus);
/** Set the request of container @index. */
void give_request(struct builder *builder, struct fb_pod *pod, size_t index, const char *resource,
                  int64_t amount);
void give_annotation(struct builder *builder, struct fb_pod *pod, const char *key,
                     const char *value);
void give_pod_label(struct builder *builder, struct fb_pod *pod, const char *key,
                    const char *value);
void give_selector(struct builder *builder, struct fb_pod *pod, const char *key, const char *value);
/** The controlling owner; its name is its @uid. */
void give_owner(struct builder *builder, struct fb_pod *pod, const char *kind, const char *group,
                const char *uid);
void give_toleration(struct builder *builder, struct fb_pod *pod,
                     const struct fb_toleration *toleration);

/** Required node affinity: another term, and another requirement in the last one. @values are
 * separated by spaces, "" for none. */
void give_term(struct builder *builder, struct fb_pod *pod);
void give_requirement(struct builder *builder, struct fb_pod *pod, const char *key, const char *op,
                      const char *values);

/** A Volcano Job "team/@name", its uid as its name, without tasks. */
struct fb_job *make_job(struct builder *builder, const char *name);
/** @pods pods named "{job}-{task}-{index}" with @gpus GPUs each. */
struct fb_task *give_task(struct builder *builder, struct fb_job *job, const char *name,
                          int64_t pods, int64_t gpus);
struct fb_podgroup *make_podgroup(struct builder *builder, const char *owner_uid,
                                  int64_t min_member);

/** Append to a list of texts. */
void give_text(struct builder *builder, struct fb_texts *texts, const char *text);

/** Build the cluster in the builder's arena; the test fails when that fails. */
struct fb_cluster build_cluster(struct builder *builder);

/** The objects, for a build in an arena of the test's own. */
struct fb_objects builder_objects(const struct builder *builder);

#endif
