/* SPDX-License-Identifier: Apache-2.0 */
#include "complaint_work.h"

#include "fabricbind/need.h"
#include "fabricbind/own.h"
#include "fabricbind/profile_keys.h"
#include "findings.h"

enum fb_status fb_complain(struct fb_complaining *work, struct fb_complaint of, const char *reason,
                           const char *note)
{
    struct fb_complaints *made = work->made;
    struct fb_complaint *at;

    if (note == NULL)
        return FB_ENOMEM;
    if (made->len >= FB_COMPLAINTS)
        return FB_OK;
    at = fb_arena_more(work->arena, made->at, made->len, &made->size, sizeof *at);
    if (at == NULL)
        return FB_ENOMEM;
    made->at = at;
    of.reason = reason;
    of.note = note;
    at[made->len++] = of;
    return FB_OK;
}

struct fb_complaint fb_complaint_of_gang(const struct fb_gang *gang)
{
    struct fb_complaint of = {
        .kind = gang->kind,
        .group = gang->group,
        .space = gang->space,
        .name = gang->name,
        .uid = gang->key,
    };

    /* Not all keys are UIDs. */
    if (fb_text_equal(gang->key, gang->name) || fb_text_equal(gang->kind, "LeaderWorkerSet"))
        of.uid = gang->job != NULL ? gang->job->uid : "";
    return of;
}

static enum fb_status complain_nodes(struct fb_complaining *work)
{
    const struct fb_cluster *cluster = work->in->cluster;
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < cluster->sites_len; i++) {
        const struct fb_site *site = &cluster->sites[i];
        const struct fb_complaint of = {.kind = "Node",
                                        .group = "",
                                        .space = "",
                                        .name = site->node->name,
                                        .uid = site->node->uid};

        if (fb_check_lacks_nics(cluster, site))
            st = fb_complain(work, of, FB_COMPLAINT_MISSING_NICS,
                             fb_arena_print(work->arena,
                                            "the node has fewer NICs for pods than instance type "
                                            "%s: jobs of several nodes are kept away from it",
                                            site->reading.shape->name));
    }
    return st;
}

/* Webhooks are not called for pods of that namespace. */
static bool is_left_alone(const struct fb_complaint_input *in, const char *space)
{
    const struct fb_namespace *namespace =
        in->namespaces != NULL ? fb_namespaces_find(in->namespaces, space) : NULL;

    return (namespace != NULL && namespace->off) ||
           (in->excluded != NULL && fb_texts_has(in->excluded, space));
}

/* Is there something that it should have got: where it runs nothing may be due. */
static enum fb_status lacks_network(const struct fb_complaining *work,
                                    const struct fb_resident *resident, bool *ret)
{
    const struct fb_cluster *cluster = work->in->cluster;
    const struct fb_rules rules = {cluster->policies, cluster->settings};
    size_t fabric = resident->site != FB_NONE ? cluster->sites[resident->site].fabric : FB_NONE;
    struct fb_need need;
    enum fb_status st;

    *ret = resident->networked && !resident->pod->terminating &&
           !fb_text_equal(fb_pairs_find(&resident->pod->labels, FB_MANAGED_KEY), "true") &&
           !is_left_alone(work->in, resident->pod->space) &&
           !fb_need_owns_nics(resident->pod, &rules);
    if (!*ret || fabric == FB_NONE)
        return FB_OK;
    st = fb_need_make(work->scratch, resident->pod,
                      fb_need_annotated(resident->pod) ? FB_NETWORKING_ANNOTATED
                                                       : FB_NETWORKING_GANG,
                      &cluster->fabrics[fabric], &rules, &need);
    if (st == FB_OK)
        *ret = need.source != FB_NEED_NONE;
    fb_arena_reset(work->scratch);
    return st;
}

/* One complaint a gang, whose other pods are marked as told of. */
static enum fb_status complain_pod(struct fb_complaining *work, const struct fb_resident *resident,
                                   bool *told)
{
    static const char note[] =
        "pods for several nodes were created without a network, which cannot be added later: "
        "create them again once the webhook answers";
    const struct fb_pod *pod = resident->pod;
    struct fb_complaint of = {
        .kind = "Pod", .group = "", .space = pod->space, .name = pod->name, .uid = pod->uid};

    if (resident->gang != FB_NONE) {
        if (told[resident->gang])
            return FB_OK;
        told[resident->gang] = true;
        of = fb_complaint_of_gang(&work->in->cluster->gangs[resident->gang]);
    }
    return fb_complain(work, of, FB_COMPLAINT_NOT_INJECTED, note);
}

static enum fb_status complain_pods(struct fb_complaining *work)
{
    const struct fb_cluster *cluster = work->in->cluster;
    bool *told = fb_arena_alloc(work->arena, (cluster->gangs_len + 1) * sizeof *told);
    enum fb_status st = told != NULL ? FB_OK : FB_ENOMEM;

    for (size_t i = 0; st == FB_OK && i < cluster->residents_len; i++) {
        bool lacks;

        st = lacks_network(work, &cluster->residents[i], &lacks);
        if (st != FB_OK || !lacks)
            continue;
        work->made->uninjected++;
        st = complain_pod(work, &cluster->residents[i], told);
    }
    return st;
}

enum fb_status fb_complaints_make(struct fb_arena *arena, const struct fb_complaint_input *in,
                                  struct fb_complaints *ret)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *scratch = fb_arena_new_small(0);
    struct fb_complaints made = {0};
    struct fb_complaining work = {arena, scratch, in, &made};
    enum fb_status st = scratch != NULL ? complain_pods(&work) : FB_ENOMEM;

    if (st == FB_OK)
        st = fb_complain_gangs(&work);
    if (st == FB_OK)
        st = complain_nodes(&work);
    if (st == FB_OK)
        *ret = made;
    return st;
}
