/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/need.h"

#define PER_GPU "fabricbind.io/nics-per-gpu"

static int64_t more(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*
 * What a pod has at most of one amount: its running containers together, or an init container
 * next to the sidecars started before it, whichever is more.
 */
struct peak {
    int64_t running, sidecars, init;
};

static void peak_add(struct peak *peak, enum fb_container_role role, int64_t amount)
{
    if (role == FB_CONTAINER_INIT) {
        peak->init = more(peak->init, fb_amount_add(amount, peak->sidecars));
        return;
    }
    if (role == FB_CONTAINER_SIDECAR)
        peak->sidecars = fb_amount_add(peak->sidecars, amount);
    peak->running = fb_amount_add(peak->running, amount);
}

static int64_t peak_of(const struct peak *peak)
{
    return more(peak->running, peak->init);
}

int64_t fb_need_gpus(const struct fb_pod *pod, const struct fb_settings *settings,
                     const char **ret_gpu)
{
    for (size_t g = 0; g < settings->gpu_resources.len; g++) {
        const char *name = settings->gpu_resources.at[g];
        struct peak peak = {0, 0, 0};

        for (size_t i = 0; i < pod->containers_len; i++)
            peak_add(&peak, pod->containers[i].role,
                     fb_resources_get(&pod->containers[i].requests, name));
        if (peak_of(&peak) > 0) {
            if (ret_gpu != NULL)
                *ret_gpu = name;
            return peak_of(&peak);
        }
    }
    if (ret_gpu != NULL)
        *ret_gpu = NULL;
    return 0;
}

/* A resource that the configuration names is a NIC, whatever the policies know. */
static bool is_nic(const struct fb_rules *rules, const char *name)
{
    return fb_text_equal(name, rules->settings->nic_resource) ||
           fb_policies_nic(rules->policies, name);
}

bool fb_need_owns_nics(const struct fb_pod *pod, const struct fb_rules *rules)
{
    for (size_t i = 0; i < pod->containers_len; i++) {
        const struct fb_resources *requests = &pod->containers[i].requests;

        for (size_t r = 0; r < requests->len; r++) {
            if (requests->at[r].amount > 0 && is_nic(rules, requests->at[r].name))
                return true;
        }
    }
    return false;
}

int64_t fb_need_nics(const struct fb_fabric *fabric, enum fb_need_source source,
                     struct fb_ratio ratio, int64_t gpus)
{
    if (gpus < 1)
        return 0;
    if (fabric->has_nics && fabric->kind == FB_NIC_EACH)
        return 1;
    if (fabric->has_nics && fabric->kind == FB_NIC_SLOT && source == FB_NEED_AUTO)
        return 1;
    /* Where nobody knows a ratio, one NIC is the least that a networked container can mean. */
    return more(1, fb_ratio_nics(ratio, gpus));
}

/* The ratio that speaks for this pod on this fabric. */
struct fb_ratio fb_need_ratio(const struct fb_pod *pod, const struct fb_fabric *fabric,
                              const struct fb_settings *settings, enum fb_need_source *ret_source)
{
    const char *text = fb_pairs_find(&pod->annotations, PER_GPU);
    enum fb_ratio_mode mode = settings->ratio_mode;
    struct fb_ratio ratio;

    *ret_source = FB_NEED_ANNOTATION;
    if (text != NULL && fb_ratio_parse(text, &ratio, NULL) == FB_OK)
        return ratio;
    if (fb_text_equal(text, "auto"))
        mode = FB_RATIO_AUTO;
    else if (fb_text_equal(text, "shape"))
        mode = FB_RATIO_SHAPE;
    *ret_source = FB_NEED_CONFIGURED;
    if (mode == FB_RATIO_CONFIGURED)
        return settings->ratio;
    *ret_source = FB_NEED_AUTO;
    if (mode == FB_RATIO_SHAPE && fabric->shape != NULL && fabric->shape->nics > 0)
        return fb_ratio_of(fabric->shape->nics, fabric->shape->gpus);
    return fabric->auto_ratio;
}

/* NICs that come by ResourceClaim or by the host's network are nobody's extended resource. */
static bool comes_otherwise(const struct fb_pod *pod, const struct fb_fabric *fabric)
{
    const struct fb_shape *shape = fabric->shape;

    for (size_t i = 0; fabric->policy != NULL && i < pod->device_classes.len; i++) {
        if (fb_texts_has(&fabric->policy->nic_device_classes, pod->device_classes.at[i]))
            return true;
    }
    if (shape == NULL || fabric->has_nics)
        return false;
    /* Claims whose classes are not told may be of NICs; told ones have been looked at. */
    return (shape->dra && pod->claims.len > 0 && pod->device_classes.len == 0) ||
           (shape->host_network && pod->host_network);
}

bool fb_need_leaves_nics(const struct fb_pod *pod, const struct fb_fabric *fabric,
                         const struct fb_rules *rules)
{
    return fb_need_owns_nics(pod, rules) || comes_otherwise(pod, fabric) ||
           (fabric->shape != NULL && fabric->shape->nics == 0);
}

/* A NIC resource to name where the fabric has none. */
static const char *missing_nic(const struct fb_fabric *fabric)
{
    if (fabric->policy != NULL && fabric->policy->nics_len > 0)
        return fabric->policy->nics[0].pattern;
    return "NIC resource";
}

static enum fb_status add_nic(struct fb_arena *arena, struct fb_need *need, const char *name,
                              int64_t amount)
{
    enum fb_status st = amount > 0 ? fb_resources_add(arena, &need->nics, name, amount) : FB_OK;

    return st == FB_OK && amount > 0 ? fb_resources_add(arena, &need->all, name, amount) : st;
}

/* NICs by count: each container with GPUs takes its own. */
static enum fb_status add_counted(struct fb_arena *arena, const struct fb_pod *pod,
                                  const struct fb_fabric *fabric,
                                  const struct fb_settings *settings, struct fb_need *need)
{
    struct fb_ratio ratio = fb_need_ratio(pod, fabric, settings, &need->source);
    struct peak peak = {0, 0, 0};

    for (size_t i = 0; i < pod->containers_len; i++) {
        const struct fb_container *container = &pod->containers[i];
        int64_t gpus = fb_resources_get(&container->requests, need->gpu);

        peak_add(&peak, container->role, fb_need_nics(fabric, need->source, ratio, gpus));
    }
    return add_nic(arena, need, fabric->has_nics ? fabric->nics.at[0] : missing_nic(fabric),
                   peak_of(&peak));
}

static enum fb_status add_network(struct fb_arena *arena, const struct fb_pod *pod,
                                  const struct fb_fabric *fabric,
                                  const struct fb_settings *settings, struct fb_need *need)
{
    if (comes_otherwise(pod, fabric))
        return FB_OK;
    need->source = FB_NEED_AUTO;
    if (fabric->shape != NULL && fabric->shape->nics == 0)
        return add_nic(arena, need, missing_nic(fabric), 1);
    if (!fabric->has_nics || fabric->kind != FB_NIC_EACH)
        return add_counted(arena, pod, fabric, settings, need);
    for (size_t i = 0; i < fabric->nics.len; i++) {
        enum fb_status st = add_nic(arena, need, fabric->nics.at[i], 1);

        if (st != FB_OK)
            return st;
    }
    return FB_OK;
}

/* The peak of every name that any container asks for. */
static enum fb_status add_requests(struct fb_arena *arena, const struct fb_pod *pod,
                                   struct fb_resources *all)
{
    for (size_t i = 0; i < pod->containers_len; i++) {
        const struct fb_resources *requests = &pod->containers[i].requests;

        for (size_t r = 0; r < requests->len; r++) {
            const char *name = requests->at[r].name;
            struct peak peak = {0, 0, 0};
            enum fb_status st;

            if (fb_resources_find(all, name) != NULL)
                continue;
            for (size_t c = 0; c < pod->containers_len; c++)
                peak_add(&peak, pod->containers[c].role,
                         fb_resources_get(&pod->containers[c].requests, name));
            st = fb_resources_set(arena, all, name, peak_of(&peak));
            if (st != FB_OK)
                return st;
        }
    }
    return fb_resources_add_all(arena, all, &pod->overhead);
}

static enum fb_status note_own(struct fb_arena *arena, const struct fb_rules *rules,
                               struct fb_need *need)
{
    need->source = FB_NEED_OWN;
    for (size_t i = 0; i < need->all.len; i++) {
        const struct fb_resource *entry = &need->all.at[i];
        enum fb_status st = FB_OK;

        if (entry->amount > 0 && is_nic(rules, entry->name))
            st = fb_resources_set(arena, &need->nics, entry->name, entry->amount);
        if (st != FB_OK)
            return st;
    }
    return FB_OK;
}

enum fb_status fb_need_make(struct fb_arena *arena, const struct fb_pod *pod,
                            enum fb_networking networking, const struct fb_fabric *fabric,
                            const struct fb_rules *rules, struct fb_need *ret)
{
    struct fb_need need = {.source = FB_NEED_NONE};
    bool shared = fabric != NULL && fabric->has_nics && fabric->kind == FB_NIC_EACH;
    enum fb_status st;

    need.gpus = fb_need_gpus(pod, rules->settings, &need.gpu);
    st = add_requests(arena, pod, &need.all);
    if (st == FB_OK)
        st = fb_resources_add(arena, &need.all, "pods", 1);
    /* Unannotated pods on part of a node share its networks with nobody: they get none. */
    need.plain = shared && networking == FB_NETWORKING_GANG && need.gpus < fabric->gpus;
    if (need.plain)
        networking = FB_NETWORKING_NO;
    need.whole = shared && networking != FB_NETWORKING_NO;
    if (st == FB_OK && fb_need_owns_nics(pod, rules))
        st = note_own(arena, rules, &need);
    else if (st == FB_OK && fabric != NULL && networking != FB_NETWORKING_NO)
        st = add_network(arena, pod, fabric, rules->settings, &need);
    if (st == FB_OK)
        *ret = need;
    return st;
}
