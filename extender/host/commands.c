/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include "fabricbind/own.h"
#include "table.h"

#include <stdlib.h>

static void freep(char **text)
{
    free(*text);
}

enum fb_status fb_command_print(const struct fb_command_context *context, struct fb_json *json,
                                struct fb_error *err)
{
    bool yaml = context->options->output == FB_OUTPUT_YAML;
    FB_OWNED(freep) char *text = yaml ? fb_json_print_yaml(json) : fb_json_print(json);

    fb_json_fini(json);
    if (text == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    if (fprintf(context->out, yaml ? "%s" : "%s\n", text) < 0)
        return fb_error_set(err, FB_EIO, "standard output: cannot write");
    return FB_OK;
}

enum fb_status fb_command_line(const struct fb_command_context *context, struct fb_arena *arena,
                               const char *text, struct fb_error *err)
{
    static const struct fb_column column = {NULL, FB_SIDE_LEFT, FB_GIVE_WRAP, 0};
    struct fb_cell cell = {text, FB_STYLE_PLAIN};
    struct fb_table table;
    enum fb_status st;

    fb_table_init(&table, arena, &column, 1);
    st = fb_table_add(&table, &cell, err);
    return st == FB_OK ? fb_table_print(&table, context->terminal, context->out, err) : st;
}
