/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_EVENTS_H
#define FB_HOST_EVENTS_H

#include "apiserver.h"

#include "fabricbind/event.h"

#include <stddef.h>

/**
 * Events for people, sent by a thread of their own: telling one never waits for the network.
 *
 * The same object and reason within 10 minutes of the last time is one Event, whose count is
 * brought up to date at most once a minute. Not more than 25 are sent at once and then one a
 * second; what is beyond is left out and counted, and may be told again. Nothing is tried again.
 * events_total{result} counts each one told once: sent, repeated (the count was brought up to
 * date), merged (only counted, or told already by another replica), limited, dropped (the queue was
 * full, or it is no Event), failed.
 */
struct fb_events;

/** Bounds; 0: the default. */
struct fb_events_limits {
    size_t queued;     /* 256 */
    unsigned burst;    /* 25 */
    double each_s;     /* 1 */
    unsigned alive_ms; /* 600000 */
    unsigned again_ms; /* 60000, between two words on one Event */
    unsigned call_ms;  /* 3000 */
};

/**
 * Start the thread.
 *
 * @server   borrowed, must outlive this
 * @metrics  the same; NULL: not counted
 * @limits   copied; NULL: all defaults
 * @ret      set on success only; end it with fb_events_stop()
 *
 * Returns FB_OK; FB_ENOMEM; FB_EIO when there can be no thread.
 */
enum fb_status fb_events_new(struct fb_apiserver *server, struct fb_metrics *metrics,
                             const struct fb_events_limits *limits, struct fb_events **ret,
                             struct fb_error *err) FB_CHECK;

/** Hand over @event, which is copied. Safe for many threads; never waits. NULL for @events is
 * fine: nobody listens. */
void fb_events_tell(struct fb_events *events, const struct fb_event *event);

/** Wait for the call that is under way, at most call_ms, drop what is queued and free. NULL is
 * fine. */
void fb_events_stop(struct fb_events *events);

#endif
