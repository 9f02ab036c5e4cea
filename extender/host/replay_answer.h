/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_REPLAY_ANSWER_H
#define FB_HOST_REPLAY_ANSWER_H

#include "http.h"
#include "recording.h"

#include <stdbool.h>

/** An answer in short, for people: ASCII of one line, cut at the end. */
struct fb_replay_answer {
    char text[160];
    bool good; /* 200 and of the form that the verb asks for */
};

/** "fits", "code 3: too few NICs", "7 scores, best gpu-0001 996.0", "500: no such thing". */
void fb_replay_answer_read(enum fb_recording_verb verb, const struct fb_http_reply *reply,
                           struct fb_replay_answer *ret);

#endif
