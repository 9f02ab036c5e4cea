/* SPDX-License-Identifier: Apache-2.0 */
#include "extender_values.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The place behind the string that begins at @at. */
static size_t behind_string(const char *text, size_t at)
{
    at++;
    while (text[at] != '"') {
        assert_true(text[at] != '\0');
        at += text[at] == '\\' ? 2 : 1;
    }
    return at + 1;
}

static size_t find(struct extender_values *values, size_t at);

/* The place behind the object or array that begins at @at. */
static size_t behind_parts(struct extender_values *values, size_t at)
{
    const char *text = values->text;
    char end = text[at] == '{' ? '}' : ']';

    at++;
    while (text[at] != end) {
        if (end == '}') {
            at = behind_string(text, at);
            assert_int_equal(text[at], ':');
            at++;
        }
        at = find(values, at);
        if (text[at] == ',')
            at++;
    }
    return at + 1;
}

/* Take up the value that begins at @at, with those in it; returns the place behind it. */
static size_t find(struct extender_values *values, size_t at)
{
    const char *text = values->text;
    size_t end;

    if (text[at] == '{' || text[at] == '[')
        end = behind_parts(values, at);
    else if (text[at] == '"')
        end = behind_string(text, at);
    else
        end = at + strcspn(text + at, ",}]");
    assert_true(end > at);
    assert_true(values->len < VALUES_MOST);
    values->found[values->len].at = at;
    values->found[values->len++].len = end - at;
    return end;
}

void extender_values_find(const char *text, struct extender_values *ret)
{
    ret->text = text;
    ret->len = 0;
    assert_int_equal(find(ret, 0), strlen(text));
}

char *extender_values_put(const struct extender_values *values, size_t at, const char *value)
{
    size_t size = strlen(values->text) + strlen(value) + 1;
    size_t from = values->found[at].at;
    char *text = malloc(size);

    assert_non_null(text);
    (void)snprintf(text, size, "%.*s%s%s", (int)from, values->text, value,
                   values->text + from + values->found[at].len);
    return text;
}
