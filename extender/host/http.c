/* SPDX-License-Identifier: Apache-2.0 */
#include "http.h"

#include "fabricbind/own.h"
#include "gather.h"
#include "transfer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define URL_BYTES 2048

struct fb_http {
    struct fb_transfer *transfer;
    char *base;
    struct fb_http_limits limits;
    struct fb_gather answer;
};

void fb_http_free(struct fb_http *http)
{
    if (http == NULL)
        return;
    fb_transfer_free(http->transfer);
    free(http->base);
    fb_gather_fini(&http->answer);
    free(http);
}

void fb_http_freep(struct fb_http **http)
{
    fb_http_free(*http);
}

static enum fb_status append(void *context, unsigned status, const char *bytes, size_t len,
                             struct fb_error *err)
{
    (void)status;
    return fb_gather_add(context, bytes, len, err);
}

static struct fb_http_limits complete(const struct fb_http_limits *given)
{
    struct fb_http_limits limits = given != NULL ? *given : (struct fb_http_limits){0};

    if (limits.connect_ms == 0)
        limits.connect_ms = 5000;
    if (limits.request_ms == 0)
        limits.request_ms = 60000;
    if (limits.answer_bytes == 0)
        limits.answer_bytes = (size_t)64 * 1024 * 1024;
    return limits;
}

enum fb_status fb_http_new(const char *base, const struct fb_http_limits *limits,
                           struct fb_http **ret, struct fb_error *err)
{
    FB_OWNED(fb_http_freep) struct fb_http *http = NULL;
    size_t len = strlen(base);
    enum fb_status st;

    if (strncmp(base, "http://", 7) != 0 && strncmp(base, "https://", 8) != 0)
        return fb_error_set(err, FB_EINPUT, "'%s' is no http URL", base);
    if (len > URL_BYTES / 2)
        return fb_error_set(err, FB_EINPUT, "'%.40s...' is longer than %d bytes", base,
                            URL_BYTES / 2);
    http = calloc(1, sizeof *http);
    if (http == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    http->limits = complete(limits);
    http->base = strdup(base);
    http->answer.most = http->limits.answer_bytes;
    if (http->base == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = fb_transfer_new(NULL, &http->transfer, err);
    if (st != FB_OK)
        return st;
    while (len > 0 && http->base[len - 1] == '/')
        http->base[--len] = '\0';
    *ret = FB_TAKE(http);
    return FB_OK;
}

enum fb_status fb_http_post(struct fb_http *http, const char *path, const char *body, size_t len,
                            struct fb_http_reply *ret, struct fb_error *err)
{
    static const char *const headers[] = {"Content-Type: application/json", NULL};
    char url[URL_BYTES];
    const struct fb_exchange exchange = {
        .method = "POST",
        .url = url,
        .headers = headers,
        .body = body,
        .len = len,
        .connect_ms = http->limits.connect_ms,
        .whole_ms = http->limits.request_ms,
        .piece = append,
        .context = &http->answer,
    };
    struct fb_transfer_end end;
    enum fb_status st;

    if (snprintf(url, sizeof url, "%s%s", http->base, path) >= (int)sizeof url)
        return fb_error_set(err, FB_EINPUT, "%.40s...: the path is too long", path);
    http->answer.len = 0;
    st = fb_gather_add(&http->answer, "", 0, err);
    if (st == FB_OK)
        st = fb_transfer_do(http->transfer, &exchange, &end, err);
    if (st != FB_OK)
        return fb_error_prefix(err, st, "%s", url);
    *ret = (struct fb_http_reply){end.status, http->answer.at, http->answer.len};
    return FB_OK;
}
