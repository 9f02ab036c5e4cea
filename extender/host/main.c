/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "options.h"
#include "serve.h"

#include "fabricbind/own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a command is run with: one of the three. */
struct command {
    /* Its inputs are loaded first; prints an answer. */
    enum fb_status (*answer)(struct fb_inputs *in, const struct fb_command_context *context,
                             bool *ret_yes, struct fb_error *err);
    /* Needs none of these inputs; prints an answer. */
    enum fb_status (*report)(struct fb_arena *arena, const struct fb_command_context *context,
                             bool *ret_yes, struct fb_error *err);
    int (*stay)(const struct fb_options *options); /* sees to all by itself; its exit code */
};

static const struct command commands[FB_COMMANDS] = {
    [FB_COMMAND_SERVE] = {.stay = fb_serve},
    [FB_COMMAND_PLAN] = {.answer = fb_command_plan},
    [FB_COMMAND_NODES] = {.answer = fb_command_nodes},
    [FB_COMMAND_CHECK] = {.answer = fb_command_check},
    [FB_COMMAND_REPLAY] = {.report = fb_command_replay},
};

static int fail(const char *program, const struct fb_error *err)
{
    (void)fprintf(stderr, "%s%s\n", program, err->text);
    return FB_EXIT_USAGE;
}

/* The answer is printed when it is whole: a failure leaves nothing on standard output. */
static int flush(const char *text, size_t len)
{
    char reason[128];

    if (fwrite(text, 1, len, stdout) == len && fflush(stdout) == 0)
        return FB_EXIT_YES;
    (void)fprintf(stderr, "fabricbind: standard output: %s\n",
                  strerror_r(errno, reason, sizeof reason));
    return FB_EXIT_USAGE;
}

static enum fb_status answer(struct fb_arena *arena, const struct fb_command_context *context,
                             bool *ret_yes, struct fb_error *err)
{
    const struct command *command = &commands[context->options->command];
    struct fb_inputs inputs;
    enum fb_status st;

    if (command->report != NULL)
        return command->report(arena, context, ret_yes, err);
    st = fb_load(arena, context->options, &inputs, err);
    return st == FB_OK ? command->answer(&inputs, context, ret_yes, err) : st;
}

static int run(struct fb_arena *arena, const struct fb_options *options)
{
    struct fb_terminal terminal = fb_terminal_get(STDOUT_FILENO);
    struct fb_command_context context = {options, &terminal, NULL};
    struct fb_error err = {.text = "out of memory"};
    char *text = NULL;
    size_t len = 0;
    bool yes = false;
    enum fb_status st;
    int code;

    context.out = open_memstream(&text, &len);
    if (context.out == NULL)
        return fail("fabricbind: ", &err);
    st = answer(arena, &context, &yes, &err);
    if (fclose(context.out) != 0 && st == FB_OK)
        st = FB_ENOMEM;
    code = st != FB_OK ? fail("fabricbind: ", &err) : flush(text, len);
    free(text);
    return code == FB_EXIT_YES && !yes ? FB_EXIT_NO : code;
}

static int help(struct fb_arena *arena, const struct fb_options *options)
{
    struct fb_terminal terminal = fb_terminal_get(STDOUT_FILENO);
    struct fb_error err = {.text = "out of memory"};

    if (fb_options_help(arena, options->command, &terminal, stdout, &err) != FB_OK)
        return fail("fabricbind: ", &err);
    return FB_EXIT_YES;
}

int main(int argc, char **argv)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_options options;
    struct fb_error err = {.text = "out of memory"};

    if (arena == NULL)
        return fail("fabricbind: ", &err);
    if (fb_options_read(arena, argc, argv, &options, &err) != FB_OK)
        return fail("", &err);
    if (options.help)
        return help(arena, &options);
    if (options.command == FB_COMMAND_VERSION) {
        if (puts("fabricbind " FB_VERSION) == EOF)
            return FB_EXIT_USAGE;
        return FB_EXIT_YES;
    }
    if (commands[options.command].stay != NULL)
        return commands[options.command].stay(&options);
    return run(arena, &options);
}
