/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SERVER_TLS_H
#define FB_HOST_SERVER_TLS_H

#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * The certificate that a server shows, replaced while it serves: connections that are open go on,
 * each new one is shown the latest. TLS 1.2 or later, by GnuTLS. Safe for many threads.
 */
struct fb_server_tls;

/** What a server hands to GnuTLS through libmicrohttpd; see GnuTLS's manual, "Priority Strings". */
#define FB_SERVER_TLS_PRIORITIES "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

#define FB_SERVER_TLS_CHAIN 8 /* certificates that are sent, the server's own among them */

/** Without a certificate yet. @ret is set on success only. Returns FB_OK; FB_ENOMEM. */
enum fb_status fb_server_tls_new(struct fb_server_tls **ret, struct fb_error *err) FB_CHECK;

/** The servers that it was given to are to be stopped before. NULL is fine. */
void fb_server_tls_free(struct fb_server_tls *tls);
void fb_server_tls_freep(struct fb_server_tls **tls);

/**
 * Show this certificate from now on.
 *
 * @cert_pem  the server's own certificate, then those that signed it; copied
 * @key_pem   its private key, not encrypted; copied
 *
 * Returns FB_OK; FB_EINPUT for what is no such PEM ("certificate: Base64 unexpected header error.")
 * or a key that is another certificate's ("key: is not that of the certificate"); FB_ELIMIT for
 * more than FB_SERVER_TLS_CHAIN certificates; FB_ENOMEM. What was shown before stays on failure.
 */
enum fb_status fb_server_tls_set(struct fb_server_tls *tls, const char *cert_pem,
                                 const char *key_pem, struct fb_error *err) FB_CHECK;

/** The certificate of one connection, which keeps it as long as it lives. */
struct fb_server_identity;

/**
 * For the server, when a connection begins, before its handshake.
 *
 * @session  the gnutls_session_t of the connection
 *
 * Returns what to hand to fb_server_tls_close() at its end; NULL: no certificate has been set yet,
 * the connection is to be cut.
 */
struct fb_server_identity *fb_server_tls_open(struct fb_server_tls *tls, void *session);
void fb_server_tls_close(struct fb_server_identity *identity);

/** What MHD_OPTION_HTTPS_CERT_CALLBACK wants, a gnutls_certificate_retrieve_function2. */
void *fb_server_tls_callback(void);

#endif
