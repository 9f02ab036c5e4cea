/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_send.h"

#include "fabricbind/own.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What all connections share. */
struct send {
    const struct fb_replay_plan *plan;
    pthread_mutex_t lock; /* of all below */
    uint64_t next, total;
    struct fb_replay_result *result;
    enum fb_status st; /* the first failure that ends it all */
    struct fb_error err;
};

struct connection {
    struct send *send;
    struct fb_http *http;
    pthread_t thread;
};

static uint64_t now_ns(void)
{
    struct timespec at;

    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000U + (uint64_t)at.tv_nsec;
}

/* The number of the next entry; false when there is none. */
static bool take(struct send *send, size_t *ret)
{
    bool more;

    (void)pthread_mutex_lock(&send->lock);
    more = send->st == FB_OK && send->next < send->total;
    if (more)
        *ret = (size_t)(send->next++ % send->plan->recording->len);
    (void)pthread_mutex_unlock(&send->lock);
    return more;
}

static void stop(struct send *send, enum fb_status st, const struct fb_error *err)
{
    (void)pthread_mutex_lock(&send->lock);
    if (send->st == FB_OK) {
        send->st = st;
        send->err = *err;
    }
    (void)pthread_mutex_unlock(&send->lock);
}

static void count(struct send *send, size_t i, const struct fb_replay_row *row)
{
    const struct fb_recording_entry *entry = &send->plan->recording->at[i];
    struct fb_replay_result *result = send->result;
    struct fb_replay_count *verb = &result->verbs[entry->verb];

    (void)pthread_mutex_lock(&send->lock);
    verb->sent++;
    if (row->status != 0)
        fb_latency_add(&verb->latency, row->ns);
    if (!row->answer.good) {
        verb->errors++;
        if (result->fault_name == NULL) {
            result->fault_name = entry->name;
            (void)snprintf(result->fault, sizeof result->fault, "%s", row->answer.text);
        }
    }
    if (result->rows != NULL)
        result->rows[i] = *row;
    (void)pthread_mutex_unlock(&send->lock);
}

/* Does a failure concern one request only? */
static bool is_of_one(enum fb_status st)
{
    return st == FB_EIO || st == FB_ELIMIT;
}

static enum fb_status post(struct connection *connection, size_t i,
                           const struct fb_recording_body *body, struct fb_error *err)
{
    const struct fb_recording_entry *entry = &connection->send->plan->recording->at[i];
    struct fb_http_reply reply;
    struct fb_replay_row row = {0};
    uint64_t begin = now_ns();
    enum fb_status st =
        fb_http_post(connection->http, entry->route, body->at, body->len, &reply, err);

    row.ns = now_ns() - begin;
    if (st != FB_OK && !is_of_one(st))
        return st;
    if (st == FB_OK) {
        row.status = reply.status;
        fb_replay_answer_read(entry->verb, &reply, &row.answer);
    } else {
        (void)snprintf(row.answer.text, sizeof row.answer.text, "%.159s", err->text);
    }
    count(connection->send, i, &row);
    return FB_OK;
}

static void *work(void *context)
{
    struct connection *connection = context;
    struct send *send = connection->send;
    struct fb_recording_body body = {0};
    struct fb_error err = {.text = "out of memory"};
    size_t i;

    while (take(send, &i)) {
        enum fb_status st = fb_recording_load(&send->plan->recording->at[i], &body, &err);

        if (st == FB_OK)
            st = post(connection, i, &body, &err);
        if (st != FB_OK)
            stop(send, st, &err);
    }
    fb_recording_body_fini(&body);
    return NULL;
}

static enum fb_status open_all(struct send *send, struct connection *all, struct fb_error *err)
{
    for (size_t i = 0; i < send->plan->connections; i++) {
        enum fb_status st = fb_http_new(send->plan->url, NULL, &all[i].http, err);

        if (st != FB_OK)
            return st;
        all[i].send = send;
    }
    return FB_OK;
}

static void run(struct send *send, struct connection *all)
{
    uint64_t begin = now_ns();
    size_t started = 0;

    while (started < send->plan->connections &&
           pthread_create(&all[started].thread, NULL, work, &all[started]) == 0)
        started++;
    if (started < send->plan->connections) {
        struct fb_error err = {.text = ""};

        stop(send, fb_error_set(&err, FB_EIO, "no thread for connection %zu", started + 1), &err);
    }
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(all[i].thread, NULL);
    send->result->ns = now_ns() - begin;
}

enum fb_status fb_replay_send(const struct fb_replay_plan *plan, struct fb_replay_result *ret,
                              struct fb_error *err)
{
    struct send send = {.plan = plan,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .total = (uint64_t)plan->rounds * plan->recording->len,
                        .result = ret};
    struct connection *all = calloc(plan->connections, sizeof *all);
    enum fb_status st;

    if (all == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = open_all(&send, all, err);
    if (st == FB_OK) {
        run(&send, all);
        st = send.st;
        if (st != FB_OK)
            (void)fb_error_set(err, st, "%s", send.err.text);
    }
    for (size_t i = 0; i < plan->connections; i++)
        fb_http_free(all[i].http);
    free(all);
    return st;
}
