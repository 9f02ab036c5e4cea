/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_REPORT_H
#define FB_REPORT_H

#include "fabricbind/check.h"
#include "fabricbind/json.h"
#include "fabricbind/plan.h"

#include <stddef.h>

/** Answers of the commands as JSON; the shapes are stable. A failure is in json->failed. */

/** {"nodes":[{"node", "provider", "shape", ..., "free":{}}]} */
void fb_report_nodes(struct fb_json *json, const struct fb_cluster *cluster);

/** One plan as it is; several as {"plans":[...]}. Cluster is the one that they were made on. */
void fb_report_plans(struct fb_json *json, const struct fb_cluster *cluster,
                     const struct fb_plan *plans, size_t len);

/** {"ok", "findings":[{"level","code","subject","message","count"}]} */
void fb_report_findings(struct fb_json *json, const struct fb_findings *findings);

#endif
