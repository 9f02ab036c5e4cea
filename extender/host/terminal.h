/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_TERMINAL_H
#define FB_HOST_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#define FB_TERMINAL_WIDTH 80 /* where nothing tells another */

/** How wide a line may be and whether it may be coloured. */
struct fb_terminal {
    size_t width; /* columns, 1 or more */
    bool colour;
};

/** What the environment says; NULL where a variable is not set. */
struct fb_terminal_env {
    const char *columns, *term, *no_color;
};

/**
 * Look at descriptor @fd.
 *
 * Width: COLUMNS when it is a number from 20 to 1000; else that of the terminal at @fd; else
 * FB_TERMINAL_WIDTH. Colour: only on a terminal, unless TERM is unset, empty or "dumb" or
 * NO_COLOR is set and not empty.
 */
struct fb_terminal fb_terminal_of(int fd, const struct fb_terminal_env *env);

/** The same with the environment of the process. */
struct fb_terminal fb_terminal_get(int fd);

#endif
