/* SPDX-License-Identifier: Apache-2.0 */
#include "server_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_MS 20000

struct sum {
    struct server_case *at;
    unsigned long sum;
};

static void *sum_begin(void *context, const struct fb_request *request)
{
    struct server_case *at = context;
    struct sum *sum;

    if (strcmp(request->route->path, "/nothing") == 0)
        return NULL;
    sum = calloc(1, sizeof *sum);
    if (sum != NULL) {
        sum->at = at;
        atomic_fetch_add(&at->begun, 1);
    }
    return sum;
}

static enum fb_status sum_feed(void *state, const char *bytes, size_t len, struct fb_error *err)
{
    struct sum *sum = state;

    (void)err;
    for (size_t i = 0; i < len; i++)
        sum->sum += (unsigned char)bytes[i];
    return FB_OK;
}

static enum fb_status refuse_feed(void *state, const char *bytes, size_t len, struct fb_error *err)
{
    if (memchr(bytes, '!', len) != NULL)
        return fb_error_set(err, FB_EINPUT, "body: has a '!'");
    return sum_feed(state, bytes, len, err);
}

static void wait_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    (void)nanosleep(&time, NULL);
}

static void end(struct server_case *at, struct sum *sum)
{
    if (sum != NULL)
        atomic_fetch_add(&at->finished, 1);
    free(sum);
}

static void sum_finish(void *context, const struct fb_request *request, void *state,
                       enum fb_status st, const struct fb_error *err, struct fb_answer *ret)
{
    struct server_case *at = context;
    struct sum *sum = state;
    char text[512];

    if (strcmp(request->route->path, "/slow") == 0) {
        for (int i = 0; i < WAIT_MS && !atomic_load(&at->gate); i++)
            wait_ms(1);
    }
    (void)snprintf(text, sizeof text, "{\"bytes\":%zu,\"sum\":%lu,\"status\":%d,\"error\":\"%s\"}",
                   request->bytes, sum == NULL ? 0 : sum->sum, (int)st,
                   st == FB_OK ? "" : err->text);
    ret->status = 200;
    ret->type = "application/json";
    ret->body = strdup(text);
    ret->len = ret->body == NULL ? 0 : strlen(text);
    end(at, sum);
}

static void query_finish(void *context, const struct fb_request *request, void *state,
                         enum fb_status st, const struct fb_error *err, struct fb_answer *ret)
{
    (void)st;
    (void)err;
    ret->status = 200;
    ret->type = "text/plain";
    ret->body = strdup(request->query);
    ret->len = strlen(request->query);
    end(context, state);
}

static void empty_finish(void *context, const struct fb_request *request, void *state,
                         enum fb_status st, const struct fb_error *err, struct fb_answer *ret)
{
    (void)request;
    (void)st;
    (void)err;
    ret->status = 200;
    end(context, state);
}

static void sum_drop(void *state)
{
    struct sum *sum = state;

    atomic_fetch_add(&sum->at->dropped, 1);
    free(sum);
}

static void told(void *context, const struct fb_request *request, unsigned status, double seconds)
{
    struct server_case *at = context;

    if (request->id == 0 || !(seconds >= 0.0 && seconds < 60.0))
        atomic_fetch_add(&at->told_seconds, 1);
    atomic_store(&at->told_last, status);
    atomic_fetch_add(&at->told, 1);
}

void server_case_start(struct server_case *at, const struct fb_server_limits *limits)
{
    server_case_start_tls(at, limits, NULL);
}

void server_case_start_tls(struct server_case *at, const struct fb_server_limits *limits,
                           struct fb_server_tls *tls)
{
    static const struct fb_handler sums = {sum_begin, sum_feed, sum_finish, sum_drop};
    static const struct fb_handler refuses = {sum_begin, refuse_feed, sum_finish, sum_drop};
    static const struct fb_handler queries = {sum_begin, sum_feed, query_finish, sum_drop};
    static const struct fb_handler empties = {sum_begin, sum_feed, empty_finish, sum_drop};
    static struct fb_route routes[] = {
        {.method = "POST", .path = "/sum", .handler = &sums},
        {.method = "GET", .path = "/sum", .handler = &queries},
        {.method = "GET", .path = "/query", .handler = &queries},
        {.method = "POST", .path = "/empty", .handler = &empties},
        {.method = "POST", .path = "/refuse", .handler = &refuses},
        {.method = "POST", .path = "/nothing", .handler = &sums},
        {.method = "POST", .path = "/slow", .handler = &sums},
    };
    const struct fb_server_setup setup = {
        .address = "127.0.0.1:0",
        .routes = routes,
        .routes_len = COUNT(routes),
        .limits = limits,
        .told = told,
        .told_context = at,
        .tls = tls,
    };
    struct fb_error err = {0};

    *at = (struct server_case){.server = NULL};
    for (size_t i = 0; i < COUNT(routes); i++)
        routes[i].context = at;
    if (fb_server_start(&setup, &at->server, &err) != FB_OK)
        fail_msg("%s", err.text);
    at->port = fb_server_port(at->server);
    assert_true(at->port > 0);
}

void server_case_stop(struct server_case *at, unsigned drain_ms)
{
    fb_server_stop(at->server, drain_ms);
    assert_int_equal(at->begun, at->finished + at->dropped);
    assert_int_equal(at->told_seconds, 0);
}

void server_case_await(atomic_uint *counter, unsigned want)
{
    for (int i = 0; i < WAIT_MS && atomic_load(counter) != want; i++)
        wait_ms(1);
    assert_int_equal(atomic_load(counter), want);
}

void server_case_connect(const struct server_case *at, struct raw_client *client)
{
    assert_true(raw_connect(client, at->port));
}

void server_case_expect(struct raw_client *client, unsigned status, const char *body)
{
    struct raw_answer answer;

    assert_true(raw_read(client, false, &answer));
    assert_int_equal(answer.status, status);
    if (body != NULL)
        assert_string_equal(answer.body, body);
}

const char *server_case_sum(size_t len, char byte, char *text, size_t size)
{
    (void)snprintf(text, size, "{\"bytes\":%zu,\"sum\":%lu,\"status\":0,\"error\":\"\"}", len,
                   (unsigned long)len * (unsigned char)byte);
    return text;
}
