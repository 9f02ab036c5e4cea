/* SPDX-License-Identifier: Apache-2.0 */
#include "certificates_case.h"

#include "server_case.h"
#include "tls_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEVER_MS 3600000U

_Atomic int64_t certificates_case_now = 1800000000;

static int64_t clock_s(void)
{
    return atomic_load(&certificates_case_now);
}

static void count_change(void *context)
{
    struct certificates_case *at = context;

    atomic_fetch_add(&at->changes, 1);
}

struct fb_admission_config certificates_case_config(void)
{
    return (struct fb_admission_config){
        .name = "fabricbind",
        .service = {.space = "", .name = "fabricbind-admission", .port = 443},
        .url = "https://127.0.0.1:9443",
        .secret = "fabricbind-tls",
        .cert_file = "",
        .key_file = "",
        .ca_file = "",
        .timeout_s = 3,
        .is_registered = true,
    };
}

void certificates_case_start(struct certificates_case *at, struct object_store *store,
                             const struct fb_admission_config *config)
{
    struct fb_certificates_setup setup = {
        .config = config, .period_ms = NEVER_MS, .clock_s = clock_s};
    struct fb_error err = {0};

    memset(at, 0, sizeof *at);
    at->server = store == NULL ? NULL : object_store_client(store);
    at->sign = fb_sign_new();
    at->metrics = fb_metrics_new();
    assert_non_null(at->sign);
    assert_non_null(at->metrics);
    assert_int_equal(fb_server_tls_new(&at->tls, NULL), FB_OK);
    setup.server = at->server;
    setup.tls = at->tls;
    setup.sign = at->sign;
    setup.metrics = at->metrics;
    if (fb_certificates_start(&setup, &at->certificates, &err) != FB_OK)
        fail_msg("%s", err.text);
    fb_certificates_watch(at->certificates, count_change, at);
    at->turns = 1;
}

static bool has_turned(void *context)
{
    const struct certificates_case *at = context;

    return fb_certificates_turns(at->certificates) >= at->turns;
}

void certificates_case_turn(struct certificates_case *at)
{
    object_store_await(has_turned, at);
    at->turns++;
    fb_certificates_wake(at->certificates);
    object_store_await(has_turned, at);
}

void certificates_case_stop(struct certificates_case *at)
{
    fb_certificates_watch(at->certificates, NULL, NULL);
    fb_certificates_stop(at->certificates);
    fb_server_tls_free(at->tls);
    fb_sign_free(at->sign);
    fb_metrics_free(at->metrics);
    fb_apiserver_free(at->server);
}

unsigned certificates_case_count(struct certificates_case *at, const char *source,
                                 const char *result)
{
    char want[128];
    char *text = fb_metrics_print(at->metrics, &(size_t){0});
    const char *found;
    unsigned ret;

    assert_non_null(text);
    (void)snprintf(want, sizeof want,
                   "\nfabricbind_certificates_total{source=\"%s\",result=\"%s\"} ", source, result);
    found = strstr(text, want);
    ret = found == NULL ? 0 : (unsigned)strtoul(found + strlen(want), NULL, 10);
    free(text);
    return ret;
}

struct counted {
    struct certificates_case *at;
    const char *source, *result;
    unsigned want;
};

static bool is_counted(void *context)
{
    const struct counted *counted = context;

    return certificates_case_count(counted->at, counted->source, counted->result) >= counted->want;
}

void certificates_case_await(struct certificates_case *at, const char *source, const char *result,
                             unsigned want)
{
    struct counted counted = {at, source, result, want};

    object_store_await(is_counted, &counted);
    assert_int_equal(certificates_case_count(at, source, result), want);
}

bool certificates_case_connects(struct certificates_case *at, const char *bundle, const char *name)
{
    const struct tls_demand demand = {
        .bundle_pem = bundle, .name = name, .now_s = atomic_load(&certificates_case_now)};
    struct server_case server;
    struct tls_client client;
    bool done;

    server_case_start_tls(&server, NULL, at->tls);
    done = tls_connect(&client, server.port, &demand);
    if (done)
        tls_close(&client);
    server_case_stop(&server, 1000);
    return done;
}
