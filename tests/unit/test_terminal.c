/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Both ends of a pseudo terminal of @columns columns. */
static void open_pty(int fds[2], unsigned short columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    char name[64];

    fds[0] = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(fds[0] >= 0);
    assert_int_equal(grantpt(fds[0]), 0);
    assert_int_equal(unlockpt(fds[0]), 0);
    assert_int_equal(ptsname_r(fds[0], name, sizeof name), 0);
    fds[1] = open(name, O_RDWR | O_NOCTTY);
    assert_true(fds[1] >= 0);
    assert_int_equal(ioctl(fds[1], TIOCSWINSZ, &size), 0);
}

static void test_terminal_of__takes_columns_then_the_window_then_80(void **state)
{
    static const struct {
        const char *columns;
        unsigned short window; /* 0: does not know */
        bool terminal;
        size_t want;
    } cases[] = {
        {NULL, 132, true, 132},
        {NULL, 132, false, 80},
        {NULL, 0, true, 80},
        {NULL, 7, true, 7},
        {"", 132, true, 132},
        {"160", 132, true, 160},
        {"160", 132, false, 160},
        {"20", 0, false, 20},
        {"1000", 0, false, 1000},
        {"19", 132, true, 132},
        {"1001", 0, false, 80},
        {"0", 0, false, 80},
        {"100x", 132, true, 132},
        {"-100", 0, false, 80},
        {" 100", 0, false, 80},
        {"0100", 132, true, 100},
        {"99999999999999999999999", 0, false, 80},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_terminal_env env = {.columns = cases[i].columns, .term = "xterm"};
        int fds[2];
        int pipe_fds[2];

        open_pty(fds, cases[i].window);
        assert_int_equal(pipe(pipe_fds), 0);
        assert_int_equal(fb_terminal_of(cases[i].terminal ? fds[1] : pipe_fds[1], &env).width,
                         cases[i].want);
        for (int end = 0; end < 2; end++) {
            (void)close(fds[end]);
            (void)close(pipe_fds[end]);
        }
    }
}

static void test_terminal_of__has_colour_on_a_terminal_that_wants_it(void **state)
{
    static const struct {
        const char *term, *no_color;
        bool terminal, want;
    } cases[] = {
        {"xterm-256color", NULL, true, true},
        {"xterm-256color", "", true, true},
        {"xterm-256color", "1", true, false},
        {"xterm-256color", "0", true, false},
        {"xterm-256color", NULL, false, false},
        {"dumb", NULL, true, false},
        {"", NULL, true, false},
        {NULL, NULL, true, false},
    };
    int fds[2];
    int null = open("/dev/null", O_WRONLY);

    (void)state;
    open_pty(fds, 80);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_terminal_env env = {.term = cases[i].term, .no_color = cases[i].no_color};

        assert_int_equal(fb_terminal_of(cases[i].terminal ? fds[1] : null, &env).colour,
                         cases[i].want);
    }
    (void)close(fds[0]);
    (void)close(fds[1]);
    (void)close(null);
}

static void test_terminal_get__reads_the_environment(void **state)
{
    int fds[2];
    struct fb_terminal terminal;

    (void)state;
    open_pty(fds, 132);
    /* One thread only. NOLINTBEGIN(concurrency-mt-unsafe) */
    assert_int_equal(unsetenv("COLUMNS"), 0);
    assert_int_equal(unsetenv("NO_COLOR"), 0);
    assert_int_equal(setenv("TERM", "xterm", 1), 0);
    terminal = fb_terminal_get(fds[1]);
    assert_int_equal(terminal.width, 132);
    assert_true(terminal.colour);

    assert_int_equal(setenv("COLUMNS", "90", 1), 0);
    assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
    /* NOLINTEND(concurrency-mt-unsafe) */
    terminal = fb_terminal_get(fds[1]);
    assert_int_equal(terminal.width, 90);
    assert_false(terminal.colour);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal_of__takes_columns_then_the_window_then_80),
        cmocka_unit_test(test_terminal_of__has_colour_on_a_terminal_that_wants_it),
        cmocka_unit_test(test_terminal_get__reads_the_environment),
    };

    return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
