/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "outfits.h"
#include "table.h"

#include "fabricbind/plan.h"
#include "fabricbind/report.h"

#include <string.h>

/* A row of reasons names this many nodes; the rest is counted. */
#define NAMED 4

static const struct fb_column place_columns[] = {
    {"POD", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 16},  {"NODE", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 12},
    {"NICS", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 10}, {"SCORE", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 5},
    {"SWITCHES", FB_SIDE_LEFT, FB_GIVE_END, 8},
};

static const struct fb_column reason_columns[] = {
    {"TASK", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 14},   {"VERDICT", FB_SIDE_LEFT, FB_GIVE_NOTHING, 8},
    {"NODES", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 5}, {"WHICH", FB_SIDE_LEFT, FB_GIVE_END, 12},
    {"REASON", FB_SIDE_LEFT, FB_GIVE_WRAP, 32},
};

#define PLACE_COLUMNS (sizeof place_columns / sizeof place_columns[0])
#define REASON_COLUMNS (sizeof reason_columns / sizeof reason_columns[0])

static const char *fabric_name(const struct fb_cluster *cluster, size_t fabric)
{
    return fabric != FB_NONE ? cluster->fabrics[fabric].name : "no fabric";
}

static const char *nics_text(struct fb_arena *arena, const struct fb_resources *nics)
{
    if (nics->len == 0)
        return "-";
    if (nics->len > 1)
        return fb_arena_print(arena, "1 %s+%zu", nics->at[0].name, nics->len - 1);
    return fb_arena_print(arena, "%lld %s", (long long)nics->at[0].amount, nics->at[0].name);
}

/* The nearest switch first: what is cut off at the end matters least. */
static const char *switches_text(struct fb_arena *arena, const struct fb_reading *reading)
{
    const char *text = NULL;

    for (size_t i = reading->tiers.len; i > 0; i--) {
        const char *name = reading->tiers.at[i - 1].value;

        text = text == NULL ? name : fb_arena_print(arena, "%s < %s", text, name);
        if (text == NULL)
            return NULL;
    }
    return text != NULL ? text : "-";
}

static enum fb_status print_places(struct fb_inputs *in, const struct fb_plan *plan,
                                   const struct fb_command_context *context, struct fb_error *err)
{
    struct fb_table table;
    enum fb_status st = FB_OK;

    if (plan->placements_len == 0)
        return FB_OK;
    fb_table_init(&table, in->arena, place_columns, PLACE_COLUMNS);
    for (size_t i = 0; st == FB_OK && i < plan->placements_len; i++) {
        const struct fb_place *place = &plan->placements[i];
        const struct fb_site *site = &in->cluster.sites[place->site];
        struct fb_cell cells[PLACE_COLUMNS] = {
            {place->pod, FB_STYLE_BOLD},
            {site->node->name, FB_STYLE_GOOD},
            {nics_text(in->arena, &place->nics), FB_STYLE_PLAIN},
            {fb_arena_print(in->arena, "%.3f", place->score), FB_STYLE_PLAIN},
            {switches_text(in->arena, &site->reading), FB_STYLE_DIM},
        };

        st = fb_table_add(&table, cells, err);
    }
    return st == FB_OK ? fb_table_print(&table, context->terminal, context->out, err) : st;
}

/* Nodes of one verdict and reason for one task. */
struct reason {
    const char *task, *verdict, *text, *nodes;
    enum fb_style style;
    size_t count;
};

struct reasons {
    struct reason *at;
    size_t len, size;
};

/* What a node that could take the pod is not taken for. */
static const char *fitting_text(const struct fb_cluster *cluster, const struct fb_plan *plan,
                                size_t site)
{
    if (plan->has_gang && plan->gang_fabric != FB_NONE &&
        cluster->sites[site].fabric != plan->gang_fabric)
        return "not the fabric that was chosen";
    return plan->gang_fabric != FB_NONE || !plan->has_gang ? "not needed" : "too few of these";
}

static struct reason *find(struct reasons *all, const char *task, const char *text)
{
    for (size_t i = 0; i < all->len; i++) {
        if (strcmp(all->at[i].task, task) == 0 && strcmp(all->at[i].text, text) == 0)
            return &all->at[i];
    }
    return NULL;
}

static enum fb_status note(struct fb_arena *arena, struct reasons *all, const struct reason *what,
                           const char *node)
{
    struct reason *known = find(all, what->task, what->text);
    struct reason *at;

    if (known != NULL) {
        if (known->count++ < NAMED)
            known->nodes = fb_arena_print(arena, "%s, %s", known->nodes, node);
        return known->nodes != NULL ? FB_OK : FB_ENOMEM;
    }
    at = fb_arena_more(arena, all->at, all->len, &all->size, sizeof *at);
    if (at == NULL)
        return FB_ENOMEM;
    all->at = at;
    at[all->len] = *what;
    at[all->len].nodes = node;
    at[all->len++].count = 1;
    return FB_OK;
}

static enum fb_status note_site(struct fb_inputs *in, const struct fb_plan *plan, size_t task,
                                size_t site, struct reasons *all)
{
    static const enum fb_style styles[] = {FB_STYLE_GOOD, FB_STYLE_WARN, FB_STYLE_BAD,
                                           FB_STYLE_DIM};
    const struct fb_verdict *verdict = &plan->verdicts[site * plan->job->tasks_len + task];
    struct reason reason = {
        .task = plan->job->tasks[task].name,
        .verdict = fb_verdict_name(verdict->kind),
        .style = styles[verdict->kind],
    };
    char text[FB_VERDICT_TEXT];

    if (verdict->kind == FB_FITS)
        reason.text = fitting_text(&in->cluster, plan, site);
    else
        reason.text = fb_arena_print(in->arena, "%s", fb_verdict_text(verdict, text));
    if (reason.text == NULL)
        return FB_ENOMEM;
    return note(in->arena, all, &reason, in->cluster.sites[site].node->name);
}

static bool alike(const struct reason *a, const struct reason *b)
{
    return a->count == b->count && strcmp(a->verdict, b->verdict) == 0 &&
           strcmp(a->text, b->text) == 0 && strcmp(a->nodes, b->nodes) == 0;
}

/* Tasks that meet the same reasons on the same nodes share a row. */
static enum fb_status merge(struct fb_arena *arena, struct reasons *all)
{
    size_t kept = 0;

    for (size_t i = 0; i < all->len; i++) {
        size_t like = 0;

        while (like < kept && !alike(&all->at[like], &all->at[i]))
            like++;
        if (like == kept) {
            all->at[kept++] = all->at[i];
            continue;
        }
        all->at[like].task = fb_arena_print(arena, "%s, %s", all->at[like].task, all->at[i].task);
        if (all->at[like].task == NULL)
            return FB_ENOMEM;
    }
    all->len = kept;
    return FB_OK;
}

static enum fb_status add_reason(struct fb_inputs *in, struct fb_table *table,
                                 const struct reason *reason, struct fb_error *err)
{
    const char *nodes = reason->nodes;

    if (reason->count > NAMED)
        nodes = fb_arena_print(in->arena, "%s and %zu more", nodes, reason->count - NAMED);
    struct fb_cell cells[REASON_COLUMNS] = {
        {reason->task, FB_STYLE_BOLD},
        {reason->verdict, reason->style},
        {fb_arena_print(in->arena, "%zu", reason->count), FB_STYLE_PLAIN},
        {nodes, FB_STYLE_DIM},
        {reason->text, FB_STYLE_PLAIN},
    };

    return fb_table_add(table, cells, err);
}

/* Why no pod is on the nodes that are not taken. */
static enum fb_status print_reasons(struct fb_inputs *in, const struct fb_plan *plan,
                                    const struct fb_command_context *context, struct fb_error *err)
{
    struct reasons all = {0};
    struct fb_table table;
    enum fb_status st = FB_OK;

    for (size_t t = 0; st == FB_OK && t < plan->job->tasks_len; t++) {
        for (size_t s = 0; st == FB_OK && s < in->cluster.sites_len; s++) {
            if (!plan->chosen[s])
                st = note_site(in, plan, t, s, &all);
        }
    }
    if (st != FB_OK)
        return fb_error_set(err, st, "out of memory");
    st = merge(in->arena, &all);
    if (st != FB_OK || all.len == 0)
        return st;
    if (fputs("\nOther nodes:\n", context->out) == EOF)
        return fb_error_set(err, FB_EIO, "standard output: cannot write");
    fb_table_init(&table, in->arena, reason_columns, REASON_COLUMNS);
    for (size_t i = 0; st == FB_OK && i < all.len; i++)
        st = add_reason(in, &table, &all.at[i], err);
    return st == FB_OK ? fb_table_print(&table, context->terminal, context->out, err) : st;
}

static const char *headline(struct fb_inputs *in, const struct fb_plan *plan)
{
    long long pods = (long long)plan->pods;

    if (!plan->fits)
        return fb_arena_print(in->arena, "%s: %lld pods, does not fit", plan->name, pods);
    if (!plan->has_gang)
        return fb_arena_print(in->arena, "%s: %lld pods, fits", plan->name, pods);
    return fb_arena_print(
        in->arena, "%s: %lld pods, fits; gang of %lld in %zu switch block%s of %s", plan->name,
        pods, (long long)plan->gang_pods, plan->blocks, plan->blocks == 1 ? "" : "s",
        fabric_name(&in->cluster, plan->gang_fabric));
}

static enum fb_status print_plan(struct fb_inputs *in, const struct fb_plan *plan,
                                 const struct fb_command_context *context, struct fb_error *err)
{
    const char *text = headline(in, plan);
    enum fb_status st;

    if (text == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = fb_command_line(context, in->arena, text, err);
    if (st == FB_OK && plan->fits && plan->left_out > 0)
        st = fb_command_line(context, in->arena,
                             fb_arena_print(in->arena, "%lld pods beyond minAvailable wait",
                                            (long long)plan->left_out),
                             err);
    for (size_t i = 0; st == FB_OK && i < plan->warnings.len; i++)
        st = fb_command_line(context, in->arena,
                             fb_arena_print(in->arena, "warning: %s", plan->warnings.at[i]), err);
    if (st == FB_OK)
        st = print_places(in, plan, context, err);
    return st == FB_OK ? print_reasons(in, plan, context, err) : st;
}

/* The one line that says why a job does not fit; also when standard output is for a machine. */
static void say_why(const struct fb_inputs *in, const struct fb_plan *plan)
{
    if (plan->is_short && plan->short_fabric != FB_NONE)
        (void)fprintf(stderr,
                      "fabricbind: %s: %lld of %lld pods do not fit: too few %s, most are taken by "
                      "%s: %lld\n",
                      plan->name, (long long)plan->short_pods, (long long)plan->pods,
                      plan->short_resource != NULL ? plan->short_resource : "nodes",
                      fabric_name(&in->cluster, plan->short_fabric), (long long)plan->short_takes);
    else if (plan->is_short)
        (void)fprintf(stderr, "fabricbind: %s: %lld of %lld pods do not fit: too few %s\n",
                      plan->name, (long long)plan->short_pods, (long long)plan->pods,
                      plan->short_resource != NULL ? plan->short_resource : "nodes");
    else if (plan->warnings.len > 0)
        (void)fprintf(stderr, "fabricbind: %s: %s\n", plan->name, plan->warnings.at[0]);
}

static enum fb_status print_json(struct fb_inputs *in, const struct fb_planned_list *all,
                                 const struct fb_command_context *context, struct fb_error *err)
{
    struct fb_json json = {0};
    void *list = fb_report_plans(&json, all->len);

    for (size_t i = 0; i < all->len; i++)
        fb_report_plan(&json, list, &in->cluster, &all->at[i].plan, &all->at[i].outfit);
    return fb_command_print(context, &json, err);
}

static enum fb_status print_all(struct fb_inputs *in, const struct fb_planned_list *all,
                                const struct fb_command_context *context, struct fb_error *err)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < all->len; i++) {
        if (i > 0 && fputs("\n", context->out) == EOF)
            return fb_error_set(err, FB_EIO, "standard output: cannot write");
        st = print_plan(in, &all->at[i].plan, context, err);
        if (st == FB_OK)
            st = fb_outfits_print(in, &all->at[i], context, err);
    }
    return st;
}

enum fb_status fb_command_plan(struct fb_inputs *in, const struct fb_command_context *context,
                               bool *ret_yes, struct fb_error *err)
{
    struct fb_planned_list all = {0};
    enum fb_status st = fb_outfits_make(in, context->options, &all, err);

    if (st != FB_OK)
        return st;
    if (context->options->explain_pod != NULL)
        st = fb_outfits_explain(in, &all, context, err);
    else if (context->options->output != FB_OUTPUT_TABLE)
        st = print_json(in, &all, context, err);
    else
        st = print_all(in, &all, context, err);
    *ret_yes = true;
    for (size_t i = 0; st == FB_OK && i < all.len; i++) {
        if (!all.at[i].plan.fits) {
            *ret_yes = false;
            say_why(in, &all.at[i].plan);
        }
    }
    return st;
}
