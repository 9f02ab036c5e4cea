/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SERVER_LATE_H
#define FB_HOST_SERVER_LATE_H

#include "server.h"

/**
 * Send @answer over @fd, a socket that is closed next: as much as fits into its buffer now. A peer
 * that is gone is no error. @reason is the text of the status.
 */
void fb_late_send(int fd, const char *reason, const struct fb_answer *answer);

#endif
