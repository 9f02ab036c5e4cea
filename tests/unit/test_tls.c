/* SPDX-License-Identifier: Apache-2.0 */
#include "tls.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define NOW ((int64_t)1800000000)
#define DAY ((int64_t)86400)

static const char *service[] = {"fabricbind-admission.fabricbind.svc",
                                "fabricbind-admission.fabricbind.svc.cluster.local", "127.0.0.1",
                                "2001:db8::1"};
static const struct fb_texts names = {service, COUNT(service), COUNT(service)};
static struct fb_tls_pair authority, server, other;

static int set_up(void **state)
{
    struct fb_error err = {0};

    (void)state;
    return fb_tls_make_authority(NOW, 3650, &authority, &err) != FB_OK ||
           fb_tls_make_server(&authority, &names, NOW, 90, &server, &err) != FB_OK ||
           fb_tls_make_authority(NOW, 3650, &other, &err) != FB_OK;
}

static int tear_down(void **state)
{
    (void)state;
    fb_tls_pair_fini(&authority);
    fb_tls_pair_fini(&server);
    fb_tls_pair_fini(&other);
    assert_null(server.key_pem);
    fb_tls_pair_fini(&server);
    return 0;
}

static void test_tls_make__is_valid_from_an_hour_ago(void **state)
{
    struct fb_tls_life life = {0};

    (void)state;
    assert_int_equal(fb_tls_read_life(authority.cert_pem, &life, NULL), FB_OK);
    assert_int_equal(life.begins_s, NOW - 3600);
    assert_int_equal(life.ends_s, NOW + 3650 * DAY);
    assert_int_equal(fb_tls_read_life(server.cert_pem, &life, NULL), FB_OK);
    assert_int_equal(life.begins_s, NOW - 3600);
    assert_int_equal(life.ends_s, NOW + 90 * DAY);
}

static void test_tls_make_server__does_not_outlive_its_authority(void **state)
{
    struct fb_tls_pair late = {0};
    struct fb_tls_life life = {0};

    (void)state;
    assert_int_equal(fb_tls_make_server(&authority, &names, NOW + 3600 * DAY, 90, &late, NULL),
                     FB_OK);
    assert_int_equal(fb_tls_read_life(late.cert_pem, &life, NULL), FB_OK);
    assert_int_equal(life.ends_s, NOW + 3650 * DAY);
    fb_tls_pair_fini(&late);
}

static void test_tls_make_server__refuses_bad_input(void **state)
{
    const struct fb_tls_pair mixed = {authority.cert_pem, other.key_pem};
    const struct fb_tls_pair empty = {(char[]){""}, (char[]){""}};
    const struct {
        const struct fb_tls_pair *authority;
        const char *name, *want;
    } cases[] = {
        {&authority, "a b", "'a b' is neither a DNS name nor an IP address"},
        {&authority, "a,DNS:b", "'a,DNS:b' is neither a DNS name nor an IP address"},
        {&authority, "", "'' is neither a DNS name nor an IP address"},
        {&mixed, "a", "authority: key values mismatch"},
        {&empty, "a", "authority: no start line"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *name = cases[i].name;
        const struct fb_texts one = {&name, 1, 1};
        struct fb_tls_pair made = {0};
        struct fb_error err = {0};

        assert_int_equal(fb_tls_make_server(cases[i].authority, &one, NOW, 90, &made, &err),
                         FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
        fb_tls_pair_fini(&made);
    }
}

/* Encrypted with the word "word". */
static char encrypted[] = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n"
                          "-----END ENCRYPTED PRIVATE KEY-----\n";

static void test_tls_check__says_what_is_wrong(void **state)
{
    static const char *both[] = {"127.0.0.1", "fabricbind-admission.fabricbind"};
    static const char *address[] = {"192.0.2.1"};
    static const struct fb_texts more = {both, 2, 2};
    static const struct fb_texts elsewhere = {address, 1, 1};
    const struct {
        const char *cert, *key, *bundle;
        const struct fb_texts *names;
        int64_t now_s;
        const char *want; /* NULL: fine */
    } cases[] = {
        {server.cert_pem, server.key_pem, authority.cert_pem, &names, NOW, NULL},
        {server.cert_pem, server.key_pem, authority.cert_pem, &names, NOW - 3600, NULL},
        {server.cert_pem, server.key_pem, NULL, NULL, NOW + 90 * DAY - 1, NULL},
        {server.cert_pem, server.key_pem, authority.cert_pem, &names, NOW + 90 * DAY,
         "certificate: certificate has expired"},
        {server.cert_pem, server.key_pem, authority.cert_pem, &names, NOW - 3601,
         "certificate: certificate is not yet valid"},
        {server.cert_pem, authority.key_pem, NULL, NULL, NOW,
         "key: is not that of the certificate"},
        {server.cert_pem, server.key_pem, other.cert_pem, &names, NOW,
         "certificate: unable to get local issuer certificate"},
        {server.cert_pem, server.key_pem, authority.cert_pem, &more, NOW,
         "certificate: is not for fabricbind-admission.fabricbind"},
        {server.cert_pem, server.key_pem, NULL, &elsewhere, NOW,
         "certificate: is not for 192.0.2.1"},
        {authority.cert_pem, authority.key_pem, authority.cert_pem, NULL, NOW,
         "certificate: unsuitable certificate purpose"},
        {"", server.key_pem, NULL, NULL, NOW, "certificate: no start line"},
        {"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", server.key_pem, NULL,
         NULL, NOW, "certificate: wrong tag"},
        {server.cert_pem, "", NULL, NULL, NOW, "key: unsupported"},
        {server.cert_pem, encrypted, NULL, NULL, NOW, "key: unsupported"},
        {server.cert_pem, server.key_pem, "x", NULL, NOW, "authorities: no start line"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fb_tls_demand demand = {cases[i].bundle, cases[i].names, cases[i].now_s};
        struct fb_tls_pair pair = {strdup(cases[i].cert), strdup(cases[i].key)};
        struct fb_error err = {0};

        assert_int_equal(fb_tls_check(&pair, &demand, &err),
                         cases[i].want == NULL ? FB_OK : FB_EINPUT);
        assert_string_equal(err.text, cases[i].want == NULL ? "" : cases[i].want);
        fb_tls_pair_fini(&pair);
    }
}

static size_t count_certs(const char *pem)
{
    size_t count = 0;

    for (; (pem = strstr(pem, "BEGIN CERTIFICATE")) != NULL; pem++)
        count++;
    return count;
}

static char *join(const char *first, const char *second, int64_t now_s)
{
    struct fb_error err = {0};
    char *ret = NULL;

    if (fb_tls_join(first, second, now_s, &ret, &err) != FB_OK)
        fail_msg("%s", err.text);
    return ret;
}

static void test_tls_join__keeps_each_living_authority_once(void **state)
{
    char *both = join(authority.cert_pem, other.cert_pem, NOW);
    char *again = join(other.cert_pem, both, NOW);
    char *dead = join(both, NULL, NOW + 3650 * DAY);
    char *none = join(NULL, "garbage", NOW);

    (void)state;
    assert_int_equal(count_certs(both), 2);
    assert_ptr_equal(strstr(both, authority.cert_pem), both);
    assert_int_equal(count_certs(again), 2);
    assert_ptr_equal(strstr(again, other.cert_pem), again);
    assert_non_null(strstr(again, authority.cert_pem));
    assert_string_equal(dead, "");
    assert_string_equal(none, "");
    free(both);
    free(again);
    free(dead);
    free(none);
}

static void test_tls_join__has_a_limit_and_refuses_garbage(void **state)
{
    struct fb_error err = {0};
    char *bundle = NULL;
    char *whole = NULL;

    (void)state;
    for (int i = 0; i <= FB_TLS_AUTHORITIES; i++) {
        struct fb_tls_pair one = {0};
        char *before = bundle;

        assert_int_equal(fb_tls_make_authority(NOW, 1, &one, NULL), FB_OK);
        bundle = join(one.cert_pem, before, NOW);
        free(before);
        fb_tls_pair_fini(&one);
    }
    assert_int_equal(count_certs(bundle), FB_TLS_AUTHORITIES);
    free(bundle);
    assert_int_equal(fb_tls_join("garbage", NULL, NOW, &whole, &err), FB_EINPUT);
    assert_string_equal(err.text, "authorities: no start line");
    assert_null(whole);
}

static enum fb_status make_and_join(void)
{
    struct fb_tls_pair root = {0};
    struct fb_tls_pair leaf = {0};
    char *bundle = NULL;
    enum fb_status st = fb_tls_make_authority(NOW, 1, &root, NULL);

    if (st == FB_OK)
        st = fb_tls_make_server(&root, &names, NOW, 1, &leaf, NULL);
    if (st == FB_OK)
        st = fb_tls_join(root.cert_pem, leaf.cert_pem, NOW, &bundle, NULL);
    free(bundle);
    fb_tls_pair_fini(&leaf);
    fb_tls_pair_fini(&root);
    return st;
}

static void test_tls__survives_a_lack_of_memory(void **state)
{
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    for (; st == FB_ENOMEM && after < 100; after++) {
        alloc_fault_arm(after);
        st = make_and_join();
        alloc_fault_disarm();
    }
    assert_int_equal(st, FB_OK);
    assert_true(after > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tls_make__is_valid_from_an_hour_ago),
        cmocka_unit_test(test_tls_make_server__does_not_outlive_its_authority),
        cmocka_unit_test(test_tls_make_server__refuses_bad_input),
        cmocka_unit_test(test_tls_check__says_what_is_wrong),
        cmocka_unit_test(test_tls_join__keeps_each_living_authority_once),
        cmocka_unit_test(test_tls_join__has_a_limit_and_refuses_garbage),
        cmocka_unit_test(test_tls__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("tls", tests, set_up, tear_down);
}
