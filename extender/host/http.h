/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_HTTP_H
#define FB_HOST_HTTP_H

#include "fabricbind/error.h"

#include <stddef.h>

/** An HTTP client over libcurl: one connection that is kept between requests. */

/** Bounds; 0: the default. */
struct fb_http_limits {
    unsigned connect_ms; /* 5000 */
    unsigned request_ms; /* connecting included, 60000 */
    size_t answer_bytes; /* 64 MiB */
};

/** What came back. Borrowed until the next request of the same connection. */
struct fb_http_reply {
    unsigned status;  /* 200, ... */
    const char *body; /* NUL-ended, never NULL */
    size_t len;
};

struct fb_http;

/**
 * A connection yet to be made. Make them in one thread; use each in one thread at a time.
 *
 * @base    "http://127.0.0.1:9712", also https; a '/' at the end counts for nothing; copied
 * @limits  copied; NULL: all defaults
 * @ret     set on success only; free with fb_http_free()
 *
 * Returns FB_OK; FB_EINPUT for what is no such URL; FB_ENOMEM.
 */
enum fb_status fb_http_new(const char *base, const struct fb_http_limits *limits,
                           struct fb_http **ret, struct fb_error *err) FB_CHECK;
void fb_http_free(struct fb_http *http);
void fb_http_freep(struct fb_http **http);

/**
 * POST @len bytes of JSON to @path ("/volcano/predicate") and wait for the answer. Proxies of the
 * environment are not used, redirections not followed.
 *
 * Returns FB_OK, whatever the status; FB_ENOTFOUND when nobody can be connected to; FB_EIO for an
 * exchange that failed ("http://127.0.0.1:9712/livez: no answer within 60000 ms"); FB_ELIMIT for
 * an answer over answer_bytes; FB_EINPUT for a URL that is none; FB_ENOMEM.
 */
enum fb_status fb_http_post(struct fb_http *http, const char *path, const char *body, size_t len,
                            struct fb_http_reply *ret, struct fb_error *err) FB_CHECK;

#endif
