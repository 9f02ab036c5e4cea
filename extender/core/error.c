/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text that did not fit ends in "..." instead of in the middle of a word. */
static void mark_cut(struct fb_error *err, int wanted)
{
    static const char mark[] = "...";

    if (wanted < 0 || (size_t)wanted >= sizeof err->text)
        memcpy(err->text + sizeof err->text - sizeof mark, mark, sizeof mark);
}

/* What was sent is quoted: it must neither break the line nor steer a terminal. */
static void make_plain(struct fb_error *err)
{
    for (char *at = err->text; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == '\x7f')
            *at = '?';
    }
}

enum fb_status fb_error_set(struct fb_error *err, enum fb_status status, const char *fmt, ...)
{
    va_list args;

    if (err == NULL)
        return status;
    err->status = status;
    va_start(args, fmt);
    mark_cut(err, vsnprintf(err->text, sizeof err->text, fmt, args));
    va_end(args);
    make_plain(err);
    return status;
}

enum fb_status fb_error_prefix(struct fb_error *err, enum fb_status status, const char *fmt, ...)
{
    char inner[sizeof err->text];
    char outer[sizeof err->text];
    va_list args;

    if (err == NULL)
        return status;
    memcpy(inner, err->text, sizeof inner);
    va_start(args, fmt);
    (void)vsnprintf(outer, sizeof outer, fmt, args);
    va_end(args);
    mark_cut(err, snprintf(err->text, sizeof err->text, "%s: %s", outer, inner));
    make_plain(err);
    return status;
}
