/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_LIVE_H
#define FB_HOST_LIVE_H

#include "apiserver.h"
#include "inventory.h"
#include "metrics.h"
#include "watch.h"

#include <stdbool.h>

/**
 * The inventory as an API server tells it. A thread a collection follows nodes, pods, namespaces,
 * pod groups and the owners of gangs into a store; one more builds inventories of it and puts them
 * into the slot, so that readers never wait for the network: when anything changed, at once where
 * building is quick, else with pauses. What changes is in the slot within a second, as long as an
 * inventory takes less than 400 ms to build; 5,000 nodes and 50,000 pods take about 200 ms.
 *
 * Before all collections were listed once the slot has an inventory without objects: half a
 * cluster would look free. When the API server is down the last inventory stays.
 */
struct fb_live;

/**
 * Start all threads, which inherit the caller's signal mask.
 *
 * @server   borrowed, outlives it
 * @slot     borrowed, outlives it; policies and configuration are those of what is in it now, and
 *           it has a live inventory when this returns
 * @metrics  borrowed, outlives it
 * @pace     borrowed, outlives it; NULL: the usual
 * @ret      set on success only; end with fb_live_stop()
 *
 * Returns FB_OK; FB_ENOMEM; FB_EIO. On failure the slot may have an inventory without objects.
 */
enum fb_status fb_live_start(struct fb_apiserver *server, struct fb_inventory_slot *slot,
                             struct fb_metrics *metrics, const struct fb_watch_pace *pace,
                             struct fb_live **ret, struct fb_error *err) FB_CHECK;

/**
 * Policies and configuration were read anew: inventories are built on @base from now on, the next
 * one at once.
 *
 * @base  without objects; the caller's hold is taken over
 */
void fb_live_rebase(struct fb_live *live, struct fb_inventory *base);

/** Were all collections listed once. */
bool fb_live_synced(struct fb_live *live);

/**
 * End all threads and free @live. NULL is fine. Inventories stay.
 *
 * Returns whether they have ended within @wait_ms; it takes some 200 ms. If not, what they were
 * started with is still used: nothing of that may be freed, the process is to end without.
 */
bool fb_live_stop(struct fb_live *live, unsigned wait_ms) FB_CHECK;

#endif
