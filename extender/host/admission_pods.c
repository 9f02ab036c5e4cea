/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_work.h"
#include "log.h"

#include "fabricbind/choice.h"
#include "fabricbind/gang.h"
#include "fabricbind/outfit_pod.h"

/* A pod, and what is known of it. */
struct admitted {
    struct fb_review_pod review;
    enum fb_networking networking;
    struct fb_gang gang;
    struct fb_outfit_task outfit;
};

/* The fabric of the gang: where it runs, else the one that was chosen for all of it. Where the
   choice cannot be had each pod is made for the fabric that suits it. */
static enum fb_status find_planned(struct fb_admission_work *work, const struct admitted *pod,
                                   size_t *ret)
{
    const struct fb_admission_world *world = work->world;
    bool dry_run = work->review.dry_run || fb_admission_observes(work);
    const char *key = "";
    enum fb_status st;

    *ret = pod->gang.fabric;
    if (*ret != FB_NONE || world->choose == NULL || !fb_choice_due(&pod->gang, pod->networking))
        return FB_OK;
    st = world->choose(world->context, work->arena, work->inventory, &pod->review.pod, dry_run,
                       &key, NULL);
    if (st == FB_OK)
        *ret = fb_cluster_fabric(&work->cluster, key);
    return st == FB_ENOMEM ? st : FB_OK;
}

static enum fb_status equip(struct fb_admission_work *work, struct admitted *pod)
{
    const struct fb_config *config = &work->inventory->in.config;
    struct fb_outfit_new in = {
        .cluster = &work->cluster,
        .pod = &pod->review.pod,
        .spec = &pod->review.spec,
        .networking = pod->networking,
        .gang = fb_choice_due(&pod->gang, pod->networking),
        .network = config->network_attachment,
        .require_transport = config->transport == FB_TRANSPORT_REQUIRE,
        .level = fb_admission_level(work),
    };
    enum fb_status st = find_planned(work, pod, &in.planned);

    return st == FB_OK ? fb_outfit_create(&in, &pod->outfit) : st;
}

/* A part of a node whose network is shared whole: the pod may be made, but an extender that filters
 * refuses it every node, and says the same. */
static bool is_denied(const struct admitted *pod)
{
    return pod->outfit.denied != NULL && pod->networking == FB_NETWORKING_ANNOTATED &&
           !pod->outfit.partial;
}

static enum fb_status warn(struct fb_admission_work *work, const struct admitted *pod)
{
    const struct fb_injection *injection = &pod->outfit.injection;
    enum fb_status st = FB_OK;

    if (pod->outfit.denied != NULL && !is_denied(pod))
        st = fb_admission_warn(work, "fabricbind: the pod gets no network: %s", pod->outfit.denied);
    for (size_t i = 0; st == FB_OK && i < injection->warnings.len; i++)
        st = fb_admission_warn(work, "fabricbind: %s", injection->warnings.at[i]);
    for (size_t i = 0; st == FB_OK && i < injection->degraded.len; i++)
        st = fb_admission_warn_left_out(work, injection->degraded.at[i]);
    return st;
}

static const char *result_of(const struct admitted *pod)
{
    const struct fb_injection *injection = &pod->outfit.injection;

    if (pod->networking == FB_NETWORKING_NO)
        return "not-networked";
    if (pod->outfit.denied != NULL)
        return is_denied(pod) ? "denied" : "passed";
    if (injection->patch.len == 0)
        return "unchanged";
    return injection->degraded.len > 0 ? "degraded" : "injected";
}

static void count(const struct fb_admission_work *work, const struct admitted *pod)
{
    const struct fb_fabric *fabric = pod->outfit.fabric;
    const char *labels[] = {
        fabric != NULL && fabric->policy != NULL ? fabric->policy->provider : "none",
        result_of(pod),
    };

    fb_metrics_add(work->metrics, FB_METRIC_INJECTIONS, labels, 1.0);
}

static void log_denial(const struct fb_admission_work *work, const struct admitted *pod)
{
    const struct fb_log_field fields[] = {
        FB_LOG_INT("request", (int64_t)work->request),
        FB_LOG_TEXT("namespace", work->review.space),
        FB_LOG_TEXT("pod", pod->review.called),
        FB_LOG_TEXT("reason", work->denied),
    };

    fb_log(FB_LOG_INFO,
           fb_admission_observes(work) ? "a pod would be denied: its network cannot be told"
                                       : "a pod is denied: its network cannot be told",
           fields, sizeof fields / sizeof fields[0]);
}

static enum fb_status conclude(struct fb_admission_work *work, const struct admitted *pod)
{
    enum fb_status st = warn(work, pod);

    if (st != FB_OK)
        return st;
    if (is_denied(pod)) {
        work->denied = fb_arena_print(work->arena, "fabricbind: %s", pod->outfit.denied);
        if (work->denied == NULL)
            return FB_ENOMEM;
        log_denial(work, pod);
    }
    work->patch = pod->outfit.injection.patch;
    count(work, pod);
    fb_admission_log(work, pod->review.called, result_of(pod));
    return FB_OK;
}

/* Controllers make pods at once when an owner is made, and that in a namespace of its own perhaps:
 * the inventory hears of these in another order. */
static bool is_early(const struct fb_admission_work *work, const struct admitted *pod)
{
    const struct fb_settings *settings = work->cluster.settings;
    const struct fb_owner *owner = fb_pod_owner(&pod->review.pod);

    if (fb_need_gpus(&pod->review.pod, settings, NULL) < 1)
        return false;
    return !fb_admission_knows_space(work) ||
           (pod->gang.job == NULL && pod->gang.size < 2 && owner != NULL &&
            fb_settings_owns(settings, owner->kind, owner->group, true));
}

static void find_gang(struct fb_admission_work *work, struct admitted *pod)
{
    do
        pod->networking = fb_gang_of(&work->cluster, &pod->review.pod, &pod->gang);
    while (is_early(work, pod) && fb_admission_wait(work));
}

enum fb_status fb_admission_pod(struct fb_admission_work *work, struct fb_error *err)
{
    struct admitted pod = {0};
    enum fb_status st;

    if (!fb_admission_creates(work, "", "Pod", "") || fb_admission_leaves(work))
        return FB_OK;
    st = fb_review_read_pod(work->formats, work->arena, &work->review, &pod.review, err);
    if (st != FB_OK)
        return st;
    find_gang(work, &pod);
    if (fb_admission_leaves(work))
        return FB_OK;
    if (pod.networking != FB_NETWORKING_NO)
        st = equip(work, &pod);
    else if (fb_need_annotated(&pod.review.pod))
        st = fb_admission_warn(work, "fabricbind: annotated for multi-node networking, but asks "
                                     "for no whole GPUs: it gets no network");
    if (st == FB_OK)
        st = conclude(work, &pod);
    return st == FB_OK ? FB_OK : fb_admission_no_memory(err);
}
