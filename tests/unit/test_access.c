/* SPDX-License-Identifier: Apache-2.0 */
#include "access.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A directory of its own, gone at the end. */
struct scene {
    char dir[64], path[128];
    struct fb_arena *arena;
};

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);

    (void)snprintf(scene->dir, sizeof scene->dir, "test_access.XXXXXX");
    assert_non_null(mkdtemp(scene->dir));
    scene->arena = fb_arena_new(0);
    *state = scene;
    return 0;
}

static const char *path_of(struct scene *scene, const char *name)
{
    (void)snprintf(scene->path, sizeof scene->path, "%s/%s", scene->dir, name);
    return scene->path;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"config", "namespace"};
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(names); i++)
        (void)unlink(path_of(scene, names[i]));
    (void)rmdir(scene->dir);
    fb_arena_free(scene->arena);
    free(scene);
    return 0;
}

static void write_file(struct scene *scene, const char *name, const char *text)
{
    FILE *out = fopen(path_of(scene, name), "w");

    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void expect_path(struct scene *scene, const char *got, const char *name)
{
    assert_non_null(got);
    assert_string_equal(got, path_of(scene, name));
}

static const char config[] = "current-context: c\n"
                             "clusters: [{name: k, cluster: {server: 'https://a', "
                             "certificate-authority: pki/ca.pem}}]\n"
                             "users: [{name: u, user: {tokenFile: token, "
                             "client-certificate: /c.pem, client-key: k.pem}}]\n"
                             "contexts: [{name: c, context: {cluster: k, user: u}}]\n";

static void test_access_load__takes_paths_from_where_the_file_is(void **state)
{
    struct scene *scene = *state;
    struct fb_access got = {0};

    write_file(scene, "config", config);
    assert_int_equal(fb_access_load(scene->arena, path_of(scene, "config"), &got, NULL), FB_OK);
    assert_string_equal(got.server, "https://a");
    assert_string_equal(got.space, "default");
    expect_path(scene, got.ca_file, "pki/ca.pem");
    expect_path(scene, got.token_file, "token");
    expect_path(scene, got.key_file, "k.pem");
    assert_string_equal(got.cert_file, "/c.pem");
}

static void test_access_load__names_the_file_at_fault(void **state)
{
    struct scene *scene = *state;
    struct fb_access got = {.space = "untouched"};
    struct fb_error err = {0};
    char want[256];

    assert_int_equal(fb_access_load(scene->arena, path_of(scene, "config"), &got, &err),
                     FB_ENOTFOUND);
    (void)snprintf(want, sizeof want, "%s: No such file or directory", scene->path);
    assert_string_equal(err.text, want);
    write_file(scene, "config", "current-context: c\n");
    assert_int_equal(fb_access_load(scene->arena, path_of(scene, "config"), &got, &err), FB_EINPUT);
    (void)snprintf(want, sizeof want, "%s: contexts: no 'c'", scene->path);
    assert_string_equal(err.text, want);
    assert_string_equal(got.space, "untouched");
}

static void test_access_pod__takes_the_service_account(void **state)
{
    struct scene *scene = *state;
    struct fb_access got = {0};

    assert_int_equal(fb_access_pod(scene->arena, "10.0.0.1", "443", scene->dir, &got, NULL), FB_OK);
    assert_string_equal(got.server, "https://10.0.0.1:443");
    assert_string_equal(got.space, "default");
    expect_path(scene, got.token_file, "token");
    expect_path(scene, got.ca_file, "ca.crt");
    assert_null(got.cert_file);
    assert_false(got.insecure);
    write_file(scene, "namespace", "ml-team\n");
    assert_int_equal(fb_access_pod(scene->arena, "fd00::1", "6443", scene->dir, &got, NULL), FB_OK);
    assert_string_equal(got.server, "https://[fd00::1]:6443");
    assert_string_equal(got.space, "ml-team");
}

static void test_access_pod__tells_when_there_is_no_cluster(void **state)
{
    static const char *const cases[][2] = {{NULL, "1"}, {"a", NULL}, {"", "1"}, {"a", ""}};
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_access got = {0};
        struct fb_error err = {0};

        assert_int_equal(
            fb_access_pod(scene->arena, cases[i][0], cases[i][1], scene->dir, &got, &err),
            FB_ENOTFOUND);
        assert_string_equal(err.text, "not in a cluster: KUBERNETES_SERVICE_HOST and "
                                      "KUBERNETES_SERVICE_PORT are not set");
        assert_null(got.server);
    }
}

static void test_access__survives_a_lack_of_memory(void **state)
{
    struct scene *scene = *state;
    enum fb_status st = FB_ENOMEM;

    write_file(scene, "config", config);
    write_file(scene, "namespace", "ml");
    for (int after = 0; st == FB_ENOMEM && after < 1000; after++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_access got = {0};

        alloc_fault_arm(after);
        st = fb_access_pod(arena, "a", "1", scene->dir, &got, NULL);
        if (st == FB_OK)
            st = fb_access_load(arena, path_of(scene, "config"), &got, NULL);
        alloc_fault_disarm();
        assert_true(after > 0 || st == FB_ENOMEM);
    }
    assert_int_equal(st, FB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_access_load__takes_paths_from_where_the_file_is,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_access_load__names_the_file_at_fault, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_access_pod__takes_the_service_account, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_access_pod__tells_when_there_is_no_cluster, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_access__survives_a_lack_of_memory, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("access", tests, NULL, NULL);
}
