/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_TRANSFER_H
#define FB_HOST_TRANSFER_H

#include "fabricbind/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * HTTP exchanges, one after another, over a connection that is kept between them; by libcurl.
 * Proxies of the environment are not used, redirections not followed. HTTP/2 where it can be had
 * over TLS. Use each in one thread at a time.
 */
struct fb_transfer;

/** Whom to trust and as whom, PEM. Copied. */
struct fb_transfer_trust {
    const char *ca_pem;             /* NULL: the system's */
    const char *cert_pem, *key_pem; /* of the client, both or neither */
    bool insecure;                  /* whatever certificate the server has is taken */
};

/** @trust NULL: the system's. @ret is set on success only, free with fb_transfer_free().
 * FB_ENOMEM. */
enum fb_status fb_transfer_new(const struct fb_transfer_trust *trust, struct fb_transfer **ret,
                               struct fb_error *err) FB_CHECK;
void fb_transfer_free(struct fb_transfer *transfer);
void fb_transfer_freep(struct fb_transfer **transfer);

/** Handed the body in pieces cut anywhere. Anything but FB_OK ends the exchange with that. */
typedef enum fb_status (*fb_transfer_piece)(void *context, unsigned status, const char *bytes,
                                            size_t len, struct fb_error *err);

/** One exchange. Borrowed during it. */
struct fb_exchange {
    const char *method; /* "GET", ... */
    const char *url;
    const char *const *headers; /* lines, NULL behind the last */
    const char *body;           /* NULL: none, but a POST has an empty one */
    size_t len;
    unsigned connect_ms; /* bounds; 0 (not connect_ms): none */
    unsigned whole_ms;
    unsigned idle_ms;        /* no byte for so long */
    const atomic_bool *stop; /* looked at each 150 ms; NULL: never */
    fb_transfer_piece piece;
    void *context;
};

/** What is known of an exchange besides its body. */
struct fb_transfer_end {
    unsigned status;        /* HTTP; 0: none came */
    unsigned retry_after_s; /* 0: not said */
    bool stopped;           /* by stop: the body is not complete */
};

/**
 * @ret_end  always written
 *
 * Returns FB_OK, whatever the status, also when stopped; FB_ENOTFOUND when nobody can be connected
 * to; FB_EIO ("no answer within 60000 ms", "no byte for 60000 ms"); FB_EINPUT for a URL that is
 * none; FB_ENOMEM; what piece returned.
 */
enum fb_status fb_transfer_do(struct fb_transfer *transfer, const struct fb_exchange *exchange,
                              struct fb_transfer_end *ret_end, struct fb_error *err) FB_CHECK;

#endif
