/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "file.h"
#include "table.h"

#include "fabricbind/check_volcano.h"
#include "fabricbind/report.h"
#include "fabricbind/volcanofile.h"

/* A ConfigMap holds at most 1 MiB. */
#define CONF_BYTES ((size_t)2 * 1024 * 1024)

static const struct fb_column columns[] = {
    {"LEVEL", FB_SIDE_LEFT, FB_GIVE_NOTHING, 7},   {"CODE", FB_SIDE_LEFT, FB_GIVE_END, 12},
    {"SUBJECT", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 12}, {"COUNT", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 5},
    {"MESSAGE", FB_SIDE_LEFT, FB_GIVE_WRAP, 20},
};

#define COLUMNS (sizeof columns / sizeof columns[0])

static enum fb_status print_table(struct fb_inputs *in, const struct fb_findings *findings,
                                  const struct fb_command_context *context, struct fb_error *err)
{
    static const enum fb_style styles[] = {FB_STYLE_BAD, FB_STYLE_WARN, FB_STYLE_DIM};
    struct fb_table table;
    enum fb_status st = FB_OK;

    if (findings->len == 0)
        return fb_command_line(context, in->arena, "no findings", err);
    fb_table_init(&table, in->arena, columns, COLUMNS);
    for (size_t i = 0; st == FB_OK && i < findings->len; i++) {
        const struct fb_finding *at = &findings->at[i];
        struct fb_cell cells[COLUMNS] = {
            {fb_level_name(at->level), styles[at->level]},
            {at->code, FB_STYLE_PLAIN},
            {at->subject, FB_STYLE_BOLD},
            {fb_arena_print(in->arena, "%zu", at->count), FB_STYLE_PLAIN},
            {at->message, FB_STYLE_PLAIN},
        };

        st = fb_table_add(&table, cells, err);
    }
    return st == FB_OK ? fb_table_print(&table, context->terminal, context->out, err) : st;
}

static struct fb_volcano_coupling coupling_of(const struct fb_config *config)
{
    static const char *const names[] = {"full", "score", "lean"};

    return (struct fb_volcano_coupling){
        .wiring = names[config->wiring],
        .predicate = config->wiring == FB_WIRING_FULL,
        .prioritize = config->wiring != FB_WIRING_LEAN,
        .listen = config->listen.extender,
    };
}

static enum fb_status check_volcano(struct fb_inputs *in, const char *path,
                                    struct fb_findings *findings, struct fb_error *err)
{
    struct fb_volcano_coupling coupling = coupling_of(&in->config);
    struct fb_volcano_conf conf = {0};
    struct fb_findings more = {0};
    const char *text;
    size_t len;
    enum fb_status st = fb_file_read(in->arena, path, CONF_BYTES, &text, &len, err);

    if (st != FB_OK)
        return st;
    st = fb_volcanofile_read(in->arena, text, len, &conf, err);
    if (st != FB_OK)
        return fb_error_prefix(err, st, "%s", path);
    st = fb_check_volcano(&in->cluster, &coupling, &conf, &more);
    if (st == FB_OK)
        st = fb_check_join(in->arena, findings, &more);
    return st == FB_OK ? FB_OK : fb_error_set(err, FB_ENOMEM, "out of memory");
}

enum fb_status fb_command_check(struct fb_inputs *in, const struct fb_command_context *context,
                                bool *ret_yes, struct fb_error *err)
{
    struct fb_findings findings = {0};
    struct fb_json json = {0};

    if (fb_check_make(&in->cluster, &findings) != FB_OK)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    if (context->options->volcano_conf != NULL) {
        enum fb_status st = check_volcano(in, context->options->volcano_conf, &findings, err);

        if (st != FB_OK)
            return st;
    }
    *ret_yes = !fb_check_bad(&findings);
    if (context->options->output == FB_OUTPUT_TABLE)
        return print_table(in, &findings, context, err);
    fb_report_findings(&json, &findings);
    return fb_command_print(context, &json, err);
}
