/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/yaml.h"

#include "fabricbind/own.h"
#include "yaml_scalar.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The JSON so far. What is added after memory ran out is dropped. */
struct buffer {
    char *at;
    size_t len, size;
    bool full;
};

static void buffer_fini(struct buffer *buffer)
{
    free(buffer->at);
}

static void add(struct buffer *buffer, const char *bytes, size_t len)
{
    if (buffer->full || len == 0)
        return;
    if (buffer->at == NULL || buffer->size - buffer->len < len) {
        size_t size = (buffer->len + len) * 2;
        char *at = realloc(buffer->at, size);

        if (at == NULL) {
            buffer->full = true;
            return;
        }
        buffer->at = at;
        buffer->size = size;
    }
    memcpy(buffer->at + buffer->len, bytes, len);
    buffer->len += len;
}

static void add_text(struct buffer *buffer, const char *text)
{
    add(buffer, text, strlen(text));
}

static bool is_safe(char letter)
{
    return (unsigned char)letter >= 0x20 && letter != '"' && letter != '\\';
}

static void add_string(struct buffer *buffer, const char *text)
{
    add(buffer, "\"", 1);
    while (*text != '\0') {
        size_t safe = 0;
        char escape[8];

        while (text[safe] != '\0' && is_safe(text[safe]))
            safe++;
        add(buffer, text, safe);
        text += safe;
        if (*text == '\0')
            break;
        (void)snprintf(escape, sizeof escape, "\\u%04x", (unsigned char)*text++);
        add_text(buffer, escape);
    }
    add(buffer, "\"", 1);
}

/* JSON wants digits on both sides of the point, no plus and no leading zeros. */
static void add_number(struct buffer *buffer, const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+' ? 1 : 0);
    size_t whole;

    if (*text == '-')
        add(buffer, "-", 1);
    digits += strspn(digits, "0");
    whole = strspn(digits, "0123456789");
    add(buffer, whole > 0 ? digits : "0", whole > 0 ? whole : 1);
    digits += whole;
    if (digits[0] == '.' && strspn(digits + 1, "0123456789") == 0)
        digits++;
    add_text(buffer, digits);
}

static bool is_not_finite(const char *text)
{
    static const char *const words[] = {".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                        "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i]) == 0)
            return true;
    }
    return false;
}

static enum fb_status add_plain(struct buffer *buffer, const struct fb_yaml *node,
                                struct fb_error *err)
{
    bool truth;
    bool negative;
    uint64_t size;
    char number[32];

    if (is_not_finite(node->text))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s is no number in JSON", node->line,
                            node->text);
    if (fb_yaml_scalar_bool(node->text, &truth)) {
        add_text(buffer, truth ? "true" : "false");
    } else if (fb_yaml_scalar_int(node->text, &negative, &size)) {
        (void)snprintf(number, sizeof number, "%s%" PRIu64, negative ? "-" : "", size);
        add_text(buffer, number);
    } else if (fb_yaml_scalar_is_number(node->text)) {
        add_number(buffer, node->text);
    } else {
        add_string(buffer, node->text);
    }
    return FB_OK;
}

/* fb_yaml_parse() bounds the depth, and with it the recursion. */
static enum fb_status add_node(struct buffer *buffer, const struct fb_yaml *node,
                               struct fb_error *err)
{
    bool map = node->type == FB_YAML_MAP;
    enum fb_status st = FB_OK;

    if (node->type == FB_YAML_SCALAR && !node->quoted)
        return add_plain(buffer, node, err);
    if (node->type == FB_YAML_SCALAR) {
        add_string(buffer, node->text);
        return FB_OK;
    }
    if (node->type == FB_YAML_NULL) {
        add_text(buffer, "null");
        return FB_OK;
    }
    add(buffer, map ? "{" : "[", 1);
    for (size_t i = 0; i < node->len && st == FB_OK; i++) {
        if (i > 0)
            add(buffer, ",", 1);
        if (map) {
            add_string(buffer, node->keys[i]);
            add(buffer, ":", 1);
        }
        st = add_node(buffer, &node->at[i], err);
    }
    add(buffer, map ? "}" : "]", 1);
    return st;
}

enum fb_status fb_yaml_json(struct fb_arena *arena, const struct fb_yaml *node, const char **ret,
                            size_t *ret_len, struct fb_error *err)
{
    FB_OWNED(buffer_fini) struct buffer buffer = {0};
    enum fb_status st = add_node(&buffer, node, err);
    char *text;

    if (st != FB_OK)
        return st;
    if (buffer.at == NULL || buffer.full)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    text = fb_arena_alloc(arena, buffer.len + 1);
    if (text == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    memcpy(text, buffer.at, buffer.len);
    text[buffer.len] = '\0';
    *ret = text;
    *ret_len = buffer.len;
    return FB_OK;
}
