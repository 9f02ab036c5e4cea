/* SPDX-License-Identifier: Apache-2.0 */
#include "detect.h"

#include <string.h>

static bool by_provider_id(const struct fb_node *node, const struct fb_policy *policy)
{
    for (size_t i = 0; i < policy->detect.provider_ids.len; i++) {
        if (fb_text_has_prefix(node->provider_id, policy->detect.provider_ids.at[i]))
            return true;
    }
    return false;
}

static bool any_matches(const struct fb_texts *patterns, const char *text)
{
    for (size_t i = 0; i < patterns->len; i++) {
        if (fb_text_matches(text, patterns->at[i]))
            return true;
    }
    return false;
}

static bool by_label(const struct fb_node *node, const struct fb_policy *policy)
{
    for (size_t i = 0; i < node->labels.len; i++) {
        if (any_matches(&policy->detect.labels, node->labels.at[i].key))
            return true;
    }
    return false;
}

static bool by_instance_type(const struct fb_node *node, const struct fb_policy *policy)
{
    return any_matches(&policy->detect.instance_types,
                       fb_policy_instance(policy, node->instance_type));
}

static bool by_resource(const struct fb_node *node, const struct fb_policy *policy)
{
    for (size_t i = 0; i < node->allocatable.len; i++) {
        if (any_matches(&policy->detect.resources, node->allocatable.at[i].name))
            return true;
    }
    return false;
}

const struct fb_policy *fb_detect_provider(const struct fb_node *node,
                                           const struct fb_policies *policies)
{
    static bool (*const signs[])(const struct fb_node *, const struct fb_policy *) = {
        by_provider_id,
        by_label,
        by_instance_type,
        by_resource,
    };

    for (size_t s = 0; s < sizeof signs / sizeof signs[0]; s++) {
        const struct fb_policy *first = NULL;

        for (size_t i = 0; i < policies->len; i++) {
            const struct fb_policy *policy = &policies->at[i];

            if ((first == NULL || strcmp(policy->provider, first->provider) < 0) &&
                signs[s](node, policy))
                first = policy;
        }
        if (first != NULL)
            return first;
    }
    return NULL;
}

void fb_detect_shape(const struct fb_node *node, struct fb_reading *reading)
{
    reading->instance = node->instance_type;
    if (reading->policy == NULL)
        return;
    reading->instance = fb_policy_instance(reading->policy, node->instance_type);
    reading->shape = fb_policy_shape(reading->policy, reading->instance);
}

static bool marks_failing(const struct fb_reading *reading, const char *key)
{
    return fb_text_has_prefix(key, "node.kubernetes.io/") ||
           fb_text_has_prefix(key, "node.cloudprovider.kubernetes.io/") ||
           (reading->policy != NULL && any_matches(&reading->policy->health_taints, key));
}

bool fb_detect_health(const struct fb_node *node, struct fb_reading *reading)
{
    bool cordoned = node->unschedulable;
    bool silent = !node->ready;

    for (size_t i = 0; i < node->taints_len; i++) {
        const struct fb_taint *taint = &node->taints[i];

        if (fb_text_equal(taint->effect, "PreferNoSchedule") || !marks_failing(reading, taint->key))
            continue;
        if (fb_text_equal(taint->key, "node.kubernetes.io/not-ready") ||
            fb_text_equal(taint->key, "node.kubernetes.io/unreachable"))
            silent = true;
        else
            cordoned = true;
    }
    if (cordoned)
        reading->problems |= UINT32_C(1) << FB_PROBLEM_CORDONED;
    if (silent)
        reading->problems |= UINT32_C(1) << FB_PROBLEM_NOT_READY;
    return !cordoned && !silent;
}

/* The label's value where it says something; placeholders are told apart from absence. */
static const char *label_value(const struct fb_node *node, const struct fb_reading *reading,
                               const char *label, bool *placeholder)
{
    const char *value = fb_pairs_find(&node->labels, label);

    if (value == NULL)
        return NULL;
    if (*value == '\0' ||
        (reading->policy != NULL && fb_texts_has(&reading->policy->placeholders, value))) {
        *placeholder = true;
        return NULL;
    }
    return value;
}

/* The part of spec.providerID that "*" stands for: NULL where the pattern is not in it. */
static enum fb_status cut_provider_id(struct fb_arena *arena, const char *id, const char *pattern,
                                      const char **ret)
{
    const char *star = strchr(pattern, '*');
    const char *from = id;
    const char *to;

    *ret = NULL;
    if (star == NULL)
        return FB_OK;
    while (*from != '\0' && strncmp(from, pattern, (size_t)(star - pattern)) != 0)
        from++;
    if (*from == '\0')
        return FB_OK;
    from += star - pattern;
    to = star[1] != '\0' ? strstr(from, star + 1) : from + strlen(from);
    if (to == NULL || to == from)
        return FB_OK;
    *ret = fb_arena_text(arena, from, (size_t)(to - from));
    return *ret != NULL ? FB_OK : FB_ENOMEM;
}

/* The first place that says something; as with tiers, a placeholder counts where none does. */
static enum fb_status boundary_by_policy(struct fb_arena *arena, const struct fb_node *node,
                                         struct fb_reading *reading, bool *placeholder)
{
    const struct fb_policy *policy = reading->policy;
    bool empty = false;

    for (size_t i = 0; policy != NULL && i < policy->boundary_len; i++) {
        const struct fb_boundary_rule *rule = &policy->boundary[i];
        struct fb_pair found = {"spec.providerID", NULL};
        enum fb_status st = FB_OK;

        if (rule->label != NULL) {
            found.key = rule->label;
            found.value = label_value(node, reading, rule->label, &empty);
        } else {
            st = cut_provider_id(arena, node->provider_id, rule->provider_id, &found.value);
        }
        if (st != FB_OK)
            return st;
        if (found.value != NULL) {
            reading->boundary = found;
            return FB_OK;
        }
    }
    *placeholder = empty;
    return FB_OK;
}

static enum fb_status find_boundary(struct fb_arena *arena, const struct fb_node *node,
                                    const struct fb_settings *settings, struct fb_reading *reading,
                                    bool *placeholder)
{
    const char *label = settings->boundary;

    if (label == NULL || *label == '\0')
        return boundary_by_policy(arena, node, reading, placeholder);
    if (fb_text_equal(label, "none")) {
        reading->boundary = (struct fb_pair){"none", ""};
        return FB_OK;
    }
    if (fb_text_equal(label, "zone"))
        label = "topology.kubernetes.io/zone";
    reading->boundary.value = label_value(node, reading, label, placeholder);
    reading->boundary.key = reading->boundary.value != NULL ? label : NULL;
    return FB_OK;
}

/* The first spelling that says something; only where none does is it a placeholder's fault. */
static enum fb_status add_tier(struct fb_arena *arena, const struct fb_node *node,
                               const struct fb_tier_rule *tier, struct fb_reading *reading,
                               bool *placeholder)
{
    bool empty = false;

    for (size_t i = 0; i < tier->labels.len; i++) {
        const char *label = tier->labels.at[i];
        const char *value = label_value(node, reading, label, &empty);
        struct fb_pair *at;

        if (value == NULL)
            continue;
        at = fb_arena_more(arena, reading->tiers.at, reading->tiers.len, &reading->tiers.size,
                           sizeof *at);
        if (at == NULL)
            return FB_ENOMEM;
        reading->tiers.at = at;
        at[reading->tiers.len++] = (struct fb_pair){label, value};
        return FB_OK;
    }
    *placeholder = *placeholder || empty;
    return FB_OK;
}

enum fb_status fb_detect_place(struct fb_arena *arena, const struct fb_node *node,
                               const struct fb_settings *settings, struct fb_reading *reading,
                               bool *ret_placeholder)
{
    enum fb_status st = find_boundary(arena, node, settings, reading, ret_placeholder);

    for (size_t i = 0; st == FB_OK && reading->policy != NULL && i < reading->policy->tiers_len;
         i++)
        st = add_tier(arena, node, &reading->policy->tiers[i], reading, ret_placeholder);
    return st;
}
