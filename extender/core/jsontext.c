/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/jsontext.h"

#include <stdio.h>
#include <string.h>

void fb_jsontext_bytes(struct fb_jsontext *text, const char *bytes, size_t len)
{
    if (text->failed)
        return;
    if (text->size - text->len <= len) {
        size_t size = (text->len + len + 1) * 2;
        char *grown = fb_arena_alloc(text->arena, size);

        if (grown == NULL) {
            text->failed = true;
            return;
        }
        if (text->len > 0)
            memcpy(grown, text->at, text->len);
        text->at = grown;
        text->size = size;
    }
    memcpy(text->at + text->len, bytes, len);
    text->len += len;
    text->at[text->len] = '\0';
}

void fb_jsontext_raw(struct fb_jsontext *text, const char *raw)
{
    fb_jsontext_bytes(text, raw, strlen(raw));
}

static void escape(struct fb_jsontext *text, char c)
{
    char escaped[8];

    if (c == '"' || c == '\\')
        (void)snprintf(escaped, sizeof escaped, "\\%c", c);
    else if (c == '\n')
        (void)snprintf(escaped, sizeof escaped, "\\n");
    else
        (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)c);
    fb_jsontext_raw(text, escaped);
}

void fb_jsontext_string(struct fb_jsontext *text, const char *value)
{
    fb_jsontext_bytes(text, "\"", 1);
    for (const char *at = value; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ')
            escape(text, *at);
        else
            fb_jsontext_bytes(text, at, 1);
    }
    fb_jsontext_bytes(text, "\"", 1);
}

void fb_jsontext_int(struct fb_jsontext *text, int64_t value)
{
    char digits[24];

    (void)snprintf(digits, sizeof digits, "%lld", (long long)value);
    fb_jsontext_raw(text, digits);
}

void fb_jsontext_pointer(struct fb_jsontext *text, const char *key)
{
    fb_jsontext_bytes(text, "/", 1);
    for (const char *at = key; *at != '\0'; at++) {
        if (*at == '~')
            fb_jsontext_bytes(text, "~0", 2);
        else if (*at == '/')
            fb_jsontext_bytes(text, "~1", 2);
        else
            fb_jsontext_bytes(text, at, 1);
    }
}

const char *fb_jsontext_done(struct fb_jsontext *text)
{
    fb_jsontext_bytes(text, "", 0);
    return text->failed ? NULL : text->at;
}
