/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_scalar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longest integer that is looked at: 64 binary digits with some underscores. */
#define INT_BYTES 128

bool fb_yaml_scalar_bool(const char *text, bool *ret)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {
        {"true", true}, {"True", true},   {"TRUE", true},   {"yes", true},    {"Yes", true},
        {"YES", true},  {"on", true},     {"On", true},     {"ON", true},     {"y", true},
        {"Y", true},    {"false", false}, {"False", false}, {"FALSE", false}, {"no", false},
        {"No", false},  {"NO", false},    {"off", false},   {"Off", false},   {"OFF", false},
        {"n", false},   {"N", false},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i].word) == 0) {
            *ret = words[i].value;
            return true;
        }
    }
    return false;
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

static const char *skip_sign(const char *text)
{
    return text + (*text == '-' || *text == '+' ? 1 : 0);
}

bool fb_yaml_scalar_is_number(const char *text)
{
    size_t before;
    size_t after = 0;

    text = skip_sign(text);
    before = digits(text);
    text += before;
    if (*text == '.') {
        after = digits(++text);
        text += after;
    }
    if (before + after == 0)
        return false;
    if (*text == 'e' || *text == 'E') {
        text = skip_sign(text + 1);
        if (digits(text) == 0)
            return false;
        text += digits(text);
    }
    return *text == '\0';
}

/* Copies @text without underscores, which may stand anywhere behind the first digit. */
static bool strip(const char *text, char ret[INT_BYTES])
{
    size_t len = 0;

    for (; *text != '\0'; text++) {
        if (*text == '_')
            continue;
        if (len == INT_BYTES - 1)
            return false;
        ret[len++] = *text;
    }
    ret[len] = '\0';
    return true;
}

/* The base that a prefix of @text tells; *ret is what follows it. */
static int base_of(const char *text, const char **ret)
{
    static const struct {
        char letters[3];
        int base;
    } prefixes[] = {{"xX", 16}, {"oO", 8}, {"bB", 2}};

    *ret = text;
    if (text[0] != '0' || text[1] == '\0')
        return 10;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (text[1] == prefixes[i].letters[0] || text[1] == prefixes[i].letters[1]) {
            *ret = text + 2;
            return prefixes[i].base;
        }
    }
    *ret = text + 1;
    return 8;
}

bool fb_yaml_scalar_int(const char *text, bool *ret_negative, uint64_t *ret)
{
    static const char letters[] = "0123456789abcdefABCDEF";
    char plain[INT_BYTES];
    const char *start;
    char *end;
    unsigned long long value;
    bool negative = *text == '-';
    int base;

    if (digits(skip_sign(text)) == 0 || !strip(skip_sign(text), plain))
        return false;
    base = base_of(plain, &start);
    if (*start == '\0' || strspn(start, letters) != strlen(start))
        return false;
    errno = 0;
    value = strtoull(start, &end, base);
    if (*end != '\0' || errno == ERANGE || (negative && value > (uint64_t)INT64_MAX + 1))
        return false;
    *ret_negative = negative && value > 0;
    *ret = value;
    return true;
}
