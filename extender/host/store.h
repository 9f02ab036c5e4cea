/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_STORE_H
#define FB_HOST_STORE_H

#include "fabricbind/objects.h"
#include "fabricbind/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * The objects of a cluster as they are told one by one, each in a small piece of memory of its own
 * that inventories share: those hold what they were built of. Objects are told apart by kind,
 * namespace and name. Safe for many threads; a call takes as long as another one's filling, and
 * never waits for the network.
 */
struct fb_store;

/** Objects of one kind at most; 0: no bound. */
struct fb_store_limits {
    size_t nodes;
    size_t pods; /* of other kinds likewise, each */
};

/** @limits copied. NULL when out of memory. Free with fb_store_free(). */
struct fb_store *fb_store_new(const struct fb_store_limits *limits);

/** What stocks still hold is freed with the last of them. NULL is fine. */
void fb_store_free(struct fb_store *store);
void fb_store_freep(struct fb_store **store);

void fb_store_limit(struct fb_store *store, const struct fb_store_limits *limits);

/**
 * Keep a copy of @object in place of the one of the same name. A pod that has run to its end is
 * dropped instead, and so is a batch Job or StatefulSet whose pods ask for no device, of which a
 * cluster may have very many. Of a pod the annotations with NCCL's files are left out.
 *
 * @ret_changed  whether anything is other than before
 *
 * Returns FB_OK; FB_ELIMIT ("more than 20000 nodes"); FB_ENOMEM. What was there stays then.
 */
enum fb_status fb_store_put(struct fb_store *store, const struct fb_object *object,
                            bool *ret_changed, struct fb_error *err) FB_CHECK;

/** Whether there was one. @uid "": whichever. */
bool fb_store_drop(struct fb_store *store, enum fb_kind kind, const char *space, const char *name,
                   const char *uid);

/** A list of all objects of @kind begins: fb_store_put() and fb_store_keep() note who is told. */
void fb_store_list(struct fb_store *store, enum fb_kind kind);

/** This one is told, though nothing of it can be read: what is known of it stays. */
void fb_store_keep(struct fb_store *store, enum fb_kind kind, const char *space, const char *name);

/** The list is complete: drop what it did not tell. Returns how many. */
size_t fb_store_listed(struct fb_store *store, enum fb_kind kind);

/** How many objects of @kind there are. */
size_t fb_store_len(struct fb_store *store, enum fb_kind kind);

/** How many different pods there are but for what is their own, as node and name are. */
size_t fb_store_pieces(struct fb_store *store);

/** The objects of one moment, held. */
struct fb_stock;

/**
 * Put all objects into @ret, which is zeroed before: arrays in @arena, sorted where snapshot.h says
 * so, and what they point at in the pieces that the stock holds.
 *
 * @ret_stock  to be given back with fb_stock_release() when @ret is used no more
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_store_fill(struct fb_store *store, struct fb_arena *arena,
                             struct fb_snapshot *ret, struct fb_stock **ret_stock) FB_CHECK;

/**
 * The stock is used no more, and neither is @arena, which may be NULL. Does not wait: both are
 * freed by the next fb_store_fill() or fb_store_tidy(), or at once when the store is gone.
 */
void fb_stock_release(struct fb_stock *stock, struct fb_arena *arena);

/** Free what was released. */
void fb_store_tidy(struct fb_store *store);

#endif
