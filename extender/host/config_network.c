/* SPDX-License-Identifier: Apache-2.0 */
#include "config_keys.h"

#include <stdio.h>
#include <string.h>

#define NAMES_BYTES 128

/* What the block says of one provider. */
struct choice {
    struct fb_arena *arena;
    const struct fb_policy *policy;
    bool enabled;
    enum fb_ratio_mode mode;
    struct fb_ratio ratio;
    const char *resource, *attachment; /* NULL: not given */
    struct fb_texts networks;
};

/* The block while it is read. */
struct block {
    struct fb_config_reader *reader;
    const char *key;
    struct fb_texts enabled; /* names */
    struct choice chosen;    /* the last enabled one */
};

static bool in_block(const struct fb_policy *policy)
{
    const struct fb_helix *helix = &policy->helix;

    return helix->ratio_key != NULL || helix->resource_key != NULL || helix->networks_key != NULL ||
           helix->attachment_key != NULL;
}

static enum fb_status add(struct fb_arena *arena, struct fb_texts *texts, const char *text,
                          struct fb_error *err)
{
    if (fb_texts_add(arena, texts, text) != FB_OK)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return FB_OK;
}

/* "a", "a and b", "a, b and c"; cut when there are too many. */
static void join(const struct fb_texts *names, const char *final, char text[NAMES_BYTES])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < names->len && used < NAMES_BYTES; i++) {
        const char *before = i == 0 ? "" : (i + 1 == names->len ? final : ", ");
        int len = snprintf(text + used, NAMES_BYTES - used, "%s%s", before, names->at[i]);

        used += len > 0 ? (size_t)len : 0;
    }
}

static enum fb_status read_enabled(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    return fb_yaml_bool(node, key, &((struct choice *)into)->enabled, err);
}

static enum fb_status read_ratio(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    struct choice *choice = into;
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    if (strcmp(text, "auto") == 0) {
        choice->mode = FB_RATIO_AUTO;
    } else if (strcmp(text, "shape") == 0) {
        choice->mode = FB_RATIO_SHAPE;
    } else {
        choice->mode = FB_RATIO_CONFIGURED;
        if (fb_ratio_parse(text, &choice->ratio, NULL) != FB_OK)
            return fb_error_set(err, FB_EINPUT,
                                "line %zu: %s: '%.40s' is no ratio above 0 such as 4, 1/2 or 0.5, "
                                "nor auto or shape",
                                node->line, key, text);
    }
    return FB_OK;
}

/* The chart puts a prefix in front of the name; a name that has it already is taken as meant. */
static enum fb_status read_resource(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    struct choice *choice = into;
    const char *prefix = choice->policy->helix.resource_prefix;
    const char *text = "";
    size_t prefix_len, text_len;
    char *whole;
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK || text[0] == '\0')
        return st;
    choice->resource = text;
    if (prefix == NULL || fb_text_has_prefix(text, prefix))
        return FB_OK;
    prefix_len = strlen(prefix);
    text_len = strlen(text);
    whole = fb_arena_alloc(choice->arena, prefix_len + text_len + 1);
    if (whole == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    memcpy(whole, prefix, prefix_len);
    memcpy(whole + prefix_len, text, text_len);
    choice->resource = whole;
    return FB_OK;
}

static enum fb_status read_networks(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    struct choice *choice = into;
    enum fb_status st = fb_yaml_texts(choice->arena, node, key, &choice->networks, err);

    if (st == FB_OK && fb_texts_has(&choice->networks, ""))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: an empty text", node->line, key);
    return st;
}

static enum fb_status read_attachment(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    struct choice *choice = into;
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st == FB_OK && text[0] != '\0')
        choice->attachment = text;
    return st;
}

static enum fb_status read_choice(const struct fb_yaml *node, const char *key,
                                  struct choice *choice, struct fb_error *err)
{
    const struct fb_helix *helix = &choice->policy->helix;
    const struct fb_yaml_key known[] = {
        {"enabled", read_enabled, ""},
        {helix->ratio_key, read_ratio, ""},
        {helix->resource_key, read_resource, ""},
        {helix->networks_key, read_networks, ""},
        {helix->attachment_key, read_attachment, ""},
    };
    struct fb_yaml_key rows[sizeof known / sizeof known[0]];
    size_t len = 0;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].key != NULL)
            rows[len++] = known[i];
    }
    return fb_yaml_read(node, key, rows, len, choice, err);
}

static enum fb_status read_one(void *into, const struct fb_yaml *node, const char *key,
                               struct fb_error *err)
{
    struct block *block = into;
    const char *name = key + strlen(block->key) + 1;
    struct choice choice = {.arena = block->reader->arena,
                            .policy = fb_policies_find(block->reader->policies, name)};
    enum fb_status st = read_choice(node, key, &choice, err);

    if (st != FB_OK || !choice.enabled)
        return st;
    block->chosen = choice;
    return add(choice.arena, &block->enabled, choice.policy->provider, err);
}

/* One key chooses the provider, once. */
static enum fb_status claim(struct fb_config *config, size_t line, const char *key,
                            struct fb_error *err)
{
    if (config->provider_by != NULL && strcmp(config->provider_by, key) == 0)
        return fb_error_set(err, FB_EINPUT,
                            "line %zu: %s: given in the configuration already, only one may be",
                            line, key);
    if (config->provider_by != NULL)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: not beside %s, only one may be", line,
                            key, config->provider_by);
    config->provider_by = strcmp(key, "provider") == 0 ? "provider" : "multinodeNetworking";
    return FB_OK;
}

static void apply(const struct choice *choice, struct fb_config *config)
{
    config->settings.provider = choice->policy->provider;
    config->settings.ratio_mode = choice->mode;
    config->settings.ratio = choice->ratio;
    config->settings.nic_resource = choice->resource;
    config->settings.networks = choice->networks;
    config->network_attachment = choice->attachment;
}

static enum fb_status check_enabled(const struct fb_yaml *node, const char *key,
                                    const struct fb_texts *enabled, const struct fb_texts *known,
                                    struct fb_error *err)
{
    char names[NAMES_BYTES];

    if (enabled->len == 1)
        return FB_OK;
    if (enabled->len == 0) {
        join(known, " and ", names);
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: no provider is enabled, of %s",
                            node->line, key, names);
    }
    join(enabled, " and ", names);
    return fb_error_set(err, FB_EINPUT, "line %zu: %s: %s are %s enabled", node->line, key, names,
                        enabled->len == 2 ? "both" : "all");
}

enum fb_status fb_config_read_block(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    struct fb_config_reader *reader = into;
    struct block block = {.reader = reader, .key = key};
    struct fb_yaml_key rows[FB_YAML_KEYS_MAX];
    struct fb_texts known = {0};
    enum fb_status st = claim(reader->config, node->line, key, err);

    for (size_t i = 0; i < reader->policies->len && st == FB_OK; i++) {
        const struct fb_policy *policy = &reader->policies->at[i];

        if (!in_block(policy))
            continue;
        if (known.len == FB_YAML_KEYS_MAX)
            return fb_error_set(err, FB_ELIMIT, "line %zu: %s: more than %d policies have a part",
                                node->line, key, FB_YAML_KEYS_MAX);
        rows[known.len] = (struct fb_yaml_key){policy->provider, read_one, ""};
        st = add(reader->arena, &known, policy->provider, err);
    }
    if (st == FB_OK)
        st = fb_yaml_read(node, key, rows, known.len, &block, err);
    if (st == FB_OK)
        st = check_enabled(node, key, &block.enabled, &known, err);
    if (st == FB_OK)
        apply(&block.chosen, reader->config);
    return st;
}

static enum fb_status unknown_provider(struct fb_config_reader *reader, const char *text,
                                       size_t line, const char *key, struct fb_error *err)
{
    struct fb_texts names = {0};
    enum fb_status st = add(reader->arena, &names, "auto", err);
    char all[NAMES_BYTES];
    const char *nearest;

    for (size_t i = 0; i < reader->policies->len && st == FB_OK; i++)
        st = add(reader->arena, &names, reader->policies->at[i].provider, err);
    if (st != FB_OK)
        return st;
    nearest = fb_text_nearest(text, names.at, names.len);
    if (nearest != NULL)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is no provider, nearest is '%s'",
                            line, key, text, nearest);
    join(&names, ", ", all);
    return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%.40s' is none of %s", line, key, text,
                        all);
}

enum fb_status fb_config_read_provider(void *into, const struct fb_yaml *node, const char *key,
                                       struct fb_error *err)
{
    struct fb_config_reader *reader = into;
    const struct fb_policy *policy = NULL;
    const char *text = "";
    enum fb_status st = claim(reader->config, node->line, key, err);

    if (st == FB_OK)
        st = fb_yaml_text(node, key, &text, err);
    if (st != FB_OK)
        return st;
    if (strcmp(text, "auto") != 0) {
        policy = fb_policies_find(reader->policies, text);
        if (policy == NULL)
            return unknown_provider(reader, text, node->line, key, err);
    }
    reader->config->settings.provider = policy == NULL ? NULL : policy->provider;
    return FB_OK;
}
