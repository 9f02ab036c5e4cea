/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"

#include "file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum owner {
    VOLCANO,
    KUBE,
    ADMISSION,
};

/* Every verb a file can have. Source: Volcano, pkg/scheduler/plugins/extender, its arguments. */
static const struct row {
    const char *name;
    enum owner owner;
    enum fb_recording_verb verb; /* of VOLCANO */
    const char *route;           /* of VOLCANO */
} rows[] = {
    {"predicate", VOLCANO, FB_RECORDING_PREDICATE, "/volcano/predicate"},
    {"prioritize", VOLCANO, FB_RECORDING_PRIORITIZE, "/volcano/prioritize"},
    {"allocateFunc", VOLCANO, FB_RECORDING_ALLOCATE, "/volcano/allocate"},
    {"deallocateFunc", VOLCANO, FB_RECORDING_DEALLOCATE, "/volcano/deallocate"},
    {"jobEnqueueable", VOLCANO, FB_RECORDING_JOBENQUEUEABLE, "/volcano/jobenqueueable"},
    {"jobEnqueued", VOLCANO, FB_RECORDING_JOBENQUEUED, "/volcano/jobenqueued"},
    {"jobReady", VOLCANO, FB_RECORDING_JOBREADY, "/volcano/jobready"},
    {"preemptable", VOLCANO, FB_RECORDING_PREEMPTABLE, "/volcano/preemptable"},
    {"reclaimable", VOLCANO, FB_RECORDING_RECLAIMABLE, "/volcano/reclaimable"},
    {"queueOverused", VOLCANO, FB_RECORDING_QUEUEOVERUSED, "/volcano/queueoverused"},
    {"onSessionOpen", VOLCANO, FB_RECORDING_SESSIONOPEN, "/volcano/sessionopen"},
    {"onSessionClose", VOLCANO, FB_RECORDING_SESSIONCLOSE, "/volcano/sessionclose"},
    {"filter", KUBE, FB_RECORDING_VERBS, NULL},
    {"bind", KUBE, FB_RECORDING_VERBS, NULL},
    {"preempt", KUBE, FB_RECORDING_VERBS, NULL},
    {"admission-pods", ADMISSION, FB_RECORDING_VERBS, NULL},
    {"admission-bindings", ADMISSION, FB_RECORDING_VERBS, NULL},
    {"admission-jobs", ADMISSION, FB_RECORDING_VERBS, NULL},
};

const char *fb_recording_verb_name(enum fb_recording_verb verb)
{
    return strrchr(rows[verb].route, '/') + 1; /* the rows of VOLCANO come first, in order */
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* The row of "0012-predicate.json", NULL when it is no such name. */
static const struct row *row_of(const char *name)
{
    size_t digits = strspn(name, "0123456789");

    if (digits == 0 || name[digits] != '-')
        return NULL;
    name += digits + 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t len = strlen(rows[i].name);

        if (strncmp(name, rows[i].name, len) == 0 && strcmp(name + len, ".json") == 0)
            return &rows[i];
    }
    return NULL;
}

static enum fb_status check_names(const struct fb_texts *paths, bool *ret_kube,
                                  struct fb_error *err)
{
    *ret_kube = false;
    for (size_t i = 0; i < paths->len; i++) {
        const struct row *row = row_of(name_of(paths->at[i]));

        if (row == NULL)
            return fb_error_set(err, FB_EINPUT, "%s: is not named as NNNN-verb.json", paths->at[i]);
        *ret_kube |= row->owner == KUBE;
    }
    return FB_OK;
}

static void skip(struct fb_recording *recording, const char *verb)
{
    size_t i = 0;

    while (i < recording->skips_len && strcmp(recording->skips[i].verb, verb) != 0)
        i++;
    if (i == recording->skips_len)
        recording->skips[recording->skips_len++].verb = verb;
    recording->skips[i].count++;
}

static struct fb_recording_entry entry_of(const struct row *row, const char *path, bool array)
{
    struct fb_recording_entry entry = {path, name_of(path), row->route, row->verb};

    if (array && row->verb == FB_RECORDING_PREDICATE)
        entry.route = "/volcano-1.9/predicate";
    return entry;
}

enum fb_status fb_recording_list(struct fb_arena *arena, const char *dir, bool array,
                                 struct fb_recording *ret, struct fb_error *err)
{
    struct fb_texts paths = {0};
    struct fb_recording list = {0};
    struct fb_recording_entry *entries;
    bool kube;
    enum fb_status st = fb_file_list(arena, dir, ".json", &paths, err);

    if (st == FB_OK && paths.len > FB_RECORDING_FILES)
        return fb_error_set(err, FB_ELIMIT, "%s: more than %d files", dir, FB_RECORDING_FILES);
    if (st == FB_OK)
        st = check_names(&paths, &kube, err);
    if (st != FB_OK)
        return st;
    entries = fb_arena_alloc(arena, (paths.len + 1) * sizeof *entries);
    if (entries == NULL)
        return fb_error_set(err, FB_ENOMEM, "%s: out of memory", dir);
    for (size_t i = 0; i < paths.len; i++) {
        const struct row *row = row_of(name_of(paths.at[i]));

        if (row->owner != VOLCANO || (kube && row->verb == FB_RECORDING_PRIORITIZE))
            skip(&list, row->name);
        else
            entries[list.len++] = entry_of(row, paths.at[i], array);
    }
    if (list.len == 0)
        return fb_error_set(err, FB_EINPUT, "%s: no requests of Volcano's", dir);
    list.at = entries;
    *ret = list;
    return FB_OK;
}

static enum fb_status append(void *context, const char *bytes, size_t len, struct fb_error *err)
{
    struct fb_recording_body *body = context;

    if (len > FB_RECORDING_BODY_BYTES - body->len)
        return fb_error_set(err, FB_ELIMIT, "more than %zu bytes", FB_RECORDING_BODY_BYTES);
    if (body->len + len > body->size) {
        size_t size = (body->len + len) * 2;
        char *grown = realloc(body->at, size);

        if (grown == NULL)
            return fb_error_set(err, FB_ENOMEM, "out of memory");
        body->at = grown;
        body->size = size;
    }
    memcpy(body->at + body->len, bytes, len);
    body->len += len;
    return FB_OK;
}

enum fb_status fb_recording_load(const struct fb_recording_entry *entry,
                                 struct fb_recording_body *body, struct fb_error *err)
{
    body->len = 0;
    return fb_file_stream(entry->path, SIZE_MAX, append, body, err);
}

void fb_recording_body_fini(struct fb_recording_body *body)
{
    free(body->at);
    *body = (struct fb_recording_body){0};
}
