/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SERVER_EXCHANGE_H
#define FB_HOST_SERVER_EXCHANGE_H

#include "server.h"

#include <time.h>

#define FB_ALLOW_SIZE 64

/** What all exchanges of a server share. */
struct fb_site {
    const struct fb_route *routes;
    size_t routes_len;
    size_t body_bytes;
    fb_server_told told; /* may be NULL */
    void *told_context;
    _Atomic uint64_t last_id;
};

/** What is known of a request when its headers are in. */
struct fb_request_head {
    const char *method, *path;
    const char *length;  /* Content-Length, checked; NULL: none */
    size_t header_bytes; /* request line and headers */
    size_t header_lines;
};

/**
 * A request and its answer, whatever they come over. Calls in order: open; head; feed, any number;
 * finish; close. After open each of the others may be missing, but close.
 */
struct fb_exchange {
    struct fb_site *site;
    struct fb_request request;
    char *query;       /* owned; NULL: "" */
    void *state;       /* the handler's; ours to end where it is not NULL */
    enum fb_status st; /* why the handler is not fed */
    bool has_head;
    unsigned refused; /* the server's own answer: 404, 405, 431; 0: the handler's */
    unsigned status;  /* that was answered; 0: none yet */
    struct timespec began;
    char allow[FB_ALLOW_SIZE]; /* of 405 */
    struct fb_error err;
};

/** The request line is in: @uri is its target, with the query. */
void fb_exchange_open(struct fb_exchange *exchange, struct fb_site *site, const char *uri);

/** False when it is to be answered at once, with no body read. */
bool fb_exchange_head(struct fb_exchange *exchange, const struct fb_request_head *head) FB_CHECK;

void fb_exchange_feed(struct fb_exchange *exchange, const char *bytes, size_t len);

/** The body is in. @ret is to be sent, with allow as a header where it is not "". */
void fb_exchange_finish(struct fb_exchange *exchange, struct fb_answer *ret);

/** The body did not come in @ms: what is to be sent instead of the answer. */
void fb_exchange_late(struct fb_exchange *exchange, unsigned ms, struct fb_answer *ret);

/** Answered or not, it is over. */
void fb_exchange_close(struct fb_exchange *exchange);

#endif
