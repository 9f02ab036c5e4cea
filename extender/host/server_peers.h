/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SERVER_PEERS_H
#define FB_HOST_SERVER_PEERS_H

#include "fabricbind/error.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * The open connections of a server: how many there are, which of them have a request under way,
 * and whose time is up. A thread of its own looks after the time.
 */

/** Where a connection is. */
enum fb_peer_phase {
    FB_PEER_IDLE,      /* between requests */
    FB_PEER_RECEIVING, /* the request line is in */
    FB_PEER_LATE,      /* the rest took too long: reading is shut down, what waits is told so */
    FB_PEER_ANSWERING, /* the request is in, the answer not yet out */
};

/** A connection; lives in its owner's memory. Nothing in it is for others. */
struct fb_peer {
    int fd; /* open as long as the peer is in the list */
    _Atomic uint64_t mark;
    _Atomic uint64_t requests; /* begun */
    struct fb_peer *next, *prev;
    uint64_t seen_requests, seen_bytes, partial_ms; /* of the thread that looks after the time */
};

struct fb_peers_limits {
    unsigned connections;
    unsigned request_ms, idle_ms;
};

struct fb_peers;

/** FB_OK; FB_ENOMEM; FB_EIO when there is no thread to be had. End with fb_peers_stop(). */
enum fb_status fb_peers_start(const struct fb_peers_limits *limits, struct fb_peers **ret,
                              struct fb_error *err) FB_CHECK;

/** Put @peer into the list, idle. False when there are too many: it is not in the list. */
bool fb_peers_add(struct fb_peers *peers, struct fb_peer *peer, int fd) FB_CHECK;

/** Take it out; to be called while its descriptor is open. */
void fb_peers_remove(struct fb_peers *peers, struct fb_peer *peer);

/** Its phase is now @phase; the time runs anew. */
void fb_peers_mark(struct fb_peers *peers, struct fb_peer *peer, enum fb_peer_phase phase);

enum fb_peer_phase fb_peer_phase(const struct fb_peer *peer);

/** Close idle connections, wait until no other is left, at most @drain_ms. */
void fb_peers_drain(struct fb_peers *peers, unsigned drain_ms);

/** Is the server draining, so that answers are to be the last of their connection? */
bool fb_peers_are_draining(const struct fb_peers *peers);

/** End the thread and free; no peer may be left. NULL is fine. */
void fb_peers_stop(struct fb_peers *peers);

#endif
