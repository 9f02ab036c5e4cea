/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver.h"
#include "server_case.h"
#include "tls.h"

#include "fabricbind/own.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CA_FILE "test_apiserver_tls.ca"

/* Two authorities, each with a certificate for 127.0.0.1; the third is the first one's, for another
 * name. */
static struct fb_tls_pair authorities[2], servers[3];

static bool make_server(size_t number, const struct fb_tls_pair *authority, const char *name)
{
    const struct fb_texts names = {&name, 1, 1};

    return fb_tls_make_server(authority, &names, (int64_t)time(NULL), 1, &servers[number], NULL) ==
           FB_OK;
}

static int set_up(void **state)
{
    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < 2; i++) {
        if (fb_tls_make_authority((int64_t)time(NULL), 1, &authorities[i], NULL) != FB_OK ||
            !make_server(i, &authorities[i], "127.0.0.1"))
            return 1;
    }
    return make_server(2, &authorities[0], "api.example.com") ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++)
        fb_tls_pair_fini(&authorities[i]);
    for (size_t i = 0; i < 3; i++)
        fb_tls_pair_fini(&servers[i]);
    (void)unlink(CA_FILE);
    return 0;
}

/* A server over TLS and what it shows. */
struct scene {
    struct server_case served;
    struct fb_server_tls *tls;
    char base[64];
};

static void show(struct scene *scene, size_t number)
{
    assert_int_equal(
        fb_server_tls_set(scene->tls, servers[number].cert_pem, servers[number].key_pem, NULL),
        FB_OK);
}

static void start(struct scene *scene, size_t number)
{
    assert_int_equal(fb_server_tls_new(&scene->tls, NULL), FB_OK);
    show(scene, number);
    server_case_start_tls(&scene->served, NULL, scene->tls);
    (void)snprintf(scene->base, sizeof scene->base, "https://127.0.0.1:%u", scene->served.port);
}

static void stop(struct scene *scene)
{
    server_case_stop(&scene->served, 1000);
    fb_server_tls_free(scene->tls);
}

static struct fb_apiserver *client_of(const struct scene *scene, struct fb_access access)
{
    struct fb_apiserver *server = NULL;
    struct fb_error err = {0};

    access.server = scene->base;
    access.space = "default";
    if (fb_apiserver_new(&access, NULL, &server, &err) != FB_OK)
        fail_msg("%s", err.text);
    return server;
}

static enum fb_status get(struct fb_apiserver *server, struct fb_error *err)
{
    const struct fb_api_call call = {.method = "GET", .path = "/query?hello"};
    struct fb_api_reply reply = {0};
    enum fb_status st = fb_apiserver_call(server, &call, &reply, err);

    if (st == FB_OK) {
        assert_int_equal(reply.status, 200);
        assert_string_equal(reply.body, "hello");
        fb_api_reply_fini(&reply);
    }
    return st;
}

static void put_ca(size_t number)
{
    FILE *out = fopen(CA_FILE ".next", "w");

    assert_non_null(out);
    assert_true(fputs(authorities[number].cert_pem, out) >= 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(rename(CA_FILE ".next", CA_FILE), 0);
}

static void test_apiserver_tls__takes_no_server_but_the_right_one(void **state)
{
    const struct {
        size_t shown;
        struct fb_access access;
        bool works;
    } cases[] = {
        {0, {.ca_pem = authorities[0].cert_pem}, true},
        {0, {.ca_pem = authorities[1].cert_pem}, false},
        {0, {.ca_pem = NULL}, false},
        {2, {.ca_pem = authorities[0].cert_pem}, false},
        {2, {.insecure = true}, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        FB_OWNED(fb_apiserver_freep) struct fb_apiserver *server = NULL;
        struct fb_error err = {0};
        enum fb_status st;

        start(&scene, cases[i].shown);
        server = client_of(&scene, cases[i].access);
        st = get(server, &err);
        if ((st == FB_OK) != cases[i].works)
            fail_msg("case %zu: %s", i, st == FB_OK ? "taken" : err.text);
        assert_true(st == FB_OK || strncmp(err.text, "GET /query: SSL", 15) == 0);
        stop(&scene);
    }
}

static void test_apiserver_tls__follows_a_ca_that_is_replaced(void **state)
{
    struct scene scene;
    FB_OWNED(fb_apiserver_freep) struct fb_apiserver *server = NULL;

    (void)state;
    put_ca(0);
    start(&scene, 0);
    server = client_of(&scene, (struct fb_access){.ca_file = CA_FILE});
    assert_int_equal(get(server, NULL), FB_OK);
    show(&scene, 1);
    assert_int_equal(get(server, NULL), FB_OK); /* on the connection that is kept */
    put_ca(1);
    assert_int_equal(get(server, NULL), FB_OK); /* on a new one */
    put_ca(0);
    assert_int_equal(get(server, NULL), FB_EIO); /* what was made by the CA before is given up */
    show(&scene, 0);
    assert_int_equal(get(server, NULL), FB_OK);
    stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apiserver_tls__takes_no_server_but_the_right_one),
        cmocka_unit_test(test_apiserver_tls__follows_a_ca_that_is_replaced),
    };

    return cmocka_run_group_tests_name("apiserver_tls", tests, set_up, tear_down);
}
