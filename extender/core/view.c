/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/view.h"

#include "fabricbind/gang.h"
#include "fabricbind/need.h"

#include <string.h>

#define MANY_SITES ((size_t)64)

void fb_view_init(struct fb_view *view, struct fb_arena *arena, const struct fb_scene *scene)
{
    *view = (struct fb_view){.arena = arena, .cluster = *scene->cluster};
    view->cluster.arena = arena;
    view->cluster.sites = NULL;
    view->cluster.sites_len = 0;
}

bool fb_view_knows(const struct fb_scene *scene, const char *node)
{
    return fb_cluster_find(scene->cluster, node) != FB_NONE;
}

/* The scene's array is not the view's to write to. */
static bool own_fabrics(struct fb_view *view)
{
    struct fb_cluster *cluster = &view->cluster;
    struct fb_fabric *at = NULL;

    if (view->fabrics_size > 0)
        return true;
    for (size_t i = 0; i < cluster->fabrics_len; i++) {
        struct fb_fabric *grown =
            fb_arena_more(view->arena, at, i, &view->fabrics_size, sizeof *at);

        if (grown == NULL)
            return false;
        at = grown;
        at[i] = cluster->fabrics[i];
    }
    cluster->fabrics = at;
    return true;
}

static enum fb_status add_fabric(struct fb_view *view, const struct fb_fabric *fabric, size_t *ret)
{
    struct fb_cluster *cluster = &view->cluster;
    struct fb_fabric *at;

    *ret = fb_cluster_fabric(cluster, fabric->key);
    if (*ret != FB_NONE)
        return FB_OK;
    if (!own_fabrics(view))
        return FB_ENOMEM;
    at = fb_arena_more(view->arena, cluster->fabrics, cluster->fabrics_len, &view->fabrics_size,
                       sizeof *at);
    if (at == NULL)
        return FB_ENOMEM;
    cluster->fabrics = at;
    at[cluster->fabrics_len] = *fabric;
    *ret = cluster->fabrics_len++;
    return FB_OK;
}

/* A node of which the request does not tell more than the name. */
static const struct fb_node *nobody(struct fb_arena *arena, const char *name)
{
    struct fb_node *node = fb_arena_alloc(arena, sizeof *node);

    if (node == NULL)
        return NULL;
    *node = (struct fb_node){.uid = "", .provider_id = "", .instance_type = "", .ready = true};
    node->name = fb_arena_text(arena, name, strlen(name));
    return node->name != NULL ? node : NULL;
}

static const struct fb_node *stranger(struct fb_arena *arena, const struct fb_sight *sight)
{
    struct fb_node *node;
    struct fb_node shown;

    if (sight->node == NULL)
        return nobody(arena, sight->name);
    shown = *sight->node;
    shown.capacity = (struct fb_resources){0}; /* nothing is decided by it */
    node = fb_arena_alloc(arena, sizeof *node);
    return node != NULL && fb_node_copy(arena, &shown, node) == FB_OK ? node : NULL;
}

/* Read a node that the scene does not know as a cluster of its own. */
static enum fb_status read_stranger(struct fb_view *view, const struct fb_sight *sight,
                                    struct fb_site *ret)
{
    struct fb_objects objects = {.nodes = stranger(view->arena, sight), .nodes_len = 1};
    struct fb_cluster alone;
    enum fb_status st;

    if (objects.nodes == NULL)
        return FB_ENOMEM;
    st = fb_cluster_build(view->arena, &objects, view->cluster.policies, view->cluster.settings,
                          &alone);
    if (st != FB_OK)
        return st;
    *ret = alone.sites[0];
    return ret->fabric == FB_NONE
               ? FB_OK
               : add_fabric(view, &alone.fabrics[alone.sites[0].fabric], &ret->fabric);
}

/* NICs that a pod on the node uses without requesting them. */
static enum fb_status take_hidden(struct fb_view *view, const struct fb_scene *scene,
                                  const struct fb_sight_pod *on, struct fb_site *site)
{
    const struct fb_cluster *cluster = &view->cluster;
    const struct fb_rules rules = {cluster->policies, cluster->settings};
    struct fb_gang gang;
    struct fb_need need;
    enum fb_networking networking;
    enum fb_status st;

    if (on->status == FB_TASK_RELEASING || site->fabric == FB_NONE ||
        fb_need_gpus(&on->pod, cluster->settings, NULL) < 1)
        return FB_OK;
    networking = fb_gang_of(scene->cluster, &on->pod, &gang);
    if (networking == FB_NETWORKING_NO)
        return FB_OK;
    st = fb_need_make(view->arena, &on->pod, networking, &cluster->fabrics[site->fabric], &rules,
                      &need);
    for (size_t i = 0; st == FB_OK && need.source != FB_NEED_OWN && i < need.nics.len; i++)
        st = fb_resources_add(view->arena, &site->free, need.nics.at[i].name,
                              -need.nics.at[i].amount);
    return st;
}

/* What a plugin reports beyond the shape's NICs is free in the scheduler's books, but no NIC. */
static int64_t beyond(const struct fb_site *site, const struct fb_resource *entry)
{
    int64_t told = fb_resources_get(&site->node->allocatable, entry->name);

    return told > entry->amount ? told - entry->amount : 0;
}

static int64_t count_entry(const struct fb_sight *sight, const struct fb_site *site,
                           const struct fb_resource *entry)
{
    int64_t amount = fb_amount_add(fb_resources_get(&sight->idle, entry->name),
                                   fb_resources_get(&sight->releasing, entry->name));

    amount = fb_amount_add(amount, -fb_resources_get(&sight->pipelined, entry->name));
    return fb_amount_add(amount, -beyond(site, entry));
}

static enum fb_status count_free(struct fb_view *view, const struct fb_scene *scene,
                                 const struct fb_sight *sight, struct fb_site *site)
{
    size_t len = site->allocatable.len;
    struct fb_resource *at = fb_arena_alloc(view->arena, len * sizeof *at);
    enum fb_status st = FB_OK;

    if (at == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < len; i++) {
        at[i].name = site->allocatable.at[i].name;
        at[i].amount = count_entry(sight, site, &site->allocatable.at[i]);
    }
    site->free = (struct fb_resources){.at = at, .len = len, .size = len};
    for (size_t i = 0; st == FB_OK && i < sight->pods_len; i++)
        st = take_hidden(view, scene, &sight->pods[i], site);
    for (size_t i = 0; i < site->free.len; i++) {
        if (site->free.at[i].amount < 0)
            site->free.at[i].amount = 0;
    }
    return st;
}

/* Room for one more site. Of many nodes most are of the scene: then for as many as it has at once,
 * so that the arrays outgrown on the way do not stay in the arena. */
static struct fb_site *more_sites(struct fb_view *view, const struct fb_scene *scene)
{
    struct fb_cluster *cluster = &view->cluster;
    size_t most = scene->cluster->sites_len;
    struct fb_site *at;

    if (cluster->sites_len != MANY_SITES || view->sites_size >= most)
        return fb_arena_more(view->arena, cluster->sites, cluster->sites_len, &view->sites_size,
                             sizeof *at);
    at = fb_arena_alloc(view->arena, most * sizeof *at);
    if (at == NULL)
        return NULL;
    memcpy(at, cluster->sites, cluster->sites_len * sizeof *at);
    view->sites_size = most;
    return at;
}

enum fb_status fb_view_add(struct fb_view *view, const struct fb_scene *scene,
                           const struct fb_sight *sight)
{
    struct fb_cluster *cluster = &view->cluster;
    size_t known = fb_cluster_find(scene->cluster, sight->name);
    struct fb_site *at = more_sites(view, scene);
    enum fb_status st = FB_OK;

    if (at == NULL)
        return FB_ENOMEM;
    cluster->sites = at;
    at += cluster->sites_len;
    if (known != FB_NONE)
        *at = scene->cluster->sites[known];
    else
        st = read_stranger(view, sight, at);
    if (st == FB_OK)
        st = count_free(view, scene, sight, at);
    if (st == FB_OK)
        cluster->sites_len++;
    return st;
}
