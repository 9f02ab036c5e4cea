/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "glyph.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GAP 2       /* blanks between columns */
#define NARROWEST 4 /* a letter and "..." */

/* A line on its way out. Blanks are held back until something follows them. */
struct line {
    FILE *out;
    const struct fb_terminal *terminal;
    size_t at;        /* columns taken, blanks held back among them */
    size_t blanks;    /* held back */
    const char *code; /* of the style wanted; "" is plain */
    bool coloured;    /* the code is out */
};

void fb_table_init(struct fb_table *table, struct fb_arena *arena, const struct fb_column *columns,
                   size_t len)
{
    *table = (struct fb_table){.arena = arena, .columns = columns, .columns_len = len};
}

enum fb_status fb_table_add(struct fb_table *table, const struct fb_cell *cells,
                            struct fb_error *err)
{
    size_t used = table->rows_len * table->columns_len;

    for (size_t i = 0; i < table->columns_len; i++) {
        struct fb_cell *grown = fb_arena_more(table->arena, table->cells, used + i,
                                              &table->cells_size, sizeof *table->cells);

        if (grown == NULL)
            return fb_error_set(err, FB_ENOMEM, "out of memory");
        table->cells = grown;
        table->cells[used + i] = cells[i];
    }
    table->rows_len++;
    return FB_OK;
}

/* The style of what is put until line_plain(). */
static void line_style(struct line *line, enum fb_style style)
{
    static const char *const codes[] = {
        [FB_STYLE_PLAIN] = "",        [FB_STYLE_BOLD] = "\x1b[1m",  [FB_STYLE_DIM] = "\x1b[2m",
        [FB_STYLE_GOOD] = "\x1b[32m", [FB_STYLE_WARN] = "\x1b[33m", [FB_STYLE_BAD] = "\x1b[31m",
    };

    line->code = line->terminal->colour ? codes[style] : "";
}

static void line_plain(struct line *line)
{
    if (line->coloured)
        (void)fputs("\x1b[0m", line->out);
    line->coloured = false;
}

static void line_skip(struct line *line, size_t count)
{
    line->at += count;
    line->blanks += count;
}

static void line_end(struct line *line)
{
    line_plain(line);
    (void)fputc('\n', line->out);
    line->at = 0;
    line->blanks = 0;
}

/* Up to @count glyphs of @text, as far as the line is wide. */
static void line_put(struct line *line, const char *text, size_t count)
{
    for (; count > 0 && *text != '\0' && line->at < line->terminal->width; count--) {
        struct fb_glyph glyph = fb_glyph_get(text);

        text += glyph.taken;
        if (glyph.len == 1 && glyph.bytes[0] == ' ') {
            line_skip(line, 1);
            continue;
        }
        for (; line->blanks > 0; line->blanks--)
            (void)fputc(' ', line->out);
        if (!line->coloured && line->code[0] != '\0') {
            (void)fputs(line->code, line->out);
            line->coloured = true;
        }
        (void)fwrite(glyph.bytes, 1, glyph.len, line->out);
        line->at++;
    }
}

/* @text in @width columns, cut with dots where it is longer. */
static void put_cut(struct line *line, const char *text, size_t width, bool middle)
{
    size_t len = fb_glyph_count(text, SIZE_MAX);
    size_t dots = width < NARROWEST ? 0 : 3;
    size_t tail = middle ? (width - dots) / 2 : 0;

    if (len <= width) {
        line_put(line, text, len);
        return;
    }
    line_put(line, text, width - dots - tail);
    line_put(line, "...", dots);
    line_put(line, fb_glyph_skip(text, len - tail), tail);
}

/* How many glyphs of @text go into a line of @width: up to a blank where there is one. */
static size_t wrap_at(const char *text, size_t width)
{
    size_t len = fb_glyph_count(text, width + 1);
    size_t blank = 0;
    const char *at = text;

    if (len <= width)
        return len;
    for (size_t i = 0; i <= width; i++) {
        if (*at == ' ')
            blank = i;
        at += fb_glyph_get(at).taken;
    }
    return blank > 0 ? blank : width;
}

/* The last cell of a row, over as many lines as it takes. */
static void put_wrapped(struct line *line, const char *text, size_t width)
{
    size_t start = line->at;

    if (start >= line->terminal->width)
        return;
    if (width > line->terminal->width - start)
        width = line->terminal->width - start;
    for (;;) {
        size_t count;

        while (*text == ' ')
            text++;
        count = wrap_at(text, width);
        line_put(line, text, count);
        text = fb_glyph_skip(text, count);
        if (text[strspn(text, " ")] == '\0')
            return;
        line_end(line);
        line_skip(line, start);
    }
}

static size_t cell_width(const char *text, size_t most)
{
    return text == NULL ? 0 : fb_glyph_count(text, most);
}

static void put_cell(struct line *line, const struct fb_table *table, size_t column,
                     const struct fb_cell *cell, size_t width)
{
    const struct fb_column *kind = &table->columns[column];
    bool last = column + 1 == table->columns_len;
    size_t start = line->at;
    size_t len = cell_width(cell->text, width);

    line_style(line, cell->style);
    if (kind->side == FB_SIDE_RIGHT)
        line_skip(line, width - len);
    if (len == 0)
        line_skip(line, start + width - line->at);
    else if (last && kind->give == FB_GIVE_WRAP)
        put_wrapped(line, cell->text, width);
    else
        put_cut(line, cell->text, width, kind->give == FB_GIVE_MIDDLE);
    line_plain(line);
    /* A line that is full stands still; what comes behind it is cut off. */
    if (!last && line->at < start + width)
        line_skip(line, start + width - line->at);
    if (!last)
        line_skip(line, GAP);
}

static void natural_widths(const struct fb_table *table, size_t most, size_t *widths)
{
    for (size_t c = 0; c < table->columns_len; c++)
        widths[c] = cell_width(table->columns[c].heading, most);
    for (size_t i = 0; i < table->rows_len * table->columns_len; i++) {
        size_t c = i % table->columns_len;
        size_t width = cell_width(table->cells[i].text, most);

        if (width > widths[c])
            widths[c] = width;
    }
}

/* Narrow the columns that give way as @give, the widest first, until @over columns are saved. */
static size_t narrow(const struct fb_table *table, size_t *widths, enum fb_give give, bool last,
                     size_t over)
{
    while (over > 0) {
        size_t widest = table->columns_len;

        for (size_t c = 0; c < table->columns_len; c++) {
            size_t least = table->columns[c].least;

            if (last || least < NARROWEST)
                least = NARROWEST;
            if (table->columns[c].give == give && widths[c] > least &&
                (widest == table->columns_len || widths[c] >= widths[widest]))
                widest = c;
        }
        if (widest == table->columns_len)
            break;
        widths[widest]--;
        over--;
    }
    return over;
}

static void fit_widths(const struct fb_table *table, size_t width, size_t *widths)
{
    static const enum fb_give order[] = {FB_GIVE_WRAP, FB_GIVE_END, FB_GIVE_MIDDLE};
    size_t total = (table->columns_len - 1) * GAP;
    size_t over;

    natural_widths(table, width, widths);
    for (size_t c = 0; c < table->columns_len; c++)
        total += widths[c];
    over = total > width ? total - width : 0;
    for (int last = 0; last < 2; last++) {
        for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
            over = narrow(table, widths, order[i], last != 0, over);
    }
    (void)narrow(table, widths, FB_GIVE_NOTHING, true, over);
}

enum fb_status fb_table_print(const struct fb_table *table, const struct fb_terminal *terminal,
                              FILE *out, struct fb_error *err)
{
    struct line line = {.out = out, .terminal = terminal};
    size_t *widths = fb_arena_alloc(table->arena, table->columns_len * sizeof *widths);

    if (widths == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    fit_widths(table, terminal->width, widths);
    for (size_t c = 0; table->columns[0].heading != NULL && c < table->columns_len; c++) {
        struct fb_cell heading = {table->columns[c].heading, FB_STYLE_BOLD};

        put_cell(&line, table, c, &heading, widths[c]);
        if (c + 1 == table->columns_len)
            line_end(&line);
    }
    for (size_t i = 0; i < table->rows_len * table->columns_len; i++) {
        size_t c = i % table->columns_len;

        put_cell(&line, table, c, &table->cells[i], widths[c]);
        if (c + 1 == table->columns_len)
            line_end(&line);
    }
    return ferror(out) ? fb_error_set(err, FB_EIO, "the table cannot be written") : FB_OK;
}
