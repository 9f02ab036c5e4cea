/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINE_SIZE (16 * 1024)

/* A pair of sockets that keep each write apart from the next. */
static int ends[2];

static int open_ends(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

static int close_ends(void **state)
{
    (void)state;
    fb_log_setup(STDERR_FILENO, FB_LOG_INFO, true);
    (void)close(ends[0]);
    (void)close(ends[1]);
    return 0;
}

/* What one write brought; "" when there was none. */
static const char *take(char *line)
{
    ssize_t got = recv(ends[1], line, LINE_SIZE - 1, MSG_DONTWAIT);

    line[got < 0 ? 0 : got] = '\0';
    return line;
}

/* Compares a line, in which the time stands as "T" in @want. */
static void expect(const char *want)
{
    char line[LINE_SIZE];
    int year;
    int ms;
    char *digits;

    (void)take(line);
    digits = strstr(line, "20");
    assert_non_null(digits);
    /* NOLINTNEXTLINE(cert-err34-c): the shape is looked at */
    assert_int_equal(sscanf(digits, "%4d-%*2d-%*2dT%*2d:%*2d:%*2d.%3dZ", &year, &ms), 2);
    assert_true(year >= 2024);
    digits[0] = 'T';
    memmove(digits + 1, digits + 24, strlen(digits + 24) + 1);
    assert_string_equal(line, want);
}

static const struct fb_log_field fields[] = {
    FB_LOG_TEXT("verb", "predicate"),
    FB_LOG_INT("bytes", -9223372036854775807),
    FB_LOG_TEXT("none", NULL),
    FB_LOG_TEXT("odd", "a \"b\"\\\n\x01\x7f\x80\xc3\xa4\xe2\x80\xae="),
};

static void test_log__writes_json(void **state)
{
    (void)state;
    fb_log_setup(ends[0], FB_LOG_INFO, true);
    fb_log(FB_LOG_INFO, "hello", NULL, 0);
    expect("{\"time\":\"T\",\"level\":\"info\",\"message\":\"hello\"}\n");
    fb_log(FB_LOG_ERROR, "two\nlines", fields, COUNT(fields));
    expect("{\"time\":\"T\",\"level\":\"error\",\"message\":\"two\\u000alines\","
           "\"verb\":\"predicate\",\"bytes\":-9223372036854775807,\"none\":\"\","
           "\"odd\":\"a \\\"b\\\"\\\\\\u000a\\u0001\\u007f\\ufffd\xc3\xa4\\u202e=\"}\n");
}

static void test_log__writes_logfmt(void **state)
{
    (void)state;
    fb_log_setup(ends[0], FB_LOG_DEBUG, false);
    fb_log(FB_LOG_DEBUG, "hello", NULL, 0);
    expect("time=T level=debug message=hello\n");
    fb_log(FB_LOG_WARNING, "two words", fields, COUNT(fields));
    expect("time=T level=warning message=\"two words\" verb=predicate "
           "bytes=-9223372036854775807 none=\"\" "
           "odd=\"a \\\"b\\\"\\\\\\u000a\\u0001\\u007f\\ufffd\xc3\xa4\\u202e=\"\n");
}

static void test_log__leaves_out_what_is_below_the_level(void **state)
{
    char line[LINE_SIZE];
    enum fb_log_level level = FB_LOG_DEBUG;

    (void)state;
    fb_log_setup(ends[0], FB_LOG_WARNING, true);
    assert_false(fb_log_wants(FB_LOG_INFO));
    assert_true(fb_log_wants(FB_LOG_WARNING));
    fb_log(FB_LOG_INFO, "no", NULL, 0);
    assert_string_equal(take(line), "");
    fb_log(FB_LOG_ERROR, "yes", NULL, 0);
    assert_non_null(strstr(take(line), "yes"));
    assert_true(fb_log_level_find("error", &level));
    assert_int_equal(level, FB_LOG_ERROR);
    assert_false(fb_log_level_find("loud", &level));
    assert_int_equal(level, FB_LOG_ERROR);
}

static void test_log__cuts_what_is_too_long_and_says_so(void **state)
{
    static char value[3000];
    struct fb_log_field many[12];
    char line[LINE_SIZE];
    const char *cut;

    (void)state;
    memset(value, 'v', sizeof value - 1);
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = (struct fb_log_field)FB_LOG_TEXT("k", value);
    fb_log_setup(ends[0], FB_LOG_INFO, true);
    fb_log(FB_LOG_INFO, "m", many, 1);
    cut = strstr(take(line), "vvv...\"}\n");
    assert_non_null(cut);
    assert_int_equal(strlen(strstr(line, "vvv")), 1024 + strlen("...\"}\n"));
    fb_log(FB_LOG_INFO, "m", many, COUNT(many));
    (void)take(line);
    assert_true(strlen(line) <= 8192);
    assert_non_null(strstr(line, "vvv...\",\"cut\":1}\n"));
    /* A message of control characters alone takes six times its room. */
    memset(value, '\x01', sizeof value - 1);
    fb_log(FB_LOG_INFO, value, many, COUNT(many));
    (void)take(line);
    assert_true(strlen(line) <= 8192);
    assert_non_null(strstr(line, ",\"cut\":1}\n"));
}

static void test_log__leaves_errno_alone(void **state)
{
    (void)state;
    fb_log_setup(-1, FB_LOG_INFO, true);
    errno = ENOENT;
    fb_log(FB_LOG_INFO, "lost", NULL, 0);
    assert_int_equal(errno, ENOENT);
}

#define THREADS 8
#define LINES 200

static void *chatter(void *context)
{
    const struct fb_log_field number = FB_LOG_TEXT("who", context);

    for (int i = 0; i < LINES; i++)
        fb_log(FB_LOG_INFO, "many threads", &number, 1);
    return NULL;
}

static void *listen_all(void *context)
{
    char line[LINE_SIZE];
    size_t *whole = context;

    for (int i = 0; i < THREADS * LINES; i++) {
        ssize_t got = recv(ends[1], line, sizeof line - 1, 0);

        line[got < 0 ? 0 : got] = '\0';
        *whole += strncmp(line, "{\"time\":\"", 9) == 0 && strchr(line, '\n') == line + got - 1;
    }
    return NULL;
}

static void test_log__keeps_lines_of_threads_apart(void **state)
{
    static char who[] = "somebody";
    pthread_t threads[THREADS];
    pthread_t listener;
    size_t whole = 0;

    (void)state;
    fb_log_setup(ends[0], FB_LOG_INFO, true);
    assert_int_equal(pthread_create(&listener, NULL, listen_all, &whole), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, chatter, who), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(pthread_join(listener, NULL), 0);
    assert_int_equal(whole, THREADS * LINES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log__writes_json),
        cmocka_unit_test(test_log__writes_logfmt),
        cmocka_unit_test(test_log__leaves_out_what_is_below_the_level),
        cmocka_unit_test(test_log__cuts_what_is_too_long_and_says_so),
        cmocka_unit_test(test_log__leaves_errno_alone),
        cmocka_unit_test(test_log__keeps_lines_of_threads_apart),
    };

    return cmocka_run_group_tests_name("log", tests, open_ends, close_ends);
}
