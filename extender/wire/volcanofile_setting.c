/* SPDX-License-Identifier: Apache-2.0 */
#include "volcanofile_setting.h"

#include "yaml_scalar.h"

static enum fb_status out_of_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

/* The number that @magnitude and the sign make; beyond the ends, the end. */
static int64_t whole_of(bool negative, uint64_t magnitude)
{
    if (magnitude > INT64_MAX)
        return negative ? INT64_MIN : INT64_MAX;
    return negative ? -(int64_t)magnitude : (int64_t)magnitude;
}

static void type_scalar(const struct fb_yaml *node, struct fb_volcano_setting *setting)
{
    uint64_t magnitude = 0;
    bool negative = false;

    setting->type = FB_VOLCANO_STRING;
    setting->text = node->text;
    if (node->quoted)
        return;
    if (fb_yaml_scalar_bool(node->text, &setting->yes)) {
        setting->type = FB_VOLCANO_TRUTH;
    } else if (fb_yaml_scalar_int(node->text, &negative, &magnitude)) {
        setting->type = FB_VOLCANO_WHOLE;
        setting->whole = whole_of(negative, magnitude);
    } else if (fb_yaml_scalar_is_number(node->text)) {
        setting->type = FB_VOLCANO_REAL;
    }
}

static bool is_string(const struct fb_yaml *node)
{
    struct fb_volcano_setting as = {0};

    if (node->type != FB_YAML_SCALAR)
        return false;
    type_scalar(node, &as);
    return as.type == FB_VOLCANO_STRING;
}

static enum fb_status read_list(struct fb_arena *arena, const struct fb_yaml *node,
                                struct fb_volcano_setting *setting, struct fb_error *err)
{
    setting->type = FB_VOLCANO_LIST;
    setting->strings = true;
    for (size_t i = 0; i < node->len; i++) {
        const struct fb_yaml *at = &node->at[i];

        setting->strings = setting->strings && is_string(at);
        if (at->type == FB_YAML_SCALAR && fb_texts_add(arena, &setting->list, at->text) != FB_OK)
            return out_of_memory(err);
    }
    return FB_OK;
}

static enum fb_status add(struct fb_arena *arena, const struct fb_volcano_setting *setting,
                          struct fb_volcano_settings *into, struct fb_error *err)
{
    struct fb_volcano_setting *at =
        fb_arena_more(arena, into->at, into->len, &into->size, sizeof *at);

    if (at == NULL || setting->key == NULL)
        return out_of_memory(err);
    into->at = at;
    at[into->len++] = *setting;
    return FB_OK;
}

/* What a map within holds; maps in it are not looked into: nobody asks. */
static enum fb_status add_inner(struct fb_arena *arena, const struct fb_yaml *map, const char *key,
                                struct fb_volcano_settings *into, struct fb_error *err)
{
    const char *outer = fb_arena_print(arena, "%s/", key);

    if (outer == NULL)
        return out_of_memory(err);
    return fb_volcanofile_settings(arena, map, outer, into, err);
}

enum fb_status fb_volcanofile_setting(struct fb_arena *arena, const struct fb_yaml *map, size_t at,
                                      const char *outer, struct fb_volcano_settings *into,
                                      struct fb_error *err)
{
    const struct fb_yaml *node = &map->at[at];
    bool top = *outer == '\0';
    struct fb_volcano_setting setting = {
        .key = top ? map->keys[at] : fb_arena_print(arena, "%s%s", outer, map->keys[at]),
        .line = map->key_lines[at],
        .text = "",
    };
    enum fb_status st = FB_OK;

    if (node->type == FB_YAML_SCALAR)
        type_scalar(node, &setting);
    else if (node->type == FB_YAML_LIST)
        st = read_list(arena, node, &setting, err);
    else if (node->type == FB_YAML_MAP)
        setting.type = FB_VOLCANO_MAP;
    if (st == FB_OK)
        st = add(arena, &setting, into, err);
    if (st == FB_OK && node->type == FB_YAML_MAP && top)
        st = add_inner(arena, node, setting.key, into, err);
    return st;
}

enum fb_status fb_volcanofile_settings(struct fb_arena *arena, const struct fb_yaml *map,
                                       const char *outer, struct fb_volcano_settings *into,
                                       struct fb_error *err)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < map->len; i++)
        st = fb_volcanofile_setting(arena, map, i, outer, into, err);
    return st;
}
