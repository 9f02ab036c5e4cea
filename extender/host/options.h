/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_OPTIONS_H
#define FB_HOST_OPTIONS_H

#include "terminal.h"

#include "fabricbind/arena.h"
#include "fabricbind/equip.h"
#include "fabricbind/error.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** The command line. One table of commands and one of options feed parser and help. */

enum fb_command {
    FB_COMMAND_NONE, /* "fabricbind --help" */
    FB_COMMAND_SERVE,
    FB_COMMAND_PLAN,
    FB_COMMAND_NODES,
    FB_COMMAND_CHECK,
    FB_COMMAND_REPLAY,
    FB_COMMAND_VERSION,
};

#define FB_COMMANDS 7

#define FB_ROUNDS_MOST 1000000
#define FB_CONNECTIONS_MOST 256

enum fb_output {
    FB_OUTPUT_TABLE,
    FB_OUTPUT_JSON,
    FB_OUTPUT_YAML,
};

/** Exit codes of the program. */
enum fb_exit {
    FB_EXIT_YES,
    FB_EXIT_NO,    /* does not fit, check found faults */
    FB_EXIT_USAGE, /* bad usage or input */
};

/** Texts are borrowed from argv; "-" is standard input. */
struct fb_options {
    enum fb_command command;
    bool help; /* print the command's help and leave; nothing else need be set */
    enum fb_output output;
    const char *snapshot;     /* NULL where the command has none */
    const char *kubeconfig;   /* NULL: none given */
    struct fb_texts jobs;     /* files, one or more for plan */
    const char *config;       /* NULL: defaults */
    const char *helix_values; /* NULL: none */
    struct fb_texts policies; /* directories, in the order given; empty: the shipped ones only */
    bool keep_members;
    const char *explain_pod; /* NULL: none */
    enum fb_pod_security pod_security;
    const char *volcano_conf; /* NULL: none */
    const char *directory;    /* of replay: the recording */
    const char *url;          /* of replay; never NULL */
    bool array_dialect;       /* of replay: predicates are of Volcano 1.8 or 1.9 */
    unsigned rounds;          /* of replay: 1 to FB_ROUNDS_MOST */
    unsigned connections;     /* of replay: 1 to FB_CONNECTIONS_MOST */
    unsigned log_level;       /* debug, info, warning, error: 0 to 3 */
};

/**
 * Read the command line. An option that takes one value and is given twice: the last wins.
 *
 * @argv  is put in another order
 *
 * Returns FB_OK; FB_EINPUT with one line that names the program and the command ("fabricbind plan:
 * --snapshot is missing"), for exit code 2; FB_ENOMEM. Not for two threads at once.
 */
enum fb_status fb_options_read(struct fb_arena *arena, int argc, char **argv,
                               struct fb_options *ret, struct fb_error *err) FB_CHECK;

/**
 * Print the help of @command, with examples; of the whole program with FB_COMMAND_NONE, with the
 * keys of the configuration file. Returns FB_OK, FB_ENOMEM or FB_EIO.
 */
enum fb_status fb_options_help(struct fb_arena *arena, enum fb_command command,
                               const struct fb_terminal *terminal, FILE *out,
                               struct fb_error *err) FB_CHECK;

#endif
