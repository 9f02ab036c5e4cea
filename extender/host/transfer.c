/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer.h"

#include "fabricbind/own.h"

#include <curl/curl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_MS 150 /* at stop and at the time */

struct fb_transfer {
    CURL *curl;
    CURLM *multi; /* holds the connection between exchanges */
    char reason[CURL_ERROR_SIZE];
};

/* An exchange under way. */
struct run {
    const struct fb_exchange *exchange;
    struct fb_transfer *transfer;
    struct fb_error *err;
    int64_t last_ms; /* when a byte came */
    enum fb_status piece_st;
    bool stopped, idle;
};

static int64_t clock_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static unsigned status_of(const struct fb_transfer *transfer)
{
    long status = 0;

    (void)curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    return (unsigned)status;
}

/* curl's callback: anything but the whole length ends the exchange. */
static size_t take(char *bytes, size_t one, size_t len, void *context)
{
    struct run *run = context;

    (void)one; /* always 1 */
    run->last_ms = clock_ms();
    run->piece_st = run->exchange->piece(run->exchange->context, status_of(run->transfer), bytes,
                                         len, run->err);
    return run->piece_st == FB_OK ? len : (size_t)(len == 0);
}

static bool set_blob(CURL *curl, CURLoption option, const char *text)
{
    struct curl_blob blob = {.flags = CURL_BLOB_COPY};

    if (text == NULL)
        return true;
    blob.len = strlen(text);
    /* curl copies it, but its structure has no const. */
    memcpy(&blob.data, &text, sizeof text);
    return curl_easy_setopt(curl, option, &blob) == CURLE_OK;
}

static bool set_long(CURL *curl, CURLoption option, long value)
{
    return curl_easy_setopt(curl, option, value) == CURLE_OK;
}

static bool set_trust(CURL *curl, const struct fb_transfer_trust *trust)
{
    if (!set_long(curl, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2))
        return false;
    if (trust == NULL)
        return true;
    if (trust->insecure &&
        (!set_long(curl, CURLOPT_SSL_VERIFYPEER, 0) || !set_long(curl, CURLOPT_SSL_VERIFYHOST, 0)))
        return false;
    return set_blob(curl, CURLOPT_CAINFO_BLOB, trust->ca_pem) &&
           set_blob(curl, CURLOPT_SSLCERT_BLOB, trust->cert_pem) &&
           set_blob(curl, CURLOPT_SSLKEY_BLOB, trust->key_pem);
}

static bool set_options(struct fb_transfer *transfer)
{
    CURL *curl = transfer->curl;

    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK &&
           set_long(curl, CURLOPT_NOSIGNAL, 1) &&
           set_long(curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS) &&
           set_long(curl, CURLOPT_TCP_KEEPALIVE, 1) && set_long(curl, CURLOPT_TCP_KEEPIDLE, 30) &&
           set_long(curl, CURLOPT_TCP_KEEPINTVL, 10) &&
           curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transfer->reason) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take) == CURLE_OK;
}

static void start_curl(void)
{
    (void)curl_global_init(CURL_GLOBAL_DEFAULT);
}

enum fb_status fb_transfer_new(const struct fb_transfer_trust *trust, struct fb_transfer **ret,
                               struct fb_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    FB_OWNED(fb_transfer_freep) struct fb_transfer *transfer = calloc(1, sizeof *transfer);

    (void)pthread_once(&once, start_curl);
    if (transfer == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    transfer->curl = curl_easy_init();
    transfer->multi = curl_multi_init();
    if (transfer->curl == NULL || transfer->multi == NULL || !set_options(transfer) ||
        !set_trust(transfer->curl, trust))
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    *ret = FB_TAKE(transfer);
    return FB_OK;
}

void fb_transfer_free(struct fb_transfer *transfer)
{
    if (transfer == NULL)
        return;
    curl_easy_cleanup(transfer->curl);
    (void)curl_multi_cleanup(transfer->multi);
    free(transfer);
}

void fb_transfer_freep(struct fb_transfer **transfer)
{
    fb_transfer_free(*transfer);
}

static void slist_freep(struct curl_slist **list)
{
    curl_slist_free_all(*list);
}

static bool add_line(struct curl_slist **list, const char *line)
{
    struct curl_slist *more = curl_slist_append(*list, line);

    if (more == NULL)
        return false;
    *list = more;
    return true;
}

/* Without the empty Expect curl asks before it sends more than 1 MiB. */
static bool make_lines(const char *const *headers, struct curl_slist **ret)
{
    if (!add_line(ret, "Expect:"))
        return false;
    for (; headers != NULL && *headers != NULL; headers++) {
        if (!add_line(ret, *headers))
            return false;
    }
    return true;
}

/* POSTFIELDS makes curl send a body, whatever the method is called. */
static bool set_method(CURL *curl, const struct fb_exchange *exchange)
{
    bool has_body = exchange->body != NULL || strcmp(exchange->method, "POST") == 0;

    if (!set_long(curl, has_body ? CURLOPT_POST : CURLOPT_HTTPGET, 1) ||
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, exchange->method) != CURLE_OK)
        return false;
    return !has_body || (curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                                          (curl_off_t)exchange->len) == CURLE_OK &&
                         curl_easy_setopt(curl, CURLOPT_POSTFIELDS,
                                          exchange->len > 0 ? exchange->body : "") == CURLE_OK);
}

static bool set_exchange(CURL *curl, struct run *run, struct curl_slist *lines)
{
    const struct fb_exchange *exchange = run->exchange;

    return curl_easy_setopt(curl, CURLOPT_URL, exchange->url) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines) == CURLE_OK &&
           set_method(curl, exchange) &&
           set_long(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)exchange->connect_ms) &&
           set_long(curl, CURLOPT_TIMEOUT_MS, (long)exchange->whole_ms) &&
           curl_easy_setopt(curl, CURLOPT_WRITEDATA, run) == CURLE_OK;
}

static bool is_over(struct run *run)
{
    const struct fb_exchange *exchange = run->exchange;

    run->stopped = exchange->stop != NULL && atomic_load(exchange->stop);
    run->idle = exchange->idle_ms > 0 && clock_ms() - run->last_ms >= (int64_t)exchange->idle_ms;
    return run->stopped || run->idle;
}

/* What became of the exchange, once curl has ended it. */
static CURLcode result_of(CURLM *multi)
{
    int left = 0;
    const CURLMsg *message = curl_multi_info_read(multi, &left);

    return message != NULL && message->msg == CURLMSG_DONE ? message->data.result
                                                           : CURLE_RECV_ERROR;
}

static CURLcode perform(struct run *run)
{
    CURLM *multi = run->transfer->multi;
    CURLcode code = CURLE_OUT_OF_MEMORY;
    int running = 1;
    CURLMcode mode = curl_multi_add_handle(multi, run->transfer->curl);

    while (mode == CURLM_OK && running > 0) {
        mode = curl_multi_perform(multi, &running);
        if (mode != CURLM_OK || running == 0 || is_over(run))
            break;
        mode = curl_multi_poll(multi, NULL, 0, LOOK_MS, NULL);
    }
    if (mode == CURLM_OK && running == 0)
        code = result_of(multi);
    (void)curl_multi_remove_handle(multi, run->transfer->curl);
    return code;
}

static enum fb_status explain(const struct run *run, CURLcode code, struct fb_error *err)
{
    const char *reason =
        run->transfer->reason[0] != '\0' ? run->transfer->reason : curl_easy_strerror(code);

    if (run->idle)
        return fb_error_set(err, FB_EIO, "no byte for %u ms", run->exchange->idle_ms);
    if (code == CURLE_OUT_OF_MEMORY)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    if (code == CURLE_URL_MALFORMAT)
        return fb_error_set(err, FB_EINPUT, "%s", reason);
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST)
        return fb_error_set(err, FB_ENOTFOUND, "%s", reason);
    if (code == CURLE_OPERATION_TIMEDOUT && run->exchange->whole_ms > 0)
        return fb_error_set(err, FB_EIO, "no answer within %u ms", run->exchange->whole_ms);
    return fb_error_set(err, FB_EIO, "%s", reason);
}

static unsigned retry_after(const struct fb_transfer *transfer)
{
    curl_off_t seconds = 0;

    (void)curl_easy_getinfo(transfer->curl, CURLINFO_RETRY_AFTER, &seconds);
    return seconds < 0 || seconds > INT_MAX ? 0 : (unsigned)seconds;
}

enum fb_status fb_transfer_do(struct fb_transfer *transfer, const struct fb_exchange *exchange,
                              struct fb_transfer_end *ret_end, struct fb_error *err)
{
    FB_OWNED(slist_freep) struct curl_slist *lines = NULL;
    struct run run = {
        .exchange = exchange, .transfer = transfer, .err = err, .last_ms = clock_ms()};
    CURLcode code;

    *ret_end = (struct fb_transfer_end){.stopped = is_over(&run)};
    if (ret_end->stopped)
        return FB_OK;
    transfer->reason[0] = '\0';
    if (!make_lines(exchange->headers, &lines) || !set_exchange(transfer->curl, &run, lines))
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    code = perform(&run);
    *ret_end = (struct fb_transfer_end){status_of(transfer), retry_after(transfer), run.stopped};
    (void)curl_easy_setopt(transfer->curl, CURLOPT_HTTPHEADER, NULL);
    if (run.piece_st != FB_OK)
        return run.piece_st;
    return code == CURLE_OK || run.stopped ? FB_OK : explain(&run, code, err);
}
