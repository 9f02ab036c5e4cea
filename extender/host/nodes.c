/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "table.h"

#include "fabricbind/report.h"

#include <string.h>

static const struct fb_column columns[] = {
    {"NODE", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 12},
    {"SHAPE", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 12},
    {"GPUS", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 4},
    {"NICS", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 4},
    {"RATIO", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 5},
    {"NIC RESOURCE", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 12},
    {"BOUNDARY", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 10},
    {"PROBLEMS", FB_SIDE_LEFT, FB_GIVE_WRAP, 16},
};

#define COLUMNS (sizeof columns / sizeof columns[0])

/* The shape, else the instance type that no policy knows, else the provider alone. */
static const char *shape_text(const struct fb_reading *reading)
{
    if (reading->shape != NULL)
        return reading->shape->name;
    if (*reading->instance != '\0')
        return reading->instance;
    return reading->policy != NULL ? reading->policy->provider : "-";
}

/* "free/all", all as the node shows them. */
static const char *gpus_text(struct fb_arena *arena, const struct fb_site *site)
{
    const struct fb_reading *reading = &site->reading;

    if (reading->gpu == NULL || reading->gpus == 0)
        return "0";
    return fb_arena_print(arena, "%lld/%lld",
                          (long long)fb_resources_get(&site->free, reading->gpu),
                          (long long)reading->gpus);
}

/* NICs by count, seats, or names of which each pod takes one. */
static const char *nics_text(struct fb_arena *arena, const struct fb_site *site)
{
    const struct fb_resources *units = &site->reading.units;
    long long left = 0;
    long long all = 0;

    if (!site->reading.has_nics)
        return "0";
    for (size_t i = 0; i < units->len; i++) {
        left += fb_resources_get(&site->free, units->at[i].name) > 0;
        all++;
    }
    if (site->reading.kind != FB_NIC_EACH) {
        left = (long long)fb_resources_get(&site->free, units->at[0].name);
        all = (long long)units->at[0].amount;
    }
    return fb_arena_print(arena, "%lld/%lld", left, all);
}

static const char *resource_text(struct fb_arena *arena, const struct fb_reading *reading)
{
    if (!reading->has_nics)
        return "-";
    if (reading->units.len > 1)
        return fb_arena_print(arena, "%s+%zu", reading->units.at[0].name, reading->units.len - 1);
    if (reading->kind == FB_NIC_SLOT)
        return fb_arena_print(arena, "%s (seats)", reading->units.at[0].name);
    return reading->units.at[0].name;
}

static const char *problems_text(struct fb_arena *arena, const struct fb_reading *reading)
{
    const char *text = "";

    for (int p = 0; text != NULL && p < FB_PROBLEMS; p++) {
        if (fb_reading_has(reading, (enum fb_problem)p))
            text = fb_arena_print(arena, "%s%s%s", text, *text != '\0' ? " " : "",
                                  fb_problem_code((enum fb_problem)p));
    }
    return text;
}

static enum fb_status add_row(struct fb_table *table, struct fb_arena *arena,
                              const struct fb_site *site, struct fb_error *err)
{
    const struct fb_reading *reading = &site->reading;
    char ratio[FB_RATIO_TEXT];
    struct fb_cell cells[COLUMNS] = {
        {site->node->name, FB_STYLE_BOLD},
        {shape_text(reading), FB_STYLE_PLAIN},
        {gpus_text(arena, site), FB_STYLE_PLAIN},
        {nics_text(arena, site), FB_STYLE_PLAIN},
        {reading->ratio.den != 0
             ? fb_arena_print(arena, "%s", fb_ratio_format(reading->ratio, ratio))
             : "-",
         FB_STYLE_PLAIN},
        {resource_text(arena, reading), FB_STYLE_PLAIN},
        {reading->boundary.key != NULL ? reading->boundary.value : "-", FB_STYLE_DIM},
        {problems_text(arena, reading), FB_STYLE_WARN},
    };

    return fb_table_add(table, cells, err);
}

enum fb_status fb_command_nodes(struct fb_inputs *in, const struct fb_command_context *context,
                                bool *ret_yes, struct fb_error *err)
{
    struct fb_json json = {0};
    struct fb_table table;
    enum fb_status st = FB_OK;

    *ret_yes = true;
    if (context->options->output != FB_OUTPUT_TABLE) {
        fb_report_nodes(&json, &in->cluster);
        return fb_command_print(context, &json, err);
    }
    fb_table_init(&table, in->arena, columns, COLUMNS);
    for (size_t i = 0; st == FB_OK && i < in->cluster.sites_len; i++)
        st = add_row(&table, in->arena, &in->cluster.sites[i], err);
    if (st == FB_OK)
        st = fb_table_print(&table, context->terminal, context->out, err);
    return st;
}
