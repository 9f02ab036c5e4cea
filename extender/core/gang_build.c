/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_build.h"

#include "fabricbind/gang.h"
#include "fabricbind/need.h"
#include "gang_spec.h"

#include <stdlib.h>
#include <string.h>

#define JOBSET_UID "jobset.sigs.k8s.io/jobset-uid"
#define GROUP_KEY "leaderworkerset.sigs.k8s.io/group-key"

/* A pod's gang, before it is counted. */
struct member {
    struct fb_gang gang;
    size_t resident;
};

static const char *label_or(const struct fb_pod *pod, const char *key)
{
    const char *value = fb_pairs_find(&pod->labels, key);

    if (value == NULL)
        value = fb_pairs_find(&pod->annotations, key);
    return value != NULL && *value != '\0' ? value : NULL;
}

static const char *text_or(const char *text, const char *otherwise)
{
    return text != NULL ? text : otherwise;
}

/* The gang that a pod says it belongs to; key NULL where it says none. */
static struct member member_of(const struct fb_pod *pod)
{
    const struct fb_owner *owner = fb_pod_owner(pod);
    const char *jobset = label_or(pod, JOBSET_UID);
    const char *group = label_or(pod, GROUP_KEY);
    struct member member = {.gang = {.space = pod->space, .name = "", .kind = "", .group = ""}};

    if (jobset != NULL) {
        member.gang.kind = "JobSet";
        member.gang.group = "jobset.x-k8s.io";
        member.gang.key = jobset;
        member.gang.name = text_or(label_or(pod, "jobset.sigs.k8s.io/jobset-name"), pod->name);
    } else if (group != NULL) {
        member.gang.kind = "LeaderWorkerSet";
        member.gang.group = "leaderworkerset.x-k8s.io";
        member.gang.key = group;
        member.gang.name = text_or(label_or(pod, "leaderworkerset.sigs.k8s.io/name"), pod->name);
    } else if (owner != NULL) {
        member.gang.kind = owner->kind;
        member.gang.group = owner->group;
        member.gang.key = fb_gang_owner_key(owner);
        member.gang.name = owner->name;
    }
    return member;
}

/* Labels can name another namespace's gang: that makes nobody a member of it. */
static int by_gang(const struct member *left, const struct member *right)
{
    int order = strcmp(left->gang.key, right->gang.key);

    if (order == 0)
        order = strcmp(left->gang.space, right->gang.space);
    if (order == 0)
        order = strcmp(left->gang.kind, right->gang.kind);
    return order != 0 ? order : strcmp(left->gang.group, right->gang.group);
}

static int by_key(const void *a, const void *b)
{
    const struct member *left = a;
    const struct member *right = b;
    int order = by_gang(left, right);

    return order != 0 ? order
                      : (left->resident > right->resident) - (left->resident < right->resident);
}

/* Most pods of a cluster ask for no GPU. */
static size_t count_members(const struct fb_cluster *cluster)
{
    size_t len = 0;

    for (size_t i = 0; i < cluster->residents_len; i++)
        len += fb_need_gpus(cluster->residents[i].pod, cluster->settings, NULL) > 0;
    return len;
}

static size_t collect(const struct fb_cluster *cluster, struct member *at)
{
    size_t len = 0;

    for (size_t i = 0; i < cluster->residents_len; i++) {
        const struct fb_pod *pod = cluster->residents[i].pod;
        struct member member = member_of(pod);

        member.resident = i;
        if (member.gang.key != NULL && fb_need_gpus(pod, cluster->settings, NULL) > 0)
            at[len++] = member;
    }
    if (len > 1)
        qsort(at, len, sizeof *at, by_key);
    return len;
}

/* Pods that stay; of a gang that is going as a whole all of them. */
static int64_t siblings(const struct fb_cluster *cluster, const struct member *at, size_t len)
{
    int64_t staying = 0;

    for (size_t i = 0; i < len; i++)
        staying += cluster->residents[at[i].resident].pod->terminating ? 0 : 1;
    return staying > 0 ? staying : (int64_t)len;
}

/* Size by annotation, else the owner's spec, else what is promised or seen, whichever is more. */
static void count(const struct fb_gang_specs *specs, const struct fb_cluster *cluster,
                  const struct member *at, size_t len, struct fb_gang *gang)
{
    int64_t promised;
    int64_t seen;

    gang->job = fb_gang_specs_job(specs, gang);
    for (size_t i = 0; i < len; i++) {
        const struct fb_pod *pod = cluster->residents[at[i].resident].pod;
        struct fb_task task = {.pod = *pod, .pods = 0};
        struct fb_job told = {.tasks = &task, .tasks_len = 1};
        int64_t size = fb_gang_size(&told, cluster->settings);

        if (size > gang->size)
            gang->size = size;
    }
    if (gang->size == 0 && gang->job != NULL)
        gang->size = fb_gang_size(gang->job, cluster->settings);
    if (gang->size > 0)
        return;
    promised = fb_gang_specs_min(specs, gang);
    seen = siblings(cluster, at, len);
    gang->size = promised > seen ? promised : seen;
}

static void note_fabric(const struct fb_cluster *cluster, const struct fb_resident *resident,
                        struct fb_gang *gang)
{
    if (resident->networked && resident->site != FB_NONE && !resident->pod->terminating &&
        gang->fabric == FB_NONE)
        gang->fabric = cluster->sites[resident->site].fabric;
}

static bool is_indexed(const struct fb_gang *gang, const struct fb_pod *pod)
{
    if (gang->job != NULL)
        return gang->job->indexed;
    return label_or(pod, "batch.kubernetes.io/job-completion-index") != NULL;
}

static void mark(struct fb_cluster *cluster, const struct member *at, size_t len, size_t gang)
{
    const struct fb_gang *of = &cluster->gangs[gang];

    for (size_t i = 0; i < len; i++) {
        struct fb_resident *resident = &cluster->residents[at[i].resident];
        bool owned = fb_settings_owns(cluster->settings, at[i].gang.kind, at[i].gang.group,
                                      is_indexed(of, resident->pod));

        resident->gang = gang;
        resident->networked = fb_need_networking(resident->pod, cluster->settings, owned,
                                                 of->size) != FB_NETWORKING_NO;
        note_fabric(cluster, resident, &cluster->gangs[gang]);
    }
}

/* Pods that belong to no gang can still be annotated. */
static void mark_single(struct fb_cluster *cluster)
{
    for (size_t i = 0; i < cluster->residents_len; i++) {
        struct fb_resident *resident = &cluster->residents[i];

        resident->gang = FB_NONE;
        resident->networked =
            fb_need_networking(resident->pod, cluster->settings, false, 1) != FB_NETWORKING_NO;
    }
}

enum fb_status fb_gang_build(struct fb_arena *arena, const struct fb_objects *objects,
                             struct fb_cluster *cluster)
{
    size_t most = count_members(cluster);
    struct member *at = fb_arena_alloc(arena, most * sizeof *at);
    struct fb_gang_specs *specs = fb_arena_alloc(arena, sizeof *specs);
    size_t len;

    cluster->gangs = fb_arena_alloc(arena, most * sizeof *cluster->gangs);
    cluster->gangs_len = 0;
    if (at == NULL || cluster->gangs == NULL || specs == NULL ||
        fb_gang_specs_make(arena, objects, specs) != FB_OK)
        return FB_ENOMEM;
    cluster->specs = specs;
    mark_single(cluster);
    len = collect(cluster, at);
    for (size_t from = 0; from < len;) {
        struct fb_gang *gang = &cluster->gangs[cluster->gangs_len];
        size_t to = from + 1;

        while (to < len && by_gang(&at[to], &at[from]) == 0)
            to++;
        *gang = at[from].gang;
        gang->fabric = FB_NONE;
        count(specs, cluster, at + from, to - from, gang);
        mark(cluster, at + from, to - from, cluster->gangs_len);
        cluster->gangs_len++;
        from = to;
    }
    return FB_OK;
}

const struct fb_gang *fb_gang_find(const struct fb_cluster *cluster, const char *space,
                                   const char *key)
{
    size_t low = 0;
    size_t high = cluster->gangs_len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(cluster->gangs[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < cluster->gangs_len && strcmp(cluster->gangs[low].key, key) == 0; low++) {
        if (fb_text_equal(cluster->gangs[low].space, space))
            return &cluster->gangs[low];
    }
    return NULL;
}

/* Of a gang that the inventory has no pod of yet. */
static int64_t size_of_first(const struct fb_cluster *cluster, const struct fb_pod *pod,
                             const struct fb_gang *gang)
{
    struct fb_task task = {.pod = *pod, .pods = 0};
    struct fb_job told = {.tasks = &task, .tasks_len = 1};
    int64_t size = fb_gang_size(&told, cluster->settings);

    if (size == 0 && gang->job != NULL)
        size = fb_gang_size(gang->job, cluster->settings);
    if (size == 0)
        size = fb_gang_specs_min(cluster->specs, gang);
    return size > 0 ? size : 1;
}

enum fb_networking fb_gang_of(const struct fb_cluster *cluster, const struct fb_pod *pod,
                              struct fb_gang *ret)
{
    struct member member = member_of(pod);
    const struct fb_gang *known;
    bool owned;

    member.gang.fabric = FB_NONE;
    member.gang.size = 1;
    *ret = member.gang;
    if (member.gang.key == NULL)
        return fb_need_networking(pod, cluster->settings, false, 1);
    known = fb_gang_find(cluster, pod->space, member.gang.key);
    if (known != NULL) {
        *ret = *known;
    } else {
        ret->job = fb_gang_specs_job(cluster->specs, ret);
        ret->size = size_of_first(cluster, pod, ret);
    }
    owned = fb_settings_owns(cluster->settings, ret->kind, ret->group, is_indexed(ret, pod));
    return fb_need_networking(pod, cluster->settings, owned, ret->size);
}
