/* SPDX-License-Identifier: Apache-2.0 */
#include "objects_fields.h"

#include <string.h>

static const struct fb_field taint_fields[] = {
    {"key", FB_SHAPE_TEXT, FB_THING_TAINT, FB_AT(fb_taint, key)},
    {"value", FB_SHAPE_TEXT, FB_THING_TAINT, FB_AT(fb_taint, value)},
    {"effect", FB_SHAPE_TEXT, FB_THING_TAINT, FB_AT(fb_taint, effect)},
    FB_END,
};

static const struct fb_field condition_fields[] = {
    {"type", FB_SHAPE_TEXT, FB_THING_CONDITION, FB_AT(fb_condition, type)},
    {"status", FB_SHAPE_TEXT, FB_THING_CONDITION, FB_AT(fb_condition, status)},
    FB_END,
};

const struct fb_field fb_node_fields[] = {
    {"spec.providerID", FB_SHAPE_TEXT, FB_THING_NODE, FB_AT(fb_node, provider_id)},
    {"spec.unschedulable", FB_SHAPE_BOOL, FB_THING_NODE, FB_AT(fb_node, unschedulable)},
    {"spec.taints", FB_SHAPE_LIST, FB_THING_NODE, .below = taint_fields, .starts = FB_THING_TAINT},
    {"status.capacity", FB_SHAPE_AMOUNTS, FB_THING_NODE, FB_AT(fb_node, capacity)},
    {"status.allocatable", FB_SHAPE_AMOUNTS, FB_THING_NODE, FB_AT(fb_node, allocatable)},
    {"status.conditions", FB_SHAPE_LIST, FB_THING_NODE, .below = condition_fields,
     .starts = FB_THING_CONDITION},
    FB_END,
};

void fb_node_init(struct fb_node *node)
{
    *node = (struct fb_node){.name = "", .uid = "", .provider_id = "", .instance_type = ""};
}

void fb_node_condition(struct fb_node *node, const struct fb_condition *condition)
{
    if (strcmp(condition->type, "Ready") == 0)
        node->ready = strcmp(condition->status, "True") == 0;
}

void fb_node_finish(struct fb_node *node, const struct fb_pod *meta)
{
    const char *type;

    node->name = meta->name;
    node->uid = meta->uid;
    node->labels = meta->labels;
    type = fb_pairs_find(&node->labels, "node.kubernetes.io/instance-type");
    if (type == NULL)
        type = fb_pairs_find(&node->labels, "beta.kubernetes.io/instance-type");
    node->instance_type = type != NULL ? type : "";
}
