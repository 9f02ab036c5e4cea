/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WEBHOOKS_H
#define FB_WEBHOOKS_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/settings.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * The MutatingWebhookConfiguration by which the API server asks the admission routes. Five
 * webhooks, each in its own words on what it is asked about:
 *
 * pods-annotated  pods annotated for networking; they wait when nobody answers
 * pods-gangs      other GPU pods whose owner is one of match.owners; created without us when nobody
 *                 answers. Left out when match.gangs is false
 * bindings        Bindings that carry fabricbind.io/managed, as annotation or label. kube-scheduler
 *                 sends neither: there the profile comes by our own bind verb
 * bindings-strict the same in namespaces labelled fabricbind.io/strict "true"; they wait
 * jobs            Volcano's Jobs
 *
 * None of them is asked about excluded namespaces, the program's own, or those labelled
 * fabricbind.io/networking "disabled" or "false"; nor about pods that say "false" themselves.
 * When decisions are only observed, nothing ever waits.
 * Source: k8s.io/api/admissionregistration/v1; Kubernetes, "Dynamic Admission Control".
 */
struct fb_webhooks {
    const char *name;   /* of the configuration */
    const char *url;    /* where the routes are; "": behind the service */
    const char *bundle; /* PEM of the authorities; NULL or "": those that the API server knows */
    const char *own;    /* the program's namespace; "": none is excluded for it */
    struct {
        const char *space, *name;
        size_t port;
    } service;
    const struct fb_texts *exclude;
    const struct fb_settings *settings; /* gpu_resources, match_gangs, owners */
    size_t timeout_s;
    bool observe;
};

/**
 * Print the configuration as JSON.
 *
 * @found  what is there now, as the API server sent it: its metadata, resourceVersion with it, is
 *         taken over, so that what others wrote into it stays; NULL: there is none yet
 * @ret    in @arena, NUL-ended
 *
 * Returns FB_OK; FB_EINPUT when @found is no such object; FB_ENOMEM.
 */
enum fb_status fb_webhooks_print(struct fb_arena *arena, const struct fb_webhooks *webhooks,
                                 const char *found, const char **ret,
                                 struct fb_error *err) FB_CHECK;

/**
 * Is @found, as the API server sent it, still what @ours, as printed above, asks for: the webhooks
 * are the same and each says what ours says. What only theirs has are defaults of newer API
 * servers, which count for nothing, but a map that is empty in ours must be empty in theirs.
 *
 * Returns FB_OK, also when it differs; FB_EINPUT when one is no JSON; FB_ENOMEM.
 */
enum fb_status fb_webhooks_compare(const char *ours, const char *found, bool *ret_same,
                                   struct fb_error *err) FB_CHECK;

#endif
