/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "replay_send.h"
#include "table.h"

#include "fabricbind/own.h"

#include <stdlib.h>

static const struct fb_column row_columns[] = {
    {"FILE", FB_SIDE_LEFT, FB_GIVE_MIDDLE, 12},    {"VERB", FB_SIDE_LEFT, FB_GIVE_END, 8},
    {"STATUS", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 6}, {"MS", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 5},
    {"ANSWER", FB_SIDE_LEFT, FB_GIVE_WRAP, 20},
};

static const struct fb_column verb_columns[] = {
    {"VERB", FB_SIDE_LEFT, FB_GIVE_END, 8},        {"SENT", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 4},
    {"ERRORS", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 6}, {"P50 MS", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 6},
    {"P90 MS", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 6}, {"P99 MS", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 6},
    {"MAX MS", FB_SIDE_RIGHT, FB_GIVE_NOTHING, 6},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A replay that is over. */
struct done {
    struct fb_arena *arena;
    const struct fb_command_context *context;
    struct fb_recording recording;
    struct fb_replay_result *result;
    uint64_t sent, errors;
};

static void free_result(struct fb_replay_result **result)
{
    if (*result != NULL)
        free((*result)->rows);
    free(*result);
}

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static const char *ms_text(struct fb_arena *arena, uint64_t ns)
{
    return fb_arena_print(arena, "%.3f", ms(ns));
}

static enum fb_status add_row(const struct done *done, struct fb_table *table, size_t i,
                              struct fb_error *err)
{
    const struct fb_recording_entry *entry = &done->recording.at[i];
    const struct fb_replay_row *row = &done->result->rows[i];
    const struct fb_cell cells[] = {
        {entry->name, FB_STYLE_PLAIN},
        {fb_recording_verb_name(entry->verb), FB_STYLE_PLAIN},
        {row->status == 0 ? "-" : fb_arena_print(done->arena, "%u", row->status), FB_STYLE_PLAIN},
        {ms_text(done->arena, row->ns), FB_STYLE_DIM},
        {row->answer.text, row->answer.good ? FB_STYLE_PLAIN : FB_STYLE_BAD},
    };

    return fb_table_add(table, cells, err);
}

static enum fb_status print_rows(const struct done *done, struct fb_error *err)
{
    struct fb_table table;
    enum fb_status st = FB_OK;

    fb_table_init(&table, done->arena, row_columns, COUNT(row_columns));
    for (size_t i = 0; st == FB_OK && i < done->recording.len; i++)
        st = add_row(done, &table, i, err);
    if (st == FB_OK)
        st = fb_table_print(&table, done->context->terminal, done->context->out, err);
    if (st == FB_OK)
        (void)fputc('\n', done->context->out);
    return st;
}

static enum fb_status add_verb(const struct done *done, struct fb_table *table,
                               enum fb_recording_verb verb, struct fb_error *err)
{
    struct fb_arena *arena = done->arena;
    const struct fb_replay_count *count = &done->result->verbs[verb];
    const struct fb_cell cells[] = {
        {fb_recording_verb_name(verb), FB_STYLE_BOLD},
        {fb_arena_print(arena, "%llu", (unsigned long long)count->sent), FB_STYLE_PLAIN},
        {fb_arena_print(arena, "%llu", (unsigned long long)count->errors),
         count->errors > 0 ? FB_STYLE_BAD : FB_STYLE_PLAIN},
        {ms_text(arena, fb_latency_at(&count->latency, 50)), FB_STYLE_PLAIN},
        {ms_text(arena, fb_latency_at(&count->latency, 90)), FB_STYLE_PLAIN},
        {ms_text(arena, fb_latency_at(&count->latency, 99)), FB_STYLE_PLAIN},
        {ms_text(arena, count->latency.most_ns), FB_STYLE_PLAIN},
    };

    return fb_table_add(table, cells, err);
}

static enum fb_status print_verbs(const struct done *done, struct fb_error *err)
{
    struct fb_table table;
    enum fb_status st = FB_OK;

    fb_table_init(&table, done->arena, verb_columns, COUNT(verb_columns));
    for (int verb = 0; st == FB_OK && verb < FB_RECORDING_VERBS; verb++) {
        if (done->result->verbs[verb].sent > 0)
            st = add_verb(done, &table, (enum fb_recording_verb)verb, err);
    }
    return st == FB_OK ? fb_table_print(&table, done->context->terminal, done->context->out, err)
                       : st;
}

static enum fb_status print_line(const struct done *done, const char *text, struct fb_error *err)
{
    if (text == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return fb_command_line(done->context, done->arena, text, err);
}

static enum fb_status print_skipped(const struct done *done, struct fb_error *err)
{
    const char *text = "skipped:";

    for (size_t i = 0; text != NULL && i < done->recording.skips_len; i++) {
        const struct fb_recording_skip *skip = &done->recording.skips[i];

        text = fb_arena_print(done->arena, "%s%s %zu %s", text, i > 0 ? "," : "", skip->count,
                              skip->verb);
    }
    return print_line(done, text, err);
}

static enum fb_status print_table(const struct done *done, struct fb_error *err)
{
    const struct fb_replay_result *result = done->result;
    enum fb_status st = FB_OK;

    if (result->rows != NULL)
        st = print_rows(done, err);
    if (st == FB_OK)
        st = print_verbs(done, err);
    if (st == FB_OK)
        st = print_line(done,
                        fb_arena_print(done->arena, "%llu requests in %.3f s, %llu errors",
                                       (unsigned long long)done->sent, (double)result->ns / 1e9,
                                       (unsigned long long)done->errors),
                        err);
    if (st == FB_OK && result->fault_name != NULL)
        st = print_line(
            done,
            fb_arena_print(done->arena, "first error: %s: %s", result->fault_name, result->fault),
            err);
    if (st == FB_OK && done->recording.skips_len > 0)
        st = print_skipped(done, err);
    return st;
}

static void put_rows(const struct done *done, struct fb_json *json, void *root)
{
    void *list = fb_json_list(json, root, "requests");

    for (size_t i = 0; i < done->recording.len; i++) {
        const struct fb_replay_row *row = &done->result->rows[i];
        void *map = fb_json_map(json, list, NULL);

        fb_json_text(json, map, "file", done->recording.at[i].name);
        fb_json_text(json, map, "verb", fb_recording_verb_name(done->recording.at[i].verb));
        fb_json_int(json, map, "status", row->status);
        fb_json_text(json, map, "answer", row->answer.text);
        fb_json_bool(json, map, "good", row->answer.good);
        fb_json_score(json, map, "ms", ms(row->ns));
    }
}

static void put_verbs(const struct done *done, struct fb_json *json, void *root)
{
    void *list = fb_json_list(json, root, "verbs");

    for (int verb = 0; verb < FB_RECORDING_VERBS; verb++) {
        const struct fb_replay_count *count = &done->result->verbs[verb];
        void *map;

        if (count->sent == 0)
            continue;
        map = fb_json_map(json, list, NULL);
        fb_json_text(json, map, "verb", fb_recording_verb_name((enum fb_recording_verb)verb));
        fb_json_int(json, map, "sent", (int64_t)count->sent);
        fb_json_int(json, map, "errors", (int64_t)count->errors);
        fb_json_score(json, map, "p50Ms", ms(fb_latency_at(&count->latency, 50)));
        fb_json_score(json, map, "p90Ms", ms(fb_latency_at(&count->latency, 90)));
        fb_json_score(json, map, "p99Ms", ms(fb_latency_at(&count->latency, 99)));
        fb_json_score(json, map, "maxMs", ms(count->latency.most_ns));
    }
}

static enum fb_status print_json(const struct done *done, struct fb_error *err)
{
    struct fb_json json = {0};
    void *root = fb_json_map(&json, NULL, NULL);
    void *skipped;

    fb_json_int(&json, root, "sent", (int64_t)done->sent);
    fb_json_int(&json, root, "errors", (int64_t)done->errors);
    fb_json_score(&json, root, "seconds", (double)done->result->ns / 1e9);
    if (done->result->rows != NULL)
        put_rows(done, &json, root);
    put_verbs(done, &json, root);
    skipped = fb_json_map(&json, root, "skipped");
    for (size_t i = 0; i < done->recording.skips_len; i++)
        fb_json_int(&json, skipped, done->recording.skips[i].verb,
                    (int64_t)done->recording.skips[i].count);
    if (done->result->fault_name != NULL) {
        void *fault = fb_json_map(&json, root, "firstError");

        fb_json_text(&json, fault, "file", done->result->fault_name);
        fb_json_text(&json, fault, "answer", done->result->fault);
    }
    return fb_command_print(done->context, &json, err);
}

static enum fb_status send(struct done *done, struct fb_error *err)
{
    const struct fb_options *options = done->context->options;
    const struct fb_replay_plan plan = {&done->recording, options->url, options->rounds,
                                        options->connections};
    enum fb_status st;

    if (plan.rounds == 1 && plan.connections == 1) {
        done->result->rows = calloc(done->recording.len, sizeof *done->result->rows);
        if (done->result->rows == NULL)
            return fb_error_set(err, FB_ENOMEM, "out of memory");
    }
    st = fb_replay_send(&plan, done->result, err);
    for (size_t i = 0; i < FB_RECORDING_VERBS; i++) {
        done->sent += done->result->verbs[i].sent;
        done->errors += done->result->verbs[i].errors;
    }
    return st;
}

enum fb_status fb_command_replay(struct fb_arena *arena, const struct fb_command_context *context,
                                 bool *ret_yes, struct fb_error *err)
{
    const struct fb_options *options = context->options;
    FB_OWNED(free_result) struct fb_replay_result *result = calloc(1, sizeof *result);
    struct done done = {.arena = arena, .context = context, .result = result};
    enum fb_status st;

    if (result == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = fb_recording_list(arena, options->directory, options->array_dialect, &done.recording, err);
    if (st == FB_OK)
        st = send(&done, err);
    if (st != FB_OK)
        return st;
    *ret_yes = done.errors == 0;
    return options->output == FB_OUTPUT_TABLE ? print_table(&done, err) : print_json(&done, err);
}
