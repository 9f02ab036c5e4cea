/* SPDX-License-Identifier: Apache-2.0 */
#include "certificates.h"

#include "certificates_files.h"
#include "certificates_names.h"
#include "certificates_secret.h"
#include "fabricbind/own.h"
#include "log.h"
#include "ticker.h"
#include "tls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TURN_BYTES ((size_t)32 << 20) /* of memory that a turn takes */

enum source { FILES, SECRET, SOURCES };

static const char *const source_names[SOURCES] = {"files", "secret"};

struct fb_certificates {
    struct fb_certificates_setup setup; /* no zeros */
    struct fb_arena *arena;             /* of the texts below */
    struct fb_texts names;
    const char *secret; /* its name */
    struct fb_certificate_files files;
    bool by_files;
    struct fb_ticker *ticker;
    struct fb_tls_pair shown;        /* of the thread, like faults */
    struct fb_error faults[SOURCES]; /* that were logged last; "": none since */
    pthread_mutex_t watch_lock;      /* of changed, also while it is called */
    void (*changed)(void *context);
    void *changed_context;
    pthread_mutex_t lock; /* of what follows */
    char *bundle;         /* NULL: not known yet */
    int64_t ends_s;       /* of what is shown; 0: nothing is */
};

static int64_t clock_s(void)
{
    return (int64_t)time(NULL);
}

static void text_freep(char **at)
{
    free(*at);
}

static void count(struct fb_certificates *certificates, enum source source, const char *result)
{
    const char *const labels[] = {source_names[source], result};

    fb_metrics_add(certificates->setup.metrics, FB_METRIC_CERTIFICATES, labels, 1.0);
}

/* How a turn with @source went. The same fault again is counted, not logged. */
static void note(struct fb_certificates *certificates, enum source source, enum fb_status st,
                 const struct fb_error *err)
{
    struct fb_error *fault = &certificates->faults[source];
    const char *text = st == FB_OK ? "" : err->text;
    const struct fb_log_field fields[] = {
        FB_LOG_TEXT("source", source_names[source]),
        FB_LOG_TEXT("error", text),
    };

    if (st != FB_OK)
        count(certificates, source, st == FB_EINPUT ? "refused" : "failed");
    if (strcmp(fault->text, text) == 0)
        return;
    if (st == FB_OK)
        fb_log(FB_LOG_INFO, "the source of keys and certificates is good again", fields, 1);
    else
        fb_log(FB_LOG_WARNING, "keys and certificates stay what they were", fields, COUNT(fields));
    *fault = st == FB_OK ? (struct fb_error){.status = FB_OK} : *err;
}

static void notify(struct fb_certificates *certificates)
{
    (void)pthread_mutex_lock(&certificates->watch_lock);
    if (certificates->changed != NULL)
        certificates->changed(certificates->changed_context);
    (void)pthread_mutex_unlock(&certificates->watch_lock);
}

/* Take over @bundle, and tell who waits for that. */
static void tell_bundle(struct fb_certificates *certificates, const char *bundle)
{
    char *next = strdup(bundle == NULL ? "" : bundle);
    char *old = next;

    if (next == NULL)
        return;
    (void)pthread_mutex_lock(&certificates->lock);
    if (certificates->bundle == NULL || strcmp(certificates->bundle, next) != 0) {
        old = certificates->bundle;
        certificates->bundle = next;
    }
    (void)pthread_mutex_unlock(&certificates->lock);
    if (old != next)
        notify(certificates);
    free(old);
}

/* Is @pair good by the authorities of @bundle; "" and NULL stand for any. */
static enum fb_status check(const struct fb_certificates *certificates,
                            const struct fb_tls_pair *pair, const char *bundle,
                            struct fb_error *err)
{
    const struct fb_tls_demand demand = {
        .bundle_pem = bundle == NULL || bundle[0] == '\0' ? NULL : bundle,
        .now_s = certificates->setup.clock_s(),
    };

    return fb_tls_check(pair, &demand, err);
}

static void note_shown(struct fb_certificates *certificates, const struct fb_tls_life *life)
{
    enum source source = certificates->by_files ? FILES : SECRET;
    const struct fb_log_field fields[] = {
        FB_LOG_TEXT("source", source_names[source]),
        FB_LOG_INT("ends", life->ends_s),
    };

    (void)pthread_mutex_lock(&certificates->lock);
    certificates->ends_s = life->ends_s;
    (void)pthread_mutex_unlock(&certificates->lock);
    fb_metrics_set(certificates->setup.metrics, FB_METRIC_CERTIFICATE_EXPIRY, NULL,
                   (double)life->ends_s);
    count(certificates, source, "shown");
    fb_log(FB_LOG_INFO, "certificate shown", fields, COUNT(fields));
    notify(certificates);
}

static enum fb_status show(struct fb_certificates *certificates, const struct fb_tls_pair *pair,
                           struct fb_error *err)
{
    struct fb_tls_pair next = {strdup(pair->cert_pem), strdup(pair->key_pem)};
    struct fb_tls_life life = {0};
    enum fb_status st = FB_OK;

    if (next.cert_pem == NULL || next.key_pem == NULL)
        st = fb_error_set(err, FB_ENOMEM, "out of memory");
    if (st == FB_OK)
        st = fb_tls_read_life(next.cert_pem, &life, err);
    if (st == FB_OK)
        st = fb_server_tls_set(certificates->setup.tls, next.cert_pem, next.key_pem, err);
    if (st != FB_OK) {
        fb_tls_pair_fini(&next);
        return st;
    }
    fb_tls_pair_fini(&certificates->shown);
    certificates->shown = next;
    note_shown(certificates, &life);
    return FB_OK;
}

static bool is_shown(const struct fb_certificates *certificates, const struct fb_tls_pair *pair)
{
    const struct fb_tls_pair *shown = &certificates->shown;

    return shown->cert_pem != NULL && strcmp(shown->cert_pem, pair->cert_pem) == 0 &&
           strcmp(shown->key_pem, pair->key_pem) == 0;
}

/*
 * Is @pair to wait until the API server has been told of its authority, while what is shown still
 * does. @before is what it was told till now.
 */
static bool must_wait(const struct fb_certificates *certificates, const struct fb_tls_pair *pair,
                      const char *before, const char *bundle)
{
    return certificates->shown.cert_pem != NULL && before != NULL && before[0] != '\0' &&
           check(certificates, pair, before, NULL) != FB_OK &&
           check(certificates, &certificates->shown, bundle, NULL) == FB_OK;
}

/* Returns FB_OK also when @texts wait; @ret_kept says that they do not. */
static enum fb_status use(struct fb_certificates *certificates,
                          const struct fb_certificate_texts *texts, bool *ret_kept,
                          struct fb_error *err)
{
    FB_OWNED(text_freep) char *before = fb_certificates_bundle(certificates);
    /* Only read, though the struct is for owners, too. */
    union {
        const char *constant[2];
        struct fb_tls_pair pair;
    } both = {.constant = {texts->cert, texts->key}};
    enum fb_status st = check(certificates, &both.pair, texts->authorities, err);

    *ret_kept = false;
    if (st != FB_OK)
        return st;
    tell_bundle(certificates, texts->authorities);
    if (!is_shown(certificates, &both.pair)) {
        if (must_wait(certificates, &both.pair, before, texts->authorities))
            return FB_OK;
        st = show(certificates, &both.pair, err);
    }
    *ret_kept = st == FB_OK;
    return st;
}

static enum fb_status turn_files(struct fb_certificates *certificates, struct fb_arena *arena,
                                 struct fb_error *err)
{
    struct fb_certificate_texts texts = {0};
    bool changed = false;
    bool kept = false;
    enum fb_status st =
        fb_certificate_files_read(&certificates->files, arena, &changed, &texts, err);

    if (st == FB_OK && changed)
        st = use(certificates, &texts, &kept, err);
    if (kept)
        fb_certificate_files_keep(&certificates->files);
    return st;
}

/* What the Secret holds of a certificate; cert is "" where it holds none. */
static enum fb_status texts_of(struct fb_arena *arena, const struct fb_secret *secret,
                               struct fb_certificate_texts *ret, struct fb_error *err)
{
    enum fb_status st = fb_secret_text(arena, secret, FB_SECRET_CERT, &ret->cert, err);

    if (st == FB_OK)
        st = fb_secret_text(arena, secret, FB_SECRET_KEY, &ret->key, err);
    return st == FB_OK
               ? fb_secret_text(arena, secret, FB_SECRET_AUTHORITIES, &ret->authorities, err)
               : st;
}

static enum fb_status use_secret(struct fb_certificates *certificates, struct fb_arena *arena,
                                 const struct fb_secret *secret, struct fb_error *err)
{
    struct fb_certificate_texts texts = {0};
    const char *key = "";
    bool kept = false;
    enum fb_status st = FB_OK;

    if (!certificates->by_files) {
        st = texts_of(arena, secret, &texts, err);
        if (st == FB_OK)
            st = use(certificates, &texts, &kept, err);
    }
    if (st == FB_OK)
        st = fb_secret_text(arena, secret, FB_SECRET_SIGNING_KEY, &key, err);
    if (st == FB_OK && certificates->setup.sign != NULL)
        st = fb_sign_set(certificates->setup.sign, key, err);
    return st;
}

static void note_made(struct fb_certificates *certificates, const struct fb_error *why)
{
    const struct fb_log_field fields[] = {
        FB_LOG_TEXT("secret", certificates->secret),
        FB_LOG_TEXT("reason", why->text),
    };

    if (why->text[0] == '\0')
        return;
    count(certificates, SECRET, "made");
    fb_log(FB_LOG_INFO, "keys or certificates made anew", fields, COUNT(fields));
}

/* A Secret that can be read, but not be written, is used as far as it is good. */
static enum fb_status turn_secret(struct fb_certificates *certificates, struct fb_arena *arena,
                                  struct fb_error *err)
{
    const struct fb_certificates_setup *setup = &certificates->setup;
    const struct fb_secret_place place = {setup->server, fb_apiserver_space(setup->server),
                                          certificates->secret};
    FB_OWNED(text_freep) char *known = fb_certificates_bundle(certificates);
    const struct fb_renew_terms terms = {
        .wants_cert = !certificates->by_files,
        .names = &certificates->names,
        .now_s = setup->clock_s(),
        .authority_days = setup->authority_days,
        .days = setup->days,
        .known = known,
    };
    struct fb_secret secret = {0};
    struct fb_error why = {0};
    enum fb_status st = fb_certificates_keep(&place, arena, &terms, &secret, &why, err);

    note_made(certificates, &why);
    if (st == FB_OK)
        return use_secret(certificates, arena, &secret, err);
    if (secret.metadata != NULL)
        (void)use_secret(certificates, arena, &secret, NULL);
    return st;
}

static void turn_with(struct fb_certificates *certificates, enum source source)
{
    struct fb_arena *arena = fb_arena_new_small(TURN_BYTES);
    struct fb_error err = {.text = "out of memory"};
    enum fb_status st = FB_ENOMEM;

    if (arena != NULL)
        st = source == FILES ? turn_files(certificates, arena, &err)
                             : turn_secret(certificates, arena, &err);
    note(certificates, source, st, &err);
    fb_arena_free(arena);
}

static void turn(void *context)
{
    struct fb_certificates *certificates = context;

    if (certificates->by_files)
        turn_with(certificates, FILES);
    if (certificates->setup.server != NULL)
        turn_with(certificates, SECRET);
}

static const char *keep(struct fb_arena *arena, const char *text)
{
    return fb_arena_text(arena, text, strlen(text));
}

static bool fill(struct fb_certificates *certificates)
{
    struct fb_certificates_setup *setup = &certificates->setup;
    const struct fb_admission_config *config = setup->config;
    const char *space = setup->server == NULL ? "" : fb_apiserver_space(setup->server);
    struct fb_arena *arena = certificates->arena = fb_arena_new_small(0);
    const char **paths = certificates->files.paths;

    if (arena == NULL)
        return false;
    certificates->by_files = config->cert_file[0] != '\0';
    certificates->secret = keep(arena, config->secret);
    paths[0] = keep(arena, config->cert_file);
    paths[1] = keep(arena, config->key_file);
    paths[2] = keep(arena, config->ca_file);
    if (setup->period_ms == 0)
        setup->period_ms = certificates->by_files ? 10000 : 15000;
    if (setup->days == 0)
        setup->days = 90;
    if (setup->authority_days == 0)
        setup->authority_days = 3650;
    if (setup->clock_s == NULL)
        setup->clock_s = clock_s;
    setup->config = NULL;
    return certificates->secret != NULL && paths[0] != NULL && paths[1] != NULL &&
           paths[2] != NULL &&
           fb_certificates_names(arena, config, space, &certificates->names) == FB_OK;
}

enum fb_status fb_certificates_start(const struct fb_certificates_setup *setup,
                                     struct fb_certificates **ret, struct fb_error *err)
{
    struct fb_certificates *certificates;
    enum fb_status st;

    if (setup->server == NULL && setup->config->cert_file[0] == '\0')
        return fb_error_set(err, FB_EINPUT,
                            "admission.certFile: needed where there is no API server");
    certificates = calloc(1, sizeof *certificates);
    if (certificates == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    certificates->setup = *setup;
    (void)pthread_mutex_init(&certificates->lock, NULL);
    (void)pthread_mutex_init(&certificates->watch_lock, NULL);
    st = fill(certificates) ? FB_OK : fb_error_set(err, FB_ENOMEM, "out of memory");
    if (st == FB_OK)
        st = fb_ticker_start(certificates->setup.period_ms, turn, certificates,
                             &certificates->ticker, err);
    if (st == FB_OK)
        *ret = certificates;
    else
        fb_certificates_stop(certificates);
    return st;
}

void fb_certificates_wake(struct fb_certificates *certificates)
{
    fb_ticker_wake(certificates->ticker);
}

uint64_t fb_certificates_turns(struct fb_certificates *certificates)
{
    return fb_ticker_turns(certificates->ticker);
}

void fb_certificates_watch(struct fb_certificates *certificates, void (*changed)(void *context),
                           void *context)
{
    (void)pthread_mutex_lock(&certificates->watch_lock);
    certificates->changed = changed;
    certificates->changed_context = context;
    (void)pthread_mutex_unlock(&certificates->watch_lock);
}

char *fb_certificates_bundle(struct fb_certificates *certificates)
{
    char *ret;

    (void)pthread_mutex_lock(&certificates->lock);
    ret = certificates->bundle == NULL ? NULL : strdup(certificates->bundle);
    (void)pthread_mutex_unlock(&certificates->lock);
    return ret;
}

bool fb_certificates_ready(struct fb_certificates *certificates)
{
    int64_t ends_s;

    (void)pthread_mutex_lock(&certificates->lock);
    ends_s = certificates->ends_s;
    (void)pthread_mutex_unlock(&certificates->lock);
    return certificates->setup.clock_s() < ends_s;
}

void fb_certificates_stop(struct fb_certificates *certificates)
{
    if (certificates == NULL)
        return;
    fb_ticker_stop(certificates->ticker);
    fb_tls_pair_fini(&certificates->shown);
    free(certificates->bundle);
    fb_arena_free(certificates->arena);
    (void)pthread_mutex_destroy(&certificates->watch_lock);
    (void)pthread_mutex_destroy(&certificates->lock);
    free(certificates);
}
