/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_EXTENDER_CASE_H
#define FB_TESTS_EXTENDER_CASE_H

#include "extender.h"

#include "fabricbind/volcano.h"

#include <stdbool.h>

/** Volcano's handler, asked as the server asks it, without sockets. */
struct extender_case {
    struct fb_inventory_slot *slot;
    struct fb_metrics *metrics;
    struct fb_extender *extender;
};

/** What tests/data/snapshots/<provider> holds, NULL: no snapshot; with one holder, the caller. */
struct fb_inventory *extender_case_read(const char *provider);

/** Start over @inventory, whose hold is taken over; errors are logged, nothing else. */
void extender_case_start(struct extender_case *run, struct fb_inventory *inventory);
void extender_case_stop(struct extender_case *run);

struct extender_ask {
    enum fb_volcano_verb verb;
    enum fb_volcano_dialect dialect;
    const char *body;
    size_t len, piece; /* bytes in all and in one piece; piece 0: all at once */
    enum fb_status st; /* not FB_OK: the server could not read on after the body */
};

/** The answer, to be freed; NULL when it is not 200, not JSON's type or has no text. Safe in
 * threads. */
char *extender_case_ask(const struct extender_case *run, const struct extender_ask *ask);

/** The same for a body that ends in NUL; the test fails where extender_case_ask() gives NULL. */
char *extender_case_say(const struct extender_case *run, enum fb_volcano_verb verb,
                        const char *body);

/** Is @text an answer that the protocol has for this verb, scores from 0 to 1000. Safe in
 * threads. */
bool extender_case_documented(enum fb_volcano_verb verb, enum fb_volcano_dialect dialect,
                              const char *text);

#endif
