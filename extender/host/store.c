/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include "fabricbind/own.h"
#include "fabricbind/profile_keys.h"
#include "store_shelf.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct fb_stock {
    struct fb_store *store;
    struct fb_stock *next; /* of those given back */
    struct fb_arena *arena;
    size_t len;
    struct fb_stored *at[];
};

struct fb_store {
    pthread_mutex_t lock; /* of shelves and all that is on them */
    struct fb_packer *packer;
    struct fb_pieces *pieces;
    struct fb_store_limits limits;
    struct fb_shelf shelves[FB_KIND_COUNT];
    pthread_mutex_t returns; /* of what follows; never held for long */
    struct fb_stock *returned;
    size_t stocks; /* given out, and not yet freed */
    bool closed;   /* the owner is gone: the last stock takes the rest with it */
};

struct fb_store *fb_store_new(const struct fb_store_limits *limits)
{
    struct fb_store *store = calloc(1, sizeof *store);

    if (store == NULL)
        return NULL;
    (void)pthread_mutex_init(&store->lock, NULL);
    (void)pthread_mutex_init(&store->returns, NULL);
    store->limits = *limits;
    store->packer = fb_packer_new();
    store->pieces = store->packer != NULL ? fb_pieces_new(store->packer) : NULL;
    if (store->pieces == NULL) {
        fb_store_free(store);
        return NULL;
    }
    return store;
}

static void free_stock(struct fb_store *store, struct fb_stock *stock)
{
    for (size_t i = 0; i < stock->len; i++)
        fb_stored_release(stock->at[i], store->pieces);
    fb_arena_free(stock->arena);
    free(stock);
}

/* What was given back, at the end of a list that is the caller's now. */
static struct fb_stock *take_returned(struct fb_store *store)
{
    struct fb_stock *returned;

    (void)pthread_mutex_lock(&store->returns);
    returned = store->returned;
    store->returned = NULL;
    for (const struct fb_stock *each = returned; each != NULL; each = each->next)
        store->stocks--;
    (void)pthread_mutex_unlock(&store->returns);
    return returned;
}

/* With the lock held, or alone. */
static void tidy(struct fb_store *store)
{
    for (struct fb_stock *each = take_returned(store), *next; each != NULL; each = next) {
        next = each->next;
        free_stock(store, each);
    }
}

static void destroy(struct fb_store *store)
{
    tidy(store);
    for (size_t i = 0; i < FB_KIND_COUNT; i++)
        fb_shelf_clear(&store->shelves[i], store->pieces);
    fb_pieces_free(store->pieces);
    fb_packer_free(store->packer);
    (void)pthread_mutex_destroy(&store->returns);
    (void)pthread_mutex_destroy(&store->lock);
    free(store);
}

/* Of the owner and the stocks the last one to go. */
static bool is_last(struct fb_store *store)
{
    size_t out = store->stocks;

    for (const struct fb_stock *each = store->returned; each != NULL; each = each->next)
        out--;
    return store->closed && out == 0;
}

void fb_store_free(struct fb_store *store)
{
    bool last;

    if (store == NULL)
        return;
    (void)pthread_mutex_lock(&store->returns);
    store->closed = true;
    last = is_last(store);
    (void)pthread_mutex_unlock(&store->returns);
    if (last)
        destroy(store);
}

void fb_store_freep(struct fb_store **store)
{
    fb_store_free(*store);
    *store = NULL;
}

void fb_stock_release(struct fb_stock *stock, struct fb_arena *arena)
{
    struct fb_store *store;
    bool last;

    if (stock == NULL) {
        fb_arena_free(arena);
        return;
    }
    store = stock->store;
    stock->arena = arena;
    (void)pthread_mutex_lock(&store->returns);
    stock->next = store->returned;
    store->returned = stock;
    last = is_last(store);
    (void)pthread_mutex_unlock(&store->returns);
    if (last)
        destroy(store);
}

void fb_store_tidy(struct fb_store *store)
{
    (void)pthread_mutex_lock(&store->lock);
    tidy(store);
    (void)pthread_mutex_unlock(&store->lock);
}

void fb_store_limit(struct fb_store *store, const struct fb_store_limits *limits)
{
    (void)pthread_mutex_lock(&store->lock);
    store->limits = *limits;
    (void)pthread_mutex_unlock(&store->lock);
}

/* NCCL's files are large, differ by node, and no decision reads them. */
static bool drop_files(struct fb_pod *pod, struct fb_pair *kept, size_t size)
{
    struct fb_pairs few = {.at = kept, .size = size};

    if (pod->annotations.len > size)
        return false;
    for (size_t i = 0; i < pod->annotations.len; i++) {
        const struct fb_pair *pair = &pod->annotations.at[i];

        if (strcmp(pair->key, FB_PROFILE_CONF_KEY) != 0 &&
            strcmp(pair->key, FB_PROFILE_TOPO_KEY) != 0)
            kept[few.len++] = *pair;
    }
    pod->annotations = few;
    return true;
}

static enum fb_status too_many(enum fb_kind kind, size_t most, struct fb_error *err)
{
    static const char *const names[FB_KIND_COUNT] = {
        [FB_KIND_NODE] = "nodes",
        [FB_KIND_POD] = "pods",
        [FB_KIND_PODGROUP] = "pod groups",
        [FB_KIND_NAMESPACE] = "namespaces",
    };

    return fb_error_set(err, FB_ELIMIT, "more than %zu %s", most,
                        names[kind] != NULL ? names[kind] : "jobs");
}

static enum fb_status put(struct fb_store *store, enum fb_kind kind, const union fb_parcel *parcel,
                          bool *ret_changed, struct fb_error *err)
{
    struct fb_shelf *shelf = &store->shelves[kind];
    size_t most = kind == FB_KIND_NODE ? store->limits.nodes : store->limits.pods;
    struct fb_stored *old = fb_shelf_find(shelf, kind, parcel);
    struct fb_stored *made;

    if (old != NULL) {
        old->round = shelf->round;
        if (fb_stored_same(old, parcel, store->packer)) {
            *ret_changed = false;
            return FB_OK;
        }
    } else if (most > 0 && shelf->len >= most) {
        return too_many(kind, most, err);
    }
    made = fb_stored_new(kind, parcel, store->packer, store->pieces);
    if (made == NULL || !fb_shelf_set(shelf, old, made, store->pieces)) {
        fb_stored_release(made, store->pieces);
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    }
    *ret_changed = true;
    return FB_OK;
}

/* Devices are extended resources, whose names have a domain, or claims. */
static bool asks_for_device(const struct fb_pod *pod)
{
    for (size_t i = 0; i < pod->containers_len; i++) {
        const struct fb_resources *requests = &pod->containers[i].requests;

        for (size_t r = 0; r < requests->len; r++) {
            if (strchr(requests->at[r].name, '/') != NULL)
                return true;
        }
    }
    return pod->claims.len > 0;
}

/* Could it matter to a gang or to what is free? */
static bool is_wanted(const struct fb_object *object)
{
    bool wanted = false;

    if (object->kind == FB_KIND_POD)
        return fb_pod_lives(&object->pod);
    if (object->kind != FB_KIND_BATCHJOB && object->kind != FB_KIND_STATEFULSET)
        return true;
    for (size_t i = 0; i < object->job.tasks_len; i++)
        wanted = wanted || asks_for_device(&object->job.tasks[i].pod);
    return wanted;
}

enum fb_status fb_store_put(struct fb_store *store, const struct fb_object *object,
                            bool *ret_changed, struct fb_error *err)
{
    union fb_parcel parcel = fb_parcel_of(object);
    struct fb_pair kept[64];
    enum fb_status st;

    if (!is_wanted(object)) {
        *ret_changed = fb_store_drop(store, object->kind, object->pod.space, object->pod.name,
                                     object->pod.uid);
        return FB_OK;
    }
    if (object->kind == FB_KIND_POD)
        (void)drop_files(&parcel.pod, kept, sizeof kept / sizeof kept[0]);
    (void)pthread_mutex_lock(&store->lock);
    st = put(store, object->kind, &parcel, ret_changed, err);
    (void)pthread_mutex_unlock(&store->lock);
    return st;
}

/* What an object is found by. */
static union fb_parcel named(enum fb_kind kind, const char *space, const char *name)
{
    union fb_parcel like;

    memset(&like, 0, sizeof like);
    if (kind == FB_KIND_NODE)
        like.node.name = name;
    else if (kind == FB_KIND_NAMESPACE)
        like.namespace.name = name;
    else if (kind == FB_KIND_POD)
        like.pod = (struct fb_pod){.space = space, .name = name};
    else if (kind == FB_KIND_PODGROUP)
        like.podgroup = (struct fb_podgroup){.space = space, .name = name};
    else
        like.job = (struct fb_job){.space = space, .name = name};
    return like;
}

bool fb_store_drop(struct fb_store *store, enum fb_kind kind, const char *space, const char *name,
                   const char *uid)
{
    union fb_parcel like = named(kind, space, name);
    struct fb_stored *found;

    (void)pthread_mutex_lock(&store->lock);
    found = fb_shelf_find(&store->shelves[kind], kind, &like);
    if (found != NULL && *uid != '\0' && strcmp(fb_stored_uid(found), uid) != 0 &&
        *fb_stored_uid(found) != '\0')
        found = NULL;
    if (found != NULL)
        fb_shelf_drop(&store->shelves[kind], found, store->pieces);
    (void)pthread_mutex_unlock(&store->lock);
    return found != NULL;
}

void fb_store_list(struct fb_store *store, enum fb_kind kind)
{
    (void)pthread_mutex_lock(&store->lock);
    store->shelves[kind].round++;
    (void)pthread_mutex_unlock(&store->lock);
}

void fb_store_keep(struct fb_store *store, enum fb_kind kind, const char *space, const char *name)
{
    union fb_parcel like = named(kind, space, name);
    struct fb_stored *found;

    (void)pthread_mutex_lock(&store->lock);
    found = fb_shelf_find(&store->shelves[kind], kind, &like);
    if (found != NULL)
        found->round = store->shelves[kind].round;
    (void)pthread_mutex_unlock(&store->lock);
}

size_t fb_store_listed(struct fb_store *store, enum fb_kind kind)
{
    struct fb_shelf *shelf = &store->shelves[kind];
    size_t dropped = 0;

    (void)pthread_mutex_lock(&store->lock);
    for (size_t i = shelf->len; i-- > 0;) {
        if (shelf->at[i]->round != shelf->round) {
            fb_shelf_drop(shelf, shelf->at[i], store->pieces);
            dropped++;
        }
    }
    (void)pthread_mutex_unlock(&store->lock);
    return dropped;
}

size_t fb_store_len(struct fb_store *store, enum fb_kind kind)
{
    size_t len;

    (void)pthread_mutex_lock(&store->lock);
    len = store->shelves[kind].len;
    (void)pthread_mutex_unlock(&store->lock);
    return len;
}

size_t fb_store_pieces(struct fb_store *store)
{
    size_t len;

    (void)pthread_mutex_lock(&store->lock);
    len = fb_pieces_len(store->pieces);
    (void)pthread_mutex_unlock(&store->lock);
    return len;
}

static size_t count_jobs(const struct fb_store *store)
{
    size_t len = 0;

    for (unsigned kind = FB_KIND_VCJOB; kind < FB_KIND_COUNT; kind++)
        len += store->shelves[kind].len;
    return len;
}

/* Arrays that have just the room that is needed. */
static bool reserve(const struct fb_store *store, struct fb_arena *arena, struct fb_snapshot *ret)
{
    size_t nodes = store->shelves[FB_KIND_NODE].len;
    size_t pods = store->shelves[FB_KIND_POD].len;
    size_t groups = store->shelves[FB_KIND_PODGROUP].len;
    size_t spaces = store->shelves[FB_KIND_NAMESPACE].len;
    size_t jobs = count_jobs(store);

    *ret = (struct fb_snapshot){
        .nodes = fb_arena_alloc(arena, nodes * sizeof *ret->nodes),
        .pods = fb_arena_alloc(arena, pods * sizeof *ret->pods),
        .podgroups = fb_arena_alloc(arena, groups * sizeof *ret->podgroups),
        .jobs.at = fb_arena_alloc(arena, jobs * sizeof *ret->jobs.at),
        .namespaces.at = fb_arena_alloc(arena, spaces * sizeof *ret->namespaces.at),
        .nodes_size = nodes,
        .pods_size = pods,
        .podgroups_size = groups,
        .jobs.size = jobs,
        .namespaces.size = spaces,
    };
    return ret->nodes != NULL && ret->pods != NULL && ret->podgroups != NULL &&
           ret->jobs.at != NULL && ret->namespaces.at != NULL;
}

static void copy_out(const struct fb_stored *stored, struct fb_snapshot *ret)
{
    if (stored->kind == FB_KIND_NODE)
        ret->nodes[ret->nodes_len++] = stored->body.node;
    else if (stored->kind == FB_KIND_POD)
        fb_stored_pod(stored, &ret->pods[ret->pods_len++]);
    else if (stored->kind == FB_KIND_PODGROUP)
        ret->podgroups[ret->podgroups_len++] = stored->body.podgroup;
    else if (stored->kind == FB_KIND_NAMESPACE)
        ret->namespaces.at[ret->namespaces.len++] = stored->body.namespace;
    else
        ret->jobs.at[ret->jobs.len++] = stored->body.job;
}

static struct fb_stock *hold_all(struct fb_store *store, struct fb_snapshot *ret)
{
    size_t len = ret->nodes_size + ret->pods_size + ret->podgroups_size + ret->jobs.size +
                 ret->namespaces.size;
    struct fb_stock *stock = calloc(1, sizeof *stock + len * sizeof(struct fb_stored *));

    if (stock == NULL)
        return NULL;
    stock->store = store;
    for (unsigned kind = FB_KIND_NODE; kind < FB_KIND_COUNT; kind++) {
        const struct fb_shelf *shelf = &store->shelves[kind];

        for (size_t i = 0; i < shelf->len; i++) {
            shelf->at[i]->holders++;
            stock->at[stock->len++] = shelf->at[i];
            copy_out(shelf->at[i], ret);
        }
    }
    return stock;
}

enum fb_status fb_store_fill(struct fb_store *store, struct fb_arena *arena,
                             struct fb_snapshot *ret, struct fb_stock **ret_stock)
{
    struct fb_stock *stock = NULL;

    (void)pthread_mutex_lock(&store->lock);
    tidy(store);
    if (reserve(store, arena, ret))
        stock = hold_all(store, ret);
    (void)pthread_mutex_unlock(&store->lock);
    if (stock == NULL)
        return FB_ENOMEM;
    (void)pthread_mutex_lock(&store->returns);
    store->stocks++;
    (void)pthread_mutex_unlock(&store->returns);
    fb_namespaces_sort(&ret->namespaces);
    *ret_stock = stock;
    return FB_OK;
}
