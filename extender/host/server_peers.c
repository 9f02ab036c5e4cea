/* SPDX-License-Identifier: Apache-2.0 */
#include "server_peers.h"

#include "fabricbind/own.h"

#include <assert.h>
#include <linux/tcp.h> /* the C library's tcp_info ends before tcpi_bytes_received */
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#define DRAIN_STEP_MS 10 /* between two looks at connections that nobody tells of */
#define PHASE_BITS 2
#define PHASE_MASK 3U

struct fb_peers {
    struct fb_peers_limits limits;
    pthread_mutex_t lock; /* list, count, stopping */
    pthread_cond_t changed;
    struct fb_peer list; /* its head and tail */
    unsigned count;
    bool stopping;
    atomic_bool draining;
    pthread_t watcher;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A mark is the time and the phase that began then, in one word: both change at once. */
static uint64_t mark_of(uint64_t ms, enum fb_peer_phase phase)
{
    return ms << PHASE_BITS | (uint64_t)phase;
}

static enum fb_peer_phase phase_of(uint64_t mark)
{
    return (enum fb_peer_phase)(mark & PHASE_MASK);
}

enum fb_peer_phase fb_peer_phase(const struct fb_peer *peer)
{
    return phase_of(atomic_load(&peer->mark));
}

bool fb_peers_are_draining(const struct fb_peers *peers)
{
    return atomic_load(&peers->draining);
}

bool fb_peers_add(struct fb_peers *peers, struct fb_peer *peer, int fd)
{
    bool fits;

    *peer = (struct fb_peer){.fd = fd};
    atomic_init(&peer->mark, mark_of(now_ms(), FB_PEER_IDLE));
    (void)pthread_mutex_lock(&peers->lock);
    fits = peers->count < peers->limits.connections;
    if (fits) {
        peers->count++;
        peer->next = peers->list.next;
        peer->prev = &peers->list;
        peer->next->prev = peer;
        peers->list.next = peer;
    }
    (void)pthread_mutex_unlock(&peers->lock);
    return fits;
}

void fb_peers_remove(struct fb_peers *peers, struct fb_peer *peer)
{
    (void)pthread_mutex_lock(&peers->lock);
    peer->prev->next = peer->next;
    peer->next->prev = peer->prev;
    peers->count--;
    if (fb_peers_are_draining(peers))
        (void)pthread_cond_broadcast(&peers->changed);
    (void)pthread_mutex_unlock(&peers->lock);
}

void fb_peers_mark(struct fb_peers *peers, struct fb_peer *peer, enum fb_peer_phase phase)
{
    if (phase == FB_PEER_RECEIVING)
        atomic_fetch_add(&peer->requests, 1);
    atomic_store(&peer->mark, mark_of(now_ms(), phase));
    if (phase != FB_PEER_IDLE || !fb_peers_are_draining(peers))
        return;
    (void)pthread_mutex_lock(&peers->lock);
    (void)pthread_cond_broadcast(&peers->changed);
    (void)pthread_mutex_unlock(&peers->lock);
}

static void cut(const struct fb_peer *peer)
{
    (void)shutdown(peer->fd, SHUT_RDWR);
}

/* What the kernel has received for it, ever. */
static uint64_t bytes_of(const struct fb_peer *peer)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof info;

    if (getsockopt(peer->fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
        return 0;
    return info.tcpi_bytes_received;
}

/* A request begins with its first byte, of which nobody tells before its first line is complete. */
static bool drips(struct fb_peer *peer, uint64_t now, unsigned request_ms)
{
    uint64_t requests = atomic_load(&peer->requests);
    uint64_t bytes = bytes_of(peer);

    if (requests != peer->seen_requests) {
        peer->seen_requests = requests;
        peer->seen_bytes = bytes;
        peer->partial_ms = 0;
    } else if (bytes != peer->seen_bytes && peer->partial_ms == 0) {
        peer->partial_ms = now;
    }
    return peer->partial_ms != 0 && now - peer->partial_ms >= request_ms;
}

/* Ends @peer when its time is up; returns the ms that it has left. */
static uint64_t look_at(const struct fb_peers *peers, struct fb_peer *peer, uint64_t now)
{
    uint64_t mark = atomic_load(&peer->mark);
    enum fb_peer_phase phase = phase_of(mark);
    bool idle = phase == FB_PEER_IDLE;
    uint64_t most = idle ? peers->limits.idle_ms : peers->limits.request_ms;
    uint64_t since = mark >> PHASE_BITS;
    uint64_t age = now > since ? now - since : 0;

    if (age < most) {
        if (idle && drips(peer, now, peers->limits.request_ms))
            cut(peer);
        return most - age;
    }
    if (phase == FB_PEER_RECEIVING) {
        /* The thread that serves it wakes up and can still answer. */
        if (atomic_compare_exchange_strong(&peer->mark, &mark, mark_of(now, FB_PEER_LATE)))
            (void)shutdown(peer->fd, SHUT_RD);
    } else {
        cut(peer);
    }
    return peers->limits.request_ms;
}

/* Returns the ms until the next time is up; what begins meanwhile ends later than that. */
static uint64_t look_at_all(struct fb_peers *peers)
{
    uint64_t now = now_ms();
    uint64_t next = peers->limits.request_ms / 4 + 1;

    for (struct fb_peer *at = peers->list.next; at != &peers->list; at = at->next) {
        uint64_t left = look_at(peers, at, now);

        if (left < next)
            next = left;
    }
    return next;
}

static void wait_ms(struct fb_peers *peers, uint64_t ms)
{
    uint64_t until_ms = now_ms() + ms;
    struct timespec until = {.tv_sec = (time_t)(until_ms / 1000),
                             .tv_nsec = (long)(until_ms % 1000) * 1000000};

    (void)pthread_cond_timedwait(&peers->changed, &peers->lock, &until);
}

static void *watch(void *context)
{
    struct fb_peers *peers = context;
    uint64_t next = 0;

    (void)pthread_mutex_lock(&peers->lock);
    while (!peers->stopping) {
        uint64_t now = now_ms();

        if (now >= next)
            next = now + look_at_all(peers);
        else
            wait_ms(peers, next - now);
    }
    (void)pthread_mutex_unlock(&peers->lock);
    return NULL;
}

/* Has it sent what no thread has read yet? */
static bool has_sent(const struct fb_peer *peer)
{
    int bytes = 0;

    return ioctl(peer->fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

/* Cuts the idle ones; returns how many have a request under way. */
static unsigned cut_idle(struct fb_peers *peers)
{
    unsigned busy = 0;

    for (struct fb_peer *at = peers->list.next; at != &peers->list; at = at->next) {
        if (fb_peer_phase(at) != FB_PEER_IDLE || has_sent(at))
            busy++;
        else
            cut(at);
    }
    return busy;
}

void fb_peers_drain(struct fb_peers *peers, unsigned drain_ms)
{
    uint64_t until = now_ms() + drain_ms;

    atomic_store(&peers->draining, true);
    (void)pthread_mutex_lock(&peers->lock);
    while (cut_idle(peers) > 0 && now_ms() < until)
        wait_ms(peers, DRAIN_STEP_MS);
    (void)pthread_mutex_unlock(&peers->lock);
}

static void free_one(struct fb_peers **at)
{
    free(*at);
}

static bool make_lock(struct fb_peers *peers)
{
    pthread_condattr_t attr;
    bool made;

    if (pthread_condattr_init(&attr) != 0)
        return false;
    made = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
           pthread_cond_init(&peers->changed, &attr) == 0;
    (void)pthread_condattr_destroy(&attr);
    return made && pthread_mutex_init(&peers->lock, NULL) == 0;
}

enum fb_status fb_peers_start(const struct fb_peers_limits *limits, struct fb_peers **ret,
                              struct fb_error *err)
{
    FB_OWNED(free_one) struct fb_peers *peers = calloc(1, sizeof *peers);
    char reason[128];
    int fault;

    if (peers == NULL || !make_lock(peers))
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    peers->limits = *limits;
    peers->list.next = &peers->list;
    peers->list.prev = &peers->list;
    atomic_init(&peers->draining, false);
    fault = pthread_create(&peers->watcher, NULL, watch, peers);
    if (fault != 0)
        return fb_error_set(err, FB_EIO, "thread: %s", strerror_r(fault, reason, sizeof reason));
    *ret = FB_TAKE(peers);
    return FB_OK;
}

void fb_peers_stop(struct fb_peers *peers)
{
    if (peers == NULL)
        return;
    (void)pthread_mutex_lock(&peers->lock);
    assert(peers->count == 0);
    peers->stopping = true;
    (void)pthread_cond_broadcast(&peers->changed);
    (void)pthread_mutex_unlock(&peers->lock);
    (void)pthread_join(peers->watcher, NULL);
    (void)pthread_cond_destroy(&peers->changed);
    (void)pthread_mutex_destroy(&peers->lock);
    free(peers);
}
