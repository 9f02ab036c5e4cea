/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WIRE_VOLCANOFILE_SETTING_H
#define FB_WIRE_VOLCANOFILE_SETTING_H

#include "fabricbind/volcanoconf.h"
#include "fabricbind/yaml.h"

/** Keys and values of a volcano-scheduler.conf, typed as its reader types them. */

/**
 * Add the @at-th key of @map to @into, a map within with all that it holds.
 *
 * @outer  "" or "outer/", what stands before the key
 *
 * Maps in a map within are not looked into. Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_volcanofile_setting(struct fb_arena *arena, const struct fb_yaml *map, size_t at,
                                      const char *outer, struct fb_volcano_settings *into,
                                      struct fb_error *err) FB_CHECK;

/** The same for all keys of @map. */
enum fb_status fb_volcanofile_settings(struct fb_arena *arena, const struct fb_yaml *map,
                                       const char *outer, struct fb_volcano_settings *into,
                                       struct fb_error *err) FB_CHECK;

#endif
