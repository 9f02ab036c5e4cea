/* SPDX-License-Identifier: Apache-2.0 */
#include "observer.h"

#include "choice_object.h"
#include "log.h"
#include "ticker.h"

#include "fabricbind/complaint.h"
#include "fabricbind/own.h"

#include <stdlib.h>

#define REMEMBERED ((size_t)4 * FB_COMPLAINTS)
#define ROUNDS 12 /* in which all gangs that wait are planned once, if they are not too many */

/* What was found before. */
struct memory {
    uint64_t hash; /* of the Event */
    int64_t seen_ms;
};

struct fb_observer {
    struct fb_observer_setup setup; /* limits without zeros */
    struct fb_ticker *ticker;       /* whose thread alone looks at what follows */
    struct memory memory[REMEMBERED];
    size_t memory_len;
    uint64_t generation; /* of the inventory looked at last; 0: none */
    int64_t looked_ms;
    size_t first; /* gang to begin with */
    bool fresh;   /* something was found for the first time */
};

static struct memory *find(struct fb_observer *observer, uint64_t hash)
{
    for (size_t i = 0; i < observer->memory_len; i++) {
        if (observer->memory[i].hash == hash)
            return &observer->memory[i];
    }
    return NULL;
}

/* Was it found before. What there is no room to remember is not told. */
static bool is_known(struct fb_observer *observer, uint64_t hash, int64_t now_ms)
{
    struct memory *known = find(observer, hash);

    if (known != NULL) {
        known->seen_ms = now_ms;
        return true;
    }
    if (observer->memory_len < REMEMBERED)
        observer->memory[observer->memory_len++] = (struct memory){hash, now_ms};
    observer->fresh = true;
    return false;
}

static void forget(struct fb_observer *observer, int64_t now_ms)
{
    int64_t least_ms = now_ms - (int64_t)ROUNDS * observer->setup.limits.every_ms;
    size_t kept = 0;

    for (size_t i = 0; i < observer->memory_len; i++) {
        if (observer->memory[i].seen_ms >= least_ms)
            observer->memory[kept++] = observer->memory[i];
    }
    observer->memory_len = kept;
}

/* Kinds of other groups are rare, and their version is for display only. */
static const char *version_of(struct fb_arena *arena, const struct fb_complaint *of)
{
    const char *version = fb_choice_api_version(of->kind, of->group);

    if (*of->group == '\0')
        return "v1";
    return version != NULL ? version : fb_arena_print(arena, "%s/v1", of->group);
}

static void tell_of(struct fb_observer *observer, struct fb_arena *arena,
                    const struct fb_complaint *of, int64_t now_ms)
{
    const struct fb_event event = {
        .kind = of->kind,
        .api_version = version_of(arena, of),
        .space = of->space,
        .name = of->name,
        .uid = *of->uid != '\0' ? of->uid : NULL,
        .reason = of->reason,
        .note = of->note,
        .warning = true,
    };

    if (event.api_version != NULL && is_known(observer, fb_event_hash(&event), now_ms))
        observer->setup.tell(observer->setup.context, &event);
}

static void measure(const struct fb_observer *observer, const struct fb_complaints *found)
{
    struct fb_metrics *metrics = observer->setup.metrics;

    fb_metrics_set(metrics, FB_METRIC_UNINJECTED, NULL, (double)found->uninjected);
    fb_metrics_clear(metrics, FB_METRIC_COMPLAINTS);
    for (size_t i = 0; i < found->len; i++)
        fb_metrics_add(metrics, FB_METRIC_COMPLAINTS, &found->at[i].reason, 1.0);
}

static enum fb_status look_at(struct fb_observer *observer, struct fb_arena *arena,
                              const struct fb_inventory *inventory, int64_t now_ms)
{
    const struct fb_config *config = &inventory->in.config;
    const struct fb_complaint_input in = {
        .cluster = &inventory->in.cluster,
        .objects = &inventory->in.objects,
        .namespaces = &inventory->in.namespaces,
        .excluded = &config->admission.exclude_spaces,
        .first = observer->first,
        .gangs = observer->setup.limits.gangs,
    };
    struct fb_complaints found;
    enum fb_status st = fb_complaints_make(arena, &in, &found);

    if (st != FB_OK)
        return st;
    observer->first = found.next;
    measure(observer, &found);
    for (size_t i = 0;
         i < found.len && observer->setup.tell != NULL && config->mode == FB_MODE_ENFORCE; i++)
        tell_of(observer, arena, &found.at[i], now_ms);
    return FB_OK;
}

/* Look where something has changed, or where what was found has to be found again. */
static void look(void *context)
{
    struct fb_observer *observer = context;
    FB_OWNED(fb_inventory_releasep) struct fb_inventory *inventory = NULL;
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = NULL;
    int64_t now_ms = fb_inventory_clock_ms();

    if (observer->generation > 0 && now_ms - observer->looked_ms < observer->setup.limits.every_ms)
        return;
    inventory = fb_inventory_slot_get(observer->setup.slot);
    if ((inventory->generation == observer->generation && !observer->fresh) ||
        (inventory->live && !inventory->synced))
        return;
    observer->generation = inventory->generation;
    observer->looked_ms = now_ms;
    observer->fresh = false;
    forget(observer, now_ms);
    arena = fb_arena_new(0);
    if (arena == NULL || look_at(observer, arena, inventory, now_ms) != FB_OK)
        fb_log(FB_LOG_WARNING, "out of memory: gangs and nodes are not looked over", NULL, 0);
}

static void take_setup(struct fb_observer *observer, const struct fb_observer_setup *setup)
{
    struct fb_observer_limits *limits = &observer->setup.limits;

    observer->setup = *setup;
    limits->every_ms = limits->every_ms > 0 ? limits->every_ms : 10000;
    limits->gangs = limits->gangs > 0 ? limits->gangs : 64;
}

enum fb_status fb_observer_start(const struct fb_observer_setup *setup, struct fb_observer **ret,
                                 struct fb_error *err)
{
    struct fb_observer *observer = calloc(1, sizeof *observer);
    enum fb_status st;

    if (observer == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    take_setup(observer, setup);
    st = fb_ticker_start(observer->setup.limits.every_ms / 10 + 1, look, observer,
                         &observer->ticker, err);
    if (st == FB_OK)
        *ret = observer;
    else
        free(observer);
    return st;
}

void fb_observer_stop(struct fb_observer *observer)
{
    if (observer == NULL)
        return;
    fb_ticker_stop(observer->ticker);
    free(observer);
}
