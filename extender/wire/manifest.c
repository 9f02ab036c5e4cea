/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/manifest.h"

#include "fabricbind/objects.h"
#include "fabricbind/own.h"
#include "fabricbind/scan.h"
#include "fabricbind/yaml.h"

#include <stdlib.h>
#include <string.h>

#define KINDS (FB_KINDS_JOBS | FB_KIND_BIT(FB_KIND_POD))

/* Decodes documents of one form: single objects, or Lists of them. */
struct form {
    struct fb_object_mount *mount;
    struct fb_scan_paths *paths;
    struct fb_object_reader *objects;
};

struct manifest {
    struct fb_arena *arena;
    struct fb_jobs *jobs;
    size_t skipped;
    struct form single, list;
};

static void form_fini(struct form *form)
{
    fb_object_reader_free(form->objects);
    fb_scan_paths_free(form->paths);
    fb_object_mount_free(form->mount);
}

static void manifest_fini(struct manifest *manifest)
{
    form_fini(&manifest->single);
    form_fini(&manifest->list);
}

static enum fb_status no_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

/* What a manifest leaves out and the API server fills in. */
static enum fb_status fill_names(struct fb_arena *arena, const struct fb_object *object,
                                 struct fb_pod *meta, struct fb_error *err)
{
    size_t len = strlen(object->generate_name);

    while (len > 0 && object->generate_name[len - 1] == '-')
        len--;
    if (meta->name[0] == '\0')
        meta->name = fb_arena_text(arena, object->generate_name, len);
    if (meta->space[0] == '\0')
        meta->space = fb_arena_text(arena, "default", strlen("default"));
    if (meta->name == NULL || meta->space == NULL)
        return no_memory(err);
    if (meta->name[0] == '\0')
        return fb_error_set(err, FB_EINPUT, "metadata.name: not given");
    return FB_OK;
}

static enum fb_status append(struct manifest *manifest, const struct fb_job *job,
                             struct fb_error *err)
{
    struct fb_jobs *jobs = manifest->jobs;
    struct fb_job *at =
        fb_arena_more(manifest->arena, jobs->at, jobs->len, &jobs->size, sizeof *at);

    if (at == NULL)
        return no_memory(err);
    jobs->at = at;
    at[jobs->len++] = *job;
    return FB_OK;
}

static enum fb_status add_object(void *context, const struct fb_object *object,
                                 struct fb_error *err)
{
    struct manifest *manifest = context;
    struct fb_pod meta = object->pod;
    struct fb_job job = object->job;
    enum fb_status st;

    if (object->kind == FB_KIND_NONE) {
        manifest->skipped++;
        return FB_OK;
    }
    st = fill_names(manifest->arena, object, &meta, err);
    if (st == FB_OK && object->kind == FB_KIND_POD)
        st = fb_job_of_pod(manifest->arena, &meta, &job, err);
    if (st != FB_OK)
        return st;
    job.name = meta.name;
    job.space = meta.space;
    for (size_t i = 0; i < job.tasks_len; i++)
        job.tasks[i].pod.space = meta.space;
    return append(manifest, &job, err);
}

static enum fb_status take_value(void *context, const struct fb_scan_value *value,
                                 struct fb_error *err)
{
    return fb_object_reader_take(context, value, err);
}

static enum fb_status form_init(struct form *form, const char *prefix, struct manifest *manifest,
                                struct fb_error *err)
{
    const struct fb_scan_path *paths;
    enum fb_status st = fb_object_mount_new(prefix, KINDS, 0, &form->mount, err);
    size_t len;

    if (st != FB_OK)
        return st;
    paths = fb_object_mount_paths(form->mount, &len);
    st = fb_scan_paths_new(paths, len, &form->paths, err);
    if (st != FB_OK)
        return st;
    form->objects = fb_object_reader_new(manifest->arena, form->mount, add_object, manifest);
    return form->objects != NULL ? FB_OK : no_memory(err);
}

static bool is_list(const struct fb_yaml *document)
{
    const struct fb_yaml *kind = fb_yaml_find(document, "kind");
    const struct fb_yaml *api = fb_yaml_find(document, "apiVersion");

    return kind != NULL && strcmp(kind->text, "List") == 0 && api != NULL &&
           strcmp(api->text, "v1") == 0;
}

/* The form of @document, made when the first of that form comes. */
static enum fb_status pick_form(struct manifest *manifest, const struct fb_yaml *document,
                                const struct form **ret, struct fb_error *err)
{
    bool list = is_list(document);
    struct form *form = list ? &manifest->list : &manifest->single;

    *ret = form;
    return form->mount != NULL ? FB_OK : form_init(form, list ? "items[]" : "", manifest, err);
}

/* "byte 17: " is of the JSON in between, which nobody has seen. */
static void drop_offset(struct fb_error *err)
{
    static const char word[] = "byte ";
    const char *at = err->text + strlen(word);

    if (strncmp(err->text, word, strlen(word)) != 0)
        return;
    at += strspn(at, "0123456789");
    if (strncmp(at, ": ", 2) == 0)
        memmove(err->text, at + 2, strlen(at + 2) + 1);
}

static enum fb_status read_document(struct manifest *manifest, const struct fb_yaml *document,
                                    struct fb_error *err)
{
    const struct form *form;
    const char *json;
    size_t len;
    enum fb_status st;

    if (document->type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "not a mapping");
    st = pick_form(manifest, document, &form, err);
    if (st == FB_OK)
        st = fb_yaml_json(manifest->arena, document, &json, &len, err);
    if (st != FB_OK)
        return st;
    st = fb_scan_all(form->paths, NULL, json, len, take_value, form->objects, err);
    if (st != FB_OK)
        drop_offset(err);
    return st;
}

static enum fb_status read_documents(struct manifest *manifest,
                                     const struct fb_yaml_documents *documents,
                                     struct fb_error *err)
{
    for (size_t i = 0; i < documents->len; i++) {
        enum fb_status st = read_document(manifest, &documents->at[i], err);

        if (st != FB_OK)
            return fb_error_prefix(err, st, "document %zu", i + 1);
    }
    return FB_OK;
}

enum fb_status fb_manifest_read(struct fb_arena *arena, const char *text, size_t len,
                                struct fb_jobs *ret, size_t *ret_skipped, struct fb_error *err)
{
    struct fb_jobs jobs = *ret;
    FB_OWNED(manifest_fini) struct manifest manifest = {.arena = arena, .jobs = &jobs};
    struct fb_yaml_documents documents = {0};
    struct fb_error own = {0};
    enum fb_status st = fb_yaml_parse(arena, text, len, &documents, &own);

    if (st == FB_OK)
        st = read_documents(&manifest, &documents, &own);
    if (st != FB_OK)
        return fb_error_set(err, st, "%s", own.text);
    if (jobs.len == ret->len)
        return fb_error_set(err, FB_EINPUT, "no job in it");
    *ret = jobs;
    if (ret_skipped != NULL)
        *ret_skipped = manifest.skipped;
    return FB_OK;
}
