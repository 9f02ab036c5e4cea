/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_CHECK_VOLCANO_H
#define FB_CHECK_VOLCANO_H

#include "fabricbind/check.h"
#include "fabricbind/volcanoconf.h"

#include <stdbool.h>

/** A volcano-scheduler.conf held against the configuration: does it call what is served, and does
 * what is answered count. */

/** What the configuration says of the coupling. Texts borrowed. */
struct fb_volcano_coupling {
    const char *wiring;         /* "full", "score", "lean" */
    bool predicate, prioritize; /* the wiring has this verb */
    const char *listen;         /* listen.extender, "host:port" */
};

/**
 * Check @conf. Subjects are plugins, "actions", "nodes" or "scoring.weight"; what stands in one
 * line is told with it.
 *
 * @cluster  its settings, policies and nodes are read; @ret is in its arena
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_check_volcano(const struct fb_cluster *cluster,
                                const struct fb_volcano_coupling *coupling,
                                const struct fb_volcano_conf *conf,
                                struct fb_findings *ret) FB_CHECK;

#endif
