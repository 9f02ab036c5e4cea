/* SPDX-License-Identifier: Apache-2.0 */
#include "outfits.h"

#include "fabricbind/jsontext.h"
#include "fabricbind/report.h"

#include <string.h>

static const char *node_of(const struct fb_inputs *in, const struct fb_place *place)
{
    return in->cluster.sites[place->site].node->name;
}

/* Texts of several lines are shown as they are, control characters aside. */
static enum fb_status print_text(const struct fb_command_context *context, const char *text,
                                 struct fb_error *err)
{
    for (const char *at = text; *at != '\0'; at++) {
        int c = (unsigned char)*at < ' ' && *at != '\n' ? '?' : (unsigned char)*at;

        if (fputc(c, context->out) == EOF)
            return fb_error_set(err, FB_EIO, "standard output: cannot write");
    }
    return FB_OK;
}

static enum fb_status print_part(const struct fb_command_context *context, const char *heading,
                                 const char *text, struct fb_error *err)
{
    enum fb_status st;

    if (text == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    if (fprintf(context->out, "\n%s:\n", heading) < 0)
        return fb_error_set(err, FB_EIO, "standard output: cannot write");
    st = print_text(context, *text != '\0' ? text : "nothing", err);
    if (st == FB_OK && (*text == '\0' || text[strlen(text) - 1] != '\n') &&
        fputc('\n', context->out) == EOF)
        return fb_error_set(err, FB_EIO, "standard output: cannot write");
    return st;
}

/* "+ /spec/containers/0/env/0 {...}", an operation a line. */
static const char *patch_text(struct fb_arena *arena, const struct fb_patch *patch)
{
    struct fb_jsontext text = {.arena = arena};

    for (size_t i = 0; i < patch->len; i++) {
        fb_jsontext_raw(&text, patch->at[i].path);
        fb_jsontext_raw(&text, " ");
        fb_jsontext_raw(&text, patch->at[i].value);
        fb_jsontext_raw(&text, "\n");
    }
    return fb_jsontext_done(&text);
}

static enum fb_status print_profile(const struct fb_command_context *context,
                                    const struct fb_profile *profile, struct fb_error *err)
{
    enum fb_status st;

    if (profile->profile == NULL)
        return FB_OK;
    st = print_part(context, "At bind, " FB_PROFILE_KEY, profile->profile, err);
    if (st == FB_OK)
        st = print_part(context, "At bind, " FB_PROFILE_CONF_KEY, profile->conf, err);
    return st == FB_OK ? print_part(context, "At bind, " FB_PROFILE_TOPO_KEY, profile->topo, err)
                       : st;
}

static enum fb_status print_pod(struct fb_inputs *in, const struct fb_planned *planned,
                                size_t place, const struct fb_command_context *context,
                                struct fb_error *err)
{
    const struct fb_place *at = &planned->plan.placements[place];
    const struct fb_outfit_task *task = &planned->outfit.tasks[at->task];
    enum fb_status st;

    st = fb_command_line(context, in->arena,
                         fb_arena_print(in->arena, "%s of %s, task %s, on %s", at->pod,
                                        planned->plan.name, planned->plan.job->tasks[at->task].name,
                                        node_of(in, at)),
                         err);
    if (st == FB_OK)
        st = print_part(context, "At creation, added",
                        task->denied != NULL ? task->denied
                                             : patch_text(in->arena, &task->injection.patch),
                        err);
    return st == FB_OK ? print_profile(context, &planned->outfit.profiles[place], err) : st;
}

static enum fb_status print_json(struct fb_inputs *in, const struct fb_planned *planned,
                                 size_t place, const struct fb_command_context *context,
                                 struct fb_error *err)
{
    struct fb_json json = {0};

    fb_report_pod(&json, &in->cluster, &planned->plan, &planned->outfit, place);
    return fb_command_print(context, &json, err);
}

enum fb_status fb_outfits_explain(struct fb_inputs *in, const struct fb_planned_list *all,
                                  const struct fb_command_context *context, struct fb_error *err)
{
    const char *name = context->options->explain_pod;

    for (size_t i = 0; i < all->len; i++) {
        const struct fb_plan *plan = &all->at[i].plan;

        for (size_t p = 0; p < plan->placements_len; p++) {
            if (strcmp(plan->placements[p].pod, name) != 0)
                continue;
            return context->options->output == FB_OUTPUT_TABLE
                       ? print_pod(in, &all->at[i], p, context, err)
                       : print_json(in, &all->at[i], p, context, err);
        }
    }
    return fb_error_set(err, FB_ENOTFOUND, "--explain-pod: no pod %s has a place in the plan",
                        name);
}
