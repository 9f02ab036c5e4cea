/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/kubestream.h"

#include "fabricbind/own.h"
#include "fabricbind/scan.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Own paths; those of objects count on from MOUNTED. */
enum {
    PATH_DOCUMENT,
    PATH_ITEMS,
    PATH_VERSION, /* of the page */
    PATH_NEXT,
    PATH_TYPE,
    PATH_OBJECT_VERSION,
    PATH_CODE,
    PATH_MESSAGE,
    MOUNTED,
};

static const struct fb_scan_path page_paths[] = {
    {"", PATH_DOCUMENT},
    {"items", PATH_ITEMS},
    {"metadata.resourceVersion", PATH_VERSION},
    {"metadata.continue", PATH_NEXT},
    {"items[].metadata.resourceVersion", PATH_OBJECT_VERSION},
};

static const struct fb_scan_path watch_paths[] = {
    {"", PATH_DOCUMENT},
    {"type", PATH_TYPE},
    {"object.metadata.resourceVersion", PATH_OBJECT_VERSION},
    {"object.code", PATH_CODE},
    {"object.message", PATH_MESSAGE},
};

static const struct {
    const char *type;
    enum fb_kube_what what;
} types[] = {
    {"ADDED", FB_KUBE_ADDED},       {"MODIFIED", FB_KUBE_MODIFIED}, {"DELETED", FB_KUBE_DELETED},
    {"BOOKMARK", FB_KUBE_BOOKMARK}, {"ERROR", FB_KUBE_ERROR},
};

/* What was told of the object that is being read. */
struct draft {
    const struct fb_object *object; /* NULL: not complete, or of another kind */
    bool has_type, unreadable;
    enum fb_kube_what what;
    int64_t code;
    char version[64];
    char message[256];
};

struct fb_kubestream {
    enum fb_kube_tells tells;
    fb_kube_told told;
    void *context;
    struct fb_arena *arena; /* of the object that is being read */
    struct fb_object_mount *mount;
    struct fb_scan_paths *paths;
    struct fb_object_reader *objects;
    struct fb_scan *scan;
    struct draft draft;
    bool has_items;
    char version[64];
    char next[4096]; /* the API server's is a few hundred bytes of base64 */
};

static enum fb_status no_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

static enum fb_status copy_text(char *to, size_t size, const struct fb_scan_value *value,
                                struct fb_error *err)
{
    if (value->type == FB_SCAN_NULL)
        return FB_OK;
    if (value->type != FB_SCAN_STRING)
        return fb_error_set(err, FB_EINPUT, "not a string");
    if (value->len >= size)
        return fb_error_set(err, FB_ELIMIT, "over %zu bytes", size - 1);
    memcpy(to, value->text, value->len + 1);
    return FB_OK;
}

static enum fb_status take_type(struct fb_kubestream *stream, const struct fb_scan_value *value,
                                struct fb_error *err)
{
    for (size_t i = 0; value->type == FB_SCAN_STRING && i < COUNT(types); i++) {
        if (strcmp(value->text, types[i].type) == 0) {
            stream->draft.what = types[i].what;
            stream->draft.has_type = true;
            return FB_OK;
        }
    }
    return fb_error_set(err, FB_EINPUT, "'%.40s' is no event", value->text);
}

static void start_draft(struct fb_kubestream *stream)
{
    stream->draft.object = NULL;
    stream->draft.has_type = stream->draft.unreadable = false;
    stream->draft.what = FB_KUBE_LISTED;
    stream->draft.code = 0;
    stream->draft.version[0] = stream->draft.message[0] = '\0';
}

/* Nothing of the object before is left, so that memory stays that of one. */
static void forget_object(struct fb_kubestream *stream)
{
    start_draft(stream);
    fb_arena_reset(stream->arena);
    fb_object_reader_reset(stream->objects);
}

/* An object of another kind is passed over, and the versions of a watch go on with it. */
static bool is_worth_telling(const struct draft *draft)
{
    return draft->object != NULL || draft->unreadable || draft->what == FB_KUBE_BOOKMARK ||
           draft->what == FB_KUBE_ERROR;
}

static enum fb_status tell(struct fb_kubestream *stream, struct fb_error *err)
{
    static const struct fb_pod nameless = {
        .space = "", .name = "", .uid = "", .node = "", .phase = ""};
    const struct draft *draft = &stream->draft;
    const struct fb_pod *meta = fb_object_reader_meta(stream->objects);
    bool whole = draft->what <= FB_KUBE_DELETED && !draft->unreadable;
    struct fb_kube_event event = {
        .what = draft->what,
        .object = whole ? draft->object : NULL,
        .meta = meta->name != NULL ? meta : &nameless,
        .version = draft->version,
        .code = draft->code,
        .message = draft->what == FB_KUBE_ERROR || draft->unreadable ? draft->message : "",
    };

    if (draft->unreadable && draft->what <= FB_KUBE_DELETED)
        event.what = FB_KUBE_UNREADABLE;
    return is_worth_telling(draft) ? stream->told(stream->context, &event, err) : FB_OK;
}

/* The object is kept until its end: what is told of it may stand behind it. */
static enum fb_status take_found(void *context, const struct fb_object *object,
                                 struct fb_error *err)
{
    struct fb_kubestream *stream = context;

    (void)err;
    if (object->kind != FB_KIND_NONE)
        stream->draft.object = object;
    return FB_OK;
}

/* One object that cannot be read must not take the others with it. */
static enum fb_status take_mounted(struct fb_kubestream *stream, const struct fb_scan_value *value,
                                   struct fb_error *err)
{
    struct fb_error own = {.text = ""};
    enum fb_status st = fb_object_reader_take(stream->objects, value, &own);

    if (st == FB_OK)
        return FB_OK;
    if (value->id == MOUNTED && value->type != FB_SCAN_END) /* no object at all */
        return fb_error_set(err, st, "%s", own.text);
    if (st != FB_EINPUT && st != FB_ELIMIT)
        return fb_error_set(err, st, "%s", own.text);
    if (!stream->draft.unreadable)
        (void)snprintf(stream->draft.message, sizeof stream->draft.message, "%s", own.text);
    stream->draft.unreadable = true;
    return FB_OK;
}

static enum fb_status take_object(struct fb_kubestream *stream, const struct fb_scan_value *value,
                                  struct fb_error *err)
{
    /* The first row of a mount is the object as a whole. */
    bool item = stream->tells == FB_KUBE_PAGE && value->id == MOUNTED;
    enum fb_status st;

    if (item && value->type == FB_SCAN_OBJECT)
        forget_object(stream);
    st = take_mounted(stream, value, err);
    if (st == FB_OK && item && value->type == FB_SCAN_END)
        st = tell(stream, err);
    return st;
}

static enum fb_status take_document(struct fb_kubestream *stream, enum fb_scan_type type,
                                    struct fb_error *err)
{
    if (type == FB_SCAN_OBJECT && stream->tells == FB_KUBE_WATCH)
        forget_object(stream);
    if (type == FB_SCAN_OBJECT)
        return FB_OK;
    if (type != FB_SCAN_END)
        return fb_error_set(err, FB_EINPUT, "not an object");
    if (stream->tells == FB_KUBE_PAGE)
        return stream->has_items ? FB_OK : fb_error_set(err, FB_EINPUT, "no items: not a List");
    if (!stream->draft.has_type)
        return fb_error_set(err, FB_EINPUT, "type: not given");
    return tell(stream, err);
}

/* null is what an empty list is for a server written in Go. */
static enum fb_status take_items(struct fb_kubestream *stream, enum fb_scan_type type,
                                 struct fb_error *err)
{
    if (type != FB_SCAN_ARRAY && type != FB_SCAN_END && type != FB_SCAN_NULL)
        return fb_error_set(err, FB_EINPUT, "not a list");
    stream->has_items = true;
    return FB_OK;
}

static enum fb_status take_own(struct fb_kubestream *stream, const struct fb_scan_value *value,
                               struct fb_error *err)
{
    struct draft *draft = &stream->draft;

    switch (value->id) {
    case PATH_ITEMS:
        return take_items(stream, value->type, err);
    case PATH_VERSION:
        return copy_text(stream->version, sizeof stream->version, value, err);
    case PATH_NEXT:
        return copy_text(stream->next, sizeof stream->next, value, err);
    case PATH_TYPE:
        return take_type(stream, value, err);
    case PATH_OBJECT_VERSION:
        return copy_text(draft->version, sizeof draft->version, value, err);
    case PATH_CODE:
        draft->code = value->type == FB_SCAN_NUMBER ? strtoll(value->text, NULL, 10) : 0;
        return FB_OK;
    default: /* PATH_MESSAGE, which is for people and may be cut */
        if (value->type == FB_SCAN_STRING)
            (void)snprintf(draft->message, sizeof draft->message, "%s", value->text);
        return FB_OK;
    }
}

static enum fb_status take_value(void *context, const struct fb_scan_value *value,
                                 struct fb_error *err)
{
    struct fb_kubestream *stream = context;

    if (fb_object_mount_has(stream->mount, value->id))
        return take_object(stream, value, err);
    if (value->id == PATH_DOCUMENT)
        return take_document(stream, value->type, err);
    return take_own(stream, value, err);
}

static enum fb_status compile_paths(const struct fb_scan_path *own, size_t own_len,
                                    const struct fb_object_mount *mount, struct fb_scan_paths **ret,
                                    struct fb_error *err)
{
    size_t len;
    const struct fb_scan_path *mounted = fb_object_mount_paths(mount, &len);
    struct fb_scan_path *all = calloc(own_len + len, sizeof *all);
    enum fb_status st;

    if (all == NULL)
        return no_memory(err);
    memcpy(all, own, own_len * sizeof *all);
    memcpy(all + own_len, mounted, len * sizeof *all);
    st = fb_scan_paths_new(all, own_len + len, ret, err);
    free(all);
    return st;
}

static enum fb_status mount_objects(struct fb_kubestream *stream, enum fb_kind kind,
                                    struct fb_error *err)
{
    bool page = stream->tells == FB_KUBE_PAGE;
    enum fb_status st = fb_object_mount_new(page ? "items[]" : "object", FB_KIND_BIT(kind), MOUNTED,
                                            &stream->mount, err);

    if (st != FB_OK)
        return st;
    if (page)
        return compile_paths(page_paths, COUNT(page_paths), stream->mount, &stream->paths, err);
    return compile_paths(watch_paths, COUNT(watch_paths), stream->mount, &stream->paths, err);
}

enum fb_status fb_kubestream_new(enum fb_kind kind, enum fb_kube_tells tells, fb_kube_told told,
                                 void *context, struct fb_kubestream **ret, struct fb_error *err)
{
    static const struct fb_scan_limits limits = {.depth = 512,
                                                 .string_bytes = (size_t)64 * 1024 * 1024};
    FB_OWNED(fb_kubestream_freep) struct fb_kubestream *stream = calloc(1, sizeof *stream);
    enum fb_status st;

    if (stream == NULL)
        return no_memory(err);
    stream->tells = tells;
    stream->told = told;
    stream->context = context;
    stream->arena = fb_arena_new_small(0);
    if (stream->arena == NULL)
        return no_memory(err);
    st = mount_objects(stream, kind, err);
    if (st != FB_OK)
        return st;
    stream->objects = fb_object_reader_new(stream->arena, stream->mount, take_found, stream);
    stream->scan = fb_scan_new(stream->paths, &limits, take_value, stream);
    if (stream->objects == NULL || stream->scan == NULL)
        return no_memory(err);
    fb_object_reader_assume(stream->objects, kind);
    *ret = FB_TAKE(stream);
    return FB_OK;
}

void fb_kubestream_free(struct fb_kubestream *stream)
{
    if (stream == NULL)
        return;
    fb_scan_free(stream->scan);
    fb_object_reader_free(stream->objects);
    fb_scan_paths_free(stream->paths);
    fb_object_mount_free(stream->mount);
    fb_arena_free(stream->arena);
    free(stream);
}

void fb_kubestream_freep(struct fb_kubestream **stream)
{
    fb_kubestream_free(*stream);
    *stream = NULL;
}

enum fb_status fb_kubestream_feed(struct fb_kubestream *stream, const char *bytes, size_t len,
                                  struct fb_error *err)
{
    enum fb_status st = FB_OK;

    if (stream->tells == FB_KUBE_PAGE)
        return fb_scan_feed(stream->scan, bytes, len, err);
    while (st == FB_OK && len > 0) {
        size_t used;

        st = fb_scan_feed_one(stream->scan, bytes, len, &used, err);
        bytes += used;
        len -= used;
        if (st == FB_OK && len > 0)
            fb_scan_reset(stream->scan);
    }
    return st;
}

enum fb_status fb_kubestream_finish(struct fb_kubestream *stream, struct fb_error *err)
{
    if (stream->tells == FB_KUBE_WATCH && fb_scan_is_between(stream->scan))
        return FB_OK;
    return fb_scan_finish(stream->scan, err);
}

const char *fb_kubestream_version(const struct fb_kubestream *stream)
{
    return stream->version;
}

const char *fb_kubestream_next(const struct fb_kubestream *stream)
{
    return stream->next;
}
