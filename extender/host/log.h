/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_LOG_H
#define FB_HOST_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The log: one line a message, each by one write, so lines of many threads do not mix.
 *
 * As JSON {"time":"2026-01-31T12:00:00.123Z","level":"info","message":"...",fields}, or as logfmt
 * with the same keys. Control characters are escaped as in JSON strings, bytes that are no UTF-8
 * stand as \ufffd. A value is cut at 1 KiB, with "..." at its end; fields that would make a line
 * longer than 8 KiB are left out and "cut" says so.
 */

enum fb_log_level { FB_LOG_DEBUG, FB_LOG_INFO, FB_LOG_WARNING, FB_LOG_ERROR };

/** One field. Use the macros below. */
struct fb_log_field {
    const char *key;  /* a word in lower case */
    const char *text; /* NULL is written as "" */
    int64_t number;
    bool is_number;
};

#define FB_LOG_TEXT(key, value)                                                                    \
    {                                                                                              \
        (key), (value), 0, false                                                                   \
    }
#define FB_LOG_INT(key, value)                                                                     \
    {                                                                                              \
        (key), NULL, (value), true                                                                 \
    }

/** Before any of this: level info, JSON, to standard error. May be called at any time. */
void fb_log_setup(int fd, enum fb_log_level least, bool json);

/** Is what has this level written? For messages that are dear to make. */
bool fb_log_wants(enum fb_log_level level);

/** Write a line. @fields has @len elements, NULL when there are none. What cannot be written is
 * lost. Safe for many threads; allocates nothing; leaves errno alone. */
void fb_log(enum fb_log_level level, const char *message, const struct fb_log_field *fields,
            size_t len);

/** The level that @name is: "debug", "info", "warning", "error"; false when it is none. */
bool fb_log_level_find(const char *name, enum fb_log_level *ret);

#endif
