/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_VOLCANO_H
#define FB_VOLCANO_H

#include "fabricbind/arena.h"
#include "fabricbind/fit.h"
#include "fabricbind/scan.h"
#include "fabricbind/sight.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * Volcano's extender protocol: bodies of its requests in, answers out.
 * Source: Volcano, pkg/scheduler/plugins/extender/argument.go; reference: extender-protocols 3.
 */

enum fb_volcano_verb {
    FB_VOLCANO_PREDICATE,
    FB_VOLCANO_PRIORITIZE,
    FB_VOLCANO_ALLOCATE,
    FB_VOLCANO_DEALLOCATE,
    FB_VOLCANO_JOBENQUEUEABLE,
    FB_VOLCANO_JOBREADY,
    FB_VOLCANO_PREEMPTABLE,
    FB_VOLCANO_RECLAIMABLE,
    FB_VOLCANO_QUEUEOVERUSED,
    FB_VOLCANO_JOBENQUEUED,
    FB_VOLCANO_SESSIONOPEN,
    FB_VOLCANO_SESSIONCLOSE,
    FB_VOLCANO_VERBS,
};

/** "predicate" and so on, as in the route. */
const char *fb_volcano_verb_name(enum fb_volcano_verb verb);

/** How a predicate is answered. */
enum fb_volcano_dialect {
    FB_VOLCANO_TEXT,  /* {"errorMessage":m,"status":m,"code":c}: up to 1.7 and from 1.10 on */
    FB_VOLCANO_ARRAY, /* {"status":[{"Code":c,"Reason":m}]}: 1.8 and 1.9 */
};

/** How one body is read. */
struct fb_volcano_reading {
    enum fb_volcano_verb verb;           /* one that fb_volcano_reads() */
    struct fb_arena *arena;              /* owns what fb_volcano_reader_finish() hands out */
    const struct fb_scan_limits *limits; /* copied; NULL: all defaults */
    /* May the object of this node be left unread: it is known already. NULL: never. */
    bool (*knows)(void *context, const char *node);
    /* A node is complete; borrowed during the call, the sight's memory is used again after it. */
    enum fb_status (*node)(void *context, const struct fb_sight *sight, struct fb_error *err);
    void *context;
};

/** The paths of every verb, compiled: immutable, shared by readers and threads. */
struct fb_volcano_formats;

enum fb_status fb_volcano_formats_new(struct fb_volcano_formats **ret,
                                      struct fb_error *err) FB_CHECK;
void fb_volcano_formats_free(struct fb_volcano_formats *formats);
void fb_volcano_formats_freep(struct fb_volcano_formats **formats);

struct fb_volcano_reader;

/** Is there anything in its bodies that decisions ask for: predicate, prioritize, allocate,
 * deallocate. Of the others nothing need be read. */
bool fb_volcano_reads(enum fb_volcano_verb verb);

/**
 * @formats  borrowed, outlives the reader
 * @how      copied
 * @ret      set on success only; free with fb_volcano_reader_free()
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_volcano_reader_new(const struct fb_volcano_formats *formats,
                                     const struct fb_volcano_reading *how,
                                     struct fb_volcano_reader **ret, struct fb_error *err) FB_CHECK;
void fb_volcano_reader_free(struct fb_volcano_reader *reader);
void fb_volcano_reader_freep(struct fb_volcano_reader **reader);

/** Read the next @len bytes; cut anywhere. Errors as fb_scan_feed(). */
enum fb_status fb_volcano_reader_feed(struct fb_volcano_reader *reader, const char *bytes,
                                      size_t len, struct fb_error *err) FB_CHECK;

/**
 * The body ends here.
 *
 * @ret  the task; texts and arrays of the reader's arena
 *
 * Returns FB_OK; FB_EINPUT also for what the verb cannot do without ("task.UID: missing",
 * "task.Pod: missing", "node: missing"; prioritize does without nodes); FB_ELIMIT; FB_ENOMEM.
 */
enum fb_status fb_volcano_reader_finish(struct fb_volcano_reader *reader, struct fb_sight_task *ret,
                                        struct fb_error *err) FB_CHECK;

/** An answer: malloc'd text of the caller's to free(); at NULL: out of memory. */
struct fb_volcano_answer {
    char *at;
    size_t len; /* without the NUL */
};

/** Of a predicate; FB_EXCLUDED passes as FB_FITS does: the scheduler's own filters refuse. */
struct fb_volcano_answer fb_volcano_say_verdict(const struct fb_verdict *verdict,
                                                enum fb_volcano_dialect dialect);

/** Of prioritize: @len names and finite scores. */
struct fb_volcano_answer fb_volcano_say_scores(const char *const *names, const double *scores,
                                               size_t len);

/**
 * The answer that changes nothing, for verbs without a decision and for faults: predicate passes,
 * prioritize {"nodeScore":{},"errorMessage":""}, jobenqueueable 0 (abstains), jobready true,
 * queueoverused false, preemptable and reclaimable 0 with no victims, jobenqueued {}, allocate and
 * deallocate
 * {"errorMessage":""}, sessions nothing. @rejects: predicate refuses instead, with code 2 and
 * "fabricbind: request not readable". Constant text, not to be freed.
 */
const char *fb_volcano_neutral(enum fb_volcano_verb verb, enum fb_volcano_dialect dialect,
                               bool rejects);

#endif
