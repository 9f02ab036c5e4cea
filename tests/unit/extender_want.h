/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_EXTENDER_WANT_H
#define FB_TESTS_EXTENDER_WANT_H

#include "inventory.h"

#include "fabricbind/volcano.h"

/**
 * What Volcano's handler is to answer, got on another way: the body is parsed to a tree, the
 * objects in it are printed and read one by one, and the core is asked about them.
 */
struct extender_want;

/** With a ledger of its own, which answers and events go on with. */
struct extender_want *extender_want_new(void);
void extender_want_free(struct extender_want *want);
void extender_want_freep(struct extender_want **want);

/** The answer to a body that can be read, to be freed; the test fails on one that cannot. */
char *extender_want_answer(struct extender_want *want, const struct fb_inventory *inventory,
                           enum fb_volcano_verb verb, enum fb_volcano_dialect dialect,
                           const char *body, size_t len);

#endif
