/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/manifest.h"
#include "fabricbind/own.h"
#include "fabricbind/snapshot.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * The first byte is the size of the pieces that the rest is fed in as a snapshot, and what that
 * is must not depend on it; 0: the rest is a manifest. Of nothing that was read may a text be
 * missing, and no job may be over its bound.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fb_snapshot_limits limits = {
    .scan = {.depth = 32, .string_bytes = 256}, .nodes = 20, .pods = 20};

static void check(bool right)
{
    if (!right)
        abort();
}

static void check_texts(const struct fb_pairs *pairs)
{
    for (size_t i = 0; i < pairs->len; i++)
        check(pairs->at[i].key != NULL && pairs->at[i].value != NULL);
}

static void check_amounts(const struct fb_resources *amounts)
{
    for (size_t i = 0; i < amounts->len; i++) {
        check(amounts->at[i].name != NULL && amounts->at[i].amount >= 0);
        check(fb_resources_find(amounts, amounts->at[i].name) == &amounts->at[i]);
    }
}

static void check_terms(const struct fb_pod *pod)
{
    for (size_t i = 0; i < pod->terms_len; i++) {
        const struct fb_term *term = &pod->terms[i];

        for (size_t j = 0; j < term->len; j++) {
            check(term->at[j].key != NULL && term->at[j].op != NULL);
            for (size_t k = 0; k < term->at[j].values.len; k++)
                check(term->at[j].values.at[k] != NULL);
        }
    }
    check(pod->has_affinity || pod->terms_len == 0);
}

static void check_pod(const struct fb_pod *pod)
{
    bool main = false;

    check(pod->space != NULL && pod->name != NULL && pod->uid != NULL && pod->node != NULL &&
          pod->phase != NULL);
    check_texts(&pod->labels);
    check_texts(&pod->annotations);
    check_texts(&pod->selector);
    check_amounts(&pod->overhead);
    for (size_t i = 0; i < pod->containers_len; i++) {
        main = main || pod->containers[i].role == FB_CONTAINER_MAIN;
        check(main == (pod->containers[i].role == FB_CONTAINER_MAIN));
        check(pod->containers[i].name != NULL);
        check_amounts(&pod->containers[i].requests);
        check_amounts(&pod->containers[i].limits);
        check(pod->containers[i].requests.len >= pod->containers[i].limits.len);
    }
    for (size_t i = 0; i < pod->claims.len; i++)
        check(pod->claims.at[i] != NULL);
    check_terms(pod);
}

static void check_job(const struct fb_job *job, struct fb_arena *arena)
{
    int64_t pods = 0;

    check_texts(&job->labels);
    check_texts(&job->annotations);
    for (size_t i = 0; i < job->tasks_len; i++) {
        const struct fb_task *task = &job->tasks[i];

        check(task->pods >= 0 && task->inner >= 1);
        check(fb_job_pod_name(arena, job, task, 0, 0) != NULL);
        check_pod(&task->pod);
        pods += task->pods;
    }
    check(pods == fb_job_pods(job) && pods * job->groups <= 100000);
}

static void check_snapshot(const struct fb_snapshot *snapshot, struct fb_arena *arena)
{
    for (size_t i = 0; i < snapshot->nodes_len; i++) {
        check(snapshot->nodes[i].name[0] != '\0');
        check_texts(&snapshot->nodes[i].labels);
        check_amounts(&snapshot->nodes[i].capacity);
        check_amounts(&snapshot->nodes[i].allocatable);
    }
    for (size_t i = 0; i < snapshot->pods_len; i++)
        check_pod(&snapshot->pods[i]);
    for (size_t i = 0; i < snapshot->podgroups_len; i++)
        check(snapshot->podgroups[i].owner.uid != NULL && snapshot->podgroups[i].min_member >= 0);
    for (size_t i = 0; i < snapshot->jobs.len; i++)
        check_job(&snapshot->jobs.at[i], arena);
}

static enum fb_status read_pieces(struct fb_arena *arena, const char *text, size_t len, size_t step,
                                  struct fb_snapshot *snapshot, struct fb_error *err)
{
    FB_OWNED(fb_snapshot_reader_freep) struct fb_snapshot_reader *reader = NULL;
    enum fb_status st = fb_snapshot_reader_new(arena, snapshot, &limits, &reader, err);

    for (size_t at = 0; at < len && st == FB_OK; at += step)
        st = fb_snapshot_reader_feed(reader, text + at, len - at < step ? len - at : step, err);
    return st == FB_OK ? fb_snapshot_reader_finish(reader, err) : st;
}

static void fuzz_snapshot(struct fb_arena *arena, const char *text, size_t len, size_t step)
{
    struct fb_snapshot whole = {0};
    struct fb_snapshot parts = {0};
    struct fb_error errs[2] = {{0}, {0}};
    enum fb_status st = read_pieces(arena, text, len, len + 1, &whole, &errs[0]);

    check(read_pieces(arena, text, len, step, &parts, &errs[1]) == st);
    check(strcmp(errs[0].text, errs[1].text) == 0);
    if (st != FB_OK)
        return;
    check_snapshot(&whole, arena);
    check(whole.nodes_len == parts.nodes_len && whole.pods_len == parts.pods_len &&
          whole.podgroups_len == parts.podgroups_len && whole.jobs.len == parts.jobs.len &&
          whole.skipped == parts.skipped);
}

static void fuzz_manifest(struct fb_arena *arena, const char *text, size_t len)
{
    struct fb_jobs jobs = {0};
    struct fb_error err = {0};
    size_t skipped;

    if (fb_manifest_read(arena, text, len, &jobs, &skipped, &err) != FB_OK) {
        check(err.text[0] != '\0' && strchr(err.text, '\n') == NULL && jobs.len == 0);
        return;
    }
    check(jobs.len > 0);
    for (size_t i = 0; i < jobs.len; i++) {
        check(jobs.at[i].name[0] != '\0' && jobs.at[i].space[0] != '\0');
        check_job(&jobs.at[i], arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    const char *text = (const char *)data;

    if (size == 0 || arena == NULL)
        return 0;
    if (data[0] > 0)
        fuzz_snapshot(arena, text + 1, size - 1, data[0]);
    else
        fuzz_manifest(arena, text + 1, size - 1);
    return 0;
}
