/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/kubeconfig.h"

#include "fabricbind/base64.h"
#include "fabricbind/yaml.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What one of the three maps that a context puts together may say. */
struct part {
    struct fb_arena *arena;
    const struct fb_yaml *map;
    const char *list, *name; /* "users", "alice"; for errors */
};

static enum fb_status say(const struct part *part, enum fb_status st, struct fb_error *err)
{
    return fb_error_prefix(err, st, "%s: %s", part->list, part->name);
}

/* The text that base64 in @text stands for, whose lines may be broken, to @ret, which has room for
 * all of @text. False for what is none. */
static bool decode(const char *text, char *packed, char *ret)
{
    size_t len = 0;

    for (; *text != '\0'; text++) {
        if (strchr(" \r\n", *text) == NULL)
            packed[len++] = *text;
    }
    return fb_base64_decode(packed, len, (unsigned char *)ret, &len);
}

/* The text at @key, or NULL. */
static enum fb_status read_text(const struct part *part, const char *key, const char **ret,
                                struct fb_error *err)
{
    const struct fb_yaml *node = fb_yaml_find(part->map, key);
    const char *text = NULL;
    enum fb_status st;

    *ret = NULL;
    if (node == NULL)
        return FB_OK;
    st = fb_yaml_text(node, key, &text, err);
    if (st != FB_OK)
        return say(part, st, err);
    if (text[0] != '\0')
        *ret = text;
    return FB_OK;
}

/* PEM in base64 at @key, or NULL. */
static enum fb_status read_pem(const struct part *part, const char *key, const char **ret,
                               struct fb_error *err)
{
    const char *text = NULL;
    char *packed;
    char *pem;
    enum fb_status st = read_text(part, key, &text, err);

    *ret = NULL;
    if (st != FB_OK || text == NULL)
        return st;
    packed = fb_arena_alloc(part->arena, strlen(text) + 1);
    pem = fb_arena_alloc(part->arena, strlen(text) + 1);
    if (packed == NULL || pem == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    if (!decode(text, packed, pem) || strstr(pem, "-----BEGIN ") == NULL)
        return say(part,
                   fb_error_set(err, FB_EINPUT, "line %zu: %s: no PEM in base64",
                                fb_yaml_find(part->map, key)->line, key),
                   err);
    *ret = pem;
    return FB_OK;
}

/* @key is a file; @data_key is its content and wins. */
static enum fb_status read_either(const struct part *part, const char *key, const char *data_key,
                                  const char **ret_file, const char **ret_pem, struct fb_error *err)
{
    enum fb_status st = read_pem(part, data_key, ret_pem, err);

    *ret_file = NULL;
    return st == FB_OK && *ret_pem == NULL ? read_text(part, key, ret_file, err) : st;
}

static enum fb_status refuse(const struct part *part, const char *const *keys, size_t len,
                             struct fb_error *err)
{
    for (size_t i = 0; i < len; i++) {
        const struct fb_yaml *node = fb_yaml_find(part->map, keys[i]);

        if (node != NULL)
            return say(
                part,
                fb_error_set(err, FB_EINPUT, "line %zu: %s is not supported", node->line, keys[i]),
                err);
    }
    return FB_OK;
}

/* Of entries {name: NAME, @key: {...}} the one that is called @name. */
static enum fb_status find_part(const struct fb_yaml *root, const char *list, const char *key,
                                struct part *part, struct fb_error *err)
{
    const struct fb_yaml *entries = fb_yaml_find(root, list);

    part->list = list;
    for (size_t i = 0; entries != NULL && entries->type == FB_YAML_LIST && i < entries->len; i++) {
        const struct fb_yaml *name = fb_yaml_find(&entries->at[i], "name");

        if (name == NULL || !fb_text_equal(name->text, part->name))
            continue;
        part->map = fb_yaml_find(&entries->at[i], key);
        if (part->map == NULL || part->map->type != FB_YAML_MAP)
            return fb_error_set(err, FB_EINPUT, "line %zu: %s: %s: no %s", entries->at[i].line,
                                list, part->name, key);
        return FB_OK;
    }
    return fb_error_set(err, FB_EINPUT, "%s: no '%s'", list, part->name);
}

static enum fb_status need_text(const struct part *part, const char *key, const char **ret,
                                struct fb_error *err)
{
    enum fb_status st = read_text(part, key, ret, err);

    if (st == FB_OK && *ret == NULL)
        return say(part, fb_error_set(err, FB_EINPUT, "%s: missing", key), err);
    return st;
}

/* The scheme and a host, without user and path that would be asked for. */
static enum fb_status read_server(const struct part *part, const char **ret, struct fb_error *err)
{
    const char *text = NULL;
    const char *host;
    size_t len;
    enum fb_status st = need_text(part, "server", &text, err);

    if (st != FB_OK)
        return st;
    host = strstr(text, "://");
    if ((strncmp(text, "https://", 8) != 0 && strncmp(text, "http://", 7) != 0) ||
        strpbrk(host, "@?#") != NULL || strlen(host) < 4)
        return say(part, fb_error_set(err, FB_EINPUT, "server: no http URL of host, port and path"),
                   err);
    len = strlen(text);
    while (text[len - 1] == '/')
        len--;
    *ret = fb_arena_text(part->arena, text, len);
    return *ret != NULL ? FB_OK : fb_error_set(err, FB_ENOMEM, "out of memory");
}

static enum fb_status read_cluster(const struct part *part, struct fb_access *access,
                                   struct fb_error *err)
{
    static const char *const refused[] = {"proxy-url", "tls-server-name"};
    const struct fb_yaml *insecure = fb_yaml_find(part->map, "insecure-skip-tls-verify");
    enum fb_status st = refuse(part, refused, COUNT(refused), err);

    if (st == FB_OK)
        st = read_server(part, &access->server, err);
    if (st == FB_OK)
        st = read_either(part, "certificate-authority", "certificate-authority-data",
                         &access->ca_file, &access->ca_pem, err);
    if (st != FB_OK || insecure == NULL)
        return st;
    st = fb_yaml_bool(insecure, "insecure-skip-tls-verify", &access->insecure, err);
    return st != FB_OK ? say(part, st, err) : st;
}

static enum fb_status read_token(const struct part *part, struct fb_access *access,
                                 struct fb_error *err)
{
    enum fb_status st = read_text(part, "tokenFile", &access->token_file, err);

    return st == FB_OK && access->token_file == NULL ? read_text(part, "token", &access->token, err)
                                                     : st;
}

static enum fb_status read_user(const struct part *part, struct fb_access *access,
                                struct fb_error *err)
{
    static const char *const refused[] = {
        "exec", "auth-provider", "username",  "password",
        "as",   "as-uid",        "as-groups", "as-user-extra",
    };
    enum fb_status st = refuse(part, refused, COUNT(refused), err);

    if (st == FB_OK)
        st = read_token(part, access, err);
    if (st == FB_OK)
        st = read_either(part, "client-certificate", "client-certificate-data", &access->cert_file,
                         &access->cert_pem, err);
    if (st == FB_OK)
        st = read_either(part, "client-key", "client-key-data", &access->key_file, &access->key_pem,
                         err);
    if (st != FB_OK)
        return st;
    if ((access->cert_file == NULL && access->cert_pem == NULL) !=
        (access->key_file == NULL && access->key_pem == NULL))
        return say(
            part,
            fb_error_set(err, FB_EINPUT, "one of client-certificate and client-key is missing"),
            err);
    return FB_OK;
}

static enum fb_status read_context(const struct fb_yaml *root, struct part *context,
                                   struct fb_access *access, struct fb_error *err)
{
    struct part cluster = {.arena = context->arena};
    struct part user = {.arena = context->arena};
    enum fb_status st = find_part(root, "contexts", "context", context, err);

    if (st == FB_OK)
        st = read_text(context, "namespace", &access->space, err);
    if (st == FB_OK)
        st = need_text(context, "cluster", &cluster.name, err);
    if (st == FB_OK)
        st = find_part(root, "clusters", "cluster", &cluster, err);
    if (st == FB_OK)
        st = read_cluster(&cluster, access, err);
    if (st == FB_OK)
        st = need_text(context, "user", &user.name, err);
    if (st == FB_OK)
        st = find_part(root, "users", "user", &user, err);
    return st == FB_OK ? read_user(&user, access, err) : st;
}

enum fb_status fb_kubeconfig_parse(struct fb_arena *arena, const char *text, size_t len,
                                   struct fb_access *ret, struct fb_error *err)
{
    struct fb_yaml_documents documents = {0};
    struct fb_access access = {0};
    struct part context = {.arena = arena};
    const struct fb_yaml *current;
    enum fb_status st = fb_yaml_parse(arena, text, len, &documents, err);

    if (st != FB_OK)
        return st;
    if (documents.len != 1 || documents.at[0].type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "not one mapping");
    current = fb_yaml_find(&documents.at[0], "current-context");
    if (current == NULL || current->text[0] == '\0')
        return fb_error_set(err, FB_EINPUT, "current-context: missing");
    context.name = current->text;
    st = read_context(&documents.at[0], &context, &access, err);
    if (st != FB_OK)
        return st;
    if (access.space == NULL)
        access.space = "default";
    *ret = access;
    return FB_OK;
}
