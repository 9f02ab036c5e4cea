/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/equip.h"

#include <string.h>

const char *fb_pod_security_name(enum fb_pod_security level)
{
    static const char *const names[] = {
        [FB_POD_SECURITY_PRIVILEGED] = "privileged",
        [FB_POD_SECURITY_BASELINE] = "baseline",
        [FB_POD_SECURITY_RESTRICTED] = "restricted",
    };

    return names[level];
}

/* Elements of one kind and where each has its name. */
struct list {
    const void *at;
    size_t len;
    size_t elem, name; /* bytes of an element, offset of its name */
};

static const char *name_of(const struct list *list, const char *element)
{
    const char *name;

    memcpy(&name, element + list->name, sizeof name);
    return name;
}

/* Where the element called @name is among the first @len of @at, or @len. */
static size_t place_of(const struct list *list, const char *at, size_t len, const char *name)
{
    size_t i = 0;

    while (i < len && !fb_text_equal(name_of(list, at + i * list->elem), name))
        i++;
    return i;
}

/* A new array of @base, with what @over has in its place or at the end. NULL when both are empty
   or memory ran out. */
static void *unite(struct fb_arena *arena, struct list base, struct list over, size_t *ret_len)
{
    const char *from = over.at;
    size_t len = base.len;
    char *at;

    *ret_len = 0;
    if (base.len + over.len == 0)
        return NULL;
    at = fb_arena_alloc(arena, (base.len + over.len) * base.elem);
    if (at == NULL)
        return NULL;
    if (base.len > 0)
        memcpy(at, base.at, base.len * base.elem);
    for (size_t i = 0; i < over.len; i++) {
        const char *element = from + i * over.elem;
        size_t place = place_of(&base, at, len, name_of(&over, element));

        memcpy(at + place * base.elem, element, base.elem);
        len += place == len ? 1 : 0;
    }
    *ret_len = len;
    return at;
}

/* Did unite() get what it should have of lists of @a and @b elements. */
static bool is_united(const void *at, size_t a, size_t b)
{
    return at != NULL || a + b == 0;
}

static bool unite_pairs(struct fb_arena *arena, const struct fb_pairs *base,
                        const struct fb_pairs *over, struct fb_pairs *ret)
{
    struct list a = {base->at, base->len, sizeof *base->at, offsetof(struct fb_pair, key)};
    struct list b = {over->at, over->len, sizeof *over->at, offsetof(struct fb_pair, key)};

    ret->at = unite(arena, a, b, &ret->len);
    ret->size = ret->len;
    return is_united(ret->at, base->len, over->len);
}

static bool unite_texts(struct fb_arena *arena, const struct fb_texts *base,
                        const struct fb_texts *over, struct fb_texts *ret)
{
    struct list a = {(const void *)base->at, base->len, sizeof *base->at, 0};
    struct list b = {(const void *)over->at, over->len, sizeof *over->at, 0};

    ret->at = (const char **)unite(arena, a, b, &ret->len);
    ret->size = ret->len;
    return is_united((const void *)ret->at, base->len, over->len);
}

static bool unite_mounts(struct fb_arena *arena, const struct fb_equip *base,
                         const struct fb_equip *over, struct fb_equip *ret)
{
    const size_t elem = sizeof *base->mounts;
    const size_t name = offsetof(struct fb_equip_mount, path);
    struct list a = {base->mounts, base->mounts_len, elem, name};
    struct list b = {over->mounts, over->mounts_len, elem, name};

    ret->mounts = unite(arena, a, b, &ret->mounts_len);
    ret->mounts_size = ret->mounts_len;
    return is_united(ret->mounts, base->mounts_len, over->mounts_len);
}

static bool unite_sidecars(struct fb_arena *arena, const struct fb_equip *base,
                           const struct fb_equip *over, struct fb_equip *ret)
{
    const size_t elem = sizeof *base->sidecars;
    const size_t name = offsetof(struct fb_equip_sidecar, name);
    struct list a = {base->sidecars, base->sidecars_len, elem, name};
    struct list b = {over->sidecars, over->sidecars_len, elem, name};

    ret->sidecars = unite(arena, a, b, &ret->sidecars_len);
    ret->sidecars_size = ret->sidecars_len;
    return is_united(ret->sidecars, base->sidecars_len, over->sidecars_len);
}

static const char *pick(const char *base, const char *over)
{
    return over != NULL ? over : base;
}

static void pick_interfaces(const struct fb_equip *from, struct fb_equip *ret)
{
    ret->interfaces_annotation = from->interfaces_annotation;
    ret->first_interface = from->first_interface;
    ret->first_network = from->first_network;
    ret->interface_prefix = from->interface_prefix;
    ret->interface_from = from->interface_from;
}

static void pick_scalars(const struct fb_equip *base, const struct fb_equip *over,
                         struct fb_equip *ret)
{
    ret->no_escalation = base->no_escalation || over->no_escalation;
    ret->seccomp = pick(base->seccomp, over->seccomp);
    ret->networks_annotation = pick(base->networks_annotation, over->networks_annotation);
    ret->network = pick(base->network, over->network);
    pick_interfaces(over->interfaces_annotation != NULL ? over : base, ret);
    ret->nccl_net = pick(base->nccl_net, over->nccl_net);
    if (ret->nccl_net != NULL && ret->nccl_net[0] == '\0')
        ret->nccl_net = NULL;
    ret->has_conf_file = base->has_conf_file || over->has_conf_file;
    ret->conf_file = over->has_conf_file ? over->conf_file : base->conf_file;
    ret->link_speed = pick(base->link_speed, over->link_speed);
    ret->nic_class = pick(base->nic_class, over->nic_class);
}

enum fb_status fb_equip_merge(struct fb_arena *arena, const struct fb_equip *base,
                              const struct fb_equip *over, struct fb_equip *ret)
{
    static const struct fb_equip nothing = {0};
    const struct fb_equip *a = base != NULL ? base : &nothing;
    const struct fb_equip *b = over != NULL ? over : &nothing;
    struct fb_equip made = {0};
    bool whole =
        unite_pairs(arena, &a->env, &b->env, &made.env) &&
        unite_pairs(arena, &a->requests, &b->requests, &made.requests) &&
        unite_pairs(arena, &a->annotations, &b->annotations, &made.annotations) &&
        unite_pairs(arena, &a->networks_by_nic, &b->networks_by_nic, &made.networks_by_nic) &&
        unite_pairs(arena, &a->conf, &b->conf, &made.conf) &&
        unite_texts(arena, &a->capabilities, &b->capabilities, &made.capabilities) &&
        unite_mounts(arena, a, b, &made) && unite_sidecars(arena, a, b, &made);

    if (!whole)
        return FB_ENOMEM;
    pick_scalars(a, b, &made);
    *ret = made;
    return FB_OK;
}

const char *fb_equip_network(const struct fb_equip *equip, const char *resource)
{
    const char *own = resource != NULL ? fb_pairs_find(&equip->networks_by_nic, resource) : NULL;

    return own != NULL ? own : equip->network;
}
