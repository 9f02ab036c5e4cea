/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include "glyph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VALUE_MOST ((size_t)1024) /* bytes of a value, before they are escaped */
#define LINE_SIZE ((size_t)8 * 1024)
#define RESERVE ((size_t)32) /* for what says that the line was cut, and its end */

static const char *const level_names[] = {
    [FB_LOG_DEBUG] = "debug",
    [FB_LOG_INFO] = "info",
    [FB_LOG_WARNING] = "warning",
    [FB_LOG_ERROR] = "error",
};

static atomic_int log_fd = STDERR_FILENO;
static atomic_int log_least = FB_LOG_INFO;
static atomic_bool log_json = true;

/* A line on its way out. */
struct line {
    bool json;
    bool full; /* something did not fit */
    size_t len, size;
    char at[LINE_SIZE];
};

void fb_log_setup(int fd, enum fb_log_level least, bool json)
{
    atomic_store(&log_fd, fd);
    atomic_store(&log_least, (int)least);
    atomic_store(&log_json, json);
}

bool fb_log_wants(enum fb_log_level level)
{
    return (int)level >= atomic_load(&log_least);
}

bool fb_log_level_find(const char *name, enum fb_log_level *ret)
{
    for (size_t i = 0; i < sizeof level_names / sizeof level_names[0]; i++) {
        if (strcmp(level_names[i], name) == 0) {
            *ret = (enum fb_log_level)i;
            return true;
        }
    }
    return false;
}

static void put(struct line *line, const char *bytes, size_t len)
{
    if (line->full || len > line->size - line->len) {
        line->full = true;
        return;
    }
    memcpy(line->at + line->len, bytes, len);
    line->len += len;
}

static void put_text(struct line *line, const char *text)
{
    put(line, text, strlen(text));
}

/* The code point of the @taken bytes of a control character, all of which are below 0x10000. */
static unsigned point_of(const unsigned char *text, size_t taken)
{
    if (taken == 1)
        return text[0] < 0x80 ? text[0] : 0xfffd;
    if (taken == 2)
        return (text[0] & 0x1fU) << 6 | (text[1] & 0x3fU);
    return (text[0] & 0x0fU) << 12 | (text[1] & 0x3fU) << 6 | (text[2] & 0x3fU);
}

/* Puts the first glyph of @text, as it may stand in a JSON string; returns the bytes taken. */
static size_t put_glyph(struct line *line, const char *text)
{
    struct fb_glyph glyph = fb_glyph_get(text);
    char escaped[8];

    if (text[0] == '"' || text[0] == '\\')
        (void)snprintf(escaped, sizeof escaped, "\\%c", text[0]);
    else if (glyph.bytes != text)
        (void)snprintf(escaped, sizeof escaped, "\\u%04x",
                       point_of((const unsigned char *)text, glyph.taken));
    else
        escaped[0] = '\0';
    if (escaped[0] != '\0')
        put_text(line, escaped);
    else
        put(line, glyph.bytes, glyph.len);
    return glyph.taken;
}

static void put_quoted(struct line *line, const char *text)
{
    put(line, "\"", 1);
    for (const char *at = text; *at != '\0';) {
        if ((size_t)(at - text) >= VALUE_MOST) {
            put_text(line, "...");
            break;
        }
        at += put_glyph(line, at);
    }
    put(line, "\"", 1);
}

/* May @text stand in logfmt without quotes? */
static bool is_plain(const char *text)
{
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text <= ' ' || *text > '~' || *text == '"' || *text == '\\' || *text == '=')
            return false;
    }
    return true;
}

static void put_key(struct line *line, const char *key)
{
    if (line->len > (line->json ? 1U : 0U))
        put(line, line->json ? "," : " ", 1);
    if (line->json) {
        put_quoted(line, key);
        put(line, ":", 1);
    } else {
        put_text(line, key);
        put(line, "=", 1);
    }
}

static void put_value(struct line *line, const char *text)
{
    if (!line->json && strlen(text) <= VALUE_MOST && is_plain(text))
        put_text(line, text);
    else
        put_quoted(line, text);
}

static void put_time(struct line *line)
{
    struct timespec now;
    struct tm parts;
    char text[64];
    size_t len;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &parts) == NULL)
        return;
    len = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    (void)snprintf(text + len, sizeof text - len, ".%03ldZ", now.tv_nsec / 1000000);
    put_key(line, "time");
    put_value(line, text);
}

/* A field goes in as a whole or not at all. */
static bool put_field(struct line *line, const struct fb_log_field *field)
{
    size_t before = line->len;
    char digits[24];

    put_key(line, field->key);
    if (field->is_number) {
        (void)snprintf(digits, sizeof digits, "%" PRId64, field->number);
        put_text(line, digits);
    } else {
        put_value(line, field->text == NULL ? "" : field->text);
    }
    if (!line->full)
        return true;
    line->full = false;
    line->len = before;
    return false;
}

static void put_end(struct line *line, bool cut)
{
    static const struct fb_log_field note = FB_LOG_INT("cut", 1);

    line->size = sizeof line->at;
    if (cut)
        (void)put_field(line, &note);
    put_text(line, line->json ? "}\n" : "\n");
}

static void write_out(const struct line *line)
{
    int fd = atomic_load(&log_fd);
    size_t at = 0;

    while (at < line->len) {
        ssize_t wrote = write(fd, line->at + at, line->len - at);

        if (wrote < 0 && errno != EINTR)
            return;
        if (wrote > 0)
            at += (size_t)wrote;
    }
}

void fb_log(enum fb_log_level level, const char *message, const struct fb_log_field *fields,
            size_t len)
{
    struct fb_log_field first[] = {FB_LOG_TEXT("level", level_names[level]),
                                   FB_LOG_TEXT("message", message)};
    struct line line;
    int kept = errno;
    bool cut = false;

    if (!fb_log_wants(level))
        return;
    line.json = atomic_load(&log_json);
    line.full = false;
    line.len = 0;
    line.size = sizeof line.at - RESERVE;
    if (line.json)
        put(&line, "{", 1);
    put_time(&line);
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        cut |= !put_field(&line, &first[i]);
    for (size_t i = 0; i < len; i++)
        cut |= !put_field(&line, &fields[i]);
    put_end(&line, cut);
    write_out(&line);
    errno = kept;
}
