/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SERVE_SIGNALS_H
#define FB_HOST_SERVE_SIGNALS_H

/**
 * The daemon's signals: SIGHUP reloads, SIGTERM and SIGINT end it. In this order: begin while it
 * starts (an end is at once, a reload waits), hold before it has threads, wait in the main one,
 * release when it ends (again an end is at once). At once means exit status 128 and the signal's
 * number, also where the process is the first of its container and has no default action.
 */
void fb_serve_signals_begin(void);
void fb_serve_signals_hold(void);
void fb_serve_signals_release(void);

/** The next signal. */
int fb_serve_signals_wait(void);

#endif
