/* SPDX-License-Identifier: Apache-2.0 */
#include "exposition.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MOST 128
#define LINE_MOST 2048

/* Where the reader is. */
struct reader {
    const char *text;            /* all of it */
    const char *line;            /* the current one */
    size_t number;               /* its number */
    char family[NAME_MOST];      /* "": none yet */
    char kind[NAME_MOST];        /* of the family */
    char name[NAME_MOST];        /* of the sample */
    char labels[LINE_MOST];      /* of the sample, without le */
    char le[NAME_MOST];          /* "": none */
    char last_labels[LINE_MOST]; /* of the last bucket */
    double last, bound;          /* value and bound of the last bucket; bound < 0: none */
    double inf;                  /* the count of the last +Inf; < 0: none */
};

/* Takes a name at *at; false when there is none. */
static bool take_name(const char **at, char *ret)
{
    size_t len = 0;

    if (!isalpha((unsigned char)**at) && **at != '_')
        return false;
    while (isalnum((unsigned char)(*at)[len]) || (*at)[len] == '_' || (*at)[len] == ':')
        len++;
    if (len >= NAME_MOST)
        return false;
    memcpy(ret, *at, len);
    ret[len] = '\0';
    *at += len;
    return true;
}

/* Takes a quoted value at *at with its escapes. */
static bool take_quoted(const char **at, char *ret, size_t size)
{
    size_t len = 0;

    if (*(*at)++ != '"')
        return false;
    for (; **at != '"'; (*at)++) {
        if (**at == '\0' || **at == '\n' || len + 3 >= size)
            return false;
        ret[len++] = **at;
        if (**at == '\\') {
            (*at)++;
            if (strchr("\\\"n", **at) == NULL)
                return false;
            ret[len++] = **at;
        }
    }
    (*at)++;
    ret[len] = '\0';
    return true;
}

static bool take_labels(struct reader *reader, const char **at)
{
    size_t len = 0;

    reader->labels[0] = '\0';
    reader->le[0] = '\0';
    if (**at != '{')
        return true;
    do {
        char name[NAME_MOST];
        char value[LINE_MOST];

        (*at)++;
        if (!take_name(at, name) || *(*at)++ != '=' || !take_quoted(at, value, sizeof value))
            return false;
        if (strcmp(name, "le") == 0)
            (void)snprintf(reader->le, sizeof reader->le, "%.100s", value);
        else
            len += (size_t)snprintf(reader->labels + len, sizeof reader->labels - len, "%s=%s,",
                                    name, value);
        if (len >= sizeof reader->labels)
            return false;
    } while (**at == ',');
    return *(*at)++ == '}';
}

static const char *check_type(struct reader *reader)
{
    static const char *const kinds[] = {"counter", "gauge", "histogram"};
    const char *at = reader->line + strlen("# TYPE ");
    char name[NAME_MOST];
    char again[NAME_MOST + 16];

    if (!take_name(&at, name) || *at++ != ' ')
        return "name";
    if (!take_name(&at, reader->kind) || *at != '\n')
        return "kind";
    (void)snprintf(again, sizeof again, "# TYPE %s ", name);
    if (strstr(reader->text, again) != reader->line)
        return "a second TYPE";
    (void)snprintf(reader->family, sizeof reader->family, "%s", name);
    reader->bound = -1.0;
    reader->inf = -1.0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i], reader->kind) == 0)
            return NULL;
    }
    return "kind";
}

static const char *check_bucket(struct reader *reader, double value)
{
    double bound = strcmp(reader->le, "+Inf") == 0 ? 1e300 : strtod(reader->le, NULL);
    bool first = reader->bound < 0.0 || strcmp(reader->last_labels, reader->labels) != 0;

    if (reader->le[0] == '\0')
        return "no le";
    if (!first && (bound <= reader->bound || value < reader->last))
        return "buckets fall";
    (void)snprintf(reader->last_labels, sizeof reader->last_labels, "%s", reader->labels);
    reader->last = value;
    reader->bound = bound;
    reader->inf = bound >= 1e300 ? value : -1.0;
    return NULL;
}

static const char *check_histogram(struct reader *reader, double value)
{
    const char *suffix = reader->name + strlen(reader->family);

    if (strcmp(suffix, "_bucket") == 0)
        return check_bucket(reader, value);
    if (reader->inf < 0.0 || strcmp(reader->labels, reader->last_labels) != 0)
        return "no +Inf before it";
    if (strcmp(suffix, "_sum") == 0)
        return NULL;
    if (strcmp(suffix, "_count") != 0)
        return "no TYPE before it";
    if (value != reader->inf)
        return "count is not that of +Inf";
    reader->bound = -1.0;
    return NULL;
}

/* Does what stands before the value stand in an earlier line, too? */
static bool stands_before(const struct reader *reader, size_t len)
{
    const char *at = reader->text;

    while (at < reader->line) {
        if (memcmp(at, reader->line, len) == 0)
            return true;
        at = memchr(at, '\n', (size_t)(reader->line - at));
        at++;
    }
    return false;
}

static const char *check_sample(struct reader *reader)
{
    const char *at = reader->line;
    bool histogram = strcmp(reader->kind, "histogram") == 0;
    size_t len = strlen(reader->family);
    double value;
    char *end;

    if (!take_name(&at, reader->name))
        return "name";
    if (len == 0 || strncmp(reader->name, reader->family, len) != 0 ||
        (!histogram && reader->name[len] != '\0'))
        return "no TYPE before it";
    if (!take_labels(reader, &at) || *at != ' ')
        return "labels";
    value = strtod(at + 1, &end);
    if (end == at + 1 || at[1] == ' ' || *end != '\n')
        return "value";
    if (stands_before(reader, (size_t)(at - reader->line) + 1))
        return "a second time";
    if (strcmp(reader->kind, "counter") == 0 && !(value >= 0.0))
        return "a counter below 0";
    return histogram ? check_histogram(reader, value) : NULL;
}

static const char *check_line(struct reader *reader)
{
    if (strchr(reader->line, '\n') == NULL)
        return "does not end";
    if (reader->line[0] == '\n')
        return "empty";
    if (strncmp(reader->line, "# TYPE ", 7) == 0)
        return check_type(reader);
    if (strncmp(reader->line, "# HELP ", 7) == 0)
        return NULL;
    return check_sample(reader);
}

bool exposition_check(const char *text, char *fault, size_t size)
{
    struct reader reader = {.text = text, .bound = -1.0, .inf = -1.0};

    for (reader.line = text; *reader.line != '\0'; reader.line = strchr(reader.line, '\n') + 1) {
        const char *what;

        reader.number++;
        what = check_line(&reader);
        if (what == NULL)
            continue;
        (void)snprintf(fault, size, "line %zu: %s", reader.number, what);
        return false;
    }
    return true;
}
