/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_OUTFITS_H
#define FB_HOST_OUTFITS_H

#include "commands.h"

#include "fabricbind/outfit.h"

/** Plans of the jobs given, with what their pods get. */
struct fb_planned {
    struct fb_plan plan;
    struct fb_outfit outfit;
};

struct fb_planned_list {
    struct fb_planned *at;
    size_t len, size;
};

/** Plan all jobs, one after the other, and equip them. */
enum fb_status fb_outfits_make(struct fb_inputs *in, const struct fb_options *options,
                               struct fb_planned_list *ret, struct fb_error *err) FB_CHECK;

/** What each task gets at creation and each pod at bind, in a few lines for people. */
enum fb_status fb_outfits_print(struct fb_inputs *in, const struct fb_planned *planned,
                                const struct fb_command_context *context,
                                struct fb_error *err) FB_CHECK;

/** The whole of one pod: --explain-pod. FB_ENOTFOUND where no plan has a pod of that name. */
enum fb_status fb_outfits_explain(struct fb_inputs *in, const struct fb_planned_list *all,
                                  const struct fb_command_context *context,
                                  struct fb_error *err) FB_CHECK;

#endif
