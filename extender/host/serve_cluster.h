/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SERVE_CLUSTER_H
#define FB_HOST_SERVE_CLUSTER_H

#include "inventory.h"
#include "live.h"
#include "metrics.h"
#include "options.h"
#include "server_tls.h"

#include <stdbool.h>

/**
 * What the daemon has where it knows an API server: the inventory as it is told, and admission
 * with all that belongs to it. Without one, but with a certificate in files, admission alone.
 */
struct fb_serve_cluster;

/**
 * Find the API server that --kubeconfig names, or the pod's own when there is no --snapshot, and
 * start what watches it. Does not wait for it.
 *
 * @slot, @metrics  borrowed, outlive it
 * @ret             NULL: neither API server nor certificate; end with fb_serve_cluster_stop()
 *
 * Returns FB_OK; FB_EINPUT, FB_ENOTFOUND and FB_EIO with the file or key at fault; FB_ENOMEM.
 */
enum fb_status fb_serve_cluster_start(const struct fb_options *options,
                                      struct fb_inventory_slot *slot, struct fb_metrics *metrics,
                                      struct fb_serve_cluster **ret, struct fb_error *err) FB_CHECK;

/** The context of the routes of admission. Borrowed. */
struct fb_admission *fb_serve_cluster_admission(struct fb_serve_cluster *cluster);
struct fb_server_tls *fb_serve_cluster_tls(struct fb_serve_cluster *cluster);

/** NULL: there is no API server; @cluster may be NULL. Borrowed. */
struct fb_live *fb_serve_cluster_live(struct fb_serve_cluster *cluster);

/** Admission is listened for: from now on the API server may be told to ask. */
enum fb_status fb_serve_cluster_register(struct fb_serve_cluster *cluster,
                                         struct fb_error *err) FB_CHECK;

/** Is there a certificate to show. @context is a cluster. */
bool fb_serve_cluster_ready(void *context);

/** The servers have stopped: end all threads and free. NULL is fine.
 *
 * Returns whether all is freed within @wait_ms; if not, what it was started with is still used. */
bool fb_serve_cluster_stop(struct fb_serve_cluster *cluster, unsigned wait_ms) FB_CHECK;

#endif
