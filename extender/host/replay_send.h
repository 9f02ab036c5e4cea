/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_REPLAY_SEND_H
#define FB_HOST_REPLAY_SEND_H

#include "latency.h"
#include "recording.h"
#include "replay_answer.h"

#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Sending a recording and counting what comes back. */

struct fb_replay_plan {
    const struct fb_recording *recording; /* borrowed */
    const char *url;
    size_t rounds, connections; /* 1 or more each */
};

/** One request and its answer. */
struct fb_replay_row {
    unsigned status; /* 0: none came */
    struct fb_replay_answer answer;
    uint64_t ns;
};

/** What was counted of one verb. */
struct fb_replay_count {
    struct fb_latency latency; /* of requests that were answered, with any status */
    uint64_t sent, errors;     /* errors: not 200, of another form, or not answered */
};

struct fb_replay_result {
    struct fb_replay_count verbs[FB_RECORDING_VERBS];
    struct fb_replay_row *rows; /* of the caller, one an entry; NULL: not wanted */
    const char *fault_name;     /* file of the first error; NULL: there was none */
    char fault[256];            /* what was wrong */
    uint64_t ns;                /* from first to last */
};

/**
 * Send @plan: every connection, in a thread of its own, takes the next request, so that the order
 * is kept where there is one connection.
 *
 * @ret  all zero but for rows; large, not for a stack
 *
 * Returns FB_OK also when requests failed; FB_EINPUT for a URL that is none; FB_ENOTFOUND when
 * nobody can be connected to; what fb_recording_load() returns; FB_EIO without threads; FB_ENOMEM.
 */
enum fb_status fb_replay_send(const struct fb_replay_plan *plan, struct fb_replay_result *ret,
                              struct fb_error *err) FB_CHECK;

#endif
