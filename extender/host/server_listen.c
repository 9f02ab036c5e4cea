/* SPDX-License-Identifier: Apache-2.0 */
#include "server_listen.h"

#include "fabricbind/own.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 1024
#define PORT_MOST 65535

/* An address taken apart. */
struct place {
    char host[256];
    const char *port; /* of the address */
};

static void free_list(struct addrinfo **list)
{
    if (*list != NULL)
        freeaddrinfo(*list);
}

static bool is_port(const char *text)
{
    unsigned long value = 0;

    if (*text == '\0' || strlen(text) > 5)
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (unsigned long)(*text - '0');
    return *text == '\0' && value <= PORT_MOST;
}

/* The host stands before the last colon; one with colons of its own stands in brackets. */
static bool split(const char *address, struct place *ret)
{
    const char *colon = strrchr(address, ':');
    const char *host = address;
    size_t len;

    if (colon == NULL || !is_port(colon + 1))
        return false;
    len = (size_t)(colon - address);
    if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
        host++;
        len -= 2;
    } else if (memchr(host, ':', len) != NULL) {
        return false;
    }
    if (len == 0 || len >= sizeof ret->host)
        return false;
    memcpy(ret->host, host, len);
    ret->host[len] = '\0';
    ret->port = colon + 1;
    return true;
}

static enum fb_status failed(const char *address, struct fb_error *err)
{
    char reason[128];

    return fb_error_set(err, FB_EIO, "%s: %s", address, strerror_r(errno, reason, sizeof reason));
}

static unsigned port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } name = {.any = {0}};
    socklen_t len = sizeof name;

    if (getsockname(fd, &name.any, &len) != 0)
        return 0;
    return ntohs(name.any.sa_family == AF_INET6 ? name.v6.sin6_port : name.v4.sin_port);
}

static enum fb_status listen_at(const struct addrinfo *at, const char *address, int *ret_fd,
                                unsigned *ret_port, struct fb_error *err)
{
    static const int on = 1;
    int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    enum fb_status st;

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, at->ai_addr, at->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0) {
        st = failed(address, err);
        if (fd >= 0)
            (void)close(fd);
        return st;
    }
    *ret_port = port_of(fd);
    *ret_fd = fd;
    return FB_OK;
}

enum fb_status fb_listen_open(const char *address, int *ret_fd, unsigned *ret_port,
                              struct fb_error *err)
{
    static const struct addrinfo hints = {
        .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
    };
    FB_OWNED(free_list) struct addrinfo *list = NULL;
    struct place place;
    int fault;

    if (!split(address, &place))
        return fb_error_set(err, FB_EINPUT, "%s: is no address, want host:port", address);
    fault = getaddrinfo(place.host, place.port, &hints, &list);
    if (fault == EAI_SYSTEM)
        return failed(address, err);
    if (fault != 0)
        return fb_error_set(err, fault == EAI_MEMORY ? FB_ENOMEM : FB_EINPUT, "%s: %s", address,
                            gai_strerror(fault));
    return listen_at(list, address, ret_fd, ret_port, err);
}
