/* SPDX-License-Identifier: Apache-2.0 */
#include "outfits.h"
#include "table.h"

#include <string.h>

static const struct fb_column columns[] = {
    {"TASK", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 12},
    {"AT CREATION", FB_SIDE_LEFT, FB_GIVE_WRAP, 40},
};

#define COLUMNS (sizeof columns / sizeof columns[0])

/* Parts of a pod by where a patch touches it. */
static const struct part {
    const char *infix, *name; /* one segment of the pointer; what it is called for many */
} parts[] = {
    {"/env/", "variables"},
    {"/volumeMounts/", "mounts"},
    {"/capabilities/add/", "capabilities"},
    {"/spec/volumes/", "volumes"},
    {"/spec/initContainers/", "sidecars"},
    {"/metadata/annotations/", "annotations"},
    {"/matchExpressions/", "pins"},
};

#define PARTS (sizeof parts / sizeof parts[0])

static size_t part_of(const char *path)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (strstr(path, parts[i].infix) != NULL)
            return i;
    }
    return PARTS;
}

static const char *count_text(struct fb_arena *arena, const struct fb_patch *patch)
{
    size_t counts[PARTS + 1] = {0};
    const char *text = "";

    for (size_t i = 0; i < patch->len; i++)
        counts[part_of(patch->at[i].path)]++;
    for (size_t i = 0; text != NULL && i < PARTS; i++) {
        if (counts[i] > 0)
            text = fb_arena_print(arena, "%s%s%s %zu", text, *text != '\0' ? ", " : "",
                                  parts[i].name, counts[i]);
    }
    return text;
}

/* Amounts that are requested, as "32 <resource>": the last segment of the pointer unescaped. */
static const char *request_text(struct fb_arena *arena, const struct fb_patch *patch,
                                const char *text)
{
    static const char infix[] = "/resources/requests/";

    for (size_t i = 0; text != NULL && i < patch->len; i++) {
        const char *at = strstr(patch->at[i].path, infix);
        const char *slash = at != NULL ? strstr(at, "~1") : NULL;

        if (slash == NULL)
            continue;
        at += strlen(infix);
        text = fb_arena_print(arena, "%.*s %.*s/%s%s%s", (int)strcspn(patch->at[i].value + 1, "\""),
                              patch->at[i].value + 1, (int)(slash - at), at, slash + 2,
                              *text != '\0' ? ", " : "", text);
    }
    return text;
}

static const char *creation_text(struct fb_arena *arena, const struct fb_outfit_task *task)
{
    const char *text;

    if (task->denied != NULL)
        return fb_arena_print(arena, "denied: %s", task->denied);
    text = request_text(arena, &task->injection.patch, count_text(arena, &task->injection.patch));
    for (size_t i = 0; text != NULL && i < task->injection.degraded.len; i++)
        text = fb_arena_print(arena, "%s; left out: %s", text, task->injection.degraded.at[i]);
    for (size_t i = 0; text != NULL && i < task->injection.warnings.len; i++)
        text = fb_arena_print(arena, "%s; warning: %s", text, task->injection.warnings.at[i]);
    return text != NULL && *text == '\0' ? "nothing" : text;
}

static size_t lines(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

/* One line for the pods that are bound with a profile. */
static enum fb_status print_binding(struct fb_inputs *in, const struct fb_planned *planned,
                                    const struct fb_command_context *context, struct fb_error *err)
{
    const struct fb_profile *first = NULL;
    size_t pods = 0;

    for (size_t i = 0; i < planned->plan.placements_len; i++) {
        const struct fb_profile *profile = &planned->outfit.profiles[i];

        if (profile->profile == NULL)
            continue;
        if (first == NULL)
            first = profile;
        pods++;
    }
    if (first == NULL)
        return FB_OK;
    return fb_command_line(
        context, in->arena,
        fb_arena_print(in->arena,
                       "At bind: %zu pod%s their node's profile, nccl.conf of %zu line%s%s; "
                       "--explain-pod shows one",
                       pods, pods == 1 ? " gets" : "s get", lines(first->conf),
                       lines(first->conf) == 1 ? "" : "s",
                       *first->topo != '\0' ? " and topology file" : ""),
        err);
}

/* Tasks that get the same share a row: the names of those like @first, NULL if it had one before.
 */
static const char *tasks_like(struct fb_arena *arena, const struct fb_planned *planned,
                              const char *const *texts, size_t first)
{
    const struct fb_job *job = planned->plan.job;
    const char *names = job->tasks[first].name;

    for (size_t i = 0; i < first; i++) {
        if (texts[i] != NULL && strcmp(texts[i], texts[first]) == 0)
            return NULL;
    }
    for (size_t i = first + 1; names != NULL && i < job->tasks_len; i++) {
        if (texts[i] != NULL && strcmp(texts[i], texts[first]) == 0)
            names = fb_arena_print(arena, "%s, %s", names, job->tasks[i].name);
    }
    return names;
}

static enum fb_status print_creation(struct fb_inputs *in, const struct fb_planned *planned,
                                     const char *const *texts,
                                     const struct fb_command_context *context, struct fb_error *err)
{
    struct fb_table table;
    enum fb_status st = FB_OK;

    fb_table_init(&table, in->arena, columns, COLUMNS);
    for (size_t i = 0; st == FB_OK && i < planned->plan.job->tasks_len; i++) {
        struct fb_cell cells[COLUMNS] = {{NULL, FB_STYLE_BOLD}, {texts[i], FB_STYLE_PLAIN}};

        if (texts[i] == NULL)
            continue;
        cells[0].text = tasks_like(in->arena, planned, texts, i);
        if (cells[0].text != NULL)
            st = fb_table_add(&table, cells, err);
    }
    if (st != FB_OK || table.rows_len == 0)
        return st;
    if (fputs("\n", context->out) == EOF)
        return fb_error_set(err, FB_EIO, "standard output: cannot write");
    return fb_table_print(&table, context->terminal, context->out, err);
}

enum fb_status fb_outfits_print(struct fb_inputs *in, const struct fb_planned *planned,
                                const struct fb_command_context *context, struct fb_error *err)
{
    size_t tasks = planned->plan.job->tasks_len;
    const char **texts = fb_arena_alloc(in->arena, tasks * sizeof *texts);
    enum fb_status st;

    if (texts == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    for (size_t i = 0; i < tasks; i++) {
        if (planned->plan.networking[i] != FB_NETWORKING_NO)
            texts[i] = creation_text(in->arena, &planned->outfit.tasks[i]);
    }
    st = print_creation(in, planned, texts, context, err);
    return st == FB_OK ? print_binding(in, planned, context, err) : st;
}
