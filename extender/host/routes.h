/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_ROUTES_H
#define FB_HOST_ROUTES_H

#include "server.h"

#include <stddef.h>

/** All that is served, in one table; see design: Routes, answers, wirings. */

/** The daemon's servers, each with an address of its own. */
enum fb_listener {
    FB_LISTENER_EXTENDER,  /* for the schedulers */
    FB_LISTENER_ADMISSION, /* for the API server */
    FB_LISTENER_METRICS,   /* for people, probes and Prometheus */
    FB_LISTENERS,
};

/** "extender", "admission", "metrics". */
const char *fb_listener_name(enum fb_listener listener);

#define FB_ROUTES_MOST 32

/**
 * The routes of @listener into @ret; returns how many.
 *
 * @context  of all of them: the struct fb_extender, the struct fb_admission, the struct
 *           fb_status_page
 */
size_t fb_routes_make(enum fb_listener listener, void *context,
                      struct fb_route ret[FB_ROUTES_MOST]);

#endif
