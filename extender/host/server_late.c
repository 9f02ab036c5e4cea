/* SPDX-License-Identifier: Apache-2.0 */
#include "server_late.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>

void fb_late_send(int fd, const char *reason, const struct fb_answer *answer)
{
    /* The kernel takes what it only reads as void *. */
    union {
        const char *constant;
        void *any;
    } body = {.constant = answer->body != NULL ? answer->body : answer->constant};
    size_t body_len = body.any == NULL ? 0 : answer->len;
    char head[512];
    struct iovec parts[2];
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    int len =
        snprintf(head, sizeof head,
                 "HTTP/1.1 %u %s\r\nConnection: close\r\nContent-Length: %zu\r\n"
                 "%s%s%s\r\n",
                 answer->status, reason, body_len, answer->type == NULL ? "" : "Content-Type: ",
                 answer->type == NULL ? "" : answer->type, answer->type == NULL ? "" : "\r\n");

    if (len < 0 || (size_t)len >= sizeof head)
        return;
    parts[0] = (struct iovec){head, (size_t)len};
    parts[1] = (struct iovec){body.any, body_len};
    (void)sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}
