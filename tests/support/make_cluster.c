/* SPDX-License-Identifier: Apache-2.0 */
#include "make_cluster.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more of @max; never moves, so that pointers into it stay valid. */
static void *room(struct builder *builder, void *at, size_t len, size_t max, size_t elem)
{
    assert_true(len < max);
    if (at == NULL)
        at = fb_arena_alloc(builder->arena, max * elem);
    assert_non_null(at);
    return at;
}

#define ONE_MORE(builder, at, len, max)                                                            \
    ((at) = room((builder), (at), (len), (max), sizeof *(at)), &(at)[(len)++])

static const char *copy(struct builder *builder, const char *text)
{
    const char *kept = fb_arena_text(builder->arena, text, strlen(text));

    assert_non_null(kept);
    return kept;
}

void give_text(struct builder *builder, struct fb_texts *texts, const char *text)
{
    *ONE_MORE(builder, texts->at, texts->len, BUILDER_PARTS) = text;
}

static void set_pair(struct builder *builder, struct fb_pairs *pairs, const char *key,
                     const char *value)
{
    for (size_t i = 0; i < pairs->len; i++) {
        if (strcmp(pairs->at[i].key, key) == 0) {
            pairs->at[i].value = value;
            return;
        }
    }
    *ONE_MORE(builder, pairs->at, pairs->len, BUILDER_PARTS) = (struct fb_pair){key, value};
}

static void set_amount(struct builder *builder, struct fb_resources *all, const char *name,
                       int64_t amount)
{
    assert_int_equal(fb_resources_set(builder->arena, all, name, amount), FB_OK);
}

struct builder *builder_new(void)
{
    struct builder *builder = calloc(1, sizeof *builder);

    assert_non_null(builder);
    builder->arena = fb_arena_new(0);
    assert_non_null(builder->arena);
    make_settings(builder);
    return builder;
}

void builder_free(struct builder *builder)
{
    fb_arena_free(builder->arena);
    free(builder);
}

void make_settings(struct builder *builder)
{
    static struct fb_owner_rule owners[] = {
        {"Job", "batch.volcano.sh", false},
        {"Job", "batch", true},
        {"JobSet", "jobset.x-k8s.io", false},
        {"PyTorchJob", "kubeflow.org", false},
        {"MPIJob", "kubeflow.org", false},
        {"TrainJob", "trainer.kubeflow.org", false},
        {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", false},
        {"RayCluster", "ray.io", false},
        {"RunaiJob", "run.ai", false},
    };
    struct fb_settings settings = {
        .ratio_mode = FB_RATIO_AUTO,
        .match_gangs = true,
        .owners = owners,
        .owners_len = COUNT(owners),
        .boundary = "",
        .placement = FB_PLACEMENT_REQUIRE,
        .scoring = {.weight = 1000, .locality = 0.8, .packing = 0.2},
    };

    give_text(builder, &settings.gpu_resources, GPU);
    give_text(builder, &settings.gpu_resources, "amd.com/gpu");
    builder->settings = settings;
}

struct fb_policy *make_policy(struct builder *builder, const char *provider, const char *nic,
                              enum fb_nic_kind kind)
{
    struct fb_policies *all = &builder->policies;
    struct fb_policy *policy = ONE_MORE(builder, all->at, all->len, BUILDER_POLICIES);
    char prefix[128];

    (void)snprintf(prefix, sizeof prefix, "%s://", provider);
    policy->provider = provider;
    give_text(builder, &policy->detect.provider_ids, copy(builder, prefix));
    ONE_MORE(builder, policy->boundary, policy->boundary_len, BUILDER_PARTS)->label = ZONE_LABEL;
    if (nic != NULL)
        give_nic_rule(builder, policy, nic, kind);
    return policy;
}

struct fb_nic_rule *give_nic_rule(struct builder *builder, struct fb_policy *policy,
                                  const char *pattern, enum fb_nic_kind kind)
{
    struct fb_nic_rule *rule = ONE_MORE(builder, policy->nics, policy->nics_len, BUILDER_PARTS);

    rule->pattern = pattern;
    rule->kind = kind;
    return rule;
}

void give_tier(struct builder *builder, struct fb_policy *policy, const char *label)
{
    struct fb_tier_rule *tier = ONE_MORE(builder, policy->tiers, policy->tiers_len, BUILDER_PARTS);

    give_text(builder, &tier->labels, label);
}

struct fb_shape *make_shape(struct builder *builder, struct fb_policy *policy, const char *name,
                            int64_t gpus, int64_t nics)
{
    struct fb_shape *shape = ONE_MORE(builder, policy->shapes, policy->shapes_len, BUILDER_PARTS);

    shape->name = name;
    shape->gpus = gpus;
    shape->nics = nics;
    return shape;
}

struct fb_node *make_node(struct builder *builder, const char *name, const char *instance,
                          int64_t gpus, const char *nic, int64_t nics)
{
    struct fb_node *node = ONE_MORE(builder, builder->nodes, builder->nodes_len, BUILDER_NODES);
    char id[256];

    (void)snprintf(id, sizeof id, "%s://%s",
                   builder->policies.len > 0 ? builder->policies.at[0].provider : "nobody", name);
    node->name = name;
    node->uid = name;
    node->provider_id = copy(builder, id);
    node->instance_type = instance;
    node->ready = true;
    give_label(builder, node, ZONE_LABEL, "z1");
    give_amount(builder, node, "cpu", 192000);
    give_amount(builder, node, "memory", INT64_C(2) << 40);
    give_amount(builder, node, "pods", 110);
    if (gpus >= 0)
        give_amount(builder, node, GPU, gpus);
    if (nic != NULL)
        give_amount(builder, node, nic, nics);
    return node;
}

void give_amount(struct builder *builder, struct fb_node *node, const char *resource,
                 int64_t amount)
{
    set_amount(builder, &node->capacity, resource, amount);
    set_amount(builder, &node->allocatable, resource, amount);
}

void give_label(struct builder *builder, struct fb_node *node, const char *key, const char *value)
{
    set_pair(builder, &node->labels, key, value);
}

void give_taint(struct builder *builder, struct fb_node *node, const char *key, const char *value,
                const char *effect)
{
    *ONE_MORE(builder, node->taints, node->taints_len, BUILDER_PARTS) =
        (struct fb_taint){key, value, effect};
}

static void fill_pod(struct builder *builder, struct fb_pod *pod, const char *name, int64_t gpus)
{
    *pod =
        (struct fb_pod){.space = "team", .name = name, .uid = name, .node = "", .phase = "Pending"};
    give_container(builder, pod, FB_CONTAINER_MAIN, gpus);
}

struct fb_pod *make_pod(struct builder *builder, const char *name, const char *node, int64_t gpus)
{
    struct fb_pod *pod = ONE_MORE(builder, builder->pods, builder->pods_len, BUILDER_PODS);

    fill_pod(builder, pod, name, gpus);
    if (node != NULL) {
        pod->node = node;
        pod->phase = "Running";
    }
    return pod;
}

struct fb_pod *make_template(struct builder *builder, const char *name, int64_t gpus)
{
    struct fb_pod *pod = fb_arena_alloc(builder->arena, sizeof *pod);

    assert_non_null(pod);
    fill_pod(builder, pod, name, gpus);
    return pod;
}

struct fb_container *give_container(struct builder *builder, struct fb_pod *pod,
                                    enum fb_container_role role, int64_t gpus)
{
    struct fb_container *container =
        ONE_MORE(builder, pod->containers, pod->containers_len, BUILDER_PARTS);

    container->name = "main";
    container->role = role;
    if (gpus > 0)
        set_amount(builder, &container->requests, GPU, gpus);
    return container;
}

void give_request(struct builder *builder, struct fb_pod *pod, size_t index, const char *resource,
                  int64_t amount)
{
    assert_true(index < pod->containers_len);
    set_amount(builder, &pod->containers[index].requests, resource, amount);
}

void give_annotation(struct builder *builder, struct fb_pod *pod, const char *key,
                     const char *value)
{
    set_pair(builder, &pod->annotations, key, value);
}

void give_pod_label(struct builder *builder, struct fb_pod *pod, const char *key, const char *value)
{
    set_pair(builder, &pod->labels, key, value);
}

void give_selector(struct builder *builder, struct fb_pod *pod, const char *key, const char *value)
{
    set_pair(builder, &pod->selector, key, value);
}

void give_owner(struct builder *builder, struct fb_pod *pod, const char *kind, const char *group,
                const char *uid)
{
    *ONE_MORE(builder, pod->owners, pod->owners_len, BUILDER_PARTS) = (struct fb_owner){
        .kind = kind, .group = group, .name = uid, .uid = uid, .controller = true};
}

void give_toleration(struct builder *builder, struct fb_pod *pod,
                     const struct fb_toleration *toleration)
{
    *ONE_MORE(builder, pod->tolerations, pod->tolerations_len, BUILDER_PARTS) = *toleration;
}

void give_term(struct builder *builder, struct fb_pod *pod)
{
    pod->has_affinity = true;
    (void)ONE_MORE(builder, pod->terms, pod->terms_len, BUILDER_PARTS);
}

void give_requirement(struct builder *builder, struct fb_pod *pod, const char *key, const char *op,
                      const char *values)
{
    struct fb_term *term;
    struct fb_requirement *want;

    assert_true(pod->terms_len > 0);
    term = &pod->terms[pod->terms_len - 1];
    want = ONE_MORE(builder, term->at, term->len, BUILDER_PARTS);
    want->key = key;
    want->op = op;
    while (*values != '\0') {
        size_t len = strcspn(values, " ");
        const char *value = fb_arena_text(builder->arena, values, len);

        assert_non_null(value);
        give_text(builder, &want->values, value);
        values += len + (values[len] == ' ' ? 1 : 0);
    }
}

struct fb_job *make_job(struct builder *builder, const char *name)
{
    struct fb_jobs *jobs = &builder->jobs;
    struct fb_job *job = ONE_MORE(builder, jobs->at, jobs->len, BUILDER_JOBS);

    *job = (struct fb_job){
        .kind = "Job",
        .group = "batch.volcano.sh",
        .space = "team",
        .name = name,
        .uid = name,
        .min = -1,
        .groups = 1,
    };
    return job;
}

struct fb_task *give_task(struct builder *builder, struct fb_job *job, const char *name,
                          int64_t pods, int64_t gpus)
{
    struct fb_task *task = ONE_MORE(builder, job->tasks, job->tasks_len, BUILDER_PARTS);

    task->name = name;
    task->pod_name = "{job}-{task}-{index}";
    task->pods = pods;
    task->inner = 1;
    task->min = -1;
    fill_pod(builder, &task->pod, "", gpus);
    task->pod.space = job->space;
    task->pod.uid = "";
    return task;
}

struct fb_podgroup *make_podgroup(struct builder *builder, const char *owner_uid,
                                  int64_t min_member)
{
    struct fb_podgroup *group =
        ONE_MORE(builder, builder->podgroups, builder->podgroups_len, BUILDER_JOBS);

    *group = (struct fb_podgroup){
        .space = "team",
        .name = owner_uid,
        .uid = owner_uid,
        .owner = {.kind = "Job",
                  .group = "batch.volcano.sh",
                  .name = owner_uid,
                  .uid = owner_uid,
                  .controller = true},
        .min_member = min_member,
    };
    return group;
}

struct fb_objects builder_objects(const struct builder *builder)
{
    struct fb_objects objects = {
        .nodes = builder->nodes,
        .nodes_len = builder->nodes_len,
        .pods = builder->pods,
        .pods_len = builder->pods_len,
        .jobs = &builder->jobs,
        .podgroups = builder->podgroups,
        .podgroups_len = builder->podgroups_len,
    };

    return objects;
}

struct fb_cluster build_cluster(struct builder *builder)
{
    struct fb_objects objects = builder_objects(builder);
    struct fb_cluster cluster;

    assert_int_equal(fb_cluster_build(builder->arena, &objects, &builder->policies,
                                      &builder->settings, &cluster),
                     FB_OK);
    return cluster;
}
