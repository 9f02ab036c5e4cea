/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_TLS_H
#define FB_HOST_TLS_H

#include "fabricbind/error.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Certificates by OpenSSL: an authority and what it signs, ECDSA over P-256, and what a PEM that
 * was made elsewhere is worth. Times are seconds since 1970. Safe for many threads.
 */

/** A certificate, or a chain of them, with its private key. Texts malloc'd, NULL when empty. */
struct fb_tls_pair {
    char *cert_pem, *key_pem;
};

/** The key is overwritten before it is given back. */
void fb_tls_pair_fini(struct fb_tls_pair *pair);

#define FB_TLS_BACKDATE_S 3600 /* certificates are valid from so long before they are made */
#define FB_TLS_AUTHORITIES 8   /* the most in a bundle */
#define FB_TLS_PEM_BYTES ((size_t)64 * 1024) /* the most of one PEM that is read */

/** When a certificate is valid. */
struct fb_tls_life {
    int64_t begins_s, ends_s;
};

/**
 * Make an authority that signs nothing but servers' certificates, valid for @days.
 *
 * @ret  empty before; to be ended by fb_tls_pair_fini(), also after a failure
 *
 * Returns FB_OK; FB_EIO with OpenSSL's reason; FB_ENOMEM.
 */
enum fb_status fb_tls_make_authority(int64_t now_s, int64_t days, struct fb_tls_pair *ret,
                                     struct fb_error *err) FB_CHECK;

/**
 * Make a server's certificate, signed by @authority, valid for @days and no longer than it.
 *
 * @names  DNS names and IP addresses of the server, at least one
 *
 * Returns as above, and FB_EINPUT for a name that is neither, or an authority that cannot be read.
 */
enum fb_status fb_tls_make_server(const struct fb_tls_pair *authority, const struct fb_texts *names,
                                  int64_t now_s, int64_t days, struct fb_tls_pair *ret,
                                  struct fb_error *err) FB_CHECK;

/** The life of the first certificate in @cert_pem. FB_OK; FB_EINPUT; FB_ENOMEM. */
enum fb_status fb_tls_read_life(const char *cert_pem, struct fb_tls_life *ret,
                                struct fb_error *err) FB_CHECK;

/** What a server's certificate is held against. */
struct fb_tls_demand {
    const char *bundle_pem;       /* the authorities that are trusted; NULL: any */
    const struct fb_texts *names; /* that it must cover; NULL: any */
    int64_t now_s;
};

/**
 * Can a server show @pair: is the key that of the first certificate, does @demand hold.
 *
 * Returns FB_OK; FB_EINPUT in one line ("key: is not that of the certificate", "certificate:
 * certificate has expired", "certificate: is not for fabricbind-admission.fabricbind.svc");
 * FB_ENOMEM.
 */
enum fb_status fb_tls_check(const struct fb_tls_pair *pair, const struct fb_tls_demand *demand,
                            struct fb_error *err) FB_CHECK;

/**
 * The certificates of @first, then those of @second that are not among them and have not ended,
 * FB_TLS_AUTHORITIES at most: those at the end are left out. Anything else in them is left out,
 * too. NULL counts as "".
 *
 * @ret  PEM of the caller's to free(); "" when there is none
 *
 * Returns FB_OK; FB_EINPUT when @first is no PEM of certificates (of such a @second nothing is
 * taken); FB_ENOMEM.
 */
enum fb_status fb_tls_join(const char *first, const char *second, int64_t now_s, char **ret,
                           struct fb_error *err) FB_CHECK;

#endif
