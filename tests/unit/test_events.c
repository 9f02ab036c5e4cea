/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

#include "alloc_fault.h"
#include "api_scene.h"
#include "events_recent.h"
#include "log.h"
#include "metrics_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Each end of it is another name. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

/* What the peer does. */
static atomic_uint post_status, patch_status;
static atomic_bool held; /* answers wait until this is false */

static void wait_ms(long ms)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static int64_t clock_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool answer(struct api_peer *peer, const struct api_request *request, int fd)
{
    bool post = strncmp(request->line, "POST ", 5) == 0;

    api_scene_note(peer, request);
    for (int i = 0; i < 20000 && atomic_load(&held) && !atomic_load(&peer->ending); i++)
        wait_ms(1);
    return api_peer_reply(fd, atomic_load(post ? &post_status : &patch_status), "",
                          "{\"message\":\"so it is\"}");
}

static void start(struct api_scene *scene, const struct fb_events_limits *limits,
                  struct fb_events **ret)
{
    atomic_store(&post_status, 201);
    atomic_store(&patch_status, 200);
    atomic_store(&held, false);
    api_scene_start(scene, answer);
    assert_int_equal(fb_events_new(scene->server, scene->metrics, limits, ret, NULL), FB_OK);
}

static void stop(struct api_scene *scene, struct fb_events *events)
{
    fb_events_stop(events);
    api_scene_stop(scene);
}

static void tell(struct fb_events *events, const char *name)
{
    fb_events_tell(events, &(struct fb_event){.kind = "Job",
                                              .api_version = "batch/v1",
                                              .space = "ml",
                                              .name = name,
                                              .uid = "1",
                                              .reason = "FabricFull",
                                              .note = "no room",
                                              .warning = true});
}

/* Wait until the metric says so. */
static void await_result(struct api_scene *scene, const char *result, unsigned want)
{
    char line[96];
    bool found = false;

    (void)snprintf(line, sizeof line, "\nfabricbind_events_total{result=\"%s\"} %u\n", result,
                   want);
    for (int i = 0; i < 20000 && !found; i++) {
        size_t len = 0;
        char *text = fb_metrics_print(scene->metrics, &len);

        found = text != NULL && strstr(text, line) != NULL;
        free(text);
        if (!found)
            wait_ms(1);
    }
    if (!found)
        fail_msg("no %s", line + 1);
}

static void await_request(struct api_scene *scene)
{
    for (int i = 0; i < 20000 && atomic_load(&scene->peer.requests) == 0; i++)
        wait_ms(1);
    assert_int_equal(scene->peer.requests, 1);
}

static void test_events__sends_one_for_the_same_thing(void **state)
{
    struct api_scene scene;
    struct fb_events *events = NULL;

    (void)state;
    start(&scene, NULL, &events);
    tell(events, "a");
    await_result(&scene, "sent", 1);
    api_scene_expect_seen(&scene, "POST /apis/events.k8s.io/v1/namespaces/ml/events HTTP/1.1\r\n");
    api_scene_expect_seen(&scene, "\r\nContent-Type: application/json\r\n");
    api_scene_expect_seen(&scene, "\"regarding\":{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\","
                                  "\"name\":\"a\",\"namespace\":\"ml\",\"uid\":\"1\"}}");
    tell(events, "a");
    tell(events, "b");
    tell(events, "a");
    await_result(&scene, "merged", 2);
    await_result(&scene, "sent", 2);
    assert_int_equal(scene.peer.requests, 2);
    stop(&scene, events);
}

static void test_events__brings_the_count_up_to_date(void **state)
{
    const struct fb_events_limits limits = {.again_ms = 1};
    struct api_scene scene;
    struct fb_events *events = NULL;

    (void)state;
    start(&scene, &limits, &events);
    tell(events, "a");
    await_result(&scene, "sent", 1);
    for (unsigned i = 1; i <= 3; i++) {
        wait_ms(3);
        tell(events, "a");
        await_result(&scene, "repeated", i);
    }
    api_scene_expect_seen(&scene, "PATCH /apis/events.k8s.io/v1/namespaces/ml/events/a.");
    api_scene_expect_seen(&scene, "\r\nContent-Type: application/merge-patch+json\r\n");
    api_scene_expect_seen(&scene, "{\"series\":{\"count\":4,\"lastObservedTime\":\"");
    /* Once it is gone, the next one makes it anew. */
    atomic_store(&patch_status, 404);
    wait_ms(3);
    tell(events, "a");
    await_result(&scene, "failed", 1);
    tell(events, "a");
    await_result(&scene, "sent", 2);
    stop(&scene, events);
}

static void test_events__has_a_rate(void **state)
{
    const struct fb_events_limits limits = {.burst = 2, .each_s = 0.0001};
    struct api_scene scene;
    struct fb_events *events = NULL;

    (void)state;
    start(&scene, &limits, &events);
    tell(events, "a");
    tell(events, "b");
    tell(events, "c");
    tell(events, "c"); /* was not sent, so it is not a repeated one */
    tell(events, "a");
    await_result(&scene, "limited", 2);
    await_result(&scene, "merged", 1);
    await_result(&scene, "sent", 2);
    stop(&scene, events);
}

static void test_events_tell__never_waits(void **state)
{
    const struct fb_events_limits limits = {.queued = 2};
    struct api_scene scene;
    struct fb_events *events = NULL;
    int64_t began;

    (void)state;
    start(&scene, &limits, &events);
    atomic_store(&held, true);
    tell(events, "a");
    await_request(&scene);
    began = clock_ms();
    tell(events, "b");
    tell(events, "c");
    tell(events, "d");
    tell(events, "e");
    assert_in_range(clock_ms() - began, 0, 1000);
    await_result(&scene, "dropped", 2);
    atomic_store(&held, false);
    await_result(&scene, "sent", 3);
    stop(&scene, events);
}

static void test_events_tell__drops_what_is_none(void **state)
{
    static char note[9000];
    struct api_scene scene;
    struct fb_events *events = NULL;
    struct fb_event event = {.kind = "Node", .api_version = "v1", .name = "n", .note = note};

    (void)state;
    memset(note, 'a', sizeof note - 1);
    start(&scene, NULL, &events);
    fb_events_tell(events, &event);
    event.reason = "MissingNICs";
    fb_events_tell(events, &event);
    note[100] = '\0';
    alloc_fault_arm(0);
    fb_events_tell(events, &event);
    alloc_fault_disarm();
    await_result(&scene, "dropped", 3);
    assert_int_equal(scene.peer.requests, 0);
    fb_events_tell(events, &event);
    await_result(&scene, "sent", 1);
    stop(&scene, events);
    fb_events_tell(NULL, &event);
}

static void test_events__tells_of_failures_once(void **state)
{
    FILE *log = tmpfile();
    struct api_scene scene;
    struct fb_events *events = NULL;
    char text[4096];
    ssize_t len;

    (void)state;
    assert_non_null(log);
    fb_log_setup(fileno(log), FB_LOG_DEBUG, false);
    start(&scene, NULL, &events);
    atomic_store(&post_status, 409);
    tell(events, "other-replica");
    await_result(&scene, "merged", 1);
    atomic_store(&post_status, 403);
    tell(events, "a");
    tell(events, "a");
    tell(events, "b");
    await_result(&scene, "failed", 3);
    stop(&scene, events);
    fb_log_setup(STDERR_FILENO, FB_LOG_INFO, true);
    len = pread(fileno(log), text, sizeof text - 1, 0);
    assert_true(len > 0);
    text[len] = '\0';
    assert_non_null(strstr(text, "403: so it is"));
    assert_ptr_equal(strchr(text, '\n'), text + len - 1); /* one line */
    (void)fclose(log);
}

static void test_events_stop__does_not_wait_for_long(void **state)
{
    const struct fb_events_limits limits = {.call_ms = 200};
    struct api_scene scene;
    struct fb_events *events = NULL;
    int64_t began;

    (void)state;
    start(&scene, &limits, &events);
    atomic_store(&held, true);
    tell(events, "a");
    await_request(&scene);
    for (size_t i = 1; i < 20; i++)
        tell(events, &letters[i]);
    began = clock_ms();
    fb_events_stop(events);
    assert_in_range(clock_ms() - began, 0, 2000);
    await_result(&scene, "dropped", 19);
    api_scene_stop(&scene);
    fb_events_stop(NULL);
}

static void *tell_many(void *context)
{
    for (size_t i = 0; i < 100; i++)
        tell(context, &letters[i % 20]);
    return NULL;
}

static void test_events__takes_from_many_threads(void **state)
{
    const struct fb_events_limits limits = {.queued = 1000, .burst = 100};
    struct api_scene scene;
    struct fb_events *events = NULL;
    pthread_t threads[4];

    (void)state;
    start(&scene, &limits, &events);
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, tell_many, events), 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    await_result(&scene, "merged", 380);
    await_result(&scene, "sent", 20);
    stop(&scene, events);
}

static void test_events_new__survives_a_lack_of_memory(void **state)
{
    struct fb_events *events = NULL;

    (void)state;
    alloc_fault_arm(0);
    assert_int_equal(fb_events_new(NULL, NULL, NULL, &events, NULL), FB_ENOMEM);
    alloc_fault_disarm();
    assert_null(events);
}

static void test_events_recent__forgets_the_oldest(void **state)
{
    static struct fb_events_recent recent = {.alive_ms = 1000};

    (void)state;
    for (uint64_t i = 0; i < FB_EVENTS_RECENT; i++)
        fb_events_recent_add(&recent, i, 7, 100 + (int64_t)i);
    assert_non_null(fb_events_recent_find(&recent, 0, 700));
    fb_events_recent_find(&recent, 0, 700)->told_ms = 700;
    fb_events_recent_add(&recent, 9999, 7, 700);
    assert_non_null(fb_events_recent_find(&recent, 0, 700));
    assert_null(fb_events_recent_find(&recent, 1, 700));
    assert_int_equal(fb_events_recent_find(&recent, 9999, 1699)->window, 7);
    assert_null(fb_events_recent_find(&recent, 9999, 1700));
    assert_null(fb_events_recent_find(&recent, 9999, 700)); /* its place is free */
}

static void test_events_bucket__fills_with_time(void **state)
{
    struct fb_events_bucket bucket = {.most = 2.0, .each_s = 1.0, .left = 2.0, .filled_ms = 1000};

    (void)state;
    assert_true(fb_events_bucket_take(&bucket, 1000));
    assert_true(fb_events_bucket_take(&bucket, 1000));
    assert_false(fb_events_bucket_take(&bucket, 1500));
    assert_true(fb_events_bucket_take(&bucket, 2000));
    assert_false(fb_events_bucket_take(&bucket, 2000));
    assert_true(fb_events_bucket_take(&bucket, 100000)); /* not more than it holds */
    assert_true(fb_events_bucket_take(&bucket, 100000));
    assert_false(fb_events_bucket_take(&bucket, 100000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events__sends_one_for_the_same_thing),
        cmocka_unit_test(test_events__brings_the_count_up_to_date),
        cmocka_unit_test(test_events__has_a_rate),
        cmocka_unit_test(test_events_tell__never_waits),
        cmocka_unit_test(test_events_tell__drops_what_is_none),
        cmocka_unit_test(test_events__tells_of_failures_once),
        cmocka_unit_test(test_events_stop__does_not_wait_for_long),
        cmocka_unit_test(test_events__takes_from_many_threads),
        cmocka_unit_test(test_events_new__survives_a_lack_of_memory),
        cmocka_unit_test(test_events_recent__forgets_the_oldest),
        cmocka_unit_test(test_events_bucket__fills_with_time),
    };

    return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
