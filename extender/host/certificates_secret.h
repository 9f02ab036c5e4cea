/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_CERTIFICATES_SECRET_H
#define FB_HOST_CERTIFICATES_SECRET_H

#include "apiserver.h"
#include "certificates_renew.h"

/** The Secret that all replicas share, kept by compare-and-swap. */

/** Which one. Borrowed. */
struct fb_secret_place {
    struct fb_apiserver *server;
    const char *space, *name;
};

/**
 * Read it; where it lacks something by @terms, make that and write it. Who is overtaken by another
 * replica reads again, and takes what that one has made.
 *
 * @ret       what the API server has now, in @arena; also on failure, when it could be read but
 *            not be written: its metadata is NULL when there is nothing
 * @ret_why   why it was written, by this replica; "" when it was not
 *
 * Returns FB_OK; FB_EIO with the Secret's name and what the API server said; FB_ENOMEM.
 */
enum fb_status fb_certificates_keep(const struct fb_secret_place *place, struct fb_arena *arena,
                                    const struct fb_renew_terms *terms, struct fb_secret *ret,
                                    struct fb_error *ret_why, struct fb_error *err) FB_CHECK;

#endif
