/* SPDX-License-Identifier: Apache-2.0 */
#include "certificates_case.h"
#include "certificates_names.h"
#include "log.h"
#include "metrics_text.h"
#include "tls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START ((int64_t)1800000000)

/* Two authorities, each with a server's certificate. */
static struct fb_tls_pair authorities[2], servers[2];
static char dir[] = "/tmp/fabricbind-certificates-XXXXXX";
static char paths[3][128]; /* certificate, key, authorities */

static void make_path(size_t at, const char *name)
{
    (void)snprintf(paths[at], sizeof paths[at], "%s/%s", dir, name);
}

static int set_up(void **state)
{
    static const char *name[] = {"127.0.0.1"};
    static const struct fb_texts names = {name, 1, 1};

    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    if (mkdtemp(dir) == NULL)
        return 1;
    make_path(0, "tls.crt");
    make_path(1, "tls.key");
    make_path(2, "ca.crt");
    for (size_t i = 0; i < 2; i++) {
        if (fb_tls_make_authority(START, 100, &authorities[i], NULL) != FB_OK ||
            fb_tls_make_server(&authorities[i], &names, START, (int64_t)i + 10, &servers[i],
                               NULL) != FB_OK)
            return 1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        fb_tls_pair_fini(&authorities[i]);
        fb_tls_pair_fini(&servers[i]);
    }
    for (size_t i = 0; i < COUNT(paths); i++)
        (void)unlink(paths[i]);
    return rmdir(dir);
}

/* A new file takes the old one's place, as whoever rotates certificates does it. */
static void write_file(size_t at, const char *text)
{
    char next[160];
    FILE *file;

    (void)snprintf(next, sizeof next, "%s.new", paths[at]);
    file = fopen(next, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(next, paths[at]), 0);
}

static void write_files(size_t which)
{
    write_file(0, servers[which].cert_pem);
    write_file(1, servers[which].key_pem);
    write_file(2, authorities[which].cert_pem);
}

static void start(struct certificates_case *at, struct object_store *store)
{
    struct fb_admission_config config = certificates_case_config();

    config.cert_file = paths[0];
    config.key_file = paths[1];
    config.ca_file = paths[2];
    atomic_store(&certificates_case_now, START);
    certificates_case_start(at, store, &config);
}

static void expect_bundle(struct certificates_case *at, const char *want)
{
    char *bundle = fb_certificates_bundle(at->certificates);

    assert_non_null(bundle);
    assert_string_equal(bundle, want);
    free(bundle);
}

static void test_certificates_files__are_read_anew_when_they_change(void **state)
{
    struct certificates_case at;

    (void)state;
    write_files(0);
    start(&at, NULL);
    certificates_case_turn(&at);
    assert_true(certificates_case_connects(&at, authorities[0].cert_pem, "127.0.0.1"));
    expect_bundle(&at, authorities[0].cert_pem);
    write_files(1);
    certificates_case_turn(&at);
    assert_true(certificates_case_connects(&at, authorities[1].cert_pem, "127.0.0.1"));
    expect_bundle(&at, authorities[1].cert_pem);
    expect_metric(at.metrics, "fabricbind_certificate_expiry_timestamp_seconds 1800950400");
    certificates_case_turn(&at);
    assert_int_equal(certificates_case_count(&at, "files", "shown"), 2);
    assert_int_equal(certificates_case_count(&at, "files", "refused"), 0);
    certificates_case_stop(&at);
}

static void test_certificates_files__wait_a_turn_while_both_authorities_are_told(void **state)
{
    struct certificates_case at;
    char *both = NULL;

    (void)state;
    write_files(0);
    start(&at, NULL);
    certificates_case_turn(&at);
    assert_int_equal(
        fb_tls_join(authorities[1].cert_pem, authorities[0].cert_pem, START, &both, NULL), FB_OK);
    write_files(1);
    write_file(2, both);
    certificates_case_turn(&at);
    expect_bundle(&at, both);
    assert_true(certificates_case_connects(&at, authorities[0].cert_pem, "127.0.0.1"));
    certificates_case_turn(&at);
    assert_true(certificates_case_connects(&at, authorities[1].cert_pem, "127.0.0.1"));
    certificates_case_stop(&at);
    free(both);
}

static void test_certificates_files__that_are_bad_change_nothing(void **state)
{
    static const struct {
        size_t at;
        const char *text;
    } cases[] = {{0, ""}, {0, "garbage"}, {1, "garbage"}, {2, "garbage"}};
    struct certificates_case at;
    unsigned refused = 0;

    (void)state;
    write_files(0);
    start(&at, NULL);
    certificates_case_turn(&at);
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_file(cases[i].at, cases[i].text);
        certificates_case_turn(&at);
        assert_int_equal(certificates_case_count(&at, "files", "refused"), ++refused);
        assert_true(certificates_case_connects(&at, authorities[0].cert_pem, "127.0.0.1"));
        expect_bundle(&at, authorities[0].cert_pem);
        write_files(0);
    }
    write_file(1, servers[1].key_pem);
    certificates_case_turn(&at);
    assert_int_equal(certificates_case_count(&at, "files", "refused"), ++refused);
    assert_int_equal(unlink(paths[0]), 0);
    certificates_case_turn(&at);
    assert_int_equal(certificates_case_count(&at, "files", "failed"), 1);
    assert_true(certificates_case_connects(&at, authorities[0].cert_pem, "127.0.0.1"));
    write_files(1);
    certificates_case_turn(&at);
    assert_true(certificates_case_connects(&at, authorities[1].cert_pem, "127.0.0.1"));
    certificates_case_stop(&at);
}

static void test_certificates_files__need_no_authorities(void **state)
{
    struct fb_admission_config config = certificates_case_config();
    struct certificates_case at;

    (void)state;
    write_files(0);
    config.cert_file = paths[0];
    config.key_file = paths[1];
    certificates_case_start(&at, NULL, &config);
    certificates_case_turn(&at);
    expect_bundle(&at, "");
    assert_true(certificates_case_connects(&at, authorities[0].cert_pem, "127.0.0.1"));
    certificates_case_stop(&at);
}

static void test_certificates_files__leave_the_secret_to_signatures(void **state)
{
    static const struct fb_sign_subject subject = {"u", "n", "c"};
    static struct object_store store;
    struct certificates_case at;
    struct fb_arena *arena = fb_arena_new(0);
    char *body;

    (void)state;
    assert_non_null(arena);
    write_files(0);
    object_store_start(&store, "/api/v1/namespaces/ops/secrets", "fabricbind-tls");
    start(&at, &store);
    certificates_case_turn(&at);
    assert_non_null(fb_sign_text(at.sign, arena, &subject));
    body = object_store_get(&store);
    assert_non_null(strstr(body, "\"type\":\"Opaque\",\"data\":{\"signing.key\":"));
    assert_null(strstr(body, "tls.crt"));
    certificates_case_stop(&at);
    object_store_stop(&store);
    fb_arena_free(arena);
    free(body);
}

static void test_certificates_names__are_those_by_which_it_is_called(void **state)
{
    static const struct {
        const char *space, *url, *first, *last;
        size_t len;
    } cases[] = {
        {"", "", "fabricbind-admission.ops.svc", "fabricbind-admission.ops.svc.cluster.local", 3},
        {"b", "https://a.example.com/x", "fabricbind-admission.b.svc", "a.example.com", 4},
        {"", "https://127.0.0.1:9443", "fabricbind-admission.ops.svc", "127.0.0.1", 4},
        {"", "https://[::1]:9443/a", "fabricbind-admission.ops.svc", "::1", 4},
    };
    struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    assert_non_null(arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_admission_config config = certificates_case_config();
        struct fb_texts names = {0};

        config.service.space = cases[i].space;
        config.url = cases[i].url;
        assert_int_equal(fb_certificates_names(arena, &config, "ops", &names), FB_OK);
        assert_int_equal(names.len, cases[i].len);
        assert_string_equal(names.at[0], cases[i].first);
        assert_string_equal(names.at[names.len - 1], cases[i].last);
    }
    fb_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificates_files__are_read_anew_when_they_change),
        cmocka_unit_test(test_certificates_files__wait_a_turn_while_both_authorities_are_told),
        cmocka_unit_test(test_certificates_files__that_are_bad_change_nothing),
        cmocka_unit_test(test_certificates_files__need_no_authorities),
        cmocka_unit_test(test_certificates_files__leave_the_secret_to_signatures),
        cmocka_unit_test(test_certificates_names__are_those_by_which_it_is_called),
    };

    return cmocka_run_group_tests_name("certificates_files", tests, set_up, tear_down);
}
