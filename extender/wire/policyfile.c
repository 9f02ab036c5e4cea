/* SPDX-License-Identifier: Apache-2.0 */
#include "policyfile_parts.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum fb_status out_of_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

enum fb_status fb_policyfile_missing(const struct fb_yaml *map, const char *key, const char *what,
                                     struct fb_error *err)
{
    return fb_error_set(err, FB_EINPUT, "line %zu: %s.%s: missing", map->line, key, what);
}

enum fb_status fb_policyfile_list(struct fb_policyfile_target *target, const struct fb_yaml *list,
                                  const char *key, fb_policyfile_element read, struct fb_error *err)
{
    enum fb_status st = FB_OK;

    if (list->type != FB_YAML_LIST)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: not a list", list->line, key);
    for (size_t i = 0; i < list->len && st == FB_OK; i++) {
        char path[FB_POLICYFILE_PATH];

        (void)snprintf(path, sizeof path, "%s[%zu]", key, i);
        st = read(target, &list->at[i], path, err);
    }
    return st;
}

static enum fb_status read_provider(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;

    return fb_policyfile_name(node, key, &policy->provider, err);
}

static enum fb_status read_tier(struct fb_policyfile_target *target, const struct fb_yaml *node,
                                const char *key, struct fb_error *err)
{
    struct fb_policy *policy = target->object;
    struct fb_tier_rule tier = {0};
    struct fb_tier_rule *at;
    enum fb_status st = fb_yaml_texts(target->arena, node, key, &tier.labels, err);

    if (st != FB_OK)
        return st;
    if (tier.labels.len == 0)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: no label", node->line, key);
    at = fb_arena_more(target->arena, policy->tiers, policy->tiers_len, &policy->tiers_size,
                       sizeof *at);
    if (at == NULL)
        return out_of_memory(err);
    policy->tiers = at;
    policy->tiers[policy->tiers_len++] = tier;
    return FB_OK;
}

static enum fb_status read_tiers(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    return fb_policyfile_list(into, node, key, read_tier, err);
}

static enum fb_status read_placeholders(void *into, const struct fb_yaml *node, const char *key,
                                        struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;

    return fb_yaml_texts(target->arena, node, key, &policy->placeholders, err);
}

static enum fb_status read_health_taints(void *into, const struct fb_yaml *node, const char *key,
                                         struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;

    return fb_yaml_texts(target->arena, node, key, &policy->health_taints, err);
}

static enum fb_status read_device_classes(void *into, const struct fb_yaml *node, const char *key,
                                          struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;

    return fb_yaml_texts(target->arena, node, key, &policy->nic_device_classes, err);
}

static enum fb_status read_assume(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;

    return fb_policyfile_name(node, key, &policy->assume, err);
}

static enum fb_status read_conf_file(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;

    return fb_policyfile_conf_file(&policy->equip, node, key, err);
}

static enum fb_status read_nic_class(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    static const struct fb_policyfile_form form = {fb_policyfile_is_pci_class,
                                                   "no PCI class such as 0x020700"};
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;

    return fb_policyfile_formed(node, key, &form, &policy->equip.nic_class, err);
}

static enum fb_status read_inject(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;

    return fb_policyfile_inject(target->arena, &policy->equip, node, key, err);
}

static enum fb_status read_bind(void *into, const struct fb_yaml *node, const char *key,
                                struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;

    return fb_policyfile_bind(target->arena, &policy->equip, node, key, err);
}

static const struct fb_yaml_key policy_rows[] = {
    {"provider", read_provider, "the provider's name; required"},
    {"detect", fb_policyfile_detect, "signs of its nodes, any one is enough; the first kind wins"},
    {"nics", fb_policyfile_nics,
     "list: what stands for NICs; the first that a node has units of wins"},
    {"boundary", fb_policyfile_boundary,
     "list: where a fabric ends; the first that a node has a value for wins"},
    {"tiers", read_tiers,
     "list, coarse to fine: the label of each tier of switches, or a list of its spellings, of "
     "which the first present wins"},
    {"placeholders", read_placeholders,
     "label values that say nothing; the empty one never says anything"},
    {"healthTaints", read_health_taints,
     "patterns of taint keys that mark a failing node, besides those of Kubernetes itself"},
    {"nicDeviceClasses", read_device_classes, "DRA DeviceClasses that stand for NICs"},
    {"assume", read_assume,
     "the shape of `shapes` to think of where no node is there and nothing is named"},
    {"confFile", read_conf_file,
     "how NCCL finds its nccl.conf: `env` by NCCL_CONF_FILE, `etc` at /etc/nccl.conf, `both`, or "
     "`none`; left out: `both`"},
    {"nicClass", read_nic_class, "PCI class of the NICs in topology files"},
    {"inject", read_inject, "what its pods get when they are created"},
    {"bind", read_bind, "lines of nccl.conf, set when a pod is bound: NCCL variables by name"},
    {"daemon", NULL, "versions of the daemon that `{version}` in a sidecar's container stands for"},
    {"shapes", fb_policyfile_shapes, "instance types by name, with their hardware facts"},
    {"helix", fb_policyfile_helix,
     "its part of NeMo Helix's multinodeNetworking block, besides `enabled`; absent: it has none"},
};

static const struct fb_policyfile_keys policy_keys = {"", policy_rows, COUNT(policy_rows)};

size_t fb_policyfile_keys(struct fb_policyfile_keys ret[FB_POLICYFILE_TABLES])
{
    const struct fb_policyfile_keys *const all[FB_POLICYFILE_TABLES] = {
        &policy_keys,
        &fb_policyfile_inject_keys,
        &fb_policyfile_mount_keys,
        &fb_policyfile_networks_keys,
        &fb_policyfile_interfaces_keys,
        &fb_policyfile_sidecar_keys,
        &fb_policyfile_sidecar_volume_keys,
        &fb_policyfile_daemon_keys,
        &fb_policyfile_detect_keys,
        &fb_policyfile_nic_keys,
        &fb_policyfile_boundary_keys,
        &fb_policyfile_shape_keys,
        &fb_policyfile_numa_keys,
        &fb_policyfile_switch_keys,
        &fb_policyfile_helix_keys,
        &fb_policyfile_helix_resource_keys,
    };

    for (size_t i = 0; i < COUNT(all); i++)
        ret[i] = *all[i];
    return COUNT(all);
}

static enum fb_status check_assume(const struct fb_yaml *document, const struct fb_policy *policy,
                                   struct fb_error *err)
{
    const struct fb_yaml *node = fb_yaml_find(document, "assume");

    if (node != NULL && fb_policy_shape(policy, policy->assume) == NULL)
        return fb_error_set(err, FB_EINPUT, "line %zu: assume: '%s' is none of shapes", node->line,
                            policy->assume);
    return FB_OK;
}

static enum fb_status read_document(struct fb_arena *arena, const struct fb_yaml_documents *all,
                                    struct fb_policy *ret, struct fb_error *err)
{
    struct fb_policyfile_target target = {arena, ret};
    enum fb_status st;

    if (all->len == 0)
        return fb_error_set(err, FB_EINPUT, "line 1: provider: missing");
    if (all->len > 1)
        return fb_error_set(err, FB_EINPUT, "line %zu: a second document", all->at[1].line);
    st = fb_yaml_read(&all->at[0], "", policy_rows, COUNT(policy_rows), &target, err);
    if (st == FB_OK && ret->provider == NULL)
        return fb_error_set(err, FB_EINPUT, "line %zu: provider: missing", all->at[0].line);
    if (st == FB_OK)
        st = check_assume(&all->at[0], ret, err);
    return st == FB_OK ? fb_policyfile_daemon(arena, &all->at[0], ret, err) : st;
}

static enum fb_status put(struct fb_arena *arena, struct fb_policies *into,
                          const struct fb_policy *policy, struct fb_error *err)
{
    struct fb_policy *at;

    for (size_t i = 0; i < into->len; i++) {
        if (fb_text_equal(into->at[i].provider, policy->provider)) {
            into->at[i] = *policy;
            return FB_OK;
        }
    }
    at = fb_arena_more(arena, into->at, into->len, &into->size, sizeof *at);
    if (at == NULL)
        return out_of_memory(err);
    into->at = at;
    into->at[into->len++] = *policy;
    return FB_OK;
}

enum fb_status fb_policyfile_read(struct fb_arena *arena, struct fb_policies *into,
                                  const char *text, size_t len, struct fb_error *err)
{
    struct fb_yaml_documents all = {0};
    struct fb_policy policy = {0};
    enum fb_status st = fb_yaml_parse(arena, text, len, &all, err);

    if (st == FB_OK)
        st = read_document(arena, &all, &policy, err);
    return st == FB_OK ? put(arena, into, &policy, err) : st;
}
