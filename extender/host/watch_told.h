/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_WATCH_TOLD_H
#define FB_HOST_WATCH_TOLD_H

#include "fabricbind/kubestream.h"
#include "watch.h"

#include <stdatomic.h>

/** Inside of watch: what an API server tells of a collection, put into the store. */
struct fb_watch_told {
    const struct fb_collection *collection;
    const struct fb_watch_ground *ground;
    char version[64];  /* from which the next watch goes on; "": list */
    char next[4096];   /* of a list: where the next page begins; "" */
    bool troubled;     /* following failed, which was logged */
    bool expired;      /* in the words of the watch itself */
    bool full;         /* the store is, and that was said */
    size_t words;      /* events and bookmarks of watches */
    int64_t warned_ms; /* when an object was last said not to be readable */
    _Atomic int64_t heard_ms;
};

void fb_watch_told_init(struct fb_watch_told *told, const struct fb_collection *collection,
                        const struct fb_watch_ground *ground);

/** Begin an exchange; @ret is to be freed. FB_OK; FB_ENOMEM. */
enum fb_status fb_watch_told_begin(struct fb_watch_told *told, enum fb_kube_tells tells,
                                   struct fb_kubestream **ret, struct fb_error *err) FB_CHECK;

/** For fb_apiserver_stream(), the stream is its context. */
enum fb_status fb_watch_told_piece(void *context, const char *bytes, size_t len,
                                   struct fb_error *err) FB_CHECK;

/** A page came to its end: FB_EINPUT when it is cut. */
enum fb_status fb_watch_told_page(struct fb_watch_told *told, struct fb_kubestream *stream,
                                  struct fb_error *err) FB_CHECK;

#endif
