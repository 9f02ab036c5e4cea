/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_told.h"

#include "inventory.h"
#include "log.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WARN_EACH_MS 60000

void fb_watch_told_init(struct fb_watch_told *told, const struct fb_collection *collection,
                        const struct fb_watch_ground *ground)
{
    told->collection = collection;
    told->ground = ground;
    told->warned_ms = -WARN_EACH_MS;
}

static void tell_changed(const struct fb_watch_told *told)
{
    told->ground->listener.changed(told->ground->listener.context);
}

static void count_fault(const struct fb_watch_told *told)
{
    const char *where = "inventory";

    fb_metrics_add(told->ground->metrics, FB_METRIC_FAULTS, &where, 1);
}

static void warn(const struct fb_watch_told *told, const char *message, const struct fb_pod *meta,
                 const char *reason)
{
    const struct fb_log_field fields[] = {
        FB_LOG_TEXT("collection", told->collection->name),
        FB_LOG_TEXT("namespace", meta->space),
        FB_LOG_TEXT("name", meta->name),
        FB_LOG_TEXT("error", reason),
    };

    fb_log(FB_LOG_WARNING, message, fields, COUNT(fields));
}

/* One object that there is no room for does not end the watch: those that go make room again. */
static enum fb_status put(struct fb_watch_told *told, const struct fb_kube_event *event,
                          struct fb_error *err)
{
    struct fb_error own = {.text = ""};
    bool changed = false;
    enum fb_status st = fb_store_put(told->ground->store, event->object, &changed, &own);

    if (st != FB_OK && st != FB_ELIMIT)
        return fb_error_set(err, st, "%s", own.text);
    if (st == FB_ELIMIT) {
        count_fault(told);
        if (!told->full)
            warn(told, "an object is left out, raise limits", event->meta, own.text);
        told->full = true;
    }
    if (changed)
        tell_changed(told);
    return FB_OK;
}

static void drop(struct fb_watch_told *told, const struct fb_pod *meta)
{
    told->full = false;
    if (fb_store_drop(told->ground->store, told->collection->kind, meta->space, meta->name,
                      meta->uid))
        tell_changed(told);
}

/* What was known of it stays. Somebody may write such an object again and again. */
static void skip(struct fb_watch_told *told, const struct fb_kube_event *event)
{
    int64_t now = fb_inventory_clock_ms();

    fb_store_keep(told->ground->store, told->collection->kind, event->meta->space,
                  event->meta->name);
    count_fault(told);
    if (now - told->warned_ms < WARN_EACH_MS)
        return;
    told->warned_ms = now;
    warn(told, "an object cannot be read and is left out", event->meta, event->message);
}

static enum fb_status take(struct fb_watch_told *told, const struct fb_kube_event *event,
                           struct fb_error *err)
{
    switch (event->what) {
    case FB_KUBE_LISTED:
    case FB_KUBE_ADDED:
    case FB_KUBE_MODIFIED:
        return put(told, event, err);
    case FB_KUBE_DELETED:
        drop(told, event->meta);
        return FB_OK;
    case FB_KUBE_UNREADABLE:
        skip(told, event);
        return FB_OK;
    case FB_KUBE_ERROR:
        told->expired = event->code == 410;
        return fb_error_set(err, FB_EIO, "%lld: %s", (long long)event->code, event->message);
    case FB_KUBE_BOOKMARK:
    default:
        return FB_OK;
    }
}

/* The API server said something. */
static void note_word(struct fb_watch_told *told)
{
    const struct fb_log_field fields[] = {FB_LOG_TEXT("collection", told->collection->name)};

    told->heard_ms = fb_inventory_clock_ms();
    if (told->troubled)
        fb_log(FB_LOG_INFO, "the API server is followed again", fields, COUNT(fields));
    told->troubled = false;
}

static enum fb_status take_event(void *context, const struct fb_kube_event *event,
                                 struct fb_error *err)
{
    struct fb_watch_told *told = context;
    enum fb_status st = take(told, event, err);

    if (st == FB_OK)
        note_word(told);
    if (st != FB_OK || event->what == FB_KUBE_LISTED)
        return st;
    told->words++;
    if (*event->version != '\0')
        (void)snprintf(told->version, sizeof told->version, "%s", event->version);
    return FB_OK;
}

enum fb_status fb_watch_told_begin(struct fb_watch_told *told, enum fb_kube_tells tells,
                                   struct fb_kubestream **ret, struct fb_error *err)
{
    told->expired = false;
    return fb_kubestream_new(told->collection->kind, tells, take_event, told, ret, err);
}

enum fb_status fb_watch_told_piece(void *context, const char *bytes, size_t len,
                                   struct fb_error *err)
{
    return fb_kubestream_feed(context, bytes, len, err);
}

enum fb_status fb_watch_told_page(struct fb_watch_told *told, struct fb_kubestream *stream,
                                  struct fb_error *err)
{
    enum fb_status st = fb_kubestream_finish(stream, err);

    if (st != FB_OK)
        return st;
    note_word(told);
    (void)snprintf(told->version, sizeof told->version, "%s", fb_kubestream_version(stream));
    (void)snprintf(told->next, sizeof told->next, "%s", fb_kubestream_next(stream));
    return FB_OK;
}
