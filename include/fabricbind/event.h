/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_EVENT_H
#define FB_EVENT_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"

#include <stdbool.h>
#include <stdint.h>

/** Kubernetes Events of events.k8s.io/v1, as the API server takes them. */

#define FB_EVENT_NAME_BYTES 254  /* of an Event, with NUL */
#define FB_EVENT_NOTE_BYTES 1023 /* longer notes are cut, with "..." at the end */
#define FB_EVENT_REASON_BYTES 128

/** What is told about an object. Texts borrowed. */
struct fb_event {
    const char *kind, *api_version; /* of the object: "Node", "v1" */
    const char *space;              /* its namespace; NULL or "": it has none */
    const char *name, *uid;         /* uid NULL: not known */
    const char *reason;             /* one word in CamelCase: "GangTooLarge" */
    const char *note;               /* for people */
    bool warning;
};

/** FB_OK when the Event can be made and its names can stand in a path; FB_EINPUT with the field
 * ("reason: missing", "space: 'a/b' is no name"). */
enum fb_status fb_event_check(const struct fb_event *event, struct fb_error *err) FB_CHECK;

/** The same number for the same object and reason, whatever the note is. */
uint64_t fb_event_hash(const struct fb_event *event);

/**
 * Name the Event: the object's name, cut and with what may not stand in it replaced, and a hash.
 * Equal for equal fb_event_hash() and @window, so that two that tell the same make one Event.
 */
void fb_event_name(const struct fb_event *event, int64_t window, char ret[FB_EVENT_NAME_BYTES]);

/** Path of the API of Events where this one belongs; @name NULL: to POST it, else that Event.
 * NULL: out of memory. */
const char *fb_event_path(struct fb_arena *arena, const struct fb_event *event, const char *name);

/** Who tells, and when. */
struct fb_event_teller {
    const char *name;     /* of the Event */
    const char *instance; /* the pod that tells, at most 128 bytes */
    int64_t time_us;      /* since 1970 */
};

/** The body of a POST. Checked before. NULL: out of memory.
 * Source: k8s.io/api/events/v1 types.go and apis/core/validation/events.go of Kubernetes 1.36. */
const char *fb_event_encode(struct fb_arena *arena, const struct fb_event *event,
                            const struct fb_event_teller *teller);

/** The body of a merge patch that says how often the same happened so far. NULL: out of memory. */
const char *fb_event_encode_series(struct fb_arena *arena, unsigned count, int64_t time_us);

#endif
