/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include "deadline.h"

#include "fabricbind/own.h"
#include "inventory.h"
#include "watch_told.h"

#include "log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define QUICK_MS 1000 /* a watch that ends sooner, without a word, is taken for a failure */

const struct fb_watch_pace fb_watch_pace_usual = {
    .backoff_ms = 500,
    .backoff_most_ms = 30000,
    .absent_ms = 60000,
    .timeout_s = 300,
    .idle_ms = 90000,
    .page = 500,
};

/* How one exchange with the API server ended. */
enum outcome {
    OUTCOME_FINE,
    OUTCOME_EXPIRED, /* the version is too old: list anew */
    OUTCOME_FAILED,
    OUTCOME_ABSENT, /* not served, or not allowed */
};

struct fb_watch {
    const struct fb_collection *collection;
    struct fb_watch_ground ground;
    struct fb_watch_told told;
    size_t path;       /* of collection->paths */
    unsigned failures; /* one after the other */
    bool refused;      /* and that was logged */
    unsigned seed;     /* of jitter */
    atomic_bool stop, synced, absent;
    pthread_t thread;
    pthread_mutex_t lock; /* of waiting */
    pthread_cond_t wake;  /* by CLOCK_MONOTONIC */
};

static void count_restart(const struct fb_watch *watch, const char *reason)
{
    const char *labels[] = {watch->collection->name, reason};

    fb_metrics_add(watch->ground.metrics, FB_METRIC_WATCH_RESTARTS, labels, 1);
}

static void warn(const struct fb_watch *watch, const char *message, const char *reason)
{
    const struct fb_log_field fields[] = {FB_LOG_TEXT("collection", watch->collection->name),
                                          FB_LOG_TEXT("error", reason)};

    fb_log(FB_LOG_WARNING, message, fields, COUNT(fields));
}

static void tell_changed(const struct fb_watch *watch)
{
    watch->ground.listener.changed(watch->ground.listener.context);
}

/* Until then, or until it is to end. */
static void wait_ms(struct fb_watch *watch, unsigned ms)
{
    struct timespec until = fb_deadline_in(ms);
    int st = 0;

    (void)pthread_mutex_lock(&watch->lock);
    while (st == 0 && !watch->stop)
        st = pthread_cond_timedwait(&watch->wake, &watch->lock, &until);
    (void)pthread_mutex_unlock(&watch->lock);
}

/* Replicas, and the collections of one, must not come back all at once: half of it at least. */
static unsigned jitter(struct fb_watch *watch, unsigned ms)
{
    watch->seed = watch->seed * 1103515245U + 12345U;
    return ms - (watch->seed >> 16) % (ms / 2 + 1);
}

static unsigned backoff_ms(struct fb_watch *watch)
{
    const struct fb_watch_pace *pace = watch->ground.pace;
    unsigned ms = pace->backoff_ms;

    for (unsigned i = 1; i < watch->failures && ms < pace->backoff_most_ms; i++)
        ms *= 2;
    return jitter(watch, ms < pace->backoff_most_ms ? ms : pace->backoff_most_ms);
}

/* What may stand in a query as it is. Source: RFC 3986, unreserved. */
static void append_escaped(char *path, size_t size, const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    size_t len = strlen(path);

    for (; *text != '\0' && len + 4 <= size; text++) {
        bool is_plain = strchr(plain, *text) != NULL;

        len += (size_t)snprintf(path + len, size - len, is_plain ? "%c" : "%%%02X",
                                (unsigned char)*text);
    }
}

/* Nodes, pods and namespaces are always there: without them half a cluster would look free. And a
 * right that was taken away leaves what is known. */
static bool may_be_absent(const struct fb_watch *watch, unsigned status)
{
    bool is_core = strncmp(watch->collection->paths[0], "/api/v1/", strlen("/api/v1/")) == 0;
    bool is_known = watch->synced && !watch->absent;

    return !is_core && (status == 404 || (status == 403 && !is_known));
}

static enum outcome outcome_of(const struct fb_watch *watch, unsigned status)
{
    if (status == 200)
        return OUTCOME_FINE;
    if (status == 410)
        return OUTCOME_EXPIRED;
    return may_be_absent(watch, status) ? OUTCOME_ABSENT : OUTCOME_FAILED;
}

/* One exchange: GET @path into a reader of what the API server @tells. */
static enum outcome exchange(struct fb_watch *watch, const char *path, enum fb_kube_tells tells,
                             struct fb_error *err)
{
    FB_OWNED(fb_kubestream_freep) struct fb_kubestream *stream = NULL;
    unsigned status = 0;
    enum fb_status st = fb_watch_told_begin(&watch->told, tells, &stream, err);

    if (st != FB_OK)
        return OUTCOME_FAILED;
    st = fb_apiserver_stream(watch->ground.server, path, watch->ground.pace->idle_ms, &watch->stop,
                             fb_watch_told_piece, stream, &status, err);
    if (watch->told.expired)
        return OUTCOME_EXPIRED;
    if (st == FB_OK && status == 200 && tells == FB_KUBE_PAGE && !watch->stop)
        st = fb_watch_told_page(&watch->told, stream, err);
    if (st == FB_OK && status == 403 && !watch->refused && may_be_absent(watch, status))
        warn(watch, "not allowed to list, taken for empty", err->text);
    if (st == FB_OK && (status == 403 || status == 200))
        watch->refused = status == 403;
    return st == FB_OK ? outcome_of(watch, status) : OUTCOME_FAILED;
}

static enum outcome list_pages(struct fb_watch *watch, struct fb_error *err)
{
    const struct fb_collection *collection = watch->collection;
    enum outcome outcome;

    fb_store_list(watch->ground.store, collection->kind);
    watch->told.next[0] = '\0';
    do {
        char path[8000];

        (void)snprintf(path, sizeof path, "%s?limit=%u%s", collection->paths[watch->path],
                       watch->ground.pace->page, collection->filter);
        if (watch->told.next[0] != '\0') {
            (void)strncat(path, "&continue=", sizeof path - strlen(path) - 1);
            append_escaped(path, sizeof path, watch->told.next);
        }
        outcome = exchange(watch, path, FB_KUBE_PAGE, err);
    } while (outcome == OUTCOME_FINE && watch->told.next[0] != '\0' && !watch->stop);
    return outcome;
}

/* The collection by the version of its API that is served. */
static enum outcome list_versions(struct fb_watch *watch, struct fb_error *err)
{
    enum outcome outcome = list_pages(watch, err);

    if (outcome != OUTCOME_ABSENT || watch->collection->paths[1] == NULL)
        return outcome;
    watch->path = 1 - watch->path;
    return list_pages(watch, err);
}

static enum outcome list(struct fb_watch *watch, struct fb_error *err)
{
    enum outcome outcome = list_versions(watch, err);
    bool complete = outcome == OUTCOME_FINE || outcome == OUTCOME_ABSENT;
    bool before = watch->synced;

    if (outcome == OUTCOME_FINE && watch->told.version[0] == '\0') {
        (void)fb_error_set(err, FB_EINPUT, "the list tells no resourceVersion");
        return OUTCOME_FAILED;
    }
    if (!complete || watch->stop) {
        watch->told.version[0] = '\0';
        return outcome;
    }
    if (outcome == OUTCOME_ABSENT)
        fb_store_list(watch->ground.store, watch->collection->kind);
    watch->absent = outcome == OUTCOME_ABSENT;
    watch->synced = true;
    if (fb_store_listed(watch->ground.store, watch->collection->kind) > 0 || !before)
        tell_changed(watch);
    return outcome;
}

static enum outcome follow(struct fb_watch *watch, struct fb_error *err)
{
    int64_t began = fb_inventory_clock_ms();
    size_t words = watch->told.words;
    enum outcome outcome;
    bool lasted;
    char path[8000];

    (void)snprintf(path, sizeof path,
                   "%s?watch=true&allowWatchBookmarks=true&timeoutSeconds=%u%s&resourceVersion=",
                   watch->collection->paths[watch->path],
                   jitter(watch, watch->ground.pace->timeout_s + 1), watch->collection->filter);
    append_escaped(path, sizeof path, watch->told.version);
    outcome = exchange(watch, path, FB_KUBE_WATCH, err);
    lasted = fb_inventory_clock_ms() - began >= QUICK_MS;
    if (watch->told.words != words || (outcome == OUTCOME_FINE && lasted))
        watch->failures = 0;
    else if (outcome == OUTCOME_FINE) {
        (void)fb_error_set(err, FB_EIO, "the watch ended at once");
        return OUTCOME_FAILED;
    }
    return outcome;
}

/* Without a version there is nothing to go on from. */
static bool must_list(const struct fb_watch *watch)
{
    return watch->told.version[0] == '\0';
}

/* What is not there is asked for again after a while, what was there is looked for at once. */
static void recover_absent(struct fb_watch *watch, bool listed)
{
    watch->told.version[0] = '\0';
    watch->failures = 0;
    if (listed)
        wait_ms(watch, jitter(watch, watch->ground.pace->absent_ms));
}

static void recover(struct fb_watch *watch, enum outcome outcome, const struct fb_error *err)
{
    /* What cannot be read would be told again from the same version on. */
    if (outcome == OUTCOME_EXPIRED || err->status == FB_EINPUT || err->status == FB_ELIMIT)
        watch->told.version[0] = '\0';
    watch->failures++;
    if (outcome == OUTCOME_EXPIRED && watch->failures == 1)
        return; /* that is how watches end sometimes */
    if (!watch->told.troubled)
        warn(watch, "the API server cannot be followed, will try again", err->text);
    watch->told.troubled = true;
    wait_ms(watch, backoff_ms(watch));
}

static void *run(void *context)
{
    static const char *const reasons[] = {"ended", "expired", "failed", "absent"};
    struct fb_watch *watch = context;

    while (!watch->stop) {
        bool lists = must_list(watch);
        struct fb_error err = {.status = FB_OK, .text = ""};
        enum outcome outcome = lists ? list(watch, &err) : follow(watch, &err);

        if (watch->stop)
            break;
        if (!lists || outcome == OUTCOME_EXPIRED || outcome == OUTCOME_FAILED)
            count_restart(watch, reasons[outcome]);
        if (outcome == OUTCOME_ABSENT)
            recover_absent(watch, lists);
        else if (outcome != OUTCOME_FINE)
            recover(watch, outcome, &err);
    }
    watch->ground.listener.ended(watch->ground.listener.context);
    return NULL;
}

static void init_waiting(struct fb_watch *watch)
{
    (void)pthread_mutex_init(&watch->lock, NULL);
    fb_deadline_init(&watch->wake);
}

static void release(struct fb_watch *watch)
{
    (void)pthread_cond_destroy(&watch->wake);
    (void)pthread_mutex_destroy(&watch->lock);
    free(watch);
}

enum fb_status fb_watch_start(const struct fb_collection *collection,
                              const struct fb_watch_ground *ground, struct fb_watch **ret,
                              struct fb_error *err)
{
    struct fb_watch *watch = calloc(1, sizeof *watch);
    char reason[128];
    int failed;

    if (watch == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    watch->collection = collection;
    watch->ground = *ground;
    watch->seed = (unsigned)fb_inventory_clock_ms() ^ (unsigned)(uintptr_t)watch;
    fb_watch_told_init(&watch->told, collection, &watch->ground);
    init_waiting(watch);
    failed = pthread_create(&watch->thread, NULL, run, watch);
    if (failed != 0) {
        release(watch);
        return fb_error_set(err, FB_EIO, "no thread to follow %s in: %s", collection->name,
                            strerror_r(failed, reason, sizeof reason));
    }
    *ret = watch;
    return FB_OK;
}

void fb_watch_stop(struct fb_watch *watch)
{
    if (watch == NULL)
        return;
    (void)pthread_mutex_lock(&watch->lock);
    watch->stop = true;
    (void)pthread_cond_signal(&watch->wake);
    (void)pthread_mutex_unlock(&watch->lock);
}

void fb_watch_free(struct fb_watch *watch)
{
    if (watch == NULL)
        return;
    (void)pthread_join(watch->thread, NULL);
    release(watch);
}

bool fb_watch_synced(const struct fb_watch *watch)
{
    return watch->synced;
}

int64_t fb_watch_heard_ms(const struct fb_watch *watch)
{
    return watch->absent ? INT64_MAX : watch->told.heard_ms;
}
