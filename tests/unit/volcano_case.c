/* SPDX-License-Identifier: Apache-2.0 */
#include "volcano_case.h"

#include "fabricbind/own.h"
#include "unit.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

char *volcano_case_load(const char *path, size_t *ret_len)
{
    char name[512];
    FILE *file;
    char *bytes = NULL;
    size_t size = 0;
    FILE *into = open_memstream(&bytes, &size);
    char block[4096];
    size_t got;

    (void)snprintf(name, sizeof name, FB_TEST_RECORDED "/%s", path);
    file = fopen(name, "rb");
    assert_non_null(file);
    assert_non_null(into);
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        assert_int_equal(fwrite(block, 1, got, into), got);
    (void)fclose(file);
    assert_int_equal(fclose(into), 0);
    *ret_len = size;
    return bytes;
}

static int ends_so(const char *name, const char *verb)
{
    const char *dash = strchr(name, '-');
    const char *dot = strrchr(name, '.');

    return dash != NULL && dot != NULL && strlen(verb) == (size_t)(dot - dash) - 1 &&
           strncmp(dash + 1, verb, strlen(verb)) == 0;
}

size_t volcano_case_each(const char *verb, void (*each)(const char *path, void *context),
                         void *context)
{
    static const char *const folders[] = {"aws", "azure",        "gcp",
                                          "oci", "volcano-1.12", "volcano-1.9"};
    size_t seen = 0;

    for (size_t i = 0; i < COUNT(folders); i++) {
        char name[512];
        struct dirent **found;
        int len;

        (void)snprintf(name, sizeof name, FB_TEST_RECORDED "/%s", folders[i]);
        len = scandir(name, &found, NULL, alphasort);
        assert_true(len > 0);
        for (int f = 0; f < len; f++) {
            if (ends_so(found[f]->d_name, verb)) {
                (void)snprintf(name, sizeof name, "%s/%s", folders[i], found[f]->d_name);
                each(name, context);
                seen++;
            }
            free(found[f]);
        }
        free(found);
    }
    return seen;
}

/* What hooks are told with. */
struct told {
    FILE *out;
    const char *known;
};

static bool knows(void *context, const char *node)
{
    const struct told *told = context;

    return told->known != NULL && strcmp(told->known, node) == 0;
}

static void write_amounts(FILE *out, const char *name, const struct fb_resources *amounts)
{
    (void)fprintf(out, " %s", name);
    for (size_t i = 0; i < amounts->len; i++)
        (void)fprintf(out, " %s=%" PRId64, amounts->at[i].name, amounts->at[i].amount);
}

static void write_pod(FILE *out, const struct fb_pod *pod)
{
    (void)fprintf(out, "%s/%s %s labels=%zu owners=%zu", pod->space, pod->name, pod->phase,
                  pod->labels.len, pod->owners_len);
    for (size_t i = 0; i < pod->containers_len; i++)
        write_amounts(out, pod->containers[i].name, &pod->containers[i].requests);
}

static enum fb_status write_node(void *context, const struct fb_sight *sight, struct fb_error *err)
{
    const struct told *told = context;
    FILE *out = told->out;

    (void)err;
    (void)fprintf(out, "node %s", sight->name);
    if (sight->node != NULL) {
        (void)fprintf(out, " %s labels=%zu ready=%d", sight->node->instance_type,
                      sight->node->labels.len, sight->node->ready);
        write_amounts(out, "allocatable", &sight->node->allocatable);
    }
    write_amounts(out, "idle", &sight->idle);
    write_amounts(out, "releasing", &sight->releasing);
    write_amounts(out, "pipelined", &sight->pipelined);
    for (size_t i = 0; i < sight->pods_len; i++) {
        (void)fprintf(out, " on %" PRId64 " ", sight->pods[i].status);
        write_pod(out, &sight->pods[i].pod);
    }
    (void)fprintf(out, "\n");
    return FB_OK;
}

static enum fb_status feed_all(struct fb_volcano_reader *reader, const struct volcano_case *from,
                               struct fb_error *err)
{
    enum fb_status st = FB_OK;

    for (size_t at = 0; st == FB_OK && at < from->len; at += from->piece) {
        size_t left = from->len - at;

        st = fb_volcano_reader_feed(reader, from->body + at,
                                    left < from->piece ? left : from->piece, err);
    }
    return st;
}

enum fb_status volcano_case_read(const struct fb_volcano_formats *formats,
                                 const struct volcano_case *from, FILE *out, struct fb_error *err)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    FB_OWNED(fb_volcano_reader_freep) struct fb_volcano_reader *reader = NULL;
    struct told told = {out, from->known};
    struct fb_volcano_reading how = {from->verb, arena, NULL, knows, write_node, &told};
    struct fb_sight_task task;
    enum fb_status st;

    if (arena == NULL)
        return FB_ENOMEM;
    st = fb_volcano_reader_new(formats, &how, &reader, err);
    if (st == FB_OK)
        st = feed_all(reader, from, err);
    if (st == FB_OK)
        st = fb_volcano_reader_finish(reader, &task, err);
    if (st != FB_OK)
        return st;
    (void)fprintf(out, "task %s to '%s' status %" PRId64 " ", task.uid, task.node, task.status);
    if (task.pod != NULL)
        write_pod(out, task.pod);
    (void)fprintf(out, "\n");
    return FB_OK;
}

char *volcano_case_text(const struct fb_volcano_formats *formats, const struct volcano_case *from)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct fb_error err = {0};
    enum fb_status st;

    assert_non_null(out);
    st = volcano_case_read(formats, from, out, &err);
    (void)fclose(out);
    if (st != FB_OK)
        fail_msg("%s", err.text);
    return text;
}

struct fb_volcano_formats *volcano_case_formats(void)
{
    struct fb_volcano_formats *formats = NULL;

    assert_int_equal(fb_volcano_formats_new(&formats, NULL), FB_OK);
    return formats;
}
