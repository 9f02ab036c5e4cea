/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_answer.h"

#include "fabricbind/json.h"
#include "fabricbind/own.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ANSWER_BYTES ((size_t)64 * 1024 * 1024)

static void freep(char **text)
{
    free(*text);
}

/* Whatever a peer sends is shown without steering a terminal. */
static void clean(char *text)
{
    for (; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~')
            *text = '?';
    }
}

static void FB_PRINTF(3, 4) say(struct fb_replay_answer *ret, bool good, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(ret->text, sizeof ret->text, fmt, args);
    va_end(args);
    clean(ret->text);
    ret->good = good;
}

static const char *text_of(const struct fb_json_node *map, const char *key)
{
    const char *text = fb_json_read_text(fb_json_find(map, key));

    return text == NULL ? "" : text;
}

static void read_verdict(const struct fb_json_node *map, const char *code_key,
                         const char *reason_key, struct fb_replay_answer *ret)
{
    const char *reason = text_of(map, reason_key);
    int64_t code = 0;

    if (fb_json_find(map, code_key) != NULL &&
        !fb_json_read_int(fb_json_find(map, code_key), &code))
        say(ret, false, "%s is no number", code_key);
    else if (code == 0 && *reason == '\0')
        say(ret, true, "fits");
    else
        say(ret, true, "code %lld: %s", (long long)code, reason);
}

/* Volcano 1.8 and 1.9 send a list, of which the first that is no success counts here. */
static void read_predicate(const struct fb_json_node *root, struct fb_replay_answer *ret)
{
    const struct fb_json_node *status = fb_json_find(root, "status");
    bool fits = true;

    if (fb_json_type(status) != FB_JSON_LIST) {
        read_verdict(root, "code", *text_of(root, "status") != '\0' ? "status" : "errorMessage",
                     ret);
        return;
    }
    say(ret, true, "fits");
    for (const struct fb_json_node *at = fb_json_first(status); at != NULL && fits;
         at = fb_json_next(at)) {
        read_verdict(at, "Code", "Reason", ret);
        fits = ret->good && ret->text[0] == 'f';
    }
}

static bool read_score(const struct fb_json_node *node, double *ret)
{
    FB_OWNED(freep) char *text = NULL;

    if (fb_json_type(node) != FB_JSON_NUMBER)
        return false;
    text = fb_json_print_node(node);
    *ret = text == NULL ? 0.0 : strtod(text, NULL);
    return text != NULL;
}

static void read_prioritize(const struct fb_json_node *root, struct fb_replay_answer *ret)
{
    const struct fb_json_node *scores = fb_json_find(root, "nodeScore");
    const char *best = NULL;
    double most = 0.0;
    size_t len = 0;

    if (*text_of(root, "errorMessage") != '\0') {
        say(ret, true, "error: %s", text_of(root, "errorMessage"));
        return;
    }
    for (const struct fb_json_node *at = fb_json_first(scores); at != NULL; at = fb_json_next(at)) {
        double score = 0.0;

        if (!read_score(at, &score)) {
            say(ret, false, "the score of %s is no number", fb_json_key(at));
            return;
        }
        if (len++ == 0 || score > most) {
            most = score;
            best = fb_json_key(at);
        }
    }
    if (best == NULL)
        say(ret, true, "no scores");
    else
        say(ret, true, "%zu score%s, best %s %.1f", len, len == 1 ? "" : "s", best, most);
}

static void read_status(const struct fb_json_node *root, bool victims, struct fb_replay_answer *ret)
{
    int64_t status = 0;
    size_t len = 0;

    if (!fb_json_read_int(fb_json_find(root, "status"), &status)) {
        say(ret, false, "status is no number");
        return;
    }
    for (const struct fb_json_node *at = fb_json_first(fb_json_find(root, "victims")); at != NULL;
         at = fb_json_next(at))
        len++;
    if (victims)
        say(ret, true, "status %lld, %zu victim%s", (long long)status, len, len == 1 ? "" : "s");
    else
        say(ret, true, "status %lld", (long long)status);
}

static void read_bool(const struct fb_json_node *root, const char *key,
                      struct fb_replay_answer *ret)
{
    const struct fb_json_node *node = fb_json_find(root, key);

    if (fb_json_type(node) != FB_JSON_BOOL)
        say(ret, false, "%s is no boolean", key);
    else
        say(ret, true, "%s %s", key, fb_json_read_bool(node) ? "true" : "false");
}

static void read_message(const struct fb_json_node *root, struct fb_replay_answer *ret)
{
    const char *message = text_of(root, "errorMessage");

    if (*message == '\0')
        say(ret, true, "ok");
    else
        say(ret, true, "error: %s", message);
}

static void read_root(enum fb_recording_verb verb, const struct fb_json_node *root,
                      struct fb_replay_answer *ret)
{
    switch (verb) {
    case FB_RECORDING_PREDICATE:
        read_predicate(root, ret);
        break;
    case FB_RECORDING_PRIORITIZE:
        read_prioritize(root, ret);
        break;
    case FB_RECORDING_JOBENQUEUEABLE:
        read_status(root, false, ret);
        break;
    case FB_RECORDING_PREEMPTABLE:
    case FB_RECORDING_RECLAIMABLE:
        read_status(root, true, ret);
        break;
    case FB_RECORDING_JOBREADY:
        read_bool(root, "status", ret);
        break;
    case FB_RECORDING_QUEUEOVERUSED:
        read_bool(root, "overused", ret);
        break;
    case FB_RECORDING_ALLOCATE:
    case FB_RECORDING_DEALLOCATE:
    case FB_RECORDING_JOBENQUEUED:
    case FB_RECORDING_SESSIONOPEN:
    case FB_RECORDING_SESSIONCLOSE:
    case FB_RECORDING_VERBS:
        read_message(root, ret);
        break;
    }
}

void fb_replay_answer_read(enum fb_recording_verb verb, const struct fb_http_reply *reply,
                           struct fb_replay_answer *ret)
{
    struct fb_json json = {0};
    struct fb_error err = {.text = "out of memory"};
    bool session = verb == FB_RECORDING_SESSIONOPEN || verb == FB_RECORDING_SESSIONCLOSE;

    if (reply->status != 200) {
        say(ret, false, "%u%s%.100s", reply->status, reply->len > 0 ? ": " : "", reply->body);
        return;
    }
    if (session) { /* Volcano does not read the body */
        say(ret, true, "ok");
        return;
    }
    if (fb_json_parse(reply->body, reply->len, ANSWER_BYTES, &json, &err) != FB_OK)
        say(ret, false, "answer: %s", err.text);
    else if (fb_json_type(fb_json_root(&json)) != FB_JSON_MAP)
        say(ret, false, "answer: not an object");
    else
        read_root(verb, fb_json_root(&json), ret);
    fb_json_fini(&json);
}
