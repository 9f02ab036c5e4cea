/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_COMMANDS_H
#define FB_HOST_COMMANDS_H

#include "load.h"
#include "terminal.h"

#include "fabricbind/json.h"

#include <stdio.h>

/** The commands; each prints its answer to @out and says whether it is yes or no. */

struct fb_command_context {
    const struct fb_options *options;
    const struct fb_terminal *terminal;
    FILE *out;
};

enum fb_status fb_command_plan(struct fb_inputs *in, const struct fb_command_context *context,
                               bool *ret_yes, struct fb_error *err) FB_CHECK;
enum fb_status fb_command_nodes(struct fb_inputs *in, const struct fb_command_context *context,
                                bool *ret_yes, struct fb_error *err) FB_CHECK;
enum fb_status fb_command_check(struct fb_inputs *in, const struct fb_command_context *context,
                                bool *ret_yes, struct fb_error *err) FB_CHECK;

/** Loads nothing before it: what it needs is in @context. */
enum fb_status fb_command_replay(struct fb_arena *arena, const struct fb_command_context *context,
                                 bool *ret_yes, struct fb_error *err) FB_CHECK;

/** Print @json as -o says (json or yaml) and free what it holds. */
enum fb_status fb_command_print(const struct fb_command_context *context, struct fb_json *json,
                                struct fb_error *err) FB_CHECK;

/** A paragraph of at most the terminal's width, control characters shown as "?". */
enum fb_status fb_command_line(const struct fb_command_context *context, struct fb_arena *arena,
                               const char *text, struct fb_error *err) FB_CHECK;

#endif
