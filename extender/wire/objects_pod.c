/* SPDX-License-Identifier: Apache-2.0 */
#include "objects_fields.h"

#include <string.h>

static const struct fb_field container_fields[] = {
    {"name", FB_SHAPE_TEXT, FB_THING_CONTAINER, FB_AT(fb_container, name)},
    {"restartPolicy", FB_SHAPE_ALWAYS, FB_THING_CONTAINER, .at = 0},
    {"resources", FB_SHAPE_OBJECT, FB_THING_CONTAINER, .at = 0},
    {"resources.requests", FB_SHAPE_AMOUNTS, FB_THING_CONTAINER, FB_AT(fb_container, requests)},
    {"resources.limits", FB_SHAPE_AMOUNTS, FB_THING_CONTAINER, FB_AT(fb_container, limits)},
    FB_END,
};

static const struct fb_field toleration_fields[] = {
    {"key", FB_SHAPE_TEXT, FB_THING_TOLERATION, FB_AT(fb_toleration, key)},
    {"operator", FB_SHAPE_TEXT, FB_THING_TOLERATION, FB_AT(fb_toleration, op)},
    {"value", FB_SHAPE_TEXT, FB_THING_TOLERATION, FB_AT(fb_toleration, value)},
    {"effect", FB_SHAPE_TEXT, FB_THING_TOLERATION, FB_AT(fb_toleration, effect)},
    FB_END,
};

static const struct fb_field requirement_fields[] = {
    {"key", FB_SHAPE_TEXT, FB_THING_REQUIREMENT, FB_AT(fb_requirement, key)},
    {"operator", FB_SHAPE_TEXT, FB_THING_REQUIREMENT, FB_AT(fb_requirement, op)},
    {"values", FB_SHAPE_TEXTS, FB_THING_REQUIREMENT, FB_AT(fb_requirement, values)},
    FB_END,
};

static const struct fb_field term_fields[] = {
    {"matchExpressions", FB_SHAPE_LIST, FB_THING_TERM, .below = requirement_fields,
     .starts = FB_THING_REQUIREMENT, .variant = false},
    {"matchFields", FB_SHAPE_LIST, FB_THING_TERM, .below = requirement_fields,
     .starts = FB_THING_REQUIREMENT, .variant = true},
    FB_END,
};

static const struct fb_field required_fields[] = {
    {"nodeSelectorTerms", FB_SHAPE_LIST, FB_THING_POD, .below = term_fields,
     .starts = FB_THING_TERM},
    FB_END,
};

static const struct fb_field claim_fields[] = {
    {"name", FB_SHAPE_TEXT, FB_THING_CLAIM, .at = 0}, /* the text itself */
    FB_END,
};

const struct fb_field fb_pod_spec_fields[] = {
    {"nodeName", FB_SHAPE_TEXT, FB_THING_POD, FB_AT(fb_pod, node)},
    {"hostNetwork", FB_SHAPE_BOOL, FB_THING_POD, FB_AT(fb_pod, host_network)},
    {"nodeSelector", FB_SHAPE_PAIRS, FB_THING_POD, FB_AT(fb_pod, selector)},
    {"overhead", FB_SHAPE_AMOUNTS, FB_THING_POD, FB_AT(fb_pod, overhead)},
    {"initContainers", FB_SHAPE_LIST, FB_THING_POD, .below = container_fields,
     .starts = FB_THING_CONTAINER, .variant = FB_CONTAINER_INIT},
    {"containers", FB_SHAPE_LIST, FB_THING_POD, .below = container_fields,
     .starts = FB_THING_CONTAINER, .variant = FB_CONTAINER_MAIN},
    {"tolerations", FB_SHAPE_LIST, FB_THING_POD, .below = toleration_fields,
     .starts = FB_THING_TOLERATION},
    {"affinity", FB_SHAPE_OBJECT, FB_THING_POD, .at = 0},
    {"affinity.nodeAffinity", FB_SHAPE_OBJECT, FB_THING_POD, .at = 0},
    {"affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution", FB_SHAPE_FLAGGED,
     FB_THING_POD, FB_AT(fb_pod, has_affinity), .below = required_fields},
    {"resourceClaims", FB_SHAPE_LIST, FB_THING_POD, .below = claim_fields,
     .starts = FB_THING_CLAIM},
    FB_END,
};

const struct fb_field fb_template_fields[] = {
    {"metadata", FB_SHAPE_OBJECT, FB_THING_POD, .at = 0},
    {"metadata.labels", FB_SHAPE_PAIRS, FB_THING_POD, FB_AT(fb_pod, labels)},
    {"metadata.annotations", FB_SHAPE_NOTES, FB_THING_POD, FB_AT(fb_pod, annotations)},
    {"spec", FB_SHAPE_OBJECT, FB_THING_POD, .below = fb_pod_spec_fields},
    FB_END,
};

void fb_pod_init(struct fb_pod *pod)
{
    *pod = (struct fb_pod){.space = "", .name = "", .uid = "", .node = "", .phase = ""};
}

/* Where only a limit is set it is the request. Source: k8s.io/kubernetes pkg/apis/core/v1,
 * SetDefaults_Pod. */
static enum fb_status fill_requests(struct fb_arena *arena, struct fb_container *container)
{
    for (size_t i = 0; i < container->limits.len; i++) {
        const struct fb_resource *limit = &container->limits.at[i];
        enum fb_status st = FB_OK;

        if (fb_resources_find(&container->requests, limit->name) == NULL)
            st = fb_resources_set(arena, &container->requests, limit->name, limit->amount);
        if (st != FB_OK)
            return st;
    }
    return FB_OK;
}

/* Append the containers that are main ones, or those that are not, to @to. */
static size_t pick_containers(const struct fb_pod *pod, bool main, struct fb_container *to)
{
    size_t len = 0;

    for (size_t i = 0; i < pod->containers_len; i++) {
        if ((pod->containers[i].role == FB_CONTAINER_MAIN) == main)
            to[len++] = pod->containers[i];
    }
    return len;
}

/* JSON has the two lists in any order; the kubelet starts the init containers first. */
static enum fb_status sort_containers(struct fb_arena *arena, struct fb_pod *pod)
{
    struct fb_container *sorted;
    size_t len;

    if (pod->containers_len == 0)
        return FB_OK;
    sorted = fb_arena_alloc(arena, pod->containers_len * sizeof *sorted);
    if (sorted == NULL)
        return FB_ENOMEM;
    len = pick_containers(pod, false, sorted);
    len += pick_containers(pod, true, sorted + len);
    pod->containers = sorted;
    pod->containers_len = pod->containers_size = len;
    return FB_OK;
}

enum fb_status fb_pod_finish(struct fb_arena *arena, struct fb_pod *pod, struct fb_error *err)
{
    enum fb_status st = sort_containers(arena, pod);

    for (size_t i = 0; i < pod->containers_len && st == FB_OK; i++)
        st = fill_requests(arena, &pod->containers[i]);
    return st != FB_OK ? fb_error_set(err, st, "out of memory") : FB_OK;
}
