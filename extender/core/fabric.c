/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name longer than this is cut: keys stay distinct by the parts in front. */
#define KEY_BYTES 4096

/* One site on its way into a fabric. */
struct entry {
    const char *base; /* provider, shape and boundary */
    const char *nics; /* NIC resources, joined by "," */
    size_t site;
};

static const char *shape_name(const struct fb_reading *reading)
{
    return reading->shape != NULL ? reading->shape->name : reading->instance;
}

/* Where the fabric ends: the boundary, else the coarsest tier, else the node itself. */
static struct fb_pair edge_of(const struct fb_site *site)
{
    if (site->reading.boundary.key != NULL)
        return site->reading.boundary;
    if (site->reading.tiers.len > 0)
        return site->reading.tiers.at[0];
    return (struct fb_pair){"", site->node->name};
}

static const char *base_of(struct fb_arena *arena, const struct fb_site *site)
{
    const struct fb_reading *reading = &site->reading;
    struct fb_pair edge = edge_of(site);
    char text[KEY_BYTES];

    (void)snprintf(text, sizeof text, "%s|%s|%lld|%s|%s",
                   reading->policy != NULL ? reading->policy->provider : "", shape_name(reading),
                   (long long)(reading->shape != NULL ? 0 : reading->gpus_full), edge.key,
                   edge.value);
    return fb_arena_text(arena, text, strlen(text));
}

static const char *nics_of(struct fb_arena *arena, const struct fb_resources *units)
{
    char text[KEY_BYTES] = "";

    for (size_t i = 0; i < units->len; i++) {
        size_t len = strlen(text);

        (void)snprintf(text + len, sizeof text - len, "%s%s", i > 0 ? "," : "", units->at[i].name);
    }
    return fb_arena_text(arena, text, strlen(text));
}

static int by_base(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;
    int order = strcmp(left->base, right->base);

    if (order == 0)
        order = strcmp(left->nics, right->nics);
    if (order == 0)
        order = (left->site > right->site) - (left->site < right->site);
    return order;
}

/* Are all of @some among those of @all, and fewer. */
static bool part_of(const struct fb_resources *some, const struct fb_resources *all)
{
    for (size_t i = 0; i < some->len; i++) {
        if (fb_resources_find(all, some->at[i].name) == NULL)
            return false;
    }
    return some->len < all->len;
}

/* End of the run of entries with the same base (and, @nics, the same NICs) that begins at @from. */
static size_t run_end(const struct entry *at, size_t len, size_t from, bool nics)
{
    size_t end = from + 1;

    while (end < len && at[end].base == at[from].base && (!nics || at[end].nics == at[from].nics))
        end++;
    return end;
}

/* The entry whose NICs most nodes of the run have; ties: more names. */
static size_t commonest(const struct fb_cluster *cluster, const struct entry *at, size_t from,
                        size_t to)
{
    size_t best = FB_NONE;
    size_t most = 0;

    for (size_t i = from; i < to;) {
        size_t end = run_end(at, to, i, true);
        size_t names = cluster->sites[at[i].site].reading.units.len;

        if (names > 0 &&
            (best == FB_NONE || end - i > most ||
             (end - i == most && names > cluster->sites[at[best].site].reading.units.len))) {
            best = i;
            most = end - i;
        }
        i = end;
    }
    return best;
}

/*
 * A node that misses NIC resources which its likes have is a sick member of their fabric, not a
 * fabric of its own.
 */
static void adopt(const struct fb_cluster *cluster, struct entry *at, size_t from, size_t to)
{
    size_t model = commonest(cluster, at, from, to);
    const char *nics;
    const struct fb_resources *all;

    if (model == FB_NONE)
        return;
    nics = at[model].nics;
    all = &cluster->sites[at[model].site].reading.units;
    for (size_t i = from; i < to; i++) {
        if (part_of(&cluster->sites[at[i].site].reading.units, all))
            at[i].nics = nics;
    }
}

/* "gpu-nic0 and 7 more" is enough for people. */
static const char *name_of(struct fb_arena *arena, const struct fb_site *site,
                           const struct fb_texts *nics)
{
    const struct fb_reading *reading = &site->reading;
    struct fb_pair edge = edge_of(site);
    char more[32] = "";
    char text[KEY_BYTES];

    if (nics->len > 1)
        (void)snprintf(more, sizeof more, "+%zu", nics->len - 1);
    (void)snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s",
                   reading->policy != NULL ? reading->policy->provider : "unknown",
                   *shape_name(reading) != '\0' ? " " : "", shape_name(reading),
                   nics->len > 0 ? " " : "", nics->len > 0 ? nics->at[0] : "", more,
                   *edge.value != '\0' ? " " : "", edge.value);
    return fb_arena_text(arena, text, strlen(text));
}

static enum fb_status take_names(struct fb_arena *arena, const struct fb_resources *units,
                                 struct fb_texts *ret)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < units->len; i++)
        st = fb_texts_add(arena, ret, units->at[i].name);
    return st;
}

/* Of unknown shapes all nodes of equal instance type, GPU count and NICs tell the count. */
static const char *pool_of(struct fb_arena *arena, const struct fb_reading *reading,
                           const char *nics, const char *key)
{
    char text[KEY_BYTES];

    if (reading->shape != NULL)
        return key;
    (void)snprintf(text, sizeof text, "%s|%s|%lld|%s",
                   reading->policy != NULL ? reading->policy->provider : "", reading->instance,
                   (long long)reading->gpus_full, nics);
    return fb_arena_text(arena, text, strlen(text));
}

static enum fb_status fill(struct fb_arena *arena, const struct fb_site *model, const char *nics,
                           const char *key, struct fb_fabric *ret)
{
    const struct fb_reading *reading = &model->reading;

    *ret = (struct fb_fabric){
        .key = key,
        .pool = pool_of(arena, reading, nics, key),
        .unknown = reading->boundary.key == NULL && reading->tiers.len == 0,
        .policy = reading->policy,
        .shape = reading->shape,
        .instance = reading->instance,
        .has_nics = reading->has_nics,
        .kind = reading->kind,
        .gpus = reading->gpus_full,
    };
    if (take_names(arena, &reading->units, &ret->nics) != FB_OK)
        return FB_ENOMEM;
    ret->name = name_of(arena, model, &ret->nics);
    return ret->name != NULL && ret->pool != NULL ? FB_OK : FB_ENOMEM;
}

/* The run [from, to) of sorted entries is one fabric; the model is a site that has all its NICs. */
static enum fb_status add_fabric(struct fb_arena *arena, struct fb_cluster *cluster,
                                 const struct entry *at, size_t from, size_t to)
{
    size_t model = at[from].site;
    struct fb_fabric *fabric = &cluster->fabrics[cluster->fabrics_len];
    char text[KEY_BYTES];
    const char *key;

    (void)snprintf(text, sizeof text, "%s|%s", at[from].base, at[from].nics);
    for (size_t i = from; i < to; i++) {
        if (cluster->sites[at[i].site].reading.units.len > cluster->sites[model].reading.units.len)
            model = at[i].site;
    }
    key = fb_arena_text(arena, text, strlen(text));
    if (key == NULL || fill(arena, &cluster->sites[model], at[from].nics, key, fabric) != FB_OK)
        return FB_ENOMEM;
    for (size_t i = from; i < to; i++)
        cluster->sites[at[i].site].fabric = cluster->fabrics_len;
    fabric->nodes = to - from;
    cluster->fabrics_len++;
    return FB_OK;
}

/* Nodes without GPUs take no part. */
static enum fb_status collect(struct fb_arena *arena, const struct fb_cluster *cluster,
                              struct entry *at, size_t *ret_len)
{
    for (size_t i = 0; i < cluster->sites_len; i++) {
        const struct fb_site *site = &cluster->sites[i];
        struct entry entry = {.site = i};

        cluster->sites[i].fabric = FB_NONE;
        if (site->reading.gpus_full < 1)
            continue;
        entry.base = base_of(arena, site);
        entry.nics = nics_of(arena, &site->reading.units);
        if (entry.base == NULL || entry.nics == NULL)
            return FB_ENOMEM;
        at[(*ret_len)++] = entry;
    }
    return FB_OK;
}

enum fb_status fb_fabric_build(struct fb_arena *arena, struct fb_cluster *cluster)
{
    size_t len = 0;
    struct entry *at = fb_arena_alloc(arena, cluster->sites_len * sizeof *at);

    cluster->fabrics = fb_arena_alloc(arena, cluster->sites_len * sizeof *cluster->fabrics);
    cluster->fabrics_len = 0;
    if (at == NULL || cluster->fabrics == NULL || collect(arena, cluster, at, &len) != FB_OK)
        return FB_ENOMEM;
    if (len > 1)
        qsort(at, len, sizeof *at, by_base);
    for (size_t from = 0; from < len;) {
        size_t to = run_end(at, len, from, false);

        adopt(cluster, at, from, to);
        from = to;
    }
    if (len > 1)
        qsort(at, len, sizeof *at, by_base);
    for (size_t from = 0; from < len;) {
        size_t to = run_end(at, len, from, true);

        if (add_fabric(arena, cluster, at, from, to) != FB_OK)
            return FB_ENOMEM;
        from = to;
    }
    return fb_fabric_ratios(arena, cluster);
}
