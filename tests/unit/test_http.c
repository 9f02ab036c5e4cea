/* SPDX-License-Identifier: Apache-2.0 */
#include "http.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A peer on a free port of loopback that takes one connection and answers every request on it
 * with the same text; with NULL it never answers. */
struct peer {
    const char *text;
    int fd;
    char base[64];
    pthread_t thread;
    char bytes[4096];     /* of the thread */
    pthread_mutex_t lock; /* of what follows */
    char seen[4096];      /* the last request's headers and body */
    size_t requests;
};

/* One request to its end; the body's length is in its headers. */
static bool read_request(struct peer *peer, int fd)
{
    size_t len = 0;

    for (;;) {
        const char *end;
        const char *length;
        ssize_t got = recv(fd, peer->bytes + len, sizeof peer->bytes - 1 - len, 0);

        if (got <= 0)
            return false;
        len += (size_t)got;
        peer->bytes[len] = '\0';
        end = strstr(peer->bytes, "\r\n\r\n");
        length = strstr(peer->bytes, "Content-Length: ");
        if (end != NULL && length != NULL &&
            len >= (size_t)(end + 4 - peer->bytes) + strtoul(length + 16, NULL, 10))
            return true;
    }
}

static void note(struct peer *peer)
{
    (void)pthread_mutex_lock(&peer->lock);
    memcpy(peer->seen, peer->bytes, sizeof peer->seen);
    peer->requests++;
    (void)pthread_mutex_unlock(&peer->lock);
}

static void assert_seen(struct peer *peer, size_t requests, const char *want)
{
    (void)pthread_mutex_lock(&peer->lock);
    assert_int_equal(peer->requests, requests);
    if (strstr(peer->seen, want) == NULL)
        fail_msg("no '%s' in %s", want, peer->seen);
    (void)pthread_mutex_unlock(&peer->lock);
}

static void *serve(void *context)
{
    struct peer *peer = context;
    int fd = accept(peer->fd, NULL, NULL);

    while (fd >= 0 && read_request(peer, fd)) {
        note(peer);
        if (peer->text == NULL)
            continue;
        (void)send(fd, peer->text, strlen(peer->text), MSG_NOSIGNAL);
        if (strncmp(peer->text, "HTTP/1.1 200", 12) != 0)
            break;
    }
    if (fd >= 0)
        (void)close(fd);
    return NULL;
}

static void listen_free(struct peer *peer)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;

    peer->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(peer->fd >= 0);
    assert_int_equal(bind(peer->fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(peer->fd, (struct sockaddr *)&at, &len), 0);
    (void)snprintf(peer->base, sizeof peer->base, "http://127.0.0.1:%u", ntohs(at.sin_port));
}

static void start(struct peer *peer, const char *text)
{
    *peer = (struct peer){.text = text, .lock = PTHREAD_MUTEX_INITIALIZER};
    listen_free(peer);
    assert_int_equal(listen(peer->fd, 1), 0);
    assert_int_equal(pthread_create(&peer->thread, NULL, serve, peer), 0);
}

/* Once the client is gone. */
static void stop(struct peer *peer)
{
    assert_int_equal(pthread_join(peer->thread, NULL), 0);
    (void)close(peer->fd);
}

static void test_http_post__keeps_the_connection(void **state)
{
    struct peer peer;
    struct fb_http *http = NULL;
    struct fb_http_reply reply;
    char base[80];

    (void)state;
    start(&peer, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    (void)snprintf(base, sizeof base, "%s//", peer.base);
    assert_int_equal(fb_http_new(base, NULL, &http, NULL), FB_OK);
    for (size_t i = 1; i <= 3; i++) {
        assert_int_equal(fb_http_post(http, "/a/b", "{\"x\":1}", 7, &reply, NULL), FB_OK);
        assert_int_equal(reply.status, 200);
        assert_string_equal(reply.body, "hello");
        assert_int_equal(reply.len, 5);
        assert_seen(&peer, i, "POST /a/b HTTP/1.1\r\n");
    }
    assert_seen(&peer, 3, "Content-Type: application/json\r\n");
    assert_seen(&peer, 3, "\r\n\r\n{\"x\":1}");
    assert_int_equal(fb_http_post(http, "/a", NULL, 0, &reply, NULL), FB_OK);
    assert_seen(&peer, 4, "Content-Length: 0\r\n");
    fb_http_free(http);
    stop(&peer);
}

static void test_http_post__says_what_went_wrong(void **state)
{
    static const struct {
        const char *text;
        enum fb_status st;
        const char *want; /* part of the error */
    } cases[] = {
        {NULL, FB_EIO, "/x: no answer within 150 ms"},
        {"hello\r\n\r\n", FB_EIO, "/x: Received HTTP/0.9"},
        {"", FB_EIO, "/x: "},
        {"HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\ncut", FB_EIO, "/x: "},
        {"HTTP/1.1 404 No\r\nContent-Length: 99\r\n\r\n0123456789", FB_ELIMIT,
         "/x: answer of more than 9 bytes"},
    };
    const struct fb_http_limits limits = {.request_ms = 150, .answer_bytes = 9};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct peer peer;
        struct fb_http *http = NULL;
        struct fb_http_reply reply = {.status = 7};
        struct fb_error err = {0};

        start(&peer, cases[i].text);
        assert_int_equal(fb_http_new(peer.base, &limits, &http, NULL), FB_OK);
        assert_int_equal(fb_http_post(http, "/x", "{}", 2, &reply, &err), cases[i].st);
        if (strncmp(err.text, peer.base, strlen(peer.base)) != 0 ||
            strstr(err.text, cases[i].want) == NULL)
            fail_msg("%s, not %s", err.text, cases[i].want);
        assert_int_equal(reply.status, 7);
        fb_http_free(http);
        stop(&peer);
    }
}

static void test_http_post__hands_out_any_status(void **state)
{
    struct peer peer;
    struct fb_http *http = NULL;
    struct fb_http_reply reply;
    const struct fb_http_limits limits = {.answer_bytes = 3};

    (void)state;
    start(&peer, "HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\nbad");
    assert_int_equal(fb_http_new(peer.base, &limits, &http, NULL), FB_OK);
    assert_int_equal(fb_http_post(http, "/x", "{}", 2, &reply, NULL), FB_OK);
    assert_int_equal(reply.status, 500);
    assert_string_equal(reply.body, "bad");
    fb_http_free(http);
    stop(&peer);
}

static void test_http_post__tells_when_nobody_is_there(void **state)
{
    struct peer peer = {.text = NULL};
    struct fb_http *http = NULL;
    struct fb_http_reply reply;
    struct fb_error err = {0};

    (void)state;
    listen_free(&peer); /* bound, so that nobody else gets the port, but not listening */
    assert_int_equal(fb_http_new(peer.base, NULL, &http, NULL), FB_OK);
    assert_int_equal(fb_http_post(http, "/x", "{}", 2, &reply, &err), FB_ENOTFOUND);
    assert_non_null(strstr(err.text, "/x: "));
    fb_http_free(http);
    (void)close(peer.fd);
}

static void test_http_new__refuses_other_urls(void **state)
{
    static const char *const urls[] = {"", "ftp://a", "file:///etc/passwd", "127.0.0.1:9712",
                                       "HTTP"};

    (void)state;
    for (size_t i = 0; i < COUNT(urls); i++) {
        struct fb_http *http = NULL;
        struct fb_error err = {0};
        char want[64];

        (void)snprintf(want, sizeof want, "'%s' is no http URL", urls[i]);
        assert_int_equal(fb_http_new(urls[i], NULL, &http, &err), FB_EINPUT);
        assert_string_equal(err.text, want);
        assert_null(http);
    }
}

static void test_http_new__survives_a_lack_of_memory(void **state)
{
    enum fb_status st = FB_ENOMEM;

    (void)state;
    for (int after = 0; st == FB_ENOMEM && after < 100; after++) {
        FB_OWNED(fb_http_freep) struct fb_http *http = NULL;

        alloc_fault_arm(after);
        st = fb_http_new("http://127.0.0.1:1", NULL, &http, NULL);
        alloc_fault_disarm();
        assert_true(after > 0 || st == FB_ENOMEM);
        assert_int_equal(http != NULL, st == FB_OK);
    }
    assert_int_equal(st, FB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_http_post__keeps_the_connection),
        cmocka_unit_test(test_http_post__says_what_went_wrong),
        cmocka_unit_test(test_http_post__hands_out_any_status),
        cmocka_unit_test(test_http_post__tells_when_nobody_is_there),
        cmocka_unit_test(test_http_new__refuses_other_urls),
        cmocka_unit_test(test_http_new__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
