/* SPDX-License-Identifier: Apache-2.0 */
#include "certificates_renew.h"
#include "sign.h"
#include "tls.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define NOW ((int64_t)1800000000)
#define DAY ((int64_t)86400)

static const char *name[] = {"fabricbind-admission.ops.svc"};
static const struct fb_texts names = {name, 1, 1};
static struct fb_arena *arena;

static int set_up(void **state)
{
    *state = arena = fb_arena_new(0);
    return arena == NULL;
}

static int tear_down(void **state)
{
    fb_arena_free(*state);
    return 0;
}

static struct fb_renew_terms terms_at(int64_t now_s)
{
    return (struct fb_renew_terms){
        .wants_cert = true, .names = &names, .now_s = now_s, .authority_days = 3650, .days = 90};
}

static const char *get(const struct fb_secret *secret, const char *key)
{
    const char *ret = NULL;

    assert_int_equal(fb_secret_text(arena, secret, key, &ret, NULL), FB_OK);
    return ret;
}

static void set(struct fb_secret *secret, const char *key, const char *text)
{
    assert_int_equal(fb_secret_set(arena, secret, key, text, NULL), FB_OK);
}

/* Renew and compare the reason. */
static void renew(struct fb_secret *secret, const struct fb_renew_terms *terms, const char *want)
{
    struct fb_error why = {0};
    struct fb_error err = {0};

    if (fb_certificates_renew(arena, secret, terms, &why, &err) != FB_OK)
        fail_msg("%s", err.text);
    assert_string_equal(why.text, want);
}

static struct fb_secret fresh(void)
{
    const struct fb_renew_terms terms = terms_at(NOW);
    struct fb_secret secret = {.name = "keys"};

    renew(&secret, &terms, "authority: there is none");
    return secret;
}

static size_t count_certs(const char *pem)
{
    size_t count = 0;

    for (; (pem = strstr(pem, "BEGIN CERTIFICATE")) != NULL; pem++)
        count++;
    return count;
}

/* Is what is in @secret good at @now_s, and its signature key whole. */
static void expect_good(const struct fb_secret *secret, int64_t now_s)
{
    struct fb_tls_pair pair = {strdup(get(secret, "tls.crt")), strdup(get(secret, "tls.key"))};
    const struct fb_tls_demand demand = {get(secret, "ca.crt"), &names, now_s};
    struct fb_error err = {0};
    char *public = NULL;

    if (fb_tls_check(&pair, &demand, &err) != FB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(fb_sign_public(get(secret, "signing.key"), &public, NULL), FB_OK);
    assert_string_equal(public, get(secret, "signing.pub"));
    free(public);
    fb_tls_pair_fini(&pair);
}

static void test_certificates_renew__makes_all_that_is_absent(void **state)
{
    struct fb_secret secret = fresh();
    const struct fb_renew_terms terms = terms_at(NOW);
    struct fb_secret again = secret;

    (void)state;
    expect_good(&secret, NOW);
    assert_int_equal(count_certs(get(&secret, "ca.crt")), 1);
    renew(&again, &terms, "");
    assert_ptr_equal(again.data.at, secret.data.at);
}

static void test_certificates_renew__renews_at_two_thirds_of_a_life(void **state)
{
    struct fb_secret secret = fresh();
    struct fb_secret first = secret;
    struct fb_renew_terms terms = terms_at(NOW + 59 * DAY);

    (void)state;
    renew(&secret, &terms, "");
    terms = terms_at(NOW + 60 * DAY);
    renew(&secret, &terms, "server: two thirds of its life are over");
    expect_good(&secret, terms.now_s);
    assert_string_not_equal(get(&secret, "tls.crt"), get(&first, "tls.crt"));
    assert_string_equal(get(&secret, "ca.crt"), get(&first, "ca.crt"));
    assert_string_equal(get(&secret, "signing.key"), get(&first, "signing.key"));
}

static void test_certificates_renew__keeps_the_old_authority_beside_a_new_one(void **state)
{
    struct fb_secret secret = fresh();
    struct fb_secret first = secret;
    struct fb_renew_terms terms = terms_at(NOW + 2434 * DAY);

    (void)state;
    renew(&secret, &terms, "authority: two thirds of its life are over");
    expect_good(&secret, terms.now_s);
    assert_int_equal(count_certs(get(&secret, "ca.crt")), 2);
    assert_non_null(strstr(get(&secret, "ca.crt"), get(&first, "ca.crt")));
    terms = terms_at(terms.now_s + 61 * DAY);
    renew(&secret, &terms, "server: two thirds of its life are over");
    expect_good(&secret, terms.now_s);
    assert_int_equal(count_certs(get(&secret, "ca.crt")), 1);
    assert_null(strstr(get(&secret, "ca.crt"), get(&first, "ca.crt")));
}

static void test_certificates_renew__keeps_what_was_known_beside_a_new_authority(void **state)
{
    struct fb_secret first = fresh();
    struct fb_secret secret = {.name = "keys"};
    struct fb_renew_terms terms = terms_at(NOW);

    (void)state;
    terms.known = get(&first, "ca.crt");
    renew(&secret, &terms, "authority: there is none");
    assert_int_equal(count_certs(get(&secret, "ca.crt")), 2);
    expect_good(&secret, NOW);
}

static void test_certificates_renew__makes_what_is_broken_anew(void **state)
{
    static const struct {
        const char *key, *text, *want;
    } cases[] = {
        {"ca.crt", "garbage", "authority: certificate: no start line"},
        {"ca.key", "garbage", "authority: key: unsupported"},
        {"ca.key", "", "authority: key: unsupported"},
        {"tls.crt", "", "server: there is none"},
        {"tls.crt", "garbage", "server: certificate: no start line"},
        {"tls.key", "garbage", "server: key: unsupported"},
        {"signing.key", "", "signing key: there is none"},
        {"signing.key", "garbage", "signing key: unsupported"},
        {"signing.pub", "garbage", "signing key: its public part is not shown"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fb_renew_terms terms = terms_at(NOW);
        struct fb_secret secret = fresh();

        set(&secret, cases[i].key, cases[i].text);
        renew(&secret, &terms, cases[i].want);
        expect_good(&secret, NOW);
        renew(&secret, &terms, "");
    }
}

static void test_certificates_renew__makes_what_has_ended_or_is_another_s_anew(void **state)
{
    struct fb_secret secret = fresh();
    struct fb_secret other = fresh();
    static const char *moved_name[] = {"fabricbind.example.com"};
    static const struct fb_texts moved = {moved_name, 1, 1};
    struct fb_renew_terms terms = terms_at(NOW + 91 * DAY);

    (void)state;
    renew(&secret, &terms, "server: certificate: certificate has expired");
    expect_good(&secret, terms.now_s);
    terms = terms_at(NOW);
    set(&secret, "tls.key", get(&other, "tls.key"));
    renew(&secret, &terms, "server: key: is not that of the certificate");
    set(&secret, "tls.crt", get(&other, "tls.crt"));
    set(&secret, "tls.key", get(&other, "tls.key"));
    renew(&secret, &terms, "server: certificate: unable to get local issuer certificate");
    terms.names = &moved;
    renew(&secret, &terms, "server: certificate: is not for fabricbind.example.com");
}

static void test_certificates_renew__makes_keys_for_signatures_alone(void **state)
{
    struct fb_renew_terms terms = terms_at(NOW);
    struct fb_secret secret = {.name = "keys"};

    (void)state;
    terms.wants_cert = false;
    renew(&secret, &terms, "signing key: there is none");
    assert_int_equal(secret.data.len, 2);
    renew(&secret, &terms, "");
}

static void test_certificates_renew__survives_a_lack_of_memory(void **state)
{
    const struct fb_renew_terms terms = terms_at(NOW);
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    for (; st == FB_ENOMEM && after < 1000; after++) {
        struct fb_secret secret = {.name = "keys"};
        struct fb_error why = {0};
        struct fb_arena *own;

        alloc_fault_arm(after);
        own = fb_arena_new_small(0);
        st = own == NULL ? FB_ENOMEM : fb_certificates_renew(own, &secret, &terms, &why, NULL);
        alloc_fault_disarm();
        fb_arena_free(own);
        assert_true(st == FB_OK || secret.data.len == 0);
    }
    assert_int_equal(st, FB_OK);
    assert_true(after > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificates_renew__makes_all_that_is_absent),
        cmocka_unit_test(test_certificates_renew__renews_at_two_thirds_of_a_life),
        cmocka_unit_test(test_certificates_renew__keeps_the_old_authority_beside_a_new_one),
        cmocka_unit_test(test_certificates_renew__keeps_what_was_known_beside_a_new_authority),
        cmocka_unit_test(test_certificates_renew__makes_what_is_broken_anew),
        cmocka_unit_test(test_certificates_renew__makes_what_has_ended_or_is_another_s_anew),
        cmocka_unit_test(test_certificates_renew__makes_keys_for_signatures_alone),
        cmocka_unit_test(test_certificates_renew__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("certificates_renew", tests, set_up, tear_down);
}
