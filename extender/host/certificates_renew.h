/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_CERTIFICATES_RENEW_H
#define FB_HOST_CERTIFICATES_RENEW_H

#include "fabricbind/secret.h"

#include <stdbool.h>
#include <stdint.h>

/** Keys of the Secret: the authorities that are trusted, the current one first, and its private
 * key; the server's certificate and its key; what profiles are signed with, and its public part. */
#define FB_SECRET_AUTHORITIES "ca.crt"
#define FB_SECRET_AUTHORITY_KEY "ca.key"
#define FB_SECRET_CERT "tls.crt"
#define FB_SECRET_KEY "tls.key"
#define FB_SECRET_SIGNING_KEY "signing.key"
#define FB_SECRET_SIGNING_PUBLIC "signing.pub"

/** What a Secret must hold. */
struct fb_renew_terms {
    bool wants_cert;              /* else only the key for signing is looked after */
    const struct fb_texts *names; /* of the server */
    int64_t now_s, authority_days, days;
    const char *known; /* authorities that were trusted till now; NULL: none */
};

/**
 * Make anew in @secret what is absent, broken, or older than two thirds of its life.
 *
 * A new authority makes a new certificate; those trusted before stay behind it, so that who shows
 * an older certificate is trusted until it has read this one. They go with the next certificate
 * that the same authority signs.
 *
 * @ret_why  its text is why something was made, in one line without secrets; "": nothing was
 *
 * Returns FB_OK; FB_EIO; FB_ENOMEM. @secret is as before on failure.
 */
enum fb_status fb_certificates_renew(struct fb_arena *arena, struct fb_secret *secret,
                                     const struct fb_renew_terms *terms, struct fb_error *ret_why,
                                     struct fb_error *err) FB_CHECK;

#endif
