/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SERVER_LISTEN_H
#define FB_HOST_SERVER_LISTEN_H

#include "fabricbind/error.h"

/**
 * A listening TCP socket at @address, "host:port" or "[IPv6]:port", not blocking; the caller
 * closes @ret_fd. Port 0 takes a free one, told by @ret_port.
 *
 * Returns FB_OK; FB_EINPUT for an address that is none; FB_EIO; each text starts with @address.
 */
enum fb_status fb_listen_open(const char *address, int *ret_fd, unsigned *ret_port,
                              struct fb_error *err) FB_CHECK;

#endif
