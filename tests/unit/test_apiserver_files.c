/* SPDX-License-Identifier: Apache-2.0 */
#include "api_scene.h"

#include "log.h"
#include "metrics_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory with a token file and a log; gone at the end. */
struct files {
    char dir[64], token[96], next[96], log[96];
    int log_fd;
};

static int set_up(void **state)
{
    struct files *files = calloc(1, sizeof *files);

    (void)snprintf(files->dir, sizeof files->dir, "test_apiserver_files.XXXXXX");
    assert_non_null(mkdtemp(files->dir));
    (void)snprintf(files->token, sizeof files->token, "%s/token", files->dir);
    (void)snprintf(files->next, sizeof files->next, "%s/next", files->dir);
    (void)snprintf(files->log, sizeof files->log, "%s/log", files->dir);
    files->log_fd = open(files->log, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(files->log_fd >= 0);
    fb_log_setup(files->log_fd, FB_LOG_DEBUG, false);
    *state = files;
    return 0;
}

static int tear_down(void **state)
{
    struct files *files = *state;

    fb_log_setup(STDERR_FILENO, FB_LOG_INFO, true);
    (void)close(files->log_fd);
    (void)unlink(files->token);
    (void)unlink(files->log);
    (void)rmdir(files->dir);
    free(files);
    return 0;
}

/* As a kubelet does it: a new file in the place of the old one. */
static void put_token(const struct files *files, const char *text)
{
    FILE *out = fopen(files->next, "w");

    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(rename(files->next, files->token), 0);
}

/* Times @word stands in the log. */
static size_t logged(const struct files *files, const char *word)
{
    char text[8192];
    ssize_t len = pread(files->log_fd, text, sizeof text - 1, 0);
    size_t times = 0;

    assert_true(len >= 0);
    text[len] = '\0';
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        times++;
    return times;
}

/* 200 to the token "good", else 401. */
static bool answer_good(struct api_peer *peer, const struct api_request *request, int fd)
{
    bool good = strstr(request->head, "\r\nAuthorization: Bearer good\r\n") != NULL;

    api_scene_note(peer, request);
    return api_peer_reply(fd, good ? 200 : 401, "", good ? "welcome" : "who?");
}

static void start(struct api_scene *scene, const struct files *files)
{
    api_scene_start_as(scene, answer_good,
                       (struct fb_access){.token_file = files->token, .space = "ml"});
}

static void test_apiserver__reads_a_token_that_was_replaced(void **state)
{
    const struct files *files = *state;
    struct api_scene scene;

    put_token(files, "good\n");
    start(&scene, files);
    api_scene_expect_get(&scene, 200, "welcome");
    put_token(files, "secret-2");
    api_scene_expect_get(&scene, 401, "who?");
    api_scene_expect_seen(&scene, "Bearer secret-2\r\n");
    put_token(files, "good");
    api_scene_expect_get(&scene, 200, "welcome");
    put_token(files, "evil"); /* as long as the one before */
    api_scene_expect_get(&scene, 401, "who?");
    assert_int_equal(logged(files, "read anew for the API server"), 3);
    assert_int_equal(logged(files, "secret-2"), 0);
    expect_metric(scene.metrics,
                  "fabricbind_apiserver_files_total{what=\"token\",result=\"read\"} 3");
    expect_metric(scene.metrics,
                  "fabricbind_apiserver_requests_total{method=\"GET\",code=\"200\"} 2");
    api_scene_stop(&scene);
}

static void test_apiserver__reads_anew_after_a_401(void **state)
{
    const struct files *files = *state;
    const struct timespec times[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    struct api_scene scene;
    int fd;

    put_token(files, "evil");
    assert_int_equal(utimensat(AT_FDCWD, files->token, times, 0), 0);
    start(&scene, files);
    api_scene_expect_get(&scene, 401, "who?");
    assert_int_equal(scene.peer.requests, 2);
    /* The same inode, size and time: only reading can tell. */
    fd = open(files->token, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "good", 4, 0), 4);
    assert_int_equal(close(fd), 0);
    assert_int_equal(utimensat(AT_FDCWD, files->token, times, 0), 0);
    api_scene_expect_get(&scene, 200, "welcome");
    assert_int_equal(scene.peer.requests, 4);
    api_scene_stop(&scene);
}

static void test_apiserver__keeps_the_token_while_its_file_is_no_good(void **state)
{
    static const char *const bad[] = {"", "\n", "two words", "line\r\nHost: x"};
    const struct files *files = *state;
    struct api_scene scene;

    put_token(files, "good");
    start(&scene, files);
    for (size_t i = 0; i < COUNT(bad); i++) {
        put_token(files, bad[i]);
        api_scene_expect_get(&scene, 200, "welcome");
    }
    assert_int_equal(unlink(files->token), 0);
    api_scene_expect_get(&scene, 200, "welcome");
    api_scene_expect_get(&scene, 200, "welcome");
    assert_int_equal(logged(files, "what was read before stays"), 1);
    assert_int_equal(logged(files, "two words"), 0);
    put_token(files, "other");
    api_scene_expect_get(&scene, 401, "who?");
    api_scene_stop(&scene);
}

static void test_apiserver_new__names_the_file_at_fault(void **state)
{
    const struct files *files = *state;
    const struct {
        struct fb_access access;
        enum fb_status st;
        const char *what, *why;
    } cases[] = {
        {{.token_file = files->token}, FB_EINPUT, "token", ": is empty"},
        {{.token_file = files->next}, FB_ENOTFOUND, "token", ": No such file or directory"},
        {{.ca_file = files->dir}, FB_EIO, "ca", ": is a directory"},
        {{.ca_file = files->log}, FB_EINPUT, "ca", ": is not what it should be"},
        {{.ca_pem = "secret"}, FB_EINPUT, "ca", ": is not what it should be"},
        {{.token = "two words"}, FB_EINPUT, "token", ": is not what it should be"},
    };

    put_token(files, " \n");
    assert_int_equal(pwrite(files->log_fd, "secret", 6, 0), 6);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_access access = cases[i].access;
        struct fb_apiserver *server = NULL;
        struct fb_error err = {0};

        access.server = "https://a";
        access.space = "b";
        assert_int_equal(fb_apiserver_new(&access, NULL, &server, &err), cases[i].st);
        assert_int_equal(strncmp(err.text, cases[i].what, strlen(cases[i].what)), 0);
        if (strstr(err.text, cases[i].why) == NULL || strstr(err.text, "secret") != NULL)
            fail_msg("%s, not %s", err.text, cases[i].why);
        assert_null(server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_apiserver__reads_a_token_that_was_replaced, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_apiserver__reads_anew_after_a_401, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_apiserver__keeps_the_token_while_its_file_is_no_good,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_apiserver_new__names_the_file_at_fault, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests_name("apiserver_files", tests, NULL, NULL);
}
