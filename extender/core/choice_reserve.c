/* SPDX-License-Identifier: Apache-2.0 */
#include "choice_reserve.h"

#include "fabricbind/gang.h"
#include "fabricbind/own.h"
#include "fabricbind/plan.h"
#include "gang_job.h"

#include <stdlib.h>
#include <string.h>

/* A gang whose fabric is chosen and that has pods which are not placed. */
struct reservation {
    const struct fb_gang *gang;
    const struct fb_pod *pod; /* one of these */
    size_t fabric;
};

static int by_name(const void *a, const void *b)
{
    const struct fb_gang *left = ((const struct reservation *)a)->gang;
    const struct fb_gang *right = ((const struct reservation *)b)->gang;
    int order = strcmp(left->space, right->space);

    if (order == 0)
        order = strcmp(left->name, right->name);
    return order != 0 ? order : strcmp(left->key, right->key);
}

static bool same_gang(const struct fb_gang *a, const struct fb_gang *b)
{
    return fb_text_equal(a->key, b->key) && fb_text_equal(a->space, b->space);
}

/* What the inventory tells, else what was noted. */
static const char *chosen_for(const struct fb_cluster *cluster, const struct fb_choice_input *in,
                              const struct fb_gang *gang, const struct fb_pod *pod)
{
    const char *told = fb_choice_told(cluster, gang, pod);
    struct fb_gang noted;

    for (size_t i = 0; told == NULL && i < in->notes_len; i++) {
        (void)fb_gang_of(cluster, in->notes[i].pod, &noted);
        if (noted.key != NULL && same_gang(&noted, gang))
            told = in->notes[i].fabric;
    }
    return told;
}

/* Pods of the inventory, and those that it does not know any pod of the gang of. */
static enum fb_status with_notes(struct fb_arena *arena, const struct fb_choice_input *in,
                                 struct fb_cluster *ret)
{
    struct fb_objects objects = *in->objects;
    struct fb_pod *pods =
        fb_arena_alloc(arena, (objects.pods_len + in->notes_len) * sizeof *objects.pods);

    if (pods == NULL)
        return FB_ENOMEM;
    if (objects.pods_len > 0)
        memcpy(pods, objects.pods, objects.pods_len * sizeof *pods);
    for (size_t i = 0; i < in->notes_len; i++) {
        struct fb_gang gang;

        (void)fb_gang_of(in->cluster, in->notes[i].pod, &gang);
        if (gang.key != NULL && fb_gang_find(in->cluster, gang.space, gang.key) == NULL)
            pods[objects.pods_len++] = *in->notes[i].pod;
    }
    objects.pods = pods;
    return fb_cluster_with_pods(arena, in->cluster, &objects, ret);
}

const struct fb_pod **fb_choice_waiting(struct fb_arena *arena, const struct fb_cluster *cluster)
{
    const struct fb_pod **waiting =
        fb_arena_alloc(arena, (cluster->gangs_len + 1) * sizeof(void *));

    for (size_t i = 0; waiting != NULL && i < cluster->residents_len; i++) {
        const struct fb_resident *resident = &cluster->residents[i];

        if (resident->gang != FB_NONE && resident->site == FB_NONE && resident->networked &&
            !resident->pod->terminating && waiting[resident->gang] == NULL)
            waiting[resident->gang] = resident->pod;
    }
    return waiting;
}

static bool has_free_gpus(const struct fb_site *site)
{
    return site->reading.gpu != NULL && fb_resources_get(&site->free, site->reading.gpu) > 0;
}

/* Leave out nodes that nobody can be placed on: most are, where gangs wait. Those that members of a
 * gang run on tell where it is. */
static enum fb_status leave_out_full(struct fb_arena *arena, struct fb_cluster *cluster,
                                     const struct fb_pod *const *waiting, const struct fb_gang *own)
{
    bool *kept = fb_arena_alloc(arena, (cluster->sites_len + 1) * sizeof *kept);
    size_t *to = fb_arena_alloc(arena, (cluster->sites_len + 1) * sizeof *to);
    size_t len = 0;

    if (kept == NULL || to == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < cluster->residents_len; i++) {
        const struct fb_resident *resident = &cluster->residents[i];

        if (resident->site != FB_NONE && resident->gang != FB_NONE &&
            (waiting[resident->gang] != NULL || same_gang(&cluster->gangs[resident->gang], own)))
            kept[resident->site] = true;
    }
    for (size_t i = 0; i < cluster->sites_len; i++) {
        to[i] = FB_NONE;
        if (!kept[i] && !has_free_gpus(&cluster->sites[i]))
            continue;
        to[i] = len;
        cluster->sites[len++] = cluster->sites[i];
    }
    cluster->sites_len = len;
    for (size_t i = 0; i < cluster->residents_len; i++) {
        if (cluster->residents[i].site != FB_NONE)
            cluster->residents[i].site = to[cluster->residents[i].site];
    }
    return FB_OK;
}

static enum fb_status collect(struct fb_arena *arena, const struct fb_choice_input *in,
                              struct fb_cluster *cluster, const struct fb_gang *own,
                              struct reservation **ret, size_t *ret_len)
{
    const struct fb_pod **waiting = fb_choice_waiting(arena, cluster);
    struct reservation *at = fb_arena_alloc(arena, (cluster->gangs_len + 1) * sizeof *at);
    size_t len = 0;

    if (waiting == NULL || at == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < cluster->gangs_len; i++) {
        const struct fb_gang *gang = &cluster->gangs[i];
        const char *key;

        if (waiting[i] == NULL || same_gang(gang, own))
            continue;
        key = chosen_for(cluster, in, gang, waiting[i]);
        at[len] = (struct reservation){gang, waiting[i], fb_choice_find(cluster, key)};
        len += at[len].fabric != FB_NONE;
    }
    if (len > 1)
        qsort(at, len, sizeof *at, by_name);
    *ret = at;
    *ret_len = len < FB_CHOICE_RESERVATIONS ? len : FB_CHOICE_RESERVATIONS;
    return leave_out_full(arena, cluster, waiting, own);
}

/* A gang that its fabric does not hold now takes nothing: nobody knows which nodes it waits for. */
static enum fb_status take(struct fb_cluster *cluster, const struct reservation *from)
{
    struct fb_gang_job of;
    struct fb_plan plan;
    enum fb_status st =
        fb_gang_job_make(cluster->arena, cluster->settings, from->gang, from->pod, &of);

    return st == FB_OK ? fb_plan_make_on(cluster, &of.job, of.group, from->fabric, &plan, NULL)
                       : st;
}

enum fb_status fb_choice_reserve(struct fb_arena *arena, const struct fb_choice_input *in,
                                 const struct fb_gang *own, struct fb_cluster *ret)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *scratch = fb_arena_new_small(0);
    struct fb_cluster cluster;
    struct reservation *at = NULL;
    size_t len = 0;
    enum fb_status st = scratch != NULL ? with_notes(arena, in, &cluster) : FB_ENOMEM;

    if (st == FB_OK)
        st = collect(arena, in, &cluster, own, &at, &len);
    if (st != FB_OK)
        return st;
    /* Plans change the free amounts in their place; all else of them is dropped at once. */
    cluster.arena = scratch;
    for (size_t i = 0; st == FB_OK && i < len; i++) {
        st = take(&cluster, &at[i]);
        fb_arena_reset(scratch);
    }
    cluster.arena = arena;
    if (st == FB_OK)
        *ret = cluster;
    return st;
}
