/* SPDX-License-Identifier: Apache-2.0 */
#include "ticker.h"

#include "deadline.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fb_ticker {
    void (*turn)(void *context);
    void *context;
    unsigned period_ms;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;  /* by CLOCK_MONOTONIC */
    bool wanted, ending;
    uint64_t turns;
};

/* With the lock held. */
static void wait_for_turn(struct fb_ticker *ticker)
{
    struct timespec until = fb_deadline_in(ticker->period_ms);
    int st = 0;

    while (!ticker->wanted && !ticker->ending && st == 0)
        st = pthread_cond_timedwait(&ticker->wake, &ticker->lock, &until);
    ticker->wanted = false;
}

static void *run(void *context)
{
    struct fb_ticker *ticker = context;

    (void)pthread_mutex_lock(&ticker->lock);
    while (!ticker->ending) {
        (void)pthread_mutex_unlock(&ticker->lock);
        ticker->turn(ticker->context);
        (void)pthread_mutex_lock(&ticker->lock);
        ticker->turns++;
        wait_for_turn(ticker);
    }
    (void)pthread_mutex_unlock(&ticker->lock);
    return NULL;
}

static void release(struct fb_ticker *ticker)
{
    (void)pthread_cond_destroy(&ticker->wake);
    (void)pthread_mutex_destroy(&ticker->lock);
    free(ticker);
}

static void init_locks(struct fb_ticker *ticker)
{
    (void)pthread_mutex_init(&ticker->lock, NULL);
    fb_deadline_init(&ticker->wake);
}

enum fb_status fb_ticker_start(unsigned period_ms, void (*turn)(void *context), void *context,
                               struct fb_ticker **ret, struct fb_error *err)
{
    struct fb_ticker *ticker = calloc(1, sizeof *ticker);
    char reason[128];
    int failed;

    if (ticker == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    ticker->turn = turn;
    ticker->context = context;
    ticker->period_ms = period_ms;
    init_locks(ticker);
    failed = pthread_create(&ticker->thread, NULL, run, ticker);
    if (failed != 0) {
        release(ticker);
        return fb_error_set(err, FB_EIO, "no thread to be had: %s",
                            strerror_r(failed, reason, sizeof reason));
    }
    *ret = ticker;
    return FB_OK;
}

void fb_ticker_wake(struct fb_ticker *ticker)
{
    if (ticker == NULL)
        return;
    (void)pthread_mutex_lock(&ticker->lock);
    ticker->wanted = true;
    (void)pthread_cond_signal(&ticker->wake);
    (void)pthread_mutex_unlock(&ticker->lock);
}

uint64_t fb_ticker_turns(struct fb_ticker *ticker)
{
    uint64_t turns;

    (void)pthread_mutex_lock(&ticker->lock);
    turns = ticker->turns;
    (void)pthread_mutex_unlock(&ticker->lock);
    return turns;
}

void fb_ticker_stop(struct fb_ticker *ticker)
{
    if (ticker == NULL)
        return;
    (void)pthread_mutex_lock(&ticker->lock);
    ticker->ending = true;
    (void)pthread_cond_signal(&ticker->wake);
    (void)pthread_mutex_unlock(&ticker->lock);
    (void)pthread_join(ticker->thread, NULL);
    release(ticker);
}
