/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/cluster.h"

#include "fabric_build.h"
#include "fabricbind/need.h"
#include "gang_build.h"

#include <stdlib.h>
#include <string.h>

static int by_node_name(const void *a, const void *b)
{
    const struct fb_site *left = a;
    const struct fb_site *right = b;
    int order = strcmp(left->node->name, right->node->name);

    /* Of two nodes of one name the later object comes first, and is kept. */
    return order != 0 ? order : (left->node < right->node) - (left->node > right->node);
}

static enum fb_status take_nodes(struct fb_arena *arena, const struct fb_objects *objects,
                                 struct fb_cluster *cluster)
{
    size_t kept = 0;

    cluster->sites = fb_arena_alloc(arena, objects->nodes_len * sizeof *cluster->sites);
    if (cluster->sites == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < objects->nodes_len; i++)
        cluster->sites[i].node = &objects->nodes[i];
    if (objects->nodes_len > 1)
        qsort(cluster->sites, objects->nodes_len, sizeof *cluster->sites, by_node_name);
    for (size_t i = 0; i < objects->nodes_len; i++) {
        if (kept == 0 ||
            strcmp(cluster->sites[i].node->name, cluster->sites[kept - 1].node->name) != 0)
            cluster->sites[kept++] = cluster->sites[i];
    }
    cluster->sites_len = kept;
    for (size_t i = 0; i < kept; i++) {
        enum fb_status st = fb_reading_make(arena, cluster->sites[i].node, cluster->policies,
                                            cluster->settings, &cluster->sites[i].reading);

        if (st != FB_OK)
            return st;
    }
    return FB_OK;
}

static int by_space_and_name(const void *a, const void *b)
{
    const struct fb_resident *left = a;
    const struct fb_resident *right = b;
    int order = strcmp(left->pod->space, right->pod->space);

    if (order == 0)
        order = strcmp(left->pod->name, right->pod->name);
    return order != 0 ? order : strcmp(left->pod->uid, right->pod->uid);
}

static int node_order(const void *name, const void *site)
{
    return strcmp(name, ((const struct fb_site *)site)->node->name);
}

size_t fb_cluster_find(const struct fb_cluster *cluster, const char *name)
{
    const struct fb_site *site = NULL;

    if (cluster->sites_len > 0)
        site = bsearch(name, cluster->sites, cluster->sites_len, sizeof *site, node_order);
    return site != NULL ? (size_t)(site - cluster->sites) : FB_NONE;
}

size_t fb_cluster_fabric(const struct fb_cluster *cluster, const char *key)
{
    for (size_t i = 0; i < cluster->fabrics_len; i++) {
        if (fb_text_equal(cluster->fabrics[i].key, key))
            return i;
    }
    return FB_NONE;
}

static enum fb_status take_pods(struct fb_arena *arena, const struct fb_objects *objects,
                                struct fb_cluster *cluster)
{
    cluster->residents = fb_arena_alloc(arena, objects->pods_len * sizeof *cluster->residents);
    if (cluster->residents == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < objects->pods_len; i++) {
        const struct fb_pod *pod = &objects->pods[i];
        struct fb_resident resident = {.pod = pod, .gang = FB_NONE};

        resident.site = *pod->node != '\0' ? fb_cluster_find(cluster, pod->node) : FB_NONE;
        if (fb_pod_lives(pod))
            cluster->residents[cluster->residents_len++] = resident;
    }
    if (cluster->residents_len > 1)
        qsort(cluster->residents, cluster->residents_len, sizeof *cluster->residents,
              by_space_and_name);
    return FB_OK;
}

/* What more than the shape's NICs a plugin reports is no NIC that reaches other nodes. */
static int64_t usable(const struct fb_reading *reading, const struct fb_resource *entry)
{
    int64_t shape = fb_reading_shape_nics(reading);

    if (reading->has_nics && reading->kind == FB_NIC_EXCLUSIVE && shape >= 0 &&
        entry->amount > shape && fb_resources_find(&reading->units, entry->name) != NULL)
        return shape;
    return entry->amount;
}

static enum fb_status count_allocatable(struct fb_arena *arena, struct fb_cluster *cluster)
{
    enum fb_status st = FB_OK;

    for (size_t s = 0; s < cluster->sites_len; s++) {
        struct fb_site *site = &cluster->sites[s];
        const struct fb_resources *told = &site->node->allocatable;

        if (st == FB_OK)
            st = fb_resources_reserve(arena, &site->allocatable, told->len);
        for (size_t i = 0; st == FB_OK && i < told->len; i++)
            st = fb_resources_set(arena, &site->allocatable, told->at[i].name,
                                  usable(&site->reading, &told->at[i]));
    }
    return st;
}

/* Take a resident off its node: its requests, and the NICs that it uses without requesting them.
 * @scratch is for its need. */
static enum fb_status take_off(struct fb_arena *arena, struct fb_arena *scratch,
                               struct fb_cluster *cluster, const struct fb_resident *resident)
{
    struct fb_site *site = &cluster->sites[resident->site];
    const struct fb_fabric *fabric =
        site->fabric != FB_NONE ? &cluster->fabrics[site->fabric] : NULL;
    enum fb_networking networking = !resident->networked               ? FB_NETWORKING_NO
                                    : fb_need_annotated(resident->pod) ? FB_NETWORKING_ANNOTATED
                                                                       : FB_NETWORKING_GANG;
    struct fb_need need;
    enum fb_status st =
        fb_need_make(scratch, resident->pod, networking, fabric,
                     &(struct fb_rules){cluster->policies, cluster->settings}, &need);

    for (size_t i = 0; st == FB_OK && i < need.all.len; i++) {
        const struct fb_resource *entry = &need.all.at[i];

        if (fb_resources_find(&site->free, entry->name) != NULL)
            st = fb_resources_add(arena, &site->free, entry->name, -entry->amount);
    }
    /* Schedulers see requests alone. */
    if (st == FB_OK && need.source != FB_NEED_OWN)
        st = fb_resources_add_all(arena, &site->hidden, &need.nics);
    return st;
}

static enum fb_status take_all_off(struct fb_arena *arena, struct fb_cluster *cluster)
{
    struct fb_arena *scratch = fb_arena_new_small(0);
    enum fb_status st = scratch != NULL ? FB_OK : FB_ENOMEM;

    for (size_t i = 0; st == FB_OK && i < cluster->residents_len; i++) {
        if (cluster->residents[i].site == FB_NONE)
            continue;
        st = take_off(arena, scratch, cluster, &cluster->residents[i]);
        fb_arena_reset(scratch);
    }
    fb_arena_free(scratch);
    return st;
}

static enum fb_status count_free(struct fb_arena *arena, struct fb_cluster *cluster)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < cluster->sites_len; i++)
        st = fb_resources_add_all(arena, &cluster->sites[i].free, &cluster->sites[i].allocatable);
    if (st == FB_OK)
        st = take_all_off(arena, cluster);
    for (size_t i = 0; i < cluster->sites_len; i++) {
        struct fb_resources *left = &cluster->sites[i].free;

        for (size_t r = 0; r < left->len; r++) {
            if (left->at[r].amount < 0)
                left->at[r].amount = 0;
        }
    }
    return st;
}

/* All that depends on pods. */
static enum fb_status fill(struct fb_arena *arena, const struct fb_objects *objects,
                           struct fb_cluster *cluster)
{
    enum fb_status st = take_pods(arena, objects, cluster);

    if (st == FB_OK)
        st = fb_gang_build(arena, objects, cluster);
    return st == FB_OK ? count_free(arena, cluster) : st;
}

enum fb_status fb_cluster_build(struct fb_arena *arena, const struct fb_objects *objects,
                                const struct fb_policies *policies,
                                const struct fb_settings *settings, struct fb_cluster *ret)
{
    struct fb_cluster cluster = {.arena = arena, .policies = policies, .settings = settings};
    enum fb_status st = take_nodes(arena, objects, &cluster);

    if (st == FB_OK)
        st = fb_fabric_build(arena, &cluster);
    if (st == FB_OK)
        st = count_allocatable(arena, &cluster);
    if (st == FB_OK)
        st = fill(arena, objects, &cluster);
    if (st == FB_OK)
        *ret = cluster;
    return st;
}

enum fb_status fb_cluster_with_pods(struct fb_arena *arena, const struct fb_cluster *base,
                                    const struct fb_objects *objects, struct fb_cluster *ret)
{
    struct fb_cluster cluster = *base;
    enum fb_status st;

    cluster.arena = arena;
    cluster.residents_len = 0;
    cluster.sites = fb_arena_alloc(arena, base->sites_len * sizeof *cluster.sites);
    if (cluster.sites == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < base->sites_len; i++) {
        cluster.sites[i] = base->sites[i];
        cluster.sites[i].free = (struct fb_resources){0};
        cluster.sites[i].hidden = (struct fb_resources){0};
    }
    if (cluster.sites_len > 1)
        qsort(cluster.sites, cluster.sites_len, sizeof *cluster.sites, by_node_name);
    st = fill(arena, objects, &cluster);
    if (st == FB_OK)
        *ret = cluster;
    return st;
}
