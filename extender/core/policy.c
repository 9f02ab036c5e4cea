/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/policy.h"

#include <stdio.h>
#include <string.h>

const char *fb_nic_kind_name(enum fb_nic_kind kind)
{
    switch (kind) {
    case FB_NIC_SLOT:
        return "slot";
    case FB_NIC_EACH:
        return "each";
    case FB_NIC_EXCLUSIVE:
    default:
        return "exclusive";
    }
}

const struct fb_policy *fb_policies_find(const struct fb_policies *policies, const char *provider)
{
    for (size_t i = 0; i < policies->len; i++) {
        if (fb_text_equal(policies->at[i].provider, provider))
            return &policies->at[i];
    }
    return NULL;
}

const struct fb_shape *fb_policy_shape(const struct fb_policy *policy, const char *name)
{
    for (size_t i = 0; i < policy->shapes_len; i++) {
        if (fb_text_equal(policy->shapes[i].name, name))
            return &policy->shapes[i];
    }
    return NULL;
}

const char *fb_policy_instance(const struct fb_policy *policy, const char *instance_type)
{
    const struct fb_texts *prefixes = &policy->detect.instance_type_prefixes;

    for (size_t i = 0; i < prefixes->len; i++) {
        if (fb_text_has_prefix(instance_type, prefixes->at[i]))
            return instance_type + strlen(prefixes->at[i]);
    }
    return instance_type;
}

bool fb_nic_rule_covers(const struct fb_nic_rule *rule, const char *name)
{
    if (!fb_text_matches(name, rule->pattern))
        return false;
    for (size_t i = 0; i < rule->exclude.len; i++) {
        if (fb_text_matches(name, rule->exclude.at[i]))
            return false;
    }
    return true;
}

const char *fb_nic_rule_name(struct fb_arena *arena, const struct fb_nic_rule *rule,
                             const char *network)
{
    const char *star = strchr(rule->pattern, '*');
    int before = star != NULL ? (int)(star - rule->pattern) : (int)strlen(rule->pattern);
    char name[512]; /* longer names than this are no resource's */

    (void)snprintf(name, sizeof name, "%.*s%s", before, rule->pattern, network);
    return fb_arena_text(arena, name, strlen(name));
}

const struct fb_nic_rule *fb_policy_nic_rule(const struct fb_policy *policy, const char *name)
{
    for (size_t i = 0; i < policy->nics_len; i++) {
        if (fb_nic_rule_covers(&policy->nics[i], name))
            return &policy->nics[i];
    }
    return NULL;
}

bool fb_policies_nic(const struct fb_policies *policies, const char *name)
{
    for (size_t i = 0; i < policies->len; i++) {
        if (fb_policy_nic_rule(&policies->at[i], name) != NULL)
            return true;
    }
    return false;
}
