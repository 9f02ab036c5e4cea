/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "options_table.h"
#include "table.h"

#include "fabricbind/config.h"

#include <string.h>

/* Where help goes, and what it is made with. */
struct help {
    struct fb_arena *arena;
    const struct fb_terminal *terminal;
    FILE *out;
};

static const struct fb_column pair[] = {
    {.heading = NULL, .give = FB_GIVE_NOTHING},
    {.heading = NULL, .give = FB_GIVE_WRAP, .least = 24},
};

/* Room for "  -o, --output table|json|yaml" and the like. */
#define FLAGS_BYTES 64

static const char *format_flags(struct fb_arena *arena, const struct fb_option *option)
{
    char text[FLAGS_BYTES];
    char letter[8] = "    ";

    if (option->letter != '\0')
        (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    (void)snprintf(text, sizeof text, "  %s--%s%s%s", letter, option->name,
                   option->value == NULL ? "" : " ", option->value == NULL ? "" : option->value);
    return fb_arena_text(arena, text, strlen(text));
}

static enum fb_status add_pair(struct fb_table *table, const char *left, const char *right,
                               struct fb_error *err)
{
    const struct fb_cell cells[] = {{left, FB_STYLE_PLAIN}, {right, FB_STYLE_PLAIN}};

    if (left == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return fb_table_add(table, cells, err);
}

static enum fb_status print_options(const struct help *help, enum fb_command command,
                                    struct fb_error *err)
{
    struct fb_table table;
    enum fb_status st = FB_OK;

    (void)fputs("\nOptions:\n", help->out);
    fb_table_init(&table, help->arena, pair, 2);
    for (size_t i = 0; i < fb_options_table_len && st == FB_OK; i++) {
        const struct fb_option *option = &fb_options_table[i];

        if ((option->commands & FB_BIT(command)) != 0)
            st = add_pair(&table, format_flags(help->arena, option), option->help, err);
    }
    return st == FB_OK ? fb_table_print(&table, help->terminal, help->out, err) : st;
}

static const char *indent(struct fb_arena *arena, const char *text)
{
    char line[FLAGS_BYTES];

    (void)snprintf(line, sizeof line, "  %s", text);
    return fb_arena_text(arena, line, strlen(line));
}

static enum fb_status print_commands(const struct help *help, struct fb_error *err)
{
    struct fb_table table;
    enum fb_status st = FB_OK;

    (void)fputs("\nCommands, each with a --help of its own:\n", help->out);
    fb_table_init(&table, help->arena, pair, 2);
    for (size_t i = 1; i < FB_COMMANDS && st == FB_OK; i++)
        st = add_pair(&table, indent(help->arena, fb_command_table[i].name),
                      fb_command_table[i].summary, err);
    return st == FB_OK ? fb_table_print(&table, help->terminal, help->out, err) : st;
}

static enum fb_status print_keys(const struct help *help, struct fb_error *err)
{
    static const struct fb_column columns[] = {
        {.heading = "  KEY", .give = FB_GIVE_NOTHING},
        {.heading = "DEFAULT", .give = FB_GIVE_END, .least = 16},
        {.heading = "MEANING", .give = FB_GIVE_WRAP, .least = 40},
    };
    struct fb_table table;
    const struct fb_config_key *key;
    enum fb_status st = FB_OK;

    (void)fputs("\nKeys of the configuration file:\n", help->out);
    fb_table_init(&table, help->arena, columns, 3);
    for (size_t i = 0; (key = fb_config_keys(i)) != NULL && st == FB_OK; i++) {
        const struct fb_cell cells[] = {{indent(help->arena, key->key), FB_STYLE_PLAIN},
                                        {key->fallback, FB_STYLE_PLAIN},
                                        {key->help, FB_STYLE_PLAIN}};

        if (cells[0].text == NULL)
            return fb_error_set(err, FB_ENOMEM, "out of memory");
        st = fb_table_add(&table, cells, err);
    }
    return st == FB_OK ? fb_table_print(&table, help->terminal, help->out, err) : st;
}

static void print_usage(const struct help *help, enum fb_command command)
{
    const struct fb_command_row *row = &fb_command_table[command];

    if (command == FB_COMMAND_NONE)
        (void)fputs("Usage: fabricbind COMMAND [options]\n", help->out);
    else
        (void)fprintf(help->out, "Usage: fabricbind %s%s%s", row->name,
                      row->operand == NULL ? "" : " ", row->operand == NULL ? "" : row->operand);
    for (size_t i = 0; i < fb_options_table_len && command != FB_COMMAND_NONE; i++) {
        const struct fb_option *option = &fb_options_table[i];

        if ((option->required & FB_BIT(command)) != 0)
            (void)fprintf(help->out, " --%s %s", option->name, option->value);
    }
    if (command != FB_COMMAND_NONE)
        (void)fputs(" [options]\n", help->out);
    (void)fprintf(help->out, "\n%s\n", row->summary);
    if (row->more != NULL)
        (void)fprintf(help->out, "%s\n", row->more);
}

enum fb_status fb_options_help(struct fb_arena *arena, enum fb_command command,
                               const struct fb_terminal *terminal, FILE *out, struct fb_error *err)
{
    const struct help help = {arena, terminal, out};
    const char *const *example = fb_command_table[command].examples;
    enum fb_status st = FB_OK;

    print_usage(&help, command);
    if (command == FB_COMMAND_NONE)
        st = print_commands(&help, err);
    if (st == FB_OK)
        st = print_options(&help, command, err);
    if (st != FB_OK)
        return st;
    (void)fputs("\nExamples:\n", out);
    for (; *example != NULL; example++)
        (void)fprintf(out, "  %s\n", *example);
    if (command == FB_COMMAND_NONE)
        st = print_keys(&help, err);
    (void)fputs("\nExit status: 0 yes, 1 no, 2 bad usage or input.\n", out);
    return st == FB_OK && ferror(out) ? fb_error_set(err, FB_EIO, "the help cannot be written")
                                      : st;
}
