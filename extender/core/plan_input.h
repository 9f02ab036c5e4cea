/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_PLAN_INPUT_H
#define FB_PLAN_INPUT_H

#include "fabricbind/pack.h"
#include "plan_work.h"

/** The gang as the packing sees it: rows are tasks, columns are resources. */
struct fb_plan_input {
    struct fb_plan_work *work;
    struct fb_pack_input in;
    struct fb_pack_shape *shapes;
    size_t *tasks; /* shapes_len: index in the job */
    struct fb_pack_fabric *fabrics;
    struct fb_pack_node *nodes;
    size_t *sites;            /* nodes_len: index in the cluster */
    struct fb_resources dims; /* by name; GPUs first, then NICs */
};

/** Set @ret from @work; verdicts and needs of all tasks are there. Returns FB_OK; FB_ENOMEM. */
enum fb_status fb_plan_input_make(struct fb_plan_work *work, struct fb_plan_input *ret) FB_CHECK;

#endif
