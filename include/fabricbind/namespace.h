/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_NAMESPACE_H
#define FB_NAMESPACE_H

#include "fabricbind/equip.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>

/** Labels of namespaces that are read here. */
#define FB_NAMESPACE_LEVEL_KEY "pod-security.kubernetes.io/enforce"
#define FB_NAMESPACE_OFF_KEY "fabricbind.io/networking" /* "false" or "disabled" opts out */
#define FB_NAMESPACE_STRICT_KEY "fabricbind.io/strict"  /* "true": no bind without a profile */

/** A namespace, cut to what admission asks of it. */
struct fb_namespace {
    const char *name; /* borrowed, never NULL */
    enum fb_pod_security level;
    bool off;    /* nothing is injected there */
    bool strict; /* a Binding that cannot be completed is refused there */
};

/** Many of them, sorted by name by fb_namespaces_sort(). */
struct fb_namespaces {
    struct fb_namespace *at;
    size_t len, size;
};

/**
 * The namespace called @name that has @labels.
 *
 * No level told: privileged, as an API server has it that nobody configured. A level that is
 * none: restricted, as the API server takes it.
 * Source: k8s.io/pod-security-admission/api, PolicyToEvaluate and ParseLevel.
 */
struct fb_namespace fb_namespace_of(const char *name, const struct fb_pairs *labels);

/** Order by name, byte by byte, which fb_namespaces_find() relies on. */
void fb_namespaces_sort(struct fb_namespaces *namespaces);

/** The namespace called @name, or NULL: not known. */
const struct fb_namespace *fb_namespaces_find(const struct fb_namespaces *namespaces,
                                              const char *name);

#endif
