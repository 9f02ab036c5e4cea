/* SPDX-License-Identifier: Apache-2.0 */
#include "server_case.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct raw_client client;

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void pause_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&time, NULL);
}

/* Sends a byte every 10 ms until the server has enough, at most 5 s. */
static void drip(struct raw_client *to)
{
    for (int i = 0; i < 500 && raw_text(to, "x"); i++)
        pause_ms(10);
}

static void test_server__answers_a_slow_body_as_the_handler_wants(void **state)
{
    static const struct fb_server_limits limits = {.request_ms = 200};
    static const char want[] = "\"status\":5,\"error\":\"body: not complete after 200 ms\"}";
    struct server_case at;
    struct raw_answer answer;

    (void)state;
    server_case_start(&at, &limits);
    for (int dripping = 0; dripping < 2; dripping++) {
        double begun = now();

        server_case_connect(&at, &client);
        assert_true(
            raw_text(&client, "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 9999\r\n\r\nx"));
        if (dripping == 1)
            drip(&client);
        assert_true(raw_read(&client, false, &answer));
        assert_int_equal(answer.status, 200);
        assert_non_null(strstr(answer.body, want));
        assert_true(now() - begun >= 0.19 && now() - begun < 5.0);
        assert_true(raw_at_end(&client));
        raw_close(&client);
        server_case_await(&at.told, (unsigned)dripping + 1);
        assert_int_equal(at.told_last, 200);
    }
    assert_int_equal(at.finished, 2);
    server_case_connect(&at, &client);
    assert_true(raw_text(&client, "POST /no HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx"));
    server_case_expect(&client, 404, NULL);
    raw_close(&client);
    server_case_stop(&at, 5000);
}

static void test_server__ends_headers_that_drip(void **state)
{
    static const struct fb_server_limits limits = {.request_ms = 200};
    static const char *const starts[] = {
        "",
        "GET /query",
        "GET /query HTTP/1.1\r\nHost: h\r\nA: ",
        /* Behind a request that was answered. */
        "GET /query HTTP/1.1\r\nHost: h\r\n\r\nGET /qu",
    };
    struct server_case at;

    (void)state;
    server_case_start(&at, &limits);
    for (size_t i = 0; i < COUNT(starts); i++) {
        double begun = now();

        server_case_connect(&at, &client);
        assert_true(raw_text(&client, starts[i]));
        drip(&client);
        assert_true(now() - begun < 4.0);
        raw_close(&client);
    }
    server_case_stop(&at, 5000);
}

static void test_server__ends_connections_that_idle(void **state)
{
    static const struct fb_server_limits limits = {.request_ms = 100, .idle_ms = 300};
    struct server_case at;
    double begun;

    (void)state;
    server_case_start(&at, &limits);
    begun = now();
    server_case_connect(&at, &client);
    assert_true(raw_at_end(&client));
    assert_true(now() - begun >= 0.29 && now() - begun < 5.0);
    raw_close(&client);
    server_case_connect(&at, &client);
    assert_true(raw_text(&client, "GET /query?x HTTP/1.1\r\nHost: h\r\n\r\n"));
    server_case_expect(&client, 200, "x");
    begun = now();
    assert_true(raw_at_end(&client));
    assert_true(now() - begun >= 0.29 && now() - begun < 5.0);
    raw_close(&client);
    server_case_stop(&at, 5000);
}

static void *stop_it(void *context)
{
    struct server_case *at = context;

    fb_server_stop(at->server, 10000);
    return NULL;
}

/* Wait until nobody listens any more. */
static void await_closed(const struct server_case *at)
{
    for (int i = 0; i < 20000 && raw_connect(&client, at->port); i++) {
        raw_close(&client);
        pause_ms(1);
    }
    assert_int_equal(client.fd, -1);
}

static void test_server_stop__answers_what_is_under_way(void **state)
{
    struct raw_client *clients = calloc(4, sizeof *clients);
    struct raw_answer answer;
    struct server_case at;
    pthread_t stopper;

    (void)state;
    assert_non_null(clients);
    server_case_start(&at, NULL);
    for (size_t i = 0; i < 4; i++)
        server_case_connect(&at, &clients[i]);
    /* In the handler; in mid-body; idle after a request; idle from the start. */
    assert_true(raw_post(&clients[1], "/sum", "a", 1, 0));
    server_case_expect(&clients[1], 200, NULL);
    assert_true(
        raw_text(&clients[1], "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\na"));
    server_case_await(&at.begun, 2);
    assert_true(raw_post(&clients[2], "/sum", "a", 1, 0));
    server_case_expect(&clients[2], 200, NULL);
    /* An answer can be read before its request is over, and /slow stops the thread that ends it. */
    server_case_await(&at.told, 2);
    assert_true(raw_post(&clients[0], "/slow", "a", 1, 0));
    server_case_await(&at.begun, 4);

    assert_int_equal(pthread_create(&stopper, NULL, stop_it, &at), 0);
    await_closed(&at);
    assert_true(raw_at_end(&clients[2]));
    assert_true(raw_at_end(&clients[3]));
    assert_true(raw_text(&clients[1], "b"));
    atomic_store(&at.gate, true);
    for (size_t i = 0; i < 2; i++) {
        assert_true(raw_read(&clients[i], false, &answer));
        assert_int_equal(answer.status, 200);
        assert_non_null(strcasestr(answer.head, "\r\nConnection: close\r\n"));
        assert_true(raw_at_end(&clients[i]));
    }
    assert_int_equal(pthread_join(stopper, NULL), 0);
    assert_int_equal(at.finished, 4);
    for (size_t i = 0; i < 4; i++)
        raw_close(&clients[i]);
    free(clients);
}

static void test_server_stop__does_not_wait_for_those_who_are_gone(void **state)
{
    struct server_case at;
    double begun;

    (void)state;
    for (int i = 0; i < 20; i++) {
        server_case_start(&at, NULL);
        server_case_connect(&at, &client);
        assert_true(
            raw_text(&client, "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf"));
        if (i % 2 == 1)
            server_case_await(&at.begun, 1);
        raw_close(&client);
        begun = now();
        server_case_stop(&at, 20000);
        assert_true(now() - begun < 5.0);
    }
}

static void test_server_stop__waits_no_longer_than_told(void **state)
{
    struct server_case at;
    double begun;

    (void)state;
    server_case_start(&at, NULL);
    server_case_connect(&at, &client);
    assert_true(
        raw_text(&client, "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf"));
    server_case_await(&at.begun, 1);
    begun = now();
    server_case_stop(&at, 300);
    assert_true(now() - begun >= 0.29 && now() - begun < 5.0);
    assert_int_equal(at.dropped, 1);
    assert_true(raw_at_end(&client));
    raw_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server__answers_a_slow_body_as_the_handler_wants),
        cmocka_unit_test(test_server__ends_headers_that_drip),
        cmocka_unit_test(test_server__ends_connections_that_idle),
        cmocka_unit_test(test_server_stop__answers_what_is_under_way),
        cmocka_unit_test(test_server_stop__does_not_wait_for_those_who_are_gone),
        cmocka_unit_test(test_server_stop__waits_no_longer_than_told),
    };

    return cmocka_run_group_tests_name("server time", tests, NULL, NULL);
}
