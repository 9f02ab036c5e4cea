/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/secret.h"

#include "fabricbind/base64.h"
#include "fabricbind/json.h"
#include "fabricbind/own.h"

#include <stdlib.h>
#include <string.h>

#define SECRET_BYTES ((size_t)4 << 20) /* the API server takes 1 MiB of data */

static enum fb_status no_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

static void text_freep(char **at)
{
    free(*at);
}

static const char *keep(struct fb_arena *arena, const char *text)
{
    return fb_arena_text(arena, text, strlen(text));
}

static enum fb_status add(struct fb_arena *arena, struct fb_pairs *pairs, const char *key,
                          const char *value, struct fb_error *err)
{
    struct fb_pair *grown =
        fb_arena_more(arena, pairs->at, pairs->len, &pairs->size, sizeof *grown);
    struct fb_pair pair = {keep(arena, key), keep(arena, value)};

    if (grown == NULL || pair.key == NULL || pair.value == NULL)
        return no_memory(err);
    pairs->at = grown;
    pairs->at[pairs->len++] = pair;
    return FB_OK;
}

static enum fb_status read_data(struct fb_arena *arena, const struct fb_json_node *data,
                                struct fb_pairs *ret, struct fb_error *err)
{
    enum fb_status st = FB_OK;

    if (fb_json_type(data) != FB_JSON_NULL && fb_json_type(data) != FB_JSON_MAP)
        return fb_error_set(err, FB_EINPUT, "data: not a map");
    for (const struct fb_json_node *at = fb_json_first(data); at != NULL && st == FB_OK;
         at = fb_json_next(at)) {
        if (fb_json_read_text(at) == NULL)
            return fb_error_set(err, FB_EINPUT, "data: %s: not a text", fb_json_key(at));
        st = add(arena, ret, fb_json_key(at), fb_json_read_text(at), err);
    }
    return st;
}

enum fb_status fb_secret_decode(struct fb_arena *arena, const char *text, struct fb_secret *ret,
                                struct fb_error *err)
{
    FB_OWNED(fb_json_fini) struct fb_json json = {0};
    FB_OWNED(text_freep) char *printed = NULL;
    struct fb_secret secret = {.space = "", .name = ""};
    const struct fb_json_node *metadata;
    const char *type;
    enum fb_status st = fb_json_parse(text, strlen(text), SECRET_BYTES, &json, err);

    if (st != FB_OK)
        return st;
    metadata = fb_json_find(fb_json_root(&json), "metadata");
    if (fb_json_type(metadata) != FB_JSON_MAP)
        return fb_error_set(err, FB_EINPUT, "metadata: not a map");
    type = fb_json_read_text(fb_json_find(fb_json_root(&json), "type"));
    st = read_data(arena, fb_json_find(fb_json_root(&json), "data"), &secret.data, err);
    if (st != FB_OK)
        return st;
    printed = fb_json_print_node(metadata);
    secret.metadata = printed == NULL ? NULL : keep(arena, printed);
    secret.type = keep(arena, type == NULL ? "Opaque" : type);
    if (secret.metadata == NULL || secret.type == NULL)
        return no_memory(err);
    *ret = secret;
    return FB_OK;
}

enum fb_status fb_secret_text(struct fb_arena *arena, const struct fb_secret *secret,
                              const char *key, const char **ret, struct fb_error *err)
{
    const char *coded = fb_pairs_find(&secret->data, key);
    unsigned char *bytes;
    size_t len = 0;

    *ret = "";
    if (coded == NULL)
        return FB_OK;
    bytes = fb_arena_alloc(arena, strlen(coded) / 4 * 3 + 1);
    if (bytes == NULL)
        return no_memory(err);
    if (fb_base64_decode(coded, strlen(coded), bytes, &len) && memchr(bytes, '\0', len) == NULL) {
        bytes[len] = '\0';
        *ret = (const char *)bytes;
    }
    return FB_OK;
}

enum fb_status fb_secret_set(struct fb_arena *arena, struct fb_secret *secret, const char *key,
                             const char *text, struct fb_error *err)
{
    size_t len = strlen(text);
    char *coded = fb_arena_alloc(arena, fb_base64_size(len));
    struct fb_pairs next = {0};
    enum fb_status st = FB_OK;

    if (coded == NULL)
        return no_memory(err);
    fb_base64_encode((const unsigned char *)text, len, coded);
    for (size_t i = 0; i < secret->data.len && st == FB_OK; i++) {
        if (strcmp(secret->data.at[i].key, key) != 0)
            st = add(arena, &next, secret->data.at[i].key, secret->data.at[i].value, err);
    }
    if (st == FB_OK)
        st = add(arena, &next, key, coded, err);
    if (st == FB_OK)
        secret->data = next;
    return st;
}

static void put_metadata(struct fb_json *json, void *root, const struct fb_secret *secret)
{
    void *metadata;
    void *labels;

    if (secret->metadata != NULL) {
        fb_json_raw(json, root, "metadata", secret->metadata);
        return;
    }
    metadata = fb_json_map(json, root, "metadata");
    fb_json_text(json, metadata, "name", secret->name);
    fb_json_text(json, metadata, "namespace", secret->space);
    labels = fb_json_map(json, metadata, "labels");
    fb_json_text(json, labels, "app.kubernetes.io/managed-by", "fabricbind");
    fb_json_text(json, labels, "app.kubernetes.io/name", "fabricbind");
}

enum fb_status fb_secret_encode(struct fb_arena *arena, const struct fb_secret *secret,
                                const char **ret, struct fb_error *err)
{
    FB_OWNED(fb_json_fini) struct fb_json json = {0};
    FB_OWNED(text_freep) char *text = NULL;
    void *root = fb_json_map(&json, NULL, NULL);
    const char *kept;
    void *data;

    fb_json_text(&json, root, "apiVersion", "v1");
    fb_json_text(&json, root, "kind", "Secret");
    put_metadata(&json, root, secret);
    fb_json_text(&json, root, "type", secret->type);
    data = fb_json_map(&json, root, "data");
    for (size_t i = 0; i < secret->data.len; i++)
        fb_json_text(&json, data, secret->data.at[i].key, secret->data.at[i].value);
    text = fb_json_print(&json);
    kept = text == NULL ? NULL : keep(arena, text);
    if (kept == NULL)
        return no_memory(err);
    *ret = kept;
    return FB_OK;
}
