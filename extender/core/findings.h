/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_FINDINGS_H
#define FB_FINDINGS_H

#include "fabricbind/check.h"

/** Findings in the making: those of one level, code and subject are one with a count. */

struct fb_notes {
    struct fb_arena *arena;
    struct fb_findings *findings;
};

/**
 * Note one finding about @subject: "@message: @detail", further details of the same finding behind
 * it while they are few. @detail may be "".
 */
enum fb_status fb_notes_add(struct fb_notes *notes, struct fb_finding finding,
                            const char *detail) FB_CHECK;

/** Say how many details were left out, and sort. */
enum fb_status fb_notes_finish(struct fb_notes *notes) FB_CHECK;

/** What is noted of single nodes, grouped by instance type. */
enum fb_status fb_check_nodes(const struct fb_cluster *cluster, struct fb_notes *notes) FB_CHECK;

/** Has a node that is in service fewer NICs for pods than its known shape, its pool not being so
 * as a whole. */
bool fb_check_lacks_nics(const struct fb_cluster *cluster, const struct fb_site *site);

#endif
