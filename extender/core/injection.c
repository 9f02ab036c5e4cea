/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/injection.h"

#include "fabricbind/profile.h"
#include "injection_work.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FIELD(path, key)                                                                           \
    "{\"path\":\"" path "\",\"fieldRef\":{\"fieldPath\":\"metadata.annotations['" key "']\"}}"
#define DOWNWARD                                                                                   \
    "{\"downwardAPI\":{\"items\":[" FIELD("nccl.conf", FB_PROFILE_CONF_KEY) "," FIELD(             \
        "nccl-topo.xml", FB_PROFILE_TOPO_KEY) "," FIELD("profile.json", FB_PROFILE_KEY) "]}}"

enum fb_status fb_patch_add(struct fb_arena *arena, struct fb_patch *patch, const char *path,
                            const char *value)
{
    struct fb_patch_op *at = fb_arena_more(arena, patch->at, patch->len, &patch->size, sizeof *at);

    if (path == NULL || value == NULL || at == NULL)
        return FB_ENOMEM;
    patch->at = at;
    at[patch->len++] = (struct fb_patch_op){path, value};
    return FB_OK;
}

struct fb_jsontext fb_injection_at(struct fb_injection_work *work, const char *where)
{
    struct fb_jsontext path = {.arena = work->arena};

    fb_jsontext_raw(&path, where);
    return path;
}

struct fb_jsontext fb_injection_path(struct fb_injection_work *work,
                                     const struct fb_spec_container *container, const char *tail)
{
    struct fb_jsontext path = {.arena = work->arena};

    fb_jsontext_raw(&path, container->init ? "/spec/initContainers/" : "/spec/containers/");
    fb_jsontext_int(&path, (int64_t)container->index);
    fb_jsontext_raw(&path, tail);
    return path;
}

void fb_injection_add_text(struct fb_injection_work *work, struct fb_jsontext *path,
                           const char *value)
{
    if (fb_patch_add(work->arena, &work->out->patch, fb_jsontext_done(path), value) != FB_OK)
        work->failed = true;
}

void fb_injection_add(struct fb_injection_work *work, struct fb_jsontext *path,
                      struct fb_jsontext *value)
{
    fb_injection_add_text(work, path, fb_jsontext_done(value));
}

void fb_injection_put(struct fb_injection_work *work, const char *where, const char *value)
{
    struct fb_jsontext path = fb_injection_at(work, where);

    fb_injection_add_text(work, &path, value);
}

void fb_injection_note(struct fb_injection_work *work, struct fb_texts *list, const char *fmt, ...)
{
    char text[512];
    const char *kept;
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    kept = fb_arena_text(work->arena, text, strlen(text));
    if (kept != NULL && fb_texts_has(list, kept))
        return;
    if (fb_texts_add(work->arena, list, kept) != FB_OK)
        work->failed = true;
}

static bool is_among(const char *const *names, size_t len, const char *name)
{
    for (size_t i = 0; i < len; i++) {
        if (fb_text_equal(names[i], name))
            return true;
    }
    return false;
}

bool fb_injection_allows_mount(const struct fb_injection_work *work,
                               const struct fb_equip_mount *mount)
{
    /* Source: Kubernetes Pod Security Standards, restricted. */
    static const char *const restricted[] = {
        "configMap", "csi",       "downwardAPI", "emptyDir",
        "ephemeral", "projected", "secret",      "persistentVolumeClaim",
    };

    if (work->in->level == FB_POD_SECURITY_PRIVILEGED)
        return true;
    if (work->in->level == FB_POD_SECURITY_BASELINE)
        return !fb_text_equal(mount->kind, "hostPath");
    return is_among(restricted, sizeof restricted / sizeof restricted[0], mount->kind);
}

bool fb_injection_allows_capability(const struct fb_injection_work *work, const char *name)
{
    /* Source: Kubernetes Pod Security Standards, baseline; restricted has the first one only. */
    static const char *const baseline[] = {
        "NET_BIND_SERVICE", "AUDIT_WRITE", "CHOWN",     "DAC_OVERRIDE", "FOWNER",
        "FSETID",           "KILL",        "MKNOD",     "SETFCAP",      "SETGID",
        "SETPCAP",          "SETUID",      "SYS_CHROOT"};

    if (work->in->level == FB_POD_SECURITY_PRIVILEGED)
        return true;
    return is_among(
        baseline,
        work->in->level == FB_POD_SECURITY_BASELINE ? sizeof baseline / sizeof baseline[0] : 1,
        name);
}

/* Of two for one path the first stays. */
static void take_mount(struct fb_injection_work *work, const struct fb_equip_mount *mount)
{
    struct fb_equip_mount *at;

    for (size_t i = 0; i < work->mounts_len; i++) {
        if (fb_text_equal(work->mounts[i].path, mount->path))
            return;
    }
    if (!mount->on)
        return;
    at = fb_arena_more(work->arena, work->mounts, work->mounts_len, &work->mounts_size, sizeof *at);
    if (at == NULL) {
        work->failed = true;
        return;
    }
    work->mounts = at;
    at[work->mounts_len++] = *mount;
}

/* Also the place that the profile of the node will fill when the pod is bound. */
static void take_mounts(struct fb_injection_work *work)
{
    static const struct fb_equip_mount profile[] = {
        {.volume = "fabricbind",
         .path = FB_PROFILE_DIR,
         .source = DOWNWARD,
         .kind = "downwardAPI",
         .read_only = true,
         .on = true},
        {.volume = "fabricbind",
         .path = "/etc/nccl.conf",
         .sub_path = "nccl.conf",
         .source = DOWNWARD,
         .kind = "downwardAPI",
         .read_only = true,
         .on = true},
    };
    const struct fb_equip *equip = work->in->equip;
    bool etc = equip->conf_file == FB_CONF_FILE_BOTH || equip->conf_file == FB_CONF_FILE_ETC;

    for (size_t i = 0; i < equip->mounts_len; i++)
        take_mount(work, &equip->mounts[i]);
    for (size_t i = 0; i < (etc ? 2 : 1); i++)
        take_mount(work, &profile[i]);
}

/* What comes once a pod is asked for by the first container that runs with GPUs; an init container
   has it only where no other could. */
static size_t find_holder(const struct fb_pod *pod, const char *gpu)
{
    size_t holder = SIZE_MAX;

    for (size_t i = 0; i < pod->containers_len; i++) {
        if (fb_resources_get(&pod->containers[i].requests, gpu) < 1)
            continue;
        if (pod->containers[i].role != FB_CONTAINER_INIT)
            return i;
        if (holder == SIZE_MAX)
            holder = i;
    }
    return holder;
}

/* What is said at bind is ours to say: a value that a user set would be believed until then. */
static void empty_forged(struct fb_injection_work *work, const char *key)
{
    const char *value = fb_pairs_find(&work->in->spec->annotations, key);

    if (value != NULL && *value != '\0')
        fb_injection_annotation(work, key, "");
}

static void add_marks(struct fb_injection_work *work)
{
    const struct fb_podspec *spec = work->in->spec;
    const struct fb_texts *degraded = &work->out->degraded;
    struct fb_jsontext list = {.arena = work->arena};
    const char *text;

    for (size_t i = 0; i < degraded->len; i++) {
        fb_jsontext_raw(&list, i > 0 ? ", " : "");
        fb_jsontext_raw(&list, degraded->at[i]);
    }
    text = fb_jsontext_done(&list);
    if (!fb_text_equal(fb_pairs_find(&spec->annotations, FB_MANAGED_KEY), "true"))
        fb_injection_annotation(work, FB_MANAGED_KEY, "true");
    if (degraded->len > 0 &&
        !fb_text_equal(fb_pairs_find(&spec->annotations, FB_DEGRADED_KEY), text))
        fb_injection_annotation(work, FB_DEGRADED_KEY, text);
    if (degraded->len == 0)
        empty_forged(work, FB_DEGRADED_KEY);
    empty_forged(work, FB_PROFILE_KEY);
    empty_forged(work, FB_PROFILE_CONF_KEY);
    empty_forged(work, FB_PROFILE_TOPO_KEY);
    if (fb_text_equal(fb_pairs_find(&spec->labels, FB_MANAGED_KEY), "true"))
        return;
    if (!spec->has_labels)
        fb_injection_put(work, "/metadata/labels", "{}");
    fb_injection_put(work, "/metadata/labels/fabricbind.io~1managed", "\"true\"");
}

static void add_pod(struct fb_injection_work *work)
{
    const struct fb_podspec *spec = work->in->spec;
    const struct fb_pairs *wanted = &work->in->equip->annotations;

    if (!spec->has_metadata)
        fb_injection_put(work, "/metadata", "{}");
    if (!spec->has_annotations)
        fb_injection_put(work, "/metadata/annotations", "{}");
    for (size_t i = 0; i < wanted->len; i++) {
        if (fb_pairs_find(&spec->annotations, wanted->at[i].key) == NULL)
            fb_injection_annotation(work, wanted->at[i].key, wanted->at[i].value);
    }
    fb_injection_sidecars(work);
    fb_injection_volumes(work);
    fb_injection_networks(work);
    fb_injection_pins(work);
    add_marks(work);
}

static void equip(struct fb_injection_work *work)
{
    const struct fb_injection_input *in = work->in;

    work->adds_nics =
        in->fabric->has_nics && in->fabric->nics.len > 0 &&
        !fb_need_leaves_nics(in->pod, in->fabric, &(struct fb_rules){in->policies, in->settings}) &&
        fb_injection_own_nics(work) == 0;
    work->holder = find_holder(in->pod, work->need.gpu);
    take_mounts(work);
    /* Both have init containers first, in the order of the object. */
    for (size_t i = 0; i < in->spec->containers_len && i < in->pod->containers_len; i++) {
        int64_t gpus = fb_resources_get(&in->pod->containers[i].requests, work->need.gpu);

        if (gpus > 0 && !work->failed)
            fb_injection_container(work, i, gpus);
    }
    if (!work->failed)
        add_pod(work);
}

/* Is the pod to be networked on that fabric. */
static bool is_networked(struct fb_injection_work *work)
{
    const struct fb_injection_input *in = work->in;
    const struct fb_need *need = &work->need;

    if (need->gpus < 1)
        return false;
    if (need->plain || (need->whole && need->gpus < in->fabric->gpus))
        fb_injection_note(
            work, &work->out->warnings,
            "asks for %lld of %lld GPUs: this network is shared by whole nodes only%s",
            (long long)need->gpus, (long long)in->fabric->gpus,
            need->plain ? ", so the pod is not networked" : "");
    return !need->plain;
}

enum fb_status fb_injection_make(struct fb_arena *arena, const struct fb_injection_input *in,
                                 struct fb_injection *ret)
{
    struct fb_injection made = {0};
    struct fb_injection_work work = {.arena = arena, .in = in, .out = &made};

    if (in->networking != FB_NETWORKING_NO && in->fabric != NULL) {
        const struct fb_rules rules = {in->policies, in->settings};
        enum fb_status st =
            fb_need_make(arena, in->pod, in->networking, in->fabric, &rules, &work.need);

        if (st != FB_OK)
            return st;
        if (is_networked(&work))
            equip(&work);
    }
    if (work.failed)
        return FB_ENOMEM;
    if (made.refused != NULL)
        made.patch.len = 0;
    *ret = made;
    return FB_OK;
}
