/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_RECORDING_H
#define FB_HOST_RECORDING_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * Bodies of requests that a scheduler sent, kept as files NNNN-verb.json: the number is the order,
 * the verb is named as in the scheduler's sources.
 */

#define FB_RECORDING_FILES 20000                            /* a directory has at most */
#define FB_RECORDING_BODY_BYTES ((size_t)256 * 1024 * 1024) /* a body has at most */

/** How the answer to a request reads. */
enum fb_recording_verb {
    FB_RECORDING_PREDICATE,
    FB_RECORDING_PRIORITIZE,
    FB_RECORDING_ALLOCATE,
    FB_RECORDING_DEALLOCATE,
    FB_RECORDING_JOBENQUEUEABLE,
    FB_RECORDING_JOBENQUEUED,
    FB_RECORDING_JOBREADY,
    FB_RECORDING_PREEMPTABLE,
    FB_RECORDING_RECLAIMABLE,
    FB_RECORDING_QUEUEOVERUSED,
    FB_RECORDING_SESSIONOPEN,
    FB_RECORDING_SESSIONCLOSE,
    FB_RECORDING_VERBS,
};

/** "predicate" and so on, as in the route. */
const char *fb_recording_verb_name(enum fb_recording_verb verb);

/** Texts are of the arena. */
struct fb_recording_entry {
    const char *path, *name; /* the file, and its name without the directory */
    const char *route;       /* "/volcano/predicate" */
    enum fb_recording_verb verb;
};

/** Files of a verb that is not sent. */
struct fb_recording_skip {
    const char *verb; /* as in the file's name */
    size_t count;
};

#define FB_RECORDING_SKIPS 7

struct fb_recording {
    const struct fb_recording_entry *at; /* in order */
    size_t len;
    struct fb_recording_skip skips[FB_RECORDING_SKIPS];
    size_t skips_len;
};

/**
 * List the recording in @dir. Admission and kube-scheduler's verbs are skipped and counted, in a
 * directory with others of kube-scheduler's also prioritize. Files that do not end in .json are
 * left alone.
 *
 * @array  predicate is of Volcano 1.8 or 1.9, whose answers are arrays
 *
 * Returns FB_OK; FB_EINPUT for a file whose name is none, and where nothing is to be sent;
 * FB_ELIMIT; FB_ENOTFOUND or FB_EIO for the directory; FB_ENOMEM.
 */
enum fb_status fb_recording_list(struct fb_arena *arena, const char *dir, bool array,
                                 struct fb_recording *ret, struct fb_error *err) FB_CHECK;

/** A body in memory that is used again for the next one. All zero is empty. */
struct fb_recording_body {
    char *at; /* owned; NULL when empty */
    size_t len, size;
};

/** Read the body of @entry. Returns FB_OK; FB_ELIMIT; FB_ENOTFOUND; FB_EIO; FB_ENOMEM. */
enum fb_status fb_recording_load(const struct fb_recording_entry *entry,
                                 struct fb_recording_body *body, struct fb_error *err) FB_CHECK;
void fb_recording_body_fini(struct fb_recording_body *body);

#endif
