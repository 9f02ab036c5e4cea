/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/kubeconfig.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <string.h>

/* "-----BEGIN A-----\n", "-----BEGIN BB-----\n" and "-----BEGIN CCC-----\n" */
#define PEM_A "LS0tLS1CRUdJTiBBLS0tLS0K"
#define PEM_B "LS0tLS1CRUdJTiBCQi0tLS0tCg=="
#define PEM_C "LS0tLS1CRUdJTiBDQ0MtLS0tLQo="

/* A kubeconfig of one cluster, one user and one context, given what the maps hold. */
#define CONFIG(cluster, user, context)                                                             \
    "apiVersion: v1\nkind: Config\npreferences: {}\ncurrent-context: c\n"                          \
    "clusters:\n- {name: other, cluster: {server: 'https://other.example.com'}}\n"                 \
    "- {name: k, cluster: {" cluster "}}\n"                                                        \
    "users:\n- {name: other, user: {token: wrong}}\n- {name: u, user: {" user "}}\n"               \
    "contexts:\n- {name: other, context: {cluster: other, user: other}}\n"                         \
    "- {name: c, context: {" context "}}\n"

#define SERVER "server: 'https://api.example.com:6443'"
#define BOTH "cluster: k, user: u"

static enum fb_status parse(struct fb_arena *arena, const char *text, struct fb_access *ret,
                            struct fb_error *err)
{
    return fb_kubeconfig_parse(arena, text, strlen(text), ret, err);
}

static void expect_text(const char *what, const char *got, const char *want)
{
    if ((got == NULL) != (want == NULL) || (got != NULL && strcmp(got, want) != 0))
        fail_msg("%s: %s, not %s", what, got != NULL ? got : "none", want != NULL ? want : "none");
}

static void expect_access(const struct fb_access *got, const struct fb_access *want)
{
    expect_text("server", got->server, want->server);
    expect_text("ca_file", got->ca_file, want->ca_file);
    expect_text("ca_pem", got->ca_pem, want->ca_pem);
    expect_text("token_file", got->token_file, want->token_file);
    expect_text("token", got->token, want->token);
    expect_text("cert_file", got->cert_file, want->cert_file);
    expect_text("cert_pem", got->cert_pem, want->cert_pem);
    expect_text("key_file", got->key_file, want->key_file);
    expect_text("key_pem", got->key_pem, want->key_pem);
    expect_text("space", got->space, want->space);
    assert_int_equal(got->insecure, want->insecure);
}

static void test_kubeconfig_parse__takes_the_current_context(void **state)
{
    static const struct {
        const char *text;
        struct fb_access want;
    } cases[] = {
        {CONFIG(SERVER, "token: abc", BOTH),
         {.server = "https://api.example.com:6443", .token = "abc", .space = "default"}},
        {CONFIG("server: 'http://127.0.0.1:8001//', insecure-skip-tls-verify: true", "",
                BOTH ", namespace: ml"),
         {.server = "http://127.0.0.1:8001", .insecure = true, .space = "ml"}},
        {CONFIG(SERVER ", certificate-authority: ca.pem",
                "client-certificate: a/c.pem, client-key: /k.pem, tokenFile: t, token: no", BOTH),
         {.server = "https://api.example.com:6443",
          .ca_file = "ca.pem",
          .cert_file = "a/c.pem",
          .key_file = "/k.pem",
          .token_file = "t",
          .space = "default"}},
        {CONFIG(SERVER ", certificate-authority: no, certificate-authority-data: " PEM_A,
                "client-certificate: no, client-certificate-data: " PEM_B
                ", client-key-data: '" PEM_C "'",
                BOTH),
         {.server = "https://api.example.com:6443",
          .ca_pem = "-----BEGIN A-----\n",
          .cert_pem = "-----BEGIN BB-----\n",
          .key_pem = "-----BEGIN CCC-----\n",
          .space = "default"}},
        {CONFIG(SERVER ", certificate-authority-data: 'LS0tLS1CRUdJ\n\n TiBBLS0tLS0K'",
                "token: '', client-key: ''", BOTH),
         {.server = "https://api.example.com:6443",
          .ca_pem = "-----BEGIN A-----\n",
          .space = "default"}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_access got = {0};
        struct fb_error err = {0};

        if (parse(arena, cases[i].text, &got, &err) != FB_OK)
            fail_msg("case %zu: %s", i, err.text);
        expect_access(&got, &cases[i].want);
    }
}

struct refusal {
    const char *text, *want;
};

static void expect_refused(const struct refusal *cases, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_access got = {.space = "untouched"};
        struct fb_error err = {0};

        assert_int_equal(parse(arena, cases[i].text, &got, &err), FB_EINPUT);
        if (strncmp(err.text, cases[i].want, strlen(cases[i].want)) != 0 ||
            strstr(err.text, "secret") != NULL)
            fail_msg("%s, not %s", err.text, cases[i].want);
        assert_string_equal(got.space, "untouched");
    }
}

static void test_kubeconfig_parse__refuses_what_has_no_context(void **state)
{
    static const struct refusal cases[] = {
        {"", "not one mapping"},
        {"[]", "not one mapping"},
        {"a: 1\n---\nb: 2\n", "not one mapping"},
        {"a: [", "line 2: did not find"},
        {"kind: Config\n", "current-context: missing"},
        {"current-context: ''\n", "current-context: missing"},
        {"current-context: c\n", "contexts: no 'c'"},
        {"current-context: c\ncontexts: [{name: d}, 7, {name: [c]}]\n", "contexts: no 'c'"},
        {"current-context: c\ncontexts: [{name: c}]\n", "line 2: contexts: c: no context"},
        {CONFIG(SERVER, "", "user: u"), "contexts: c: cluster: missing"},
        {CONFIG(SERVER, "", "cluster: k"), "contexts: c: user: missing"},
        {CONFIG(SERVER, "", "cluster: k, user: nobody"), "users: no 'nobody'"},
        {CONFIG(SERVER, "", "cluster: x, user: u"), "clusters: no 'x'"},
    };

    (void)state;
    expect_refused(cases, COUNT(cases));
}

static void test_kubeconfig_parse__refuses_what_is_not_done_here(void **state)
{
    static const struct refusal cases[] = {
        {CONFIG("", "", BOTH), "clusters: k: server: missing"},
        {CONFIG("server: [a]", "", BOTH), "clusters: k: line 7: server: not a text"},
        {CONFIG("server: 'ftp://a'", "", BOTH),
         "clusters: k: server: no http URL of host, port and path"},
        {CONFIG("server: 'https://'", "", BOTH),
         "clusters: k: server: no http URL of host, port and path"},
        {CONFIG("server: 'https://me:secret@a'", "", BOTH),
         "clusters: k: server: no http URL of host, port and path"},
        {CONFIG(SERVER ", proxy-url: 'http://b'", "", BOTH),
         "clusters: k: line 7: proxy-url is not supported"},
        {CONFIG(SERVER ", tls-server-name: b", "", BOTH),
         "clusters: k: line 7: tls-server-name is not supported"},
        {CONFIG(SERVER ", insecure-skip-tls-verify: maybe", "", BOTH),
         "clusters: k: line 7: insecure-skip-tls-verify: 'maybe' is neither true nor false"},
        {CONFIG(SERVER ", certificate-authority-data: secret!", "", BOTH),
         "clusters: k: line 7: certificate-authority-data: no PEM in base64"},
        {CONFIG(SERVER ", certificate-authority-data: LS0tL", "", BOTH),
         "clusters: k: line 7: certificate-authority-data: no PEM in base64"},
        {CONFIG(SERVER ", certificate-authority-data: c2VjcmV0", "", BOTH),
         "clusters: k: line 7: certificate-authority-data: no PEM in base64"},
        {CONFIG(SERVER ", certificate-authority-data: " PEM_B "A", "", BOTH),
         "clusters: k: line 7: certificate-authority-data: no PEM in base64"},
        {CONFIG(SERVER, "exec: {command: aws}", BOTH), "users: u: line 10: exec is not supported"},
        {CONFIG(SERVER, "auth-provider: {name: x}", BOTH),
         "users: u: line 10: auth-provider is not supported"},
        {CONFIG(SERVER, "username: a, password: secret", BOTH),
         "users: u: line 10: username is not supported"},
        {CONFIG(SERVER, "token: a, as: b", BOTH), "users: u: line 10: as is not supported"},
        {CONFIG(SERVER, "token: {a: secret}", BOTH), "users: u: line 10: token: not a text"},
        {CONFIG(SERVER, "client-certificate: a", BOTH),
         "users: u: one of client-certificate and client-key is missing"},
        {CONFIG(SERVER, "client-key-data: " PEM_A, BOTH),
         "users: u: one of client-certificate and client-key is missing"},
    };

    (void)state;
    expect_refused(cases, COUNT(cases));
}

static void test_kubeconfig_parse__survives_a_lack_of_memory(void **state)
{
    const char *text = CONFIG(SERVER ", certificate-authority-data: " PEM_A, "token: a", BOTH);
    enum fb_status st = FB_ENOMEM;

    (void)state;
    for (int after = 0; st == FB_ENOMEM && after < 1000; after++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_access got = {0};

        alloc_fault_arm(after);
        st = parse(arena, text, &got, NULL);
        alloc_fault_disarm();
        assert_true(after > 0 || st == FB_ENOMEM);
    }
    assert_int_equal(st, FB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kubeconfig_parse__takes_the_current_context),
        cmocka_unit_test(test_kubeconfig_parse__refuses_what_has_no_context),
        cmocka_unit_test(test_kubeconfig_parse__refuses_what_is_not_done_here),
        cmocka_unit_test(test_kubeconfig_parse__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("kubeconfig", tests, NULL, NULL);
}
