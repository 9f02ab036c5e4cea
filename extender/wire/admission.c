/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/admission.h"

#include "fabricbind/base64.h"
#include "fabricbind/own.h"
#include "podjson_walk.h"

#include <stdlib.h>
#include <string.h>

#define API "admission.k8s.io/v1"
#define KIND "AdmissionReview"

static void read_request(struct fb_podjson *walk, const struct fb_podjson_at *request,
                         struct fb_review *review)
{
    struct fb_podjson_at at;

    review->uid = fb_podjson_text(walk, request, "uid");
    if (fb_podjson_enter(walk, request, "kind", FB_JSON_MAP, &at)) {
        review->group = fb_podjson_text(walk, &at, "group");
        review->kind = fb_podjson_text(walk, &at, "kind");
    }
    review->space = fb_podjson_text(walk, request, "namespace");
    review->name = fb_podjson_text(walk, request, "name");
    review->operation = fb_podjson_text(walk, request, "operation");
    review->subresource = fb_podjson_text(walk, request, "subResource");
    if (fb_podjson_enter(walk, request, "userInfo", FB_JSON_MAP, &at))
        review->user = fb_podjson_text(walk, &at, "username");
    if (fb_podjson_enter(walk, request, "dryRun", FB_JSON_BOOL, &at))
        review->dry_run = fb_json_read_bool(at.node);
    if (fb_podjson_enter(walk, request, "object", FB_JSON_MAP, &at))
        review->object = at.node;
}

static enum fb_status expect(struct fb_podjson *walk, const struct fb_podjson_at *root,
                             const char *key, const char *want)
{
    const char *text = fb_podjson_text(walk, root, key);

    if (walk->status != FB_OK)
        return walk->status;
    if (*text == '\0')
        return fb_error_set(walk->err, FB_EINPUT, "%s: not given, wanted %s", key, want);
    if (strcmp(text, want) != 0)
        return fb_error_set(walk->err, FB_EINPUT, "%s: '%s' is not %s", key, text, want);
    return FB_OK;
}

static enum fb_status read_review(struct fb_arena *arena, struct fb_review *review,
                                  struct fb_error *err)
{
    struct fb_podjson walk = {.arena = arena, .err = err};
    struct fb_podjson_at root = {.node = fb_json_root(&review->json)};
    struct fb_podjson_at request;
    enum fb_status st;

    if (!fb_podjson_is(&walk, &root, FB_JSON_MAP))
        return walk.status;
    st = expect(&walk, &root, "kind", KIND);
    if (st == FB_OK)
        st = expect(&walk, &root, "apiVersion", API);
    if (st != FB_OK)
        return st;
    if (fb_podjson_enter(&walk, &root, "request", FB_JSON_MAP, &request))
        read_request(&walk, &request, review);
    if (walk.status == FB_OK && request.node == NULL)
        return fb_error_set(err, FB_EINPUT, "request: not given");
    if (walk.status == FB_OK && *review->uid == '\0')
        return fb_error_set(err, FB_EINPUT, "request.uid: not given");
    return walk.status;
}

enum fb_status fb_review_decode(struct fb_arena *arena, const char *body, size_t len,
                                struct fb_review *ret, struct fb_error *err)
{
    struct fb_review review = {
        .uid = "",
        .group = "",
        .kind = "",
        .space = "",
        .name = "",
        .operation = "",
        .subresource = "",
        .user = "",
        .body = body,
        .len = len,
    };
    enum fb_status st = fb_json_parse(body, len, FB_REVIEW_BYTES, &review.json, err);

    if (st == FB_OK)
        st = read_review(arena, &review, err);
    if (st == FB_OK)
        *ret = review;
    else
        fb_review_fini(&review);
    return st;
}

void fb_review_fini(struct fb_review *review)
{
    fb_json_fini(&review->json);
    review->object = NULL;
}

/* @text in base64, of the caller's to free(); NULL when out of memory. */
static char *to_base64(const char *text)
{
    size_t len = strlen(text);
    char *made = malloc(fb_base64_size(len));

    if (made != NULL)
        fb_base64_encode((const unsigned char *)text, len, made);
    return made;
}

static void put_patch(struct fb_json *json, void *response, const struct fb_patch *patch)
{
    char *text = fb_patch_encode(patch);
    char *coded = text != NULL ? to_base64(text) : NULL;

    json->failed = json->failed || coded == NULL;
    fb_json_text(json, response, "patchType", "JSONPatch");
    fb_json_text(json, response, "patch", coded);
    free(coded);
    free(text);
}

/* Bytes of @text that are shown: not more than the bound, and no character cut in two. */
static size_t shown(const char *text)
{
    size_t len = strlen(text);

    if (len <= FB_REVIEW_WARNING_BYTES)
        return len;
    len = FB_REVIEW_WARNING_BYTES;
    while (len > 0 && ((unsigned char)text[len] & 0xc0U) == 0x80U)
        len--;
    return len;
}

static void put_warning(struct fb_json *json, void *list, const char *text)
{
    char clean[FB_REVIEW_WARNING_BYTES + 1];
    size_t len = shown(text);

    for (size_t i = 0; i < len; i++)
        clean[i] = (char)((unsigned char)text[i] < ' ' || text[i] == '\x7f' ? '?' : text[i]);
    clean[len] = '\0';
    fb_json_text(json, list, NULL, clean);
}

static void put_warnings(struct fb_json *json, void *response, const struct fb_texts *warnings)
{
    void *list = fb_json_list(json, response, "warnings");

    for (size_t i = 0; i < warnings->len && i < FB_REVIEW_WARNINGS; i++)
        put_warning(json, list, warnings->at[i]);
}

static void put_denial(struct fb_json *json, void *response, const struct fb_review_answer *answer)
{
    void *status = fb_json_map(json, response, "status");

    fb_json_text(json, status, "status", "Failure");
    fb_json_text(json, status, "message", answer->message);
    fb_json_text(json, status, "reason", answer->reason);
    fb_json_int(json, status, "code", (int64_t)answer->code);
}

char *fb_review_encode(const char *uid, const struct fb_review_answer *answer)
{
    FB_OWNED(fb_json_fini) struct fb_json json = {0};
    void *root = fb_json_map(&json, NULL, NULL);
    void *response;

    fb_json_text(&json, root, "kind", KIND);
    fb_json_text(&json, root, "apiVersion", API);
    response = fb_json_map(&json, root, "response");
    fb_json_text(&json, response, "uid", uid);
    fb_json_bool(&json, response, "allowed", answer->allowed);
    if (!answer->allowed)
        put_denial(&json, response, answer);
    else if (answer->patch != NULL && answer->patch->len > 0)
        put_patch(&json, response, answer->patch);
    if (answer->warnings != NULL && answer->warnings->len > 0)
        put_warnings(&json, response, answer->warnings);
    return fb_json_print(&json);
}
