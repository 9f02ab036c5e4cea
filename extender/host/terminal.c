/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_LEAST 20
#define COLUMNS_MOST 1000

static bool is_set(const char *value)
{
    return value != NULL && value[0] != '\0';
}

/* 0 when @text is no number of columns. */
static size_t columns(const char *text)
{
    size_t value = 0;

    if (!is_set(text))
        return 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        value = value * 10 + (size_t)(*text - '0');
        if (value > COLUMNS_MOST)
            return 0;
    }
    return *text == '\0' && value >= COLUMNS_LEAST ? value : 0;
}

/* 0 when @fd is no terminal, or one that does not know. */
static size_t window(int fd)
{
    struct winsize size = {0};

    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct fb_terminal fb_terminal_of(int fd, const struct fb_terminal_env *env)
{
    struct fb_terminal terminal = {.width = columns(env->columns)};

    if (terminal.width == 0)
        terminal.width = window(fd);
    if (terminal.width == 0)
        terminal.width = FB_TERMINAL_WIDTH;
    terminal.colour = isatty(fd) == 1 && is_set(env->term) && strcmp(env->term, "dumb") != 0 &&
                      !is_set(env->no_color);
    return terminal;
}

struct fb_terminal fb_terminal_get(int fd)
{
    /* Asked before there are threads. NOLINTBEGIN(concurrency-mt-unsafe) */
    const struct fb_terminal_env env = {
        .columns = getenv("COLUMNS"),
        .term = getenv("TERM"),
        .no_color = getenv("NO_COLOR"),
    };
    /* NOLINTEND(concurrency-mt-unsafe) */

    return fb_terminal_of(fd, &env);
}
