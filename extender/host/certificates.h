/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_CERTIFICATES_H
#define FB_HOST_CERTIFICATES_H

#include "apiserver.h"
#include "fabricbind/config.h"
#include "metrics.h"
#include "server_tls.h"
#include "sign.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Keeps the certificate of the admission server and the key for signatures, in a thread of its own.
 *
 * From files (certFile, keyFile, caFile): they are read again when they change; what is no good
 * leaves the old certificate shown. Else from the Secret: made when it is absent or broken, renewed
 * when two thirds of its life are over, by compare-and-swap, so that of several replicas one makes
 * it and the others take it. The key for signatures is always the Secret's.
 *
 * A certificate of an authority that the API server was not told of before is shown one turn after
 * its authority was told, unless the old certificate is of no use meanwhile. Faults are counted,
 * and logged once until something changes; nothing of a key is logged.
 */
struct fb_certificates;

/** What it works with. Pointers are borrowed and outlive it; texts of the configuration are copied.
 */
struct fb_certificates_setup {
    struct fb_apiserver *server; /* NULL: files only, no key for signatures */
    struct fb_server_tls *tls;   /* shows the certificate */
    struct fb_sign *sign;        /* gets the key; NULL: not wanted */
    struct fb_metrics *metrics;
    const struct fb_admission_config *config;
    unsigned period_ms;           /* 0: 10000 for files, 15000 for the Secret */
    int64_t days, authority_days; /* 0: 90, 3650 */
    int64_t (*clock_s)(void);     /* NULL: seconds since 1970 */
};

/** Returns FB_OK; FB_EINPUT when there are neither files nor a server; FB_EIO; FB_ENOMEM. Does not
 * wait for the first turn. End with fb_certificates_stop(). */
enum fb_status fb_certificates_start(const struct fb_certificates_setup *setup,
                                     struct fb_certificates **ret, struct fb_error *err) FB_CHECK;

/** Look now. Does not wait. */
void fb_certificates_wake(struct fb_certificates *certificates);

/** @changed is called with @context, by the thread, when other authorities are told or another
 * certificate is shown; NULL: nobody any more, also not just now when this returns. It must call
 * nothing of this header. */
void fb_certificates_watch(struct fb_certificates *certificates, void (*changed)(void *context),
                           void *context);

/** The authorities as PEM, of the caller's to free(); "" where the API server knows them by itself;
 * NULL: not known yet, or out of memory. */
char *fb_certificates_bundle(struct fb_certificates *certificates);

/** Is a certificate shown that has not ended. */
bool fb_certificates_ready(struct fb_certificates *certificates);

/** How often it has looked; for tests. */
uint64_t fb_certificates_turns(struct fb_certificates *certificates);

/** End the thread, which takes 2 s when the API server does not answer, and free. NULL is fine. */
void fb_certificates_stop(struct fb_certificates *certificates);

#endif
