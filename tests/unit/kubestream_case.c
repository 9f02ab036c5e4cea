/* SPDX-License-Identifier: Apache-2.0 */
#include "kubestream_case.h"

#include "fabricbind/own.h"

static const char *const names[] = {
    [FB_KUBE_LISTED] = "listed",         [FB_KUBE_ADDED] = "added",
    [FB_KUBE_MODIFIED] = "modified",     [FB_KUBE_DELETED] = "deleted",
    [FB_KUBE_BOOKMARK] = "bookmark",     [FB_KUBE_ERROR] = "error",
    [FB_KUBE_UNREADABLE] = "unreadable",
};

static enum fb_status note(void *context, const struct fb_kube_event *event, struct fb_error *err)
{
    struct kube_case *told = context;

    told->events++;
    line_add(&told->line, "%s", names[event->what]);
    if (event->meta->name[0] != '\0')
        line_add(&told->line, " %s/%s", event->meta->space, event->meta->name);
    if (event->version[0] != '\0')
        line_add(&told->line, " @%s", event->version);
    if (event->code != 0)
        line_add(&told->line, " %lld", (long long)event->code);
    if (event->message[0] != '\0')
        line_add(&told->line, " (%s)", event->message);
    if ((event->object != NULL) != (event->what <= FB_KUBE_DELETED))
        line_add(&told->line, " OBJECT?");
    line_add(&told->line, "; ");
    if (told->events == told->stop_at)
        return fb_error_set(err, FB_ELIMIT, "enough");
    return FB_OK;
}

enum fb_status kube_case_read(struct kube_case *told, enum fb_kind kind, enum fb_kube_tells tells,
                              const char *json, size_t len, struct fb_error *err)
{
    FB_OWNED(fb_kubestream_freep) struct fb_kubestream *stream = NULL;
    size_t step = told->step;
    enum fb_status st = fb_kubestream_new(kind, tells, note, told, &stream, err);

    for (size_t at = 0; at < len && st == FB_OK; at += step)
        st = fb_kubestream_feed(stream, json + at, len - at < step ? len - at : step, err);
    if (st == FB_OK)
        st = fb_kubestream_finish(stream, err);
    if (st == FB_OK && tells == FB_KUBE_PAGE)
        line_add(&told->line, "page @%s next=%s", fb_kubestream_version(stream),
                 fb_kubestream_next(stream));
    return st;
}
