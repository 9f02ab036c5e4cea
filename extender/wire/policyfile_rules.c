/* SPDX-License-Identifier: Apache-2.0 */
#include "policyfile_parts.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum fb_status out_of_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

static enum fb_status detect_provider_id(void *into, const struct fb_yaml *node, const char *key,
                                         struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_detect *detect = target->object;

    return fb_yaml_texts(target->arena, node, key, &detect->provider_ids, err);
}

static enum fb_status detect_labels(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_detect *detect = target->object;

    return fb_yaml_texts(target->arena, node, key, &detect->labels, err);
}

static enum fb_status detect_types(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_detect *detect = target->object;

    return fb_yaml_texts(target->arena, node, key, &detect->instance_types, err);
}

static enum fb_status detect_type_prefixes(void *into, const struct fb_yaml *node, const char *key,
                                           struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_detect *detect = target->object;

    return fb_yaml_texts(target->arena, node, key, &detect->instance_type_prefixes, err);
}

static enum fb_status detect_resources(void *into, const struct fb_yaml *node, const char *key,
                                       struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_detect *detect = target->object;

    return fb_yaml_texts(target->arena, node, key, &detect->resources, err);
}

/* In the order in which they are believed. */
static const struct fb_yaml_key detect_rows[] = {
    {"providerID", detect_provider_id, "prefixes of spec.providerID"},
    {"labels", detect_labels, "label keys; `*` stands for any run of characters"},
    {"instanceTypes", detect_types, "patterns of the instance type without its prefix"},
    {"instanceTypePrefixes", detect_type_prefixes,
     "cut off the instance type before shapes are looked up; no sign by itself"},
    {"resources", detect_resources, "patterns of resources in status.allocatable"},
};

const struct fb_policyfile_keys fb_policyfile_detect_keys = {"detect.", detect_rows,
                                                             COUNT(detect_rows)};

enum fb_status fb_policyfile_detect(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;
    struct fb_policyfile_target inner = {target->arena, &policy->detect};

    return fb_yaml_read(node, key, detect_rows, COUNT(detect_rows), &inner, err);
}

static enum fb_status nic_resource(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_nic_rule *rule = target->object;
    enum fb_status st = fb_yaml_text(node, key, &rule->pattern, err);

    if (st == FB_OK && strchr(rule->pattern, '*') != NULL)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is a pattern, not a name",
                            node->line, key, rule->pattern);
    return st;
}

static enum fb_status nic_pattern(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_nic_rule *rule = target->object;

    return fb_yaml_text(node, key, &rule->pattern, err);
}

static enum fb_status nic_kind(void *into, const struct fb_yaml *node, const char *key,
                               struct fb_error *err)
{
    static const enum fb_nic_kind kinds[] = {FB_NIC_EXCLUSIVE, FB_NIC_SLOT, FB_NIC_EACH};
    struct fb_policyfile_target *target = into;
    struct fb_nic_rule *rule = target->object;
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (strcmp(text, fb_nic_kind_name(kinds[i])) == 0) {
            rule->kind = kinds[i];
            return FB_OK;
        }
    }
    return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is none of exclusive, slot, each",
                        node->line, key, text);
}

static enum fb_status nic_exclude(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_nic_rule *rule = target->object;

    return fb_yaml_texts(target->arena, node, key, &rule->exclude, err);
}

static const struct fb_yaml_key nic_rows[] = {
    {"resource", nic_resource, "name of the extended resource; this or `pattern` is required"},
    {"pattern", nic_pattern, "names of several; `*` stands for any run of characters"},
    {"kind", nic_kind,
     "what one unit is: `exclusive` one NIC, `slot` a pod's seat at all NICs of the node, `each` "
     "the one NIC of that name; required"},
    {"exclude", nic_exclude, "patterns of names that `pattern` covers and that are no GPU NICs"},
};

const struct fb_policyfile_keys fb_policyfile_nic_keys = {"nics[].", nic_rows, COUNT(nic_rows)};

static enum fb_status check_nic(const struct fb_yaml *node, const char *key, struct fb_error *err)
{
    bool resource = fb_yaml_find(node, "resource") != NULL;
    bool pattern = fb_yaml_find(node, "pattern") != NULL;

    if (resource == pattern)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: %s", node->line, key,
                            resource ? "resource and pattern exclude each other"
                                     : "resource or pattern is missing");
    if (fb_yaml_find(node, "kind") == NULL)
        return fb_policyfile_missing(node, key, "kind", err);
    return FB_OK;
}

static enum fb_status read_nic(struct fb_policyfile_target *target, const struct fb_yaml *node,
                               const char *key, struct fb_error *err)
{
    struct fb_policy *policy = target->object;
    struct fb_nic_rule rule = {0};
    struct fb_policyfile_target inner = {target->arena, &rule};
    struct fb_nic_rule *at;
    enum fb_status st = fb_yaml_read(node, key, nic_rows, COUNT(nic_rows), &inner, err);

    if (st == FB_OK)
        st = check_nic(node, key, err);
    if (st != FB_OK)
        return st;
    at = fb_arena_more(target->arena, policy->nics, policy->nics_len, &policy->nics_size,
                       sizeof *at);
    if (at == NULL)
        return out_of_memory(err);
    policy->nics = at;
    policy->nics[policy->nics_len++] = rule;
    return FB_OK;
}

enum fb_status fb_policyfile_nics(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    return fb_policyfile_list(into, node, key, read_nic, err);
}

static enum fb_status boundary_label(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_boundary_rule *rule = target->object;

    return fb_yaml_text(node, key, &rule->label, err);
}

static enum fb_status boundary_provider_id(void *into, const struct fb_yaml *node, const char *key,
                                           struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_boundary_rule *rule = target->object;
    enum fb_status st = fb_yaml_text(node, key, &rule->provider_id, err);
    const char *star;

    if (st != FB_OK)
        return st;
    star = strchr(rule->provider_id, '*');
    if (star == NULL || strchr(star + 1, '*') != NULL)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' has not exactly one '*'",
                            node->line, key, rule->provider_id);
    return FB_OK;
}

static const struct fb_yaml_key boundary_rows[] = {
    {"label", boundary_label, "the value of this label; this or `providerID` is required"},
    {"providerID", boundary_provider_id,
     "a piece of spec.providerID; the one `*` in it is the value"},
};

const struct fb_policyfile_keys fb_policyfile_boundary_keys = {"boundary[].", boundary_rows,
                                                               COUNT(boundary_rows)};

static enum fb_status read_boundary(struct fb_policyfile_target *target, const struct fb_yaml *node,
                                    const char *key, struct fb_error *err)
{
    struct fb_policy *policy = target->object;
    struct fb_boundary_rule rule = {0};
    struct fb_policyfile_target inner = {target->arena, &rule};
    struct fb_boundary_rule *at;
    enum fb_status st = fb_yaml_read(node, key, boundary_rows, COUNT(boundary_rows), &inner, err);

    if (st != FB_OK)
        return st;
    if ((rule.label == NULL) == (rule.provider_id == NULL))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: %s", node->line, key,
                            rule.label != NULL ? "label and providerID exclude each other"
                                               : "label or providerID is missing");
    at = fb_arena_more(target->arena, policy->boundary, policy->boundary_len,
                       &policy->boundary_size, sizeof *at);
    if (at == NULL)
        return out_of_memory(err);
    policy->boundary = at;
    policy->boundary[policy->boundary_len++] = rule;
    return FB_OK;
}

enum fb_status fb_policyfile_boundary(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    return fb_policyfile_list(into, node, key, read_boundary, err);
}
