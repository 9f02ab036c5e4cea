/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_DETECT_H
#define FB_DETECT_H

#include "fabricbind/reading.h"

/** Parts of a reading: whose node this is, of which shape, in which health, and where. */

/** The provider whose signs the node carries, the strongest kind of sign first; or NULL. */
const struct fb_policy *fb_detect_provider(const struct fb_node *node,
                                           const struct fb_policies *policies);

/** Set instance and shape. */
void fb_detect_shape(const struct fb_node *node, struct fb_reading *reading);

/** Note cordoned and not-ready. Returns whether the node takes pods at all. */
bool fb_detect_health(const struct fb_node *node, struct fb_reading *reading);

/** Set boundary and tiers; @ret_placeholder: a label was there and said nothing. */
enum fb_status fb_detect_place(struct fb_arena *arena, const struct fb_node *node,
                               const struct fb_settings *settings, struct fb_reading *reading,
                               bool *ret_placeholder) FB_CHECK;

#endif
