/* SPDX-License-Identifier: Apache-2.0 */
#include "config_keys.h"

#include <string.h>

static enum fb_status read_group(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    return fb_yaml_text(node, key, &((struct fb_owner_rule *)into)->group, err);
}

static enum fb_status read_kind(void *into, const struct fb_yaml *node, const char *key,
                                struct fb_error *err)
{
    return fb_yaml_text(node, key, &((struct fb_owner_rule *)into)->kind, err);
}

static enum fb_status read_indexed(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    return fb_yaml_bool(node, key, &((struct fb_owner_rule *)into)->indexed, err);
}

static enum fb_status owner_from_map(const struct fb_yaml *node, const char *key,
                                     struct fb_owner_rule *owner, struct fb_error *err)
{
    static const struct fb_yaml_key keys[] = {
        {"group", read_group, "API group, without a version"},
        {"kind", read_kind, "kind"},
        {"indexed", read_indexed, "only with completionMode Indexed"},
    };
    enum fb_status st = fb_yaml_read(node, key, keys, sizeof keys / sizeof keys[0], owner, err);

    if (st != FB_OK)
        return st;
    if (owner->group == NULL || owner->kind == NULL || owner->group[0] == '\0' ||
        owner->kind[0] == '\0')
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: group and kind are both needed",
                            node->line, key);
    return FB_OK;
}

static enum fb_status owner_from_text(struct fb_arena *arena, const struct fb_yaml *node,
                                      const char *key, struct fb_owner_rule *owner,
                                      struct fb_error *err)
{
    const char *text = "";
    const char *slash;
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    slash = strchr(text, '/');
    if (slash == NULL || slash == text || slash[1] == '\0' || strchr(slash + 1, '/') != NULL)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is no group/Kind such as batch/Job",
                            node->line, key, text);
    owner->kind = slash + 1;
    owner->group = fb_arena_text(arena, text, (size_t)(slash - text));
    if (owner->group == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return FB_OK;
}

static enum fb_status owner_add(struct fb_config_reader *reader, const struct fb_yaml *node,
                                const char *key, struct fb_settings *settings, struct fb_error *err)
{
    struct fb_owner_rule owner = {0};
    struct fb_owner_rule *grown;
    enum fb_status st;

    if (node->type == FB_YAML_MAP)
        st = owner_from_map(node, key, &owner, err);
    else
        st = owner_from_text(reader->arena, node, key, &owner, err);
    if (st != FB_OK)
        return st;
    grown = fb_arena_more(reader->arena, settings->owners, settings->owners_len,
                          &settings->owners_size, sizeof *grown);
    if (grown == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    settings->owners = grown;
    settings->owners[settings->owners_len++] = owner;
    return FB_OK;
}

enum fb_status fb_config_read_owners(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    struct fb_config_reader *reader = into;
    struct fb_settings *settings = &reader->config->settings;
    enum fb_status st = FB_OK;

    settings->owners = NULL;
    settings->owners_len = settings->owners_size = 0;
    if (node->type != FB_YAML_LIST)
        return owner_add(reader, node, key, settings, err);
    for (size_t i = 0; i < node->len && st == FB_OK; i++)
        st = owner_add(reader, &node->at[i], key, settings, err);
    return st;
}
