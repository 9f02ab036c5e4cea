/* SPDX-License-Identifier: Apache-2.0 */
#include "volcano_read.h"

#include "fabricbind/own.h"

#include <stdlib.h>
#include <string.h>

#define PODS_MAX 4096 /* of one node */

struct fb_volcano_reader {
    struct fb_volcano_reading how;
    struct fb_arena *scratch; /* a node's, used again for the next */
    const struct fb_volcano_format *format;
    struct fb_scan *scan;
    struct fb_object_reader *task_pod, *node, *pods; /* the last two NULL without nodes */
    struct fb_sight_task task;
    bool has_body, has_task;
    size_t nodes;
    /* The node under way. */
    struct fb_sight sight;
    struct fb_node *object; /* NULL: none yet */
    bool known;
    struct fb_sight_pod *on;
    size_t on_len, on_size;
    bool has_pod; /* the last of on is complete */
};

static enum fb_status no_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

static enum fb_status keep_task_pod(void *context, const struct fb_object *object,
                                    struct fb_error *err)
{
    struct fb_volcano_reader *reader = context;
    struct fb_pod *pod = fb_arena_alloc(reader->how.arena, sizeof *pod);

    if (pod == NULL)
        return no_memory(err);
    *pod = object->pod;
    reader->task.pod = pod;
    return FB_OK;
}

static enum fb_status keep_node(void *context, const struct fb_object *object, struct fb_error *err)
{
    struct fb_volcano_reader *reader = context;

    reader->object = fb_arena_alloc(reader->scratch, sizeof *reader->object);
    if (reader->object == NULL)
        return no_memory(err);
    *reader->object = object->node;
    return FB_OK;
}

static enum fb_status keep_pod(void *context, const struct fb_object *object, struct fb_error *err)
{
    struct fb_volcano_reader *reader = context;

    (void)err;
    if (reader->on_len > 0) {
        reader->on[reader->on_len - 1].pod = object->pod;
        reader->has_pod = true;
    }
    return FB_OK;
}

/* A string at a path that names one; null is none. */
static enum fb_status take_text(struct fb_arena *arena, const struct fb_scan_value *value,
                                const char **ret, struct fb_error *err)
{
    if (value->type == FB_SCAN_NULL) {
        *ret = "";
        return FB_OK;
    }
    if (value->type != FB_SCAN_STRING)
        return fb_error_set(err, FB_EINPUT, "not a string");
    *ret = fb_arena_text(arena, value->text, value->len);
    return *ret != NULL ? FB_OK : no_memory(err);
}

static enum fb_status begin_task(struct fb_volcano_reader *reader)
{
    reader->task = (struct fb_sight_task){.uid = "", .node = ""};
    reader->has_task = true;
    return FB_OK;
}

static enum fb_status begin_node(struct fb_volcano_reader *reader)
{
    fb_arena_reset(reader->scratch);
    fb_object_reader_reset(reader->node);
    fb_object_reader_reset(reader->pods);
    reader->sight = (struct fb_sight){.name = ""};
    reader->object = NULL;
    reader->known = false;
    reader->on = NULL;
    reader->on_len = 0;
    reader->on_size = 0;
    reader->has_pod = true;
    return FB_OK;
}

static void drop_incomplete(struct fb_volcano_reader *reader)
{
    if (reader->on_len > 0 && !reader->has_pod)
        reader->on_len--;
    reader->has_pod = true;
}

static enum fb_status end_node(struct fb_volcano_reader *reader, struct fb_error *err)
{
    drop_incomplete(reader);
    reader->nodes++;
    reader->sight.node = reader->object;
    reader->sight.pods = reader->on;
    reader->sight.pods_len = reader->on_len;
    if (*reader->sight.name == '\0' && reader->object != NULL)
        reader->sight.name = reader->object->name;
    if (*reader->sight.name == '\0')
        return fb_error_set(err, FB_EINPUT, "Name: missing");
    return reader->how.node(reader->how.context, &reader->sight, err);
}

static enum fb_status take_name(struct fb_volcano_reader *reader, const struct fb_scan_value *value,
                                struct fb_error *err)
{
    enum fb_status st = take_text(reader->scratch, value, &reader->sight.name, err);

    if (st == FB_OK && reader->how.knows != NULL && *reader->sight.name != '\0')
        reader->known = reader->how.knows(reader->how.context, reader->sight.name);
    return st;
}

static enum fb_status begin_pod(struct fb_volcano_reader *reader, struct fb_error *err)
{
    struct fb_sight_pod *at;

    drop_incomplete(reader);
    if (reader->on_len >= PODS_MAX)
        return fb_error_set(err, FB_ELIMIT, "more than %d tasks of one node", PODS_MAX);
    at = fb_arena_more(reader->scratch, reader->on, reader->on_len, &reader->on_size, sizeof *at);
    if (at == NULL)
        return no_memory(err);
    reader->on = at;
    at[reader->on_len++] = (struct fb_sight_pod){.status = 0};
    reader->has_pod = false;
    return FB_OK;
}

/* An object where one is wanted: null is none, anything else is refused. */
static enum fb_status want_object(const struct fb_scan_value *value, bool *ret_begins,
                                  struct fb_error *err)
{
    *ret_begins = value->type == FB_SCAN_OBJECT;
    if (*ret_begins || value->type == FB_SCAN_END || value->type == FB_SCAN_NULL)
        return FB_OK;
    return fb_error_set(err, FB_EINPUT, "not an object");
}

static struct fb_resources *amounts_of(struct fb_volcano_reader *reader, int id)
{
    if (id >= FB_AT_PIPELINED)
        return &reader->sight.pipelined;
    return id >= FB_AT_RELEASING ? &reader->sight.releasing : &reader->sight.idle;
}

static enum fb_status put_amount(struct fb_volcano_reader *reader, struct fb_resources *amounts,
                                 const struct fb_scan_value *value, int id, struct fb_error *err)
{
    const char *name = "cpu";
    bool thousandths = false;
    int64_t amount;
    enum fb_status st;

    if (id == FB_AT_IDLE_MEMORY)
        name = "memory";
    if (id == FB_AT_IDLE_SCALAR) {
        name = fb_arena_text(reader->scratch, value->key, value->key_len);
        thousandths = strcmp(value->key, "pods") != 0;
    }
    if (name == NULL)
        return no_memory(err);
    st = fb_volcano_amount(value, thousandths, &amount, err);
    if (st == FB_OK && fb_resources_set(reader->scratch, amounts, name, amount) != FB_OK)
        return no_memory(err);
    return st;
}

static enum fb_status take_amount(struct fb_volcano_reader *reader,
                                  const struct fb_scan_value *value, struct fb_error *err)
{
    int stride = FB_AT_RELEASING - FB_AT_IDLE;
    int id = FB_AT_IDLE + (value->id - FB_AT_IDLE) % stride;
    struct fb_resources *amounts = amounts_of(reader, value->id);
    bool begins;
    enum fb_status st;

    if (id != FB_AT_IDLE && id != FB_AT_IDLE_SCALARS)
        return put_amount(reader, amounts, value, id, err);
    st = want_object(value, &begins, err);
    if (st == FB_OK && begins && id == FB_AT_IDLE)
        *amounts = (struct fb_resources){0};
    return st;
}

static enum fb_status take_object(struct fb_volcano_reader *reader,
                                  const struct fb_scan_value *value, struct fb_error *err)
{
    bool begins;
    enum fb_status st = want_object(value, &begins, err);

    if (st != FB_OK)
        return st;
    if (value->id == FB_AT_NODE && value->type == FB_SCAN_END)
        return end_node(reader, err);
    if (!begins)
        return FB_OK;
    switch (value->id) {
    case FB_AT_BODY:
        reader->has_body = true;
        return FB_OK;
    case FB_AT_TASK:
        return begin_task(reader);
    case FB_AT_NODE:
        return begin_node(reader);
    case FB_AT_TASKS:
        reader->on_len = 0;
        reader->has_pod = true;
        return FB_OK;
    default:
        return begin_pod(reader, err);
    }
}

static enum fb_status take_own(struct fb_volcano_reader *reader, const struct fb_scan_value *value,
                               struct fb_error *err)
{
    switch (value->id) {
    case FB_AT_TASK_UID:
        return take_text(reader->how.arena, value, &reader->task.uid, err);
    case FB_AT_TASK_NODE:
        return take_text(reader->how.arena, value, &reader->task.node, err);
    case FB_AT_TASK_STATUS:
        return fb_volcano_amount(value, false, &reader->task.status, err);
    case FB_AT_NODE_NAME:
        return take_name(reader, value, err);
    case FB_AT_ON_STATUS:
        return reader->on_len > 0
                   ? fb_volcano_amount(value, false, &reader->on[reader->on_len - 1].status, err)
                   : FB_OK;
    default:
        break;
    }
    if (value->id >= FB_AT_IDLE && value->id < FB_AT_TASKS)
        return take_amount(reader, value, err);
    return take_object(reader, value, err);
}

static enum fb_status found(void *context, const struct fb_scan_value *value, struct fb_error *err)
{
    struct fb_volcano_reader *reader = context;

    if (value->id < FB_AT_TASK_POD)
        return take_own(reader, value, err);
    if (value->id < FB_AT_OBJECT)
        return fb_object_reader_take(reader->task_pod, value, err);
    if (value->id >= FB_AT_ON_POD)
        return fb_object_reader_take(reader->pods, value, err);
    if (reader->known) {
        if (value->type == FB_SCAN_OBJECT)
            fb_scan_skip(reader->scan);
        return FB_OK;
    }
    return fb_object_reader_take(reader->node, value, err);
}

static enum fb_status make_reader(struct fb_arena *arena, const struct fb_object_mount *mount,
                                  enum fb_kind kind, fb_object_found keep, void *context,
                                  struct fb_object_reader **ret)
{
    *ret = fb_object_reader_new(arena, mount, keep, context);
    if (*ret == NULL)
        return FB_ENOMEM;
    fb_object_reader_assume(*ret, kind);
    return FB_OK;
}

/* The readers of one format; those of nodes only where it has nodes. */
static enum fb_status make_readers(struct fb_volcano_reader *reader)
{
    const struct fb_volcano_format *format = reader->format;
    enum fb_status st = make_reader(reader->how.arena, format->task_pod, FB_KIND_POD, keep_task_pod,
                                    reader, &reader->task_pod);

    if (st != FB_OK || format->node == NULL)
        return st;
    st = make_reader(reader->scratch, format->node, FB_KIND_NODE, keep_node, reader, &reader->node);
    return st == FB_OK ? make_reader(reader->scratch, format->pods, FB_KIND_POD, keep_pod, reader,
                                     &reader->pods)
                       : st;
}

enum fb_status fb_volcano_reader_new(const struct fb_volcano_formats *formats,
                                     const struct fb_volcano_reading *how,
                                     struct fb_volcano_reader **ret, struct fb_error *err)
{
    FB_OWNED(fb_volcano_reader_freep) struct fb_volcano_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL)
        return no_memory(err);
    reader->how = *how;
    reader->format = fb_volcano_format_of(formats, how->verb);
    reader->task = (struct fb_sight_task){.uid = "", .node = ""};
    reader->scratch = fb_arena_new_small(0);
    if (reader->scratch == NULL || make_readers(reader) != FB_OK)
        return no_memory(err);
    reader->scan = fb_scan_new(reader->format->paths, how->limits, found, reader);
    if (reader->scan == NULL)
        return no_memory(err);
    *ret = FB_TAKE(reader);
    return FB_OK;
}

void fb_volcano_reader_free(struct fb_volcano_reader *reader)
{
    if (reader == NULL)
        return;
    fb_scan_free(reader->scan);
    fb_object_reader_free(reader->task_pod);
    fb_object_reader_free(reader->node);
    fb_object_reader_free(reader->pods);
    fb_arena_free(reader->scratch);
    free(reader);
}

void fb_volcano_reader_freep(struct fb_volcano_reader **reader)
{
    fb_volcano_reader_free(*reader);
}

enum fb_status fb_volcano_reader_feed(struct fb_volcano_reader *reader, const char *bytes,
                                      size_t len, struct fb_error *err)
{
    return fb_scan_feed(reader->scan, bytes, len, err);
}

enum fb_status fb_volcano_reader_finish(struct fb_volcano_reader *reader, struct fb_sight_task *ret,
                                        struct fb_error *err)
{
    bool asks =
        reader->how.verb == FB_VOLCANO_PREDICATE || reader->how.verb == FB_VOLCANO_PRIORITIZE;
    enum fb_status st = fb_scan_finish(reader->scan, err);

    if (st != FB_OK)
        return st;
    if (!reader->has_body)
        return fb_error_set(err, FB_EINPUT, "not an object");
    if (!reader->has_task)
        return fb_error_set(err, FB_EINPUT, "task: missing");
    if (*reader->task.uid == '\0')
        return fb_error_set(err, FB_EINPUT, "task.UID: missing");
    if (asks && reader->task.pod == NULL)
        return fb_error_set(err, FB_EINPUT, "task.Pod: missing");
    if (reader->how.verb == FB_VOLCANO_PREDICATE && reader->nodes == 0)
        return fb_error_set(err, FB_EINPUT, "node: missing");
    *ret = reader->task;
    return FB_OK;
}
