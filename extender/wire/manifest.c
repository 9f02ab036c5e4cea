/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/manifest.h"

#include "fabricbind/objects.h"
#include "fabricbind/own.h"
#include "fabricbind/scan.h"
#include "fabricbind/template.h"
#include "fabricbind/yaml.h"

#include <stdlib.h>
#include <string.h>

#define KINDS (FB_KINDS_JOBS | FB_KIND_BIT(FB_KIND_POD))

struct manifest {
    struct fb_arena *arena;
    struct fb_jobs *jobs;
    size_t skipped;
    struct fb_object_mount *mount;
    struct fb_scan_paths *paths;
    struct fb_object_reader *objects;
};

static void manifest_fini(struct manifest *manifest)
{
    fb_object_reader_free(manifest->objects);
    fb_scan_paths_free(manifest->paths);
    fb_object_mount_free(manifest->mount);
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

static enum fb_status manifest_init(struct manifest *manifest, struct fb_error *err)
{
    const struct fb_scan_path *paths;
    enum fb_status st = fb_object_mount_new("", KINDS, 0, &manifest->mount, err);
    size_t len;

    if (st != FB_OK)
        return st;
    paths = fb_object_mount_paths(manifest->mount, &len);
    st = fb_scan_paths_new(paths, len, &manifest->paths, err);
    if (st != FB_OK)
        return st;
    manifest->objects =
        fb_object_reader_new(manifest->arena, manifest->mount, add_object, manifest);
    return manifest->objects != NULL ? FB_OK : no_memory(err);
}

static bool is_list(const struct fb_yaml *document)
{
    const struct fb_yaml *kind = fb_yaml_find(document, "kind");
    const struct fb_yaml *api = fb_yaml_find(document, "apiVersion");

    return kind != NULL && strcmp(kind->text, "List") == 0 && api != NULL &&
           strcmp(api->text, "v1") == 0;
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

/* The templates of a job that was just read: pods are made of all of it, not only of what is
 * decided by. */
static enum fb_status keep_templates(struct manifest *manifest, const struct fb_yaml *object,
                                     struct fb_job *job, struct fb_error *err)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < job->tasks_len; i++)
        st = fb_template_json(manifest->arena, object, job, i, &job->tasks[i].template_json, err);
    return st;
}

static enum fb_status read_object(struct manifest *manifest, const struct fb_yaml *object,
                                  struct fb_error *err)
{
    size_t before = manifest->jobs->len;
    const char *json;
    size_t len;
    enum fb_status st;

    if (object->type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "not a mapping");
    st = fb_yaml_json(manifest->arena, object, &json, &len, err);
    if (st != FB_OK)
        return st;
    st = fb_scan_all(manifest->paths, NULL, json, len, take_value, manifest->objects, err);
    if (st != FB_OK)
        drop_offset(err);
    else if (manifest->jobs->len > before)
        st = keep_templates(manifest, object, &manifest->jobs->at[before], err);
    return st;
}

static enum fb_status read_document(struct manifest *manifest, const struct fb_yaml *document,
                                    struct fb_error *err)
{
    const struct fb_yaml *items;

    if (!is_list(document))
        return read_object(manifest, document, err);
    items = fb_yaml_find(document, "items");
    if (items == NULL || items->type != FB_YAML_LIST)
        return fb_error_set(err, FB_EINPUT, "items: not a list");
    for (size_t i = 0; i < items->len; i++) {
        enum fb_status st = read_object(manifest, &items->at[i], err);

        if (st != FB_OK)
            return fb_error_prefix(err, st, "items[%zu]", i);
    }
    return FB_OK;
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
        st = manifest_init(&manifest, &own);
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
