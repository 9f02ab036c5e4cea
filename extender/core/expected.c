/* SPDX-License-Identifier: Apache-2.0 */
#include "expected.h"

#include "fabricbind/need.h"

#include <string.h>

static const char *const instance_labels[] = {
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
};

#define LABELS (sizeof instance_labels / sizeof instance_labels[0])

/* A shape and whose it is. */
struct found {
    const struct fb_policy *policy;
    const struct fb_shape *shape;
};

/* The shape called @name with at least @gpus GPUs, of the configured provider or of any. */
static bool find_shape(const struct fb_cluster *cluster, const char *name, int64_t gpus,
                       struct found *ret)
{
    const struct fb_policies *policies = cluster->policies;
    const char *only = cluster->settings->provider;

    for (size_t i = 0; name != NULL && i < policies->len; i++) {
        const struct fb_policy *policy = &policies->at[i];
        const struct fb_shape *shape = fb_policy_shape(policy, fb_policy_instance(policy, name));

        if ((only != NULL && !fb_text_equal(only, policy->provider)) || shape == NULL ||
            shape->gpus < gpus)
            continue;
        *ret = (struct found){policy, shape};
        return true;
    }
    return false;
}

static bool is_instance_label(const char *key)
{
    for (size_t i = 0; i < LABELS; i++) {
        if (fb_text_equal(key, instance_labels[i]))
            return true;
    }
    return false;
}

static bool in_terms(const struct fb_cluster *cluster, const struct fb_pod *pod, int64_t gpus,
                     struct found *ret)
{
    for (size_t t = 0; t < pod->terms_len; t++) {
        for (size_t i = 0; i < pod->terms[t].len; i++) {
            const struct fb_requirement *at = &pod->terms[t].at[i];

            if (at->field || !is_instance_label(at->key) || !fb_text_equal(at->op, "In"))
                continue;
            for (size_t v = 0; v < at->values.len; v++) {
                if (find_shape(cluster, at->values.at[v], gpus, ret))
                    return true;
            }
        }
    }
    return false;
}

static bool named(const struct fb_cluster *cluster, const struct fb_pod *pod, int64_t gpus,
                  struct found *ret)
{
    for (size_t i = 0; i < LABELS; i++) {
        if (find_shape(cluster, fb_pairs_find(&pod->selector, instance_labels[i]), gpus, ret))
            return true;
    }
    return in_terms(cluster, pod, gpus, ret);
}

static bool expected(const struct fb_cluster *cluster, int64_t gpus, struct found *ret)
{
    const struct fb_texts *shapes = &cluster->settings->expected_shapes;

    for (size_t i = 0; i < shapes->len; i++) {
        if (find_shape(cluster, shapes->at[i], gpus, ret))
            return true;
    }
    return false;
}

/* Of a configured provider alone: a number, or the shape that its policy assumes. */
static bool configured(const struct fb_cluster *cluster, struct found *ret)
{
    const struct fb_settings *settings = cluster->settings;
    const struct fb_policy *policy =
        settings->provider != NULL ? fb_policies_find(cluster->policies, settings->provider) : NULL;

    if (policy == NULL)
        return false;
    ret->policy = policy;
    ret->shape = policy->assume != NULL ? fb_policy_shape(policy, policy->assume) : NULL;
    return ret->shape != NULL || settings->ratio_mode == FB_RATIO_CONFIGURED;
}

/* The rule whose resource the nodes will have: the configured one, else the first plain one. */
static const struct fb_nic_rule *choose_rule(const struct fb_policy *policy,
                                             const struct fb_settings *settings)
{
    if (settings->nic_resource != NULL)
        return fb_policy_nic_rule(policy, settings->nic_resource);
    for (size_t i = 0; i < policy->nics_len; i++) {
        if (policy->nics[i].kind == FB_NIC_EACH || strchr(policy->nics[i].pattern, '*') == NULL)
            return &policy->nics[i];
    }
    return NULL;
}

static enum fb_status take_networks(const struct fb_cluster *cluster,
                                    const struct fb_nic_rule *rule, const struct found *found,
                                    struct fb_texts *ret)
{
    const struct fb_texts *networks = &cluster->settings->networks;
    enum fb_status st = FB_OK;

    if (networks->len == 0 && found->shape != NULL)
        networks = &found->shape->networks;
    for (size_t i = 0; st == FB_OK && i < networks->len; i++)
        st = fb_texts_add(cluster->arena, ret,
                          fb_nic_rule_name(cluster->arena, rule, networks->at[i]));
    return st;
}

static enum fb_status take_nics(const struct fb_cluster *cluster, const struct found *found,
                                struct fb_fabric *fabric)
{
    const struct fb_settings *settings = cluster->settings;
    const struct fb_nic_rule *rule = choose_rule(found->policy, settings);
    enum fb_status st = FB_OK;

    /* What the policy does not know is a shared plugin's. */
    fabric->kind = rule != NULL ? rule->kind : FB_NIC_SLOT;
    if (settings->nic_resource != NULL)
        st = fb_texts_add(cluster->arena, &fabric->nics, settings->nic_resource);
    else if (rule != NULL && rule->kind == FB_NIC_EACH)
        st = take_networks(cluster, rule, found, &fabric->nics);
    else if (rule != NULL)
        st = fb_texts_add(cluster->arena, &fabric->nics, rule->pattern);
    fabric->has_nics = fabric->nics.len > 0 && (found->shape == NULL || found->shape->nics != 0);
    return st;
}

enum fb_status fb_expected_fabric(const struct fb_cluster *cluster, const struct fb_pod *pod,
                                  const struct fb_fabric **ret, const char **ret_reason)
{
    struct fb_fabric *fabric = fb_arena_alloc(cluster->arena, sizeof *fabric);
    int64_t gpus = fb_need_gpus(pod, cluster->settings, NULL);
    struct found found = {NULL, NULL};
    enum fb_status st;

    if (fabric == NULL)
        return FB_ENOMEM;
    if (!named(cluster, pod, gpus, &found) && !expected(cluster, gpus, &found) &&
        !configured(cluster, &found)) {
        *ret = NULL;
        *ret_reason = "no node is there that this pod could go to, and no instance type is named "
                      "by its nodeSelector or affinity or by expectedShapes";
        return FB_OK;
    }
    fabric->policy = found.policy;
    fabric->shape = found.shape;
    fabric->instance = found.shape != NULL ? found.shape->name : "";
    fabric->key = fabric->instance;
    fabric->name = found.policy->provider;
    fabric->pool = fabric->key;
    fabric->gpus = found.shape != NULL ? found.shape->gpus : gpus;
    if (found.shape != NULL)
        fabric->auto_ratio = fb_ratio_of(found.shape->nics, found.shape->gpus);
    st = take_nics(cluster, &found, fabric);
    *ret = fabric;
    *ret_reason = NULL;
    return st;
}
