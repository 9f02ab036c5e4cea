/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

#include "events_recent.h"
#include "fabricbind/own.h"
#include "log.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define TEXTS_MOST ((size_t)8192) /* of one Event in the queue */
#define WINDOW_S 600              /* replicas that tell the same within it make one Event */
#define PATCH_TYPE "application/merge-patch+json"

/* An Event in the queue, its texts behind it. */
struct item {
    struct item *next;
    struct fb_event event;
};

struct fb_events {
    struct fb_apiserver *server;
    struct fb_metrics *metrics;
    struct fb_events_limits limits;
    char instance[129];
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    struct item *first, **last; /* last: where the next one goes */
    size_t len;
    bool ending;
    /* Of the thread. */
    struct fb_events_recent recent;
    struct fb_events_bucket bucket;
    bool failing;
};

static void count(struct fb_events *events, const char *result)
{
    if (events->metrics != NULL)
        fb_metrics_add(events->metrics, FB_METRIC_EVENTS, &result, 1.0);
}

static int64_t clock_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t time_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Once when it begins to go wrong; the metric has the rest. */
static void tell_failed(struct fb_events *events, const struct fb_event *event,
                        const struct fb_error *err)
{
    const struct fb_log_field fields[] = {
        FB_LOG_TEXT("reason", event->reason),
        FB_LOG_TEXT("object", event->name),
        FB_LOG_TEXT("error", err->text),
    };

    if (!events->failing)
        fb_log(FB_LOG_WARNING, "an Event could not be sent, further ones are only counted", fields,
               COUNT(fields));
    events->failing = true;
}

/* What became of one that was told, as a label of the metric. */
static const char *judge(struct fb_events *events, const struct fb_event *event,
                         const struct fb_api_reply *reply, const char *done)
{
    struct fb_error err = {0};

    if (reply->status == 409)
        return "merged"; /* another replica was faster */
    if (reply->status >= 200 && reply->status < 300) {
        events->failing = false;
        return done;
    }
    (void)fb_api_reply_error(reply, FB_EIO, &err);
    tell_failed(events, event, &err);
    return "failed";
}

/* One call, and what came of it; @ret_status 0: no answer. */
static const char *call(struct fb_events *events, const struct fb_event *event,
                        const struct fb_api_call *call, unsigned *ret_status)
{
    FB_OWNED(fb_api_reply_fini) struct fb_api_reply reply = {0};
    struct fb_error err = {0};

    *ret_status = 0;
    if (call->path == NULL || call->body == NULL)
        return "failed";
    if (fb_apiserver_call(events->server, call, &reply, &err) != FB_OK) {
        tell_failed(events, event, &err);
        return "failed";
    }
    *ret_status = reply.status;
    return judge(events, event, &reply, call->type != NULL ? "repeated" : "sent");
}

static const char *send_new(struct fb_events *events, struct fb_arena *arena,
                            const struct fb_event *event)
{
    char name[FB_EVENT_NAME_BYTES];
    int64_t now_us = time_us();
    int64_t window = now_us / 1000000 / WINDOW_S;
    const struct fb_event_teller teller = {name, events->instance, now_us};
    struct fb_api_call post = {.method = "POST", .timeout_ms = events->limits.call_ms};
    unsigned status;
    const char *result;

    if (!fb_events_bucket_take(&events->bucket, clock_ms()))
        return "limited";
    fb_event_name(event, window, name);
    post.path = fb_event_path(arena, event, NULL);
    post.body = fb_event_encode(arena, event, &teller);
    post.len = post.body != NULL ? strlen(post.body) : 0;
    result = call(events, event, &post, &status);
    if (strcmp(result, "failed") != 0)
        fb_events_recent_add(&events->recent, fb_event_hash(event), window, clock_ms());
    return result;
}

static const char *send_again(struct fb_events *events, struct fb_arena *arena,
                              const struct fb_event *event, struct fb_event_entry *entry)
{
    char name[FB_EVENT_NAME_BYTES];
    struct fb_api_call patch = {
        .method = "PATCH", .type = PATCH_TYPE, .timeout_ms = events->limits.call_ms};
    unsigned status;
    const char *result;

    entry->count++;
    entry->told_ms = clock_ms();
    if (entry->told_ms - entry->sent_ms < (int64_t)events->limits.again_ms)
        return "merged";
    if (!fb_events_bucket_take(&events->bucket, entry->told_ms))
        return "limited";
    fb_event_name(event, entry->window, name);
    patch.path = fb_event_path(arena, event, name);
    patch.body = fb_event_encode_series(arena, entry->count, time_us());
    patch.len = patch.body != NULL ? strlen(patch.body) : 0;
    entry->sent_ms = entry->told_ms;
    result = call(events, event, &patch, &status);
    if (status == 404)
        entry->count = 0; /* it is gone: the next one makes it anew */
    return result;
}

static void handle(struct fb_events *events, const struct fb_event *event)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new_small(0);
    struct fb_event_entry *entry;

    if (arena == NULL) {
        count(events, "failed");
        return;
    }
    entry = fb_events_recent_find(&events->recent, fb_event_hash(event), clock_ms());
    count(events,
          entry != NULL ? send_again(events, arena, event, entry) : send_new(events, arena, event));
}

/* The next one, or NULL at the end. */
static struct item *next_item(struct fb_events *events)
{
    struct item *item;

    (void)pthread_mutex_lock(&events->lock);
    while (events->first == NULL && !events->ending)
        (void)pthread_cond_wait(&events->wake, &events->lock);
    item = events->ending ? NULL : events->first;
    if (item != NULL) {
        events->first = item->next;
        events->len--;
        if (events->first == NULL)
            events->last = &events->first;
    }
    (void)pthread_mutex_unlock(&events->lock);
    return item;
}

static void *run(void *context)
{
    struct fb_events *events = context;
    struct item *item;

    while ((item = next_item(events)) != NULL) {
        handle(events, &item->event);
        free(item);
    }
    return NULL;
}

/* A copy in one piece of memory; NULL when there is none, or it is too long. */
static struct item *item_new(const struct fb_event *event)
{
    struct fb_event copy = *event;
    const char **const texts[] = {&copy.kind, &copy.api_version, &copy.space, &copy.name,
                                  &copy.uid,  &copy.reason,      &copy.note};
    size_t len = 0;
    struct item *item;
    char *end;

    for (size_t i = 0; i < COUNT(texts); i++)
        len += *texts[i] != NULL ? strlen(*texts[i]) + 1 : 0;
    item = len <= TEXTS_MOST ? malloc(sizeof *item + len) : NULL;
    if (item == NULL)
        return NULL;
    end = (char *)(item + 1);
    for (size_t i = 0; i < COUNT(texts); i++) {
        size_t size = *texts[i] != NULL ? strlen(*texts[i]) + 1 : 0;

        if (size == 0)
            continue;
        memcpy(end, *texts[i], size);
        *texts[i] = end;
        end += size;
    }
    item->event = copy;
    item->next = NULL;
    return item;
}

void fb_events_tell(struct fb_events *events, const struct fb_event *event)
{
    struct item *item;
    bool taken = false;

    if (events == NULL)
        return;
    item = fb_event_check(event, NULL) == FB_OK ? item_new(event) : NULL;
    if (item != NULL) {
        (void)pthread_mutex_lock(&events->lock);
        taken = events->len < events->limits.queued && !events->ending;
        if (taken) {
            *events->last = item;
            events->last = &item->next;
            events->len++;
            (void)pthread_cond_signal(&events->wake);
        }
        (void)pthread_mutex_unlock(&events->lock);
    }
    if (!taken) {
        free(item);
        count(events, "dropped");
    }
}

static struct fb_events_limits complete(const struct fb_events_limits *given)
{
    struct fb_events_limits limits = given != NULL ? *given : (struct fb_events_limits){0};

    if (limits.queued == 0)
        limits.queued = 256;
    if (limits.burst == 0)
        limits.burst = 25;
    if (!(limits.each_s > 0.0))
        limits.each_s = 1.0;
    if (limits.alive_ms == 0)
        limits.alive_ms = 600000;
    if (limits.again_ms == 0)
        limits.again_ms = 60000;
    if (limits.call_ms == 0)
        limits.call_ms = 3000;
    return limits;
}

/* The name of the pod; must not be empty. */
static void name_instance(char *ret, size_t size)
{
    if (gethostname(ret, size) != 0 || ret[0] == '\0')
        (void)snprintf(ret, size, "fabricbind");
    ret[size - 1] = '\0';
}

static void release(struct fb_events *events)
{
    while (events->first != NULL) {
        struct item *item = events->first;

        events->first = item->next;
        count(events, "dropped");
        free(item);
    }
    (void)pthread_cond_destroy(&events->wake);
    (void)pthread_mutex_destroy(&events->lock);
    free(events);
}

enum fb_status fb_events_new(struct fb_apiserver *server, struct fb_metrics *metrics,
                             const struct fb_events_limits *limits, struct fb_events **ret,
                             struct fb_error *err)
{
    struct fb_events *events = calloc(1, sizeof *events);

    if (events == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    events->server = server;
    events->metrics = metrics;
    events->limits = complete(limits);
    events->recent.alive_ms = events->limits.alive_ms;
    events->bucket = (struct fb_events_bucket){events->limits.burst, events->limits.each_s,
                                               events->limits.burst, clock_ms()};
    events->last = &events->first;
    name_instance(events->instance, sizeof events->instance);
    (void)pthread_mutex_init(&events->lock, NULL);
    (void)pthread_cond_init(&events->wake, NULL);
    if (pthread_create(&events->thread, NULL, run, events) != 0) {
        release(events);
        return fb_error_set(err, FB_EIO, "no thread for Events");
    }
    *ret = events;
    return FB_OK;
}

void fb_events_stop(struct fb_events *events)
{
    if (events == NULL)
        return;
    (void)pthread_mutex_lock(&events->lock);
    events->ending = true;
    (void)pthread_cond_signal(&events->wake);
    (void)pthread_mutex_unlock(&events->lock);
    (void)pthread_join(events->thread, NULL);
    release(events);
}
