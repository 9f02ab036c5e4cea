/* SPDX-License-Identifier: Apache-2.0 */
#include "raw_http.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAIT_MS 20000

bool raw_connect(struct raw_client *client, unsigned port)
{
    static const int on = 1;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    client->held = 0;
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->fd < 0)
        return false;
    (void)setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(client->fd, (const struct sockaddr *)(const void *)&to, sizeof to) == 0)
        return true;
    raw_close(client);
    return false;
}

void raw_close(struct raw_client *client)
{
    (void)close(client->fd);
    client->fd = -1;
}

bool raw_send(struct raw_client *client, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(client->fd, bytes, len, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        bytes += sent;
        len -= (size_t)sent;
    }
    return true;
}

bool raw_text(struct raw_client *client, const char *text)
{
    return raw_send(client, text, strlen(text));
}

/* More bytes behind those held; false at the end, or when nothing comes. */
static bool read_more(struct raw_client *client)
{
    struct pollfd wait = {.fd = client->fd, .events = POLLIN};
    ssize_t got;

    if (client->held + 1 >= sizeof client->bytes || poll(&wait, 1, WAIT_MS) != 1)
        return false;
    got =
        recv(client->fd, client->bytes + client->held, sizeof client->bytes - 1 - client->held, 0);
    if (got <= 0)
        return false;
    client->held += (size_t)got;
    return true;
}

/* Bytes of the head with its empty line; 0 while it is not complete. */
static size_t head_len(struct raw_client *client)
{
    const char *end = memmem(client->bytes, client->held, "\r\n\r\n", 4);

    return end == NULL ? 0 : (size_t)(end - client->bytes) + 4;
}

static bool body_len(const char *head, size_t *ret)
{
    const char *length = strcasestr(head, "\r\nContent-Length: ");

    if (length == NULL)
        return false;
    *ret = (size_t)strtoull(length + strlen("\r\nContent-Length: "), NULL, 10);
    return true;
}

/* The last answer, behind which the next one may have begun, makes room. */
static void forget(struct raw_client *client, size_t len)
{
    memmove(client->bytes, client->bytes + len, client->held - len);
    client->held -= len;
}

bool raw_read(struct raw_client *client, bool bodiless, struct raw_answer *ret)
{
    static _Thread_local char kept[sizeof client->bytes + 1];
    size_t head;
    size_t sent;

    while ((head = head_len(client)) == 0) {
        if (!read_more(client))
            return false;
    }
    memcpy(kept, client->bytes, head - 2);
    kept[head - 2] = '\0';
    if (sscanf(kept, "HTTP/1.1 %u", &ret->status) != 1) /* NOLINT(cert-err34-c) */
        return false;
    ret->len = 0;
    if (ret->status != 100 && !body_len(kept, &ret->len))
        return false;
    sent = bodiless ? 0 : ret->len;
    while (client->held - head < sent) {
        if (!read_more(client))
            return false;
    }
    memcpy(kept + head, client->bytes + head, sent);
    kept[head + sent] = '\0';
    ret->head = kept;
    ret->body = kept + head;
    forget(client, head + sent);
    return true;
}

bool raw_at_end(struct raw_client *client)
{
    struct pollfd wait = {.fd = client->fd, .events = POLLIN};
    char byte;

    return client->held == 0 && poll(&wait, 1, WAIT_MS) == 1 && recv(client->fd, &byte, 1, 0) <= 0;
}

bool raw_drain(struct raw_client *client)
{
    struct pollfd wait = {.fd = client->fd, .events = POLLIN};

    client->held = 0;
    while (poll(&wait, 1, WAIT_MS) == 1) {
        if (recv(client->fd, client->bytes, sizeof client->bytes, 0) <= 0)
            return true;
    }
    return false;
}

bool raw_post(struct raw_client *client, const char *path, const char *body, size_t len,
              size_t piece)
{
    char head[256];

    (void)snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %zu\r\n\r\n",
                   path, len);
    if (!raw_text(client, head))
        return false;
    for (size_t at = 0; at < len;) {
        size_t part = piece == 0 || piece > len - at ? len - at : piece;

        if (!raw_send(client, body + at, part))
            return false;
        at += part;
    }
    return true;
}

bool raw_post_chunked(struct raw_client *client, const char *path, const char *body, size_t len,
                      size_t piece)
{
    char text[256];

    (void)snprintf(text, sizeof text,
                   "POST %s HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", path);
    if (!raw_text(client, text))
        return false;
    for (size_t at = 0; at < len;) {
        size_t part = piece == 0 || piece > len - at ? len - at : piece;

        (void)snprintf(text, sizeof text, "%zx\r\n", part);
        if (!raw_text(client, text) || !raw_send(client, body + at, part) ||
            !raw_text(client, "\r\n"))
            return false;
        at += part;
    }
    return raw_text(client, "0\r\n\r\n");
}
