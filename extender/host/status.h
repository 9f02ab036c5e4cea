/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_STATUS_H
#define FB_HOST_STATUS_H

#include "extender.h"
#include "inventory.h"
#include "metrics.h"
#include "server.h"

#include <stdbool.h>

/** What the daemon tells of itself: alive, ready, and its metrics. */
struct fb_status_page;

enum fb_status_verb {
    FB_STATUS_LIVEZ,   /* 200 "ok" */
    FB_STATUS_READYZ,  /* 200 "ok", or 503 and why not */
    FB_STATUS_METRICS, /* Prometheus' text format 0.0.4, gauges made fresh */
};

/** All borrowed, outliving it. Returns NULL when out of memory. Free with fb_status_page_free(). */
struct fb_status_page *fb_status_page_new(struct fb_inventory_slot *slot,
                                          struct fb_extender *extender, struct fb_metrics *metrics);
void fb_status_page_free(struct fb_status_page *page);
void fb_status_page_freep(struct fb_status_page **page);

/** Before it is asked: not ready as long as @ready says false, besides what the inventory says. */
void fb_status_page_await(struct fb_status_page *page, bool (*ready)(void *context), void *context);

/** From now on it is not ready: it shuts down. */
void fb_status_page_shut(struct fb_status_page *page);

/** A route's context is the page, its number an enum fb_status_verb. */
extern const struct fb_handler fb_status_handler;

#endif
