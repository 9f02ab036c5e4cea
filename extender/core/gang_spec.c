/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_spec.h"

#include <stdlib.h>
#include <string.h>

const char *fb_gang_owner_key(const struct fb_owner *owner)
{
    return *owner->uid != '\0' ? owner->uid : owner->name;
}

static int by_name(const void *a, const void *b)
{
    const struct fb_job *left = *(const struct fb_job *const *)a;
    const struct fb_job *right = *(const struct fb_job *const *)b;
    int order = strcmp(left->space, right->space);

    if (order == 0)
        order = strcmp(left->name, right->name);
    if (order == 0)
        order = strcmp(left->kind, right->kind);
    return order != 0 ? order : strcmp(left->group, right->group);
}

static int by_owner(const void *a, const void *b)
{
    const struct fb_podgroup *left = *(const struct fb_podgroup *const *)a;
    const struct fb_podgroup *right = *(const struct fb_podgroup *const *)b;
    int order = strcmp(left->space, right->space);

    return order != 0 ? order
                      : strcmp(fb_gang_owner_key(&left->owner), fb_gang_owner_key(&right->owner));
}

enum fb_status fb_gang_specs_make(struct fb_arena *arena, const struct fb_objects *objects,
                                  struct fb_gang_specs *ret)
{
    size_t jobs = objects->jobs != NULL ? objects->jobs->len : 0;

    *ret = (struct fb_gang_specs){.jobs_len = jobs, .podgroups_len = objects->podgroups_len};
    ret->jobs = fb_arena_alloc(arena, jobs * sizeof(void *));
    ret->podgroups = fb_arena_alloc(arena, objects->podgroups_len * sizeof(void *));
    if (ret->jobs == NULL || ret->podgroups == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < jobs; i++)
        ret->jobs[i] = &objects->jobs->at[i];
    for (size_t i = 0; i < objects->podgroups_len; i++)
        ret->podgroups[i] = &objects->podgroups[i];
    if (jobs > 1)
        qsort(ret->jobs, jobs, sizeof(void *), by_name);
    if (objects->podgroups_len > 1)
        qsort(ret->podgroups, objects->podgroups_len, sizeof(void *), by_owner);
    return FB_OK;
}

/* Where one of the two tells no UID the name has to do. */
static bool is_of(const struct fb_gang *gang, const struct fb_job *job)
{
    return *job->uid == '\0' || fb_text_equal(gang->key, job->uid) ||
           fb_text_equal(gang->key, gang->name) || fb_text_equal(job->kind, "LeaderWorkerSet");
}

const struct fb_job *fb_gang_specs_job(const struct fb_gang_specs *specs,
                                       const struct fb_gang *gang)
{
    struct fb_job like = {
        .kind = gang->kind, .group = gang->group, .space = gang->space, .name = gang->name};
    const struct fb_job *key = &like;
    const struct fb_job **found = NULL;

    if (specs->jobs_len > 0)
        found = bsearch(&key, specs->jobs, specs->jobs_len, sizeof(void *), by_name);
    return found != NULL && is_of(gang, *found) ? *found : NULL;
}

const struct fb_podgroup *fb_gang_specs_podgroup(const struct fb_gang_specs *specs,
                                                 const struct fb_gang *gang)
{
    struct fb_podgroup like = {.space = gang->space, .owner = {.uid = gang->key, .name = ""}};
    const struct fb_podgroup *key = &like;
    const struct fb_podgroup **found = NULL;

    if (specs->podgroups_len > 0)
        found = bsearch(&key, specs->podgroups, specs->podgroups_len, sizeof(void *), by_owner);
    return found != NULL ? *found : NULL;
}

int64_t fb_gang_specs_min(const struct fb_gang_specs *specs, const struct fb_gang *gang)
{
    const struct fb_podgroup *podgroup = fb_gang_specs_podgroup(specs, gang);

    return podgroup != NULL ? podgroup->min_member : 0;
}
