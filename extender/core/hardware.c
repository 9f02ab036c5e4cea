/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A label beside the GPU resource: "<resource>.<what>", as NVIDIA's feature discovery sets it. */
static const char *gpu_label(const struct fb_node *node, const char *gpu, const char *what)
{
    char key[256];

    (void)snprintf(key, sizeof key, "%s.%s", gpu, what);
    return fb_pairs_find(&node->labels, key);
}

static bool has_amount(const struct fb_node *node, const char *pattern)
{
    for (size_t i = 0; i < node->allocatable.len; i++) {
        if (node->allocatable.at[i].amount > 0 &&
            fb_text_matches(node->allocatable.at[i].name, pattern))
            return true;
    }
    return false;
}

/* "<vendor>/mig-*" beside "<vendor>/gpu". */
static bool has_parts(const struct fb_node *node, const char *gpu)
{
    const char *slash = strchr(gpu, '/');
    char pattern[256];

    if (slash == NULL)
        return false;
    (void)snprintf(pattern, sizeof pattern, "%.*s/mig-*", (int)(slash - gpu), gpu);
    return has_amount(node, pattern);
}

/* "<resource>.shared": what time slicing offers when it renames. */
static bool has_slices(const struct fb_node *node, const char *gpu)
{
    char name[256];

    (void)snprintf(name, sizeof name, "%s.shared", gpu);
    return fb_resources_get(&node->allocatable, name) > 0;
}

/* Units of the GPU resource itself that are parts of GPUs. */
static bool is_mig(const struct fb_node *node, const char *gpu)
{
    const char *product = gpu_label(node, gpu, "product");

    return product != NULL && strstr(product, "-MIG-") != NULL;
}

static bool is_shared(const struct fb_node *node, const char *gpu)
{
    const char *product = gpu_label(node, gpu, "product");
    const char *replicas = gpu_label(node, gpu, "replicas");

    return (product != NULL && strstr(product, "-SHARED") != NULL) ||
           (replicas != NULL && strtol(replicas, NULL, 10) > 1);
}

static void note(struct fb_reading *reading, enum fb_problem problem)
{
    reading->problems |= UINT32_C(1) << problem;
}

/* The GPU resource of the node: the first that it has some of, else the first that it names. */
static const char *find_gpu(const struct fb_node *node, const struct fb_settings *settings)
{
    const char *named = NULL;

    for (size_t i = 0; i < settings->gpu_resources.len; i++) {
        const char *name = settings->gpu_resources.at[i];
        const struct fb_resource *entry = fb_resources_find(&node->allocatable, name);

        if (entry != NULL && entry->amount > 0)
            return name;
        if (entry != NULL && named == NULL)
            named = name;
    }
    return named;
}

/* Parts beside whole GPUs, under names of their own: they may be all that is left of the GPUs. */
static void note_parts(const struct fb_node *node, const struct fb_settings *settings,
                       struct fb_reading *reading)
{
    for (size_t i = 0; i < settings->gpu_resources.len; i++) {
        if (has_parts(node, settings->gpu_resources.at[i]))
            note(reading, FB_PROBLEM_GPUS_MIG);
        if (has_slices(node, settings->gpu_resources.at[i]))
            note(reading, FB_PROBLEM_GPUS_SHARED);
    }
}

void fb_hardware_gpus(const struct fb_node *node, const struct fb_settings *settings,
                      struct fb_reading *reading)
{
    const char *gpu = find_gpu(node, settings);
    int64_t shape = reading->shape != NULL ? reading->shape->gpus : 0;
    int64_t count;

    reading->gpus_full = shape;
    note_parts(node, settings, reading);
    if (gpu == NULL)
        return;
    reading->gpu = gpu;
    count = fb_resources_get(&node->allocatable, gpu);
    if (is_mig(node, gpu)) {
        note(reading, FB_PROBLEM_GPUS_MIG);
    } else if (is_shared(node, gpu) || (shape > 0 && count > shape)) {
        note(reading, FB_PROBLEM_GPUS_SHARED);
    } else {
        reading->gpus = count;
        if (shape == 0)
            reading->gpus_full = fb_resources_get(&node->capacity, gpu);
    }
    if (reading->gpus_full < reading->gpus)
        reading->gpus_full = reading->gpus;
}

static int by_name(const void *a, const void *b)
{
    const struct fb_resource *left = a;
    const struct fb_resource *right = b;

    return strcmp(left->name, right->name);
}

static enum fb_status take_units(struct fb_arena *arena, const struct fb_node *node,
                                 const struct fb_nic_rule *rule, struct fb_resources *units)
{
    for (size_t i = 0; i < node->allocatable.len; i++) {
        const struct fb_resource *entry = &node->allocatable.at[i];
        enum fb_status st = FB_OK;

        if (fb_nic_rule_covers(rule, entry->name))
            st = fb_resources_set(arena, units, entry->name, entry->amount);
        if (st != FB_OK)
            return st;
    }
    return FB_OK;
}

static bool all_zero(const struct fb_resources *units)
{
    for (size_t i = 0; i < units->len; i++) {
        if (units->at[i].amount > 0)
            return false;
    }
    return true;
}

/* The first rule with units wins; a resource left behind at 0 counts only if there is no other. */
static enum fb_status by_rules(struct fb_arena *arena, const struct fb_node *node,
                               struct fb_reading *reading)
{
    for (size_t i = 0; i < reading->policy->nics_len; i++) {
        const struct fb_nic_rule *rule = &reading->policy->nics[i];
        struct fb_resources units = {0};
        enum fb_status st = take_units(arena, node, rule, &units);

        if (st != FB_OK)
            return st;
        if (units.len == 0 || (reading->has_nics && all_zero(&units)))
            continue;
        reading->has_nics = true;
        reading->kind = rule->kind;
        reading->units = units;
        if (!all_zero(&units))
            break;
    }
    return FB_OK;
}

/* The configuration names the one resource; what the policy does not know is a shared plugin's. */
static enum fb_status by_name_configured(struct fb_arena *arena, const struct fb_node *node,
                                         const char *name, struct fb_reading *reading)
{
    const struct fb_nic_rule *rule = fb_policy_nic_rule(reading->policy, name);
    const struct fb_resource *entry = fb_resources_find(&node->allocatable, name);

    if (entry == NULL)
        return FB_OK;
    reading->has_nics = true;
    reading->kind = rule != NULL ? rule->kind : FB_NIC_SLOT;
    return fb_resources_set(arena, &reading->units, name, entry->amount);
}

/* The rule whose names are networks that can be told: "<before the star><network>". */
static const struct fb_nic_rule *network_rule(const struct fb_policy *policy)
{
    for (size_t i = 0; i < policy->nics_len; i++) {
        const struct fb_nic_rule *rule = &policy->nics[i];

        if (rule->kind == FB_NIC_EACH && strchr(rule->pattern, '*') != NULL)
            return rule;
    }
    return NULL;
}

/* Every network configured, also one that is absent. */
static enum fb_status by_networks(struct fb_arena *arena, const struct fb_node *node,
                                  const struct fb_settings *settings,
                                  const struct fb_nic_rule *rule, struct fb_reading *reading)
{
    reading->kind = FB_NIC_EACH;
    for (size_t i = 0; i < settings->networks.len; i++) {
        const char *text = fb_nic_rule_name(arena, rule, settings->networks.at[i]);

        if (text == NULL || fb_resources_set(arena, &reading->units, text,
                                             fb_resources_get(&node->allocatable, text)) != FB_OK)
            return FB_ENOMEM;
        if (fb_resources_find(&node->allocatable, text) != NULL)
            reading->has_nics = true;
    }
    if (!reading->has_nics)
        reading->units.len = 0;
    return FB_OK;
}

static int64_t working_nics(const struct fb_reading *reading)
{
    int64_t shape = fb_reading_shape_nics(reading);
    int64_t count = 0;

    if (!reading->has_nics || all_zero(&reading->units))
        return 0;
    if (reading->kind == FB_NIC_SLOT)
        return shape;
    for (size_t i = 0; i < reading->units.len; i++) {
        int64_t amount = reading->units.at[i].amount;

        if (reading->kind == FB_NIC_EACH && amount > 1)
            amount = 1;
        count = fb_amount_add(count, amount);
    }
    return shape >= 0 && count > shape ? shape : count;
}

enum fb_status fb_hardware_nics(struct fb_arena *arena, const struct fb_node *node,
                                const struct fb_settings *settings, struct fb_reading *reading)
{
    const struct fb_nic_rule *networks = NULL;
    enum fb_status st;

    if (reading->policy == NULL)
        return FB_OK;
    if (settings->networks.len > 0)
        networks = network_rule(reading->policy);
    if (settings->nic_resource != NULL)
        st = by_name_configured(arena, node, settings->nic_resource, reading);
    else if (networks != NULL)
        st = by_networks(arena, node, settings, networks, reading);
    else
        st = by_rules(arena, node, reading);
    if (st != FB_OK)
        return st;
    if (reading->units.len > 1)
        qsort(reading->units.at, reading->units.len, sizeof reading->units.at[0], by_name);
    reading->nics = working_nics(reading);
    return FB_OK;
}
