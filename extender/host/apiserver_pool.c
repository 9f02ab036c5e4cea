/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver_pool.h"

#include "deadline.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_MS 150 /* at stop */

struct fb_api_pool {
    struct fb_credentials *credentials;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t back;  /* by CLOCK_MONOTONIC */
    struct fb_api_link idle[FB_API_IDLE];
    size_t idle_len;
    unsigned busy;
};

struct fb_api_pool *fb_api_pool_new(struct fb_credentials *credentials)
{
    struct fb_api_pool *pool = calloc(1, sizeof *pool);

    if (pool == NULL)
        return NULL;
    pool->credentials = credentials;
    (void)pthread_mutex_init(&pool->lock, NULL);
    fb_deadline_init(&pool->back);
    return pool;
}

void fb_api_pool_free(struct fb_api_pool *pool)
{
    if (pool == NULL)
        return;
    assert(pool->busy == 0);
    for (size_t i = 0; i < pool->idle_len; i++)
        fb_transfer_free(pool->idle[i].transfer);
    (void)pthread_cond_destroy(&pool->back);
    (void)pthread_mutex_destroy(&pool->lock);
    free(pool);
}

static int64_t clock_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Count one more as in use; false when none became free in time. The lock is held. */
static bool reserve(struct fb_api_pool *pool, unsigned wait_ms, const atomic_bool *stop)
{
    int64_t until = clock_ms() + (int64_t)wait_ms;

    while (pool->busy >= FB_API_BUSY) {
        int64_t now = clock_ms();
        int64_t next = now + LOOK_MS < until ? now + LOOK_MS : until;
        const struct timespec at = {.tv_sec = (time_t)(next / 1000),
                                    .tv_nsec = (long)(next % 1000) * 1000000};

        if (now >= until || (stop != NULL && atomic_load(stop)))
            return false;
        (void)pthread_cond_timedwait(&pool->back, &pool->lock, &at);
    }
    pool->busy++;
    return true;
}

/* The last one given back, which is the least likely to have been closed by the server. */
static struct fb_api_link pop(struct fb_api_pool *pool)
{
    return pool->idle_len > 0 ? pool->idle[--pool->idle_len] : (struct fb_api_link){NULL, 0};
}

static void release(struct fb_api_pool *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
    pool->busy--;
    (void)pthread_cond_signal(&pool->back);
    (void)pthread_mutex_unlock(&pool->lock);
}

enum fb_status fb_api_pool_take(struct fb_api_pool *pool, uint64_t trust, unsigned wait_ms,
                                const atomic_bool *stop, struct fb_api_link *ret,
                                struct fb_error *err)
{
    struct fb_api_link link;
    enum fb_status st;

    (void)pthread_mutex_lock(&pool->lock);
    if (!reserve(pool, wait_ms, stop)) {
        (void)pthread_mutex_unlock(&pool->lock);
        return fb_error_set(err, FB_ELIMIT, "all %d connections are in use", FB_API_BUSY);
    }
    link = pop(pool);
    while (link.transfer != NULL && link.trust != trust) {
        fb_transfer_free(link.transfer);
        link = pop(pool);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    st = FB_OK;
    if (link.transfer == NULL)
        st = fb_credentials_dial(pool->credentials, &link.transfer, &link.trust, err);
    if (st == FB_OK)
        *ret = link;
    else
        release(pool);
    return st;
}

void fb_api_pool_give(struct fb_api_pool *pool, struct fb_api_link *link)
{
    (void)pthread_mutex_lock(&pool->lock);
    if (pool->idle_len < FB_API_IDLE) {
        pool->idle[pool->idle_len++] = *link;
        link->transfer = NULL;
    }
    (void)pthread_mutex_unlock(&pool->lock);
    fb_transfer_free(link->transfer);
    link->transfer = NULL;
    release(pool);
}
