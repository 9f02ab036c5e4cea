/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_API_PEER_H
#define FB_TESTS_API_PEER_H

#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define API_PEER_CONNECTIONS 80

struct api_peer;

/** One request, as it was sent. */
struct api_request {
    const char *line; /* "GET /a?b HTTP/1.1" */
    const char *head; /* the line and the headers */
    const char *body;
    size_t number; /* counts up from 1, over all connections */
};

/**
 * Answers one request by api_peer_reply() and api_peer_send() on @fd; false closes the connection.
 * Called by a thread of the connection, by several at once.
 */
typedef bool (*api_peer_answer)(struct api_peer *peer, const struct api_request *request, int fd);

struct api_peer_link {
    struct api_peer *peer;
    pthread_t thread;
    int fd;
};

/** An API server for tests: a free port of loopback, each connection a thread. Plain HTTP. */
struct api_peer {
    api_peer_answer answer;
    void *context; /* of the test */
    char base[64]; /* "http://127.0.0.1:PORT" */
    int fd;
    pthread_t thread;
    atomic_size_t requests, connections;
    atomic_bool ending;
    struct api_peer_link links[API_PEER_CONNECTIONS];
};

void api_peer_start(struct api_peer *peer, api_peer_answer answer, void *context);

/** Closes all connections and waits for the threads. */
void api_peer_stop(struct api_peer *peer);

/** A whole answer; @extra are header lines, each with its end, or "". False when the other side is
 * gone. */
bool api_peer_reply(int fd, unsigned status, const char *extra, const char *body);

/** As it stands. */
bool api_peer_send(int fd, const char *text);

/** The head of an answer whose body comes in chunks. */
bool api_peer_chunks(int fd, unsigned status);
/** One chunk; "" is the last. */
bool api_peer_chunk(int fd, const char *text);

/** Wait until the other side closes, 20 s at most; false when it did not. */
bool api_peer_await_end(int fd);

#endif
