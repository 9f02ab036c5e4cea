/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_KUBESTREAM_H
#define FB_KUBESTREAM_H

#include "fabricbind/error.h"
#include "fabricbind/objects.h"

#include <stddef.h>
#include <stdint.h>

/**
 * What an API server tells of one collection: a page of a list, or a watch, as it arrives. One
 * object is in memory at a time, whatever the length of the page or of the watch.
 *
 * Source: k8s.io/apimachinery/pkg/apis/meta/v1, ListMeta, WatchEvent and Status; bookmarks:
 * KEP-956.
 */

enum fb_kube_tells {
    FB_KUBE_PAGE,  /* one document: {"metadata":{"resourceVersion","continue"},"items":[...]} */
    FB_KUBE_WATCH, /* {"type":...,"object":...}, one document behind the other, without end */
};

enum fb_kube_what {
    FB_KUBE_LISTED, /* an item of a page */
    FB_KUBE_ADDED,
    FB_KUBE_MODIFIED,
    FB_KUBE_DELETED, /* the object as it last was */
    FB_KUBE_BOOKMARK,
    FB_KUBE_ERROR,      /* of a watch: the last word of it */
    FB_KUBE_UNREADABLE, /* an object that has a field we refuse; the others are not touched */
};

/** Borrowed during the call, with all that it points at. */
struct fb_kube_event {
    enum fb_kube_what what;
    const struct fb_object *object; /* of LISTED to DELETED: of the kind asked for; else NULL */
    const struct fb_pod *meta;      /* namespace, name, uid of what it is about; never NULL */
    const char *version;            /* resourceVersion of the object or bookmark; "" */
    int64_t code;                   /* ERROR: as of HTTP, 410 is gone; 0 where not told */
    const char *message;            /* ERROR and UNREADABLE: the reason; "" */
};

/** Return anything but FB_OK to stop. */
typedef enum fb_status (*fb_kube_told)(void *context, const struct fb_kube_event *event,
                                       struct fb_error *err);

struct fb_kubestream;

/**
 * @kind  of the objects; those of other kinds are passed over
 * @ret   set on success only; free with fb_kubestream_free()
 *
 * Bounds: 64 MiB a string, 512 levels, 1 GiB a page or an event.
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_kubestream_new(enum fb_kind kind, enum fb_kube_tells tells, fb_kube_told told,
                                 void *context, struct fb_kubestream **ret,
                                 struct fb_error *err) FB_CHECK;
void fb_kubestream_free(struct fb_kubestream *stream);
void fb_kubestream_freep(struct fb_kubestream **stream);

/**
 * Read the next @len bytes; they may be cut anywhere.
 *
 * Returns FB_OK; FB_EINPUT for what is no JSON, no page or no event ("byte 9: items: not a list",
 * "byte 8: type: 'GROWN' is no event"); FB_ELIMIT; FB_ENOMEM; what the callback returned. After a
 * failure every call repeats it. Offsets of a watch count from the start of the event.
 */
enum fb_status fb_kubestream_feed(struct fb_kubestream *stream, const char *bytes, size_t len,
                                  struct fb_error *err) FB_CHECK;

/** The page ends here, or the watch: FB_EINPUT when it ends inside a document. */
enum fb_status fb_kubestream_finish(struct fb_kubestream *stream, struct fb_error *err) FB_CHECK;

/** Of a page: metadata.resourceVersion; "" as long as it is not told. */
const char *fb_kubestream_version(const struct fb_kubestream *stream);

/** Of a page: metadata.continue; "": this was the last one. */
const char *fb_kubestream_next(const struct fb_kubestream *stream);

#endif
