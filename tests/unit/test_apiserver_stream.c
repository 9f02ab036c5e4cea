/* SPDX-License-Identifier: Apache-2.0 */
#include "api_scene.h"

#include "fabricbind/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t clock_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* What a reader was handed. */
struct told {
    char text[4096];
    size_t len, pieces;
    const char *refuse; /* fail once this is there */
    atomic_bool *stop;  /* set with the first piece */
    struct api_scene *scene;
};

static enum fb_status take(void *context, const char *bytes, size_t len, struct fb_error *err)
{
    struct told *told = context;

    assert_true(told->len + len < sizeof told->text);
    memcpy(told->text + told->len, bytes, len);
    told->len += len;
    told->pieces++;
    if (told->stop != NULL)
        atomic_store(told->stop, true);
    if (told->refuse != NULL && strstr(told->text, told->refuse) != NULL)
        return fb_error_set(err, FB_EINPUT, "byte 3: '%s'", told->refuse);
    return FB_OK;
}

static bool answer_in_chunks(struct api_peer *peer, const struct api_request *request, int fd)
{
    api_scene_note(peer, request);
    return api_peer_chunks(fd, 200) && api_peer_chunk(fd, "{\"type\":") &&
           api_peer_chunk(fd, "\"ADDED\"}\n") && api_peer_chunk(fd, "");
}

static void test_apiserver_stream__hands_on_the_body_until_it_ends(void **state)
{
    struct api_scene scene;
    atomic_bool stop = false;

    (void)state;
    api_scene_start(&scene, answer_in_chunks);
    for (size_t i = 0; i < 3; i++) {
        struct told told = {.len = 0};
        unsigned status = 0;

        assert_int_equal(fb_apiserver_stream(scene.server, "/api/v1/pods?watch=true", 0, &stop,
                                             take, &told, &status, NULL),
                         FB_OK);
        assert_int_equal(status, 200);
        assert_string_equal(told.text, "{\"type\":\"ADDED\"}\n");
    }
    api_scene_expect_seen(&scene, "GET /api/v1/pods?watch=true HTTP/1.1\r\n");
    api_scene_expect_seen(&scene, "\r\nAuthorization: Bearer abc\r\n");
    assert_int_equal(scene.peer.connections, 1);
    api_scene_stop(&scene);
}

static bool answer_gone(struct api_peer *peer, const struct api_request *request, int fd)
{
    (void)peer;
    (void)request;
    return api_peer_reply(fd, 410, "",
                          "{\"kind\":\"Status\",\"message\":\"too old\",\"code\":410}");
}

static void test_apiserver_stream__keeps_other_answers_to_itself(void **state)
{
    struct api_scene scene;
    struct told told = {.len = 0};
    struct fb_error err = {0};
    unsigned status = 0;

    (void)state;
    api_scene_start(&scene, answer_gone);
    assert_int_equal(fb_apiserver_stream(scene.server, "/w", 0, NULL, take, &told, &status, &err),
                     FB_OK);
    assert_int_equal(status, 410);
    assert_string_equal(err.text, "410: too old");
    assert_int_equal(told.pieces, 0);
    api_scene_stop(&scene);
}

/* A body that does not end, until the other side is gone. */
static bool answer_on_and_on(struct api_peer *peer, const struct api_request *request, int fd)
{
    (void)peer;
    (void)request;
    (void)(api_peer_chunks(fd, 200) && api_peer_chunk(fd, "{}\n") && api_peer_await_end(fd));
    return false;
}

static void test_apiserver_stream__stops_soon(void **state)
{
    struct api_scene scene;
    atomic_bool stop = false;
    struct told told = {.stop = &stop};
    unsigned status = 0;
    int64_t began = clock_ms();

    (void)state;
    api_scene_start(&scene, answer_on_and_on);
    assert_int_equal(fb_apiserver_stream(scene.server, "/w", 0, &stop, take, &told, &status, NULL),
                     FB_OK);
    assert_in_range(clock_ms() - began, 0, 2000);
    assert_int_equal(status, 200);
    assert_int_equal(told.len, 3);
    /* And not at all when it is to stop from the start. */
    assert_int_equal(fb_apiserver_stream(scene.server, "/w", 0, &stop, take, &told, &status, NULL),
                     FB_OK);
    assert_int_equal(status, 0);
    assert_int_equal(scene.peer.requests, 1);
    api_scene_stop(&scene);
}

static bool answer_never(struct api_peer *peer, const struct api_request *request, int fd)
{
    (void)peer;
    (void)request;
    (void)api_peer_await_end(fd);
    return false;
}

static bool answer_cut(struct api_peer *peer, const struct api_request *request, int fd)
{
    (void)peer;
    (void)request;
    (void)(api_peer_chunks(fd, 200) && api_peer_chunk(fd, "{}\n"));
    return false;
}

static void test_apiserver_stream__says_what_went_wrong(void **state)
{
    static const struct {
        api_peer_answer answer;
        const char *refuse;
        enum fb_status st;
        unsigned status;
        const char *want;
    } cases[] = {
        {answer_never, NULL, FB_EIO, 0, "GET /w: no byte for 200 ms"},
        {answer_on_and_on, NULL, FB_EIO, 200, "GET /w: no byte for 200 ms"},
        {answer_cut, NULL, FB_EIO, 200, "GET /w: "},
        {answer_in_chunks, "ADDED", FB_EINPUT, 200, "GET /w: byte 3: 'ADDED'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct api_scene scene;
        struct told told = {.refuse = cases[i].refuse};
        struct fb_error err = {0};
        unsigned status = 7;
        int64_t began = clock_ms();

        api_scene_start(&scene, cases[i].answer);
        assert_int_equal(
            fb_apiserver_stream(scene.server, "/w?x", 200, NULL, take, &told, &status, &err),
            cases[i].st);
        assert_in_range(clock_ms() - began, 0, 2000);
        assert_int_equal(status, cases[i].status);
        if (strncmp(err.text, cases[i].want, strlen(cases[i].want)) != 0)
            fail_msg("%s, not %s", err.text, cases[i].want);
        api_scene_stop(&scene);
    }
}

/* A byte each 20 ms, for longer than the idle time. */
static bool answer_slowly(struct api_peer *peer, const struct api_request *request, int fd)
{
    bool there = api_peer_chunks(fd, 200);

    (void)peer;
    (void)request;
    for (int i = 0; i < 30 && there; i++) {
        there = nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL) == 0 &&
                api_peer_chunk(fd, "x");
    }
    return there && api_peer_chunk(fd, "");
}

static void test_apiserver_stream__takes_its_time_while_bytes_come(void **state)
{
    struct api_scene scene;
    struct told told = {.len = 0};
    unsigned status = 0;
    struct fb_error err = {0};

    (void)state;
    api_scene_start(&scene, answer_slowly);
    if (fb_apiserver_stream(scene.server, "/w", 400, NULL, take, &told, &status, &err) != FB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(told.len, 30);
    api_scene_stop(&scene);
}

static void *stream_until_stopped(void *context)
{
    struct told *told = context;
    unsigned status = 0;

    return fb_apiserver_stream(told->scene->server, "/w", 20000, told->stop, take, told, &status,
                               NULL) == FB_OK
               ? told
               : NULL;
}

#define STREAMS 64 /* as many as there may be */

static void await(const atomic_size_t *counter, size_t want)
{
    for (int i = 0; i < 20000 && atomic_load(counter) != want; i++)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_int_equal(atomic_load(counter), want);
}

static bool answer_head(struct api_peer *peer, const struct api_request *request, int fd)
{
    (void)peer;
    (void)request;
    (void)(api_peer_chunks(fd, 200) && api_peer_await_end(fd));
    return false;
}

static void test_apiserver__has_a_limit_of_connections(void **state)
{
    static struct api_scene scene;
    static struct told told[STREAMS];
    const struct fb_api_call call = {.method = "GET", .path = "/x", .timeout_ms = 100};
    struct fb_api_reply reply = {0};
    struct fb_error err = {0};
    pthread_t threads[STREAMS];
    atomic_bool stop = false;
    int64_t began;

    (void)state;
    api_scene_start(&scene, answer_head);
    for (size_t i = 0; i < STREAMS; i++) {
        told[i] = (struct told){.stop = &stop, .scene = &scene};
        assert_int_equal(pthread_create(&threads[i], NULL, stream_until_stopped, &told[i]), 0);
    }
    await(&scene.peer.requests, STREAMS);
    assert_int_equal(fb_apiserver_call(scene.server, &call, &reply, &err), FB_ELIMIT);
    assert_string_equal(err.text, "GET /x: all 64 connections are in use");
    began = clock_ms();
    atomic_store(&stop, true);
    for (size_t i = 0; i < STREAMS; i++) {
        void *result = NULL;

        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, &told[i]);
    }
    assert_in_range(clock_ms() - began, 0, 3000);
    api_scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apiserver_stream__hands_on_the_body_until_it_ends),
        cmocka_unit_test(test_apiserver_stream__keeps_other_answers_to_itself),
        cmocka_unit_test(test_apiserver_stream__stops_soon),
        cmocka_unit_test(test_apiserver_stream__says_what_went_wrong),
        cmocka_unit_test(test_apiserver_stream__takes_its_time_while_bytes_come),
        cmocka_unit_test(test_apiserver__has_a_limit_of_connections),
    };

    return cmocka_run_group_tests_name("apiserver_stream", tests, NULL, NULL);
}
