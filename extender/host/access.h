/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_ACCESS_H
#define FB_HOST_ACCESS_H

#include "fabricbind/kubeconfig.h"

/**
 * Find out how the API server is reached: struct fb_access of kubeconfig.h. Files that it names
 * are not read here; the client of apiserver.h reads them, again when they change.
 *
 * @kubeconfig  a file, whose relative paths start at its directory; NULL: the pod's own
 *              (KUBERNETES_SERVICE_HOST and _PORT, and the three files of the service account).
 *              Call it before there are threads: it reads the environment then.
 *
 * Returns FB_OK; FB_ENOTFOUND where there is no such file, or outside a cluster; FB_EINPUT and
 * FB_ELIMIT, the file's name in front; FB_EIO; FB_ENOMEM.
 */
enum fb_status fb_access_load(struct fb_arena *arena, const char *kubeconfig, struct fb_access *ret,
                              struct fb_error *err) FB_CHECK;

/**
 * The pod's own access from its parts.
 *
 * @host, @port  as the environment has them, IPv6 without brackets; NULL: not set
 * @dir          of token, ca.crt and namespace; without the last one the namespace is "default"
 *
 * Source: Kubernetes, "Accessing the Kubernetes API from a Pod"; client-go rest.InClusterConfig.
 */
enum fb_status fb_access_pod(struct fb_arena *arena, const char *host, const char *port,
                             const char *dir, struct fb_access *ret, struct fb_error *err) FB_CHECK;

#endif
