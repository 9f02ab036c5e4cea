/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_TLS_CLIENT_H
#define FB_TESTS_TLS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A client of OpenSSL's, independent of the server's GnuTLS. All waits end after 20 s. */
struct tls_client {
    void *context, *session;
    int fd;
    bool garbled; /* something came that is no TLS */
};

/** What a client insists on. */
struct tls_demand {
    const char *bundle_pem; /* authorities that are trusted */
    const char *name;       /* that the certificate is for */
    int version;            /* the only one that is spoken, 12 for TLS 1.2; 0: any */
    int64_t now_s;          /* when it is, since 1970; 0: now */
};

/** Connect to 127.0.0.1 and shake hands; false when either fails: nothing is to be closed then. */
bool tls_connect(struct tls_client *client, unsigned port, const struct tls_demand *demand);
void tls_close(struct tls_client *client);

/** Send @text, all of it; false when the connection is gone. */
bool tls_send(struct tls_client *client, const char *text);

/** Read one answer whole; returns its status, 0 where the connection ended before. The body, cut at
 * @size, goes to @body when that is not NULL. */
unsigned tls_read(struct tls_client *client, char *body, size_t size);

#endif
