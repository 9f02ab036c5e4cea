/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_CHOICE_RESERVE_H
#define FB_CHOICE_RESERVE_H

#include "fabricbind/choice.h"

/**
 * The cluster of @in once all pods of other gangs than @own are placed on the fabrics chosen for
 * them, as far as these hold them.
 *
 * @ret  in @arena; free to be planned on; without nodes that have no GPU left and no member of a
 *       gang that waits
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_choice_reserve(struct fb_arena *arena, const struct fb_choice_input *in,
                                 const struct fb_gang *own, struct fb_cluster *ret) FB_CHECK;

/** By gang of @cluster one networked pod that is not placed, NULL where all are. NULL: out of
 * memory. */
const struct fb_pod **fb_choice_waiting(struct fb_arena *arena, const struct fb_cluster *cluster);

#endif
