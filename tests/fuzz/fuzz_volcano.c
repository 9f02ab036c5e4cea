/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/own.h"
#include "fabricbind/volcano.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The first byte: two bits for the verb, one for whether the node "n1" is known, the others for
 * the size of pieces. The rest is the body. Read at once and in these pieces it must give the same
 * nodes, task and error; of nothing that is told may a text be missing.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum fb_volcano_verb verbs[] = {FB_VOLCANO_PREDICATE, FB_VOLCANO_PRIORITIZE,
                                             FB_VOLCANO_ALLOCATE, FB_VOLCANO_DEALLOCATE};
static const struct fb_scan_limits limits = {.depth = 24, .string_bytes = 200, .bytes = 4000};

/* What was seen, in words. */
struct trace {
    char text[1 << 17]; /* cut when full, which is the same for equal sights */
    size_t len;
    bool knows;
};

static void check(bool right)
{
    if (!right)
        abort();
}

static void say(struct trace *trace, const char *fmt, ...) FB_PRINTF(2, 3);

static void say(struct trace *trace, const char *fmt, ...)
{
    size_t room = sizeof trace->text - trace->len;
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(trace->text + trace->len, room, fmt, args);
    va_end(args);
    trace->len += len > 0 && (size_t)len < room ? (size_t)len : room - 1;
}

static void say_amounts(struct trace *trace, const char *name, const struct fb_resources *amounts)
{
    say(trace, " %s", name);
    for (size_t i = 0; i < amounts->len; i++) {
        check(amounts->at[i].name != NULL);
        check(fb_resources_find(amounts, amounts->at[i].name) == &amounts->at[i]);
        say(trace, " %s=%" PRId64, amounts->at[i].name, amounts->at[i].amount);
    }
}

static void say_pairs(struct trace *trace, const struct fb_pairs *pairs)
{
    for (size_t i = 0; i < pairs->len; i++) {
        check(pairs->at[i].key != NULL && pairs->at[i].value != NULL);
        say(trace, " %s:%s", pairs->at[i].key, pairs->at[i].value);
    }
}

static void say_pod(struct trace *trace, const struct fb_pod *pod)
{
    check(pod->space != NULL && pod->name != NULL && pod->uid != NULL && pod->node != NULL &&
          pod->phase != NULL);
    say(trace, " pod %s/%s %s %s %s %d %d", pod->space, pod->name, pod->uid, pod->node, pod->phase,
        pod->terminating, pod->host_network);
    say_pairs(trace, &pod->labels);
    say_pairs(trace, &pod->annotations);
    say_pairs(trace, &pod->selector);
    for (size_t i = 0; i < pod->owners_len; i++)
        say(trace, " owner %s %s", pod->owners[i].kind, pod->owners[i].uid);
    for (size_t i = 0; i < pod->containers_len; i++) {
        say(trace, " container %d", (int)pod->containers[i].role);
        say_amounts(trace, pod->containers[i].name, &pod->containers[i].requests);
    }
    for (size_t i = 0; i < pod->tolerations_len; i++)
        say(trace, " tolerates %s %s", pod->tolerations[i].key, pod->tolerations[i].op);
    for (size_t i = 0; i < pod->terms_len; i++)
        say(trace, " term of %zu", pod->terms[i].len);
}

static void say_node(struct trace *trace, const struct fb_node *node)
{
    say(trace, " object %s %s %s %s %d %d", node->name, node->uid, node->provider_id,
        node->instance_type, node->ready, node->unschedulable);
    say_pairs(trace, &node->labels);
    for (size_t i = 0; i < node->taints_len; i++)
        say(trace, " taint %s %s %s", node->taints[i].key, node->taints[i].value,
            node->taints[i].effect);
    say_amounts(trace, "capacity", &node->capacity);
    say_amounts(trace, "allocatable", &node->allocatable);
}

static bool knows(void *context, const char *node)
{
    const struct trace *trace = context;

    return trace->knows && strcmp(node, "n1") == 0;
}

static enum fb_status note_node(void *context, const struct fb_sight *sight, struct fb_error *err)
{
    struct trace *trace = context;

    (void)err;
    check(sight->name != NULL && sight->name[0] != '\0');
    say(trace, "node %s", sight->name);
    if (sight->node != NULL)
        say_node(trace, sight->node);
    say_amounts(trace, "idle", &sight->idle);
    say_amounts(trace, "releasing", &sight->releasing);
    say_amounts(trace, "pipelined", &sight->pipelined);
    for (size_t i = 0; i < sight->pods_len; i++) {
        say(trace, " on %" PRId64, sight->pods[i].status);
        say_pod(trace, &sight->pods[i].pod);
    }
    return FB_OK;
}

static void note_end(struct trace *trace, enum fb_status st, const struct fb_sight_task *task,
                     const struct fb_error *err)
{
    say(trace, "ends %d '%s'", (int)st, err->text);
    if (st != FB_OK) {
        check(err->text[0] != '\0' && strchr(err->text, '\n') == NULL);
        return;
    }
    check(task->uid[0] != '\0' && task->node != NULL);
    say(trace, " task %s %s %" PRId64, task->uid, task->node, task->status);
    if (task->pod != NULL)
        say_pod(trace, task->pod);
}

static void read_body(enum fb_volcano_verb verb, const char *body, size_t len, size_t step,
                      struct trace *trace)
{
    static struct fb_volcano_formats *formats;
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    FB_OWNED(fb_volcano_reader_freep) struct fb_volcano_reader *reader = NULL;
    struct fb_volcano_reading how = {verb, arena, &limits, knows, note_node, trace};
    struct fb_sight_task task = {.uid = "", .node = ""};
    struct fb_error err = {0};
    enum fb_status st;

    check(formats != NULL || fb_volcano_formats_new(&formats, NULL) == FB_OK);
    check(arena != NULL && fb_volcano_reader_new(formats, &how, &reader, NULL) == FB_OK);
    st = FB_OK;
    for (size_t at = 0; at < len && st == FB_OK; at += step)
        st = fb_volcano_reader_feed(reader, body + at, len - at < step ? len - at : step, &err);
    if (st == FB_OK)
        st = fb_volcano_reader_finish(reader, &task, &err);
    note_end(trace, st, &task, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trace whole, parts;
    const char *body = (const char *)data + 1;

    if (size == 0)
        return 0;
    whole.len = parts.len = 0;
    whole.knows = parts.knows = (data[0] & 4) != 0;
    read_body(verbs[data[0] & 3], body, size - 1, size, &whole);
    read_body(verbs[data[0] & 3], body, size - 1, 1 + (data[0] >> 3), &parts);
    check(whole.len == parts.len && memcmp(whole.text, parts.text, whole.len) == 0);
    return 0;
}
