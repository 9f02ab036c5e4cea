/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_ADMISSION_H
#define FB_HOST_ADMISSION_H

#include "inventory.h"
#include "metrics.h"
#include "server.h"

/**
 * The handlers of the admission webhooks: what pods get when they are created and when they are
 * bound, and what is said when a job is submitted.
 *
 * A review that can be read is answered with 200. What is none is answered with {"error":"..."} in
 * one line, so that the API server does as failurePolicy says: 400 for what is not an
 * AdmissionReview of admission.k8s.io/v1, 413 beyond FB_REVIEW_BYTES and the bounds of json.h, 408
 * when it does not come to its end, 503 without memory and where a pod cannot be asked for; counted
 * as faults of "admission".
 *
 * A pod that is annotated, but for which nobody can tell what it needs, is denied with 403
 * Forbidden: that is the code of admission, which controllers retry. 422 Invalid would say that no
 * such pod can ever be, but nodes can come.
 */

/** What the handlers ask of the world; each may be NULL: then it is not to be had. Called by many
 * threads at once. */
struct fb_admission_world {
    void *context; /* borrowed */

    /** The pod as the API server tells it now; for pods that the inventory does not have yet.
     * FB_ENOTFOUND where there is none; anything else is a fault. @ret in @arena. */
    enum fb_status (*find_pod)(void *context, struct fb_arena *arena, const char *space,
                               const char *name, struct fb_pod *ret, struct fb_error *err);

    /** The fabric (fb_fabric.key) that was chosen for the gang of @pod, once for all its pods and
     * all replicas; "": nobody can tell. With @dry_run nothing is written. @ret in @arena. */
    enum fb_status (*choose)(void *context, struct fb_arena *arena,
                             const struct fb_inventory *inventory, const struct fb_pod *pod,
                             bool dry_run, const char **ret, struct fb_error *err);

    /** A signature in base64 over UID, node and content (the profile as fb_profile_make() made
     * it), in @arena; NULL: there is no key. */
    const char *(*sign)(void *context, struct fb_arena *arena, const char *pod_uid,
                        const char *node, const char *content);
};

struct fb_admission;

/**
 * @slot, @metrics  borrowed, outlive it
 * @world           copied; NULL: nothing is to be had
 * @ret             set on success only; free with fb_admission_free() once no request is under way
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_admission_new(struct fb_inventory_slot *slot, struct fb_metrics *metrics,
                                const struct fb_admission_world *world, struct fb_admission **ret,
                                struct fb_error *err) FB_CHECK;
void fb_admission_free(struct fb_admission *admission);
void fb_admission_freep(struct fb_admission **admission);

enum fb_admission_route {
    /* CREATE of pods. What is not networked, of kube-system, of a namespace that opted out or
       observed only (mode: observe) is allowed as it is. injections_total{provider,result}:
       "injected", "degraded" (injected, without what Pod Security forbids), "unchanged", "passed"
       (nobody can tell), "denied", "not-networked". */
    FB_ADMISSION_PODS,
    /* CREATE of pods/binding: the profile of the node. A pod that nobody knows, or that is not
       managed, is bound as it is. binds_total{result}: "profile", "signed" (a profile with a
       signature), "empty" (not networked, or the node is not known), "too-large" (the pod's own
       annotations leave no room), "unmanaged", "unknown", "dry-run". */
    FB_ADMISSION_BINDINGS,
    /* CREATE of Volcano's jobs: warnings, nothing else. */
    FB_ADMISSION_JOBS,
};

/** A route's context is the struct fb_admission, its number an enum fb_admission_route. */
extern const struct fb_handler fb_admission_handler;

#endif
