/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/json.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

void fb_json_fini(struct fb_json *json)
{
    cJSON_Delete(json->root);
    json->root = NULL;
}

/* Give @item to @in, or make it the root; what cannot be given away is freed. */
static void *put(struct fb_json *json, void *in, const char *key, cJSON *item)
{
    bool given = false;

    if (item != NULL && !json->failed) {
        if (in == NULL && json->root == NULL) {
            json->root = item;
            given = true;
        } else if (in != NULL) {
            given = key != NULL ? cJSON_AddItemToObject(in, key, item) != 0
                                : cJSON_AddItemToArray(in, item) != 0;
        }
    }
    if (given)
        return item;
    json->failed = true;
    cJSON_Delete(item);
    return NULL;
}

void *fb_json_map(struct fb_json *json, void *in, const char *key)
{
    return put(json, in, key, cJSON_CreateObject());
}

void *fb_json_list(struct fb_json *json, void *in, const char *key)
{
    return put(json, in, key, cJSON_CreateArray());
}

void fb_json_text(struct fb_json *json, void *in, const char *key, const char *text)
{
    (void)put(json, in, key, text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull());
}

/* cJSON keeps numbers as doubles, which are not exact: the digits are written as they are. */
void fb_json_int(struct fb_json *json, void *in, const char *key, int64_t value)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    (void)put(json, in, key, cJSON_CreateRaw(text));
}

void fb_json_score(struct fb_json *json, void *in, const char *key, double value)
{
    char text[64];

    (void)snprintf(text, sizeof text, "%.3f", value);
    (void)put(json, in, key, cJSON_CreateRaw(text));
}

void fb_json_bool(struct fb_json *json, void *in, const char *key, bool value)
{
    (void)put(json, in, key, cJSON_CreateBool(value));
}

void fb_json_null(struct fb_json *json, void *in, const char *key)
{
    (void)put(json, in, key, cJSON_CreateNull());
}

char *fb_json_print(struct fb_json *json)
{
    return json->failed ? NULL : cJSON_PrintUnformatted(json->root);
}

static bool is_nested(const cJSON *item)
{
    return (cJSON_IsObject(item) || cJSON_IsArray(item)) && item->child != NULL;
}

/* A scalar, or an empty map or list: JSON's spelling is YAML's too. */
static bool yaml_leaf(FILE *out, const cJSON *item)
{
    char *text = cJSON_PrintUnformatted(item);
    bool ok = text != NULL && fprintf(out, "%s\n", text) >= 0;

    cJSON_free(text);
    return ok;
}

static bool yaml_key(FILE *out, const cJSON *item)
{
    cJSON *key = cJSON_CreateString(item->string);
    char *text = key != NULL ? cJSON_PrintUnformatted(key) : NULL;
    bool ok = text != NULL && fprintf(out, "%s:", text) >= 0;

    cJSON_free(text);
    cJSON_Delete(key);
    return ok;
}

/* One entry of a map or list, its children below it. Depth is that of our own reports. */
static bool yaml_entry(FILE *out, const cJSON *item, bool in_list, int indent);

static bool yaml_children(FILE *out, const cJSON *parent, int indent)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, parent)
    {
        if (!yaml_entry(out, item, cJSON_IsArray(parent), indent))
            return false;
    }
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): see above */
static bool yaml_entry(FILE *out, const cJSON *item, bool in_list, int indent)
{
    if (fprintf(out, "%*s", indent, "") < 0)
        return false;
    if (in_list ? fputs("-", out) == EOF : !yaml_key(out, item))
        return false;
    if (!is_nested(item))
        return fputs(" ", out) != EOF && yaml_leaf(out, item);
    return fputs("\n", out) != EOF && yaml_children(out, item, indent + 2);
}

char *fb_json_print_yaml(struct fb_json *json)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = json->failed || json->root == NULL ? NULL : open_memstream(&text, &len);
    bool ok;

    if (out == NULL)
        return NULL;
    ok = is_nested(json->root) ? yaml_children(out, json->root, 0) : yaml_leaf(out, json->root);
    if (fclose(out) != 0)
        ok = false;
    if (ok)
        return text;
    free(text);
    return NULL;
}
