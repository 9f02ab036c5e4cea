/* SPDX-License-Identifier: Apache-2.0 */
#include "reload.h"

#include "deadline.h"

#include "fabricbind/own.h"
#include "log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))

struct fb_reload {
    const struct fb_options *options;
    struct fb_inventory_slot *slot;
    struct fb_live *live;   /* NULL: none */
    struct fb_arena *arena; /* of the texts */
    const char *extender, *admission, *metrics;
    size_t body_bytes;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    pthread_cond_t gone; /* by CLOCK_MONOTONIC */
    bool wanted, ending, ended;
};

void fb_reload_notice(void *context, const char *text)
{
    (void)context;
    fb_log(FB_LOG_WARNING, text, NULL, 0);
}

static void warn_fixed(const char *key)
{
    const struct fb_log_field fields[] = {FB_LOG_TEXT("key", key)};

    fb_log(FB_LOG_WARNING, "a change of this key takes a restart", fields, COUNT(fields));
}

static void warn_of_fixed(const struct fb_reload *reload, const struct fb_config *config)
{
    if (strcmp(config->listen.extender, reload->extender) != 0)
        warn_fixed("listen.extender");
    if (strcmp(config->listen.admission, reload->admission) != 0)
        warn_fixed("listen.admission");
    if (strcmp(config->listen.metrics, reload->metrics) != 0)
        warn_fixed("listen.metrics");
    if (config->limits.body_bytes != reload->body_bytes)
        warn_fixed("limits.bodyBytes");
}

static void read_anew(struct fb_reload *reload)
{
    struct fb_inventory *next = NULL;
    struct fb_error err = {.text = "out of memory"};
    int64_t began = fb_inventory_clock_ms();

    if (fb_inventory_read(reload->options, fb_reload_notice, NULL, &next, &err) != FB_OK) {
        const struct fb_log_field fields[] = {FB_LOG_TEXT("error", err.text)};

        fb_log(FB_LOG_ERROR, "not reloaded, what was read before stays", fields, COUNT(fields));
        return;
    }
    warn_of_fixed(reload, &next->in.config);
    const struct fb_log_field fields[] = {
        FB_LOG_INT("nodes", (int64_t)next->in.objects.nodes_len),
        FB_LOG_INT("pods", (int64_t)next->in.objects.pods_len),
        FB_LOG_INT("milliseconds", fb_inventory_clock_ms() - began),
    };
    if (reload->live != NULL)
        fb_live_rebase(reload->live, next);
    else
        fb_inventory_slot_put(reload->slot, next);
    fb_log(FB_LOG_INFO, "reloaded", fields, COUNT(fields));
}

static void *run(void *context)
{
    struct fb_reload *reload = context;

    (void)pthread_mutex_lock(&reload->lock);
    while (!reload->ending) {
        if (!reload->wanted) {
            (void)pthread_cond_wait(&reload->wake, &reload->lock);
            continue;
        }
        reload->wanted = false;
        (void)pthread_mutex_unlock(&reload->lock);
        read_anew(reload);
        (void)pthread_mutex_lock(&reload->lock);
    }
    reload->ended = true;
    (void)pthread_cond_signal(&reload->gone);
    (void)pthread_mutex_unlock(&reload->lock);
    return NULL;
}

static void release(struct fb_reload *reload)
{
    (void)pthread_cond_destroy(&reload->gone);
    (void)pthread_cond_destroy(&reload->wake);
    (void)pthread_mutex_destroy(&reload->lock);
    fb_arena_free(reload->arena);
    free(reload);
}

static void init_locks(struct fb_reload *reload)
{
    (void)pthread_mutex_init(&reload->lock, NULL);
    (void)pthread_cond_init(&reload->wake, NULL);
    fb_deadline_init(&reload->gone);
}

/* Keep what the servers run with: the inventory that told it will be gone. */
static bool keep_fixed(struct fb_reload *reload)
{
    FB_OWNED(fb_inventory_releasep)
    struct fb_inventory *inventory = fb_inventory_slot_get(reload->slot);
    const struct fb_listen *listen = &inventory->in.config.listen;

    reload->arena = fb_arena_new(0);
    if (reload->arena == NULL)
        return false;
    reload->extender = fb_arena_print(reload->arena, "%s", listen->extender);
    reload->admission = fb_arena_print(reload->arena, "%s", listen->admission);
    reload->metrics = fb_arena_print(reload->arena, "%s", listen->metrics);
    reload->body_bytes = inventory->in.config.limits.body_bytes;
    return reload->extender != NULL && reload->admission != NULL && reload->metrics != NULL;
}

enum fb_status fb_reload_start(const struct fb_options *options, struct fb_inventory_slot *slot,
                               struct fb_live *live, struct fb_reload **ret, struct fb_error *err)
{
    struct fb_reload *reload = calloc(1, sizeof *reload);
    char reason[128];
    int failed;

    if (reload == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    reload->options = options;
    reload->slot = slot;
    reload->live = live;
    init_locks(reload);
    if (!keep_fixed(reload)) {
        release(reload);
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    }
    failed = pthread_create(&reload->thread, NULL, run, reload);
    if (failed != 0) {
        release(reload);
        return fb_error_set(err, FB_EIO, "no thread to reload in: %s",
                            strerror_r(failed, reason, sizeof reason));
    }
    *ret = reload;
    return FB_OK;
}

void fb_reload_ask(struct fb_reload *reload)
{
    (void)pthread_mutex_lock(&reload->lock);
    reload->wanted = true;
    (void)pthread_cond_signal(&reload->wake);
    (void)pthread_mutex_unlock(&reload->lock);
}

/* With the lock held: wait for the thread's end, at most @wait_ms. */
static bool wait_for_end(struct fb_reload *reload, unsigned wait_ms)
{
    struct timespec until = fb_deadline_in(wait_ms);
    int st = 0;

    while (!reload->ended && st == 0)
        st = pthread_cond_timedwait(&reload->gone, &reload->lock, &until);
    return reload->ended;
}

bool fb_reload_stop(struct fb_reload *reload, unsigned wait_ms)
{
    bool ended;

    if (reload == NULL)
        return true;
    (void)pthread_mutex_lock(&reload->lock);
    reload->ending = true;
    (void)pthread_cond_signal(&reload->wake);
    ended = wait_for_end(reload, wait_ms);
    (void)pthread_mutex_unlock(&reload->lock);
    if (!ended) {
        (void)pthread_detach(reload->thread);
        return false;
    }
    (void)pthread_join(reload->thread, NULL);
    release(reload);
    return true;
}
