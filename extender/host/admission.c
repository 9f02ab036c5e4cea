/* SPDX-License-Identifier: Apache-2.0 */
#include "admission.h"

#include "admission_work.h"
#include "log.h"

#include "fabricbind/own.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES ((size_t)16 << 10)

/* So long an inventory may be behind what the API server has just made; it waits 3 s itself. */
#define WAIT_MS 1000

/* Parsed, a body takes up to forty times its size: those beyond this, which no pod or job of good
   sense is, are read one at a time. */
#define LARGE_BYTES ((size_t)1 << 20)

struct fb_admission {
    struct fb_inventory_slot *slot;
    struct fb_metrics *metrics;
    struct fb_admission_world world;
    struct fb_review_formats *formats;
    pthread_mutex_t large;  /* for who reads a large body */
    atomic_uint waiting;    /* reviews that wait for another inventory */
    atomic_bool complained; /* the first fault was logged */
};

/** A body while it comes. */
struct exchange {
    char *body;
    size_t len, size;
};

enum fb_status fb_admission_new(struct fb_inventory_slot *slot, struct fb_metrics *metrics,
                                const struct fb_admission_world *world, struct fb_admission **ret,
                                struct fb_error *err)
{
    FB_OWNED(fb_admission_freep) struct fb_admission *admission = calloc(1, sizeof *admission);

    if (admission == NULL)
        return fb_admission_no_memory(err);
    (void)pthread_mutex_init(&admission->large, NULL);
    admission->slot = slot;
    admission->metrics = metrics;
    if (world != NULL)
        admission->world = *world;
    if (fb_review_formats_new(&admission->formats, err) != FB_OK)
        return FB_ENOMEM;
    *ret = FB_TAKE(admission);
    return FB_OK;
}

void fb_admission_free(struct fb_admission *admission)
{
    if (admission == NULL)
        return;
    fb_review_formats_free(admission->formats);
    (void)pthread_mutex_destroy(&admission->large);
    free(admission);
}

void fb_admission_freep(struct fb_admission **admission)
{
    fb_admission_free(*admission);
    *admission = NULL;
}

enum fb_status fb_admission_no_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

bool fb_admission_creates(const struct fb_admission_work *work, const char *group, const char *kind,
                          const char *subresource)
{
    const struct fb_review *review = &work->review;

    return fb_text_equal(review->operation, "CREATE") && fb_text_equal(review->group, group) &&
           fb_text_equal(review->kind, kind) && fb_text_equal(review->subresource, subresource);
}

static const struct fb_namespace *find_space(const struct fb_admission_work *work)
{
    return fb_namespaces_find(&work->inventory->in.namespaces, work->review.space);
}

bool fb_admission_knows_space(const struct fb_admission_work *work)
{
    return find_space(work) != NULL;
}

bool fb_admission_leaves(const struct fb_admission_work *work)
{
    const struct fb_namespace *space = find_space(work);

    return fb_text_equal(work->review.space, "kube-system") || (space != NULL && space->off);
}

enum fb_pod_security fb_admission_level(const struct fb_admission_work *work)
{
    const struct fb_namespace *space = find_space(work);

    return space != NULL ? space->level : FB_POD_SECURITY_PRIVILEGED;
}

bool fb_admission_observes(const struct fb_admission_work *work)
{
    return work->inventory->in.config.mode == FB_MODE_OBSERVE;
}

enum fb_status fb_admission_warn(struct fb_admission_work *work, const char *fmt, ...)
{
    char text[FB_REVIEW_WARNING_BYTES + 2]; /* one more: it says itself that it is cut */
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fb_texts_add(work->arena, &work->warnings,
                        fb_arena_text(work->arena, text, strlen(text)));
}

enum fb_status fb_admission_warn_left_out(struct fb_admission_work *work, const char *what)
{
    return fb_admission_warn(work, "fabricbind: left out, as Pod Security level %s forbids it: %s",
                             fb_pod_security_name(fb_admission_level(work)), what);
}

void fb_admission_log(const struct fb_admission_work *work, const char *name, const char *result)
{
    const struct fb_log_field fields[] = {
        FB_LOG_INT("request", (int64_t)work->request),
        FB_LOG_TEXT("review", work->review.uid),
        FB_LOG_TEXT("kind", work->review.kind),
        FB_LOG_TEXT("namespace", work->review.space),
        FB_LOG_TEXT("name", name),
        FB_LOG_TEXT("result", result),
    };

    if (fb_log_wants(FB_LOG_DEBUG))
        fb_log(FB_LOG_DEBUG, "reviewed", fields, sizeof fields / sizeof fields[0]);
}

static void *begin(void *context, const struct fb_request *request)
{
    (void)context;
    (void)request;
    return calloc(1, sizeof(struct exchange));
}

static enum fb_status feed(void *state, const char *bytes, size_t len, struct fb_error *err)
{
    struct exchange *exchange = state;
    size_t size = exchange->size > 0 ? exchange->size : FIRST_BYTES;
    char *grown;

    if (len > FB_REVIEW_BYTES - exchange->len)
        return fb_error_set(err, FB_ELIMIT, "body: more than %zu bytes", FB_REVIEW_BYTES);
    while (size < exchange->len + len)
        size *= 2;
    if (size > exchange->size) {
        grown = realloc(exchange->body, size);
        if (grown == NULL)
            return fb_admission_no_memory(err);
        exchange->body = grown;
        exchange->size = size;
    }
    memcpy(exchange->body + exchange->len, bytes, len);
    exchange->len += len;
    return FB_OK;
}

static void end(void *state)
{
    struct exchange *exchange = state;

    free(exchange->body);
    free(exchange);
}

static enum fb_status review(struct fb_admission_work *work, enum fb_admission_route route,
                             struct fb_error *err)
{
    switch (route) {
    case FB_ADMISSION_PODS:
        return fb_admission_pod(work, err);
    case FB_ADMISSION_BINDINGS:
        return fb_admission_binding(work, err);
    case FB_ADMISSION_JOBS:
        break;
    }
    return fb_admission_job(work, err);
}

/* Who observes decides, but neither refuses nor changes anything. */
static enum fb_status say(const struct fb_admission_work *work, struct fb_answer *ret,
                          struct fb_error *err)
{
    bool observes = fb_admission_observes(work);
    const struct fb_review_answer answer = {
        .allowed = observes || work->denied == NULL,
        .code = 403,
        .reason = "Forbidden",
        .message = work->denied,
        .patch = observes ? NULL : &work->patch,
        .warnings = &work->warnings,
    };

    ret->body = fb_review_encode(work->review.uid, &answer);
    if (ret->body == NULL)
        return fb_admission_no_memory(err);
    ret->len = strlen(ret->body);
    return FB_OK;
}

/* Half a cluster would look as if pods could go nowhere. */
static enum fb_status await_objects(struct fb_admission_work *work, struct fb_error *err)
{
    while (work->inventory->live && !work->inventory->synced && fb_admission_wait(work))
        continue;
    if (work->inventory->live && !work->inventory->synced)
        return fb_error_set(err, FB_EIO, "the inventory is not complete yet");
    return FB_OK;
}

static void fini_work(struct fb_admission_work *work)
{
    fb_review_fini(&work->review);
    fb_inventory_release(work->inventory);
}

static enum fb_status answer(struct fb_admission *admission, const struct fb_request *request,
                             const struct exchange *exchange, struct fb_answer *ret,
                             struct fb_error *err)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new_small(FB_ADMISSION_ARENA_BYTES);
    FB_OWNED(fini_work)
    struct fb_admission_work work = {
        .world = &admission->world,
        .metrics = admission->metrics,
        .formats = admission->formats,
        .slot = admission->slot,
        .arena = arena,
        .until_ms = fb_inventory_clock_ms() + WAIT_MS,
        .waiting = &admission->waiting,
        .request = request->id,
    };
    enum fb_status st;

    if (arena == NULL)
        return fb_admission_no_memory(err);
    fb_admission_look(&work, fb_inventory_slot_get(admission->slot));
    st = fb_review_decode(arena, exchange->body != NULL ? exchange->body : "", exchange->len,
                          &work.review, err);
    if (st == FB_OK)
        st = await_objects(&work, err);
    if (st == FB_OK)
        st = review(&work, (enum fb_admission_route)request->route->number, err);
    return st == FB_OK ? say(&work, ret, err) : st;
}

static enum fb_status answer_in_turn(struct fb_admission *admission,
                                     const struct fb_request *request,
                                     const struct exchange *exchange, struct fb_answer *ret,
                                     struct fb_error *err)
{
    bool large = exchange->len > LARGE_BYTES;
    enum fb_status st;

    if (large)
        (void)pthread_mutex_lock(&admission->large);
    st = answer(admission, request, exchange, ret, err);
    if (large)
        (void)pthread_mutex_unlock(&admission->large);
    return st;
}

/* Counted each time, told the first time and then to those who debug. */
static void complain(struct fb_admission *admission, const struct fb_request *request,
                     const struct fb_error *err)
{
    const char *labels[] = {"admission"};
    bool again = atomic_exchange(&admission->complained, true);
    const struct fb_log_field fields[] = {
        FB_LOG_TEXT("verb", request->route->verb),
        FB_LOG_INT("request", (int64_t)request->id),
        FB_LOG_INT("bytes", (int64_t)request->bytes),
        FB_LOG_TEXT("error", err->text),
    };

    fb_metrics_add(admission->metrics, FB_METRIC_FAULTS, labels, 1.0);
    fb_log(again ? FB_LOG_DEBUG : FB_LOG_WARNING, "a review could not be answered", fields,
           sizeof fields / sizeof fields[0]);
}

/* @whole: the body came to its end, so that what failed is here. */
static unsigned http_status(enum fb_status st, bool whole)
{
    static const unsigned codes[] = {
        [FB_OK] = 500,        [FB_EINPUT] = 400, [FB_ELIMIT] = 413,
        [FB_ENOTFOUND] = 500, [FB_ENOMEM] = 503, [FB_EIO] = 503,
    };

    return st == FB_EIO && !whole ? 408 : codes[st];
}

static char *print_error(const struct fb_error *err)
{
    FB_OWNED(fb_json_fini) struct fb_json json = {0};

    fb_json_text(&json, fb_json_map(&json, NULL, NULL), "error", err->text);
    return fb_json_print(&json);
}

static void refuse(unsigned status, const struct fb_error *err, struct fb_answer *ret)
{
    static const char without_memory[] = "{\"error\":\"out of memory\"}";

    ret->status = status;
    ret->body = print_error(err);
    ret->constant = ret->body == NULL ? without_memory : NULL;
    ret->len = ret->body != NULL ? strlen(ret->body) : sizeof without_memory - 1;
}

static void finish(void *context, const struct fb_request *request, void *state, enum fb_status st,
                   const struct fb_error *err, struct fb_answer *ret)
{
    struct fb_error fault = {.text = "out of memory"};
    bool whole = st == FB_OK;

    *ret = (struct fb_answer){.status = 200, .type = "application/json"};
    if (err != NULL)
        fault = *err;
    if (state == NULL)
        st = st == FB_OK ? FB_ENOMEM : st;
    else if (st == FB_OK)
        st = answer_in_turn(context, request, state, ret, &fault);
    if (st != FB_OK) {
        refuse(http_status(st, whole), &fault, ret);
        complain(context, request, &fault);
    }
    if (state != NULL)
        end(state);
}

const struct fb_handler fb_admission_handler = {begin, feed, finish, end};
