/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/kubestream.h"
#include "fabricbind/own.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * The first byte is the size of the pieces, the second the kind, and whether the rest is a page or
 * a watch. What is told must not depend on the pieces; nothing of it may be missing.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was told, as one number. */
struct told {
    uint64_t sum;
    size_t events;
};

static void check(bool right)
{
    if (!right)
        abort();
}

static void mix(struct told *told, const char *text)
{
    check(text != NULL);
    do
        told->sum = (told->sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    while (*text++ != '\0');
}

static enum fb_status note(void *context, const struct fb_kube_event *event, struct fb_error *err)
{
    struct told *told = context;

    (void)err;
    told->events++;
    told->sum = told->sum * 31 + (uint64_t)event->what;
    told->sum = told->sum * 31 + (uint64_t)event->code;
    mix(told, event->meta->space);
    mix(told, event->meta->name);
    mix(told, event->meta->uid);
    mix(told, event->version);
    mix(told, event->message);
    check((event->object != NULL) == (event->what <= FB_KUBE_DELETED));
    check(event->object == NULL || event->object->kind != FB_KIND_NONE);
    check(event->what != FB_KUBE_UNREADABLE || event->message[0] != '\0');
    return FB_OK;
}

static enum fb_status read_pieces(enum fb_kind kind, enum fb_kube_tells tells, const char *text,
                                  size_t len, size_t step, struct told *told, struct fb_error *err)
{
    FB_OWNED(fb_kubestream_freep) struct fb_kubestream *stream = NULL;
    enum fb_status st = fb_kubestream_new(kind, tells, note, told, &stream, err);

    for (size_t at = 0; at < len && st == FB_OK; at += step)
        st = fb_kubestream_feed(stream, text + at, len - at < step ? len - at : step, err);
    if (st == FB_OK)
        st = fb_kubestream_finish(stream, err);
    if (st == FB_OK) {
        mix(told, fb_kubestream_version(stream));
        mix(told, fb_kubestream_next(stream));
    }
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + 2;
    struct told whole = {0};
    struct told parts = {0};
    struct fb_error errs[2] = {{.text = ""}, {.text = ""}};
    enum fb_kube_tells tells;
    enum fb_kind kind;
    enum fb_status st;

    if (size < 3 || data[0] == 0)
        return 0;
    kind = (enum fb_kind)(FB_KIND_NODE + data[1] / 2 % (FB_KIND_COUNT - FB_KIND_NODE));
    tells = data[1] % 2 == 0 ? FB_KUBE_PAGE : FB_KUBE_WATCH;
    st = read_pieces(kind, tells, text, size - 2, size, &whole, &errs[0]);
    check(read_pieces(kind, tells, text, size - 2, data[0], &parts, &errs[1]) == st);
    check(strcmp(errs[0].text, errs[1].text) == 0);
    check(whole.sum == parts.sum && whole.events == parts.events);
    return 0;
}
