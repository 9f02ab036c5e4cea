/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_SPARE_H
#define FB_SPARE_H

#include "choose.h"

/**
 * What a set of domains costs when it is completed by one more: finest blocks, then room left over.
 *
 * Reckoned with the blocks' sizes alone. Every domain is tried against the same set, so that set's
 * blocks are sorted and summed up once.
 */

/** Take @set as the one to complete. */
void fb_spare_keep(struct fb_chooser *chooser, const struct fb_pick *set, size_t len);

/** Set blocks and spare of @last. Returns whether the set with it can hold the gang. */
bool fb_spare_try(struct fb_chooser *chooser, struct fb_pick *last);

/**
 * Exchange members of a set for others where that saves finest blocks; for one task shape.
 *
 * @set      the domains in use, then the others
 * @running  of these, the first with running members, which stay
 * @used     domains in use; their number stays
 */
void fb_spare_improve(struct fb_chooser *chooser, struct fb_pick *set, size_t running, size_t used,
                      size_t len);

void fb_pick_swap(struct fb_pick *a, struct fb_pick *b);

#endif
