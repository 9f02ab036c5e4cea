/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include "fabricbind/gang.h"
#include "fabricbind/manifest.h"
#include "fabricbind/own.h"
#include "fabricbind/policyfile.h"
#include "file.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Policies and configurations are written by people. */
#define TEXT_BYTES ((size_t)16 * 1024 * 1024)

/* Cut at the end when too long. */
static void FB_PRINTF(2, 3) tell(const struct fb_inputs *in, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    in->notice(in->notice_context, text);
}

static enum fb_status read_policies(struct fb_inputs *in, const char *dir, struct fb_error *err)
{
    struct fb_texts files = {0};
    enum fb_status st = fb_file_list(in->arena, dir, ".yaml", &files, err);

    for (size_t i = 0; st == FB_OK && i < files.len; i++) {
        const char *text;
        size_t len;

        st = fb_file_read(in->arena, files.at[i], TEXT_BYTES, &text, &len, err);
        if (st != FB_OK)
            break;
        st = fb_policyfile_read(in->arena, &in->policies, text, len, err);
        if (st != FB_OK)
            return fb_error_prefix(err, st, "%s", files.at[i]);
    }
    return st;
}

/* Where the program stands tells where its policies are: installed, or in a build tree. */
static enum fb_status find_policies(struct fb_arena *arena, const char **ret, struct fb_error *err)
{
    static const char *const places[] = {"../share/fabricbind/policies", "../../policies"};
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (len < 1)
        return fb_error_set(err, FB_EIO, "cannot tell where this program is; use --policies");
    self[len] = '\0';
    slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        *ret = fb_file_join(arena, self, places[i]);
        if (*ret == NULL)
            return fb_error_set(err, FB_ENOMEM, "out of memory");
        if (access(*ret, R_OK | X_OK) == 0)
            return FB_OK;
    }
    return fb_error_set(err, FB_ENOTFOUND, "no policies beside %s; use --policies", self);
}

static enum fb_status load_policies(struct fb_inputs *in, const struct fb_options *options,
                                    struct fb_error *err)
{
    const char *shipped = NULL;
    enum fb_status st = find_policies(in->arena, &shipped, err);

    if (st == FB_OK)
        st = read_policies(in, shipped, err);
    else if (options->policies.len > 0)
        st = FB_OK; /* the program alone, without its data, is fine when told where to look */
    for (size_t i = 0; st == FB_OK && i < options->policies.len; i++)
        st = read_policies(in, options->policies.at[i], err);
    return st;
}

typedef enum fb_status (*config_reader)(struct fb_arena *arena, struct fb_config *config,
                                        const struct fb_policies *policies, const char *text,
                                        size_t len, struct fb_error *err);

static enum fb_status read_config(struct fb_inputs *in, const char *path, config_reader reader,
                                  struct fb_error *err)
{
    const char *text;
    size_t len;
    enum fb_status st;

    if (path == NULL)
        return FB_OK;
    st = fb_file_read(in->arena, path, TEXT_BYTES, &text, &len, err);
    if (st != FB_OK)
        return st;
    st = reader(in->arena, &in->config, &in->policies, text, len, err);
    return st == FB_OK ? st : fb_error_prefix(err, st, "%s", path);
}

static enum fb_status load_config(struct fb_inputs *in, const struct fb_options *options,
                                  struct fb_error *err)
{
    const char *path = options->config != NULL ? options->config : options->helix_values;
    enum fb_status st = fb_config_defaults(in->arena, &in->config);

    if (st != FB_OK)
        return fb_error_set(err, st, "out of memory");
    st = read_config(in, options->config, fb_config_read, err);
    if (st == FB_OK)
        st = read_config(in, options->helix_values, fb_config_read_helix, err);
    if (st != FB_OK || path == NULL)
        return st;
    st = fb_config_finish(&in->config, &in->policies, err);
    return st == FB_OK ? st : fb_error_prefix(err, st, "%s", path);
}

static enum fb_status feed(void *context, const char *bytes, size_t len, struct fb_error *err)
{
    return fb_snapshot_reader_feed(context, bytes, len, err);
}

static enum fb_status read_list(struct fb_inputs *in, const char *path,
                                struct fb_snapshot_reader *reader, struct fb_error *err)
{
    enum fb_status st = fb_file_stream(path, in->config.limits.file_bytes, feed, reader, err);

    if (st != FB_OK)
        return st;
    st = fb_snapshot_reader_finish(reader, err);
    return st == FB_OK ? st : fb_error_prefix(err, st, "%s", path);
}

/* "a, b" in front of what is known to be missing; cut at the end when too long. */
static void add_name(char *list, size_t size, const char *name)
{
    size_t len = strlen(list);

    (void)snprintf(list + len, size - len, "%s%s", len > 0 ? ", " : "", name);
}

/* nodes.json must be there; without the others some things cannot be known, which is said. */
static enum fb_status read_directory(struct fb_inputs *in, const char *dir,
                                     struct fb_snapshot_reader *reader, struct fb_error *err)
{
    static const char *const names[] = {"nodes.json",  "pods.json",   "podgroups.json",
                                        "vcjobs.json", "owners.json", "namespaces.json"};
    const size_t silent = 5; /* namespaces are asked for by admission only */
    char missing[128] = "";

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *path = fb_file_join(in->arena, dir, names[i]);
        enum fb_status st;

        if (path == NULL)
            return fb_error_set(err, FB_ENOMEM, "out of memory");
        st = read_list(in, path, reader, err);
        if (st == FB_ENOTFOUND && i > 0 && i < silent)
            add_name(missing, sizeof missing, names[i]);
        else if (st != FB_OK && (st != FB_ENOTFOUND || i == 0))
            return st;
    }
    if (*missing != '\0')
        tell(in, "%s: no %s: running pods or gang sizes are known in part", dir, missing);
    return FB_OK;
}

static enum fb_status load_snapshot(struct fb_inputs *in, const struct fb_options *options,
                                    struct fb_error *err)
{
    const struct fb_limits *bounds = &in->config.limits;
    struct fb_snapshot_limits limits = {
        .scan = {.depth = bounds->depth,
                 .string_bytes = bounds->string_bytes,
                 .bytes = bounds->file_bytes},
        .nodes = bounds->nodes,
        .pods = bounds->pods,
    };
    FB_OWNED(fb_snapshot_reader_freep) struct fb_snapshot_reader *reader = NULL;
    enum fb_status st = FB_OK;

    if (options->snapshot == NULL)
        return FB_OK;
    st = fb_snapshot_reader_new(in->arena, &in->snapshot, &limits, &reader, err);
    if (st != FB_OK)
        return st;
    if (strcmp(options->snapshot, "-") == 0)
        st = read_list(in, options->snapshot, reader, err);
    else
        st = read_directory(in, options->snapshot, reader, err);
    if (st == FB_OK && in->snapshot.skipped > 0)
        tell(in, "%zu objects of other kinds skipped", in->snapshot.skipped);
    return st;
}

static enum fb_status load_jobs(struct fb_inputs *in, const struct fb_options *options,
                                struct fb_error *err)
{
    for (size_t i = 0; i < options->jobs.len; i++) {
        const char *path = options->jobs.at[i];
        size_t skipped = 0;
        const char *text;
        size_t len;
        enum fb_status st = fb_file_read(in->arena, path, TEXT_BYTES, &text, &len, err);

        if (st != FB_OK)
            return st;
        st = fb_manifest_read(in->arena, text, len, &in->jobs, &skipped, err);
        if (st != FB_OK)
            return fb_error_prefix(err, st, "%s", path);
        if (skipped > 0)
            tell(in, "%s: %zu objects of other kinds skipped", path, skipped);
    }
    /* Submitted anew they get UIDs anew. */
    for (size_t i = 0; i < in->jobs.len; i++)
        in->jobs.at[i].uid = "";
    return FB_OK;
}

/* The jobs are planned as if submitted anew: pods of theirs that run already make room. */
static void take_out(struct fb_inputs *in, const struct fb_job *job)
{
    struct fb_snapshot *snapshot = &in->snapshot;
    size_t kept = 0;

    for (size_t i = 0; i < snapshot->pods_len; i++) {
        if (!fb_gang_owns(job, &snapshot->pods[i]))
            snapshot->pods[kept++] = snapshot->pods[i];
    }
    if (kept < snapshot->pods_len)
        tell(in, "%s/%s: its own %zu pods are taken out of the snapshot", job->space, job->name,
             snapshot->pods_len - kept);
    snapshot->pods_len = kept;
}

enum fb_status fb_load_build(struct fb_inputs *in, struct fb_error *err)
{
    const struct fb_snapshot *from = &in->snapshot;

    in->namespaces = from->namespaces;
    in->objects = (struct fb_objects){
        .nodes = from->nodes,
        .nodes_len = from->nodes_len,
        .pods = from->pods,
        .pods_len = from->pods_len,
        .jobs = &from->jobs,
        .podgroups = from->podgroups,
        .podgroups_len = from->podgroups_len,
    };
    if (fb_cluster_build(in->arena, &in->objects, &in->policies, &in->config.settings,
                         &in->cluster) != FB_OK)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return FB_OK;
}

enum fb_status fb_load_with(struct fb_arena *arena, const struct fb_options *options,
                            fb_load_notice notice, void *context, struct fb_inputs *ret,
                            struct fb_error *err)
{
    enum fb_status st;

    *ret = (struct fb_inputs){.arena = arena, .notice = notice, .notice_context = context};
    st = load_policies(ret, options, err);
    if (st == FB_OK)
        st = load_config(ret, options, err);
    if (st == FB_OK)
        st = load_jobs(ret, options, err);
    if (st == FB_OK)
        st = load_snapshot(ret, options, err);
    for (size_t i = 0; st == FB_OK && !options->keep_members && i < ret->jobs.len; i++)
        take_out(ret, &ret->jobs.at[i]);
    return st == FB_OK ? fb_load_build(ret, err) : st;
}

static void print_notice(void *context, const char *text)
{
    (void)context;
    (void)fprintf(stderr, "fabricbind: %s\n", text);
}

enum fb_status fb_load(struct fb_arena *arena, const struct fb_options *options,
                       struct fb_inputs *ret, struct fb_error *err)
{
    return fb_load_with(arena, options, print_notice, NULL, ret, err);
}
