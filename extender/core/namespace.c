/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/namespace.h"

#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *value, const char *a, const char *b)
{
    return value != NULL && (strcmp(value, a) == 0 || strcmp(value, b) == 0);
}

static enum fb_pod_security level_of(const char *value)
{
    if (value == NULL || strcmp(value, "privileged") == 0)
        return FB_POD_SECURITY_PRIVILEGED;
    return strcmp(value, "baseline") == 0 ? FB_POD_SECURITY_BASELINE : FB_POD_SECURITY_RESTRICTED;
}

struct fb_namespace fb_namespace_of(const char *name, const struct fb_pairs *labels)
{
    const char *off = fb_pairs_find(labels, FB_NAMESPACE_OFF_KEY);
    const char *strict = fb_pairs_find(labels, FB_NAMESPACE_STRICT_KEY);

    return (struct fb_namespace){
        .name = name,
        .level = level_of(fb_pairs_find(labels, FB_NAMESPACE_LEVEL_KEY)),
        .off = is_one_of(off, "false", "disabled"),
        .strict = is_one_of(strict, "true", "true"),
    };
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct fb_namespace *)a)->name, ((const struct fb_namespace *)b)->name);
}

void fb_namespaces_sort(struct fb_namespaces *namespaces)
{
    if (namespaces->len > 1)
        qsort(namespaces->at, namespaces->len, sizeof *namespaces->at, by_name);
}

const struct fb_namespace *fb_namespaces_find(const struct fb_namespaces *namespaces,
                                              const char *name)
{
    struct fb_namespace like = {.name = name};

    if (namespaces->len == 0)
        return NULL;
    return bsearch(&like, namespaces->at, namespaces->len, sizeof like, by_name);
}
