/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_CHECK_VOLCANO_PARTS_H
#define FB_CHECK_VOLCANO_PARTS_H

#include "fabricbind/check_volcano.h"
#include "findings.h"

/** The parts of a check of a volcano-scheduler.conf. */

struct fb_volcano_check {
    const struct fb_cluster *cluster;
    const struct fb_volcano_coupling *coupling;
    const struct fb_volcano_conf *conf;
    const struct fb_volcano_plugin *extender;
    struct fb_notes notes;
};

/** Note one finding; @fmt is its message, one line. */
enum fb_status fb_volcano_note(struct fb_volcano_check *check, enum fb_level level,
                               const char *code, const char *subject, const char *fmt, ...)
    FB_PRINTF(5, 6) FB_CHECK;

/** Note one of several that are one finding: they stand behind its message, "@message: a, b". */
enum fb_status fb_volcano_list(struct fb_volcano_check *check, const struct fb_finding *finding,
                               const char *fmt, ...) FB_PRINTF(3, 4) FB_CHECK;

/** The extender's argument @key as a string, or "" where Volcano would read none. */
const char *fb_volcano_argument(const struct fb_volcano_check *check, const char *key);

/** Is the extender's predicate asked for in the dialect of Volcano 1.8 and 1.9. */
bool fb_volcano_is_old(const struct fb_volcano_check *check);

/** Where calls go, and which there are. */
enum fb_status fb_check_volcano_url(struct fb_volcano_check *check) FB_CHECK;
enum fb_status fb_check_volcano_verbs(struct fb_volcano_check *check) FB_CHECK;

/** Whether calls may take their time and fail, and for which pods they are made. */
enum fb_status fb_check_volcano_timeout(struct fb_volcano_check *check) FB_CHECK;
enum fb_status fb_check_volcano_ignorable(struct fb_volcano_check *check) FB_CHECK;
enum fb_status fb_check_volcano_managed(struct fb_volcano_check *check) FB_CHECK;

/** What other plugins' scores add up to. */
enum fb_status fb_check_volcano_score(struct fb_volcano_check *check) FB_CHECK;

#endif
