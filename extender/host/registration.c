/* SPDX-License-Identifier: Apache-2.0 */
#include "registration.h"

#include "fabricbind/own.h"
#include "fabricbind/webhooks.h"
#include "log.h"
#include "ticker.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LIST "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
#define TRIES 5
#define CALL_MS 2000
#define PERIOD_MS 30000
#define TURN_BYTES ((size_t)64 << 20) /* of memory that a turn takes */

struct fb_registration {
    struct fb_registration_setup setup;
    struct fb_ticker *ticker;
    struct fb_error fault; /* that was logged last; "": none since */
};

/* One turn under way. */
struct work {
    struct fb_registration *registration;
    struct fb_arena *arena;
    const struct fb_webhooks *webhooks;
};

static void text_freep(char **at)
{
    free(*at);
}

static void count(struct fb_registration *registration, const char *result)
{
    fb_metrics_add(registration->setup.metrics, FB_METRIC_REGISTRATIONS, &result, 1.0);
}

static void note_fault(struct fb_registration *registration, const struct fb_error *err)
{
    const struct fb_log_field fields[] = {FB_LOG_TEXT("error", err->text)};

    count(registration, "failed");
    if (strcmp(registration->fault.text, err->text) == 0)
        return;
    registration->fault = *err;
    fb_log(FB_LOG_WARNING, "webhooks are not registered, or not as they should be", fields,
           COUNT(fields));
}

static void note_written(const struct work *work, bool is_new)
{
    const struct fb_log_field fields[] = {FB_LOG_TEXT("name", work->webhooks->name)};

    count(work->registration, is_new ? "made" : "repaired");
    fb_log(FB_LOG_INFO, is_new ? "webhooks registered" : "webhooks registered anew", fields,
           COUNT(fields));
}

/* @body NULL: read. */
static enum fb_status call(const struct work *work, const char *method, const char *body,
                           struct fb_api_reply *ret, struct fb_error *err)
{
    bool named = strcmp(method, "POST") != 0;
    const struct fb_api_call call = {
        .method = method,
        .path = fb_arena_print(work->arena, LIST "%s%s", named ? "/" : "",
                               named ? work->webhooks->name : ""),
        .body = body,
        .len = body == NULL ? 0 : strlen(body),
        .timeout_ms = CALL_MS,
    };

    if (call.path == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return fb_apiserver_call(work->registration->setup.server, &call, ret, err);
}

/* @ret_done is false when another one was faster. */
static enum fb_status write_it(const struct work *work, const char *found, bool *ret_done,
                               struct fb_error *err)
{
    FB_OWNED(fb_api_reply_fini) struct fb_api_reply reply = {0};
    const char *body = NULL;
    enum fb_status st = fb_webhooks_print(work->arena, work->webhooks, found, &body, err);

    if (st == FB_OK)
        st = call(work, found == NULL ? "POST" : "PUT", body, &reply, err);
    if (st != FB_OK)
        return st;
    *ret_done = reply.status == 200 || reply.status == 201;
    if (*ret_done)
        note_written(work, found == NULL);
    /* 404: it was deleted between reading and writing. */
    if (*ret_done || reply.status == 409 || (reply.status == 404 && found != NULL))
        return FB_OK;
    return fb_api_reply_error(&reply, FB_EIO, err);
}

/* Look once, and write when that is needed. @ret_done is false when it is to be done again. */
static enum fb_status look(const struct work *work, bool *ret_done, struct fb_error *err)
{
    FB_OWNED(fb_api_reply_fini) struct fb_api_reply reply = {0};
    const char *ours = NULL;
    enum fb_status st = call(work, "GET", NULL, &reply, err);

    if (st != FB_OK)
        return st;
    if (reply.status == 404)
        return write_it(work, NULL, ret_done, err);
    if (reply.status != 200)
        return fb_api_reply_error(&reply, FB_EIO, err);
    st = fb_webhooks_print(work->arena, work->webhooks, NULL, &ours, err);
    if (st == FB_OK)
        st = fb_webhooks_compare(ours, reply.body, ret_done, err);
    return st == FB_OK && !*ret_done ? write_it(work, reply.body, ret_done, err) : st;
}

static enum fb_status keep(const struct work *work, struct fb_error *err)
{
    bool done = false;
    enum fb_status st = FB_OK;

    for (int i = 0; i < TRIES && st == FB_OK && !done; i++)
        st = look(work, &done, err);
    if (st == FB_OK && !done)
        st = fb_error_set(err, FB_EIO, "others write it all the time");
    return st == FB_OK ? st : fb_error_prefix(err, st, "%s", work->webhooks->name);
}

static struct fb_webhooks webhooks_of(const struct fb_registration *registration,
                                      const struct fb_config *config, const char *bundle)
{
    const struct fb_admission_config *admission = &config->admission;
    const char *own = fb_apiserver_space(registration->setup.server);
    const char *space = admission->service.space;

    return (struct fb_webhooks){
        .name = admission->name,
        .url = admission->url,
        .bundle = bundle,
        /* Asked by URL it runs outside, and the namespace of its context is one that is worked in.
         */
        .own = admission->url[0] == '\0' ? own : "",
        .service = {space[0] == '\0' ? own : space, admission->service.name,
                    admission->service.port},
        .exclude = &admission->exclude_spaces,
        .settings = &config->settings,
        .timeout_s = admission->timeout_s,
        .observe = config->mode == FB_MODE_OBSERVE,
    };
}

static enum fb_status keep_by(struct fb_registration *registration, const struct fb_config *config,
                              struct fb_error *err)
{
    FB_OWNED(text_freep) char *bundle = fb_certificates_bundle(registration->setup.certificates);
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new_small(TURN_BYTES);
    const struct fb_webhooks webhooks = webhooks_of(registration, config, bundle);
    const struct work work = {registration, arena, &webhooks};

    if (bundle == NULL || arena == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return keep(&work, err);
}

static void turn(void *context)
{
    struct fb_registration *registration = context;
    FB_OWNED(fb_inventory_releasep)
    struct fb_inventory *inventory = fb_inventory_slot_get(registration->setup.slot);
    const struct fb_config *config = &inventory->in.config;
    struct fb_error err = {0};

    if (!config->admission.is_registered ||
        !fb_certificates_ready(registration->setup.certificates))
        return;
    if (keep_by(registration, config, &err) == FB_OK)
        registration->fault.text[0] = '\0';
    else
        note_fault(registration, &err);
}

static void wake(void *context)
{
    fb_registration_wake(context);
}

enum fb_status fb_registration_start(const struct fb_registration_setup *setup,
                                     struct fb_registration **ret, struct fb_error *err)
{
    struct fb_registration *registration = calloc(1, sizeof *registration);
    enum fb_status st;

    if (registration == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    registration->setup = *setup;
    st = fb_ticker_start(setup->period_ms == 0 ? PERIOD_MS : setup->period_ms, turn, registration,
                         &registration->ticker, err);
    if (st != FB_OK) {
        free(registration);
        return st;
    }
    fb_certificates_watch(setup->certificates, wake, registration);
    /* A certificate may have come between the first turn and the watch. */
    fb_ticker_wake(registration->ticker);
    *ret = registration;
    return FB_OK;
}

void fb_registration_wake(struct fb_registration *registration)
{
    if (registration != NULL)
        fb_ticker_wake(registration->ticker);
}

uint64_t fb_registration_turns(struct fb_registration *registration)
{
    return fb_ticker_turns(registration->ticker);
}

void fb_registration_stop(struct fb_registration *registration)
{
    if (registration == NULL)
        return;
    fb_certificates_watch(registration->setup.certificates, NULL, NULL);
    fb_ticker_stop(registration->ticker);
    free(registration);
}
