/* SPDX-License-Identifier: Apache-2.0 */
#include "policyfile_parts.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Bytes of a DNS label. */
#define LABEL_MOST 63

static bool is_label(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && len <= LABEL_MOST && text[0] != '-' && text[len - 1] != '-' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

enum fb_status fb_policyfile_volume(const struct fb_yaml *node, const char *key, const char **ret,
                                    struct fb_error *err)
{
    static const struct fb_policyfile_form form = {is_label, "no name of a volume"};

    return fb_policyfile_formed(node, key, &form, ret, err);
}

enum fb_status fb_policyfile_source(struct fb_policyfile_target *target, const struct fb_yaml *node,
                                    const char *key, struct fb_error *err)
{
    struct fb_equip_mount *mount = target->object;
    size_t len;

    if (node->type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: not a mapping", node->line, key);
    if (node->len != 1)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: %zu keys, not the one of its kind",
                            node->line, key, node->len);
    if (node->at[0].type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s.%s: not a mapping", node->line, key,
                            node->keys[0]);
    mount->kind = node->keys[0];
    return fb_yaml_json(target->arena, node, &mount->source, &len, err);
}

static struct fb_equip_mount *mount_of(void *into)
{
    struct fb_policyfile_target *target = into;

    return target->object;
}

static enum fb_status mount_volume(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    return fb_policyfile_volume(node, key, &mount_of(into)->volume, err);
}

/* The API server refuses ":"; "/" would hide the image. */
static bool is_path(const char *text)
{
    return text[0] == '/' && text[1] != '\0' && strchr(text, ':') == NULL;
}

static enum fb_status mount_path(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    static const struct fb_policyfile_form form = {is_path, "no absolute path below /"};

    return fb_policyfile_formed(node, key, &form, &mount_of(into)->path, err);
}

static enum fb_status mount_source(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    return fb_policyfile_source(into, node, key, err);
}

static bool is_below(const char *text)
{
    return text[0] != '\0' && text[0] != '/' && strstr(text, "..") == NULL;
}

static enum fb_status mount_sub_path(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    static const struct fb_policyfile_form form = {is_below, "no path inside the volume"};

    return fb_policyfile_formed(node, key, &form, &mount_of(into)->sub_path, err);
}

static enum fb_status mount_read_only(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    return fb_yaml_bool(node, key, &mount_of(into)->read_only, err);
}

static enum fb_status mount_on(void *into, const struct fb_yaml *node, const char *key,
                               struct fb_error *err)
{
    return fb_yaml_bool(node, key, &mount_of(into)->on, err);
}

static const struct fb_yaml_key mount_rows[] = {
    {"volume", mount_volume, "the volume's name in the pod; required"},
    {"path", mount_path, "where GPU containers see it; required"},
    {"source", mount_source,
     "the volume's source as Kubernetes spells it, one key: `{emptyDir: {}}`; required"},
    {"subPath", mount_sub_path, "the part of the volume that is mounted; left out: all of it"},
    {"readOnly", mount_read_only, "true: containers cannot write to it"},
    {"on", mount_on, "false: left out of pods; left out: true"},
};

const struct fb_policyfile_keys fb_policyfile_mount_keys = {"inject.mounts[].", mount_rows,
                                                            COUNT(mount_rows)};

static enum fb_status check_mount(const struct fb_equip *equip, const struct fb_equip_mount *mount,
                                  const struct fb_yaml *node, const char *key, struct fb_error *err)
{
    if (mount->volume == NULL)
        return fb_policyfile_missing(node, key, "volume", err);
    if (mount->path == NULL)
        return fb_policyfile_missing(node, key, "path", err);
    if (mount->source == NULL)
        return fb_policyfile_missing(node, key, "source", err);
    for (size_t i = 0; i < equip->mounts_len; i++) {
        if (fb_text_equal(equip->mounts[i].path, mount->path))
            return fb_error_set(err, FB_EINPUT, "line %zu: %s.path: '%s' is given twice",
                                node->line, key, mount->path);
    }
    return FB_OK;
}

static enum fb_status read_mount(struct fb_policyfile_target *target, const struct fb_yaml *node,
                                 const char *key, struct fb_error *err)
{
    struct fb_equip *equip = target->object;
    struct fb_equip_mount mount = {.on = true};
    struct fb_policyfile_target inner = {target->arena, &mount};
    struct fb_equip_mount *at;
    enum fb_status st = fb_yaml_read(node, key, mount_rows, COUNT(mount_rows), &inner, err);

    if (st == FB_OK)
        st = check_mount(equip, &mount, node, key, err);
    if (st != FB_OK)
        return st;
    at = fb_arena_more(target->arena, equip->mounts, equip->mounts_len, &equip->mounts_size,
                       sizeof *at);
    if (at == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    equip->mounts = at;
    at[equip->mounts_len++] = mount;
    return FB_OK;
}

enum fb_status fb_policyfile_mounts(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    return fb_policyfile_list(into, node, key, read_mount, err);
}
