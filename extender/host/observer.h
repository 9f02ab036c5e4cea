/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_OBSERVER_H
#define FB_HOST_OBSERVER_H

#include "inventory.h"
#include "metrics.h"

#include "fabricbind/event.h"

#include <stddef.h>

/**
 * Looks over the inventory when it has changed, in a thread of its own: what complaint.h tells of
 * gangs and nodes becomes metrics (uninjected_pods, complaints{reason}) and Events.
 *
 * An Event is due when the same was found twice, one round apart, so that what passes by itself (a
 * node that starts, a pod that goes) is not told. In mode observe there are no Events. Nothing is
 * looked at before all objects were told once.
 */
struct fb_observer;

/** Handed each Event that is due, again in every round in which it is: fb_events_tell() merges
 * them. Borrowed during the call. */
typedef void (*fb_observer_tell)(void *context, const struct fb_event *event);

/** Bounds; 0: the default. */
struct fb_observer_limits {
    unsigned every_ms; /* between two rounds at least, 10000 */
    size_t gangs;      /* planned in one round at most, 64; the others in the next ones */
};

/** What it is started with; copied, and what it points at is borrowed and outlives it. */
struct fb_observer_setup {
    struct fb_inventory_slot *slot;
    struct fb_metrics *metrics;
    fb_observer_tell tell; /* called by its thread; NULL: metrics only */
    void *context;         /* handed to tell */
    struct fb_observer_limits limits;
};

/**
 * Start the thread, which inherits the caller's signal mask.
 *
 * @ret  set on success only; end it with fb_observer_stop()
 *
 * Returns FB_OK; FB_ENOMEM; FB_EIO when there can be no thread.
 */
enum fb_status fb_observer_start(const struct fb_observer_setup *setup, struct fb_observer **ret,
                                 struct fb_error *err) FB_CHECK;

/** Wait for the round that is under way, some seconds at most in large clusters; end the thread and
 * free. NULL is fine. */
void fb_observer_stop(struct fb_observer *observer);

#endif
