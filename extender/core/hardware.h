/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HARDWARE_H
#define FB_HARDWARE_H

#include "fabricbind/reading.h"

/** Parts of a reading: what the node has. */

/** Set gpu, gpus and gpus_full; note gpus-shared and gpus-mig. */
void fb_hardware_gpus(const struct fb_node *node, const struct fb_settings *settings,
                      struct fb_reading *reading);

/** Set has_nics, kind, units and nics. */
enum fb_status fb_hardware_nics(struct fb_arena *arena, const struct fb_node *node,
                                const struct fb_settings *settings,
                                struct fb_reading *reading) FB_CHECK;

#endif
