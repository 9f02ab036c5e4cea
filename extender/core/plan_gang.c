/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/pack.h"
#include "plan_input.h"

#include <stdlib.h>
#include <string.h>

/* Neighbours in the job become neighbours in the network: nodes in the order of their switches,
 * those of unknown ones last. */
static int by_switch(const void *a, const void *b)
{
    const struct fb_pack_node *left = *(const struct fb_pack_node *const *)a;
    const struct fb_pack_node *right = *(const struct fb_pack_node *const *)b;

    /* Paths end in NULL at the latest behind the last tier. */
    for (size_t t = 0; left->path[t] != NULL || right->path[t] != NULL; t++) {
        int order;

        if (left->path[t] == NULL || right->path[t] == NULL)
            return left->path[t] == NULL ? 1 : -1;
        order = strcmp(left->path[t], right->path[t]);
        if (order != 0)
            return order;
    }
    return strcmp(left->name, right->name);
}

static const struct fb_pack_node **used_nodes(const struct fb_plan_input *gang,
                                              const struct fb_pack_result *result, size_t *ret_len)
{
    const struct fb_pack_node **used =
        fb_arena_alloc(gang->work->cluster->arena, gang->in.nodes_len * sizeof(void *));

    *ret_len = 0;
    for (size_t n = 0; used != NULL && n < gang->in.nodes_len; n++) {
        size_t pods = 0;

        for (size_t i = 0; i < gang->in.shapes_len; i++)
            pods += result->quota[n * gang->in.shapes_len + i];
        if (pods > 0)
            used[(*ret_len)++] = &gang->nodes[n];
    }
    if (used != NULL && *ret_len > 1)
        qsort(used, *ret_len, sizeof(void *), by_switch);
    return used;
}

static enum fb_status place_quota(const struct fb_plan_input *gang,
                                  const struct fb_pack_result *result, size_t node, size_t shape)
{
    size_t pods = result->quota[node * gang->in.shapes_len + shape];
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < pods; i++)
        st = fb_plan_place(gang->work, gang->tasks[shape], gang->sites[node]);
    return st;
}

static enum fb_status place_all(const struct fb_plan_input *gang,
                                const struct fb_pack_result *result)
{
    size_t len;
    const struct fb_pack_node **used = used_nodes(gang, result, &len);
    enum fb_status st = used != NULL ? FB_OK : FB_ENOMEM;

    for (size_t i = 0; i < gang->in.shapes_len; i++) {
        for (size_t n = 0; st == FB_OK && n < len; n++)
            st = place_quota(gang, result, (size_t)(used[n] - gang->nodes), i);
    }
    gang->work->plan->gang_fabric = result->fabric;
    gang->work->plan->blocks = result->blocks;
    return st;
}

static void note_short(const struct fb_plan_input *gang, const struct fb_pack_result *result)
{
    struct fb_plan *plan = gang->work->plan;
    int64_t left = 0;

    for (size_t i = 0; i < gang->in.shapes_len; i++)
        left = fb_amount_add(left, (int64_t)gang->shapes[i].count);
    plan->is_short = true;
    plan->short_takes = (int64_t)result->takes;
    plan->short_pods = left - plan->short_takes;
    plan->short_fabric = result->fabric;
    if (result->dim < gang->dims.len)
        plan->short_resource = gang->dims.at[result->dim].name;
}

enum fb_status fb_plan_gang(struct fb_plan_work *work, bool *ret_holds, struct fb_error *err)
{
    struct fb_plan_input gang;
    struct fb_pack_result result;
    enum fb_status st = fb_plan_input_make(work, &gang);

    if (st == FB_OK)
        st = fb_pack(&gang.in, work->cluster->arena, &result, err);
    if (st != FB_OK)
        return st;
    *ret_holds = result.holds;
    if (result.holds)
        return place_all(&gang, &result);
    note_short(&gang, &result);
    return FB_OK;
}
