/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_REGISTRATION_H
#define FB_HOST_REGISTRATION_H

#include "apiserver.h"
#include "certificates.h"
#include "inventory.h"
#include "metrics.h"

#include <stdint.h>

/**
 * Keeps the MutatingWebhookConfiguration what the configuration asks for, in a thread of its own:
 * made when it is absent, written again when somebody changed it, by compare-and-swap. Nothing is
 * registered before a certificate is shown, nor with `admission.register: false`; what is
 * registered is never taken away: that is for whoever uninstalls. Of its metadata only the name is
 * ours. Faults are counted, and logged once until something changes.
 */
struct fb_registration;

/** What it works with; borrowed, outliving it. */
struct fb_registration_setup {
    struct fb_apiserver *server;
    struct fb_inventory_slot *slot;       /* its configuration counts, also when it changes */
    struct fb_certificates *certificates; /* it is told when these have other authorities */
    struct fb_metrics *metrics;
    unsigned period_ms; /* 0: 30000 */
};

/** Returns FB_OK; FB_EIO; FB_ENOMEM. Does not wait for the first turn. End with
 * fb_registration_stop(), before the certificates are stopped. */
enum fb_status fb_registration_start(const struct fb_registration_setup *setup,
                                     struct fb_registration **ret, struct fb_error *err) FB_CHECK;

/** Look now: the configuration has changed. Does not wait. NULL is fine. */
void fb_registration_wake(struct fb_registration *registration);

/** How often it has looked; for tests. */
uint64_t fb_registration_turns(struct fb_registration *registration);

/** End the thread, which takes 2 s when the API server does not answer, and free. NULL is fine. */
void fb_registration_stop(struct fb_registration *registration);

#endif
