/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/yaml.h"

#include "yaml_scalar.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for the path of a key in errors; longer ones are cut. */
#define PATH_BYTES 160

const struct fb_yaml *fb_yaml_find(const struct fb_yaml *map, const char *key)
{
    if (map == NULL || map->type != FB_YAML_MAP)
        return NULL;
    for (size_t i = 0; i < map->len; i++) {
        if (strcmp(map->keys[i], key) == 0)
            return map->at[i].type != FB_YAML_NULL ? &map->at[i] : NULL;
    }
    return NULL;
}

enum fb_status fb_yaml_text(const struct fb_yaml *node, const char *key, const char **ret,
                            struct fb_error *err)
{
    if (node->type != FB_YAML_SCALAR)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: not a text", node->line, key);
    *ret = node->text;
    return FB_OK;
}

/* The text of a plain scalar; quotes make any value a text. */
static enum fb_status plain(const struct fb_yaml *node, const char *key, const char *wanted,
                            const char **ret, struct fb_error *err)
{
    if (node->type != FB_YAML_SCALAR)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: not %s", node->line, key, wanted);
    if (node->quoted)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' in quotes is a text, not %s",
                            node->line, key, node->text, wanted);
    *ret = node->text;
    return FB_OK;
}

enum fb_status fb_yaml_bool(const struct fb_yaml *node, const char *key, bool *ret,
                            struct fb_error *err)
{
    const char *text = "";
    enum fb_status st = plain(node, key, "true or false", &text, err);

    if (st != FB_OK)
        return st;
    if (fb_yaml_scalar_bool(text, ret))
        return FB_OK;
    return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is neither true nor false", node->line,
                        key, text);
}

/* Decimal without leading zeros: other readers take 010 for eight. */
static bool is_whole(const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+' ? 1 : 0);
    size_t len = strspn(digits, "0123456789");

    return len > 0 && digits[len] == '\0' && (len == 1 || digits[0] != '0');
}

enum fb_status fb_yaml_int(const struct fb_yaml *node, const char *key, int64_t least, int64_t most,
                           int64_t *ret, struct fb_error *err)
{
    const char *text = "";
    long long value;
    enum fb_status st = plain(node, key, "a whole number", &text, err);

    if (st != FB_OK)
        return st;
    if (!is_whole(text))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is no whole number", node->line,
                            key, text);
    errno = 0;
    value = strtoll(text, NULL, 10);
    if (errno == ERANGE || value < least || value > most)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: %s is outside %" PRId64 " to %" PRId64,
                            node->line, key, text, least, most);
    *ret = value;
    return FB_OK;
}

enum fb_status fb_yaml_double(const struct fb_yaml *node, const char *key, double least,
                              double most, double *ret, struct fb_error *err)
{
    const char *text = "";
    double value;
    enum fb_status st = plain(node, key, "a number", &text, err);

    if (st != FB_OK)
        return st;
    if (!fb_yaml_scalar_is_number(text))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is no number", node->line, key,
                            text);
    value = strtod(text, NULL);
    if (!(value >= least && value <= most))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: %s is outside %g to %g", node->line, key,
                            text, least, most);
    *ret = value;
    return FB_OK;
}

static enum fb_status texts_add(struct fb_arena *arena, const struct fb_yaml *node, const char *key,
                                struct fb_texts *into, struct fb_error *err)
{
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    if (fb_texts_add(arena, into, text) != FB_OK)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return FB_OK;
}

enum fb_status fb_yaml_texts(struct fb_arena *arena, const struct fb_yaml *node, const char *key,
                             struct fb_texts *ret, struct fb_error *err)
{
    struct fb_texts texts = *ret;
    enum fb_status st = FB_OK;

    if (node->type == FB_YAML_LIST) {
        for (size_t i = 0; i < node->len && st == FB_OK; i++)
            st = texts_add(arena, &node->at[i], key, &texts, err);
    } else {
        st = texts_add(arena, node, key, &texts, err);
    }
    if (st == FB_OK)
        *ret = texts;
    return st;
}

static enum fb_status unknown(size_t line, const char *path, const char *key,
                              const struct fb_yaml_key *keys, size_t keys_len, struct fb_error *err)
{
    const char *names[FB_YAML_KEYS_MAX];
    const char *nearest;

    for (size_t i = 0; i < keys_len; i++)
        names[i] = keys[i].key;
    nearest = fb_text_nearest(key, names, keys_len);
    if (nearest == NULL)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: unknown key", line, path);
    return fb_error_set(err, FB_EINPUT, "line %zu: %s: unknown key, nearest is '%s'", line, path,
                        nearest);
}

static const struct fb_yaml_key *find_row(const struct fb_yaml_key *keys, size_t keys_len,
                                          const char *key)
{
    for (size_t i = 0; i < keys_len; i++) {
        if (strcmp(keys[i].key, key) == 0)
            return &keys[i];
    }
    return NULL;
}

enum fb_status fb_yaml_read(const struct fb_yaml *map, const char *name,
                            const struct fb_yaml_key *keys, size_t keys_len, void *into,
                            struct fb_error *err)
{
    bool top = name[0] == '\0';

    assert(keys_len <= FB_YAML_KEYS_MAX);
    if (map->type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s%snot a mapping", map->line, name,
                            top ? "" : ": ");
    for (size_t i = 0; i < map->len; i++) {
        const struct fb_yaml_key *row = find_row(keys, keys_len, map->keys[i]);
        const struct fb_yaml *value = &map->at[i];
        char path[PATH_BYTES];
        enum fb_status st;

        (void)snprintf(path, sizeof path, "%s%s%s", name, top ? "" : ".", map->keys[i]);
        if (row == NULL)
            return unknown(map->key_lines[i], path, map->keys[i], keys, keys_len, err);
        if (row->read == NULL || value->type == FB_YAML_NULL)
            continue;
        st = row->read(into, value, path, err);
        if (st != FB_OK)
            return st;
    }
    return FB_OK;
}
