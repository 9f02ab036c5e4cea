/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc_fault.h"
#include "server_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static struct raw_client client;

static void test_server__answers_by_the_table_of_routes(void **state)
{
    static const struct {
        const char *request;
        unsigned status;
        const char *body, *header;
    } cases[] = {
        {"GET /query?a=b%20c&d HTTP/1.1\r\nHost: h\r\n\r\n", 200, "a=b%20c&d",
         "\r\nContent-Type: text/plain\r\n"},
        {"GET /query HTTP/1.1\r\nHost: h\r\n\r\n", 200, "", "\r\nContent-Length: 0\r\n"},
        {"GET /sum?x HTTP/1.1\r\nHost: h\r\n\r\n", 200, "x", ""},
        {"POST /sum?y HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na", 200,
         "{\"bytes\":1,\"sum\":97,\"status\":0,\"error\":\"\"}",
         "\r\nContent-Type: application/json\r\n"},
        {"POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 200,
         "{\"bytes\":0,\"sum\":0,\"status\":0,\"error\":\"\"}", ""},
        {"POST /empty HTTP/1.1\r\nHost: h\r\n\r\n", 200, "", "\r\nContent-Length: 0\r\n"},
        {"GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n", 404, "{\"error\":\"no such path\"}\n",
         "\r\nContent-Type: application/json\r\n"},
        {"POST /sum/ HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", 404,
         "{\"error\":\"no such path\"}\n", ""},
        {"GET /empty HTTP/1.1\r\nHost: h\r\n\r\n", 405,
         "{\"error\":\"this path does not take this method\"}\n", "\r\nAllow: POST\r\n"},
        {"POST /query HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", 405, NULL,
         "\r\nAllow: GET, HEAD\r\n"},
        {"BREW /sum HTTP/1.1\r\nHost: h\r\n\r\n", 405, NULL, "\r\nAllow: POST, GET, HEAD\r\n"},
        {"POST /nothing HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", 200,
         "{\"bytes\":0,\"sum\":0,\"status\":4,\"error\":\"out of memory\"}", ""},
        {"POST /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\na!b", 200,
         "{\"bytes\":3,\"sum\":0,\"status\":1,\"error\":\"body: has a '!'\"}", ""},
    };
    struct server_case at;

    (void)state;
    server_case_start(&at, NULL);
    server_case_connect(&at, &client);
    /* All over one connection: none of these ends it. */
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct raw_answer answer;

        assert_true(raw_text(&client, cases[i].request));
        assert_true(raw_read(&client, false, &answer));
        assert_int_equal(answer.status, cases[i].status);
        if (cases[i].body != NULL)
            assert_string_equal(answer.body, cases[i].body);
        if (strstr(answer.head, cases[i].header) == NULL)
            fail_msg("no '%s' in '%s'", cases[i].header, answer.head);
        assert_null(strstr(answer.head, "chunked"));
        server_case_await(&at.told, (unsigned)i + 1);
        assert_int_equal(at.told_last, cases[i].status);
    }
    raw_close(&client);
    server_case_stop(&at, 5000);
}

static void test_server__answers_head_with_the_length_only(void **state)
{
    struct server_case at;
    struct raw_answer answer;

    (void)state;
    server_case_start(&at, NULL);
    server_case_connect(&at, &client);
    assert_true(raw_text(&client, "HEAD /query?12345 HTTP/1.1\r\nHost: h\r\n\r\n"));
    assert_true(raw_read(&client, true, &answer));
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.len, 5);
    /* What follows is the next answer, not the body. */
    assert_true(raw_text(&client, "GET /query?6 HTTP/1.1\r\nHost: h\r\n\r\n"));
    server_case_expect(&client, 200, "6");
    raw_close(&client);
    server_case_stop(&at, 5000);
}

static void test_server__takes_bodies_in_pieces_of_any_size(void **state)
{
    static const struct {
        size_t len, piece;
    } cases[] = {
        {600, 1}, {5000, 7}, {200000, 65536}, {25000, 0}, {1000000, 0}, {1, 0}, {0, 0},
    };
    struct server_case at;
    char *body = malloc(1000000);
    char text[128];

    (void)state;
    assert_non_null(body);
    memset(body, 'z', 1000000);
    server_case_start(&at, NULL);
    server_case_connect(&at, &client);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *want = server_case_sum(cases[i].len, 'z', text, sizeof text);

        assert_true(raw_post(&client, "/sum", body, cases[i].len, cases[i].piece));
        server_case_expect(&client, 200, want);
        assert_true(raw_post_chunked(&client, "/sum", body, cases[i].len, cases[i].piece));
        server_case_expect(&client, 200, want);
    }
    raw_close(&client);
    server_case_stop(&at, 5000);
    free(body);
}

static void test_server__answers_pipelined_requests_in_order(void **state)
{
    struct server_case at;

    (void)state;
    server_case_start(&at, NULL);
    server_case_connect(&at, &client);
    assert_true(raw_text(&client, "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na"
                                  "GET /query?second HTTP/1.1\r\nHost: h\r\n\r\n"
                                  "POST /sum HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
                                  "chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n"
                                  "GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n"));
    server_case_expect(&client, 200, "{\"bytes\":1,\"sum\":97,\"status\":0,\"error\":\"\"}");
    server_case_expect(&client, 200, "second");
    server_case_expect(&client, 200, "{\"bytes\":1,\"sum\":98,\"status\":0,\"error\":\"\"}");
    server_case_expect(&client, 404, NULL);
    raw_close(&client);
    server_case_stop(&at, 5000);
}

static void test_server__answers_expect_before_the_body(void **state)
{
    struct server_case at;
    struct raw_answer answer;

    (void)state;
    server_case_start(&at, NULL);
    server_case_connect(&at, &client);
    assert_true(raw_text(&client, "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n"
                                  "Expect: 100-continue\r\n\r\n"));
    assert_true(raw_read(&client, true, &answer));
    assert_int_equal(answer.status, 100);
    assert_true(raw_text(&client, "c"));
    server_case_expect(&client, 200, "{\"bytes\":1,\"sum\":99,\"status\":0,\"error\":\"\"}");
    raw_close(&client);
    server_case_stop(&at, 5000);
}

static void test_server__answers_who_sends_no_more(void **state)
{
    struct server_case at;

    (void)state;
    server_case_start(&at, NULL);
    server_case_connect(&at, &client);
    assert_true(raw_text(&client, "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na"));
    assert_int_equal(shutdown(client.fd, SHUT_WR), 0);
    server_case_expect(&client, 200, NULL);
    assert_true(raw_at_end(&client));
    raw_close(&client);
    server_case_stop(&at, 5000);
}

static void test_server_start__refuses_what_is_no_address(void **state)
{
    static const struct {
        const char *address;
        enum fb_status st;
        const char *want;
    } cases[] = {
        {"", FB_EINPUT, ": is no address, want host:port"},
        {"9712", FB_EINPUT, "9712: is no address, want host:port"},
        {":9712", FB_EINPUT, ":9712: is no address, want host:port"},
        {"127.0.0.1:", FB_EINPUT, "127.0.0.1:: is no address, want host:port"},
        {"127.0.0.1:65536", FB_EINPUT, "127.0.0.1:65536: is no address, want host:port"},
        {"127.0.0.1:http", FB_EINPUT, "127.0.0.1:http: is no address, want host:port"},
        {"::1:80", FB_EINPUT, "::1:80: is no address, want host:port"},
        {"[]:80", FB_EINPUT, "[]:80: is no address, want host:port"},
        {"203.0.113.7:0", FB_EIO, "203.0.113.7:0: Cannot assign requested address"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_server *server = NULL;
        struct fb_error err = {0};

        assert_int_equal(
            fb_server_start(&(struct fb_server_setup){.address = cases[i].address}, &server, &err),
            cases[i].st);
        assert_string_equal(err.text, cases[i].want);
        assert_null(server);
    }
}

static void test_server_start__says_that_a_port_is_taken(void **state)
{
    struct fb_server *first = NULL;
    struct fb_server *second = NULL;
    struct fb_error err = {0};
    char address[64];
    char want[128];

    (void)state;
    assert_int_equal(
        fb_server_start(&(struct fb_server_setup){.address = "localhost:0"}, &first, NULL), FB_OK);
    (void)snprintf(address, sizeof address, "localhost:%u", fb_server_port(first));
    (void)snprintf(want, sizeof want, "%s: Address already in use", address);
    assert_int_equal(fb_server_start(&(struct fb_server_setup){.address = address}, &second, &err),
                     FB_EIO);
    assert_string_equal(err.text, want);
    fb_server_stop(first, 0);
    fb_server_stop(NULL, 0);
}

static void test_server_start__copes_without_memory(void **state)
{
    struct fb_server *server = NULL;
    struct fb_error err = {0};

    (void)state;
    for (int after = 0; after < 2; after++) {
        enum fb_status st;

        alloc_fault_arm(after);
        st = fb_server_start(&(struct fb_server_setup){.address = "127.0.0.1:0"}, &server, &err);
        alloc_fault_disarm();
        assert_int_equal(st, FB_ENOMEM);
        assert_string_equal(err.text, "out of memory");
    }
    assert_null(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server__answers_by_the_table_of_routes),
        cmocka_unit_test(test_server__answers_head_with_the_length_only),
        cmocka_unit_test(test_server__takes_bodies_in_pieces_of_any_size),
        cmocka_unit_test(test_server__answers_pipelined_requests_in_order),
        cmocka_unit_test(test_server__answers_expect_before_the_body),
        cmocka_unit_test(test_server__answers_who_sends_no_more),
        cmocka_unit_test(test_server_start__refuses_what_is_no_address),
        cmocka_unit_test(test_server_start__says_that_a_port_is_taken),
        cmocka_unit_test(test_server_start__copes_without_memory),
    };

    return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
