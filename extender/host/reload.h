/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_RELOAD_H
#define FB_HOST_RELOAD_H

#include "inventory.h"
#include "live.h"
#include "options.h"

#include <stdbool.h>

/** Reads configuration, policies and snapshot anew, in a thread of its own, when asked. What is
 * good takes the old one's place; what is bad is logged in one line, and the old one stays. */
struct fb_reload;

/**
 * Start the thread, which inherits the caller's signal mask.
 *
 * @options  borrowed, outlives it
 * @slot     borrowed, outlives it; what is in it now tells with which addresses and limits the
 *           servers run: a reload cannot change those, and warns
 * @live     tells the objects, borrowed, outlives it: policies and configuration alone are read and
 *           handed to it; NULL: there is none
 * @ret      set on success only; end with fb_reload_stop()
 *
 * Returns FB_OK; FB_ENOMEM; FB_EIO.
 */
enum fb_status fb_reload_start(const struct fb_options *options, struct fb_inventory_slot *slot,
                               struct fb_live *live, struct fb_reload **ret,
                               struct fb_error *err) FB_CHECK;

/** Read anew; once more afterwards when it is reading just now. Does not wait. */
void fb_reload_ask(struct fb_reload *reload);

/**
 * End the thread and free @reload. NULL is fine.
 *
 * Returns whether it has ended within @wait_ms. If not it is still reading, which may take long,
 * and uses what it was started with: nothing of that may be freed, the process is to end without.
 */
bool fb_reload_stop(struct fb_reload *reload, unsigned wait_ms) FB_CHECK;

/** A notice of fb_load_with() as a line of the log. */
void fb_reload_notice(void *context, const char *text);

#endif
