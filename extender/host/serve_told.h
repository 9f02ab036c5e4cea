/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SERVE_TOLD_H
#define FB_HOST_SERVE_TOLD_H

#include "server.h"

/** A fb_server_told: @context is a struct fb_metrics, in which the request is counted; those who
 * debug see it in the log. */
void fb_serve_told(void *context, const struct fb_request *request, unsigned status,
                   double seconds);

#endif
