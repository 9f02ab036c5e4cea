/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/choice.h"

#include "choice_reserve.h"
#include "fabricbind/creation.h"
#include "fabricbind/gang.h"
#include "fabricbind/plan.h"
#include "gang_job.h"
#include "gang_spec.h"

#include <stdio.h>
#include <string.h>

#define GROUP_NAME "scheduling.k8s.io/group-name"

/* The number of its group, of up to ten digits, or NULL. */
static const char *group_index(const struct fb_gang *gang, const struct fb_pod *pod)
{
    const char *index = fb_pairs_find(&pod->labels, "leaderworkerset.sigs.k8s.io/group-index");
    size_t len = index != NULL ? strlen(index) : 0;

    if (!fb_text_equal(gang->kind, "LeaderWorkerSet") || len < 1 || len > 10)
        return NULL;
    return strspn(index, "0123456789") == len ? index : NULL;
}

const char *fb_choice_key(const struct fb_gang *gang, const struct fb_pod *pod,
                          char text[FB_CHOICE_KEY_BYTES])
{
    const char *index = group_index(gang, pod);

    (void)snprintf(text, FB_CHOICE_KEY_BYTES, "%s%s%s", FB_CHOICE_KEY, index != NULL ? "." : "",
                   index != NULL ? index : "");
    return text;
}

/* Of the gang's owner, else the one that the pod names. */
static const struct fb_podgroup *find_podgroup(const struct fb_gang_specs *specs,
                                               const struct fb_gang *gang, const struct fb_pod *pod)
{
    const struct fb_podgroup *found = fb_gang_specs_podgroup(specs, gang);
    const char *name = fb_pairs_find(&pod->annotations, GROUP_NAME);

    for (size_t i = 0; found == NULL && name != NULL && i < specs->podgroups_len; i++) {
        if (fb_text_equal(specs->podgroups[i]->name, name) &&
            fb_text_equal(specs->podgroups[i]->space, gang->space))
            found = specs->podgroups[i];
    }
    return found;
}

const char *fb_choice_told(const struct fb_cluster *cluster, const struct fb_gang *gang,
                           const struct fb_pod *pod)
{
    const struct fb_podgroup *podgroup = find_podgroup(cluster->specs, gang, pod);
    const char *told = NULL;
    char key[FB_CHOICE_KEY_BYTES];

    (void)fb_choice_key(gang, pod, key);
    if (podgroup != NULL)
        told = fb_pairs_find(&podgroup->annotations, key);
    if (told == NULL && gang->job != NULL)
        told = fb_pairs_find(&gang->job->annotations, key);
    return told;
}

/* Bytes of a key without its NIC resources, which stand behind the last bar. */
static size_t base_len(const char *key)
{
    const char *bar = strrchr(key, '|');

    return bar != NULL ? (size_t)(bar - key) + 1 : 0;
}

size_t fb_choice_find(const struct fb_cluster *cluster, const char *told)
{
    size_t len = told != NULL ? base_len(told) : 0;
    size_t best = told != NULL ? fb_cluster_fabric(cluster, told) : FB_NONE;

    if (best != FB_NONE || len == 0)
        return best;
    for (size_t i = 0; i < cluster->fabrics_len; i++) {
        const struct fb_fabric *fabric = &cluster->fabrics[i];

        if (base_len(fabric->key) == len && strncmp(fabric->key, told, len) == 0 &&
            (best == FB_NONE || fabric->nodes > cluster->fabrics[best].nodes))
            best = i;
    }
    return best;
}

/* Known where the owner is, or where the pod says so: others may yet become more. */
static bool is_counted(const struct fb_gang *gang)
{
    return gang->job != NULL || gang->size > 1;
}

bool fb_choice_due(const struct fb_gang *gang, enum fb_networking networking)
{
    if (networking == FB_NETWORKING_NO || gang->key == NULL)
        return false;
    return gang->size > 1 || (networking == FB_NETWORKING_ANNOTATED && !is_counted(gang));
}

/* A choice in the making. */
struct work {
    struct fb_arena *arena;
    const struct fb_choice_input *in;
    struct fb_gang gang;
    struct fb_gang_job job;
};

/* The fabric of the gang's plan on @cluster, which it takes from; FB_NONE where it does not hold.
 */
static enum fb_status plan_on(const struct work *work, struct fb_cluster *cluster, size_t *ret)
{
    struct fb_plan plan;
    enum fb_status st = fb_plan_make(cluster, &work->job.job, work->job.group, &plan, NULL);

    if (st == FB_OK)
        *ret = plan.fits ? plan.gang_fabric : FB_NONE;
    return st;
}

static enum fb_status plan_now(const struct work *work, size_t *ret)
{
    struct fb_cluster cluster;
    enum fb_status st = fb_choice_reserve(work->arena, work->in, &work->gang, &cluster);

    return st == FB_OK ? plan_on(work, &cluster, ret) : st;
}

/* As if all nodes were empty. */
static enum fb_status plan_empty(const struct work *work, size_t *ret)
{
    struct fb_objects objects = *work->in->objects;
    struct fb_cluster cluster;
    enum fb_status st;

    objects.pods_len = 0;
    st = fb_cluster_with_pods(work->arena, work->in->cluster, &objects, &cluster);
    return st == FB_OK ? plan_on(work, &cluster, ret) : st;
}

/* The fabric with most nodes that the pod could go to, one that is known before one that is not;
 * ties: the first. FB_NONE: there is no such node. */
static enum fb_status find_largest(const struct work *work, size_t *ret)
{
    const struct fb_cluster *cluster = work->in->cluster;
    size_t *nodes = fb_arena_alloc(work->arena, (cluster->fabrics_len + 1) * sizeof *nodes);
    size_t best = FB_NONE;

    if (nodes == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < cluster->sites_len; i++) {
        if (fb_creation_admits(cluster, &cluster->sites[i], work->in->pod))
            nodes[cluster->sites[i].fabric]++;
    }
    for (size_t i = 0; i < cluster->fabrics_len; i++) {
        bool known = !cluster->fabrics[i].unknown;

        if (nodes[i] == 0)
            continue;
        if (best == FB_NONE || (known && cluster->fabrics[best].unknown) ||
            (known == !cluster->fabrics[best].unknown && nodes[i] > nodes[best]))
            best = i;
    }
    *ret = best;
    return FB_OK;
}

static enum fb_status choose(struct work *work, size_t *ret)
{
    size_t planned = FB_NONE;
    size_t largest;
    enum fb_status st = find_largest(work, &largest);

    /* A gang that nobody counts cannot be planned. */
    if (st == FB_OK && largest != FB_NONE && is_counted(&work->gang)) {
        st = fb_gang_job_make(work->arena, work->in->cluster->settings, &work->gang, work->in->pod,
                              &work->job);
        if (st == FB_OK)
            st = plan_now(work, &planned);
        if (st == FB_OK && planned == FB_NONE)
            st = plan_empty(work, &planned);
    }
    if (st == FB_OK)
        *ret = planned != FB_NONE ? planned : largest;
    return st;
}

enum fb_status fb_choice_plan(struct fb_arena *arena, const struct fb_choice_input *in,
                              size_t *ret_fabric)
{
    struct work work = {.arena = arena, .in = in};
    enum fb_networking networking = fb_gang_of(in->cluster, in->pod, &work.gang);

    if (fb_choice_due(&work.gang, networking) && work.gang.fabric == FB_NONE)
        return choose(&work, ret_fabric);
    *ret_fabric = fb_choice_due(&work.gang, networking) ? work.gang.fabric : FB_NONE;
    return FB_OK;
}
