/* SPDX-License-Identifier: Apache-2.0 */
#include "certificates_secret.h"

#include "fabricbind/own.h"

#include <string.h>

#define TRIES 5
#define CALL_MS 2000

static enum fb_status call(const struct fb_secret_place *place, const char *method,
                           const char *path, const char *body, struct fb_api_reply *ret,
                           struct fb_error *err)
{
    const struct fb_api_call call = {
        .method = method,
        .path = path,
        .body = body,
        .len = body == NULL ? 0 : strlen(body),
        .timeout_ms = CALL_MS,
    };

    return fb_apiserver_call(place->server, &call, ret, err);
}

/* What the API server says no to is no matter of what we sent. */
static enum fb_status refused(const struct fb_api_reply *reply, struct fb_error *err)
{
    return fb_api_reply_error(reply, FB_EIO, err);
}

/* @ret's metadata is NULL where there is no such Secret. */
static enum fb_status read_secret(const struct fb_secret_place *place, struct fb_arena *arena,
                                  struct fb_secret *ret, struct fb_error *err)
{
    FB_OWNED(fb_api_reply_fini) struct fb_api_reply reply = {0};
    const char *path =
        fb_arena_print(arena, "/api/v1/namespaces/%s/secrets/%s", place->space, place->name);
    enum fb_status st;

    if (path == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = call(place, "GET", path, NULL, &reply, err);
    if (st != FB_OK)
        return st;
    if (reply.status == 404) {
        *ret = (struct fb_secret){.space = place->space, .name = place->name};
        return FB_OK;
    }
    return reply.status == 200 ? fb_secret_decode(arena, reply.body, ret, err)
                               : refused(&reply, err);
}

/* @ret_done is false when another one was faster. */
static enum fb_status write_secret(const struct fb_secret_place *place, struct fb_arena *arena,
                                   const struct fb_secret *secret, bool *ret_done,
                                   struct fb_error *err)
{
    FB_OWNED(fb_api_reply_fini) struct fb_api_reply reply = {0};
    bool is_new = secret->metadata == NULL;
    const char *path = fb_arena_print(arena, "/api/v1/namespaces/%s/secrets%s%s", place->space,
                                      is_new ? "" : "/", is_new ? "" : place->name);
    const char *body = NULL;
    enum fb_status st;

    if (path == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = fb_secret_encode(arena, secret, &body, err);
    if (st == FB_OK)
        st = call(place, is_new ? "POST" : "PUT", path, body, &reply, err);
    if (st != FB_OK)
        return st;
    *ret_done = reply.status == 200 || reply.status == 201;
    /* 404: it was deleted between reading and writing. */
    if (*ret_done || reply.status == 409 || (reply.status == 404 && !is_new))
        return FB_OK;
    return refused(&reply, err);
}

/* One reading, and the writing that it leads to. */
struct look {
    const struct fb_secret_place *place;
    const struct fb_renew_terms *terms;
    struct fb_secret found; /* what the API server has */
    struct fb_error why;    /* it was written; "": it was not */
    bool done;              /* false: another one was faster */
};

static enum fb_status look_once(struct look *look, struct fb_arena *arena, struct fb_error *err)
{
    struct fb_secret next;
    struct fb_error why = {0};
    enum fb_status st = read_secret(look->place, arena, &look->found, err);

    if (st != FB_OK)
        return st;
    next = look->found;
    if (next.metadata == NULL)
        next.type = look->terms->wants_cert ? "kubernetes.io/tls" : "Opaque";
    st = fb_certificates_renew(arena, &next, look->terms, &why, err);
    look->done = st == FB_OK && why.text[0] == '\0';
    if (st != FB_OK || look->done)
        return st;
    st = write_secret(look->place, arena, &next, &look->done, err);
    if (st == FB_OK && look->done) {
        look->found = next;
        look->why = why;
    }
    return st;
}

enum fb_status fb_certificates_keep(const struct fb_secret_place *place, struct fb_arena *arena,
                                    const struct fb_renew_terms *terms, struct fb_secret *ret,
                                    struct fb_error *ret_why, struct fb_error *err)
{
    struct look look = {.place = place, .terms = terms};
    enum fb_status st = FB_OK;

    for (int i = 0; i < TRIES && st == FB_OK && !look.done; i++) {
        look.found = (struct fb_secret){.space = place->space, .name = place->name};
        st = look_once(&look, arena, err);
    }
    if (st == FB_OK && !look.done)
        st = fb_error_set(err, FB_EIO, "others write it all the time");
    *ret = look.found;
    *ret_why = look.why;
    return st == FB_OK ? st : fb_error_prefix(err, st, "secret %s/%s", place->space, place->name);
}
