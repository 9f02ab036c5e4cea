/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/admission.h"

#include "fabricbind/objects.h"
#include "fabricbind/own.h"
#include "fabricbind/podjson.h"
#include "fabricbind/scan.h"
#include "podjson_walk.h"

#include <stdlib.h>
#include <string.h>

#define PLACE "request.object"

/* One kind of object in a review. */
struct format {
    enum fb_kind kind;
    struct fb_object_mount *mount;
    struct fb_scan_paths *paths;
};

struct fb_review_formats {
    struct format pod, job;
};

static enum fb_status no_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

static void format_fini(struct format *format)
{
    fb_scan_paths_free(format->paths);
    fb_object_mount_free(format->mount);
}

static enum fb_status format_init(struct format *format, enum fb_kind kind, struct fb_error *err)
{
    const struct fb_scan_path *rows;
    size_t len;
    enum fb_status st = fb_object_mount_new(PLACE, FB_KIND_BIT(kind), 0, &format->mount, err);

    if (st != FB_OK)
        return st;
    format->kind = kind;
    rows = fb_object_mount_paths(format->mount, &len);
    return fb_scan_paths_new(rows, len, &format->paths, err);
}

enum fb_status fb_review_formats_new(struct fb_review_formats **ret, struct fb_error *err)
{
    FB_OWNED(fb_review_formats_freep)
    struct fb_review_formats *formats = calloc(1, sizeof *formats);
    enum fb_status st;

    if (formats == NULL)
        return no_memory(err);
    st = format_init(&formats->pod, FB_KIND_POD, err);
    if (st == FB_OK)
        st = format_init(&formats->job, FB_KIND_VCJOB, err);
    if (st == FB_OK)
        *ret = FB_TAKE(formats);
    return st;
}

void fb_review_formats_free(struct fb_review_formats *formats)
{
    if (formats == NULL)
        return;
    format_fini(&formats->pod);
    format_fini(&formats->job);
    free(formats);
}

void fb_review_formats_freep(struct fb_review_formats **formats)
{
    fb_review_formats_free(*formats);
    *formats = NULL;
}

/* The object while it is looked for. */
struct search {
    struct fb_object *object;
    bool found;
};

static enum fb_status keep(void *context, const struct fb_object *object, struct fb_error *err)
{
    struct search *search = context;

    (void)err;
    *search->object = *object;
    search->found = object->kind != FB_KIND_NONE;
    return FB_OK;
}

static enum fb_status take(void *context, const struct fb_scan_value *value, struct fb_error *err)
{
    return fb_object_reader_take(context, value, err);
}

static enum fb_status read_object(const struct format *format, struct fb_arena *arena,
                                  const struct fb_review *review, struct fb_object *ret,
                                  struct fb_error *err)
{
    struct search search = {.object = ret};
    FB_OWNED(fb_object_reader_freep)
    struct fb_object_reader *reader = fb_object_reader_new(arena, format->mount, keep, &search);
    enum fb_status st;

    if (reader == NULL)
        return no_memory(err);
    fb_object_reader_assume(reader, format->kind);
    st = fb_scan_all(format->paths, NULL, review->body, review->len, take, reader, err);
    if (st == FB_OK && (!search.found || review->object == NULL))
        return fb_error_set(err, FB_EINPUT, PLACE ": not of the kind that is asked about");
    return st;
}

static enum fb_status read_spec(struct fb_arena *arena, const struct fb_json_node *pod,
                                struct fb_podspec *ret, struct fb_error *err)
{
    enum fb_status st = fb_podspec_read(arena, pod, ret, err);

    return st == FB_OK ? st : fb_error_prefix(err, st, PLACE);
}

enum fb_status fb_review_read_pod(const struct fb_review_formats *formats, struct fb_arena *arena,
                                  const struct fb_review *review, struct fb_review_pod *ret,
                                  struct fb_error *err)
{
    struct fb_object object;
    struct fb_podspec spec = {0};
    enum fb_status st = read_object(&formats->pod, arena, review, &object, err);

    if (st == FB_OK)
        st = read_spec(arena, review->object, &spec, err);
    if (st != FB_OK)
        return st;
    ret->pod = object.pod;
    if (*review->space != '\0')
        ret->pod.space = review->space;
    ret->spec = spec;
    ret->called = *object.pod.name != '\0' ? object.pod.name : object.generate_name;
    return FB_OK;
}

/* The templates of tasks, in their order, as the other reader has them. */
static enum fb_status read_specs(struct fb_arena *arena, const struct fb_review *review,
                                 struct fb_podspec *specs, size_t len, struct fb_error *err)
{
    const struct fb_json_node *tasks = fb_json_find(fb_json_find(review->object, "spec"), "tasks");
    const struct fb_json_node *task = fb_json_first(tasks);
    enum fb_status st = FB_OK;

    for (size_t at = 0; st == FB_OK && task != NULL && at < len; task = fb_json_next(task)) {
        const struct fb_json_node *template = fb_json_find(task, "template");

        if (fb_json_type(task) == FB_JSON_NULL)
            continue;
        if (template != NULL)
            st = fb_podspec_read(arena, template, &specs[at], err);
        if (st != FB_OK)
            return fb_error_prefix(err, st, PLACE ".spec.tasks[%zu].template", at);
        at++;
    }
    return st;
}

enum fb_status fb_review_read_job(const struct fb_review_formats *formats, struct fb_arena *arena,
                                  const struct fb_review *review, struct fb_job *ret,
                                  struct fb_podspec **ret_specs, struct fb_error *err)
{
    struct fb_object object;
    struct fb_podspec *specs;
    enum fb_status st = read_object(&formats->job, arena, review, &object, err);

    if (st != FB_OK)
        return st;
    specs = fb_arena_alloc(arena, object.job.tasks_len * sizeof *specs);
    if (specs == NULL)
        return no_memory(err);
    st = read_specs(arena, review, specs, object.job.tasks_len, err);
    if (st != FB_OK)
        return st;
    if (*review->space != '\0')
        object.job.space = review->space;
    if (*object.job.name == '\0')
        object.job.name = object.generate_name;
    for (size_t i = 0; i < object.job.tasks_len; i++)
        object.job.tasks[i].pod.space = object.job.space;
    *ret = object.job;
    *ret_specs = specs;
    return FB_OK;
}

enum fb_status fb_review_read_binding(struct fb_arena *arena, const struct fb_review *review,
                                      struct fb_binding *ret, struct fb_error *err)
{
    struct fb_podjson walk = {.arena = arena, .err = err};
    struct fb_podjson_at object = {.node = review->object};
    struct fb_podjson_at metadata, target;
    struct fb_binding binding = {.name = "", .uid = "", .kind = "", .node = ""};

    if (!fb_podjson_is(&walk, &object, FB_JSON_MAP))
        return fb_error_prefix(err, walk.status, PLACE);
    binding.has_metadata = fb_podjson_enter(&walk, &object, "metadata", FB_JSON_MAP, &metadata);
    if (binding.has_metadata) {
        binding.name = fb_podjson_text(&walk, &metadata, "name");
        binding.uid = fb_podjson_text(&walk, &metadata, "uid");
        binding.has_annotations =
            fb_podjson_pairs(&walk, &metadata, "annotations", &binding.annotations);
    }
    if (fb_podjson_enter(&walk, &object, "target", FB_JSON_MAP, &target)) {
        binding.kind = fb_podjson_text(&walk, &target, "kind");
        binding.node = fb_podjson_text(&walk, &target, "name");
    }
    if (walk.status != FB_OK)
        return fb_error_prefix(err, walk.status, PLACE);
    *ret = binding;
    return FB_OK;
}
