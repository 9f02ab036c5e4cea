/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "options_table.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MOST 31
#define LONG 256 /* getopt's value of a long option: this and its place in the table */

static const struct fb_options defaults = {
    .url = "http://127.0.0.1:9712", .rounds = 1, .connections = 1, .log_level = 1, /* info */
};

/* One command line on its way in. */
struct parse {
    struct fb_arena *arena;
    struct fb_options options;
    const char *name;                          /* "fabricbind plan" */
    const struct fb_option *own[OPTIONS_MOST]; /* the command's options */
    size_t own_len;
};

static const char *program_name(enum fb_command command)
{
    static const char *const names[FB_COMMANDS] = {
        "fabricbind",       "fabricbind serve",  "fabricbind plan",   "fabricbind nodes",
        "fabricbind check", "fabricbind replay", "fabricbind version"};

    return names[command];
}

static enum fb_status find_command(const char *text, enum fb_command *ret, struct fb_error *err)
{
    const char *names[FB_COMMANDS];
    const char *nearest;

    for (unsigned i = 1; i < FB_COMMANDS; i++) {
        names[i] = fb_command_table[i].name;
        if (strcmp(text, names[i]) == 0) {
            *ret = (enum fb_command)i;
            return FB_OK;
        }
    }
    nearest = fb_text_nearest(text, names + 1, FB_COMMANDS - 1);
    if (nearest == NULL)
        return fb_error_set(err, FB_EINPUT, "fabricbind: unknown command '%s', see --help", text);
    return fb_error_set(err, FB_EINPUT, "fabricbind: unknown command '%s', nearest is '%s'", text,
                        nearest);
}

/* getopt's tables: its own long options, and letters behind the ':' that keeps it silent. */
static void make_tables(struct parse *parse, struct option longs[OPTIONS_MOST + 1],
                        char letters[2 * OPTIONS_MOST + 2])
{
    char *letter = letters;

    *letter++ = ':';
    for (size_t i = 0; i < fb_options_table_len; i++) {
        const struct fb_option *option = &fb_options_table[i];
        int takes = option->value == NULL ? no_argument : required_argument;

        if ((option->commands & FB_BIT(parse->options.command)) == 0)
            continue;
        assert(parse->own_len < OPTIONS_MOST);
        longs[parse->own_len] =
            (struct option){option->name, takes, NULL, LONG + (int)parse->own_len};
        parse->own[parse->own_len++] = option;
        if (option->letter == '\0')
            continue;
        *letter++ = option->letter;
        if (option->value != NULL)
            *letter++ = ':';
    }
    longs[parse->own_len] = (struct option){0};
    *letter = '\0';
}

/* The option that getopt's @value stands for, or NULL. */
static const struct fb_option *option_of(const struct parse *parse, int value)
{
    if (value >= LONG)
        return parse->own[value - LONG];
    for (size_t i = 0; i < parse->own_len; i++) {
        if (value != 0 && parse->own[i]->letter == value)
            return parse->own[i];
    }
    return NULL;
}

/* The number of @text among @words, which end in NULL. */
static enum fb_status find_word(const struct parse *parse, const char *option, const char *text,
                                const char *const *words, unsigned *ret, struct fb_error *err)
{
    char known[128] = "";

    for (unsigned i = 0; words[i] != NULL; i++) {
        size_t len = strlen(known);

        if (strcmp(text, words[i]) == 0) {
            *ret = i;
            return FB_OK;
        }
        (void)snprintf(known + len, sizeof known - len, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return fb_error_set(err, FB_EINPUT, "%s: --%s '%s' is none of %s", parse->name, option, text,
                        known);
}

static enum fb_status set_output(struct parse *parse, const char *text, struct fb_error *err)
{
    static const char *const words[] = {"table", "json", "yaml", NULL};
    unsigned word = FB_OUTPUT_TABLE;
    enum fb_status st = find_word(parse, "output", text, words, &word, err);

    parse->options.output = (enum fb_output)word;
    return st;
}

static enum fb_status set_level(struct parse *parse, const char *text, struct fb_error *err)
{
    static const char *const words[] = {"privileged", "baseline", "restricted", NULL};
    unsigned word = FB_POD_SECURITY_PRIVILEGED;
    enum fb_status st = find_word(parse, "pod-security", text, words, &word, err);

    parse->options.pod_security = (enum fb_pod_security)word;
    return st;
}

static enum fb_status set_log(struct parse *parse, const char *text, struct fb_error *err)
{
    static const char *const words[] = {"debug", "info", "warning", "error", NULL};

    return find_word(parse, "log-level", text, words, &parse->options.log_level, err);
}

static enum fb_status set_number(struct parse *parse, const struct fb_option *option,
                                 const char *text, unsigned most, struct fb_error *err)
{
    bool digits = text[strspn(text, "0123456789")] == '\0' && strlen(text) < 10;
    unsigned long value = digits ? strtoul(text, NULL, 10) : 0;

    if (value < 1 || value > most)
        return fb_error_set(err, FB_EINPUT, "%s: --%s '%s' is no number from 1 to %u", parse->name,
                            option->name, text, most);
    *(unsigned *)(void *)((char *)&parse->options + option->where) = (unsigned)value;
    return FB_OK;
}

static enum fb_status add_text(struct parse *parse, struct fb_texts *texts, const char *text,
                               struct fb_error *err)
{
    if (fb_texts_add(parse->arena, texts, text) != FB_OK)
        return fb_error_set(err, FB_ENOMEM, "%s: out of memory", parse->name);
    return FB_OK;
}

static enum fb_status set(struct parse *parse, const struct fb_option *option, const char *text,
                          struct fb_error *err)
{
    void *place = (char *)&parse->options + option->where;

    if (option->value != NULL && text[0] == '\0')
        return fb_error_set(err, FB_EINPUT, "%s: --%s is empty", parse->name, option->name);
    switch (option->kind) {
    case FB_OPTION_FLAG:
        *(bool *)place = true;
        break;
    case FB_OPTION_TEXT:
        *(const char **)place = text;
        break;
    case FB_OPTION_TEXTS:
        return add_text(parse, place, text, err);
    case FB_OPTION_OUTPUT:
        return set_output(parse, text, err);
    case FB_OPTION_LEVEL:
        return set_level(parse, text, err);
    case FB_OPTION_LOG:
        return set_log(parse, text, err);
    case FB_OPTION_ROUNDS:
        return set_number(parse, option, text, FB_ROUNDS_MOST, err);
    case FB_OPTION_CONNECTIONS:
        return set_number(parse, option, text, FB_CONNECTIONS_MOST, err);
    case FB_OPTION_VERSION:
        parse->options.command = FB_COMMAND_VERSION;
        break;
    }
    return FB_OK;
}

/* A long option that is none, or short for several. */
static enum fb_status unknown_long(const struct parse *parse, const char *text,
                                   struct fb_error *err)
{
    const char *names[OPTIONS_MOST];
    const char *nearest;
    char name[64];
    size_t len = strcspn(text, "=");

    if (len >= sizeof name)
        len = sizeof name - 1;
    memcpy(name, text, len);
    name[len] = '\0';
    for (size_t i = 0; i < parse->own_len; i++) {
        names[i] = parse->own[i]->name;
        if (len > 0 && strncmp(names[i], name, len) == 0)
            return fb_error_set(err, FB_EINPUT, "%s: '--%s' is short for more than one option",
                                parse->name, name);
    }
    nearest = fb_text_nearest(name, names, parse->own_len);
    if (nearest == NULL)
        return fb_error_set(err, FB_EINPUT, "%s: unknown option '--%s', see --help", parse->name,
                            name);
    return fb_error_set(err, FB_EINPUT, "%s: unknown option '--%s', nearest is '--%s'", parse->name,
                        name, nearest);
}

/* One dash where two are meant, or a letter that is none. */
static enum fb_status unknown_letter(const struct parse *parse, int letter, struct fb_error *err)
{
    for (size_t i = 0; i < parse->own_len; i++) {
        if (parse->own[i]->name[0] == letter)
            return fb_error_set(err, FB_EINPUT, "%s: unknown option '-%c', nearest is '--%s'",
                                parse->name, letter, parse->own[i]->name);
    }
    return fb_error_set(err, FB_EINPUT, "%s: unknown option '-%c', see --help", parse->name,
                        letter);
}

/* What getopt refused: @option, or with NULL the @letter or the word that is none. */
static enum fb_status refused(const struct parse *parse, const struct fb_option *option, int letter,
                              const char *word, struct fb_error *err)
{
    if (option != NULL)
        return fb_error_set(err, FB_EINPUT, "%s: --%s takes no value", parse->name, option->name);
    if (letter == 0)
        return unknown_long(parse, word + strspn(word, "-"), err);
    return unknown_letter(parse, letter, err);
}

static enum fb_status parse_one(struct parse *parse, int value, const char *word,
                                struct fb_error *err)
{
    bool fault = value == ':' || value == '?';
    const struct fb_option *option = option_of(parse, fault ? optopt : value);

    if (value == ':' && option != NULL)
        return fb_error_set(err, FB_EINPUT, "%s: --%s needs a value", parse->name, option->name);
    if (fault || option == NULL)
        return refused(parse, option, optopt, word, err);
    return set(parse, option, optarg == NULL ? "" : optarg, err);
}

/* What is left when the options are taken out. */
static enum fb_status take_operand(struct parse *parse, int argc, char **argv, struct fb_error *err)
{
    const char *operand = fb_command_table[parse->options.command].operand;

    if (operand != NULL && optind >= argc)
        return fb_error_set(err, FB_EINPUT, "%s: %s is missing", parse->name, operand);
    if (operand != NULL)
        parse->options.directory = argv[optind++];
    if (operand != NULL && *parse->options.directory == '\0')
        return fb_error_set(err, FB_EINPUT, "%s: %s is empty", parse->name, operand);
    if (optind < argc)
        return fb_error_set(err, FB_EINPUT, "%s: unexpected argument '%s'", parse->name,
                            argv[optind]);
    return FB_OK;
}

static enum fb_status parse_options(struct parse *parse, int argc, char **argv,
                                    struct fb_error *err)
{
    struct option longs[OPTIONS_MOST + 1];
    char letters[2 * OPTIONS_MOST + 2];
    enum fb_status st = FB_OK;

    make_tables(parse, longs, letters);
    optind = 0; /* begin anew, also glibc's own state */
    while (st == FB_OK) {
        /* Read before there are threads. NOLINTNEXTLINE(concurrency-mt-unsafe) */
        int value = getopt_long(argc, argv, letters, longs, NULL);

        if (value == -1)
            break;
        st = parse_one(parse, value, argv[optind - 1], err);
    }
    return st == FB_OK && !parse->options.help ? take_operand(parse, argc, argv, err) : st;
}

static enum fb_status check_required(const struct parse *parse, struct fb_error *err)
{
    for (size_t i = 0; i < parse->own_len; i++) {
        const struct fb_option *option = parse->own[i];
        const char *place = (const char *)&parse->options + option->where;
        bool given;

        if ((option->required & FB_BIT(parse->options.command)) == 0)
            continue;
        if (option->kind == FB_OPTION_TEXTS)
            given = ((const struct fb_texts *)(const void *)place)->len > 0;
        else
            given = *(const char *const *)(const void *)place != NULL;
        if (!given)
            return fb_error_set(err, FB_EINPUT, "%s: --%s is missing", parse->name, option->name);
    }
    return FB_OK;
}

/* A cluster has one source, and standard input can be read once. */
static enum fb_status check_input(const struct parse *parse, struct fb_error *err)
{
    const struct fb_options *options = &parse->options;
    size_t used = fb_text_equal(options->snapshot, "-") ? 1 : 0;

    if (options->snapshot != NULL && options->kubeconfig != NULL)
        return fb_error_set(err, FB_EINPUT, "%s: --snapshot and --kubeconfig exclude each other",
                            parse->name);
    for (size_t i = 0; i < options->jobs.len; i++)
        used += fb_text_equal(options->jobs.at[i], "-") ? 1 : 0;
    if (used > 1)
        return fb_error_set(err, FB_EINPUT, "%s: standard input is asked for %zu times",
                            parse->name, used);
    return FB_OK;
}

enum fb_status fb_options_read(struct fb_arena *arena, int argc, char **argv,
                               struct fb_options *ret, struct fb_error *err)
{
    struct parse parse = {.arena = arena, .options = defaults};
    bool has_command = argc > 1 && argv[1][0] != '-';
    enum fb_status st = FB_OK;

    if (argc < 2)
        return fb_error_set(err, FB_EINPUT, "fabricbind: no command, see --help");
    if (has_command)
        st = find_command(argv[1], &parse.options.command, err);
    if (st != FB_OK)
        return st;
    parse.name = program_name(parse.options.command);
    st = parse_options(&parse, argc - (has_command ? 1 : 0), argv + (has_command ? 1 : 0), err);
    if (st == FB_OK && !parse.options.help)
        st = check_required(&parse, err);
    if (st == FB_OK && !parse.options.help)
        st = check_input(&parse, err);
    if (st == FB_OK && parse.options.command == FB_COMMAND_NONE && !parse.options.help)
        st = fb_error_set(err, FB_EINPUT, "fabricbind: no command, see --help");
    if (st == FB_OK)
        *ret = parse.options;
    return st;
}
