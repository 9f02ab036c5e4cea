/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory.h"

#include "deadline.h"

#include "fabricbind/own.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct fb_inventory_slot {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* by CLOCK_MONOTONIC */
    struct fb_inventory *current;
    uint64_t generations;
};

int64_t fb_inventory_clock_ms(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum fb_status fb_inventory_read(const struct fb_options *options, fb_load_notice notice,
                                 void *context, struct fb_inventory **ret, struct fb_error *err)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_inventory *inventory =
        arena != NULL ? fb_arena_alloc(arena, sizeof *inventory) : NULL;
    enum fb_status st;

    if (inventory == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    inventory->read_ms = fb_inventory_clock_ms();
    inventory->has_snapshot = options->snapshot != NULL;
    inventory->holders = 1;
    st = fb_load_with(arena, options, notice, context, &inventory->in, err);
    if (st != FB_OK)
        return st;
    *ret = inventory;
    (void)FB_TAKE(arena); /* the inventory lives in it */
    return FB_OK;
}

enum fb_status fb_inventory_build(struct fb_inventory *base, struct fb_store *store,
                                  struct fb_inventory **ret, struct fb_error *err)
{
    FB_OWNED(fb_inventory_releasep) struct fb_inventory *inventory = NULL;
    struct fb_arena *arena = fb_arena_new(0);
    enum fb_status st;

    if (arena != NULL)
        inventory = fb_arena_alloc(arena, sizeof *inventory);
    if (inventory == NULL) {
        fb_arena_free(arena);
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    }
    inventory->in = (struct fb_inputs){
        .arena = arena, .policies = base->in.policies, .config = base->in.config};
    inventory->live = true;
    inventory->holders = 1;
    inventory->base = fb_inventory_hold(base);
    st = store == NULL ? FB_OK
                       : fb_store_fill(store, arena, &inventory->in.snapshot, &inventory->stock);
    if (st != FB_OK)
        return fb_error_set(err, st, "out of memory");
    st = fb_load_build(&inventory->in, err);
    if (st == FB_OK)
        *ret = FB_TAKE(inventory);
    return st;
}

struct fb_inventory *fb_inventory_hold(struct fb_inventory *inventory)
{
    size_t before = inventory->holders++;

    assert(before > 0);
    (void)before;
    return inventory;
}

void fb_inventory_release(struct fb_inventory *inventory)
{
    while (inventory != NULL && --inventory->holders == 0) {
        struct fb_inventory *base = inventory->base;

        fb_stock_release(inventory->stock, inventory->in.arena);
        inventory = base;
    }
}

void fb_inventory_releasep(struct fb_inventory **inventory)
{
    fb_inventory_release(*inventory);
}

struct fb_inventory_slot *fb_inventory_slot_new(struct fb_inventory *first)
{
    struct fb_inventory_slot *slot = calloc(1, sizeof *slot);

    if (slot == NULL)
        return NULL;
    if (pthread_mutex_init(&slot->lock, NULL) != 0) {
        free(slot);
        return NULL;
    }
    fb_deadline_init(&slot->changed);
    fb_inventory_slot_put(slot, first);
    return slot;
}

void fb_inventory_slot_free(struct fb_inventory_slot *slot)
{
    if (slot == NULL)
        return;
    fb_inventory_release(slot->current);
    (void)pthread_cond_destroy(&slot->changed);
    (void)pthread_mutex_destroy(&slot->lock);
    free(slot);
}

void fb_inventory_slot_freep(struct fb_inventory_slot **slot)
{
    fb_inventory_slot_free(*slot);
}

struct fb_inventory *fb_inventory_slot_get(struct fb_inventory_slot *slot)
{
    struct fb_inventory *held;

    (void)pthread_mutex_lock(&slot->lock);
    held = fb_inventory_hold(slot->current);
    (void)pthread_mutex_unlock(&slot->lock);
    return held;
}

struct fb_inventory *fb_inventory_slot_await(struct fb_inventory_slot *slot, uint64_t generation,
                                             int64_t until_ms)
{
    struct timespec end = fb_deadline_of(until_ms);
    struct fb_inventory *held;
    int st = 0;

    (void)pthread_mutex_lock(&slot->lock);
    while (slot->current->generation == generation && st == 0)
        st = pthread_cond_timedwait(&slot->changed, &slot->lock, &end);
    held = fb_inventory_hold(slot->current);
    (void)pthread_mutex_unlock(&slot->lock);
    return held;
}

void fb_inventory_slot_put(struct fb_inventory_slot *slot, struct fb_inventory *next)
{
    struct fb_inventory *old;

    (void)pthread_mutex_lock(&slot->lock);
    old = slot->current;
    next->generation = ++slot->generations;
    slot->current = next;
    (void)pthread_cond_broadcast(&slot->changed);
    (void)pthread_mutex_unlock(&slot->lock);
    fb_inventory_release(old); /* may free a cluster, so without the lock */
}
