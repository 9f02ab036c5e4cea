/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_EXTENDER_H
#define FB_HOST_EXTENDER_H

#include "inventory.h"
#include "metrics.h"
#include "server.h"

/** The handler of Volcano's verbs: decode, decide, answer. Holds the ledger. */
struct fb_extender;

/**
 * @slot, @metrics  borrowed, outlive it
 * @ret             set on success only; free with fb_extender_free() once no request is under way
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_extender_new(struct fb_inventory_slot *slot, struct fb_metrics *metrics,
                               struct fb_extender **ret, struct fb_error *err) FB_CHECK;
void fb_extender_free(struct fb_extender *extender);
void fb_extender_freep(struct fb_extender **extender);

/** A route's context is the extender, its number FB_EXTENDER_ROUTE(). Every answer is 200 and of
 * the dialect, whatever came. */
extern const struct fb_handler fb_extender_handler;

#define FB_EXTENDER_ROUTE(verb, dialect) ((int)(verb) | ((int)(dialect) << 8))

/** Set the gauges of the ledger. */
void fb_extender_measure(struct fb_extender *extender);

#endif
