/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/podjson.h"

#include "podjson_walk.h"

#include <string.h>

static void decode_metadata(struct fb_podjson *walk, const struct fb_podjson_at *pod,
                            struct fb_podspec *spec)
{
    struct fb_podjson_at metadata;

    spec->has_metadata = fb_podjson_enter(walk, pod, "metadata", FB_JSON_MAP, &metadata);
    if (!spec->has_metadata)
        return;
    spec->has_labels = fb_podjson_pairs(walk, &metadata, "labels", &spec->labels);
    spec->has_annotations = fb_podjson_pairs(walk, &metadata, "annotations", &spec->annotations);
}

static void decode_env(struct fb_podjson *walk, const struct fb_podjson_at *container,
                       struct fb_spec_container *to)
{
    struct fb_podjson_at list, from;

    to->has_env = fb_podjson_enter(walk, container, "env", FB_JSON_LIST, &list);
    if (to->has_env)
        fb_podjson_names(walk, &list, "name", &to->env);
    if (fb_podjson_enter(walk, container, "envFrom", FB_JSON_LIST, &from))
        to->has_env_from = fb_json_first(from.node) != NULL;
}

/* Where a mount ends up: a path is absolute whatever it says, and what it says twice counts once.
   Source: kubelet, makeMounts; runc cleans the path. */
static const char *clean_path(struct fb_podjson *walk, const char *path)
{
    char *clean = fb_arena_alloc(walk->arena, strlen(path) + sizeof "/");
    size_t len = 0;

    if (clean == NULL) {
        fb_podjson_no_memory(walk);
        return "";
    }
    while (*path != '\0') {
        size_t step = strcspn(path, "/");

        if (step > 0 && !(step == 1 && *path == '.')) {
            clean[len++] = '/';
            memcpy(clean + len, path, step);
            len += step;
        }
        path += path[step] == '/' ? step + 1 : step;
    }
    if (len == 0)
        clean[0] = '/';
    return clean;
}

static void decode_paths(struct fb_podjson *walk, const struct fb_podjson_at *list, const char *key,
                         struct fb_texts *to)
{
    size_t had = to->len;

    fb_podjson_names(walk, list, key, to);
    for (size_t i = had; i < to->len; i++)
        to->at[i] = clean_path(walk, to->at[i]);
}

static void decode_mounts(struct fb_podjson *walk, const struct fb_podjson_at *container,
                          struct fb_spec_container *to)
{
    struct fb_podjson_at list;

    to->has_mounts = fb_podjson_enter(walk, container, "volumeMounts", FB_JSON_LIST, &list);
    if (to->has_mounts)
        decode_paths(walk, &list, "mountPath", &to->mounts);
    if (fb_podjson_enter(walk, container, "volumeDevices", FB_JSON_LIST, &list))
        decode_paths(walk, &list, "devicePath", &to->mounts);
}

static void decode_resources(struct fb_podjson *walk, const struct fb_podjson_at *container,
                             struct fb_spec_container *to)
{
    struct fb_podjson_at resources;

    to->has_resources = fb_podjson_enter(walk, container, "resources", FB_JSON_MAP, &resources);
    if (!to->has_resources)
        return;
    to->has_requests = fb_podjson_amounts(walk, &resources, "requests", &to->requests);
    to->has_limits = fb_podjson_amounts(walk, &resources, "limits", &to->limits);
}

static bool says_seccomp(struct fb_podjson *walk, const struct fb_podjson_at *security)
{
    struct fb_podjson_at profile;

    return fb_podjson_enter(walk, security, "seccompProfile", FB_JSON_MAP, &profile);
}

static void decode_security(struct fb_podjson *walk, const struct fb_podjson_at *container,
                            struct fb_spec_container *to)
{
    struct fb_podjson_at security, capabilities, list, flag;

    to->has_security = fb_podjson_enter(walk, container, "securityContext", FB_JSON_MAP, &security);
    if (!to->has_security)
        return;
    to->says_seccomp = says_seccomp(walk, &security);
    to->says_escalation =
        fb_podjson_enter(walk, &security, "allowPrivilegeEscalation", FB_JSON_BOOL, &flag);
    to->privileged = fb_podjson_enter(walk, &security, "privileged", FB_JSON_BOOL, &flag) &&
                     fb_json_read_bool(flag.node);
    to->has_capabilities =
        fb_podjson_enter(walk, &security, "capabilities", FB_JSON_MAP, &capabilities);
    if (!to->has_capabilities)
        return;
    to->has_add = fb_podjson_enter(walk, &capabilities, "add", FB_JSON_LIST, &list);
    if (to->has_add)
        fb_podjson_texts(walk, &list, &to->capabilities);
    if (fb_podjson_enter(walk, &capabilities, "drop", FB_JSON_LIST, &list))
        fb_podjson_texts(walk, &list, &to->dropped);
}

static void decode_container(struct fb_podjson *walk, const struct fb_podjson_at *container,
                             struct fb_spec_container *to)
{
    to->name = fb_podjson_text(walk, container, "name");
    decode_env(walk, container, to);
    decode_mounts(walk, container, to);
    decode_resources(walk, container, to);
    decode_security(walk, container, to);
}

/* Returns whether the list is there. */
static bool decode_containers(struct fb_podjson *walk, const struct fb_podjson_at *pod,
                              const char *key, bool init, struct fb_podspec *spec)
{
    struct fb_podjson_at list, entry;

    if (!fb_podjson_enter(walk, pod, key, FB_JSON_LIST, &list))
        return false;
    entry = fb_podjson_entries(&list);
    while (fb_podjson_next(walk, &entry, FB_JSON_MAP)) {
        struct fb_spec_container *at = fb_podjson_room(walk, spec->containers, spec->containers_len,
                                                       &spec->containers_size, sizeof *at);

        if (at == NULL)
            break;
        spec->containers = at;
        at += spec->containers_len++;
        *at = (struct fb_spec_container){.init = init, .index = entry.index};
        decode_container(walk, &entry, at);
    }
    return true;
}

/* The key of the volume's source. */
static const char *find_kind(struct fb_podjson *walk, const struct fb_podjson_at *volume)
{
    struct fb_podjson_at entry = fb_podjson_entries(volume);
    const char *kind = "";

    while (fb_podjson_next_any(walk, &entry)) {
        const char *key = fb_json_key(entry.node);
        bool is_null = fb_json_type(entry.node) == FB_JSON_NULL;

        if (strcmp(key, "name") == 0)
            continue;
        if (!is_null && !fb_podjson_is(walk, &entry, FB_JSON_MAP))
            break;
        if (!is_null)
            kind = key;
        else if (strcmp(key, kind) == 0)
            kind = "";
    }
    return fb_podjson_keep(walk, kind);
}

static void decode_volumes(struct fb_podjson *walk, const struct fb_podjson_at *pod,
                           struct fb_podspec *spec)
{
    struct fb_podjson_at list, entry;

    spec->has_volumes = fb_podjson_enter(walk, pod, "volumes", FB_JSON_LIST, &list);
    if (!spec->has_volumes)
        return;
    entry = fb_podjson_entries(&list);
    while (fb_podjson_next(walk, &entry, FB_JSON_MAP)) {
        struct fb_spec_volume *at = fb_podjson_room(walk, spec->volumes, spec->volumes_len,
                                                    &spec->volumes_size, sizeof *at);

        if (at == NULL)
            break;
        spec->volumes = at;
        at += spec->volumes_len++;
        at->name = fb_podjson_text(walk, &entry, "name");
        at->kind = find_kind(walk, &entry);
    }
}

/* Is something asked for in the list at @key. */
static bool asks(struct fb_podjson *walk, const struct fb_podjson_at *term, const char *key,
                 bool *ret_has)
{
    struct fb_podjson_at list;

    *ret_has = fb_podjson_enter(walk, term, key, FB_JSON_LIST, &list);
    return *ret_has && fb_json_first(list.node) != NULL;
}

static void decode_terms(struct fb_podjson *walk, const struct fb_podjson_at *required,
                         struct fb_podspec *spec)
{
    struct fb_podjson_at list, entry;

    if (!fb_podjson_enter(walk, required, "nodeSelectorTerms", FB_JSON_LIST, &list))
        return;
    entry = fb_podjson_entries(&list);
    while (fb_podjson_next(walk, &entry, FB_JSON_MAP)) {
        struct fb_spec_term *at =
            fb_podjson_room(walk, spec->terms, spec->terms_len, &spec->terms_size, sizeof *at);
        bool fields, has_fields;

        if (at == NULL)
            break;
        spec->terms = at;
        at += spec->terms_len++;
        at->index = entry.index;
        fields = asks(walk, &entry, "matchFields", &has_fields);
        at->empty = !asks(walk, &entry, "matchExpressions", &at->has_expressions) && !fields;
    }
}

static void decode_affinity(struct fb_podjson *walk, const struct fb_podjson_at *pod,
                            struct fb_podspec *spec)
{
    struct fb_podjson_at affinity, node, required;

    spec->has_affinity = fb_podjson_enter(walk, pod, "affinity", FB_JSON_MAP, &affinity);
    if (!spec->has_affinity)
        return;
    spec->has_node_affinity = fb_podjson_enter(walk, &affinity, "nodeAffinity", FB_JSON_MAP, &node);
    if (!spec->has_node_affinity)
        return;
    spec->has_required = fb_podjson_enter(
        walk, &node, "requiredDuringSchedulingIgnoredDuringExecution", FB_JSON_MAP, &required);
    if (spec->has_required)
        decode_terms(walk, &required, spec);
}

static void decode_spec(struct fb_podjson *walk, const struct fb_podjson_at *pod,
                        struct fb_podspec *spec)
{
    struct fb_podjson_at at, security;

    if (!fb_podjson_enter(walk, pod, "spec", FB_JSON_MAP, &at))
        return;
    spec->has_init = decode_containers(walk, &at, "initContainers", true, spec);
    (void)decode_containers(walk, &at, "containers", false, spec);
    decode_volumes(walk, &at, spec);
    if (fb_podjson_enter(walk, &at, "securityContext", FB_JSON_MAP, &security))
        spec->says_seccomp = says_seccomp(walk, &security);
    decode_affinity(walk, &at, spec);
}

enum fb_status fb_podspec_read(struct fb_arena *arena, const struct fb_json_node *pod,
                               struct fb_podspec *ret, struct fb_error *err)
{
    struct fb_podjson walk = {.arena = arena, .err = err};
    struct fb_podjson_at at = {.node = pod};
    struct fb_podspec spec = {0};

    if (fb_podjson_is(&walk, &at, FB_JSON_MAP)) {
        decode_metadata(&walk, &at, &spec);
        decode_spec(&walk, &at, &spec);
    }
    if (walk.status == FB_OK)
        *ret = spec;
    return walk.status;
}

enum fb_status fb_podspec_decode(struct fb_arena *arena, const char *text, size_t len,
                                 struct fb_podspec *ret, struct fb_error *err)
{
    FB_OWNED(fb_json_fini) struct fb_json json = {0};
    enum fb_status st = fb_json_parse(text, len, FB_PODSPEC_BYTES, &json, err);

    return st == FB_OK ? fb_podspec_read(arena, fb_json_root(&json), ret, err) : st;
}
