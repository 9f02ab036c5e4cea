/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TEMPLATE_H
#define FB_TEMPLATE_H

#include "fabricbind/job.h"
#include "fabricbind/yaml.h"

/**
 * The pod template of task @task of @job in its manifest, as JSON of a Pod-like object: metadata
 * and spec (of a plain Pod all of it).
 *
 * @document  the manifest that @job was read from
 * @ret       in @arena; "" where the kind has no template
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_template_json(struct fb_arena *arena, const struct fb_yaml *document,
                                const struct fb_job *job, size_t task, const char **ret,
                                struct fb_error *err) FB_CHECK;

#endif
