/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_work.h"

#include "fabricbind/gang.h"
#include "fabricbind/jsontext.h"
#include "fabricbind/outfit_pod.h"

#include <string.h>

/* A pod on its way to a node. */
struct bound {
    struct fb_binding binding;
    struct fb_pod pod;
    struct fb_profile profile; /* all NULL: nothing is asked of it there */
    bool is_signed;
    const char *result; /* for the metric and the log */
};

static int by_name(const struct fb_resident *resident, const char *space, const char *name)
{
    int order = strcmp(resident->pod->space, space);

    return order != 0 ? order : strcmp(resident->pod->name, name);
}

/* Residents stand in order of namespace and name. */
static const struct fb_pod *find_resident(const struct fb_cluster *cluster, const char *space,
                                          const char *name)
{
    size_t low = 0;
    size_t high = cluster->residents_len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (by_name(&cluster->residents[middle], space, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == cluster->residents_len || by_name(&cluster->residents[low], space, name) != 0)
        return NULL;
    return cluster->residents[low].pod;
}

/* A pod that was made again under its old name is another one. */
static bool is_meant(const struct fb_binding *binding, const struct fb_pod *pod)
{
    return *binding->uid == '\0' || fb_text_equal(binding->uid, pod->uid);
}

/* FB_ENOTFOUND: nobody knows it. Where it cannot be asked for it is the API server's to say whether
   a pod is bound without a profile: it is not in namespaces that are strict. */
static enum fb_status find_pod(struct fb_admission_work *work, struct bound *bound,
                               struct fb_error *err)
{
    const struct fb_admission_world *world = work->world;
    const char *name = *bound->binding.name != '\0' ? bound->binding.name : work->review.name;
    const struct fb_pod *known = find_resident(&work->cluster, work->review.space, name);
    enum fb_status st = FB_ENOTFOUND;

    if (known != NULL && is_meant(&bound->binding, known)) {
        bound->pod = *known;
        return FB_OK;
    }
    if (world->find_pod != NULL)
        st = world->find_pod(world->context, work->arena, work->review.space, name, &bound->pod,
                             err);
    if (st != FB_OK && st != FB_ENOTFOUND && st != FB_ENOMEM)
        return fb_error_prefix(err, FB_EIO, "pod %s/%s", work->review.space, name);
    if (st == FB_OK && !is_meant(&bound->binding, &bound->pod))
        st = FB_ENOTFOUND;
    return st;
}

static bool has_profile(const struct fb_pairs *annotations)
{
    for (size_t i = 0; i < annotations->len; i++) {
        if (fb_profile_is_key(annotations->at[i].key))
            return true;
    }
    return false;
}

/* Also a pod that has nothing of ours but a value that only we may set. */
static bool is_managed(const struct bound *bound)
{
    const struct fb_pairs *all[] = {&bound->pod.labels, &bound->pod.annotations,
                                    &bound->binding.annotations};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (fb_text_equal(fb_pairs_find(all[i], FB_MANAGED_KEY), "true"))
            return true;
    }
    return has_profile(&bound->pod.annotations) || has_profile(&bound->binding.annotations);
}

/* A pod that was made as networked asks for its NICs, whatever its gang counts by now. */
static enum fb_networking networking_of(const struct fb_admission_work *work,
                                        const struct fb_pod *pod)
{
    const struct fb_rules rules = {work->cluster.policies, work->cluster.settings};
    struct fb_gang gang;
    enum fb_networking networking = fb_gang_of(&work->cluster, pod, &gang);

    if (networking == FB_NETWORKING_NO && fb_need_gpus(pod, rules.settings, NULL) > 0 &&
        fb_need_owns_nics(pod, &rules))
        return FB_NETWORKING_GANG;
    return networking;
}

/* What injection wrote down, taken apart again. */
static enum fb_status split_degraded(struct fb_arena *arena, const struct fb_pod *pod,
                                     struct fb_texts *ret)
{
    const char *text = fb_pairs_find(&pod->annotations, FB_DEGRADED_KEY);
    enum fb_status st = FB_OK;

    while (st == FB_OK && text != NULL && *text != '\0') {
        const char *end = strstr(text, ", ");
        size_t len = end != NULL ? (size_t)(end - text) : strlen(text);

        st = fb_texts_add(arena, ret, fb_arena_text(arena, text, len));
        text = end != NULL ? end + 2 : NULL;
    }
    return st;
}

/* Volcano's Binding has all annotations of the pod, kube-scheduler's none: what is more counts. */
static size_t annotations_bytes(const struct bound *bound)
{
    const struct fb_pairs *all = &bound->binding.annotations;
    size_t bytes = 0;

    for (size_t i = 0; i < all->len; i++) {
        if (!fb_profile_is_key(all->at[i].key))
            bytes += strlen(all->at[i].key) + strlen(all->at[i].value);
    }
    return bytes > bound->pod.annotations_bytes ? bytes : bound->pod.annotations_bytes;
}

/* Signatures are for a pod that is known and has no node yet. */
static enum fb_status sign(struct fb_admission_work *work, struct bound *bound)
{
    const struct fb_admission_world *world = work->world;
    const struct fb_pod *pod = &bound->pod;
    const char *signature;

    if (world->sign == NULL || bound->profile.profile == NULL || *pod->node != '\0' ||
        *pod->uid == '\0' || !fb_text_equal(bound->binding.uid, pod->uid))
        return FB_OK;
    signature = world->sign(world->context, work->arena, pod->uid, bound->binding.node,
                            bound->profile.profile);
    if (signature == NULL)
        return FB_OK;
    bound->profile.profile = fb_profile_sign(work->arena, bound->profile.profile, signature);
    bound->is_signed = true;
    return bound->profile.profile != NULL ? FB_OK : FB_ENOMEM;
}

static enum fb_status make(struct fb_admission_work *work, struct bound *bound,
                           struct fb_error *err)
{
    struct fb_texts degraded = {0};
    struct fb_outfit_bound in = {
        .cluster = &work->cluster,
        .pod = &bound->pod,
        .networking = networking_of(work, &bound->pod),
        .site = fb_cluster_find(&work->cluster, bound->binding.node),
        .degraded = &degraded,
        .annotations_bytes =
            annotations_bytes(bound) + (work->world->sign != NULL ? FB_PROFILE_SIGNATURE_BYTES : 0),
    };
    enum fb_status st = split_degraded(work->arena, &bound->pod, &degraded);

    if (st == FB_OK)
        st = fb_outfit_bind(&in, &bound->profile, err);
    return st == FB_OK ? sign(work, bound) : st;
}

static enum fb_status add(struct fb_admission_work *work, const char *path, const char *value)
{
    return fb_patch_add(work->arena, &work->patch, path, value);
}

static enum fb_status annotate(struct fb_admission_work *work, const char *key, const char *text)
{
    struct fb_jsontext path = {.arena = work->arena};
    struct fb_jsontext value = {.arena = work->arena};

    fb_jsontext_raw(&path, "/metadata/annotations");
    fb_jsontext_pointer(&path, key);
    fb_jsontext_string(&value, text != NULL ? text : "");
    return add(work, fb_jsontext_done(&path), fb_jsontext_done(&value));
}

static bool is_set(const struct bound *bound, const char *key)
{
    return fb_pairs_find(&bound->pod.annotations, key) != NULL ||
           fb_pairs_find(&bound->binding.annotations, key) != NULL;
}

/* Even empty ones need room for their keys. */
static bool has_room(const struct bound *bound)
{
    size_t keys =
        strlen(FB_PROFILE_KEY) + strlen(FB_PROFILE_CONF_KEY) + strlen(FB_PROFILE_TOPO_KEY);

    return annotations_bytes(bound) + keys <= FB_PROFILE_LIMIT_BYTES;
}

/* Always all three, as an old value must not survive; without room those that have one. */
static enum fb_status patch(struct fb_admission_work *work, const struct bound *bound)
{
    const struct {
        const char *key, *text;
    } rows[] = {
        {FB_PROFILE_KEY, bound->profile.profile},
        {FB_PROFILE_CONF_KEY, bound->profile.conf},
        {FB_PROFILE_TOPO_KEY, bound->profile.topo},
    };
    enum fb_status st = FB_OK;

    if (!bound->binding.has_metadata)
        st = add(work, "/metadata", "{}");
    if (st == FB_OK && !bound->binding.has_annotations)
        st = add(work, "/metadata/annotations", "{}");
    for (size_t i = 0; st == FB_OK && i < sizeof rows / sizeof rows[0]; i++) {
        if (has_room(bound) || is_set(bound, rows[i].key))
            st = annotate(work, rows[i].key, rows[i].text);
    }
    return st;
}

static enum fb_status complete(struct fb_admission_work *work, struct bound *bound,
                               struct fb_error *err)
{
    enum fb_status st = make(work, bound, err);

    if (st == FB_ELIMIT) {
        bound->result = "too-large";
        return patch(work, bound);
    }
    if (st != FB_OK)
        return st;
    bound->result = bound->profile.profile == NULL ? "empty" : "profile";
    if (bound->is_signed)
        bound->result = "signed";
    return patch(work, bound);
}

static void tell(const struct fb_admission_work *work, const struct bound *bound)
{
    const char *labels[] = {work->review.dry_run ? "dry-run" : bound->result};

    fb_metrics_add(work->metrics, FB_METRIC_BINDS, labels, 1.0);
    fb_admission_log(work, work->review.name, bound->result);
}

/* Both spellings: the subresource of pods, and the older bindings of a namespace. */
static bool is_binding(const struct fb_admission_work *work)
{
    return fb_admission_creates(work, "", "Binding", "binding") ||
           fb_admission_creates(work, "", "Binding", "");
}

enum fb_status fb_admission_binding(struct fb_admission_work *work, struct fb_error *err)
{
    struct bound bound = {0};
    enum fb_status st;

    if (!is_binding(work) || fb_admission_leaves(work))
        return FB_OK;
    st = fb_review_read_binding(work->arena, &work->review, &bound.binding, err);
    if (st != FB_OK)
        return st;
    st = find_pod(work, &bound, err);
    if (st == FB_ENOTFOUND) {
        bound.result = "unknown";
        st = FB_OK;
    } else if (st == FB_OK && !is_managed(&bound)) {
        bound.result = "unmanaged";
    } else if (st == FB_OK) {
        st = complete(work, &bound, err);
    }
    if (st != FB_OK)
        return st == FB_ENOMEM ? fb_admission_no_memory(err) : st;
    tell(work, &bound);
    return FB_OK;
}
