/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_TICKER_H
#define FB_HOST_TICKER_H

#include "fabricbind/error.h"

#include <stdint.h>

/** A thread that does the same again and again: at once, then whenever a period is over or somebody
 * asks for it. */
struct fb_ticker;

/**
 * Start the thread, which inherits the caller's signal mask.
 *
 * @period_ms  from the end of one turn to the beginning of the next
 * @turn       called by the thread with @context, both borrowed
 *
 * Returns FB_OK; FB_ENOMEM; FB_EIO when there is no thread to be had.
 */
enum fb_status fb_ticker_start(unsigned period_ms, void (*turn)(void *context), void *context,
                               struct fb_ticker **ret, struct fb_error *err) FB_CHECK;

/** A turn now, or one more right behind that which is under way. Does not wait. NULL is fine. */
void fb_ticker_wake(struct fb_ticker *ticker);

/** How many turns have ended; for tests. */
uint64_t fb_ticker_turns(struct fb_ticker *ticker);

/** Wait for the turn that is under way, end the thread and free. NULL is fine. */
void fb_ticker_stop(struct fb_ticker *ticker);

#endif
