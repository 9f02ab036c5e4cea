/* SPDX-License-Identifier: Apache-2.0 */
#include "api_peer.h"

#include "fabricbind/own.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_BYTES ((size_t)64 * 1024)
#define WAIT_MS 20000

static void freep(char **at)
{
    free(*at);
}

/* More bytes behind @len; false at the end. */
static bool read_more(int fd, char *bytes, size_t *len)
{
    ssize_t got =
        *len + 1 < REQUEST_BYTES ? recv(fd, bytes + *len, REQUEST_BYTES - 1 - *len, 0) : 0;

    if (got <= 0)
        return false;
    *len += (size_t)got;
    bytes[*len] = '\0';
    return true;
}

/* One request into @bytes, which may hold the beginning of it; false at the end. */
static bool read_request(int fd, char *bytes, size_t *len, char **ret_body, size_t *ret_body_len)
{
    char *end;
    const char *length;

    while ((end = strstr(bytes, "\r\n\r\n")) == NULL) {
        if (!read_more(fd, bytes, len))
            return false;
    }
    length = strcasestr(bytes, "\r\nContent-Length: ");
    *ret_body = end + 4;
    *ret_body_len = length != NULL && length < end ? strtoul(length + 18, NULL, 10) : 0;
    while ((size_t)(bytes + *len - *ret_body) < *ret_body_len) {
        if (!read_more(fd, bytes, len))
            return false;
    }
    return true;
}

static bool serve_one(struct api_peer_link *link, char *bytes, size_t *len)
{
    struct api_peer *peer = link->peer;
    char *body = NULL;
    size_t body_len = 0;
    FB_OWNED(freep) char *head = NULL;
    FB_OWNED(freep) char *line = NULL;
    FB_OWNED(freep) char *text = NULL;
    bool more;

    if (!read_request(link->fd, bytes, len, &body, &body_len))
        return false;
    head = strndup(bytes, (size_t)(body - bytes));
    line = strndup(bytes, strcspn(bytes, "\r"));
    text = strndup(body, body_len);
    *len -= (size_t)(body - bytes) + body_len;
    memmove(bytes, body + body_len, *len + 1);
    more = peer->answer(
        peer, &(struct api_request){line, head, text, atomic_fetch_add(&peer->requests, 1) + 1},
        link->fd);
    return more && !atomic_load(&peer->ending);
}

static void *serve(void *context)
{
    struct api_peer_link *link = context;
    FB_OWNED(freep) char *bytes = calloc(1, REQUEST_BYTES);
    size_t len = 0;

    while (bytes != NULL && serve_one(link, bytes, &len)) {
    }
    (void)shutdown(link->fd, SHUT_RDWR);
    return NULL;
}

static void *take_connections(void *context)
{
    struct api_peer *peer = context;
    int fd;

    while ((fd = accept(peer->fd, NULL, NULL)) >= 0) {
        size_t number = atomic_load(&peer->connections);
        struct api_peer_link *link = &peer->links[number];

        if (number == API_PEER_CONNECTIONS || atomic_load(&peer->ending)) {
            (void)close(fd);
            continue;
        }
        *link = (struct api_peer_link){.peer = peer, .fd = fd};
        if (pthread_create(&link->thread, NULL, serve, link) != 0)
            abort();
        atomic_store(&peer->connections, number + 1);
    }
    return NULL;
}

void api_peer_start(struct api_peer *peer, api_peer_answer answer, void *context)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;

    memset(peer, 0, sizeof *peer);
    peer->answer = answer;
    peer->context = context;
    peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(peer->fd >= 0);
    assert_int_equal(bind(peer->fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(peer->fd, (struct sockaddr *)&at, &len), 0);
    assert_int_equal(listen(peer->fd, API_PEER_CONNECTIONS), 0);
    (void)snprintf(peer->base, sizeof peer->base, "http://127.0.0.1:%u", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&peer->thread, NULL, take_connections, peer), 0);
}

void api_peer_stop(struct api_peer *peer)
{
    atomic_store(&peer->ending, true);
    (void)shutdown(peer->fd, SHUT_RDWR);
    assert_int_equal(pthread_join(peer->thread, NULL), 0);
    for (size_t i = 0; i < atomic_load(&peer->connections); i++)
        (void)shutdown(peer->links[i].fd, SHUT_RDWR);
    for (size_t i = 0; i < atomic_load(&peer->connections); i++) {
        assert_int_equal(pthread_join(peer->links[i].thread, NULL), 0);
        (void)close(peer->links[i].fd);
    }
    (void)close(peer->fd);
}

bool api_peer_send(int fd, const char *text)
{
    size_t len = strlen(text);
    ssize_t sent = 1;

    for (; len > 0 && sent > 0; len -= (size_t)sent, text += sent)
        sent = send(fd, text, len, MSG_NOSIGNAL);
    return sent > 0;
}

bool api_peer_reply(int fd, unsigned status, const char *extra, const char *body)
{
    char head[1024];

    (void)snprintf(head, sizeof head, "HTTP/1.1 %u X\r\n%sContent-Length: %zu\r\n\r\n", status,
                   extra, strlen(body));
    return api_peer_send(fd, head) && api_peer_send(fd, body);
}

bool api_peer_chunks(int fd, unsigned status)
{
    char head[128];

    (void)snprintf(head, sizeof head, "HTTP/1.1 %u X\r\nTransfer-Encoding: chunked\r\n\r\n",
                   status);
    return api_peer_send(fd, head);
}

bool api_peer_chunk(int fd, const char *text)
{
    char size[32];

    (void)snprintf(size, sizeof size, "%zx\r\n", strlen(text));
    return api_peer_send(fd, size) && api_peer_send(fd, text) && api_peer_send(fd, "\r\n");
}

bool api_peer_await_end(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char byte;

    return poll(&wait, 1, WAIT_MS) == 1 && recv(fd, &byte, 1, 0) <= 0;
}
