/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_GATHER_H
#define FB_HOST_GATHER_H

#include "fabricbind/error.h"

#include <stddef.h>

/** Bytes that come in pieces, put together up to a limit. Starts as {.most = limit}. */
struct fb_gather {
    char *at; /* owned; NUL-ended once something was added, be it nothing */
    size_t len, size;
    size_t most; /* bytes */
};

/** FB_ELIMIT ("answer of more than 9 bytes") or FB_ENOMEM: what was there stays. */
enum fb_status fb_gather_add(struct fb_gather *gather, const char *bytes, size_t len,
                             struct fb_error *err) FB_CHECK;

/** As much of it as the limit lets in. */
enum fb_status fb_gather_some(struct fb_gather *gather, const char *bytes, size_t len,
                              struct fb_error *err) FB_CHECK;

void fb_gather_fini(struct fb_gather *gather);

#endif
