/* SPDX-License-Identifier: Apache-2.0 */
#include "glyph.h"
#include "table.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* A name as long as Kubernetes lets a label be. */
#define NAME_63 "gpu-pool-a-rack-17-unit-03-h100-sxm5-0123456789-abcdefghij-0007"

static const struct fb_column columns[] = {
    {.heading = "NODE", .give = FB_GIVE_MIDDLE, .least = 12},
    {.heading = "GPUS", .side = FB_SIDE_RIGHT},
    {.heading = "WHY", .give = FB_GIVE_WRAP, .least = 20},
};

static const struct fb_cell rows[][COUNT(columns)] = {
    {{"nd-0000", FB_STYLE_PLAIN}, {"8", FB_STYLE_PLAIN}, {"fits", FB_STYLE_GOOD}},
    {{NAME_63, FB_STYLE_PLAIN},
     {"16", FB_STYLE_PLAIN},
     {"fabricbind: node has fewer nics than the pod needs", FB_STYLE_BAD}},
    {{"n\xc3\xb6rdlich", FB_STYLE_PLAIN}, {NULL, FB_STYLE_PLAIN}, {"", FB_STYLE_WARN}},
};

/* What @table looks like; free() it. */
static char *print(const struct fb_table *table, size_t width, bool colour)
{
    struct fb_terminal terminal = {.width = width, .colour = colour};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_int_equal(fb_table_print(table, &terminal, out, NULL), FB_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static const struct {
    size_t width;
    bool colour;
    const char *want;
} looks[] = {
    {160, false,
     "NODE                                                             GPUS  WHY\n"
     "nd-0000                                                             8  fits\n" NAME_63
     "    16  fabricbind: node has fewer nics than the pod needs\n"
     "n\xc3\xb6rdlich\n"},
    {91, false, /* the name is whole as long as the text can give way */
     "NODE                                                             GPUS  WHY\n"
     "nd-0000                                                             8  fits\n" NAME_63
     "    16  fabricbind: node has\n"
     "                                                                       fewer nics than "
     "the\n"
     "                                                                       pod needs\n"
     "n\xc3\xb6rdlich\n"},
    {80, false,
     "NODE                                                  GPUS  WHY\n"
     "nd-0000                                                  8  fits\n"
     "gpu-pool-a-rack-17-unit-0...23456789-abcdefghij-0007    16  fabricbind: node has\n"
     "                                                            fewer nics than the\n"
     "                                                            pod needs\n"
     "n\xc3\xb6rdlich\n"},
    {20, false,
     "NODE      GPUS  WHY\n"
     "nd-0000      8  fits\n"
     "gpu...07    16  fabr\n"
     "                icbi\n"
     "                nd:\n"
     "                node\n"
     "                has\n"
     "                fewe\n"
     "                r\n"
     "                nics\n"
     "                than\n"
     "                the\n"
     "                pod\n"
     "                need\n"
     "                s\n"
     "n\xc3\xb6rdlich\n"},
    {1, false, "N\nn\ng\nn\n"},
    {40, true,
     "\x1b[1mNODE\x1b[0m          \x1b[1mGPUS\x1b[0m  \x1b[1mWHY\x1b[0m\n"
     "nd-0000          8  \x1b[32mfits\x1b[0m\n"
     "gpu-p...0007    16  \x1b[31mfabricbind: node has\x1b[0m\n"
     "                    \x1b[31mfewer nics than the\x1b[0m\n"
     "                    \x1b[31mpod needs\x1b[0m\n"
     "n\xc3\xb6rdlich\n"},
};

static void test_table_print__looks_like_this(void **state)
{
    struct fb_arena *arena = fb_arena_new(0);
    struct fb_table table;

    (void)state;
    fb_table_init(&table, arena, columns, COUNT(columns));
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(fb_table_add(&table, rows[i], NULL), FB_OK);
    for (size_t i = 0; i < COUNT(looks); i++) {
        char *text = print(&table, looks[i].width, looks[i].colour);

        assert_string_equal(text, looks[i].want);
        free(text);
    }
    fb_arena_free(arena);
}

static void test_table_print__cuts_one_cell_to_its_column(void **state)
{
    static const struct {
        enum fb_give give;
        size_t width;
        const char *text, *want;
    } cases[] = {
        {FB_GIVE_END, 10, "0123456789", "0123456789\n"},
        {FB_GIVE_END, 10, "0123456789a", "0123456...\n"},
        {FB_GIVE_MIDDLE, 10, "0123456789a", "0123...89a\n"},
        {FB_GIVE_NOTHING, 10, "0123456789a", "0123456...\n"},
        {FB_GIVE_WRAP, 10, "0123456789a", "0123456789\na\n"},
        {FB_GIVE_WRAP, 10, "one two three", "one two\nthree\n"},
        {FB_GIVE_WRAP, 10, "one  two   three  ", "one  two\nthree\n"},
        {FB_GIVE_WRAP, 7, "one two three", "one two\nthree\n"},
        {FB_GIVE_WRAP, 3, "", "\n"},
        {FB_GIVE_END, 3, "abcd", "abc\n"},
        {FB_GIVE_END, 4, "abcde", "a...\n"},
        /* Code points are never torn. */
        {FB_GIVE_END, 5, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80xyz", "\xc3\xa4\xe2\x82\xac...\n"},
        {FB_GIVE_MIDDLE, 5, "ab\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa4z", "a...z\n"},
        {FB_GIVE_WRAP, 2, "\xc3\xa4\xc3\xb6\xc3\xbc", "\xc3\xa4\xc3\xb6\n\xc3\xbc\n"},
        /* Nothing in a text steers the terminal. */
        {FB_GIVE_END, 20, "a\x1b[31mb\nc\td\x7f", "a?[31mb?c?d?\n"},
        {FB_GIVE_END, 20,
         "\xc2\x9b"
         "31m\xe2\x80\xae",
         "?31m?\n"},
        /* No UTF-8: a lone byte, a cut sequence, overlong, a surrogate, too large. */
        {FB_GIVE_END, 20, "\x80|\xe2\x82|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80",
         "?|??|??|???|????\n"},
        {FB_GIVE_END, 20, "\xe0\x80\xaf|\xf0\x80\x80\xaf|\xc1\x81", "???|????|??\n"},
    };
    struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_column column = {.heading = "", .give = cases[i].give};
        struct fb_cell cell = {cases[i].text, FB_STYLE_BAD};
        struct fb_table table;
        char *text;

        fb_table_init(&table, arena, &column, 1);
        assert_int_equal(fb_table_add(&table, &cell, NULL), FB_OK);
        text = print(&table, cases[i].width, false);
        assert_int_equal(text[0], '\n'); /* the heading */
        assert_string_equal(text + 1, cases[i].want);
        free(text);
    }
    fb_arena_free(arena);
}

static void test_table_print__narrows_the_widest_column_first(void **state)
{
    static const struct fb_column kinds[] = {{.heading = NULL, .give = FB_GIVE_END},
                                             {.heading = NULL, .give = FB_GIVE_END},
                                             {.heading = NULL, .give = FB_GIVE_NOTHING}};
    static const struct fb_cell cells[] = {{"abcdefghijklmnopqrst", FB_STYLE_PLAIN},
                                           {"0123456789", FB_STYLE_PLAIN},
                                           {"xy", FB_STYLE_PLAIN}};
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_table table;
    char *text;

    (void)state;
    fb_table_init(&table, arena, kinds, COUNT(kinds));
    assert_int_equal(fb_table_add(&table, cells, NULL), FB_OK);
    text = print(&table, 26, false); /* 36 are wanted */
    assert_string_equal(text, "abcdefg...  0123456789  xy\n");
    free(text);
    text = print(&table, 24, false);
    assert_string_equal(text, "abcdef...  012345...  xy\n");
    free(text);
}

static void check_lines(const char *text, size_t width)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        size_t points = 0;

        for (size_t i = 0; i < len; i++)
            points += ((unsigned char)text[i] & 0xc0) != 0x80;
        assert_true(points <= width);
        assert_true(len == 0 || text[len - 1] != ' ');
        assert_int_equal(text[len], '\n');
        text += len + 1;
    }
}

static void test_table_print__keeps_to_every_width(void **state)
{
    static const char *const pieces[] = {
        "",     " ", "a", "  b ", "\xe2\x82\xac", "word", NAME_63, "some words that go on",
        "\xff", NULL};
    struct fb_arena *arena = fb_arena_new(0);
    uint32_t seed = 1;

    (void)state;
    for (size_t round = 0; round < 200; round++) {
        struct fb_column kinds[5];
        struct fb_cell cells[5];
        struct fb_table table;
        size_t len = 1 + round % COUNT(kinds);

        fb_table_init(&table, arena, kinds, len);
        for (size_t row = 0; row < 4; row++) {
            for (size_t c = 0; c < len; c++) {
                seed = seed * 1664525 + 1013904223;
                kinds[c].heading = "HEAD";
                kinds[c].give = (enum fb_give)(seed >> 28 & 3);
                kinds[c].side = (enum fb_side)(seed >> 27 & 1);
                kinds[c].least = seed >> 20 & 31;
                cells[c].text = pieces[(seed >> 8) % COUNT(pieces)];
                cells[c].style = FB_STYLE_PLAIN;
            }
            assert_int_equal(fb_table_add(&table, cells, NULL), FB_OK);
        }
        for (size_t width = 1; width <= 160; width += 1 + round % 7) {
            char *text = print(&table, width, false);

            check_lines(text, width);
            free(text);
        }
    }
    fb_arena_free(arena);
}

static void test_table_print__says_when_the_file_refuses(void **state)
{
    struct fb_arena *arena = fb_arena_new(0);
    struct fb_terminal terminal = {.width = 80};
    struct fb_table table;
    struct fb_error err = {0};
    FILE *out = fopen("/dev/full", "w");

    (void)state;
    assert_non_null(out);
    assert_int_equal(setvbuf(out, NULL, _IONBF, 0), 0);
    fb_table_init(&table, arena, columns, COUNT(columns));
    assert_int_equal(fb_table_print(&table, &terminal, out, &err), FB_EIO);
    assert_string_equal(err.text, "the table cannot be written");
    (void)fclose(out);
    fb_arena_free(arena);
}

static void test_table__survives_a_lack_of_memory(void **state)
{
    struct fb_terminal terminal = {.width = 80};
    struct fb_table table;
    FILE *out = fopen("/dev/null", "w");
    enum fb_status st = FB_ENOMEM;

    (void)state;
    assert_non_null(out);
    for (int after = 0; st == FB_ENOMEM && after < 100; after++) {
        struct fb_arena *arena = fb_arena_new(0);

        assert_non_null(arena);
        fb_table_init(&table, arena, columns, COUNT(columns));
        alloc_fault_arm(after);
        st = FB_OK;
        for (size_t i = 0; st == FB_OK && i < 2000; i++)
            st = fb_table_add(&table, rows[i % COUNT(rows)], NULL);
        if (st == FB_OK)
            st = fb_table_print(&table, &terminal, out, NULL);
        alloc_fault_disarm();
        assert_true(after > 0 || st == FB_ENOMEM);
        fb_arena_free(arena);
    }
    assert_int_equal(st, FB_OK);
    (void)fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_print__looks_like_this),
        cmocka_unit_test(test_table_print__cuts_one_cell_to_its_column),
        cmocka_unit_test(test_table_print__narrows_the_widest_column_first),
        cmocka_unit_test(test_table_print__keeps_to_every_width),
        cmocka_unit_test(test_table_print__says_when_the_file_refuses),
        cmocka_unit_test(test_table__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
