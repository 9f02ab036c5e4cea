/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_TABLE_H
#define FB_HOST_TABLE_H

#include "terminal.h"

#include "fabricbind/arena.h"
#include "fabricbind/error.h"

#include <stddef.h>
#include <stdio.h>

/** Rows and columns for people. */

/** What a cell means; shown where the terminal has colours, and nowhere else. */
enum fb_style {
    FB_STYLE_PLAIN,
    FB_STYLE_BOLD,
    FB_STYLE_DIM,
    FB_STYLE_GOOD,
    FB_STYLE_WARN,
    FB_STYLE_BAD,
};

/**
 * How a column gives way when the line is too long. Those further down give way first, each kind
 * to its least width before the next kind loses anything, the widest column of a kind first.
 */
enum fb_give {
    FB_GIVE_NOTHING, /* last resort: cut at the end, to 4 */
    FB_GIVE_MIDDLE,  /* "gpu-no...-0007" */
    FB_GIVE_END,     /* "too few v..." */
    FB_GIVE_WRAP,    /* goes on below; meant for the last column, cut at the end elsewhere */
};

enum fb_side {
    FB_SIDE_LEFT,
    FB_SIDE_RIGHT,
};

struct fb_column {
    const char *heading; /* NULL in the first column: no line of headings */
    enum fb_side side;
    enum fb_give give;
    size_t least; /* narrowest width while others can give way; below 4 means 4 */
};

/** text: borrowed, UTF-8, must live until the table is printed; NULL is empty. */
struct fb_cell {
    const char *text;
    enum fb_style style;
};

struct fb_table {
    struct fb_arena *arena;          /* borrowed */
    const struct fb_column *columns; /* borrowed */
    size_t columns_len;
    struct fb_cell *cells; /* rows one after the other, in the arena */
    size_t rows_len, cells_size;
};

/** An empty table; @len is 1 or more. Nothing to free: rows live in @arena. */
void fb_table_init(struct fb_table *table, struct fb_arena *arena, const struct fb_column *columns,
                   size_t len);

/** Add a row of as many @cells as there are columns; copied. Returns FB_OK or FB_ENOMEM. */
enum fb_status fb_table_add(struct fb_table *table, const struct fb_cell *cells,
                            struct fb_error *err) FB_CHECK;

/**
 * Write headings and rows to @out.
 *
 * Two blanks stand between columns, none at the end of a line. No line is longer than
 * terminal->width code points: columns give way as they say, and what is left over is cut off.
 * What is cut ends in "..." where there is room for a letter beside it.
 * Control characters and bytes that are no UTF-8 come out as "?", so that a name in a snapshot
 * cannot steer the terminal.
 *
 * Returns FB_OK; FB_ENOMEM; FB_EIO when @out refused.
 */
enum fb_status fb_table_print(const struct fb_table *table, const struct fb_terminal *terminal,
                              FILE *out, struct fb_error *err) FB_CHECK;

#endif
