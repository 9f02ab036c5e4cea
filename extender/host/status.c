/* SPDX-License-Identifier: Apache-2.0 */
#include "status.h"

#include "measure.h"

#include "fabricbind/own.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN "text/plain; charset=utf-8"

/* Decisions go on from an old inventory, but not for ever. */
#define OLD_MS INT64_C(600000)

struct fb_status_page {
    struct fb_inventory_slot *slot;
    struct fb_extender *extender;
    struct fb_metrics *metrics;
    pthread_mutex_t lock; /* of the gauges while they are made and printed, and of what follows */
    uint64_t measured;    /* generation of the inventory that the gauges tell; 0: none */
    bool shut;
    bool (*ready)(void *context); /* NULL: nothing else is waited for */
    void *context;
};

struct fb_status_page *fb_status_page_new(struct fb_inventory_slot *slot,
                                          struct fb_extender *extender, struct fb_metrics *metrics)
{
    struct fb_status_page *page = calloc(1, sizeof *page);

    if (page == NULL)
        return NULL;
    if (pthread_mutex_init(&page->lock, NULL) != 0) {
        free(page);
        return NULL;
    }
    page->slot = slot;
    page->extender = extender;
    page->metrics = metrics;
    return page;
}

void fb_status_page_free(struct fb_status_page *page)
{
    if (page == NULL)
        return;
    (void)pthread_mutex_destroy(&page->lock);
    free(page);
}

void fb_status_page_freep(struct fb_status_page **page)
{
    fb_status_page_free(*page);
}

void fb_status_page_shut(struct fb_status_page *page)
{
    (void)pthread_mutex_lock(&page->lock);
    page->shut = true;
    (void)pthread_mutex_unlock(&page->lock);
}

static void say(struct fb_answer *ret, unsigned status, const char *text)
{
    *ret =
        (struct fb_answer){.status = status, .type = PLAIN, .constant = text, .len = strlen(text)};
}

void fb_status_page_await(struct fb_status_page *page, bool (*ready)(void *context), void *context)
{
    page->ready = ready;
    page->context = context;
}

/* Why nobody should ask this replica, or NULL. */
static const char *not_ready(struct fb_status_page *page)
{
    FB_OWNED(fb_inventory_releasep)
    struct fb_inventory *inventory = fb_inventory_slot_get(page->slot);
    bool shut;

    (void)pthread_mutex_lock(&page->lock);
    shut = page->shut;
    (void)pthread_mutex_unlock(&page->lock);
    if (shut)
        return "shutting down\n";
    if (inventory->live && !inventory->synced)
        return "the inventory is not complete yet\n";
    if (inventory->live && fb_inventory_clock_ms() - inventory->read_ms > OLD_MS)
        return "the API server has not been heard for too long\n";
    return page->ready != NULL && !page->ready(page->context) ? "no certificate yet\n" : NULL;
}

static void say_ready(struct fb_status_page *page, struct fb_answer *ret)
{
    const char *reason = not_ready(page);

    say(ret, reason != NULL ? 503 : 200, reason != NULL ? reason : "ok\n");
}

/* An inventory never changes, so its gauges are made once for each. */
static void refresh(struct fb_status_page *page)
{
    struct fb_inventory *inventory = fb_inventory_slot_get(page->slot);

    if (inventory->generation != page->measured)
        fb_measure_inventory(page->metrics, inventory);
    page->measured = inventory->generation;
    fb_measure_age(page->metrics, inventory, fb_inventory_clock_ms());
    fb_extender_measure(page->extender);
    fb_inventory_release(inventory);
}

static void say_metrics(struct fb_status_page *page, struct fb_answer *ret)
{
    char *text;
    size_t len = 0;

    (void)pthread_mutex_lock(&page->lock);
    refresh(page);
    text = fb_metrics_print(page->metrics, &len);
    (void)pthread_mutex_unlock(&page->lock);
    if (text == NULL) {
        say(ret, 503, "out of memory\n");
        return;
    }
    *ret = (struct fb_answer){
        .status = 200, .type = "text/plain; version=0.0.4", .body = text, .len = len};
}

/* The requests have no state of their own; the page stands for it, as it must not be NULL. */
static void *begin(void *context, const struct fb_request *request)
{
    (void)request;
    return context;
}

/* Nobody asks for what a GET carries. */
static enum fb_status feed(void *state, const char *bytes, size_t len, struct fb_error *err)
{
    (void)state;
    (void)bytes;
    (void)len;
    (void)err;
    return FB_OK;
}

static void finish(void *context, const struct fb_request *request, void *state, enum fb_status st,
                   const struct fb_error *err, struct fb_answer *ret)
{
    (void)state;
    (void)err;
    if (st != FB_OK) {
        say(ret, st == FB_ELIMIT ? 413 : 400, st == FB_ELIMIT ? "too long\n" : "bad request\n");
        return;
    }
    switch ((enum fb_status_verb)request->route->number) {
    case FB_STATUS_LIVEZ:
        say(ret, 200, "ok\n");
        break;
    case FB_STATUS_READYZ:
        say_ready(context, ret);
        break;
    case FB_STATUS_METRICS:
        say_metrics(context, ret);
        break;
    }
}

static void drop(void *state)
{
    (void)state;
}

const struct fb_handler fb_status_handler = {begin, feed, finish, drop};
