/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/snapshot.h"

#include "fabricbind/objects.h"
#include "fabricbind/own.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NODES_DEFAULT 20000
#define PODS_DEFAULT 500000

/* Paths of the list itself; those of its items count on from MOUNTED. */
enum {
    PATH_LIST,
    PATH_KIND,
    PATH_API,
    PATH_ITEMS,
    MOUNTED,
};

static const struct fb_scan_path list_paths[] = {
    {"", PATH_LIST},
    {"kind", PATH_KIND},
    {"apiVersion", PATH_API},
    {"items", PATH_ITEMS},
};

/* How much there was before a list, so that a second "items" in it can begin anew. */
struct counts {
    size_t nodes, pods, podgroups, jobs, namespaces, skipped;
};

struct fb_snapshot_reader {
    struct fb_arena *arena;
    struct fb_snapshot *snapshot;
    size_t nodes_max, pods_max;
    struct fb_object_mount *mount;
    struct fb_scan_paths *paths;
    struct fb_object_reader *objects;
    struct fb_scan *scan;
    struct counts before;
    const char *kind, *group; /* of the list */
    bool has_items;
};

static enum fb_status no_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

static void begin_list(struct fb_snapshot_reader *reader)
{
    const struct fb_snapshot *snapshot = reader->snapshot;

    reader->before =
        (struct counts){snapshot->nodes_len, snapshot->pods_len,       snapshot->podgroups_len,
                        snapshot->jobs.len,  snapshot->namespaces.len, snapshot->skipped};
    reader->kind = "";
    reader->group = "";
    reader->has_items = false;
    fb_object_reader_assume(reader->objects, FB_KIND_NONE);
}

/* Items of a typed list, as the API server answers it, do not tell their kind. */
static enum fb_status take_name(struct fb_snapshot_reader *reader,
                                const struct fb_scan_value *value, struct fb_error *err)
{
    const char *slash = memchr(value->text, '/', value->len);
    size_t group_len = slash != NULL ? (size_t)(slash - value->text) : 0;
    size_t len = value->id == PATH_KIND ? value->len : group_len;
    const char *text = fb_arena_text(reader->arena, value->text, len);

    if (value->type == FB_SCAN_NULL)
        return FB_OK;
    if (value->type != FB_SCAN_STRING)
        return fb_error_set(err, FB_EINPUT, "not a string");
    if (text == NULL)
        return no_memory(err);
    if (value->id == PATH_KIND)
        reader->kind = text;
    else
        reader->group = text;
    fb_object_reader_assume(reader->objects, fb_kind_of_list(reader->kind, reader->group));
    return FB_OK;
}

static enum fb_status take_items(struct fb_snapshot_reader *reader, enum fb_scan_type type,
                                 struct fb_error *err)
{
    struct fb_snapshot *snapshot = reader->snapshot;

    if (type == FB_SCAN_END)
        return FB_OK;
    if (type != FB_SCAN_ARRAY && type != FB_SCAN_NULL)
        return fb_error_set(err, FB_EINPUT, "not a list");
    reader->has_items = true;
    snapshot->nodes_len = reader->before.nodes;
    snapshot->pods_len = reader->before.pods;
    snapshot->podgroups_len = reader->before.podgroups;
    snapshot->jobs.len = reader->before.jobs;
    snapshot->namespaces.len = reader->before.namespaces;
    snapshot->skipped = reader->before.skipped;
    return FB_OK;
}

static bool is_list(const struct fb_snapshot_reader *reader)
{
    static const char ending[] = "List";
    size_t len = strlen(reader->kind);

    if (len == 0)
        return reader->has_items;
    return len >= strlen(ending) && strcmp(reader->kind + len - strlen(ending), ending) == 0;
}

static enum fb_status take_list(const struct fb_snapshot_reader *reader, enum fb_scan_type type,
                                struct fb_error *err)
{
    if (type == FB_SCAN_OBJECT || (type == FB_SCAN_END && is_list(reader)))
        return FB_OK;
    return fb_error_set(err, FB_EINPUT, "not a List");
}

static enum fb_status take_value(void *context, const struct fb_scan_value *value,
                                 struct fb_error *err)
{
    struct fb_snapshot_reader *reader = context;

    if (fb_object_mount_has(reader->mount, value->id))
        return fb_object_reader_take(reader->objects, value, err);
    if (value->id == PATH_LIST)
        return take_list(reader, value->type, err);
    if (value->id == PATH_ITEMS)
        return take_items(reader, value->type, err);
    return take_name(reader, value, err);
}

static enum fb_status too_many(size_t most, const char *what, struct fb_error *err)
{
    return fb_error_set(err, FB_ELIMIT, "more than %zu %s", most, what);
}

static enum fb_status add_node(struct fb_snapshot_reader *reader, const struct fb_node *node,
                               struct fb_error *err)
{
    struct fb_snapshot *snapshot = reader->snapshot;
    struct fb_node *at;

    if (snapshot->nodes_len >= reader->nodes_max)
        return too_many(reader->nodes_max, "nodes", err);
    at = fb_arena_more(reader->arena, snapshot->nodes, snapshot->nodes_len, &snapshot->nodes_size,
                       sizeof *at);
    if (at == NULL)
        return no_memory(err);
    snapshot->nodes = at;
    at[snapshot->nodes_len++] = *node;
    return FB_OK;
}

static enum fb_status add_pod(struct fb_snapshot_reader *reader, const struct fb_pod *pod,
                              struct fb_error *err)
{
    struct fb_snapshot *snapshot = reader->snapshot;
    struct fb_pod *at;

    if (snapshot->pods_len >= reader->pods_max)
        return too_many(reader->pods_max, "pods", err);
    at = fb_arena_more(reader->arena, snapshot->pods, snapshot->pods_len, &snapshot->pods_size,
                       sizeof *at);
    if (at == NULL)
        return no_memory(err);
    snapshot->pods = at;
    at[snapshot->pods_len++] = *pod;
    return FB_OK;
}

static enum fb_status add_podgroup(struct fb_snapshot_reader *reader,
                                   const struct fb_podgroup *podgroup, struct fb_error *err)
{
    struct fb_snapshot *snapshot = reader->snapshot;
    struct fb_podgroup *at;

    if (snapshot->podgroups_len >= reader->pods_max)
        return too_many(reader->pods_max, "pod groups", err);
    at = fb_arena_more(reader->arena, snapshot->podgroups, snapshot->podgroups_len,
                       &snapshot->podgroups_size, sizeof *at);
    if (at == NULL)
        return no_memory(err);
    snapshot->podgroups = at;
    at[snapshot->podgroups_len++] = *podgroup;
    return FB_OK;
}

static enum fb_status add_job(struct fb_snapshot_reader *reader, const struct fb_job *job,
                              struct fb_error *err)
{
    struct fb_jobs *jobs = &reader->snapshot->jobs;
    struct fb_job *at;

    if (jobs->len >= reader->pods_max)
        return too_many(reader->pods_max, "jobs", err);
    at = fb_arena_more(reader->arena, jobs->at, jobs->len, &jobs->size, sizeof *at);
    if (at == NULL)
        return no_memory(err);
    jobs->at = at;
    at[jobs->len++] = *job;
    return FB_OK;
}

static enum fb_status add_namespace(struct fb_snapshot_reader *reader,
                                    const struct fb_namespace *namespace, struct fb_error *err)
{
    struct fb_namespaces *all = &reader->snapshot->namespaces;
    struct fb_namespace *at;

    if (all->len >= reader->pods_max)
        return too_many(reader->pods_max, "namespaces", err);
    at = fb_arena_more(reader->arena, all->at, all->len, &all->size, sizeof *at);
    if (at == NULL)
        return no_memory(err);
    all->at = at;
    at[all->len++] = *namespace;
    return FB_OK;
}

static enum fb_status add_object(void *context, const struct fb_object *object,
                                 struct fb_error *err)
{
    struct fb_snapshot_reader *reader = context;

    if (object->kind == FB_KIND_NONE) {
        reader->snapshot->skipped++;
        return FB_OK;
    }
    if (object->pod.name[0] == '\0')
        return fb_error_set(err, FB_EINPUT, "metadata.name: not given");
    if (object->kind == FB_KIND_NODE)
        return add_node(reader, &object->node, err);
    if (object->kind == FB_KIND_POD)
        return add_pod(reader, &object->pod, err);
    if (object->kind == FB_KIND_PODGROUP)
        return add_podgroup(reader, &object->podgroup, err);
    if (object->kind == FB_KIND_NAMESPACE)
        return add_namespace(reader, &object->namespace, err);
    return add_job(reader, &object->job, err);
}

/* The paths of a list and of its items, compiled. */
static enum fb_status compile_paths(const struct fb_object_mount *mount, struct fb_scan_paths **ret,
                                    struct fb_error *err)
{
    const size_t own_len = sizeof list_paths / sizeof list_paths[0];
    size_t len;
    const struct fb_scan_path *mounted = fb_object_mount_paths(mount, &len);
    struct fb_scan_path *all = calloc(own_len + len, sizeof *all);
    enum fb_status st;

    if (all == NULL)
        return no_memory(err);
    memcpy(all, list_paths, sizeof list_paths);
    memcpy(all + own_len, mounted, len * sizeof *all);
    st = fb_scan_paths_new(all, own_len + len, ret, err);
    free(all);
    return st;
}

enum fb_status fb_snapshot_reader_new(struct fb_arena *arena, struct fb_snapshot *snapshot,
                                      const struct fb_snapshot_limits *limits,
                                      struct fb_snapshot_reader **ret, struct fb_error *err)
{
    FB_OWNED(fb_snapshot_reader_freep)
    struct fb_snapshot_reader *reader = calloc(1, sizeof *reader);
    enum fb_status st;

    if (reader == NULL)
        return no_memory(err);
    reader->arena = arena;
    reader->snapshot = snapshot;
    reader->nodes_max = limits != NULL && limits->nodes > 0 ? limits->nodes : NODES_DEFAULT;
    reader->pods_max = limits != NULL && limits->pods > 0 ? limits->pods : PODS_DEFAULT;
    st = fb_object_mount_new("items[]", FB_KINDS_ALL, MOUNTED, &reader->mount, err);
    if (st == FB_OK)
        st = compile_paths(reader->mount, &reader->paths, err);
    if (st != FB_OK)
        return st;
    reader->objects = fb_object_reader_new(arena, reader->mount, add_object, reader);
    reader->scan =
        fb_scan_new(reader->paths, limits != NULL ? &limits->scan : NULL, take_value, reader);
    if (reader->objects == NULL || reader->scan == NULL)
        return no_memory(err);
    begin_list(reader);
    *ret = FB_TAKE(reader);
    return FB_OK;
}

void fb_snapshot_reader_free(struct fb_snapshot_reader *reader)
{
    if (reader == NULL)
        return;
    fb_scan_free(reader->scan);
    fb_object_reader_free(reader->objects);
    fb_scan_paths_free(reader->paths);
    fb_object_mount_free(reader->mount);
    free(reader);
}

void fb_snapshot_reader_freep(struct fb_snapshot_reader **reader)
{
    fb_snapshot_reader_free(*reader);
    *reader = NULL;
}

enum fb_status fb_snapshot_reader_feed(struct fb_snapshot_reader *reader, const char *bytes,
                                       size_t len, struct fb_error *err)
{
    return fb_scan_feed(reader->scan, bytes, len, err);
}

enum fb_status fb_snapshot_reader_finish(struct fb_snapshot_reader *reader, struct fb_error *err)
{
    enum fb_status st = fb_scan_finish(reader->scan, err);

    if (st != FB_OK)
        return st;
    fb_namespaces_sort(&reader->snapshot->namespaces);
    fb_scan_reset(reader->scan);
    begin_list(reader);
    return FB_OK;
}
