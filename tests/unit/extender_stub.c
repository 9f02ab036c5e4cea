/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for extender.c where it is linked: no decisions, 200 without a body for all, and a
 * ledger that shows fabricbind_ledger_entries{kind="planned"} 7. */
#include "extender.h"

#include <stdlib.h>

struct fb_extender {
    struct fb_metrics *metrics;
};

enum fb_status fb_extender_new(struct fb_inventory_slot *slot, struct fb_metrics *metrics,
                               struct fb_extender **ret, struct fb_error *err)
{
    struct fb_extender *extender = calloc(1, sizeof *extender);

    (void)slot;
    if (extender == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    extender->metrics = metrics;
    *ret = extender;
    return FB_OK;
}

void fb_extender_free(struct fb_extender *extender)
{
    free(extender);
}

void fb_extender_freep(struct fb_extender **extender)
{
    fb_extender_free(*extender);
}

void fb_extender_measure(struct fb_extender *extender)
{
    const char *label = "planned";

    fb_metrics_set(extender->metrics, FB_METRIC_LEDGER, &label, 7);
}

static void *begin(void *context, const struct fb_request *request)
{
    (void)request;
    return context;
}

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
    (void)context;
    (void)request;
    (void)state;
    (void)st;
    (void)err;
    *ret = (struct fb_answer){.status = 200};
}

static void drop(void *state)
{
    (void)state;
}

const struct fb_handler fb_extender_handler = {begin, feed, finish, drop};
