/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SERVE_H
#define FB_HOST_SERVE_H

#include "options.h"

/**
 * The daemon: read what there is, answer schedulers, and tell of it until a signal ends it.
 *
 * SIGHUP reads configuration, policies and snapshot anew. SIGTERM and SIGINT end it: it is no
 * longer ready, answers the requests under way, and is gone within 5 s; a second one ends it at
 * once. What happens stands in the log, on standard error.
 *
 * @options  of the command serve; snapshot may be NULL
 *
 * Returns the exit code: FB_EXIT_YES; FB_EXIT_USAGE when it cannot start.
 */
int fb_serve(const struct fb_options *options);

#endif
