/* SPDX-License-Identifier: Apache-2.0 */
#include "volcano_read.h"

#include "fabricbind/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATHS_MAX FB_AT_SPAN

/* Below the body. */
static const struct fb_scan_path task_paths[] = {
    {"", FB_AT_BODY},
    {"task", FB_AT_TASK},
    {"task.UID", FB_AT_TASK_UID},
    {"task.NodeName", FB_AT_TASK_NODE},
    {"task.Status", FB_AT_TASK_STATUS},
};

/* Below a node. */
static const struct fb_scan_path node_paths[] = {
    {"", FB_AT_NODE},
    {"Name", FB_AT_NODE_NAME},
    {"Idle", FB_AT_IDLE},
    {"Releasing", FB_AT_RELEASING},
    {"Pipelined", FB_AT_PIPELINED},
    {"Tasks", FB_AT_TASKS},
    {"Tasks.*", FB_AT_ON},
    {"Tasks.*.Status", FB_AT_ON_STATUS},
};

/* Below an amount of a node, counted from the amount itself. */
static const struct fb_scan_path amount_paths[] = {
    {"MilliCPU", FB_AT_IDLE_CPU - FB_AT_IDLE},
    {"Memory", FB_AT_IDLE_MEMORY - FB_AT_IDLE},
    {"ScalarResources", FB_AT_IDLE_SCALARS - FB_AT_IDLE},
    {"ScalarResources.*", FB_AT_IDLE_SCALAR - FB_AT_IDLE},
};

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

/* The rows of a format while they are collected; texts live in an arena until they are compiled. */
struct rows {
    struct fb_arena *arena;
    struct fb_scan_path at[PATHS_MAX];
    size_t len;
    bool failed;
};

static void add(struct rows *rows, const char *prefix, const char *path, int id)
{
    const char *point = *prefix != '\0' && *path != '\0' ? "." : "";
    const char *text = fb_arena_print(rows->arena, "%s%s%s", prefix, point, path);

    if (text == NULL || rows->len == PATHS_MAX) {
        rows->failed = true;
        return;
    }
    rows->at[rows->len++] = (struct fb_scan_path){text, id};
}

/* Rows of a mount below @prefix, whose numbers follow those of all rows so far. */
static enum fb_status add_mount(struct rows *rows, const char *prefix, enum fb_kind kind,
                                int first_id, struct fb_object_mount **ret, struct fb_error *err)
{
    size_t len;
    const struct fb_scan_path *paths;
    enum fb_status st = fb_object_mount_new(prefix, FB_KIND_BIT(kind), first_id, ret, err);

    if (st != FB_OK)
        return st;
    paths = fb_object_mount_paths(*ret, &len);
    for (size_t i = 0; i < len; i++)
        add(rows, "", paths[i].path, paths[i].id);
    return FB_OK;
}

static void add_node(struct rows *rows, const char *prefix)
{
    static const struct {
        const char *name;
        int id;
    } amounts[] = {
        {"Idle", FB_AT_IDLE}, {"Releasing", FB_AT_RELEASING}, {"Pipelined", FB_AT_PIPELINED}};

    for (size_t i = 0; i < LEN(node_paths); i++)
        add(rows, prefix, node_paths[i].path, node_paths[i].id);
    for (size_t a = 0; a < LEN(amounts); a++) {
        const char *below = fb_arena_print(rows->arena, "%s.%s", prefix, amounts[a].name);

        for (size_t i = 0; below != NULL && i < LEN(amount_paths); i++)
            add(rows, below, amount_paths[i].path, amounts[a].id + amount_paths[i].id);
        rows->failed = rows->failed || below == NULL;
    }
}

static enum fb_status add_node_mounts(struct rows *rows, const char *prefix,
                                      struct fb_volcano_format *format, struct fb_error *err)
{
    char path[32];
    enum fb_status st;

    (void)snprintf(path, sizeof path, "%s.Node", prefix);
    st = add_mount(rows, path, FB_KIND_NODE, FB_AT_OBJECT, &format->node, err);
    if (st != FB_OK)
        return st;
    (void)snprintf(path, sizeof path, "%s.Tasks.*.Pod", prefix);
    return add_mount(rows, path, FB_KIND_POD, FB_AT_ON_POD, &format->pods, err);
}

/* @node: where a node stands, NULL for bodies without. */
static enum fb_status make_format(const char *node, struct fb_volcano_format *format,
                                  struct fb_error *err)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct rows rows = {.arena = arena};
    enum fb_status st;

    if (arena == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    for (size_t i = 0; i < LEN(task_paths); i++)
        add(&rows, "", task_paths[i].path, task_paths[i].id);
    st = add_mount(&rows, "task.Pod", FB_KIND_POD, FB_AT_TASK_POD, &format->task_pod, err);
    if (st == FB_OK && node != NULL) {
        add_node(&rows, node);
        st = add_node_mounts(&rows, node, format, err);
    }
    if (st != FB_OK)
        return st;
    if (rows.failed)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return fb_scan_paths_new(rows.at, rows.len, &format->paths, err);
}

static void fini_format(struct fb_volcano_format *format)
{
    fb_scan_paths_free(format->paths);
    fb_object_mount_free(format->task_pod);
    fb_object_mount_free(format->node);
    fb_object_mount_free(format->pods);
}

enum fb_status fb_volcano_formats_new(struct fb_volcano_formats **ret, struct fb_error *err)
{
    FB_OWNED(fb_volcano_formats_freep)
    struct fb_volcano_formats *formats = calloc(1, sizeof *formats);
    enum fb_status st;

    if (formats == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = make_format(NULL, &formats->task, err);
    if (st == FB_OK)
        st = make_format("node", &formats->predicate, err);
    if (st == FB_OK)
        st = make_format("nodes[]", &formats->prioritize, err);
    if (st == FB_OK)
        *ret = FB_TAKE(formats);
    return st;
}

void fb_volcano_formats_free(struct fb_volcano_formats *formats)
{
    if (formats == NULL)
        return;
    fini_format(&formats->task);
    fini_format(&formats->predicate);
    fini_format(&formats->prioritize);
    free(formats);
}

void fb_volcano_formats_freep(struct fb_volcano_formats **formats)
{
    fb_volcano_formats_free(*formats);
}

const struct fb_volcano_format *fb_volcano_format_of(const struct fb_volcano_formats *formats,
                                                     enum fb_volcano_verb verb)
{
    if (verb == FB_VOLCANO_PREDICATE)
        return &formats->predicate;
    return verb == FB_VOLCANO_PRIORITIZE ? &formats->prioritize : &formats->task;
}
