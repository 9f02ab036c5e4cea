/* SPDX-License-Identifier: Apache-2.0 */
#include "server_exchange.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES ((size_t)16 * 1024)
#define HEADER_LINES 100

void fb_exchange_open(struct fb_exchange *exchange, struct fb_site *site, const char *uri)
{
    const char *query = strchr(uri, '?');

    *exchange = (struct fb_exchange){.site = site};
    (void)clock_gettime(CLOCK_MONOTONIC, &exchange->began);
    exchange->request.id = atomic_fetch_add(&site->last_id, 1) + 1;
    exchange->request.query = "";
    if (query == NULL)
        return;
    exchange->query = strdup(query + 1);
    if (exchange->query != NULL)
        exchange->request.query = exchange->query;
    else
        exchange->st = fb_error_set(&exchange->err, FB_ENOMEM, "out of memory");
}

static bool serves(const struct fb_route *route, const char *method)
{
    return strcmp(route->method, method) == 0 ||
           (strcmp(method, "HEAD") == 0 && strcmp(route->method, "GET") == 0);
}

static void add_allowed(char *allow, const char *method)
{
    size_t len = strlen(allow);

    (void)snprintf(allow + len, FB_ALLOW_SIZE - len, "%s%s%s", len == 0 ? "" : ", ", method,
                   strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

/* Sets the route, or why there is none. */
static void find_route(struct fb_exchange *exchange, const char *method, const char *path)
{
    const struct fb_site *site = exchange->site;

    for (size_t i = 0; i < site->routes_len; i++) {
        const struct fb_route *route = &site->routes[i];

        if (strcmp(route->path, path) != 0)
            continue;
        if (serves(route, method)) {
            exchange->request.route = route;
            exchange->allow[0] = '\0';
            return;
        }
        add_allowed(exchange->allow, route->method);
    }
    exchange->refused = exchange->allow[0] == '\0' ? 404 : 405;
}

static void refuse_length(struct fb_exchange *exchange)
{
    exchange->st = fb_error_set(&exchange->err, FB_ELIMIT, "body: more than %zu bytes",
                                exchange->site->body_bytes);
}

static void begin(struct fb_exchange *exchange, const struct fb_request_head *head)
{
    const struct fb_route *route = exchange->request.route;

    exchange->state = route->handler->begin(route->context, &exchange->request);
    if (exchange->state == NULL)
        exchange->st = fb_error_set(&exchange->err, FB_ENOMEM, "out of memory");
    else if (exchange->st == FB_OK && head->length != NULL &&
             strtoumax(head->length, NULL, 10) > exchange->site->body_bytes)
        refuse_length(exchange);
}

bool fb_exchange_head(struct fb_exchange *exchange, const struct fb_request_head *head)
{
    exchange->has_head = true;
    find_route(exchange, head->method, head->path);
    if (head->header_bytes > HEADER_BYTES || head->header_lines > HEADER_LINES) {
        exchange->refused = 431;
        return false;
    }
    if (exchange->refused == 0)
        begin(exchange, head);
    return true;
}

void fb_exchange_feed(struct fb_exchange *exchange, const char *bytes, size_t len)
{
    const struct fb_route *route = exchange->request.route;

    if (exchange->refused != 0 || exchange->st != FB_OK)
        return;
    if (len > exchange->site->body_bytes - exchange->request.bytes) {
        refuse_length(exchange);
        return;
    }
    exchange->request.bytes += len;
    exchange->st = route->handler->feed(exchange->state, bytes, len, &exchange->err);
}

static void refusal(const struct fb_exchange *exchange, struct fb_answer *ret)
{
    static const struct {
        unsigned status;
        const char *text;
    } texts[] = {
        {404, "{\"error\":\"no such path\"}\n"},
        {405, "{\"error\":\"this path does not take this method\"}\n"},
        {408, "{\"error\":\"the request took too long\"}\n"},
        {431, "{\"error\":\"too many or too long headers\"}\n"},
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].status == exchange->refused) {
            ret->status = exchange->refused;
            ret->type = "application/json";
            ret->constant = texts[i].text;
            ret->len = strlen(texts[i].text);
        }
    }
}

void fb_exchange_finish(struct fb_exchange *exchange, struct fb_answer *ret)
{
    const struct fb_route *route = exchange->request.route;

    *ret = (struct fb_answer){.status = 0};
    if (exchange->refused != 0) {
        refusal(exchange, ret);
    } else {
        route->handler->finish(route->context, &exchange->request, exchange->state, exchange->st,
                               &exchange->err, ret);
        exchange->state = NULL;
    }
    if (ret->status == 0)
        ret->status = 500;
    exchange->status = ret->status;
}

void fb_exchange_late(struct fb_exchange *exchange, unsigned ms, struct fb_answer *ret)
{
    if (exchange->request.route == NULL && exchange->refused == 0)
        exchange->refused = 408;
    else if (exchange->st == FB_OK)
        exchange->st = fb_error_set(&exchange->err, FB_EIO, "body: not complete after %u ms", ms);
    fb_exchange_finish(exchange, ret);
}

static double seconds_since(const struct timespec *began)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - began->tv_sec) + 1e-9 * (double)(now.tv_nsec - began->tv_nsec);
}

void fb_exchange_close(struct fb_exchange *exchange)
{
    const struct fb_site *site = exchange->site;

    if (exchange->state != NULL)
        exchange->request.route->handler->drop(exchange->state);
    exchange->state = NULL;
    if (site->told != NULL)
        site->told(site->told_context, &exchange->request, exchange->status,
                   seconds_since(&exchange->began));
    free(exchange->query);
    exchange->query = NULL;
}
