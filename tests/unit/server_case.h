/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_SERVER_CASE_H
#define FB_TESTS_SERVER_CASE_H

#include "raw_http.h"
#include "server.h"

#include "unit.h"

#include <stdatomic.h>

/**
 * A server with a handler that counts. Its routes: POST /sum answers
 * {"bytes":N,"sum":S,"status":ST,"error":"..."}; GET /sum and GET /query answer with the query;
 * POST /empty answers 200 without a body; POST /refuse refuses at the first "!"; POST /nothing has
 * no state; POST /slow finishes only when the gate is open.
 */
struct server_case {
    struct fb_server *server;
    unsigned port;
    atomic_uint begun, finished, dropped; /* by the handler */
    atomic_uint told, told_last;          /* requests, and the status of the last one */
    atomic_uint told_seconds;             /* calls whose time was not within 0 to 60 s */
    atomic_bool gate;
};

void server_case_start(struct server_case *at, const struct fb_server_limits *limits);

/** The same over TLS; @tls is borrowed. */
void server_case_start_tls(struct server_case *at, const struct fb_server_limits *limits,
                           struct fb_server_tls *tls);

/** Stop and check that each state that began has ended, by one way or the other. */
void server_case_stop(struct server_case *at, unsigned drain_ms);

/** Wait until *counter is @want; fails the test after 20 s. */
void server_case_await(atomic_uint *counter, unsigned want);

/** Connect or fail the test. */
void server_case_connect(const struct server_case *at, struct raw_client *client);

/** Read one answer and compare it; @body NULL: any. */
void server_case_expect(struct raw_client *client, unsigned status, const char *body);

/** What /sum answers for @len bytes that are all @byte. */
const char *server_case_sum(size_t len, char byte, char *text, size_t size);

#endif
