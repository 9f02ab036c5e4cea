/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver.h"

#include "apiserver_pool.h"
#include "fabricbind/json.h"
#include "fabricbind/own.h"
#include "gather.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MOST ((size_t)64 * 1024 * 1024)
#define REFUSAL_MOST ((size_t)16 * 1024) /* of a stream's answer that is no 200 */
#define PATH_MOST 8000
#define URL_BYTES (PATH_MOST + 2048)
#define CONNECT_MS 5000
#define CALL_MS 10000
#define IDLE_MS 60000

#define ACCEPT "Accept: application/json"
#define AGENT "User-Agent: fabricbind/" FB_VERSION

struct fb_apiserver {
    struct fb_arena *arena; /* of access */
    struct fb_access access;
    struct fb_credentials *credentials;
    struct fb_api_pool *pool;
    struct fb_metrics *metrics;
    atomic_bool closed;
};

void fb_apiserver_close(struct fb_apiserver *server)
{
    if (server != NULL)
        atomic_store(&server->closed, true);
}

void fb_apiserver_free(struct fb_apiserver *server)
{
    if (server == NULL)
        return;
    fb_api_pool_free(server->pool);
    fb_credentials_free(server->credentials);
    fb_arena_free(server->arena);
    free(server);
}

void fb_apiserver_freep(struct fb_apiserver **server)
{
    fb_apiserver_free(*server);
}

const char *fb_apiserver_space(const struct fb_apiserver *server)
{
    return server->access.space;
}

static enum fb_status copy_access(struct fb_apiserver *server, const struct fb_access *from,
                                  struct fb_error *err)
{
    struct fb_access *to = &server->access;
    const char **const texts[] = {
        &to->server, &to->space,     &to->ca_file,  &to->ca_pem,   &to->token_file,
        &to->token,  &to->cert_file, &to->cert_pem, &to->key_file, &to->key_pem,
    };

    *to = *from;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (*texts[i] == NULL)
            continue;
        *texts[i] = fb_arena_text(server->arena, *texts[i], strlen(*texts[i]));
        if (*texts[i] == NULL)
            return fb_error_set(err, FB_ENOMEM, "out of memory");
    }
    return FB_OK;
}

enum fb_status fb_apiserver_new(const struct fb_access *access, struct fb_metrics *metrics,
                                struct fb_apiserver **ret, struct fb_error *err)
{
    FB_OWNED(fb_apiserver_freep) struct fb_apiserver *server = calloc(1, sizeof *server);
    enum fb_status st;

    if (server == NULL || (server->arena = fb_arena_new_small(0)) == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    server->metrics = metrics;
    st = copy_access(server, access, err);
    if (st == FB_OK)
        st = fb_credentials_new(&server->access, metrics, &server->credentials, err);
    if (st != FB_OK)
        return st;
    server->pool = fb_api_pool_new(server->credentials);
    if (server->pool == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    *ret = FB_TAKE(server);
    return FB_OK;
}

static void count(const struct fb_apiserver *server, const char *method, unsigned status)
{
    char code[16];
    const char *const labels[] = {method, code};

    (void)snprintf(code, sizeof code, "%u", status);
    if (server->metrics != NULL)
        fb_metrics_add(server->metrics, FB_METRIC_API_CALLS, labels, 1.0);
}

/* One exchange on a connection of the pool. */
static enum fb_status exchange_once(struct fb_apiserver *server, struct fb_exchange *exchange,
                                    const char *type, bool anew, struct fb_transfer_end *ret,
                                    struct fb_error *err)
{
    FB_OWNED(fb_credentials_now_fini) struct fb_credentials_now now = {.line = NULL};
    struct fb_api_link link = {.transfer = NULL};
    unsigned wait_ms = exchange->whole_ms > 0 ? exchange->whole_ms : exchange->idle_ms;
    static const char agent[] = AGENT;
    const char *headers[] = {ACCEPT, agent, NULL, NULL, NULL};
    size_t len = 2;
    enum fb_status st = fb_credentials_look(server->credentials, anew, &now, err);

    if (type != NULL)
        headers[len++] = type;
    headers[len] = now.line;
    if (st == FB_OK)
        st = fb_api_pool_take(server->pool, now.trust, wait_ms, exchange->stop, &link, err);
    if (st != FB_OK)
        return st;
    exchange->headers = headers;
    st = fb_transfer_do(link.transfer, exchange, ret, err);
    exchange->headers = NULL;
    fb_api_pool_give(server->pool, &link);
    if (!ret->stopped)
        count(server, exchange->method, st == FB_OK ? ret->status : 0);
    return st;
}

/* Where the body goes. A second try begins anew. */
struct body {
    struct fb_gather gather;
    fb_api_piece piece; /* NULL: all is gathered, whatever the status */
    void *context;
    bool refused; /* by piece */
};

static enum fb_status take(void *context, unsigned status, const char *bytes, size_t len,
                           struct fb_error *err)
{
    struct body *body = context;
    enum fb_status st;

    if (body->piece == NULL)
        return fb_gather_add(&body->gather, bytes, len, err);
    if (status != 200)
        return fb_gather_some(&body->gather, bytes, len, err);
    st = body->piece(body->context, bytes, len, err);
    body->refused = st != FB_OK;
    return st;
}

/* The exchange, and once more after a 401. */
static enum fb_status do_exchange(struct fb_apiserver *server, struct fb_exchange *exchange,
                                  const char *type, struct fb_transfer_end *ret,
                                  struct fb_error *err)
{
    struct body *body = exchange->context;
    enum fb_status st = exchange_once(server, exchange, type, false, ret, err);

    if (st != FB_OK || ret->status != 401 || ret->stopped)
        return st;
    body->gather.len = 0;
    return exchange_once(server, exchange, type, true, ret, err);
}

/* "GET /api/v1/pods: " in front; what stands behind '?' is seldom of interest and often long. */
static enum fb_status name_call(const struct body *body, enum fb_status st, const char *method,
                                const char *path, struct fb_error *err)
{
    int len = (int)strcspn(path, "?");

    if (!body->refused && (st == FB_ENOTFOUND || st == FB_EINPUT))
        st = FB_EIO; /* nobody there, or no URL */
    return fb_error_prefix(err, st, "%s %.*s", method, len < 100 ? len : 100, path);
}

static enum fb_status make_url(const struct fb_apiserver *server, const char *path, char *url,
                               struct fb_error *err)
{
    if (strlen(path) > PATH_MOST ||
        snprintf(url, URL_BYTES, "%s%s", server->access.server, path) >= URL_BYTES)
        return fb_error_set(err, FB_ELIMIT, "the path is too long");
    return FB_OK;
}

static void fini_gather(struct body *body)
{
    fb_gather_fini(&body->gather);
}

enum fb_status fb_apiserver_call(struct fb_apiserver *server, const struct fb_api_call *call,
                                 struct fb_api_reply *ret, struct fb_error *err)
{
    FB_OWNED(fini_gather) struct body body = {.gather.most = ANSWER_MOST};
    char url[URL_BYTES];
    char type[128] = "Content-Type: application/json";
    struct fb_exchange exchange = {
        .method = call->method,
        .url = url,
        .body = call->body,
        .len = call->len,
        .whole_ms = call->timeout_ms > 0 ? call->timeout_ms : CALL_MS,
        .stop = &server->closed,
        .piece = take,
        .context = &body,
    };
    struct fb_transfer_end end = {0};
    enum fb_status st = make_url(server, call->path, url, err);

    if (call->type != NULL)
        (void)snprintf(type, sizeof type, "Content-Type: %s", call->type);
    exchange.connect_ms = exchange.whole_ms < CONNECT_MS ? exchange.whole_ms : CONNECT_MS;
    if (st == FB_OK)
        st = fb_gather_add(&body.gather, "", 0, err);
    if (st == FB_OK)
        st = do_exchange(server, &exchange, call->body != NULL ? type : NULL, &end, err);
    if (st == FB_OK && end.stopped)
        st = fb_error_set(err, FB_EIO, "nothing is asked any more");
    if (st != FB_OK)
        return name_call(&body, st, call->method, call->path, err);
    *ret = (struct fb_api_reply){end.status, end.retry_after_s, FB_TAKE(body.gather.at),
                                 body.gather.len};
    return FB_OK;
}

void fb_api_reply_fini(struct fb_api_reply *reply)
{
    free(reply->body);
    *reply = (struct fb_api_reply){.body = NULL};
}

enum fb_status fb_api_reply_error(const struct fb_api_reply *reply, enum fb_status st,
                                  struct fb_error *err)
{
    FB_OWNED(fb_json_fini) struct fb_json json = {0};
    const char *message = NULL;
    size_t len = reply->len;

    while (len > 0 && strchr(" \r\n", reply->body[len - 1]) != NULL)
        len--;
    if (fb_json_parse(reply->body, reply->len, REFUSAL_MOST, &json, NULL) == FB_OK)
        message = fb_json_read_text(fb_json_find(fb_json_root(&json), "message"));
    if (message != NULL)
        return fb_error_set(err, st, "%u: %s", reply->status, message);
    return fb_error_set(err, st, "%u: %.*s", reply->status, (int)(len < 200 ? len : 200),
                        reply->body);
}

/* NOLINTNEXTLINE(readability-function-size): one caller, a struct would only name them twice */
enum fb_status fb_apiserver_stream(struct fb_apiserver *server, const char *path, unsigned idle_ms,
                                   const atomic_bool *stop, fb_api_piece piece, void *context,
                                   unsigned *ret_status, struct fb_error *err)
{
    FB_OWNED(fini_gather)
    struct body body = {.gather.most = REFUSAL_MOST, .piece = piece, .context = context};
    char url[URL_BYTES];
    struct fb_exchange exchange = {
        .method = "GET",
        .url = url,
        .connect_ms = CONNECT_MS,
        .idle_ms = idle_ms > 0 ? idle_ms : IDLE_MS,
        .stop = stop,
        .piece = take,
        .context = &body,
    };
    struct fb_transfer_end end = {0};
    enum fb_status st = make_url(server, path, url, err);

    if (st == FB_OK)
        st = fb_gather_add(&body.gather, "", 0, err);
    if (st == FB_OK)
        st = do_exchange(server, &exchange, NULL, &end, err);
    *ret_status = end.status;
    if (stop != NULL && atomic_load(stop))
        return FB_OK;
    if (st != FB_OK)
        return name_call(&body, st, "GET", path, err);
    if (end.status != 200)
        (void)fb_api_reply_error(
            &(struct fb_api_reply){end.status, 0, body.gather.at, body.gather.len}, FB_EIO, err);
    return FB_OK;
}
