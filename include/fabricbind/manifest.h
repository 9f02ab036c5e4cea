/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_MANIFEST_H
#define FB_MANIFEST_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/job.h"

#include <stddef.h>

/**
 * Read the jobs of a manifest: YAML or JSON, one document or several, Lists among them.
 *
 * @arena        owns what is read
 * @text         len bytes; need not end in NUL
 * @ret          jobs and plain pods in the order of the file, added behind those it has; namespace
 *               "default" where none is given, and generateName stands in for a missing name
 * @ret_skipped  documents and list items of other kinds, counted; NULL: not wanted
 *
 * Returns FB_OK; FB_EINPUT or FB_ELIMIT with the place ("line 3: ...", "document 2:
 * spec.tasks[0].replicas: -1 is below 0", "no job in it"); FB_ENOMEM.
 */
enum fb_status fb_manifest_read(struct fb_arena *arena, const char *text, size_t len,
                                struct fb_jobs *ret, size_t *ret_skipped,
                                struct fb_error *err) FB_CHECK;

#endif
