/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_WATCH_CASE_H
#define FB_TESTS_WATCH_CASE_H

#include "api_scene.h"
#include "store_case.h"
#include "watch.h"

/** How an answer goes on behind its body. */
enum watch_then {
    WATCH_END,  /* the body is complete */
    WATCH_CUT,  /* the connection is closed in the midst of it */
    WATCH_HOLD, /* nothing comes until the other side closes */
};

/** One request and its answer, with ' for " in the body. */
struct watch_step {
    const char *wants[4]; /* in the request line; NULL behind the last */
    size_t status;
    const char *body;
    enum watch_then then;
};

/** A watch of pods against a server that plays @steps in order and then holds all requests. */
struct watch_case {
    struct api_scene scene; /* first: it is the peer's context */
    const struct watch_step *steps;
    size_t steps_len;
    size_t step;     /* with the lock: how many were asked for */
    char fault[512]; /* with the lock: a request that was not wanted */
    bool ended;
    pthread_mutex_t lock;
    pthread_cond_t told;
    struct fb_store *store;
    struct fb_watch *watch;
};

/** Of few milliseconds, pages of two. */
extern const struct fb_watch_pace watch_case_pace;

/** @pace NULL: watch_case_pace. @collection NULL: pods. */
void watch_case_start(struct watch_case *all, const struct watch_step *steps, size_t len,
                      const struct fb_collection *collection, const struct fb_watch_pace *pace);
void watch_case_stop(struct watch_case *all);

/** Wait until @len steps were asked for, and the store has the pods @names. */
void watch_case_await(struct watch_case *all, size_t len, const char *names);

/** The value of watch_restarts_total for @reason. */
int watch_case_restarts(struct watch_case *all, const char *reason);

#endif
