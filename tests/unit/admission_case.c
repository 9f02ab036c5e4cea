/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_case.h"

#include "apply_patch.h"
#include "extender_case.h"

#include "fabricbind/base64.h"
#include "fabricbind/own.h"
#include "log.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void admission_case_build(struct fb_inventory *inventory)
{
    struct fb_inputs *in = &inventory->in;

    assert_int_equal(fb_cluster_build(in->arena, &in->objects, &in->policies, &in->config.settings,
                                      &in->cluster),
                     FB_OK);
}

struct fb_inventory *admission_case_read(const char *provider)
{
    struct fb_inventory *inventory = extender_case_read(provider);

    inventory->in.objects.pods_len = 0;
    admission_case_build(inventory);
    return inventory;
}

static void feed(struct fb_snapshot_reader *reader, const char *text)
{
    struct fb_error err = {0};

    if (fb_snapshot_reader_feed(reader, text, strlen(text), &err) != FB_OK)
        fail_msg("%s", err.text);
}

void admission_case_put(struct fb_inventory *inventory, char *const *objects, size_t len)
{
    struct fb_inputs *in = &inventory->in;
    struct fb_snapshot *snapshot = fb_arena_alloc(in->arena, sizeof *snapshot);
    struct fb_snapshot_reader *reader = NULL;

    assert_non_null(snapshot);
    assert_int_equal(fb_snapshot_reader_new(in->arena, snapshot, NULL, &reader, NULL), FB_OK);
    feed(reader, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[");
    for (size_t i = 0; i < len; i++) {
        feed(reader, i > 0 ? "," : "");
        feed(reader, objects[i]);
    }
    feed(reader, "]}");
    assert_int_equal(fb_snapshot_reader_finish(reader, NULL), FB_OK);
    fb_snapshot_reader_free(reader);
    in->objects.nodes = snapshot->nodes;
    in->objects.nodes_len = snapshot->nodes_len;
    in->objects.pods = snapshot->pods;
    in->objects.pods_len = snapshot->pods_len;
    admission_case_build(inventory);
}

void admission_case_space(struct fb_inventory *inventory, enum fb_pod_security level, bool off)
{
    static struct fb_namespace space;

    space = (struct fb_namespace){.name = "team", .level = level, .off = off};
    inventory->in.namespaces = (struct fb_namespaces){.at = &space, .len = 1};
}

void admission_case_start(struct admission_case *run, struct fb_inventory *inventory,
                          const struct fb_admission_world *world)
{
    struct fb_error err = {0};

    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    run->slot = fb_inventory_slot_new(inventory);
    run->metrics = fb_metrics_new();
    assert_non_null(run->slot);
    assert_non_null(run->metrics);
    if (fb_admission_new(run->slot, run->metrics, world, &run->admission, &err) != FB_OK)
        fail_msg("%s", err.text);
}

void admission_case_stop(struct admission_case *run)
{
    fb_admission_free(run->admission);
    fb_metrics_free(run->metrics);
    fb_inventory_slot_free(run->slot);
}

/* As the server does: after a failure the rest of the body is dropped. */
static enum fb_status feed_all(void *state, struct fb_request *request, const char *body,
                               size_t len, struct fb_error *err)
{
    const size_t piece = 4096;
    enum fb_status st = FB_OK;

    for (size_t at = 0; st == FB_OK && at < len; at += piece) {
        size_t step = len - at < piece ? len - at : piece;

        st = fb_admission_handler.feed(state, body + at, step, err);
        request->bytes += step;
    }
    return st;
}

char *admission_case_ask(const struct admission_case *run, enum fb_admission_route route,
                         const char *body, size_t len, unsigned *ret_status)
{
    const struct fb_route row = {
        .method = "POST",
        .path = "/",
        .verb = "pods",
        .handler = &fb_admission_handler,
        .context = run->admission,
        .number = (int)route,
    };
    struct fb_request request = {.route = &row, .query = "timeout=3s", .id = 1};
    struct fb_answer answer = {0};
    struct fb_error err = {0};
    void *state = fb_admission_handler.begin(run->admission, &request);
    enum fb_status st = state != NULL ? feed_all(state, &request, body, len, &err)
                                      : fb_error_set(&err, FB_ENOMEM, "out of memory");
    const char *text;
    char *kept;

    fb_admission_handler.finish(run->admission, &request, state, st, st != FB_OK ? &err : NULL,
                                &answer);
    text = answer.body != NULL ? answer.body : answer.constant;
    if (text == NULL || strcmp(answer.type, "application/json") != 0)
        fail_msg("no answer of JSON");
    kept = text != NULL ? strndup(text, answer.len) : NULL;
    free(answer.body);
    *ret_status = answer.status;
    return kept;
}

char *admission_case_quote(const char *text)
{
    char *made = strdup(text);

    assert_non_null(made);
    for (char *at = made; *at != '\0'; at++) {
        if (*at == '\'')
            *at = '"';
    }
    return made;
}

char *admission_case_review(const char *kind, const char *object, bool dry_run)
{
    static const char format[] =
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{"
        "\"uid\":\"u-1\",\"kind\":{\"group\":\"%s\",\"version\":\"v1\",\"kind\":\"%s\"},"
        "\"subResource\":\"%s\",\"name\":\"\",\"namespace\":\"team\",\"operation\":\"CREATE\","
        "\"dryRun\":%s,\"object\":%s}}";
    size_t size = sizeof format + strlen(object) + 64;
    char *body = malloc(size);

    assert_non_null(body);
    (void)snprintf(body, size, format, strcmp(kind, "Job") == 0 ? "batch.volcano.sh" : "", kind,
                   strcmp(kind, "Binding") == 0 ? "binding" : "", dry_run ? "true" : "false",
                   object);
    return body;
}

char *admission_case_say(const struct admission_case *run, const char *kind, const char *object)
{
    enum fb_admission_route route = FB_ADMISSION_PODS;
    char *body = admission_case_review(kind, object, false);
    unsigned status;
    char *text;

    if (strcmp(kind, "Binding") == 0)
        route = FB_ADMISSION_BINDINGS;
    else if (strcmp(kind, "Job") == 0)
        route = FB_ADMISSION_JOBS;
    text = admission_case_ask(run, route, body, strlen(body), &status);
    if (status != 200)
        fail_msg("%.200s: %u %s", object, status, text);
    admission_case_expect(text, "/apiVersion", "'admission.k8s.io/v1'");
    admission_case_expect(text, "/response/uid", "'u-1'");
    free(body);
    return text;
}

/* @coded stands in quotes. To be freed. */
static char *from_base64(const char *coded)
{
    size_t len = strlen(coded) - 2;
    unsigned char *made = calloc(1, len + 1);
    size_t made_len;

    assert_non_null(made);
    assert_true(fb_base64_decode(coded + 1, len, made, &made_len));
    return (char *)made;
}

char *admission_case_apply(const char *object, const char *answer)
{
    char *coded = find_json(answer, "/response/patch");
    char *patch, *text;
    int failed = 0;

    if (coded == NULL)
        return strdup(object);
    admission_case_expect(answer, "/response/patchType", "'JSONPatch'");
    patch = from_base64(coded);
    text = apply_patch(object, patch, &failed);
    if (text == NULL)
        fail_msg("step %d does not apply: %s", failed, patch);
    free(patch);
    free(coded);
    return text;
}

char *admission_case_at(const char *json, const char *pointer)
{
    char *text = find_json(json, pointer);

    if (text == NULL)
        text = strdup("-");
    assert_non_null(text);
    return text;
}

char *admission_case_text(const char *json, const char *pointer)
{
    char *text = admission_case_at(json, pointer);
    char *to = text;

    for (const char *at = text + 1; *at != '\0' && *at != '"'; at++) {
        if (at[0] == '\\' && at[1] == 'n') {
            *to++ = '\n';
            at++;
        } else if (*at == '\\') {
            *to++ = *++at;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
    return text;
}

void admission_case_expect(const char *json, const char *pointer, const char *want)
{
    char *quoted = admission_case_quote(want);
    char *text = admission_case_at(json, pointer);

    if (strcmp(text, quoted) != 0)
        fail_msg("%s is %s, wanted %s; of %.4000s", pointer, text, quoted, json);
    free(text);
    free(quoted);
}

char *admission_case_file(const char *folder, const char *name)
{
    char path[512];
    char *text = NULL;
    size_t len = 0;
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rbe");
    if (file == NULL || getdelim(&text, &len, '\0', file) < 0)
        fail_msg("%s: cannot be read", path);
    assert_int_equal(fclose(file), 0);
    return text;
}
