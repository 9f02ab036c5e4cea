/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include "deadline.h"

#include "fabricbind/own.h"
#include "live_collections.h"
#include "log.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GATHER_MS 50    /* changes come in swarms */
#define PROMISED_MS 900 /* two builds and the pause between them */
#define PAUSE_LEAST_MS 100
#define START_FAILED_MS 60000
#define LOOK_MS 1000 /* while nothing changes */

/* Arrays of an inventory are given back to the system, whatever was freed before. */
#define MAPPED_BYTES (256 * 1024)

struct fb_live {
    struct fb_inventory_slot *slot;
    struct fb_store *store;
    struct fb_watch *watches[FB_COLLECTIONS];
    pthread_t builder;
    bool has_builder;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;  /* of the builder, by CLOCK_MONOTONIC */
    pthread_cond_t gone;  /* the same clock */
    struct fb_inventory *base;
    bool changed, rebased, ending;
    size_t running; /* threads */
    int64_t changed_ms, built_ms, took_ms;
    bool synced; /* and that was logged */
};

static void note_change(void *context)
{
    struct fb_live *live = context;

    (void)pthread_mutex_lock(&live->lock);
    if (!live->changed)
        live->changed_ms = fb_inventory_clock_ms();
    live->changed = true;
    (void)pthread_cond_signal(&live->wake);
    (void)pthread_mutex_unlock(&live->lock);
}

static void note_end(void *context)
{
    struct fb_live *live = context;

    (void)pthread_mutex_lock(&live->lock);
    live->running--;
    (void)pthread_cond_signal(&live->gone);
    (void)pthread_mutex_unlock(&live->lock);
}

bool fb_live_synced(struct fb_live *live)
{
    for (size_t i = 0; i < FB_COLLECTIONS; i++) {
        if (live->watches[i] == NULL || !fb_watch_synced(live->watches[i]))
            return false;
    }
    return true;
}

/* The last word of the collection that has been silent for longest. */
static int64_t heard_ms(const struct fb_live *live)
{
    int64_t heard = fb_inventory_clock_ms();

    for (size_t i = 0; i < FB_COLLECTIONS; i++) {
        int64_t each = fb_watch_heard_ms(live->watches[i]);

        heard = each < heard ? each : heard;
    }
    return heard;
}

static void warn(const char *message, const char *reason)
{
    const struct fb_log_field fields[] = {FB_LOG_TEXT("error", reason)};

    fb_log(FB_LOG_ERROR, message, fields, COUNT(fields));
}

static void log_sync(struct fb_live *live, const struct fb_inventory *inventory)
{
    const struct fb_log_field fields[] = {
        FB_LOG_INT("nodes", (int64_t)inventory->in.objects.nodes_len),
        FB_LOG_INT("pods", (int64_t)inventory->in.objects.pods_len),
        FB_LOG_INT("milliseconds", live->took_ms),
    };

    if (!live->synced)
        fb_log(FB_LOG_INFO, "the inventory is complete", fields, COUNT(fields));
    live->synced = true;
}

/* Without the lock. What cannot be built leaves the old one in its place. */
static void build(struct fb_live *live, struct fb_inventory *base, bool synced)
{
    struct fb_inventory *next = NULL;
    struct fb_error err = {.text = ""};
    int64_t began = fb_inventory_clock_ms();

    if (fb_inventory_build(base, synced ? live->store : NULL, &next, &err) != FB_OK) {
        warn("no new inventory, the last one stays", err.text);
        return;
    }
    next->synced = synced;
    next->read_ms = heard_ms(live);
    live->took_ms = fb_inventory_clock_ms() - began;
    if (synced)
        log_sync(live, next);
    fb_inventory_slot_put(live->slot, next);
    fb_store_tidy(live->store);
}

/* While nothing changes the inventory is as old as the last word of the API server. */
static void refresh(struct fb_live *live)
{
    struct fb_inventory *current = fb_inventory_slot_get(live->slot);

    if (current->live && current->synced)
        current->read_ms = heard_ms(live);
    fb_inventory_release(current);
    fb_store_tidy(live->store);
}

/* A quarter of the time is enough for building, as long as the promise holds. */
static int64_t pause_ms(int64_t took_ms)
{
    int64_t pause = 3 * took_ms;
    int64_t most = PROMISED_MS - 2 * took_ms;

    if (most < PAUSE_LEAST_MS)
        most = PAUSE_LEAST_MS;
    return pause < most ? pause : most;
}

/* When the next inventory is due, for what has changed. */
static int64_t due_ms(const struct fb_live *live)
{
    int64_t gathered = live->changed_ms + GATHER_MS;
    int64_t rested = live->built_ms + pause_ms(live->took_ms);

    return gathered > rested ? gathered : rested;
}

/* With the lock held: sleep until @due or until something happens. */
static void sleep_until(struct fb_live *live, int64_t due)
{
    struct timespec until = fb_deadline_of(due);

    (void)pthread_cond_timedwait(&live->wake, &live->lock, &until);
}

/* With the lock held, which is given up meanwhile. */
static void build_next(struct fb_live *live)
{
    FB_OWNED(fb_inventory_releasep) struct fb_inventory *base = fb_inventory_hold(live->base);
    bool synced;

    live->changed = live->rebased = false;
    (void)pthread_mutex_unlock(&live->lock);
    synced = fb_live_synced(live);
    build(live, base, synced);
    (void)pthread_mutex_lock(&live->lock);
    live->built_ms = fb_inventory_clock_ms();
}

/* With the lock held: is there something to build? */
static bool is_due(struct fb_live *live)
{
    return live->rebased || (live->changed && fb_live_synced(live));
}

static void *run(void *context)
{
    struct fb_live *live = context;

    (void)pthread_mutex_lock(&live->lock);
    while (!live->ending) {
        int64_t now = fb_inventory_clock_ms();

        if (is_due(live) && (live->rebased || due_ms(live) <= now)) {
            build_next(live);
        } else if (is_due(live)) {
            sleep_until(live, due_ms(live));
        } else {
            (void)pthread_mutex_unlock(&live->lock);
            refresh(live);
            (void)pthread_mutex_lock(&live->lock);
            if (!live->ending && !is_due(live))
                sleep_until(live, now + LOOK_MS);
        }
    }
    (void)pthread_mutex_unlock(&live->lock);
    note_end(live);
    return NULL;
}

void fb_live_rebase(struct fb_live *live, struct fb_inventory *base)
{
    const struct fb_limits *limits = &base->in.config.limits;
    struct fb_inventory *old;

    fb_store_limit(live->store,
                   &(struct fb_store_limits){.nodes = limits->nodes, .pods = limits->pods});
    (void)pthread_mutex_lock(&live->lock);
    old = live->base;
    live->base = base;
    live->rebased = true;
    (void)pthread_cond_signal(&live->wake);
    (void)pthread_mutex_unlock(&live->lock);
    fb_inventory_release(old);
}

static void init_locks(struct fb_live *live)
{
    (void)pthread_mutex_init(&live->lock, NULL);
    fb_deadline_init(&live->wake);
    fb_deadline_init(&live->gone);
}

static void release(struct fb_live *live)
{
    fb_inventory_release(live->base);
    fb_store_free(live->store);
    (void)pthread_cond_destroy(&live->gone);
    (void)pthread_cond_destroy(&live->wake);
    (void)pthread_mutex_destroy(&live->lock);
    free(live);
}

static enum fb_status start_watches(struct fb_live *live, const struct fb_watch_ground *ground,
                                    struct fb_error *err)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < FB_COLLECTIONS; i++) {
        st = fb_watch_start(&fb_collections[i], ground, &live->watches[i], err);
        (void)pthread_mutex_lock(&live->lock);
        live->running += st == FB_OK;
        (void)pthread_mutex_unlock(&live->lock);
    }
    return st;
}

static enum fb_status start_builder(struct fb_live *live, struct fb_error *err)
{
    char reason[128];
    int failed;

    live->running++;
    failed = pthread_create(&live->builder, NULL, run, live);
    live->has_builder = failed == 0;
    if (failed == 0)
        return FB_OK;
    live->running--;
    return fb_error_set(err, FB_EIO, "no thread to build inventories in: %s",
                        strerror_r(failed, reason, sizeof reason));
}

/* The store, and an inventory without objects in the place of the first one. */
static enum fb_status prepare(struct fb_live *live, struct fb_error *err)
{
    const struct fb_limits *limits;
    struct fb_inventory *empty = NULL;
    enum fb_status st;

    live->base = fb_inventory_slot_get(live->slot);
    limits = &live->base->in.config.limits;
    live->store =
        fb_store_new(&(struct fb_store_limits){.nodes = limits->nodes, .pods = limits->pods});
    if (live->store == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = fb_inventory_build(live->base, NULL, &empty, err);
    if (st == FB_OK)
        fb_inventory_slot_put(live->slot, empty);
    return st;
}

enum fb_status fb_live_start(struct fb_apiserver *server, struct fb_inventory_slot *slot,
                             struct fb_metrics *metrics, const struct fb_watch_pace *pace,
                             struct fb_live **ret, struct fb_error *err)
{
    struct fb_live *live = calloc(1, sizeof *live);
    struct fb_watch_ground ground = {
        .server = server,
        .metrics = metrics,
        .pace = pace != NULL ? pace : &fb_watch_pace_usual,
        .listener = {.context = live, .changed = note_change, .ended = note_end},
    };
    enum fb_status st;

    if (live == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    live->slot = slot;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): safe in glibc once memory was taken. */
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    init_locks(live);
    st = prepare(live, err);
    ground.store = live->store;
    if (st == FB_OK)
        st = start_watches(live, &ground, err);
    if (st == FB_OK)
        st = start_builder(live, err);
    if (st != FB_OK) {
        if (!fb_live_stop(live, START_FAILED_MS))
            fb_log(FB_LOG_ERROR, "threads of the inventory do not end", NULL, 0);
        return st;
    }
    *ret = live;
    return FB_OK;
}

static bool wait_for_end(struct fb_live *live, unsigned wait_ms)
{
    struct timespec until = fb_deadline_in(wait_ms);
    bool ended;
    int st = 0;

    (void)pthread_mutex_lock(&live->lock);
    live->ending = true;
    (void)pthread_cond_signal(&live->wake);
    while (live->running > 0 && st == 0)
        st = pthread_cond_timedwait(&live->gone, &live->lock, &until);
    ended = live->running == 0;
    (void)pthread_mutex_unlock(&live->lock);
    return ended;
}

bool fb_live_stop(struct fb_live *live, unsigned wait_ms)
{
    if (live == NULL)
        return true;
    for (size_t i = 0; i < FB_COLLECTIONS; i++)
        fb_watch_stop(live->watches[i]);
    if (!wait_for_end(live, wait_ms))
        return false;
    for (size_t i = 0; i < FB_COLLECTIONS; i++)
        fb_watch_free(live->watches[i]);
    if (live->has_builder)
        (void)pthread_join(live->builder, NULL);
    release(live);
    return true;
}
