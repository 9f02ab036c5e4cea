/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/profile.h"
#include "injection_work.h"

#include <string.h>

/* A GPU container being equipped. */
struct target {
    struct fb_injection_work *work;
    const struct fb_spec_container *container;
    size_t index;
};

static void put(struct target *target, const char *tail, const char *value)
{
    struct fb_jsontext path = fb_injection_path(target->work, target->container, tail);

    fb_injection_add_text(target->work, &path, value);
}

/* Make sure that the map at @tail is there. */
static void need_map(struct target *target, bool has, const char *tail)
{
    if (!has)
        put(target, tail, "{}");
}

static void set_amount(struct target *target, const char *tail, const char *name,
                       const char *amount)
{
    struct fb_jsontext path = fb_injection_path(target->work, target->container, tail);
    struct fb_jsontext value = {.arena = target->work->arena};

    fb_jsontext_pointer(&path, name);
    fb_jsontext_string(&value, amount);
    fb_injection_add(target->work, &path, &value);
}

/* May a container ask for less than its limit of @name. Source: k8s.io/kubernetes
   pkg/apis/core/v1/helper, IsOvercommitAllowed. */
static bool overcommits(const char *name)
{
    return !fb_text_has_prefix(name, "hugepages-") &&
           (strchr(name, '/') == NULL || fb_text_matches(name, "*kubernetes.io/*"));
}

static void set_both(struct target *target, const char *name, const char *amount)
{
    set_amount(target, "/resources/requests", name, amount);
    if (!overcommits(name))
        set_amount(target, "/resources/limits", name, amount);
}

/* NICs of this container; those of an EACH network are asked for once a pod. */
static int64_t count_nics(struct target *target, int64_t gpus)
{
    const struct fb_injection_work *work = target->work;
    const struct fb_injection_input *in = work->in;
    bool holds = target->index == work->holder;
    enum fb_need_source source;
    struct fb_ratio ratio = fb_need_ratio(in->pod, in->fabric, in->settings, &source);

    if (!work->adds_nics || (in->fabric->kind == FB_NIC_EACH && !holds))
        return 0;
    return fb_need_nics(in->fabric, source, ratio, gpus);
}

static void add_nics(struct target *target, int64_t count)
{
    const struct fb_fabric *fabric = target->work->in->fabric;
    size_t names = fabric->kind == FB_NIC_EACH ? fabric->nics.len : 1;
    struct fb_jsontext amount = {.arena = target->work->arena};
    const char *text;

    fb_jsontext_int(&amount, count);
    text = fb_jsontext_done(&amount);
    target->work->failed = target->work->failed || text == NULL;
    for (size_t i = 0; text != NULL && i < names; i++)
        set_both(target, fabric->nics.at[i], text);
}

/* A limit alone is the request too. */
static bool asks_for(const struct fb_spec_container *container, const char *name)
{
    return fb_resources_find(&container->requests, name) != NULL ||
           fb_resources_find(&container->limits, name) != NULL;
}

static void add_requests(struct target *target, int64_t gpus)
{
    const struct fb_spec_container *container = target->container;
    const struct fb_pairs *more = &target->work->in->equip->requests;
    int64_t nics = count_nics(target, gpus);
    bool some = nics > 0;
    bool limits = nics > 0;

    for (size_t i = 0; i < more->len; i++) {
        bool asks = asks_for(container, more->at[i].key);

        some = some || !asks;
        limits = limits || (!asks && !overcommits(more->at[i].key));
    }
    if (!some)
        return;
    need_map(target, container->has_resources, "/resources");
    need_map(target, container->has_requests, "/resources/requests");
    need_map(target, container->has_limits || !limits, "/resources/limits");
    if (nics > 0)
        add_nics(target, nics);
    for (size_t i = 0; i < more->len; i++) {
        if (!asks_for(container, more->at[i].key))
            set_both(target, more->at[i].key, more->at[i].value);
    }
}

/* Entries of a list, put in front of the user's in one order. */
struct front {
    struct target *target;
    const char *tail; /* "/env" */
    bool has;         /* the list is there */
    size_t count;
};

static void put_front(struct front *front, struct fb_jsontext *value)
{
    struct target *target = front->target;
    struct fb_jsontext path = fb_injection_path(target->work, target->container, front->tail);

    if (!front->has && front->count == 0)
        put(target, front->tail, "[]");
    fb_jsontext_raw(&path, "/");
    fb_jsontext_int(&path, (int64_t)front->count++);
    fb_injection_add(target->work, &path, value);
}

static void add_variable(struct front *front, const char *name, const char *text)
{
    struct fb_jsontext value = {.arena = front->target->work->arena};

    if (fb_texts_has(&front->target->container->env, name))
        return;
    fb_jsontext_raw(&value, "{\"name\":");
    fb_jsontext_string(&value, name);
    fb_jsontext_raw(&value, ",\"value\":");
    fb_jsontext_string(&value, text);
    fb_jsontext_raw(&value, "}");
    put_front(front, &value);
}

static void add_env(struct target *target)
{
    const struct fb_injection_input *in = target->work->in;
    const struct fb_equip *equip = in->equip;
    struct front front = {target, "/env", target->container->has_env, 0};
    bool conf = equip->conf_file == FB_CONF_FILE_BOTH || equip->conf_file == FB_CONF_FILE_ENV;

    for (size_t i = 0; i < equip->env.len; i++)
        add_variable(&front, equip->env.at[i].key, equip->env.at[i].value);
    if (conf && fb_pairs_find(&equip->env, "NCCL_CONF_FILE") == NULL)
        add_variable(&front, "NCCL_CONF_FILE", FB_PROFILE_DIR "/nccl.conf");
    if (in->require_transport && equip->nccl_net != NULL &&
        fb_pairs_find(&equip->env, "NCCL_NET") == NULL)
        add_variable(&front, "NCCL_NET", equip->nccl_net);
    if (front.count > 0 && target->container->has_env_from)
        fb_injection_note(target->work, &target->work->out->warnings,
                          "container %s: injected variables win over those of its envFrom",
                          target->container->name);
}

/* Without the "/" at the end that people write. */
static bool same_path(const char *a, const char *b)
{
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);

    while (a_len > 1 && a[a_len - 1] == '/')
        a_len--;
    while (b_len > 1 && b[b_len - 1] == '/')
        b_len--;
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

static bool is_mounted(const struct fb_spec_container *container, const char *path)
{
    for (size_t i = 0; i < container->mounts.len; i++) {
        if (same_path(container->mounts.at[i], path))
            return true;
    }
    return false;
}

static void add_mount(struct front *front, const struct fb_equip_mount *mount, const char *volume)
{
    struct fb_jsontext value = {.arena = front->target->work->arena};

    fb_jsontext_raw(&value, "{\"name\":");
    fb_jsontext_string(&value, volume);
    fb_jsontext_raw(&value, ",\"mountPath\":");
    fb_jsontext_string(&value, mount->path);
    if (mount->sub_path != NULL) {
        fb_jsontext_raw(&value, ",\"subPath\":");
        fb_jsontext_string(&value, mount->sub_path);
    }
    fb_jsontext_raw(&value, mount->read_only ? ",\"readOnly\":true}" : "}");
    put_front(front, &value);
}

static void add_mounts(struct target *target)
{
    struct fb_injection_work *work = target->work;
    struct front front = {target, "/volumeMounts", target->container->has_mounts, 0};

    for (size_t i = 0; i < work->mounts_len && !work->failed; i++) {
        const struct fb_equip_mount *mount = &work->mounts[i];
        const char *volume;

        if (is_mounted(target->container, mount->path))
            continue;
        if (!fb_injection_allows_mount(work, mount)) {
            fb_injection_note(work, &work->out->degraded, "%s %s", mount->kind, mount->path);
            continue;
        }
        volume = fb_injection_volume(work, mount);
        if (volume != NULL)
            add_mount(&front, mount, volume);
    }
}

/* Capabilities are united with the user's; what he drops by name stays away, and the level may
   forbid some. */
static bool wants_capability(struct target *target, const char *name)
{
    struct fb_injection_work *work = target->work;
    const struct fb_spec_container *container = target->container;

    if (container->privileged || fb_texts_has(&container->capabilities, name) ||
        fb_texts_has(&container->capabilities, "ALL"))
        return false;
    if (fb_texts_has(&container->dropped, name)) {
        fb_injection_note(work, &work->out->warnings, "container %s: drops capability %s",
                          container->name, name);
        return false;
    }
    if (fb_injection_allows_capability(work, name))
        return true;
    fb_injection_note(work, &work->out->degraded, "capability %s", name);
    return false;
}

static void add_capabilities(struct target *target)
{
    const struct fb_texts *wanted = &target->work->in->equip->capabilities;
    const struct fb_spec_container *container = target->container;
    bool begun = false;

    for (size_t i = 0; i < wanted->len; i++) {
        struct fb_jsontext value = {.arena = target->work->arena};
        struct fb_jsontext path;

        if (!wants_capability(target, wanted->at[i]))
            continue;
        if (!begun) {
            need_map(target, container->has_capabilities, "/securityContext/capabilities");
            if (!container->has_add)
                put(target, "/securityContext/capabilities/add", "[]");
        }
        begun = true;
        path = fb_injection_path(target->work, container, "/securityContext/capabilities/add/-");
        fb_jsontext_string(&value, wanted->at[i]);
        fb_injection_add(target->work, &path, &value);
    }
}

static bool any_capability(struct target *target)
{
    const struct fb_texts *wanted = &target->work->in->equip->capabilities;
    bool any = false;

    for (size_t i = 0; i < wanted->len; i++)
        any = wants_capability(target, wanted->at[i]) || any;
    return any;
}

/* The API server refuses no escalation together with what is one. Source: k8s.io/kubernetes
   pkg/apis/core/validation, ValidateSecurityContext. */
static bool escalates(const struct fb_spec_container *container)
{
    static const char *const names[] = {"SYS_ADMIN", "CAP_SYS_ADMIN", "ALL"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (fb_texts_has(&container->capabilities, names[i]))
            return true;
    }
    return container->privileged;
}

static void add_security(struct target *target)
{
    const struct fb_equip *equip = target->work->in->equip;
    const struct fb_spec_container *container = target->container;
    bool escalation = equip->no_escalation && !container->says_escalation && !escalates(container);
    bool seccomp = equip->seccomp != NULL && !container->says_seccomp &&
                   !target->work->in->spec->says_seccomp && !container->privileged;
    struct fb_jsontext profile = {.arena = target->work->arena};

    if (!any_capability(target) && !escalation && !seccomp)
        return;
    need_map(target, container->has_security, "/securityContext");
    add_capabilities(target);
    if (escalation)
        put(target, "/securityContext/allowPrivilegeEscalation", "false");
    if (!seccomp)
        return;
    fb_jsontext_raw(&profile, "{\"type\":");
    fb_jsontext_string(&profile, equip->seccomp);
    fb_jsontext_raw(&profile, "}");
    put(target, "/securityContext/seccompProfile", fb_jsontext_done(&profile));
}

void fb_injection_container(struct fb_injection_work *work, size_t index, int64_t gpus)
{
    struct target target = {work, &work->in->spec->containers[index], index};

    add_requests(&target, gpus);
    add_env(&target);
    add_mounts(&target);
    add_security(&target);
}
