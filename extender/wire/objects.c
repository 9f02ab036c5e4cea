/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/objects.h"

#include "objects_fields.h"

#include <stdlib.h>
#include <string.h>

struct fb_object_reader *fb_object_reader_new(struct fb_arena *arena,
                                              const struct fb_object_mount *mount,
                                              fb_object_found found, void *context)
{
    struct fb_object_reader *reader =
        calloc(1, sizeof *reader + mount->len * sizeof reader->seen[0]);

    if (reader == NULL)
        return NULL;
    reader->arena = arena;
    reader->mount = mount;
    reader->found = found;
    reader->context = context;
    return reader;
}

void fb_object_reader_free(struct fb_object_reader *reader)
{
    if (reader == NULL)
        return;
    free(reader->errors);
    free(reader);
}

void fb_object_reader_freep(struct fb_object_reader **reader)
{
    fb_object_reader_free(*reader);
    *reader = NULL;
}

void fb_object_reader_reset(struct fb_object_reader *reader)
{
    memset(&reader->draft, 0, sizeof reader->draft);
    memset(reader->tasks, 0, sizeof reader->tasks);
}

void fb_object_reader_assume(struct fb_object_reader *reader, enum fb_kind kind)
{
    reader->assumed = kind;
}

const struct fb_pod *fb_object_reader_meta(const struct fb_object_reader *reader)
{
    return &reader->draft.object.pod;
}

static void begin_object(struct fb_object_reader *reader)
{
    struct fb_draft *draft = &reader->draft;

    *draft = (struct fb_draft){
        .kind = "",
        .completion_mode = "",
        .replicas = -1,
        .min_available = -1,
        .policy_min = -1,
        .min_member = -1,
        .parallelism = -1,
        .completions = -1,
        .size = -1,
        .num_nodes = -1,
        .condition = {"", ""},
    };
    draft->object.generate_name = "";
    fb_node_init(&draft->object.node);
    fb_pod_init(&draft->object.pod);
    for (size_t i = 0; i < FB_PLACE_COUNT; i++)
        reader->tasks[i].len = 0;
    reader->held = 0;
    if (++reader->stamp == 0) {
        memset(reader->seen, 0, reader->mount->len * sizeof reader->seen[0]);
        reader->stamp = 1;
    }
}

/* What the object is as far as it is told. */
static enum fb_kind find_kind(const struct fb_object_reader *reader)
{
    const struct fb_draft *draft = &reader->draft;
    enum fb_kind kind = reader->assumed;

    if (draft->kind[0] != '\0' || draft->group != NULL)
        kind = fb_kind_find(draft->kind, draft->group != NULL ? draft->group : "");
    return (reader->mount->kinds & FB_KIND_BIT(kind)) != 0 ? kind : FB_KIND_NONE;
}

static void finish_podgroup(struct fb_object *object, int64_t min_member)
{
    static const struct fb_owner none = {"", "", "", "", false};
    const struct fb_owner *owner = fb_pod_owner(&object->pod);

    object->podgroup = (struct fb_podgroup){
        .space = object->pod.space,
        .name = object->pod.name,
        .uid = object->pod.uid,
        .owner = owner != NULL ? *owner : none,
        .min_member = min_member > 0 ? min_member : 0,
        .annotations = object->pod.annotations,
    };
}

static enum fb_status finish_object(struct fb_object_reader *reader, struct fb_error *err)
{
    struct fb_object *object = &reader->draft.object;
    enum fb_kind kind = find_kind(reader);
    enum fb_status st = FB_OK;

    if ((reader->held & FB_KIND_BIT(kind)) != 0)
        return fb_error_set(err, reader->errors[kind].status, "%s", reader->errors[kind].text);
    object->kind = kind;
    if (kind == FB_KIND_NODE)
        fb_node_finish(&object->node, &object->pod);
    else if (kind == FB_KIND_POD)
        st = fb_pod_finish(reader->arena, &object->pod, err);
    else if (kind == FB_KIND_PODGROUP)
        finish_podgroup(object, reader->draft.min_member);
    else if (kind == FB_KIND_NAMESPACE)
        object->namespace = fb_namespace_of(object->pod.name, &object->pod.labels);
    else if (kind != FB_KIND_NONE)
        st = fb_job_finish(reader, kind, err);
    return st != FB_OK ? st : reader->found(reader->context, object, err);
}

static enum fb_status take_root(struct fb_object_reader *reader, const struct fb_scan_value *value,
                                struct fb_error *err)
{
    if (value->type == FB_SCAN_END)
        return finish_object(reader, err);
    if (value->type == FB_SCAN_NULL)
        return FB_OK;
    if (value->type != FB_SCAN_OBJECT)
        return fb_error_set(err, FB_EINPUT, "not an object");
    begin_object(reader);
    return FB_OK;
}

static bool is_or_continues(const char *path, const char *start)
{
    size_t len = strlen(start);

    return strncmp(path, start, len) == 0 && strchr(".[", path[len]) != NULL;
}

/* Forget the row and what stands below it, as far as it is part of the same thing. */
static void clear_rows(struct fb_object_reader *reader, const struct fb_mounted *row)
{
    for (size_t i = 0; i < reader->mount->len; i++) {
        const struct fb_mounted *each = &reader->mount->at[i];
        enum fb_shape shape = each->field->shape;
        void *thing;

        if (each->owner != row->owner || !is_or_continues(each->path, row->path))
            continue;
        thing = fb_thing_find(reader, each->field->of, each->place);
        if (thing == NULL)
            continue;
        if (shape == FB_SHAPE_LIST || shape == FB_SHAPE_MAP || shape == FB_SHAPE_SLOT)
            fb_thing_clear(reader, each);
        else
            fb_field_clear(each, thing);
    }
}

/* The type that a value at @row begins with; STRING for those that have no parts. */
static enum fb_scan_type wanted_type(const struct fb_mounted *row)
{
    enum fb_shape shape = row->field->shape;
    bool things = shape == FB_SHAPE_LIST || shape == FB_SHAPE_MAP;

    if (row->entry)
        return things ? FB_SCAN_OBJECT : FB_SCAN_STRING;
    if (shape == FB_SHAPE_LIST || shape == FB_SHAPE_TEXTS)
        return FB_SCAN_ARRAY;
    if (shape <= FB_SHAPE_FLAGGED || shape >= FB_SHAPE_PAIRS)
        return FB_SCAN_OBJECT;
    return FB_SCAN_STRING;
}

static enum fb_status take_parts(struct fb_object_reader *reader, const struct fb_mounted *row,
                                 void *thing, const struct fb_scan_value *value,
                                 struct fb_error *err)
{
    size_t at = (size_t)(row - reader->mount->at);
    enum fb_shape shape = row->field->shape;

    if (!row->entry && reader->seen[at] == reader->stamp)
        clear_rows(reader, row);
    reader->seen[at] = reader->stamp;
    if (value->type == FB_SCAN_NULL)
        return FB_OK;
    if (value->type != wanted_type(row))
        return fb_error_set(err, FB_EINPUT, "not %s",
                            wanted_type(row) == FB_SCAN_ARRAY ? "a list" : "an object");
    if (row->entry || shape == FB_SHAPE_SLOT)
        return fb_thing_start(reader, row, value, err);
    return fb_field_read(reader, row, thing, value, err);
}

static enum fb_status take_row(struct fb_object_reader *reader, const struct fb_mounted *row,
                               const struct fb_scan_value *value, struct fb_error *err)
{
    void *thing = fb_thing_find(reader, row->field->of, row->place);

    if (value->type == FB_SCAN_END) {
        if (row->entry && row->field->starts == FB_THING_CONDITION)
            fb_node_condition(&reader->draft.object.node, &reader->draft.condition);
        return FB_OK;
    }
    if (thing == NULL)
        return FB_OK;
    if (wanted_type(row) != FB_SCAN_STRING)
        return take_parts(reader, row, thing, value, err);
    return fb_field_read(reader, row, thing, value, err);
}

/* The path of @row with the key for its last star, in front of @own. */
static void put_path(const struct fb_mounted *row, const struct fb_scan_value *value,
                     struct fb_error *own)
{
    size_t len = strlen(row->path);
    bool keyed = len > 0 && row->path[len - 1] == '*';

    (void)fb_error_prefix(own, own->status, "%.*s%s", (int)(keyed ? len - 1 : len), row->path,
                          keyed ? value->key : "");
}

/*
 * A field of this kind stops the reading at once, with the place where it stands. While the kind
 * is not told, or is another one, the first error of each kind waits for the end of the object.
 */
static enum fb_status refuse(struct fb_object_reader *reader, const struct fb_mounted *row,
                             const struct fb_scan_value *value, struct fb_error *own,
                             struct fb_error *err)
{
    const struct fb_draft *draft = &reader->draft;
    bool told = draft->kind[0] != '\0' && draft->group != NULL;

    if (told && (row->kinds & FB_KIND_BIT(find_kind(reader))) != 0)
        return fb_error_set(err, own->status, "%s", own->text);
    put_path(row, value, own);
    if (reader->errors == NULL)
        reader->errors = calloc(FB_KIND_COUNT, sizeof *reader->errors);
    if (reader->errors == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    for (unsigned i = FB_KIND_NODE; i < FB_KIND_COUNT; i++) {
        if ((row->kinds & FB_KIND_BIT(i) & ~reader->held) != 0)
            reader->errors[i] = *own;
    }
    reader->held |= row->kinds;
    return FB_OK;
}

enum fb_status fb_object_reader_take(struct fb_object_reader *reader,
                                     const struct fb_scan_value *value, struct fb_error *err)
{
    const struct fb_mounted *row = &reader->mount->at[value->id - reader->mount->first_id];
    struct fb_error own; /* as a whole it is longer than most values */
    enum fb_status st;

    own.status = FB_OK;
    own.text[0] = '\0';
    if (row->field->shape == FB_SHAPE_ROOT)
        return take_root(reader, value, err);
    st = take_row(reader, row, value, &own);
    if (st == FB_EINPUT || st == FB_ELIMIT)
        return refuse(reader, row, value, &own, err);
    return st != FB_OK ? fb_error_set(err, st, "%s", own.text) : FB_OK;
}
