/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SERVER_H
#define FB_HOST_SERVER_H

#include "fabricbind/error.h"
#include "server_tls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * HTTP/1.1: requests stream into handlers, answers go out whole, always with Content-Length.
 *
 * What the server answers by itself, as {"error":"..."} in one line: 404 for an unknown path, 405
 * with Allow, 431 for more than 16 KiB or 100 lines of headers, 400 and the like for what is no
 * HTTP. A connection beyond the limit is closed unanswered, and so is one whose headers take too
 * long or whose answer is not taken; with TLS also one whose body takes too long.
 */

/** What is sent back. */
struct fb_answer {
    unsigned status;      /* 200, ...; 0 is sent as 500 */
    const char *type;     /* Content-Type, constant text; NULL: none */
    char *body;           /* malloc'd, the server frees it; NULL: empty, or constant is set */
    const char *constant; /* text that is never freed, sent instead of body */
    size_t len;           /* bytes of body or constant */
};

struct fb_route;

/** One request, as handlers see it. Borrowed during the request. */
struct fb_request {
    const struct fb_route *route; /* in what is told: NULL where no route was found */
    const char *query;            /* what stands behind '?', as it was sent, or "" */
    uint64_t id;                  /* counts up from 1; for logs */
    size_t bytes;                 /* of the body so far */
};

/**
 * What a route does. Called by one thread for one request, by many for many.
 * begin: headers are in; returns the request's own state or NULL when out of memory.
 * feed: the next piece of the body, cut anywhere; a failure makes the server read and drop the
 *       rest, then call finish with that status.
 * finish: the body is complete (st FB_OK), or not to be had: refused by feed, too long (FB_ELIMIT),
 *       too slow (FB_EIO), no state (FB_ENOMEM, state NULL). Fills the answer, which comes zeroed;
 *       the state ends here. err has a text unless st is FB_OK.
 * drop: the connection is gone before finish; the state ends here. state is never NULL.
 */
struct fb_handler {
    void *(*begin)(void *context, const struct fb_request *request);
    enum fb_status (*feed)(void *state, const char *bytes, size_t len, struct fb_error *err);
    void (*finish)(void *context, const struct fb_request *request, void *state, enum fb_status st,
                   const struct fb_error *err, struct fb_answer *ret);
    void (*drop)(void *state);
};

/** A row of the table of routes. */
struct fb_route {
    const char *method;     /* "POST"; "GET" serves HEAD, too */
    const char *path;       /* exact, without query */
    const char *api, *verb; /* labels of metrics: "volcano", "predicate" */
    const struct fb_handler *handler;
    void *context; /* handed to begin and finish */
    int number;    /* the handler's own */
};

/** Bounds; 0: the default. */
struct fb_server_limits {
    size_t body_bytes;    /* 256 MiB; a longer body is read and dropped */
    unsigned connections; /* 1024 */
    unsigned request_ms;  /* from the first byte of a request to its last, and again for its answer;
                             30000. Headers that drip may take twice this. */
    unsigned idle_ms;     /* between requests, 120000 */
    unsigned threads;     /* one a CPU, at least 2 and at most 8 */
};

/**
 * Told of every request once, when it was answered or dropped; for metrics and logs. May be NULL.
 * @status is 0 where there was no answer; @seconds run from the request line to the last byte of
 * the answer. Called by the threads that serve.
 */
typedef void (*fb_server_told)(void *context, const struct fb_request *request, unsigned status,
                               double seconds);

struct fb_server;

/** What a server is started with. Borrowed; routes and certificate outlive the server. */
struct fb_server_setup {
    const char *address; /* "host:port", "[::1]:0"; port 0: a free one */
    const struct fb_route *routes;
    size_t routes_len;
    const struct fb_server_limits *limits; /* NULL: all defaults */
    fb_server_told told;
    void *told_context;
    struct fb_server_tls *tls; /* NULL: plain HTTP */
};

/**
 * Listen, and serve the routes until stopped.
 *
 * Returns FB_OK; FB_EINPUT for an address that is none;
 * FB_EIO ("127.0.0.1:9712: Address already in use"); FB_ENOMEM.
 */
enum fb_status fb_server_start(const struct fb_server_setup *setup, struct fb_server **ret,
                               struct fb_error *err) FB_CHECK;

/** The port that it listens on. */
unsigned fb_server_port(const struct fb_server *server);

/** Accept no more; wait until requests under way are answered, at most @drain_ms; then close all
 * and free. Idle connections are closed at once. NULL is fine. */
void fb_server_stop(struct fb_server *server, unsigned drain_ms);

#endif
