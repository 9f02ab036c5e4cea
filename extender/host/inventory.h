/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_INVENTORY_H
#define FB_HOST_INVENTORY_H

#include "load.h"
#include "store.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * What the daemon knows, as read at one moment: policies, configuration, objects and the cluster
 * built from them. Immutable once it is in a slot and shared by threads, who count as holders;
 * nobody takes memory of in.arena, also not by way of in.cluster.arena.
 */
struct fb_inventory {
    struct fb_inputs in;
    bool has_snapshot;         /* objects were read; else they are none and the cluster is empty */
    bool live;                 /* an API server tells the objects */
    bool synced;               /* live: all kinds of objects were told once */
    _Atomic int64_t read_ms;   /* by fb_inventory_clock_ms(): when reading began; live: when the API
                            server   was last heard */
    struct fb_inventory *base; /* live: whose policies and configuration these are, held */
    struct fb_stock *stock;    /* live: what the objects lie in */
    uint64_t generation;       /* 1, 2, ... in the order in which the slot got them */
    _Atomic size_t holders;
};

/** Milliseconds of CLOCK_BOOTTIME, which no one sets and which runs on in standby. */
int64_t fb_inventory_clock_ms(void);

/**
 * Read policies, configuration and, with --snapshot, objects.
 *
 * @notice  told what is missing or left out
 * @ret     with one holder, the caller; set on success only
 *
 * Returns as fb_load().
 */
enum fb_status fb_inventory_read(const struct fb_options *options, fb_load_notice notice,
                                 void *context, struct fb_inventory **ret,
                                 struct fb_error *err) FB_CHECK;

/**
 * Build an inventory of what is in @store now, with policies and configuration of @base.
 *
 * @base   held by @ret
 * @store  NULL: no objects
 * @ret    live, with one holder, the caller; synced and read_ms are for the caller to set
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_inventory_build(struct fb_inventory *base, struct fb_store *store,
                                  struct fb_inventory **ret, struct fb_error *err) FB_CHECK;

/** One holder more. Returns @inventory. */
struct fb_inventory *fb_inventory_hold(struct fb_inventory *inventory);

/** One holder less; the last one frees, or leaves that to the store it is built of. NULL is fine.
 */
void fb_inventory_release(struct fb_inventory *inventory);
void fb_inventory_releasep(struct fb_inventory **inventory);

/** Where the current inventory is found; safe for many threads. */
struct fb_inventory_slot;

/** @first: the slot takes over the caller's hold. NULL when out of memory, @first is then still the
 * caller's. Free with fb_inventory_slot_free(). */
struct fb_inventory_slot *fb_inventory_slot_new(struct fb_inventory *first);
void fb_inventory_slot_free(struct fb_inventory_slot *slot);
void fb_inventory_slot_freep(struct fb_inventory_slot **slot);

/** The current inventory, never NULL, held for the caller: fb_inventory_release() it. */
struct fb_inventory *fb_inventory_slot_get(struct fb_inventory_slot *slot);

/**
 * Wait until there is another one than the one of @generation, at most until @until_ms by
 * fb_inventory_clock_ms(). Returns the current one, held, which after that time may be the same.
 */
struct fb_inventory *fb_inventory_slot_await(struct fb_inventory_slot *slot, uint64_t generation,
                                             int64_t until_ms);

/** Put @next in place, taking over the caller's hold; who holds the old one keeps it. */
void fb_inventory_slot_put(struct fb_inventory_slot *slot, struct fb_inventory *next);

#endif
