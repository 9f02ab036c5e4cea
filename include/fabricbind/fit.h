/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_FIT_H
#define FB_FIT_H

#include "fabricbind/need.h"

#include <stdbool.h>

/** May a pod run on a node: one verdict, one reason. */

enum fb_verdict_kind {
    FB_FITS,
    FB_BUSY,     /* evicting pods of this very node could help */
    FB_NEVER,    /* it could not */
    FB_EXCLUDED, /* the scheduler's own filters refuse */
};

enum fb_reason {
    FB_REASON_NONE,
    FB_REASON_SELECTOR,
    FB_REASON_AFFINITY,
    FB_REASON_TAINT, /* subject: its key */
    FB_REASON_CORDONED,
    FB_REASON_NOT_READY,
    FB_REASON_TOO_FEW, /* subject: a resource that is no NIC; the scheduler counts it */
    FB_REASON_BUSY,    /* subject: a resource */
    FB_REASON_OTHER_FABRIC,
    FB_REASON_UNKNOWN_FABRIC,
    FB_REASON_ABSENT,     /* subject: a resource */
    FB_REASON_CONFIGURED, /* configured ratio against the instance type */
    FB_REASON_FEWER,      /* subject: a resource */
    FB_REASON_WHOLE,
    FB_REASON_PLAN, /* the gang's plan wants other nodes */
};

struct fb_verdict {
    enum fb_verdict_kind kind;
    enum fb_reason reason;
    const char *subject; /* borrowed; NULL where the reason has none */
};

/** "fits", "busy", "never", "excluded". */
const char *fb_verdict_name(enum fb_verdict_kind kind);

/** A word for programs: "none", "busy", "other-fabric" and so on. */
const char *fb_reason_code(enum fb_reason reason);

/** Volcano's code: 0, 2, 3; excluded is -1. */
int fb_verdict_code(enum fb_verdict_kind kind);

/** Room for a reason as text, NUL included; longer subjects are cut. */
#define FB_VERDICT_TEXT 384

/** The reason without node name and number, "" for fits. Returns @text. */
const char *fb_verdict_text(const struct fb_verdict *verdict, char text[FB_VERDICT_TEXT]);

struct fb_question {
    const struct fb_pod *pod;
    const struct fb_need *need; /* on the fabric of the site */
    enum fb_networking networking;
    int64_t gang;  /* GPU pods of the gang; 1: none */
    size_t fabric; /* where members of the gang run already; FB_NONE: nowhere */
};

/** Order of tests: selector, affinity, taints, cordon, GPUs, NICs, other resources. A reason that
 * no eviction can cure goes before one that it can. */
struct fb_verdict fb_fit(const struct fb_cluster *cluster, size_t site,
                         const struct fb_question *question);

#endif
