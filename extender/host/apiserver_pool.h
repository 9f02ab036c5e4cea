/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_APISERVER_POOL_H
#define FB_HOST_APISERVER_POOL_H

#include "credentials.h"

#include <stdatomic.h>

#define FB_API_BUSY 64 /* connections in use at once */
#define FB_API_IDLE 8  /* kept between calls */

/** A connection out of the pool. */
struct fb_api_link {
    struct fb_transfer *transfer;
    uint64_t trust;
};

/** Connections to one server. Safe for many threads. */
struct fb_api_pool;

/** @credentials is borrowed and must outlive the pool. NULL: out of memory. */
struct fb_api_pool *fb_api_pool_new(struct fb_credentials *credentials);
/** When all links are given back. NULL is fine. */
void fb_api_pool_free(struct fb_api_pool *pool);

/**
 * Take a connection that is kept, or make one. Those of another trust are given up.
 *
 * @wait_ms  how long to wait while FB_API_BUSY are in use
 * @stop     NULL, or ends the waiting when true, with FB_ELIMIT
 *
 * Returns FB_OK; FB_ELIMIT; FB_ENOMEM.
 */
enum fb_status fb_api_pool_take(struct fb_api_pool *pool, uint64_t trust, unsigned wait_ms,
                                const atomic_bool *stop, struct fb_api_link *ret,
                                struct fb_error *err) FB_CHECK;

/** Give back what take gave. */
void fb_api_pool_give(struct fb_api_pool *pool, struct fb_api_link *link);

#endif
