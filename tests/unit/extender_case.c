/* SPDX-License-Identifier: Apache-2.0 */
#include "extender_case.h"

#include "fabricbind/json.h"
#include "fabricbind/own.h"
#include "log.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCORE_MOST 1000.0 /* scoring.weight unless configured */

static void ignore(void *context, const char *text)
{
    (void)context;
    (void)text;
}

struct fb_inventory *extender_case_read(const char *provider)
{
    const char *policies[] = {FB_TEST_POLICIES};
    char folder[512];
    struct fb_options options = {.policies = {.at = policies, .len = 1}};
    struct fb_inventory *inventory = NULL;
    struct fb_error err = {0};

    (void)snprintf(folder, sizeof folder, FB_TEST_DATA "/snapshots/%s",
                   provider != NULL ? provider : "");
    options.snapshot = provider != NULL ? folder : NULL;
    if (fb_inventory_read(&options, ignore, NULL, &inventory, &err) != FB_OK)
        fail_msg("%s", err.text);
    return inventory;
}

void extender_case_start(struct extender_case *run, struct fb_inventory *inventory)
{
    struct fb_error err = {0};

    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    run->slot = fb_inventory_slot_new(inventory);
    run->metrics = fb_metrics_new();
    assert_non_null(run->slot);
    assert_non_null(run->metrics);
    if (fb_extender_new(run->slot, run->metrics, &run->extender, &err) != FB_OK)
        fail_msg("%s", err.text);
}

void extender_case_stop(struct extender_case *run)
{
    fb_extender_free(run->extender);
    fb_metrics_free(run->metrics);
    fb_inventory_slot_free(run->slot);
}

/* As the server does: after a failure the rest of the body is dropped. */
static enum fb_status feed(void *state, struct fb_request *request, const struct extender_ask *ask,
                           struct fb_error *err)
{
    size_t piece = ask->piece > 0 ? ask->piece : ask->len;
    enum fb_status st = FB_OK;

    for (size_t at = 0; st == FB_OK && at < ask->len; at += piece) {
        size_t left = ask->len - at;
        size_t len = left < piece ? left : piece;

        st = fb_extender_handler.feed(state, ask->body + at, len, err);
        request->bytes += len;
    }
    if (st == FB_OK && ask->st != FB_OK)
        st = fb_error_set(err, ask->st, "cut");
    return st;
}

/* A copy, so that what is read behind its end is seen. */
static char *copy(const struct fb_answer *answer)
{
    const char *text = answer->body != NULL ? answer->body : answer->constant;

    if (text == NULL || answer->status != 200 || answer->type == NULL ||
        strcmp(answer->type, "application/json") != 0)
        return NULL;
    return strndup(text, answer->len);
}

char *extender_case_ask(const struct extender_case *run, const struct extender_ask *ask)
{
    const struct fb_route route = {
        .method = "POST",
        .path = "/",
        .handler = &fb_extender_handler,
        .context = run->extender,
        .number = FB_EXTENDER_ROUTE(ask->verb, ask->dialect),
    };
    struct fb_request request = {.route = &route, .query = "", .id = 1};
    struct fb_answer answer = {0};
    struct fb_error err = {0};
    void *state = fb_extender_handler.begin(run->extender, &request);
    enum fb_status st = state != NULL ? feed(state, &request, ask, &err)
                                      : fb_error_set(&err, FB_ENOMEM, "out of memory");
    char *text;

    fb_extender_handler.finish(run->extender, &request, state, st, st != FB_OK ? &err : NULL,
                               &answer);
    text = copy(&answer);
    free(answer.body);
    return text;
}

char *extender_case_say(const struct extender_case *run, enum fb_volcano_verb verb,
                        const char *body)
{
    const struct extender_ask ask = {.verb = verb, .body = body, .len = strlen(body)};
    char *text = extender_case_ask(run, &ask);

    assert_non_null(text);
    return text;
}

static const struct fb_json_node *after(const struct fb_json_node *entry)
{
    return entry != NULL ? fb_json_next(entry) : NULL;
}

static bool is_called(const struct fb_json_node *entry, const char *key)
{
    return entry != NULL && strcmp(fb_json_key(entry), key) == 0;
}

static bool is_text(const struct fb_json_node *node, const char *key)
{
    return is_called(node, key) && fb_json_read_text(node) != NULL;
}

/* A code and why: neither a refusal without a reason nor a reason without one. */
static bool is_verdict(const struct fb_json_node *code, const char *reason)
{
    int64_t number;

    return fb_json_read_int(code, &number) && (number == 0 || number == 2 || number == 3) &&
           (number == 0) == (*reason == '\0');
}

static bool is_predicate(const struct fb_json_node *root)
{
    const struct fb_json_node *message = fb_json_first(root);
    const struct fb_json_node *status = after(message);
    const struct fb_json_node *code = after(status);

    return is_text(message, "errorMessage") && is_text(status, "status") &&
           is_called(code, "code") && after(code) == NULL &&
           strcmp(fb_json_read_text(message), fb_json_read_text(status)) == 0 &&
           is_verdict(code, fb_json_read_text(status));
}

static bool is_predicate_array(const struct fb_json_node *root)
{
    const struct fb_json_node *list = fb_json_first(root);
    const struct fb_json_node *status = fb_json_first(list);
    const struct fb_json_node *code = fb_json_first(status);
    const struct fb_json_node *reason = after(code);

    return is_called(list, "status") && fb_json_type(list) == FB_JSON_LIST && after(list) == NULL &&
           after(status) == NULL && is_called(code, "Code") && is_text(reason, "Reason") &&
           after(reason) == NULL && is_verdict(code, fb_json_read_text(reason));
}

static bool is_score(const struct fb_json_node *node)
{
    char *text = fb_json_print_node(node);
    double score = text != NULL ? strtod(text, NULL) : -1.0;

    free(text);
    return fb_json_type(node) == FB_JSON_NUMBER && score >= 0.0 && score <= SCORE_MOST;
}

static bool is_prioritize(const struct fb_json_node *root)
{
    const struct fb_json_node *scores = fb_json_first(root);
    const struct fb_json_node *message = after(scores);

    for (const struct fb_json_node *score = fb_json_first(scores); score != NULL;
         score = after(score)) {
        if (!is_score(score))
            return false;
    }
    return is_called(scores, "nodeScore") && fb_json_type(scores) == FB_JSON_MAP &&
           is_text(message, "errorMessage") && *fb_json_read_text(message) == '\0' &&
           after(message) == NULL;
}

bool extender_case_documented(enum fb_volcano_verb verb, enum fb_volcano_dialect dialect,
                              const char *text)
{
    struct fb_json json = {0};
    bool right;

    if (verb != FB_VOLCANO_PREDICATE && verb != FB_VOLCANO_PRIORITIZE)
        return strcmp(text, fb_volcano_neutral(verb, dialect, false)) == 0;
    right = fb_json_parse(text, strlen(text), 1 << 20, &json, NULL) == FB_OK;
    if (right && verb == FB_VOLCANO_PRIORITIZE)
        right = is_prioritize(fb_json_root(&json));
    else if (right)
        right = dialect == FB_VOLCANO_ARRAY ? is_predicate_array(fb_json_root(&json))
                                            : is_predicate(fb_json_root(&json));
    fb_json_fini(&json);
    return right;
}
