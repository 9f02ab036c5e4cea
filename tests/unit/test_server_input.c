/* SPDX-License-Identifier: Apache-2.0 */
#include "server_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define MIB ((size_t)1024 * 1024)

static struct raw_client client;

/* @text, @count times; free() it. */
static char *repeat(const char *text, size_t count)
{
    size_t len = strlen(text);
    char *all = malloc(len * count + 1);

    assert_non_null(all);
    for (size_t i = 0; i < count; i++)
        memcpy(all + i * len, text, len);
    all[len * count] = '\0';
    return all;
}

/* The server is well: a new connection is answered. */
static void expect_well(const struct server_case *at)
{
    struct raw_client *other = malloc(sizeof *other);

    assert_non_null(other);
    server_case_connect(at, other);
    assert_true(raw_text(other, "GET /query?well HTTP/1.1\r\nHost: h\r\n\r\n"));
    server_case_expect(other, 200, "well");
    raw_close(other);
    free(other);
}

static void test_server__ends_what_is_no_http(void **state)
{
    static const struct {
        const char *sent;
        unsigned status; /* 0: closed without an answer */
    } cases[] = {
        {"\r\n\r\nGET\r\n\r\n", 0},
        {"hello\r\n\r\n", 0},
        {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 0},
        {"GET /query HTTP/9.9\r\nHost: h\r\n\r\n", 505},
        {"POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n", 400},
        {"POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400},
        {"POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", 413},
        {"POST /sum HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
        {"POST /sum HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
         "fffffffffffffffff\r\n",
         413},
        {"POST /sum HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400},
    };
    struct server_case at;

    (void)state;
    server_case_start(&at, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct raw_answer answer = {.status = 0};

        server_case_connect(&at, &client);
        assert_true(raw_text(&client, cases[i].sent));
        (void)shutdown(client.fd, SHUT_WR);
        (void)raw_read(&client, false, &answer);
        if (answer.status != cases[i].status)
            fail_msg("case %zu: %u instead of %u", i, answer.status, cases[i].status);
        /* The library may send the head of its own answers twice, as the last of a connection. */
        assert_true(raw_drain(&client));
        raw_close(&client);
    }
    expect_well(&at);
    server_case_stop(&at, 5000);
}

static void test_server__ends_floods_of_headers(void **state)
{
    static const struct {
        const char *line;
        size_t count;
        unsigned status;
    } cases[] = {
        {"A: b\r\n", 98, 200},     {"A: b\r\n", 100, 431},    {"A: b\r\n", 20000, 431},
        {"0123456789", 1500, 200}, {"0123456789", 1700, 431}, {"0123456789", 100000, 431},
    };
    struct server_case at;

    (void)state;
    server_case_start(&at, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *lines = repeat(cases[i].line, cases[i].count);
        bool one = strchr(cases[i].line, '\n') == NULL;

        server_case_connect(&at, &client);
        assert_true(raw_text(&client, "GET /query HTTP/1.1\r\nHost: h\r\n"));
        (void)(!one || raw_text(&client, "Long: "));
        /* Where the server has enough before all is sent, the rest does not arrive. */
        if (raw_text(&client, lines))
            (void)raw_text(&client, one ? "\r\n\r\n" : "\r\n");
        free(lines);
        if (cases[i].count < 20000)
            server_case_expect(&client, cases[i].status, NULL);
        if (cases[i].status == 431) {
            struct raw_answer answer;

            while (raw_read(&client, false, &answer))
                assert_int_equal(answer.status, 431);
            assert_true(raw_drain(&client));
        }
        raw_close(&client);
    }
    expect_well(&at);
    server_case_stop(&at, 5000);
}

static void test_server__refuses_a_body_by_its_limit(void **state)
{
    static const struct fb_server_limits limits = {.body_bytes = 1000};
    static const char too_long[] =
        "\"sum\":0,\"status\":2,\"error\":\"body: more than 1000 bytes\"}";
    struct server_case at;
    char *body = repeat("x", 1001);
    char text[256];

    (void)state;
    server_case_start(&at, &limits);
    server_case_connect(&at, &client);
    assert_true(raw_post(&client, "/sum", body, 1000, 0));
    server_case_expect(&client, 200, server_case_sum(1000, 'x', text, sizeof text));
    assert_true(raw_post_chunked(&client, "/sum", body, 1000, 10));
    server_case_expect(&client, 200, server_case_sum(1000, 'x', text, sizeof text));
    /* By its Content-Length, nothing is fed; the connection goes on. */
    assert_true(raw_post(&client, "/sum", body, 1001, 0));
    (void)snprintf(text, sizeof text, "{\"bytes\":0,%s", too_long);
    server_case_expect(&client, 200, text);
    /* Chunks are fed as far as they fit. */
    assert_true(raw_post_chunked(&client, "/sum", body, 1001, 1000));
    server_case_expect(&client, 200,
                       "{\"bytes\":1000,\"sum\":120000,\"status\":2,\"error\":\"body: more than "
                       "1000 bytes\"}");
    raw_close(&client);
    server_case_stop(&at, 5000);
    free(body);
}

/* Resident memory that is the process's own, in KiB. */
static unsigned long own_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    unsigned long kib = 0;
    char line[256];

    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "RssAnon:", 8) == 0)
            kib = strtoul(line + 8, NULL, 10);
    }
    (void)fclose(file);
    return kib;
}

static void test_server__does_not_keep_what_it_drops(void **state)
{
    static const struct fb_server_limits limits = {.body_bytes = MIB};
    struct server_case at;
    char *body = repeat("y", 200 * MIB);
    unsigned long before;

    (void)state;
    server_case_start(&at, &limits);
    server_case_connect(&at, &client);
    expect_well(&at);
    before = own_kib();
    assert_true(raw_post(&client, "/sum", body, 200 * MIB, 0));
    server_case_expect(&client, 200, NULL);
    assert_true(raw_post_chunked(&client, "/sum", body, 40 * MIB, MIB));
    server_case_expect(&client, 200, NULL);
    assert_true(own_kib() < before + 4096);
    raw_close(&client);
    server_case_stop(&at, 5000);
    free(body);
}

static void test_server__notices_at_once_that_a_peer_is_gone(void **state)
{
    static const char *const cases[] = {
        "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n",
        "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf",
        "POST /sum HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "POST /sum HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nha",
        "POST /sum HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n",
    };
    struct server_case at;
    unsigned dropped = 0;

    (void)state;
    server_case_start(&at, NULL);
    /* With the last bytes on the same heels, and after they were read: both are seen. */
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < COUNT(cases); i++) {
            server_case_connect(&at, &client);
            assert_true(raw_text(&client, cases[i]));
            if (round % 2 == 1)
                server_case_await(&at.begun, dropped + 1);
            raw_close(&client);
            server_case_await(&at.dropped, ++dropped);
            server_case_await(&at.told, dropped);
            assert_int_equal(at.told_last, 0);
        }
    }
    expect_well(&at);
    server_case_stop(&at, 5000);
}

static void test_server__notices_a_reset(void **state)
{
    static const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    struct server_case at;

    (void)state;
    server_case_start(&at, NULL);
    server_case_connect(&at, &client);
    assert_true(raw_text(&client, "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nh"));
    server_case_await(&at.begun, 1);
    assert_int_equal(setsockopt(client.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    raw_close(&client);
    server_case_await(&at.dropped, 1);
    server_case_stop(&at, 5000);
}

static void test_server__refuses_connections_beyond_its_limit(void **state)
{
    static const struct fb_server_limits limits = {.connections = 3};
    struct raw_client *clients = calloc(4, sizeof *clients);
    struct server_case at;

    (void)state;
    assert_non_null(clients);
    server_case_start(&at, &limits);
    for (size_t i = 0; i < 3; i++) {
        server_case_connect(&at, &clients[i]);
        assert_true(raw_text(&clients[i], "GET /query?in HTTP/1.1\r\nHost: h\r\n\r\n"));
        server_case_expect(&clients[i], 200, "in");
    }
    server_case_connect(&at, &clients[3]);
    assert_true(raw_at_end(&clients[3]));
    raw_close(&clients[3]);
    /* One that goes makes room for another, as soon as its end is seen. */
    raw_close(&clients[0]);
    for (int i = 0; i < 1000; i++) {
        struct raw_answer answer;

        server_case_connect(&at, &clients[0]);
        if (raw_text(&clients[0], "GET /query?in HTTP/1.1\r\nHost: h\r\n\r\n") &&
            raw_read(&clients[0], false, &answer))
            break;
        raw_close(&clients[0]);
    }
    assert_true(clients[0].fd >= 0);
    for (size_t i = 0; i < 3; i++)
        raw_close(&clients[i]);
    server_case_stop(&at, 5000);
    free(clients);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server__ends_what_is_no_http),
        cmocka_unit_test(test_server__ends_floods_of_headers),
        cmocka_unit_test(test_server__refuses_a_body_by_its_limit),
        cmocka_unit_test(test_server__does_not_keep_what_it_drops),
        cmocka_unit_test(test_server__notices_at_once_that_a_peer_is_gone),
        cmocka_unit_test(test_server__notices_a_reset),
        cmocka_unit_test(test_server__refuses_connections_beyond_its_limit),
    };

    return cmocka_run_group_tests_name("server input", tests, NULL, NULL);
}
