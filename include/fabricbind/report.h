/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_REPORT_H
#define FB_REPORT_H

#include "fabricbind/check.h"
#include "fabricbind/json.h"
#include "fabricbind/outfit.h"
#include "fabricbind/plan.h"

#include <stddef.h>

/** Answers of the commands as JSON; the shapes are stable. A failure is in json->failed. */

/** {"nodes":[{"node", "provider", "shape", ..., "free":{}}]} */
void fb_report_nodes(struct fb_json *json, const struct fb_cluster *cluster);

/** Room for a plan: the root for the only one, else an entry of {"plans":[...]}. */
void *fb_report_plans(struct fb_json *json, size_t len);

/** One plan and what its pods get into @in; the cluster is the one that it was made on. */
void fb_report_plan(struct fb_json *json, void *in, const struct fb_cluster *cluster,
                    const struct fb_plan *plan, const struct fb_outfit *outfit);

/** {"pod","task","node","injection":[patch],"binding":{annotation:text}} of one placement. */
void fb_report_pod(struct fb_json *json, const struct fb_cluster *cluster,
                   const struct fb_plan *plan, const struct fb_outfit *outfit, size_t place);

/** {"ok", "findings":[{"level","code","subject","message","count"}]} */
void fb_report_findings(struct fb_json *json, const struct fb_findings *findings);

#endif
