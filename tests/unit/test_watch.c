/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include "watch_case.h"

#include <time.h>

#define POD(name, version)                                                                         \
    "{'metadata':{'namespace':'s','name':'" name "','uid':'" name "','resourceVersion':'" version  \
    "'}}"
#define TOLD(name, version)                                                                        \
    "{'kind':'Pod','apiVersion':'v1','metadata':{'namespace':'s','name':'" name "','uid':'" name   \
    "','resourceVersion':'" version "'}}"
#define EVENT(type, object) "{'type':'" type "','object':" object "}\n"
#define PAGE(version, next, items)                                                                 \
    "{'metadata':{'resourceVersion':'" version "','continue':'" next "'},'items':[" items "]}"
#define BOOKMARK(version)                                                                          \
    EVENT("BOOKMARK",                                                                              \
          "{'kind':'Pod','apiVersion':'v1','metadata':{'resourceVersion':'" version "'}}")
#define GONE                                                                                       \
    "{'kind':'Status','apiVersion':'v1','status':'Failure','message':'too old resource version',"  \
    "'reason':'Expired','code':410}"

static void play(const struct watch_step *steps, size_t len, const char *names,
                 struct watch_case *all)
{
    watch_case_start(all, steps, len, NULL, NULL);
    watch_case_await(all, len, names);
}

static void test_watch__lists_in_pages_and_watches_from_there_on(void **state)
{
    static const struct watch_step steps[] = {
        {{"GET /api/v1/pods?limit=2 "}, 200, PAGE("7", "a/b=", POD("a", "1") "," POD("b", "2")), 0},
        {{"?limit=2&continue=a%2Fb%3D "}, 200, PAGE("7", "", POD("c", "3")), 0},
        {{"?watch=true&allowWatchBookmarks=true&timeoutSeconds=", "&resourceVersion=7 "},
         200,
         EVENT("ADDED", TOLD("d", "8")) EVENT("DELETED", TOLD("a", "9")) BOOKMARK("12"),
         WATCH_END},
        {{"watch=true", "&resourceVersion=12 "},
         200,
         EVENT("MODIFIED", TOLD("b", "13")) EVENT("DELETED", TOLD("c", "14")),
         WATCH_END},
        {{"watch=true", "&resourceVersion=14 "}, 200, "", WATCH_HOLD},
    };
    struct watch_case all;

    (void)state;
    play(steps, COUNT(steps), "s/b s/d", &all);
    assert_true(fb_watch_synced(all.watch));
    assert_true(fb_watch_heard_ms(all.watch) > 0);
    assert_int_equal(watch_case_restarts(&all, "ended"), 2);
    assert_int_equal(watch_case_restarts(&all, "failed"), 0);
    watch_case_stop(&all);
}

static void test_watch__lists_anew_when_its_version_is_too_old(void **state)
{
    static const struct watch_step steps[] = {
        {{"?limit=2 "}, 200, PAGE("7", "", POD("a", "1") "," POD("b", "2")), 0},
        {{"resourceVersion=7 "}, 410, GONE, 0},
        {{"?limit=2 "}, 200, PAGE("20", "", POD("b", "2") "," POD("c", "19")), 0},
        {{"resourceVersion=20 "}, 200, EVENT("ADDED", TOLD("d", "21")) EVENT("ERROR", GONE), 0},
        {{"?limit=2 "}, 200, PAGE("30", "x", POD("c", "19")), 0},
        {{"continue=x "}, 410, GONE, 0}, /* the list itself took too long */
        {{"?limit=2 "}, 200, PAGE("40", "", POD("e", "39")), 0},
        {{"resourceVersion=40 "}, 200, "", WATCH_HOLD},
    };
    struct watch_case all;

    (void)state;
    play(steps, COUNT(steps), "s/e", &all);
    assert_int_equal(watch_case_restarts(&all, "expired"), 3);
    watch_case_stop(&all);
}

static void test_watch__goes_on_where_the_connection_was_cut(void **state)
{
    static const struct watch_step steps[] = {
        {{"?limit=2 "}, 500, "{}", 0},
        {{"?limit=2 "}, 200, "{'metadata':{'resourceVersion':'6'},'items':[", WATCH_CUT},
        {{"?limit=2 "}, 200, PAGE("7", "", POD("a", "1")), 0},
        {{"resourceVersion=7 "}, 200, EVENT("ADDED", TOLD("b", "8")) "{'type':'ADD", WATCH_CUT},
        {{"resourceVersion=8 "}, 503, "{}", 0},
        {{"resourceVersion=8 "}, 200, EVENT("ADDED", TOLD("c", "9")), WATCH_CUT},
        {{"resourceVersion=9 "}, 200, "", WATCH_HOLD},
    };
    struct watch_case all;

    (void)state;
    play(steps, COUNT(steps), "s/a s/b s/c", &all);
    assert_int_equal(watch_case_restarts(&all, "failed"), 5);
    watch_case_stop(&all);
}

/* What has once been read must not be lost by a list that fails. */
static void test_watch__keeps_what_it_knows_while_a_list_fails(void **state)
{
    static const struct watch_step steps[] = {
        {{"?limit=2 "}, 200, PAGE("7", "", POD("a", "1") "," POD("b", "2")), 0},
        {{"resourceVersion=7 "}, 410, GONE, 0},
        {{"?limit=2 "}, 200, PAGE("8", "x", POD("c", "3")), 0},
        {{"continue=x "}, 200, "{'items':[", WATCH_HOLD},
    };
    struct watch_case all;

    (void)state;
    play(steps, COUNT(steps), "s/a s/b s/c", &all);
    watch_case_stop(&all);
}

static void test_watch__lists_anew_after_what_is_no_event(void **state)
{
    static const struct watch_step steps[] = {
        {{"?limit=2 "}, 200, PAGE("7", "", POD("a", "1")), 0},
        {{"resourceVersion=7 "}, 200, EVENT("ADDED", TOLD("b", "8")) "<html>", WATCH_END},
        {{"?limit=2 "}, 200, "{'items':[]}", 0}, /* no resourceVersion */
        {{"?limit=2 "}, 200, PAGE("9", "", POD("a", "1")), 0},
        {{"resourceVersion=9 "}, 200, "", WATCH_HOLD},
    };
    struct watch_case all;

    (void)state;
    play(steps, COUNT(steps), "s/a", &all);
    watch_case_stop(&all);
}

static void test_watch__takes_what_is_not_served_for_empty(void **state)
{
    static const struct fb_collection two = {
        "pods", FB_KIND_POD, {"/apis/x/v2/pods", "/apis/x/v1/pods"}, "&fieldSelector=f"};
    static const struct watch_step steps[] = {
        {{"/apis/x/v2/pods?limit=2&fieldSelector=f "}, 404, "{}", 0},
        {{"/apis/x/v1/pods?limit=2&fieldSelector=f "}, 403, "{'message':'forbidden'}", 0},
        {{"/apis/x/v1/pods?limit"}, 403, "{'message':'forbidden'}", 0},
        {{"/apis/x/v2/pods?limit"}, 404, "{}", 0},
        {{"/apis/x/v2/pods?limit"}, 404, "{}", 0},
        {{"/apis/x/v1/pods?limit"}, 200, PAGE("7", "", POD("a", "1")), 0},
        {{"/apis/x/v1/pods?watch=true", "&fieldSelector=f&resourceVersion=7 "}, 404, "{}", 0},
        {{"/apis/x/v1/pods?limit"}, 404, "{}", 0}, /* taken away */
        {{"/apis/x/v2/pods?limit"}, 200, PAGE("9", "", POD("b", "1")), 0},
        {{"/apis/x/v2/pods?watch"}, 200, "", WATCH_HOLD},
    };
    struct watch_case all;

    (void)state;
    watch_case_start(&all, steps, COUNT(steps), &two, NULL);
    watch_case_await(&all, COUNT(steps), "s/b");
    assert_true(fb_watch_synced(all.watch));
    assert_int_equal(watch_case_restarts(&all, "absent"), 1);
    watch_case_stop(&all);
}

static void test_watch__is_synced_with_nothing(void **state)
{
    static const struct fb_watch_pace slow = {
        .backoff_ms = 2, .backoff_most_ms = 2, .absent_ms = 600000, .timeout_s = 1, .page = 2};
    static const struct fb_collection other = {"pods", FB_KIND_POD, {"/apis/x/v1/pods", NULL}, ""};
    static const struct watch_step steps[] = {{{"?limit=2 "}, 404, "{}", 0}};
    struct watch_case all;

    (void)state;
    watch_case_start(&all, steps, COUNT(steps), &other, &slow);
    while (!fb_watch_synced(all.watch))
        watch_case_await(&all, 1, "");
    assert_true(fb_watch_heard_ms(all.watch) == INT64_MAX);
    watch_case_stop(&all); /* also in the midst of waiting */
}

/* Half a cluster would look free. */
static void test_watch__goes_on_with_what_must_be_there(void **state)
{
    static const struct watch_step steps[] = {
        {{"?limit=2 "}, 403, "{'message':'forbidden'}", 0},
        {{"?limit=2 "}, 404, "{}", 0},
        {{"?limit=2 "}, 200, PAGE("7", "", POD("a", "1")), 0},
        {{"resourceVersion=7 "}, 410, GONE, 0},
        {{"?limit=2 "}, 403, "{'message':'forbidden'}", 0},
        {{"?limit=2 "}, 403, "{'message':'forbidden'}", 0},
        {{"?limit=2 "}, 200, PAGE("9", "", POD("a", "1")), 0},
        {{"resourceVersion=9 "}, 200, "", WATCH_HOLD},
    };
    struct watch_case all;

    (void)state;
    watch_case_start(&all, steps, COUNT(steps), NULL, NULL);
    watch_case_await(&all, 6, "s/a"); /* kept, though it may not be listed any more */
    watch_case_await(&all, COUNT(steps), "s/a");
    assert_int_equal(watch_case_restarts(&all, "absent"), 0);
    watch_case_stop(&all);
}

static void test_watch__leaves_out_what_cannot_be_read_or_is_too_much(void **state)
{
    static const struct watch_step steps[] = {
        {{"?limit=2 "}, 200, PAGE("7", "", POD("a", "1") "," POD("b", "2")), 0},
        {{"resourceVersion=7 "},
         200,
         EVENT("MODIFIED", "{'kind':'Pod','apiVersion':'v1','metadata':{'namespace':'s','name':'a',"
                           "'resourceVersion':'8'},'spec':{'nodeName':5}}")
             EVENT("ADDED", TOLD("c", "9")) EVENT("ADDED", TOLD("d", "10"))
                 EVENT("ADDED", TOLD("e", "11")) EVENT("ADDED", TOLD("f", "12")),
         WATCH_END},
        {{"resourceVersion=12 "}, 410, GONE, 0},
        {{"?limit=2 "},
         200,
         PAGE("13", "",
              "{'metadata':{'namespace':'s','name':'a'},'spec':{'nodeName':5}}," POD("f", "12")),
         0},
        {{"resourceVersion=13 "}, 200, "", WATCH_HOLD},
    };
    struct watch_case all;

    (void)state;
    watch_case_start(&all, steps, 2, NULL, NULL);
    watch_case_await(&all, 2, "s/a s/b s/c s/d s/e"); /* five are the most */
    watch_case_stop(&all);
    play(steps, COUNT(steps), "s/a", &all);
    watch_case_stop(&all);
}

static void test_watch__gives_a_silent_server_up(void **state)
{
    static const struct fb_watch_pace hasty = {.backoff_ms = 2,
                                               .backoff_most_ms = 2,
                                               .absent_ms = 2,
                                               .timeout_s = 1,
                                               .idle_ms = 300,
                                               .page = 2};
    static const struct watch_step steps[] = {
        {{"?limit=2 "}, 200, PAGE("7", "", POD("a", "1")), 0},
        {{"resourceVersion=7 "}, 200, EVENT("ADDED", TOLD("b", "8")) "{'type", WATCH_HOLD},
        {{"resourceVersion=8 "}, 200, EVENT("ADDED", TOLD("c", "9")), WATCH_END},
    };
    struct watch_case all;

    (void)state;
    watch_case_start(&all, steps, COUNT(steps), NULL, &hasty);
    watch_case_await(&all, COUNT(steps), "s/a s/b s/c");
    assert_true(watch_case_restarts(&all, "failed") >= 1);
    watch_case_stop(&all);
}

static void test_watch__ends_soon_when_it_is_to(void **state)
{
    static const struct watch_step steps[] = {
        {{"?limit=2 "}, 200, PAGE("7", "", POD("a", "1")), 0},
        {{"resourceVersion=7 "}, 200, "", WATCH_HOLD},
    };
    struct watch_case all;
    struct timespec from = {0};
    struct timespec to = {0};

    (void)state;
    play(steps, COUNT(steps), "s/a", &all);
    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    fb_watch_stop(all.watch);
    fb_watch_free(all.watch);
    (void)clock_gettime(CLOCK_MONOTONIC, &to);
    all.watch = NULL;
    assert_true(to.tv_sec - from.tv_sec <= 5); /* of 300 s that the watch would last */
    watch_case_stop(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watch__lists_in_pages_and_watches_from_there_on),
        cmocka_unit_test(test_watch__lists_anew_when_its_version_is_too_old),
        cmocka_unit_test(test_watch__goes_on_where_the_connection_was_cut),
        cmocka_unit_test(test_watch__keeps_what_it_knows_while_a_list_fails),
        cmocka_unit_test(test_watch__lists_anew_after_what_is_no_event),
        cmocka_unit_test(test_watch__takes_what_is_not_served_for_empty),
        cmocka_unit_test(test_watch__is_synced_with_nothing),
        cmocka_unit_test(test_watch__goes_on_with_what_must_be_there),
        cmocka_unit_test(test_watch__leaves_out_what_cannot_be_read_or_is_too_much),
        cmocka_unit_test(test_watch__gives_a_silent_server_up),
        cmocka_unit_test(test_watch__ends_soon_when_it_is_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
