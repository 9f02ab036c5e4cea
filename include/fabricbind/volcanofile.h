/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_VOLCANOFILE_H
#define FB_VOLCANOFILE_H

#include "fabricbind/arena.h"
#include "fabricbind/volcanoconf.h"

/** A volcano-scheduler.conf as it is written: bare, or in the ConfigMap that holds it. */

/**
 * Read @len bytes of @text.
 *
 * Of a ConfigMap the entry "volcano-scheduler.conf" is read, else the only one that ends in
 * ".conf"; lines are then those of the entry.
 *
 * Returns FB_OK; FB_EINPUT with the line where this is no such file, or YAML that yaml.h refuses
 * ("line 3: tiers: not a list", "data.volcano-scheduler.conf: line 3: tiers: not a list");
 * FB_ELIMIT; FB_ENOMEM. @ret is written on success only. Keys and values that are not known are
 * no failure here.
 */
enum fb_status fb_volcanofile_read(struct fb_arena *arena, const char *text, size_t len,
                                   struct fb_volcano_conf *ret, struct fb_error *err) FB_CHECK;

#endif
