/* SPDX-License-Identifier: Apache-2.0 */
#include "server_case.h"
#include "tls.h"
#include "tls_client.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS 8
#define REPLACED 40 /* times, under load */

static const char query[] = "GET /query?a HTTP/1.1\r\nHost: h\r\n\r\n";

/* Two authorities, each with a server's certificate. */
static struct fb_tls_pair authorities[2], servers[2];
static char *bundle;

static int set_up(void **state)
{
    static const char *name[] = {"127.0.0.1"};
    static const struct fb_texts names = {name, 1, 1};
    int64_t now_s = (int64_t)time(NULL);

    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < 2; i++) {
        if (fb_tls_make_authority(now_s, 1, &authorities[i], NULL) != FB_OK ||
            fb_tls_make_server(&authorities[i], &names, now_s, 1, &servers[i], NULL) != FB_OK)
            return 1;
    }
    return fb_tls_join(authorities[0].cert_pem, authorities[1].cert_pem, now_s, &bundle, NULL) !=
           FB_OK;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        fb_tls_pair_fini(&authorities[i]);
        fb_tls_pair_fini(&servers[i]);
    }
    free(bundle);
    return 0;
}

static struct fb_server_tls *tls_new(void)
{
    struct fb_server_tls *tls = NULL;

    assert_int_equal(fb_server_tls_new(&tls, NULL), FB_OK);
    return tls;
}

static void show(struct fb_server_tls *tls, size_t which)
{
    struct fb_error err = {0};

    if (fb_server_tls_set(tls, servers[which].cert_pem, servers[which].key_pem, &err) != FB_OK)
        fail_msg("%s", err.text);
}

/* Does a new connection that trusts authority @which alone get an answer. */
static bool answers(const struct server_case *at, size_t which, int version)
{
    const struct tls_demand demand = {authorities[which].cert_pem, "127.0.0.1", version, 0};
    struct tls_client client;
    char body[16] = "";
    bool done = tls_connect(&client, at->port, &demand);

    if (!done)
        return false;
    done = tls_send(&client, query) && tls_read(&client, body, sizeof body) == 200 &&
           strcmp(body, "a") == 0;
    tls_close(&client);
    return done;
}

static void test_server_tls__answers_from_tls_1_2_on(void **state)
{
    struct fb_server_tls *tls = tls_new();
    struct server_case at;

    (void)state;
    show(tls, 0);
    server_case_start_tls(&at, NULL, tls);
    assert_true(answers(&at, 0, 12));
    assert_true(answers(&at, 0, 13));
    assert_false(answers(&at, 0, 11));
    assert_false(answers(&at, 1, 0));
    server_case_stop(&at, 1000);
    fb_server_tls_free(tls);
}

static void test_server_tls__takes_bodies_and_many_requests(void **state)
{
    const struct tls_demand demand = {bundle, "127.0.0.1", 0, 0};
    static const char post[] = "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc";
    struct fb_server_tls *tls = tls_new();
    struct tls_client client;
    struct server_case at;
    char body[128];

    (void)state;
    show(tls, 0);
    server_case_start_tls(&at, NULL, tls);
    assert_true(tls_connect(&client, at.port, &demand));
    for (int i = 0; i < 100; i++) {
        assert_true(tls_send(&client, post));
        assert_int_equal(tls_read(&client, body, sizeof body), 200);
        assert_string_equal(body, "{\"bytes\":3,\"sum\":294,\"status\":0,\"error\":\"\"}");
    }
    tls_close(&client);
    server_case_stop(&at, 1000);
    fb_server_tls_free(tls);
}

static void test_server_tls__cuts_connections_without_a_certificate(void **state)
{
    struct fb_server_tls *tls = tls_new();
    struct server_case at;

    (void)state;
    server_case_start_tls(&at, NULL, tls);
    assert_false(answers(&at, 0, 0));
    show(tls, 0);
    assert_true(answers(&at, 0, 0));
    server_case_stop(&at, 1000);
    fb_server_tls_free(tls);
}

static void test_server_tls__does_not_speak_plain_http(void **state)
{
    static struct raw_client client;
    struct fb_server_tls *tls = tls_new();
    struct raw_answer answer;
    struct server_case at;

    (void)state;
    show(tls, 0);
    server_case_start_tls(&at, NULL, tls);
    server_case_connect(&at, &client);
    assert_true(raw_text(&client, query));
    assert_false(raw_read(&client, false, &answer));
    raw_close(&client);
    server_case_stop(&at, 1000);
    assert_int_equal(at.begun, 0);
    fb_server_tls_free(tls);
}

static void test_server_tls__shows_a_new_certificate_to_new_connections(void **state)
{
    const struct tls_demand demand = {authorities[0].cert_pem, "127.0.0.1", 0, 0};
    struct fb_server_tls *tls = tls_new();
    struct tls_client before;
    struct server_case at;

    (void)state;
    show(tls, 0);
    server_case_start_tls(&at, NULL, tls);
    assert_true(tls_connect(&before, at.port, &demand));
    show(tls, 1);
    assert_true(answers(&at, 1, 0));
    assert_false(answers(&at, 0, 0));
    assert_true(tls_send(&before, query));
    assert_int_equal(tls_read(&before, NULL, 0), 200);
    tls_close(&before);
    server_case_stop(&at, 1000);
    fb_server_tls_free(tls);
}

/* A thread that connects until it is told to end. */
struct worker {
    pthread_t thread;
    unsigned port;
    const atomic_bool *end;
    unsigned done, failed;
    atomic_uint *all; /* of all threads */
};

static void *work(void *context)
{
    struct worker *worker = context;
    const struct tls_demand demand = {bundle, "127.0.0.1", 0, 0};

    while (!atomic_load(worker->end)) {
        struct tls_client client;
        bool done = tls_connect(&client, worker->port, &demand);

        if (done) {
            done = tls_send(&client, query) && tls_read(&client, NULL, 0) == 200;
            tls_close(&client);
        }
        worker->done += done ? 1 : 0;
        worker->failed += done ? 0 : 1;
        atomic_fetch_add(worker->all, 1);
    }
    return NULL;
}

/* Wait until the threads have made @more connections. */
static void await_more(atomic_uint *all, unsigned more)
{
    unsigned want = atomic_load(all) + more;
    struct timespec step = {.tv_nsec = 1000000};

    for (int i = 0; i < 20000 && atomic_load(all) < want; i++)
        (void)nanosleep(&step, NULL);
    assert_true(atomic_load(all) >= want);
}

static void test_server_tls__is_replaced_under_load_without_a_failure(void **state)
{
    struct fb_server_tls *tls = tls_new();
    struct worker workers[THREADS];
    struct server_case at;
    atomic_bool end = false;
    atomic_uint all = 0;

    (void)state;
    show(tls, 0);
    server_case_start_tls(&at, NULL, tls);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.port = at.port, .end = &end, .all = &all};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < REPLACED; i++) {
        await_more(&all, 4);
        show(tls, (i + 1) % 2);
    }
    atomic_store(&end, true);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].failed, 0);
        assert_true(workers[i].done > 0);
    }
    server_case_stop(&at, 1000);
    fb_server_tls_free(tls);
}

static void test_server_tls__cuts_who_is_too_slow(void **state)
{
    static const struct fb_server_limits limits = {.request_ms = 200};
    const struct tls_demand demand = {bundle, "127.0.0.1", 0, 0};
    struct fb_server_tls *tls = tls_new();
    struct tls_client client;
    struct server_case at;

    (void)state;
    show(tls, 0);
    server_case_start_tls(&at, &limits, tls);
    assert_true(tls_connect(&client, at.port, &demand));
    assert_true(
        tls_send(&client, "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf"));
    assert_int_equal(tls_read(&client, NULL, 0), 0);
    assert_false(client.garbled);
    tls_close(&client);
    server_case_stop(&at, 1000);
    fb_server_tls_free(tls);
}

static void test_server_tls_set__refuses_and_keeps_what_it_had(void **state)
{
    const struct {
        const char *cert, *key, *want;
    } cases[] = {
        {servers[0].cert_pem, servers[1].key_pem, "key: is not that of the certificate"},
        {servers[0].cert_pem, "", "key: The requested data were not available."},
        {"", servers[0].key_pem, "certificate: No certificate was found."},
        {"garbage", servers[0].key_pem, "certificate: No certificate was found."},
    };
    struct fb_server_tls *tls = tls_new();
    struct server_case at;

    (void)state;
    show(tls, 0);
    server_case_start_tls(&at, NULL, tls);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_error err = {0};

        assert_int_equal(fb_server_tls_set(tls, cases[i].cert, cases[i].key, &err), FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
        assert_true(answers(&at, 0, 0));
    }
    server_case_stop(&at, 1000);
    fb_server_tls_free(tls);
}

static void test_server_tls_set__has_a_limit_of_certificates(void **state)
{
    struct fb_server_tls *tls = tls_new();
    struct fb_error err = {0};
    size_t one = strlen(servers[0].cert_pem);
    char *chain = calloc(FB_SERVER_TLS_CHAIN + 1, one + 1);

    (void)state;
    assert_non_null(chain);
    for (size_t i = 0; i <= FB_SERVER_TLS_CHAIN; i++)
        memcpy(chain + i * one, servers[0].cert_pem, one);
    assert_int_equal(fb_server_tls_set(tls, chain, servers[0].key_pem, &err), FB_ELIMIT);
    assert_string_equal(err.text, "certificate: more than 8 in a chain");
    free(chain);
    fb_server_tls_free(tls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server_tls__answers_from_tls_1_2_on),
        cmocka_unit_test(test_server_tls__takes_bodies_and_many_requests),
        cmocka_unit_test(test_server_tls__cuts_connections_without_a_certificate),
        cmocka_unit_test(test_server_tls__does_not_speak_plain_http),
        cmocka_unit_test(test_server_tls__shows_a_new_certificate_to_new_connections),
        cmocka_unit_test(test_server_tls__is_replaced_under_load_without_a_failure),
        cmocka_unit_test(test_server_tls__cuts_who_is_too_slow),
        cmocka_unit_test(test_server_tls_set__refuses_and_keeps_what_it_had),
        cmocka_unit_test(test_server_tls_set__has_a_limit_of_certificates),
    };

    return cmocka_run_group_tests_name("server_tls", tests, set_up, tear_down);
}
