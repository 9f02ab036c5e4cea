/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_EVENTS_RECENT_H
#define FB_HOST_EVENTS_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FB_EVENTS_RECENT 512 /* remembered; beyond them the one told longest ago is forgotten */

/** An Event that was sent. */
struct fb_event_entry {
    uint64_t hash;   /* fb_event_hash() */
    int64_t window;  /* with which it was named */
    unsigned count;  /* times it was told; 0: the place is free */
    int64_t told_ms; /* the last time */
    int64_t sent_ms; /* when the API server was told the last time */
};

/** What was told lately. Starts as {.alive_ms}. For one thread. */
struct fb_events_recent {
    int64_t alive_ms; /* forgotten when not told for so long */
    struct fb_event_entry at[FB_EVENTS_RECENT];
};

/** NULL when it was not sent, or is forgotten. Borrowed until the next add. */
struct fb_event_entry *fb_events_recent_find(struct fb_events_recent *recent, uint64_t hash,
                                             int64_t now_ms);

/** Remember what was sent now, for the first time. */
void fb_events_recent_add(struct fb_events_recent *recent, uint64_t hash, int64_t window,
                          int64_t now_ms);

/** So many at once, and then some each second. Starts with {.most, .each_s, .left = .most}. */
struct fb_events_bucket {
    double most, each_s;
    double left;
    int64_t filled_ms;
};

/** Take one out; false when it is empty. */
bool fb_events_bucket_take(struct fb_events_bucket *bucket, int64_t now_ms);

#endif
