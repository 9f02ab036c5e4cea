/* SPDX-License-Identifier: Apache-2.0 */
#include "http.h"

#include "fabricbind/own.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define URL_BYTES 2048

struct fb_http {
    CURL *curl;
    struct curl_slist *headers;
    char *base;
    struct fb_http_limits limits;
    char *answer; /* NUL-ended once there is one */
    size_t len, size;
    bool too_long, no_memory;
    char reason[CURL_ERROR_SIZE];
};

void fb_http_free(struct fb_http *http)
{
    if (http == NULL)
        return;
    curl_easy_cleanup(http->curl);
    curl_slist_free_all(http->headers);
    free(http->base);
    free(http->answer);
    free(http);
}

void fb_http_freep(struct fb_http **http)
{
    fb_http_free(*http);
}

static bool make_room(struct fb_http *http, size_t len)
{
    size_t size = (http->len + len) * 2 + 256;
    char *grown;

    if (http->len + len < http->size)
        return true;
    grown = realloc(http->answer, size);
    if (grown == NULL)
        return false;
    http->answer = grown;
    http->size = size;
    return true;
}

/* curl's callback: anything but the whole length ends the exchange. */
static size_t append(char *bytes, size_t one, size_t len, void *context)
{
    struct fb_http *http = context;

    (void)one; /* always 1 */
    http->too_long = len > http->limits.answer_bytes - http->len;
    if (http->too_long)
        return 0;
    http->no_memory = !make_room(http, len);
    if (http->no_memory)
        return 0;
    memcpy(http->answer + http->len, bytes, len);
    http->len += len;
    http->answer[http->len] = '\0';
    return len;
}

static bool set_headers(struct fb_http *http)
{
    /* Without the empty Expect curl asks before it sends more than 1 MiB. */
    static const char *const lines[] = {"Content-Type: application/json", "Expect:"};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct curl_slist *more = curl_slist_append(http->headers, lines[i]);

        if (more == NULL)
            return false;
        http->headers = more;
    }
    return curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, http->headers) == CURLE_OK;
}

static bool set_options(struct fb_http *http)
{
    CURL *curl = http->curl;

    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_POST, 1L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->reason) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEDATA, http) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)http->limits.connect_ms) ==
               CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)http->limits.request_ms) == CURLE_OK &&
           set_headers(http);
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
    http->curl = curl_easy_init();
    if (http->base == NULL || http->curl == NULL || !make_room(http, 0) || !set_options(http))
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    while (len > 0 && http->base[len - 1] == '/')
        http->base[--len] = '\0';
    *ret = FB_TAKE(http);
    return FB_OK;
}

static enum fb_status explain(const struct fb_http *http, CURLcode code, const char *url,
                              struct fb_error *err)
{
    const char *reason = http->reason[0] != '\0' ? http->reason : curl_easy_strerror(code);

    if (http->too_long)
        return fb_error_set(err, FB_ELIMIT, "%s: answer of more than %zu bytes", url,
                            http->limits.answer_bytes);
    if (http->no_memory || code == CURLE_OUT_OF_MEMORY)
        return fb_error_set(err, FB_ENOMEM, "%s: out of memory", url);
    if (code == CURLE_URL_MALFORMAT)
        return fb_error_set(err, FB_EINPUT, "%s: %s", url, reason);
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST)
        return fb_error_set(err, FB_ENOTFOUND, "%s: %s", url, reason);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return fb_error_set(err, FB_EIO, "%s: no answer within %u ms", url,
                            http->limits.request_ms);
    return fb_error_set(err, FB_EIO, "%s: %s", url, reason);
}

static CURLcode perform(struct fb_http *http, const char *url, const char *body, size_t len)
{
    CURL *curl = http->curl;
    CURLcode code = curl_easy_setopt(curl, CURLOPT_URL, url);

    if (code == CURLE_OK)
        code = curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
    if (code == CURLE_OK)
        code = curl_easy_setopt(curl, CURLOPT_POSTFIELDS, len > 0 ? body : "");
    return code == CURLE_OK ? curl_easy_perform(curl) : code;
}

enum fb_status fb_http_post(struct fb_http *http, const char *path, const char *body, size_t len,
                            struct fb_http_reply *ret, struct fb_error *err)
{
    char url[URL_BYTES];
    long status = 0;
    CURLcode code;

    if (snprintf(url, sizeof url, "%s%s", http->base, path) >= (int)sizeof url)
        return fb_error_set(err, FB_EINPUT, "%.40s...: the path is too long", path);
    http->len = 0;
    http->answer[0] = '\0';
    http->reason[0] = '\0';
    http->too_long = http->no_memory = false;
    code = perform(http, url, body, len);
    if (code == CURLE_OK)
        code = curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK)
        return explain(http, code, url, err);
    *ret = (struct fb_http_reply){(unsigned)status, http->answer, http->len};
    return FB_OK;
}
