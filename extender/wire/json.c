/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/json.h"

#include "fabricbind/own.h"
#include "fabricbind/scan.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void fb_json_raw(struct fb_json *json, void *in, const char *key, const char *text)
{
    (void)put(json, in, key, text != NULL ? cJSON_CreateRaw(text) : cJSON_CreateNull());
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

/* Bytes of the character that starts with @lead; 0 of what starts none. */
static size_t utf8_len(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    return 2 + (size_t)(lead >= 0xE0) + (size_t)(lead >= 0xF0);
}

/* The second byte is what tells overlong forms, surrogates and what is over U+10FFFF. */
static bool is_utf8_char(const unsigned char *at, size_t len)
{
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) ||
        (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F))
        return false;
    for (size_t i = 1; i < len; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return false;
    }
    return true;
}

/* The first byte that is no UTF-8; @len when all are. */
static size_t find_bad_utf8(const char *bytes, size_t len)
{
    size_t i = 0;

    while (i < len) {
        const unsigned char *at = (const unsigned char *)bytes + i;
        size_t step = utf8_len(*at);

        if (step == 0 || step > len - i || (step > 1 && !is_utf8_char(at, step)))
            break;
        i += step;
    }
    return i;
}

static enum fb_status ignore(void *context, const struct fb_scan_value *value, struct fb_error *err)
{
    (void)context;
    (void)value;
    (void)err;
    return FB_OK;
}

/* cJSON is generous; the scanner knows the grammar and the bounds and says where the fault is. */
static enum fb_status check(const char *bytes, size_t len, size_t max_bytes, struct fb_error *err)
{
    static const struct fb_scan_path whole = {"", 0};
    const struct fb_scan_limits limits = {.depth = FB_JSON_DEPTH,
                                          .number_bytes = FB_JSON_NUMBER_BYTES,
                                          .bytes = max_bytes,
                                          .strict = true};
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = NULL;
    enum fb_status st = fb_scan_paths_new(&whole, 1, &paths, err);
    size_t bad;

    if (st == FB_OK)
        st = fb_scan_all(paths, &limits, bytes, len, ignore, NULL, err);
    if (st != FB_OK)
        return st;
    bad = find_bad_utf8(bytes, len);
    return bad == len ? FB_OK : fb_error_set(err, FB_EINPUT, "byte %zu: not UTF-8", bad);
}

enum fb_status fb_json_parse(const char *bytes, size_t len, size_t max_bytes, struct fb_json *ret,
                             struct fb_error *err)
{
    enum fb_status st = check(bytes, len, max_bytes, err);

    if (st != FB_OK)
        return st;
    ret->root = cJSON_ParseWithLength(bytes, len);
    ret->failed = ret->root == NULL;
    return ret->failed ? fb_error_set(err, FB_ENOMEM, "out of memory") : FB_OK;
}

static const cJSON *item_of(const struct fb_json_node *node)
{
    return (const cJSON *)node;
}

static const struct fb_json_node *node_of(const cJSON *item)
{
    return (const struct fb_json_node *)item;
}

const struct fb_json_node *fb_json_root(const struct fb_json *json)
{
    return node_of(json->root);
}

enum fb_json_type fb_json_type(const struct fb_json_node *node)
{
    const cJSON *item = item_of(node);

    if (cJSON_IsObject(item))
        return FB_JSON_MAP;
    if (cJSON_IsArray(item))
        return FB_JSON_LIST;
    if (cJSON_IsString(item))
        return FB_JSON_TEXT;
    if (cJSON_IsNumber(item))
        return FB_JSON_NUMBER;
    return cJSON_IsBool(item) ? FB_JSON_BOOL : FB_JSON_NULL;
}

const struct fb_json_node *fb_json_find(const struct fb_json_node *map, const char *key)
{
    const cJSON *found = NULL;
    const cJSON *item;

    if (!cJSON_IsObject(item_of(map)))
        return NULL;
    cJSON_ArrayForEach(item, item_of(map))
    {
        if (strcmp(item->string, key) == 0)
            found = item;
    }
    return cJSON_IsNull(found) ? NULL : node_of(found);
}

const struct fb_json_node *fb_json_first(const struct fb_json_node *in)
{
    return in != NULL ? node_of(item_of(in)->child) : NULL;
}

const struct fb_json_node *fb_json_next(const struct fb_json_node *entry)
{
    return node_of(item_of(entry)->next);
}

const char *fb_json_key(const struct fb_json_node *entry)
{
    return item_of(entry)->string != NULL ? item_of(entry)->string : "";
}

const char *fb_json_read_text(const struct fb_json_node *node)
{
    return cJSON_GetStringValue(item_of(node));
}

bool fb_json_read_bool(const struct fb_json_node *node)
{
    return cJSON_IsTrue(item_of(node)) != 0;
}

bool fb_json_read_int(const struct fb_json_node *node, int64_t *ret)
{
    static const double most = 9007199254740992.0;
    double number;

    if (!cJSON_IsNumber(item_of(node)))
        return false;
    number = item_of(node)->valuedouble;
    if (!(number >= -most && number <= most) || (double)(int64_t)number != number)
        return false;
    *ret = (int64_t)number;
    return true;
}

char *fb_json_print_node(const struct fb_json_node *node)
{
    return cJSON_PrintUnformatted(item_of(node));
}
