/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_LIVE_CASE_H
#define FB_TESTS_LIVE_CASE_H

#include "api_scene.h"
#include "live.h"

#define LIVE_CASE_TELLS 4096

/**
 * A live inventory of a server that has nodes, pods and nothing else: lists are texts, watches get
 * what the test tells.
 */
struct live_case {
    struct api_scene scene;   /* first: it is the peer's context */
    const char *nodes, *pods; /* items, with ' for " */
    pthread_mutex_t lock;
    pthread_cond_t told;
    char *tells[LIVE_CASE_TELLS]; /* with the lock: events of pods, in order; owned */
    size_t tells_len;
    bool broken; /* with the lock: nodes are answered by 500 */
    bool over;
    struct fb_inventory_slot *slot;
    struct fb_live *live;
};

/** A server that has @nodes and @pods; live is not started. */
void live_case_init(struct live_case *all, const char *nodes, const char *pods);
void live_case_start(struct live_case *all);
void live_case_stop(struct live_case *all);

/** Tell an event of the pod @json, with ' for ". */
void live_case_tell(struct live_case *all, const char *type, const char *json);

void live_case_break(struct live_case *all, bool broken);

/** An inventory without objects, of the shipped policies. */
struct fb_inventory *live_case_base(void);

/** Wait until the slot has an inventory of as many pods, synced; held for the caller. */
struct fb_inventory *live_case_await(struct live_case *all, size_t pods);

#endif
