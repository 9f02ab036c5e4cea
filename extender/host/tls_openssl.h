/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_TLS_OPENSSL_H
#define FB_HOST_TLS_OPENSSL_H

#include "tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/** What the files that speak to OpenSSL share. Nobody else includes this. */

/** For FB_OWNED(). */
void fb_ossl_bio_freep(BIO **at);
void fb_ossl_key_freep(EVP_PKEY **at);
void fb_ossl_certs_freep(STACK_OF(X509) **at);

/** Returns FB_ENOMEM. */
enum fb_status fb_ossl_no_memory(struct fb_error *err);

/** What the library says of the last call of this thread, behind @what. Returns @st or FB_ENOMEM.
 */
enum fb_status fb_ossl_failed(enum fb_status st, const char *what, struct fb_error *err);

/** What was written to @bio, malloc'd; NULL when out of memory. */
char *fb_ossl_text(BIO *bio);

/** The private key in @pem, which is not encrypted; NULL: see fb_ossl_failed(). */
EVP_PKEY *fb_ossl_key(const char *pem);

/** All certificates in @pem, in order, what else stands there is skipped. NULL when there is none
 * or one is broken: see fb_ossl_failed(). */
STACK_OF(X509) *fb_ossl_certs(const char *pem);

bool fb_ossl_is_address(const char *name);
struct fb_tls_life fb_ossl_life(const X509 *cert);

#endif
