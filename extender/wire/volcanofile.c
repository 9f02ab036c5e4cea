/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/volcanofile.h"

#include "volcanofile_setting.h"

#include <string.h>

#define ENTRY "volcano-scheduler.conf"
#define PLUGINS_MOST 256 /* Volcano itself has some 25 */

static enum fb_status out_of_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

static enum fb_status wrong(const struct fb_yaml *node, const char *key, const char *wanted,
                            struct fb_error *err)
{
    return fb_error_set(err, FB_EINPUT, "line %zu: %s: not a %s", node->line, key, wanted);
}

static enum fb_status read_key(struct fb_arena *arena, const struct fb_yaml *map, size_t at,
                               struct fb_volcano_plugin *plugin, struct fb_error *err)
{
    const struct fb_yaml *value = &map->at[at];
    const char *key = map->keys[at];

    if (strcmp(key, "name") == 0)
        return fb_yaml_text(value, "name", &plugin->name, err);
    if (strcmp(key, "arguments") == 0 && value->type == FB_YAML_NULL)
        return FB_OK;
    if (strcmp(key, "arguments") == 0 && value->type != FB_YAML_MAP)
        return wrong(value, "arguments", "mapping", err);
    if (strcmp(key, "arguments") == 0)
        return fb_volcanofile_settings(arena, value, "", &plugin->arguments, err);
    return fb_volcanofile_setting(arena, map, at, "", &plugin->switches, err);
}

static enum fb_status read_plugin(struct fb_arena *arena, const struct fb_yaml *node, size_t tier,
                                  struct fb_volcano_plugins *into, struct fb_error *err)
{
    struct fb_volcano_plugin plugin = {.name = "", .line = node->line, .tier = tier};
    struct fb_volcano_plugin *at;
    enum fb_status st = FB_OK;

    if (node->type != FB_YAML_MAP)
        return wrong(node, "plugin", "mapping", err);
    for (size_t i = 0; st == FB_OK && i < node->len; i++)
        st = read_key(arena, node, i, &plugin, err);
    if (st != FB_OK)
        return st;
    if (*plugin.name == '\0')
        return fb_error_set(err, FB_EINPUT, "line %zu: name: missing", node->line);
    if (into->len == PLUGINS_MOST)
        return fb_error_set(err, FB_ELIMIT, "line %zu: more than %d plugins", node->line,
                            PLUGINS_MOST);
    at = fb_arena_more(arena, into->at, into->len, &into->size, sizeof *at);
    if (at == NULL)
        return out_of_memory(err);
    into->at = at;
    at[into->len++] = plugin;
    return FB_OK;
}

/* The list @key of @map, or none where it is absent. */
static enum fb_status read_plugins(struct fb_arena *arena, const struct fb_yaml *map,
                                   const char *key, size_t tier, struct fb_volcano_plugins *into,
                                   struct fb_error *err)
{
    const struct fb_yaml *list = fb_yaml_find(map, key);
    enum fb_status st = FB_OK;

    if (list == NULL)
        return FB_OK;
    if (list->type != FB_YAML_LIST)
        return wrong(list, key, "list", err);
    for (size_t i = 0; st == FB_OK && i < list->len; i++)
        st = read_plugin(arena, &list->at[i], tier, into, err);
    return st;
}

static enum fb_status read_tiers(struct fb_arena *arena, const struct fb_yaml *tiers,
                                 struct fb_volcano_plugins *into, struct fb_error *err)
{
    enum fb_status st = FB_OK;

    if (tiers->type != FB_YAML_LIST)
        return wrong(tiers, "tiers", "list", err);
    for (size_t i = 0; st == FB_OK && i < tiers->len; i++) {
        if (tiers->at[i].type != FB_YAML_MAP)
            return wrong(&tiers->at[i], "tier", "mapping", err);
        st = read_plugins(arena, &tiers->at[i], "plugins", i, into, err);
    }
    return st;
}

static enum fb_status read_conf(struct fb_arena *arena, const struct fb_yaml *document,
                                struct fb_volcano_conf *ret, struct fb_error *err)
{
    struct fb_volcano_conf conf = {.actions = ""};
    const struct fb_yaml *actions = fb_yaml_find(document, "actions");
    const struct fb_yaml *tiers = fb_yaml_find(document, "tiers");
    enum fb_status st = FB_OK;

    if (document->type != FB_YAML_MAP)
        return wrong(document, "volcano-scheduler.conf", "mapping", err);
    if (tiers == NULL)
        return fb_error_set(err, FB_EINPUT, "line %zu: tiers: missing", document->line);
    if (actions != NULL)
        st = fb_yaml_text(actions, "actions", &conf.actions, err);
    if (st == FB_OK)
        st = read_tiers(arena, tiers, &conf.plugins, err);
    if (st == FB_OK)
        st = read_plugins(arena, document, "configurations", 0, &conf.actions_set, err);
    if (st == FB_OK)
        *ret = conf;
    return st;
}

static bool is_conf_name(const char *name)
{
    size_t len = strlen(name);

    return len > 5 && strcmp(name + len - 5, ".conf") == 0;
}

/* Where the conf stands among @data's entries: by its usual name, else the only one. */
static enum fb_status find_entry(const struct fb_yaml *data, size_t *ret, struct fb_error *err)
{
    size_t found = 0;

    for (size_t i = 0; i < data->len; i++) {
        if (strcmp(data->keys[i], ENTRY) == 0) {
            *ret = i;
            return FB_OK;
        }
        if (is_conf_name(data->keys[i])) {
            *ret = i;
            found++;
        }
    }
    if (found == 1)
        return FB_OK;
    return fb_error_set(err, FB_EINPUT, "line %zu: data: no entry " ENTRY, data->line);
}

static enum fb_status read_document(struct fb_arena *arena, const char *text, size_t len,
                                    struct fb_yaml *ret, struct fb_error *err)
{
    struct fb_yaml_documents all = {0};
    enum fb_status st = fb_yaml_parse(arena, text, len, &all, err);

    if (st != FB_OK)
        return st;
    if (all.len == 0)
        return fb_error_set(err, FB_EINPUT, "line 1: tiers: missing");
    if (all.len > 1)
        return fb_error_set(err, FB_EINPUT, "line %zu: a second document", all.at[1].line);
    *ret = all.at[0];
    return FB_OK;
}

static enum fb_status read_entry(struct fb_arena *arena, const struct fb_yaml *map,
                                 struct fb_volcano_conf *ret, struct fb_error *err)
{
    const struct fb_yaml *data = fb_yaml_find(map, "data");
    struct fb_yaml document = {0};
    const char *text = "";
    size_t at = 0;
    enum fb_status st;

    if (data == NULL || data->type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "line %zu: data: missing", map->line);
    st = find_entry(data, &at, err);
    if (st == FB_OK)
        st = fb_yaml_text(&data->at[at], data->keys[at], &text, err);
    if (st != FB_OK)
        return st;
    st = read_document(arena, text, strlen(text), &document, err);
    if (st == FB_OK)
        st = read_conf(arena, &document, ret, err);
    return st == FB_OK ? FB_OK : fb_error_prefix(err, st, "data.%s", data->keys[at]);
}

enum fb_status fb_volcanofile_read(struct fb_arena *arena, const char *text, size_t len,
                                   struct fb_volcano_conf *ret, struct fb_error *err)
{
    struct fb_yaml document = {0};
    const struct fb_yaml *kind;
    enum fb_status st = read_document(arena, text, len, &document, err);

    if (st != FB_OK)
        return st;
    kind = fb_yaml_find(&document, "kind");
    if (kind != NULL && fb_text_equal(kind->text, "ConfigMap"))
        return read_entry(arena, &document, ret, err);
    return read_conf(arena, &document, ret, err);
}
