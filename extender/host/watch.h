/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_WATCH_H
#define FB_HOST_WATCH_H

#include "apiserver.h"
#include "metrics.h"
#include "store.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * One collection of the API server, followed into a store by a thread of its own: listed in pages,
 * then watched from there on with bookmarks. A watch that has expired (410) lists anew; what fails
 * is tried again after half a second, doubled each time up to 30 s, with jitter. A collection that
 * is not served (404), or that was never allowed (403), is empty, and asked for again each minute;
 * those of the core API, nodes and pods among them, have to be there.
 * Source: Kubernetes API concepts, "Efficient detection of changes" and "Retrieving large results
 * sets in chunks".
 */

/** What is followed; all constant. */
struct fb_collection {
    const char *name; /* for people: "pods" */
    enum fb_kind kind;
    const char *paths[2]; /* by version of the API; the first that is served */
    const char *filter;   /* of the query, escaped, with "&" in front; "" */
};

/** Times in milliseconds. */
struct fb_watch_pace {
    unsigned backoff_ms, backoff_most_ms;
    unsigned absent_ms; /* until what is not served is asked for again */
    unsigned timeout_s; /* of one watch, about */
    unsigned idle_ms;   /* without a byte, also without a bookmark */
    unsigned page;      /* objects of a page */
};

/** As above: 500, 30000, 60000, 300 s, 90000, 500. */
extern const struct fb_watch_pace fb_watch_pace_usual;

/** Who is told; called by the watch's thread, must not wait. */
struct fb_watch_listener {
    void *context;
    void (*changed)(void *context); /* the store, or whether it is synced */
    void (*ended)(void *context);   /* the last that the thread does */
};

struct fb_watch;

/** What a watch works with; all that is pointed at is borrowed and outlives it. */
struct fb_watch_ground {
    struct fb_apiserver *server;
    struct fb_store *store;
    struct fb_metrics *metrics;
    const struct fb_watch_pace *pace;
    struct fb_watch_listener listener;
};

/**
 * Start the thread, which inherits the caller's signal mask.
 *
 * @collection  borrowed, outlives it
 * @ground      copied
 * @ret         set on success only; end with fb_watch_stop(), then fb_watch_free()
 *
 * Returns FB_OK; FB_ENOMEM; FB_EIO.
 */
enum fb_status fb_watch_start(const struct fb_collection *collection,
                              const struct fb_watch_ground *ground, struct fb_watch **ret,
                              struct fb_error *err) FB_CHECK;

/** Let the thread end, which takes some 200 ms. Does not wait. NULL is fine. */
void fb_watch_stop(struct fb_watch *watch);

/** Wait for the thread's end and free. NULL is fine. */
void fb_watch_free(struct fb_watch *watch);

/** Was all of it listed once, or is it known that there is nothing to list. */
bool fb_watch_synced(const struct fb_watch *watch);

/** When the API server last said something of it, by fb_inventory_clock_ms(); INT64_MAX while it is
 * not served or not allowed, 0 before the first word. */
int64_t fb_watch_heard_ms(const struct fb_watch *watch);

#endif
