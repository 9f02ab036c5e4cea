/* SPDX-License-Identifier: Apache-2.0 */
#include "certificates_case.h"
#include "log.h"
#include "metrics_text.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAY ((int64_t)86400)
#define START ((int64_t)1800000000)

static struct object_store store;

static int set_up(void **state)
{
    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    atomic_store(&certificates_case_now, START);
    object_store_start(&store, "/api/v1/namespaces/ops/secrets", "fabricbind-tls");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    object_store_stop(&store);
    return 0;
}

static void start(struct certificates_case *at)
{
    const struct fb_admission_config config = certificates_case_config();

    certificates_case_start(at, &store, &config);
}

static unsigned puts_done(void)
{
    return object_store_count(&store, &store.puts);
}

static size_t count_certs(const char *pem)
{
    size_t count = 0;

    for (; (pem = strstr(pem, "BEGIN CERTIFICATE")) != NULL; pem++)
        count++;
    return count;
}

static void expect_bundle(struct certificates_case *at, size_t certs)
{
    char *bundle = fb_certificates_bundle(at->certificates);

    assert_non_null(bundle);
    assert_int_equal(count_certs(bundle), certs);
    free(bundle);
}

/* Write @value in base64 over what @key holds in the Secret. */
static void damage(const char *key, const char *value)
{
    char *body = object_store_get(&store);
    char *next = calloc(1, strlen(body) + strlen(value) + 1);
    char want[64];
    char *at;

    (void)snprintf(want, sizeof want, "\"%s\":\"", key);
    at = strstr(body, want);
    assert_non_null(at);
    assert_non_null(next);
    at += strlen(want);
    (void)sprintf(next, "%.*s%s%s", (int)(at - body), body, value, strchr(at, '"'));
    object_store_set(&store, next);
    free(next);
    free(body);
}

static void test_certificates__are_made_when_there_is_no_secret(void **state)
{
    struct certificates_case at;
    char *bundle;

    (void)state;
    start(&at);
    certificates_case_await(&at, "secret", "shown", 1);
    assert_int_equal(certificates_case_count(&at, "secret", "made"), 1);
    assert_true(fb_certificates_ready(at.certificates));
    bundle = fb_certificates_bundle(at.certificates);
    assert_true(certificates_case_connects(&at, bundle, "127.0.0.1"));
    assert_true(certificates_case_connects(&at, bundle, "fabricbind-admission.ops.svc"));
    assert_true(certificates_case_connects(&at, bundle, "fabricbind-admission.ops"));
    assert_false(certificates_case_connects(&at, bundle, "fabricbind-admission"));
    expect_metric(at.metrics, "fabricbind_certificate_expiry_timestamp_seconds 1807776000");
    certificates_case_turn(&at);
    certificates_case_stop(&at);
    assert_int_equal(object_store_count(&store, &store.posts), 1);
    assert_int_equal(puts_done(), 0);
    free(bundle);
}

static void test_certificates__give_the_key_for_signatures(void **state)
{
    static const struct fb_sign_subject subject = {"u", "n", "c"};
    struct certificates_case at;
    struct fb_arena *arena = fb_arena_new(0);
    char *first;

    (void)state;
    assert_non_null(arena);
    start(&at);
    certificates_case_turn(&at);
    first = strdup(fb_sign_text(at.sign, arena, &subject));
    damage("signing.key", "YQ==");
    certificates_case_turn(&at);
    assert_int_equal(certificates_case_count(&at, "secret", "made"), 2);
    assert_int_equal(certificates_case_count(&at, "secret", "shown"), 1);
    assert_string_not_equal(fb_sign_text(at.sign, arena, &subject), first);
    certificates_case_stop(&at);
    fb_arena_free(arena);
    free(first);
}

static void expect_same_bundles(struct certificates_case *at, size_t len)
{
    char *first = fb_certificates_bundle(at[0].certificates);

    assert_non_null(first);
    for (size_t i = 1; i < len; i++) {
        char *other = fb_certificates_bundle(at[i].certificates);

        assert_string_equal(other, first);
        free(other);
    }
    free(first);
}

static void test_certificates__of_replicas_that_race_are_those_of_one(void **state)
{
    struct certificates_case at[4];
    unsigned made = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(at); i++)
        start(&at[i]);
    for (size_t i = 0; i < COUNT(at); i++)
        certificates_case_await(&at[i], "secret", "shown", 1);
    expect_same_bundles(at, COUNT(at));
    assert_int_equal(object_store_count(&store, &store.posts), 1);
    atomic_store(&certificates_case_now, START + 61 * DAY);
    for (size_t i = 0; i < COUNT(at); i++)
        fb_certificates_wake(at[i].certificates);
    for (size_t i = 0; i < COUNT(at); i++) {
        certificates_case_await(&at[i], "secret", "shown", 2);
        made += certificates_case_count(&at[i], "secret", "made");
        expect_metric(at[i].metrics, "fabricbind_certificate_expiry_timestamp_seconds 1813046400");
    }
    expect_same_bundles(at, COUNT(at));
    assert_int_equal(puts_done(), 1);
    assert_int_equal(made, 2);
    for (size_t i = 0; i < COUNT(at); i++)
        certificates_case_stop(&at[i]);
}

static void test_certificates__replace_what_is_broken_ended_or_gone(void **state)
{
    struct certificates_case at;
    unsigned made = 1;

    (void)state;
    start(&at);
    certificates_case_turn(&at);
    damage("tls.crt", "YQ==");
    certificates_case_turn(&at);
    assert_int_equal(certificates_case_count(&at, "secret", "made"), ++made);
    assert_int_equal(certificates_case_count(&at, "secret", "shown"), made);
    atomic_store(&certificates_case_now, START + 100 * DAY);
    assert_false(fb_certificates_ready(at.certificates));
    certificates_case_turn(&at);
    assert_true(fb_certificates_ready(at.certificates));
    assert_int_equal(certificates_case_count(&at, "secret", "made"), ++made);
    object_store_set(&store, NULL);
    certificates_case_turn(&at);
    assert_int_equal(certificates_case_count(&at, "secret", "made"), ++made);
    expect_bundle(&at, 2);
    certificates_case_stop(&at);
}

static void test_certificates__tell_a_new_authority_a_turn_before_they_show_it(void **state)
{
    struct certificates_case at;
    char *before;
    char *after;
    unsigned changes;

    (void)state;
    start(&at);
    certificates_case_turn(&at);
    before = fb_certificates_bundle(at.certificates);
    changes = atomic_load(&at.changes);
    damage("ca.key", "YQ==");
    certificates_case_turn(&at);
    expect_bundle(&at, 2);
    assert_int_equal(atomic_load(&at.changes), changes + 1);
    assert_int_equal(certificates_case_count(&at, "secret", "shown"), 1);
    assert_true(certificates_case_connects(&at, before, "127.0.0.1"));
    certificates_case_turn(&at);
    assert_int_equal(certificates_case_count(&at, "secret", "shown"), 2);
    assert_int_equal(atomic_load(&at.changes), changes + 2);
    after = fb_certificates_bundle(at.certificates);
    assert_true(certificates_case_connects(&at, after, "127.0.0.1"));
    assert_false(certificates_case_connects(&at, before, "127.0.0.1"));
    certificates_case_stop(&at);
    free(before);
    free(after);
}

static void test_certificates__use_a_secret_that_they_may_not_write(void **state)
{
    struct certificates_case first;
    struct certificates_case at;

    (void)state;
    start(&first);
    certificates_case_turn(&first);
    certificates_case_stop(&first);
    atomic_store(&certificates_case_now, START + 61 * DAY);
    object_store_refuse(&store, 0, 403);
    start(&at);
    certificates_case_turn(&at);
    assert_int_equal(certificates_case_count(&at, "secret", "shown"), 1);
    assert_true(certificates_case_count(&at, "secret", "failed") > 0);
    assert_true(fb_certificates_ready(at.certificates));
    certificates_case_stop(&at);
}

/* What was logged to @out; to be freed. */
static char *logged(FILE *out)
{
    char *text = calloc(1, 65536);

    assert_non_null(text);
    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    rewind(out);
    assert_true(fread(text, 1, 65535, out) < 65535);
    (void)fclose(out);
    return text;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;

    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

static void test_certificates__log_a_fault_once_and_no_key_ever(void **state)
{
    struct certificates_case at;
    FILE *out = tmpfile();
    char *text;

    (void)state;
    assert_non_null(out);
    fb_log_setup(fileno(out), FB_LOG_DEBUG, true);
    object_store_refuse(&store, 500, 0);
    start(&at);
    for (int i = 0; i < 3; i++)
        certificates_case_turn(&at);
    assert_false(fb_certificates_ready(at.certificates));
    assert_true(certificates_case_count(&at, "secret", "failed") >= 3);
    object_store_refuse(&store, 0, 0);
    certificates_case_turn(&at);
    assert_true(fb_certificates_ready(at.certificates));
    certificates_case_stop(&at);
    text = logged(out);
    assert_int_equal(count_of(text, "keys and certificates stay what they were"), 1);
    assert_int_equal(count_of(text, "secret ops/fabricbind-tls: 500: no"), 1);
    assert_int_equal(count_of(text, "is good again"), 1);
    assert_int_equal(count_of(text, "\"reason\":\"authority: there is none\""), 1);
    assert_int_equal(count_of(text, "PRIVATE"), 0);
    free(text);
}

static void test_certificates_start__wants_files_or_a_server(void **state)
{
    const struct fb_admission_config config = certificates_case_config();
    const struct fb_certificates_setup setup = {.config = &config};
    struct fb_certificates *certificates = NULL;
    struct fb_error err = {0};

    (void)state;
    assert_int_equal(fb_certificates_start(&setup, &certificates, &err), FB_EINPUT);
    assert_string_equal(err.text, "admission.certFile: needed where there is no API server");
    assert_null(certificates);
    fb_certificates_stop(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_certificates__are_made_when_there_is_no_secret),
        TEST(test_certificates__give_the_key_for_signatures),
        TEST(test_certificates__of_replicas_that_race_are_those_of_one),
        TEST(test_certificates__replace_what_is_broken_ended_or_gone),
        TEST(test_certificates__tell_a_new_authority_a_turn_before_they_show_it),
        TEST(test_certificates__use_a_secret_that_they_may_not_write),
        TEST(test_certificates__log_a_fault_once_and_no_key_ever),
        TEST(test_certificates_start__wants_files_or_a_server),
    };

    return cmocka_run_group_tests_name("certificates", tests, NULL, NULL);
}
