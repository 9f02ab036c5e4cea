/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_CREDENTIALS_H
#define FB_HOST_CREDENTIALS_H

#include "fabricbind/kubeconfig.h"
#include "metrics.h"
#include "transfer.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * As whom the API server is asked, and by what it is known; of files that are read again when they
 * change. Safe for many threads. Each change and each failure is logged and counted once, without
 * the content.
 */
struct fb_credentials;

/** @access and @metrics (NULL: not counted) are borrowed and must outlive it. Returns FB_OK; what
 * a file that cannot be read gives, with its name; FB_ENOMEM. */
enum fb_status fb_credentials_new(const struct fb_access *access, struct fb_metrics *metrics,
                                  struct fb_credentials **ret, struct fb_error *err) FB_CHECK;
void fb_credentials_free(struct fb_credentials *credentials);
void fb_credentials_freep(struct fb_credentials **credentials);

/** What a call needs. */
struct fb_credentials_now {
    char *line;     /* "Authorization: Bearer ..."; owned, NULL: no token; end it with fini */
    uint64_t trust; /* grows when CA or client certificate change */
};

/** Look at the files, and read all of them when @anew. FB_ENOMEM. */
enum fb_status fb_credentials_look(struct fb_credentials *credentials, bool anew,
                                   struct fb_credentials_now *ret, struct fb_error *err) FB_CHECK;
void fb_credentials_now_fini(struct fb_credentials_now *now);

/** A connection by what is trusted now, and its number. FB_ENOMEM. */
enum fb_status fb_credentials_dial(struct fb_credentials *credentials, struct fb_transfer **ret,
                                   uint64_t *ret_trust, struct fb_error *err) FB_CHECK;

#endif
