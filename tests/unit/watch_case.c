/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AWAIT_S 20

const struct fb_watch_pace watch_case_pace = {
    .backoff_ms = 2,
    .backoff_most_ms = 20,
    .absent_ms = 4,
    .timeout_s = 300,
    .idle_ms = 10000,
    .page = 2,
};

static const struct fb_collection pods = {"pods", FB_KIND_POD, {"/api/v1/pods", NULL}, ""};

static void note_fault(struct watch_case *all, const char *want, const char *line)
{
    if (all->fault[0] == '\0')
        (void)snprintf(all->fault, sizeof all->fault, "step %zu: no '%s' in '%s'", all->step, want,
                       line);
}

/* The step that this request is, or NULL behind the last. */
static const struct watch_step *next_step(struct watch_case *all, const struct api_request *request)
{
    const struct watch_step *step = NULL;

    (void)pthread_mutex_lock(&all->lock);
    if (all->step < all->steps_len)
        step = &all->steps[all->step];
    for (size_t i = 0; step != NULL && i < 4 && step->wants[i] != NULL; i++) {
        if (strstr(request->line, step->wants[i]) == NULL)
            note_fault(all, step->wants[i], request->line);
    }
    all->step++;
    (void)pthread_cond_signal(&all->told);
    (void)pthread_mutex_unlock(&all->lock);
    return step;
}

static bool answer(struct api_peer *peer, const struct api_request *request, int fd)
{
    struct watch_case *all = peer->context;
    const struct watch_step *step = next_step(all, request);
    char *body;
    bool sent;

    if (step == NULL) {
        (void)api_peer_await_end(fd);
        return false;
    }
    body = json_of(step->body);
    if (body != NULL && step->status != 200)
        sent = api_peer_reply(fd, (unsigned)step->status, "", body);
    else
        sent =
            body != NULL && api_peer_chunks(fd, 200) && (*body == '\0' || api_peer_chunk(fd, body));
    free(body);
    if (sent && step->status == 200 && step->then == WATCH_END)
        return api_peer_chunk(fd, "");
    if (sent && step->then == WATCH_HOLD)
        (void)api_peer_await_end(fd);
    return sent && step->then == WATCH_END;
}

static void note_change(void *context)
{
    struct watch_case *all = context;

    (void)pthread_mutex_lock(&all->lock);
    (void)pthread_cond_signal(&all->told);
    (void)pthread_mutex_unlock(&all->lock);
}

static void note_end(void *context)
{
    struct watch_case *all = context;

    (void)pthread_mutex_lock(&all->lock);
    all->ended = true;
    (void)pthread_mutex_unlock(&all->lock);
}

void watch_case_start(struct watch_case *all, const struct watch_step *steps, size_t len,
                      const struct fb_collection *collection, const struct fb_watch_pace *pace)
{
    struct fb_watch_ground ground = {
        .pace = pace != NULL ? pace : &watch_case_pace,
        .listener = {.context = all, .changed = note_change, .ended = note_end},
    };
    struct fb_error err = {.text = ""};

    memset(all, 0, sizeof *all);
    all->steps = steps;
    all->steps_len = len;
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)pthread_cond_init(&all->told, NULL);
    api_scene_start(&all->scene, answer);
    all->store = fb_store_new(&(struct fb_store_limits){.pods = 5});
    assert_non_null(all->store);
    ground.server = all->scene.server;
    ground.store = all->store;
    ground.metrics = all->scene.metrics;
    if (fb_watch_start(collection != NULL ? collection : &pods, &ground, &all->watch, &err) !=
        FB_OK)
        fail_msg("%s", err.text);
}

void watch_case_stop(struct watch_case *all)
{
    fb_watch_stop(all->watch);
    fb_watch_free(all->watch);
    assert_true(all->ended);
    if (all->fault[0] != '\0')
        fail_msg("%s", all->fault);
    api_scene_stop(&all->scene);
    fb_store_free(all->store);
    (void)pthread_cond_destroy(&all->told);
    (void)pthread_mutex_destroy(&all->lock);
}

/* Told, or a little later: what is awaited may come without a word. */
static void wait_a_little(struct watch_case *all)
{
    struct timespec until = {0};

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20 * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&all->told, &all->lock, &until);
}

void watch_case_await(struct watch_case *all, size_t len, const char *names)
{
    time_t late = time(NULL) + AWAIT_S;
    struct line line = {.text = ""};
    size_t step = 0;

    while (time(NULL) < late) {
        (void)pthread_mutex_lock(&all->lock);
        step = all->step;
        if (step < len)
            wait_a_little(all);
        (void)pthread_mutex_unlock(&all->lock);
        if (strcmp(store_case_names(all->store, FB_KIND_POD, &line), names) == 0 && step >= len)
            return;
    }
    fail_msg("step %zu of %zu: '%s', not '%s' %s", step, len, line.text, names, all->fault);
}

int watch_case_restarts(struct watch_case *all, const char *reason)
{
    char want[128];
    size_t len;
    char *text = fb_metrics_print(all->scene.metrics, &len);
    const char *at;
    int value;

    assert_non_null(text);
    (void)snprintf(want, sizeof want,
                   "fabricbind_watch_restarts_total{kind=\"pods\",reason=\"%s\"} ", reason);
    at = strstr(text, want);
    value = at != NULL ? (int)strtol(at + strlen(want), NULL, 10) : 0;
    free(text);
    return value;
}
