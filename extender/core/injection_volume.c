/* SPDX-License-Identifier: Apache-2.0 */
#include "injection_work.h"

#include <string.h>

static bool has_volume(const struct fb_podspec *spec, const char *name)
{
    for (size_t i = 0; i < spec->volumes_len; i++) {
        if (fb_text_equal(spec->volumes[i].name, name))
            return true;
    }
    return false;
}

/* A volume of that name and kind is the user's to define; one without a source is an emptyDir, as
   the API server makes it. What the downward API gives is never meant for us. */
static bool is_theirs(const struct fb_podspec *spec, const struct fb_equip_mount *mount)
{
    for (size_t i = 0; i < spec->volumes_len; i++) {
        const struct fb_spec_volume *at = &spec->volumes[i];
        const char *kind = *at->kind != '\0' ? at->kind : "emptyDir";

        if (fb_text_equal(at->name, mount->volume))
            return fb_text_equal(kind, mount->kind) && !fb_text_equal(kind, "downwardAPI");
    }
    return false;
}

/* Is @name one that another volume of the equipment has or may get. */
static bool is_spoken_for(const struct fb_injection_work *work, const char *name)
{
    const struct fb_equip *equip = work->in->equip;

    for (size_t i = 0; i < work->mounts_len; i++) {
        if (fb_text_equal(work->mounts[i].volume, name))
            return true;
    }
    for (size_t i = 0; i < equip->sidecars_len; i++) {
        for (size_t v = 0; v < equip->sidecars[i].volumes_len; v++) {
            if (fb_text_equal(equip->sidecars[i].volumes[v].volume, name))
                return true;
        }
    }
    return false;
}

/* @wanted itself or with a number behind it, so that nobody has it. */
static const char *free_name(struct fb_injection_work *work, const char *wanted)
{
    const char *name = wanted;
    int64_t number = 0;

    while (name != NULL &&
           (has_volume(work->in->spec, name) || (number > 0 && is_spoken_for(work, name)))) {
        struct fb_jsontext next = {.arena = work->arena};

        fb_jsontext_raw(&next, wanted);
        fb_jsontext_raw(&next, "-");
        fb_jsontext_int(&next, ++number);
        name = fb_jsontext_done(&next);
    }
    return name;
}

const char *fb_injection_volume(struct fb_injection_work *work, const struct fb_equip_mount *mount)
{
    struct fb_injection_volume made = {.wanted = mount->volume, .source = mount->source};
    struct fb_injection_volume *at;

    for (size_t i = 0; i < work->volumes_len; i++) {
        if (fb_text_equal(work->volumes[i].wanted, mount->volume))
            return work->volumes[i].name;
    }
    made.theirs = is_theirs(work->in->spec, mount);
    made.name = made.theirs ? mount->volume : free_name(work, mount->volume);
    at = fb_arena_more(work->arena, work->volumes, work->volumes_len, &work->volumes_size,
                       sizeof *at);
    if (made.name == NULL || at == NULL) {
        work->failed = true;
        return NULL;
    }
    work->volumes = at;
    at[work->volumes_len++] = made;
    return made.name;
}

/* {"name":...,"emptyDir":{}} at the @index-th place, in front of the user's. */
static void add_volume(struct fb_injection_work *work, size_t index,
                       const struct fb_injection_volume *volume)
{
    struct fb_jsontext path = fb_injection_at(work, "/spec/volumes/");
    struct fb_jsontext value = {.arena = work->arena};

    fb_jsontext_int(&path, (int64_t)index);
    fb_jsontext_raw(&value, "{\"name\":");
    fb_jsontext_string(&value, volume->name);
    fb_jsontext_raw(&value, ",");
    fb_jsontext_raw(&value, volume->source + 1);
    fb_injection_add(work, &path, &value);
}

void fb_injection_volumes(struct fb_injection_work *work)
{
    size_t added = 0;

    for (size_t i = 0; i < work->volumes_len; i++) {
        if (work->volumes[i].theirs)
            continue;
        if (!work->in->spec->has_volumes && added == 0)
            fb_injection_put(work, "/spec/volumes", "[]");
        add_volume(work, added++, &work->volumes[i]);
    }
}

static bool has_container(const struct fb_podspec *spec, const char *name)
{
    for (size_t i = 0; i < spec->containers_len; i++) {
        if (fb_text_equal(spec->containers[i].name, name))
            return true;
    }
    return false;
}

/* A sidecar of that name is the user's own. */
static bool wants_sidecar(struct fb_injection_work *work, const struct fb_equip_sidecar *sidecar)
{
    bool allowed = work->in->level <= sidecar->level;

    if (has_container(work->in->spec, sidecar->name))
        return false;
    for (size_t i = 0; i < sidecar->volumes_len; i++)
        allowed = allowed && fb_injection_allows_mount(work, &sidecar->volumes[i]);
    if (!allowed)
        fb_injection_note(work, &work->out->degraded, "sidecar %s", sidecar->name);
    return allowed;
}

/* Behind the end of the JSON list that @at is in. */
static const char *list_end(const char *at)
{
    bool quoted = false;

    for (; *at != '\0' && (quoted || *at != ']'); at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (*at == '\\' && quoted && at[1] != '\0')
            at++;
    }
    return at;
}

/* The name in this pod of the volume that the sidecar calls by the @len bytes at @name. */
static const char *name_here(struct fb_injection_work *work, const struct fb_equip_sidecar *sidecar,
                             const char *name, size_t len)
{
    for (size_t i = 0; i < sidecar->volumes_len; i++) {
        const char *volume = sidecar->volumes[i].volume;

        if (strlen(volume) == len && memcmp(volume, name, len) == 0)
            return fb_injection_volume(work, &sidecar->volumes[i]);
    }
    return NULL;
}

/* The container as the policy has it, its mounts by the names that the volumes have here. In
   compact JSON these keys are found by their spelling: a quote inside of a string is escaped. */
static struct fb_jsontext sidecar_value(struct fb_injection_work *work,
                                        const struct fb_equip_sidecar *sidecar)
{
    static const char mounts[] = "\"volumeMounts\":[";
    static const char key[] = "\"name\":\"";
    struct fb_jsontext value = {.arena = work->arena};
    const char *from = sidecar->container;
    const char *at = strstr(from, mounts);
    const char *end = at != NULL ? list_end(at + strlen(mounts)) : from;

    for (at = at != NULL ? strstr(at, key) : NULL; at != NULL && at < end; at = strstr(from, key)) {
        const char *name = at + strlen(key);
        size_t len = strcspn(name, "\"");
        const char *here = name_here(work, sidecar, name, len);

        fb_jsontext_bytes(&value, from, (size_t)(name - from));
        if (here != NULL)
            fb_jsontext_raw(&value, here);
        else
            fb_jsontext_bytes(&value, name, len);
        from = name + len;
    }
    fb_jsontext_raw(&value, from);
    return value;
}

void fb_injection_sidecars(struct fb_injection_work *work)
{
    const struct fb_equip *equip = work->in->equip;
    size_t added = 0;

    for (size_t i = 0; i < equip->sidecars_len; i++) {
        struct fb_jsontext path = fb_injection_at(work, "/spec/initContainers/");
        struct fb_jsontext value;

        if (!wants_sidecar(work, &equip->sidecars[i]))
            continue;
        if (!work->in->spec->has_init && added == 0)
            fb_injection_put(work, "/spec/initContainers", "[]");
        fb_jsontext_int(&path, (int64_t)added++);
        value = sidecar_value(work, &equip->sidecars[i]);
        fb_injection_add(work, &path, &value);
    }
}
