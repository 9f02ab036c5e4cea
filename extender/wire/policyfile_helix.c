/* SPDX-License-Identifier: Apache-2.0 */
#include "policyfile_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct fb_helix *helix_of(void *into)
{
    struct fb_policyfile_target *target = into;

    return target->object;
}

static enum fb_status helix_ratio(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    return fb_policyfile_name(node, key, &helix_of(into)->ratio_key, err);
}

static enum fb_status resource_key(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    return fb_policyfile_name(node, key, &helix_of(into)->resource_key, err);
}

static enum fb_status resource_prefix(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    return fb_policyfile_name(node, key, &helix_of(into)->resource_prefix, err);
}

static const struct fb_yaml_key resource_rows[] = {
    {"key", resource_key, "its key there; required"},
    {"prefix", resource_prefix, "what belongs in front of the value given there"},
};

const struct fb_policyfile_keys fb_policyfile_helix_resource_keys = {
    "helix.resource.", resource_rows, COUNT(resource_rows)};

static enum fb_status helix_resource(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    enum fb_status st = fb_yaml_read(node, key, resource_rows, COUNT(resource_rows), into, err);

    if (st == FB_OK && helix_of(into)->resource_key == NULL)
        return fb_policyfile_missing(node, key, "key", err);
    return st;
}

static enum fb_status helix_networks(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    return fb_policyfile_name(node, key, &helix_of(into)->networks_key, err);
}

static enum fb_status helix_attachment(void *into, const struct fb_yaml *node, const char *key,
                                       struct fb_error *err)
{
    return fb_policyfile_name(node, key, &helix_of(into)->attachment_key, err);
}

static const struct fb_yaml_key helix_rows[] = {
    {"ratio", helix_ratio, "the key there for NICs per GPU"},
    {"resource", helix_resource, "the key there for the NIC resource"},
    {"networks", helix_networks, "the key there for the names of `each` networks"},
    {"networkAttachment", helix_attachment, "the key there for the Multus network of a NIC"},
};

const struct fb_policyfile_keys fb_policyfile_helix_keys = {"helix.", helix_rows,
                                                            COUNT(helix_rows)};

enum fb_status fb_policyfile_helix(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_policy *policy = target->object;
    struct fb_policyfile_target inner = {target->arena, &policy->helix};

    return fb_yaml_read(node, key, helix_rows, COUNT(helix_rows), &inner, err);
}
