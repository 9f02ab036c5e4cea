/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_COMPLAINT_H
#define FB_COMPLAINT_H

#include "fabricbind/cluster.h"
#include "fabricbind/namespace.h"

/**
 * What people are to be told of gangs and nodes: what Events are due. Texts have no numbers in them
 * that change from one moment to the next, so that equal ones are one Event.
 */

/** Pods that should have been injected run, or will run, without a network. */
#define FB_COMPLAINT_NOT_INJECTED "NotInjected"
/** As the nodes are now no fabric holds the gang, were they all empty. */
#define FB_COMPLAINT_TOO_LARGE "GangTooLarge"
/** The gang waits for the fabric that was chosen for it, and another one has room. */
#define FB_COMPLAINT_FULL "FabricFull"
/** The node has fewer NICs than its instance type. */
#define FB_COMPLAINT_MISSING_NICS "MissingNICs"

struct fb_complaint {
    const char *kind, *group; /* of the object: a gang's owner, a pod of no owner, a node */
    const char *space, *name; /* space "" of nodes */
    const char *uid;          /* "" where nobody told */
    const char *reason;       /* one of those above */
    const char *note;         /* a sentence for people */
};

/** Each list of complaints ends here. */
#define FB_COMPLAINTS 1000

struct fb_complaints {
    struct fb_complaint *at;
    size_t len, size;
    size_t uninjected; /* pods, all of them */
    size_t next;       /* the gang to begin with next time */
};

/** What is looked at; all borrowed. */
struct fb_complaint_input {
    const struct fb_cluster *cluster;       /* read only, also its arena */
    const struct fb_objects *objects;       /* that it was built from */
    const struct fb_namespaces *namespaces; /* those that opted out; NULL: none is known */
    const struct fb_texts *excluded;        /* namespaces that webhooks leave alone; NULL: none */
    size_t first; /* index of the gang to plan first: planning is dear, not all are each time */
    size_t gangs; /* so many of those that wait are planned */
};

/** @ret is in @arena. Returns FB_OK; FB_ENOMEM. */
enum fb_status fb_complaints_make(struct fb_arena *arena, const struct fb_complaint_input *in,
                                  struct fb_complaints *ret) FB_CHECK;

#endif
