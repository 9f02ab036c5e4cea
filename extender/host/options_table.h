/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_OPTIONS_TABLE_H
#define FB_HOST_OPTIONS_TABLE_H

#include "options.h"

/** The commands and their options as tables. */

enum fb_option_kind {
    FB_OPTION_FLAG,
    FB_OPTION_TEXT,
    FB_OPTION_TEXTS, /* may be given again */
    FB_OPTION_OUTPUT,
    FB_OPTION_LEVEL,
    FB_OPTION_LOG,
    FB_OPTION_ROUNDS,
    FB_OPTION_CONNECTIONS,
    FB_OPTION_VERSION,
};

#define FB_BIT(command) (1U << (command))

struct fb_option {
    const char *name;
    const char *value; /* what it takes, for help; NULL: nothing */
    const char *help;
    size_t where;      /* offset in struct fb_options */
    unsigned commands; /* bits of those that have it */
    unsigned required; /* bits of those that cannot do without */
    enum fb_option_kind kind;
    char letter; /* 0: none */
};

struct fb_command_row {
    const char *name;
    const char *operand; /* what must stand behind the name; NULL: nothing may */
    const char *summary;
    const char *more;        /* a paragraph, lines of at most 80; NULL: none */
    const char *examples[6]; /* lines, NULL behind the last */
};

extern const struct fb_option fb_options_table[];
extern const size_t fb_options_table_len;
extern const struct fb_command_row fb_command_table[FB_COMMANDS];

#endif
