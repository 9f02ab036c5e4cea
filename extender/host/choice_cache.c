/* SPDX-License-Identifier: Apache-2.0 */
#include "choice_cache.h"

#include "deadline.h"

#include "fabricbind/own.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUCKETS 4096
#define AGED_MS 60000 /* an inventory newer by this knows the pods of a gang and its choice */
#define AGAIN_MS 5000 /* what could not be kept is tried again after this */

struct entry {
    struct entry *next;          /* of the bucket */
    struct entry *older, *newer; /* of all */
    struct fb_arena *arena;      /* owned; holds the texts and what pod points at */
    const char *space, *key;
    struct fb_pod pod;
    const char *fabric; /* "": none yet */
    bool making, kept;
    size_t waiting; /* threads */
    uint64_t turns; /* that have ended */
    int64_t made_ms;
};

struct fb_choice_cache {
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t turned;
    struct entry *buckets[BUCKETS];
    struct entry *newest, *oldest;
    size_t len;
    uint64_t swept; /* generation of the inventory that all were last held against */
};

struct fb_choice_cache *fb_choice_cache_new(void)
{
    struct fb_choice_cache *cache = calloc(1, sizeof *cache);

    if (cache == NULL)
        return NULL;
    (void)pthread_mutex_init(&cache->lock, NULL);
    fb_deadline_init(&cache->turned);
    return cache;
}

static void entry_free(struct entry *entry)
{
    if (entry != NULL)
        fb_arena_free(entry->arena); /* it lives in it */
}

void fb_choice_cache_free(struct fb_choice_cache *cache)
{
    if (cache == NULL)
        return;
    for (struct entry *entry = cache->newest; entry != NULL;) {
        struct entry *older = entry->older;

        entry_free(entry);
        entry = older;
    }
    (void)pthread_cond_destroy(&cache->turned);
    (void)pthread_mutex_destroy(&cache->lock);
    free(cache);
}

/* FNV-1a; the keys are UIDs that the API server gave, or names that it checked. */
static struct entry **bucket_of(struct fb_choice_cache *cache, const char *key)
{
    uint32_t hash = UINT32_C(2166136261);

    for (; *key != '\0'; key++)
        hash = (hash ^ (unsigned char)*key) * UINT32_C(16777619);
    return &cache->buckets[hash % BUCKETS];
}

static struct entry *find(struct fb_choice_cache *cache, const struct fb_gang *gang)
{
    struct entry *entry = *bucket_of(cache, gang->key);

    while (entry != NULL &&
           (strcmp(entry->key, gang->key) != 0 || strcmp(entry->space, gang->space) != 0))
        entry = entry->next;
    return entry;
}

static void drop(struct fb_choice_cache *cache, struct entry *entry)
{
    struct entry **link = bucket_of(cache, entry->key);

    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    *(entry->newer != NULL ? &entry->newer->older : &cache->newest) = entry->older;
    *(entry->older != NULL ? &entry->older->newer : &cache->oldest) = entry->newer;
    cache->len--;
    entry_free(entry);
}

static bool is_idle(const struct entry *entry)
{
    return !entry->making && entry->waiting == 0;
}

static bool is_told(const struct entry *entry, const struct fb_gang *gang,
                    const struct fb_cluster *cluster)
{
    return gang != NULL && fb_choice_told(cluster, gang, &entry->pod) != NULL;
}

/* The gang is gone, or its choice is found in the inventory. */
static bool is_over(const struct entry *entry, const struct fb_inventory *inventory)
{
    const struct fb_cluster *cluster = &inventory->in.cluster;
    const struct fb_gang *gang;

    if (!is_idle(entry) || inventory->read_ms <= entry->made_ms + AGED_MS)
        return false;
    gang = fb_gang_find(cluster, entry->space, entry->key);
    return gang == NULL || is_told(entry, gang, cluster);
}

static void sweep(struct fb_choice_cache *cache, const struct fb_inventory *inventory)
{
    if (inventory->generation <= cache->swept)
        return;
    cache->swept = inventory->generation;
    for (struct entry *entry = cache->newest; entry != NULL;) {
        struct entry *older = entry->older;

        if (is_over(entry, inventory))
            drop(cache, entry);
        entry = older;
    }
}

static struct entry *entry_new(const struct fb_choice_query *query)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new_small(0);
    struct entry *entry = arena != NULL ? fb_arena_alloc(arena, sizeof *entry) : NULL;

    if (entry == NULL)
        return NULL;
    entry->space = fb_arena_text(arena, query->gang->space, strlen(query->gang->space));
    entry->key = fb_arena_text(arena, query->gang->key, strlen(query->gang->key));
    entry->fabric = "";
    if (entry->space == NULL || entry->key == NULL ||
        fb_pod_copy(arena, query->pod, &entry->pod) != FB_OK)
        return NULL;
    entry->arena = FB_TAKE(arena);
    return entry;
}

/* NULL: out of memory. */
static struct entry *add(struct fb_choice_cache *cache, const struct fb_choice_query *query)
{
    struct entry *entry = entry_new(query);
    struct entry **bucket = bucket_of(cache, query->gang->key);

    if (entry == NULL)
        return NULL;
    entry->next = *bucket;
    *bucket = entry;
    entry->older = cache->newest;
    *(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
    cache->len++;
    return entry;
}

/* Room for one more; false where all are in use. */
static bool make_room(struct fb_choice_cache *cache)
{
    struct entry *entry = cache->oldest;

    if (cache->len < FB_CHOICE_CACHE)
        return true;
    while (entry != NULL && !is_idle(entry))
        entry = entry->newer;
    if (entry != NULL)
        drop(cache, entry);
    return entry != NULL;
}

/* Wait until a turn ends; false when it took too long. */
static bool wait_for(struct fb_choice_cache *cache, struct entry *entry, int64_t end_ms)
{
    struct timespec until = fb_deadline_of(end_ms);
    uint64_t turns = entry->turns;
    int failed = 0;

    entry->waiting++;
    while (entry->turns == turns && failed == 0)
        failed = pthread_cond_timedwait(&cache->turned, &cache->lock, &until);
    entry->waiting--;
    return entry->turns != turns;
}

static const char *copy(struct fb_arena *arena, const char *text)
{
    return fb_arena_text(arena, text, strlen(text));
}

static bool has_nodes(const struct fb_inventory *inventory, const char *fabric)
{
    return fb_choice_find(&inventory->in.cluster, fabric) != FB_NONE;
}

/* What is there of an entry that nobody makes, or the turn to make it. */
static enum fb_choice_turn take_turn(struct entry *entry, const struct fb_inventory *inventory,
                                     int64_t now_ms, const char **ret_fabric)
{
    bool usable = has_nodes(inventory, entry->fabric);

    *ret_fabric = usable ? entry->fabric : "";
    if (usable && (entry->kept || now_ms - entry->made_ms < AGAIN_MS))
        return FB_CHOICE_MADE;
    entry->making = true;
    return FB_CHOICE_MINE;
}

static enum fb_status begin(struct fb_choice_cache *cache, const struct fb_choice_query *query,
                            struct fb_arena *arena, enum fb_choice_turn *ret_turn,
                            const char **ret_fabric)
{
    int64_t now_ms = fb_inventory_clock_ms();
    struct entry *entry;
    const char *fabric = "";

    sweep(cache, query->inventory);
    entry = find(cache, query->gang);
    if (entry == NULL) {
        *ret_turn = FB_CHOICE_LATE;
        if (!make_room(cache))
            return FB_OK;
        entry = add(cache, query);
        if (entry == NULL)
            return FB_ENOMEM;
    }
    if (!entry->making) {
        *ret_turn = take_turn(entry, query->inventory, now_ms, &fabric);
    } else if (wait_for(cache, entry, query->end_ms)) {
        *ret_turn = FB_CHOICE_MADE;
        fabric = entry->fabric;
    } else {
        *ret_turn = FB_CHOICE_LATE;
    }
    *ret_fabric = copy(arena, fabric);
    if (*ret_fabric == NULL && *ret_turn == FB_CHOICE_MINE)
        entry->making = false;
    if (*ret_turn != FB_CHOICE_LATE && *fabric == '\0' && is_idle(entry))
        drop(cache, entry); /* the last one that waited for nothing */
    return *ret_fabric != NULL ? FB_OK : FB_ENOMEM;
}

enum fb_status fb_choice_cache_begin(struct fb_choice_cache *cache,
                                     const struct fb_choice_query *query, struct fb_arena *arena,
                                     enum fb_choice_turn *ret_turn, const char **ret_fabric)
{
    enum fb_status st;

    *ret_fabric = "";
    (void)pthread_mutex_lock(&cache->lock);
    st = begin(cache, query, arena, ret_turn, ret_fabric);
    (void)pthread_mutex_unlock(&cache->lock);
    return st;
}

static void set_fabric(struct entry *entry, const char *fabric)
{
    const char *kept = copy(entry->arena, fabric);

    entry->fabric = kept != NULL ? kept : "";
}

void fb_choice_cache_intend(struct fb_choice_cache *cache, const struct fb_gang *gang,
                            const char *fabric)
{
    struct entry *entry;

    (void)pthread_mutex_lock(&cache->lock);
    entry = find(cache, gang);
    if (entry != NULL)
        set_fabric(entry, fabric);
    (void)pthread_mutex_unlock(&cache->lock);
}

void fb_choice_cache_end(struct fb_choice_cache *cache, const struct fb_gang *gang,
                         const char *fabric, bool kept)
{
    struct entry *entry;

    (void)pthread_mutex_lock(&cache->lock);
    entry = find(cache, gang);
    if (entry != NULL) {
        set_fabric(entry, fabric);
        entry->making = false;
        entry->kept = kept;
        entry->turns++;
        entry->made_ms = fb_inventory_clock_ms();
        if (*entry->fabric == '\0' && entry->waiting == 0)
            drop(cache, entry);
        (void)pthread_cond_broadcast(&cache->turned);
    }
    (void)pthread_mutex_unlock(&cache->lock);
}

const char *fb_choice_cache_find(struct fb_choice_cache *cache, struct fb_arena *arena,
                                 const struct fb_gang *gang)
{
    const struct entry *entry;
    const char *fabric;

    (void)pthread_mutex_lock(&cache->lock);
    entry = find(cache, gang);
    fabric = copy(arena, entry != NULL ? entry->fabric : "");
    (void)pthread_mutex_unlock(&cache->lock);
    return fabric;
}

enum fb_status fb_choice_cache_notes(struct fb_choice_cache *cache,
                                     const struct fb_inventory *inventory, struct fb_arena *arena,
                                     struct fb_choice_note **ret, size_t *ret_len)
{
    const struct fb_cluster *cluster = &inventory->in.cluster;
    struct fb_choice_note *notes = fb_arena_alloc(arena, FB_CHOICE_RESERVATIONS * sizeof *notes);
    struct fb_pod *pods = fb_arena_alloc(arena, FB_CHOICE_RESERVATIONS * sizeof *pods);
    enum fb_status st = notes != NULL && pods != NULL ? FB_OK : FB_ENOMEM;
    size_t len = 0;

    (void)pthread_mutex_lock(&cache->lock);
    for (const struct entry *entry = cache->newest;
         st == FB_OK && entry != NULL && len < FB_CHOICE_RESERVATIONS; entry = entry->older) {
        if (*entry->fabric == '\0' ||
            is_told(entry, fb_gang_find(cluster, entry->space, entry->key), cluster))
            continue;
        notes[len] = (struct fb_choice_note){&pods[len], copy(arena, entry->fabric)};
        st = notes[len].fabric != NULL ? fb_pod_copy(arena, &entry->pod, &pods[len]) : FB_ENOMEM;
        len++;
    }
    (void)pthread_mutex_unlock(&cache->lock);
    *ret = notes;
    *ret_len = len;
    return st;
}

size_t fb_choice_cache_count(struct fb_choice_cache *cache)
{
    size_t len;

    (void)pthread_mutex_lock(&cache->lock);
    len = cache->len;
    (void)pthread_mutex_unlock(&cache->lock);
    return len;
}

size_t fb_choice_cache_waiting(struct fb_choice_cache *cache)
{
    size_t waiting = 0;

    (void)pthread_mutex_lock(&cache->lock);
    for (const struct entry *entry = cache->newest; entry != NULL; entry = entry->older)
        waiting += entry->waiting;
    (void)pthread_mutex_unlock(&cache->lock);
    return waiting;
}
