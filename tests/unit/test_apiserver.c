/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "api_scene.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool answer_hello(struct api_peer *peer, const struct api_request *request, int fd)
{
    api_scene_note(peer, request);
    return api_peer_reply(fd, 201, "", "hello");
}

static void test_apiserver_call__sends_what_it_is_told(void **state)
{
    static const struct {
        struct fb_api_call call;
        const char *line, *type, *end;
    } cases[] = {
        {{.method = "GET", .path = "/api/v1/pods?limit=5"},
         "GET /api/v1/pods?limit=5 HTTP/1.1\r\n",
         NULL,
         "\r\n\r\n"},
        {{.method = "POST", .path = "/a", .body = "{\"x\":1}", .len = 7},
         "POST /a HTTP/1.1\r\n",
         "application/json",
         "\r\n\r\n{\"x\":1}"},
        {{.method = "PUT", .path = "/b", .body = "{}", .len = 2},
         "PUT /b HTTP/1.1\r\n",
         "application/json",
         "Content-Length: 2\r\n"},
        {{.method = "PATCH",
          .path = "/c",
          .type = "application/merge-patch+json",
          .body = "{}",
          .len = 2},
         "PATCH /c HTTP/1.1\r\n",
         "application/merge-patch+json",
         "\r\n\r\n{}"},
        {{.method = "DELETE", .path = "/d"}, "DELETE /d HTTP/1.1\r\n", NULL, "\r\n\r\n"},
        {{.method = "POST", .path = "/e"}, "POST /e HTTP/1.1\r\n", NULL, "Content-Length: 0\r\n"},
    };
    struct api_scene scene;

    (void)state;
    api_scene_start(&scene, answer_hello);
    assert_string_equal(fb_apiserver_space(scene.server), "ml");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_api_reply reply = {0};
        char type[128];

        assert_int_equal(fb_apiserver_call(scene.server, &cases[i].call, &reply, NULL), FB_OK);
        assert_int_equal(reply.status, 201);
        assert_string_equal(reply.body, "hello");
        fb_api_reply_fini(&reply);
        api_scene_expect_seen(&scene, cases[i].line);
        api_scene_expect_seen(&scene, "\r\nAuthorization: Bearer abc\r\n");
        api_scene_expect_seen(&scene, "\r\nUser-Agent: fabricbind/" FB_VERSION "\r\n");
        api_scene_expect_seen(&scene, "\r\nAccept: application/json\r\n");
        api_scene_expect_seen(&scene, cases[i].end);
        api_scene_expect_unseen(&scene, "\r\nExpect");
        if (cases[i].type == NULL)
            continue;
        (void)snprintf(type, sizeof type, "\r\nContent-Type: %s\r\n", cases[i].type);
        api_scene_expect_seen(&scene, type);
    }
    assert_int_equal(scene.peer.connections, 1); /* kept between calls */
    api_scene_stop(&scene);
}

static bool answer_by_number(struct api_peer *peer, const struct api_request *request, int fd)
{
    (void)peer;
    switch (request->number) {
    case 1:
        return api_peer_reply(fd, 429, "Retry-After: 7\r\n", "{\"message\":\"too many\"}");
    case 2:
        return api_peer_reply(fd, 409, "",
                              "{\"kind\":\"Status\",\"message\":\"changed\\nmeanwhile\"}");
    case 3:
        return api_peer_reply(fd, 302, "Location: http://127.0.0.1:1/\r\n", "");
    default:
        return api_peer_reply(fd, 500, "", "down\n");
    }
}

static void test_apiserver_call__hands_out_any_status(void **state)
{
    static const struct {
        unsigned status, retry_after_s;
        const char *want;
    } cases[] = {
        {429, 7, "429: too many"},
        {409, 0, "409: changed?meanwhile"},
        {302, 0, "302: "},
        {500, 0, "500: down"},
    };
    struct api_scene scene;

    (void)state;
    api_scene_start(&scene, answer_by_number);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fb_api_call call = {.method = "GET", .path = "/x"};
        struct fb_api_reply reply = {0};
        struct fb_error err = {0};

        assert_int_equal(fb_apiserver_call(scene.server, &call, &reply, NULL), FB_OK);
        assert_int_equal(reply.status, cases[i].status);
        assert_int_equal(reply.retry_after_s, cases[i].retry_after_s);
        assert_int_equal(fb_api_reply_error(&reply, FB_ELIMIT, &err), FB_ELIMIT);
        assert_string_equal(err.text, cases[i].want);
        fb_api_reply_fini(&reply);
    }
    api_scene_stop(&scene);
}

/* By the path: too much, cut, silent. */
static bool answer_badly(struct api_peer *peer, const struct api_request *request, int fd)
{
    char piece[65536] = "";

    (void)peer;
    if (strncmp(request->line, "GET /long ", 10) == 0) {
        (void)api_peer_send(fd, "HTTP/1.1 200 X\r\n\r\n");
        memset(piece, 'x', sizeof piece - 1);
        while (api_peer_send(fd, piece)) {
        }
        return false;
    }
    if (strncmp(request->line, "GET /cut ", 9) == 0)
        return api_peer_send(fd, "HTTP/1.1 200 X\r\nContent-Length: 99\r\n\r\ncut") && false;
    (void)api_peer_await_end(fd);
    return false;
}

static void test_apiserver_call__says_what_went_wrong(void **state)
{
    static char path[8002];
    const struct {
        const char *path;
        enum fb_status st;
        const char *want;
    } cases[] = {
        {"/silent?continue=x", FB_EIO, "GET /silent: no answer within 150 ms"},
        {"/cut", FB_EIO, "GET /cut: "},
        {"/long", FB_ELIMIT, "GET /long: answer of more than 67108864 bytes"},
        {path, FB_ELIMIT, ": the path is too long"},
    };
    struct api_scene scene;

    (void)state;
    memset(path, 'a', sizeof path - 1);
    path[0] = '/';
    api_scene_start(&scene, answer_badly);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fb_api_call call = {
            .method = "GET", .path = cases[i].path, .timeout_ms = i == 0 ? 150 : 0};
        struct fb_api_reply reply = {.status = 7};
        struct fb_error err = {0};

        assert_int_equal(fb_apiserver_call(scene.server, &call, &reply, &err), cases[i].st);
        if (strstr(err.text, cases[i].want) == NULL)
            fail_msg("%s, not %s", err.text, cases[i].want);
        assert_int_equal(reply.status, 7);
    }
    api_scene_stop(&scene);
}

static void test_apiserver_call__tells_when_nobody_is_there(void **state)
{
    const struct fb_api_call call = {.method = "GET", .path = "/x"};
    struct fb_api_reply reply = {0};
    struct fb_error err = {0};
    struct api_scene scene;

    (void)state;
    api_scene_start(&scene, answer_hello);
    api_peer_stop(&scene.peer);
    assert_int_equal(fb_apiserver_call(scene.server, &call, &reply, &err), FB_EIO);
    assert_non_null(strstr(err.text, "GET /x: "));
    fb_apiserver_free(scene.server);
    fb_metrics_free(scene.metrics);
    (void)pthread_mutex_destroy(&scene.lock);
}

static void test_apiserver__survives_a_lack_of_memory(void **state)
{
    enum fb_status st = FB_ENOMEM;
    struct api_scene scene;

    (void)state;
    api_scene_start(&scene, answer_hello);
    for (int after = 0; st == FB_ENOMEM && after < 1000; after++) {
        const struct fb_access access = {
            .server = "http://127.0.0.1:1", .token = "abc", .space = "ml"};
        FB_OWNED(fb_apiserver_freep) struct fb_apiserver *server = NULL;

        alloc_fault_arm(after);
        st = fb_apiserver_new(&access, NULL, &server, NULL);
        alloc_fault_disarm();
        assert_true(after > 0 || st == FB_ENOMEM);
        assert_int_equal(server != NULL, st == FB_OK);
    }
    assert_int_equal(st, FB_OK);
    api_scene_expect_get(&scene, 201, "hello");
    api_scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apiserver_call__sends_what_it_is_told),
        cmocka_unit_test(test_apiserver_call__hands_out_any_status),
        cmocka_unit_test(test_apiserver_call__says_what_went_wrong),
        cmocka_unit_test(test_apiserver_call__tells_when_nobody_is_there),
        cmocka_unit_test(test_apiserver__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("apiserver", tests, NULL, NULL);
}
