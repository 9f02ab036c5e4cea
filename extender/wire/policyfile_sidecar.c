/* SPDX-License-Identifier: Apache-2.0 */
#include "policyfile_parts.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct fb_equip_sidecar *sidecar_of(void *into)
{
    struct fb_policyfile_target *target = into;

    return target->object;
}

/* An init container that does not restart would be waited for, for ever. */
static enum fb_status sidecar_container(void *into, const struct fb_yaml *node, const char *key,
                                        struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_equip_sidecar *sidecar = target->object;
    const struct fb_yaml *restart = fb_yaml_find(node, "restartPolicy");
    const struct fb_yaml *name = fb_yaml_find(node, "name");
    enum fb_status st = FB_OK;
    size_t len;

    if (node->type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: not a mapping", node->line, key);
    if (name == NULL)
        return fb_policyfile_missing(node, key, "name", err);
    st = fb_policyfile_name(name, key, &sidecar->name, err);
    if (st != FB_OK)
        return st;
    if (restart == NULL || !fb_text_equal(restart->text, "Always"))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s.restartPolicy: not Always", node->line,
                            key);
    return fb_yaml_json(target->arena, node, &sidecar->container, &len, err);
}

static enum fb_status volume_name(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_equip_mount *volume = target->object;

    return fb_policyfile_volume(node, key, &volume->volume, err);
}

static enum fb_status volume_source(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    return fb_policyfile_source(into, node, key, err);
}

static const struct fb_yaml_key volume_rows[] = {
    {"volume", volume_name, "the volume's name in the pod; required"},
    {"source", volume_source, "as that of a mount; required"},
};

const struct fb_policyfile_keys fb_policyfile_sidecar_volume_keys = {
    "inject.sidecars[].volumes[].", volume_rows, COUNT(volume_rows)};

static enum fb_status read_volume(struct fb_policyfile_target *target, const struct fb_yaml *node,
                                  const char *key, struct fb_error *err)
{
    struct fb_equip_sidecar *sidecar = target->object;
    struct fb_equip_mount volume = {.on = true};
    struct fb_policyfile_target inner = {target->arena, &volume};
    struct fb_equip_mount *at;
    enum fb_status st = fb_yaml_read(node, key, volume_rows, COUNT(volume_rows), &inner, err);

    if (st != FB_OK)
        return st;
    if (volume.volume == NULL || volume.source == NULL)
        return fb_policyfile_missing(node, key, volume.volume == NULL ? "volume" : "source", err);
    at = fb_arena_more(target->arena, sidecar->volumes, sidecar->volumes_len,
                       &sidecar->volumes_size, sizeof *at);
    if (at == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    sidecar->volumes = at;
    at[sidecar->volumes_len++] = volume;
    return FB_OK;
}

static enum fb_status sidecar_volumes(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    return fb_policyfile_list(into, node, key, read_volume, err);
}

static enum fb_status sidecar_level(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    static const struct {
        const char *name;
        enum fb_pod_security level;
    } levels[] = {
        {"privileged", FB_POD_SECURITY_PRIVILEGED},
        {"baseline", FB_POD_SECURITY_BASELINE},
        {"restricted", FB_POD_SECURITY_RESTRICTED},
    };
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    for (size_t i = 0; i < COUNT(levels); i++) {
        if (strcmp(text, levels[i].name) == 0) {
            sidecar_of(into)->level = levels[i].level;
            return FB_OK;
        }
    }
    return fb_error_set(err, FB_EINPUT,
                        "line %zu: %s: '%s' is none of privileged, baseline, "
                        "restricted",
                        node->line, key, text);
}

static const struct fb_yaml_key sidecar_rows[] = {
    {"container", sidecar_container,
     "the container as Kubernetes spells it, with restartPolicy Always; `{version}` in it is what "
     "`daemon` says; required"},
    {"volumes", sidecar_volumes, "list: the volumes that it mounts"},
    {"podSecurity", sidecar_level,
     "the strictest Pod Security level of a namespace in which it may run: `privileged`, "
     "`baseline` or `restricted`; left out: `privileged`"},
};

const struct fb_policyfile_keys fb_policyfile_sidecar_keys = {"inject.sidecars[].", sidecar_rows,
                                                              COUNT(sidecar_rows)};

static enum fb_status read_sidecar(struct fb_policyfile_target *target, const struct fb_yaml *node,
                                   const char *key, struct fb_error *err)
{
    struct fb_equip *equip = target->object;
    struct fb_equip_sidecar sidecar = {.level = FB_POD_SECURITY_PRIVILEGED};
    struct fb_policyfile_target inner = {target->arena, &sidecar};
    struct fb_equip_sidecar *at;
    enum fb_status st = fb_yaml_read(node, key, sidecar_rows, COUNT(sidecar_rows), &inner, err);

    if (st != FB_OK)
        return st;
    if (sidecar.container == NULL)
        return fb_policyfile_missing(node, key, "container", err);
    for (size_t i = 0; i < equip->sidecars_len; i++) {
        if (fb_text_equal(equip->sidecars[i].name, sidecar.name))
            return fb_error_set(err, FB_EINPUT, "line %zu: %s.container.name: '%s' is given twice",
                                node->line, key, sidecar.name);
    }
    at = fb_arena_more(target->arena, equip->sidecars, equip->sidecars_len, &equip->sidecars_size,
                       sizeof *at);
    if (at == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    equip->sidecars = at;
    at[equip->sidecars_len++] = sidecar;
    return FB_OK;
}

enum fb_status fb_policyfile_sidecars(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    return fb_policyfile_list(into, node, key, read_sidecar, err);
}
