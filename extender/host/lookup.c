/* SPDX-License-Identifier: Apache-2.0 */
#include "lookup.h"

#include "fabricbind/kubestream.h"
#include "fabricbind/own.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <string.h>

/* The API server waits three seconds for the webhook that asks. */
#define LOOKUP_MS 1000

struct search {
    struct fb_arena *arena;
    const char *name;
    struct fb_pod *pod;
    bool found;
};

static enum fb_status take(void *context, const struct fb_kube_event *event, struct fb_error *err)
{
    struct search *search = context;

    if (event->what == FB_KUBE_UNREADABLE)
        return fb_error_set(err, FB_EINPUT, "%s", event->message);
    if (event->what != FB_KUBE_LISTED || !fb_text_equal(event->meta->name, search->name))
        return FB_OK;
    search->found = true;
    return fb_pod_copy(search->arena, &event->object->pod, search->pod) == FB_OK
               ? FB_OK
               : fb_error_set(err, FB_ENOMEM, "out of memory");
}

static enum fb_status read_page(struct search *search, const struct fb_api_reply *reply,
                                struct fb_error *err)
{
    FB_OWNED(fb_kubestream_freep) struct fb_kubestream *page = NULL;
    enum fb_status st = fb_kubestream_new(FB_KIND_POD, FB_KUBE_PAGE, take, search, &page, err);

    if (st == FB_OK)
        st = fb_kubestream_feed(page, reply->body, reply->len, err);
    if (st == FB_OK)
        st = fb_kubestream_finish(page, err);
    return st == FB_OK && !search->found ? fb_error_set(err, FB_ENOTFOUND, "not found") : st;
}

static enum fb_status ask(struct fb_apiserver *server, const char *path, struct search *search,
                          struct fb_error *err)
{
    FB_OWNED(fb_api_reply_fini) struct fb_api_reply reply = {0};
    const struct fb_api_call call = {.method = "GET", .path = path, .timeout_ms = LOOKUP_MS};
    enum fb_status st = fb_apiserver_call(server, &call, &reply, err);

    if (st != FB_OK)
        return st;
    return reply.status == 200 ? read_page(search, &reply, err)
                               : fb_api_reply_error(&reply, FB_EIO, err);
}

enum fb_status fb_lookup_pod(struct fb_apiserver *server, struct fb_arena *arena, const char *space,
                             const char *name, struct fb_pod *ret, struct fb_error *err)
{
    struct fb_pod pod;
    struct search search = {.arena = arena, .name = name, .pod = &pod};
    const char *path;
    enum fb_status st;

    if (!fb_text_is_name(space) || !fb_text_is_name(name))
        return fb_error_set(err, FB_ENOTFOUND, "GET pod %s/%s: no such name can be", space, name);
    path = fb_arena_print(arena, "/api/v1/namespaces/%s/pods?fieldSelector=metadata.name%%3D%s",
                          space, name);
    if (path == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = ask(server, path, &search, err);
    if (st != FB_OK)
        return fb_error_prefix(err, st, "GET pod %s/%s", space, name);
    *ret = pod;
    return FB_OK;
}
