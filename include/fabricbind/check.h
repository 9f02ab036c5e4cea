/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_CHECK_FINDINGS_H
#define FB_CHECK_FINDINGS_H

#include "fabricbind/cluster.h"

#include <stddef.h>

/** The configuration held against the nodes, and gangs that run where they should not. */

enum fb_level {
    FB_LEVEL_ERROR,
    FB_LEVEL_WARNING,
    FB_LEVEL_INFO,
};

/** "error", "warning", "info". */
const char *fb_level_name(enum fb_level level);

struct fb_finding {
    enum fb_level level;
    const char *code;    /* stable, for machines */
    const char *subject; /* an instance type, a job "namespace/name", a provider, "cluster" */
    const char *message; /* one line for people */
    size_t count;        /* nodes or pods concerned */
};

struct fb_findings {
    struct fb_finding *at;
    size_t len, size;
};

/**
 * Check @cluster. Findings of one instance type and code are one with a count; errors come first,
 * then by code and subject.
 *
 * Returns FB_OK; FB_ENOMEM. @ret is in the cluster's arena.
 */
enum fb_status fb_check_make(const struct fb_cluster *cluster, struct fb_findings *ret) FB_CHECK;

/** Nodes whose NICs are not what the ratio that was chosen asks for: the count of all findings
 * "ratio-mismatch". Takes no memory. */
size_t fb_check_mismatched(const struct fb_cluster *cluster);

/** Put @more among @findings, in order. FB_ENOMEM: @findings is as before. */
enum fb_status fb_check_join(struct fb_arena *arena, struct fb_findings *findings,
                             const struct fb_findings *more) FB_CHECK;

/** Is there anything from warning on. */
bool fb_check_bad(const struct fb_findings *findings);

#endif
