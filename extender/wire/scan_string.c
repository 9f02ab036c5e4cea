/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_state.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @room has FB_SCAN_TEXT_FIRST zeros, and stays its owner's. */
void fb_scan_text_init(struct fb_scan_text *text, char *room)
{
    *text = (struct fb_scan_text){.at = room, .size = FB_SCAN_TEXT_FIRST};
}

static bool is_owned(const struct fb_scan_text *text)
{
    return text->size > FB_SCAN_TEXT_FIRST;
}

void fb_scan_text_fini(struct fb_scan_text *text)
{
    if (is_owned(text))
        free(text->at);
}

static bool make_room(struct fb_scan_text *text, size_t len)
{
    size_t size = text->size;
    char *at;

    if (len < text->size - text->len) /* the NUL needs one more */
        return true;
    while (size - text->len <= len)
        size *= 2;
    at = realloc(is_owned(text) ? text->at : NULL, size);
    if (at == NULL)
        return false;
    if (!is_owned(text))
        memcpy(at, text->at, text->len);
    text->at = at;
    text->size = size;
    return true;
}

bool fb_scan_text_add(struct fb_scan_text *text, const char *bytes, size_t len)
{
    if (!make_room(text, len))
        return false;
    memcpy(text->at + text->len, bytes, len);
    text->len += len;
    text->at[text->len] = '\0';
    return true;
}

void fb_scan_text_clear(struct fb_scan_text *text)
{
    text->len = 0;
    text->at[0] = '\0';
}

enum fb_status fb_scan_put(struct fb_scan *scan, struct fb_scan_text *into, const char *bytes,
                           size_t len)
{
    into->len = 0;
    if (fb_scan_text_add(into, bytes, len))
        return FB_OK;
    return fb_scan_fail(scan, scan->offset, FB_ENOMEM, "out of memory");
}

static bool begin_utf8(struct fb_scan_utf8 *utf8, unsigned char c)
{
    if (c < 0x80)
        return true;
    if (c < 0xC2 || c > 0xF4)
        return false;
    utf8->left = (unsigned char)(1 + (c >= 0xE0) + (c >= 0xF0));
    utf8->low = 0x80;
    utf8->high = 0xBF;
    if (c == 0xE0)
        utf8->low = 0xA0; /* below: fits two bytes */
    else if (c == 0xED)
        utf8->high = 0x9F; /* above: surrogates */
    else if (c == 0xF0)
        utf8->low = 0x90; /* below: fits three bytes */
    else if (c == 0xF4)
        utf8->high = 0x8F; /* above: over U+10FFFF */
    return true;
}

static bool add_utf8(struct fb_scan_utf8 *utf8, unsigned char c)
{
    if (utf8->left == 0)
        return begin_utf8(utf8, c);
    if (c < utf8->low || c > utf8->high)
        return false;
    utf8->left--;
    utf8->low = 0x80;
    utf8->high = 0xBF;
    return true;
}

/* The first of @len bytes that is no UTF-8 after what came before; @len when none. */
static size_t find_bad_utf8(struct fb_scan_utf8 *utf8, const char *bytes, size_t len)
{
    size_t i = 0;

    while (i < len && add_utf8(utf8, (unsigned char)bytes[i]))
        i++;
    return i;
}

void fb_scan_begin_string(struct fb_scan *scan, struct fb_scan_text *into)
{
    scan->state = FB_SCAN_IN_STRING;
    scan->into = into;
    scan->bytes = 0;
    scan->utf8.left = 0;
    scan->high = 0;
    if (into != NULL)
        fb_scan_text_clear(into);
}

static enum fb_status fail_string(struct fb_scan *scan, size_t offset, const char *text)
{
    return fb_scan_fail(scan, offset, FB_EINPUT, text);
}

static enum fb_status keep(struct fb_scan *scan, const char *bytes, size_t len)
{
    scan->bytes += len;
    if (scan->into == NULL || fb_scan_text_add(scan->into, bytes, len))
        return FB_OK;
    return fb_scan_fail(scan, scan->offset, FB_ENOMEM, "out of memory");
}

static enum fb_status fail_too_long(struct fb_scan *scan, size_t offset)
{
    return fb_scan_fail_limit(scan, offset, scan->in_key ? "key" : "string",
                              scan->limits.string_bytes, "bytes");
}

/* Take the bytes from scan->at to @to, none of which ends the string or escapes. */
static enum fb_status take_run(struct fb_scan *scan, const char *to)
{
    const char *from = scan->at;
    size_t room = scan->limits.string_bytes - scan->bytes;
    size_t len = (size_t)(to - from);
    size_t fits = len < room ? len : room;

    if (scan->into != NULL) {
        size_t good = find_bad_utf8(&scan->utf8, from, fits);

        if (good < fits)
            return fail_string(scan, fb_scan_offset(scan, from + good), "not UTF-8");
    }
    if (len > room)
        return fail_too_long(scan, fb_scan_offset(scan, from + room));
    scan->at = to;
    return keep(scan, from, len);
}

#define ONES (UINT64_MAX / 0xFF)
#define HIGHS (ONES * 0x80)

/* Not 0 when one of the eight bytes is below @least, which is at most 0x80. */
static uint64_t has_below(uint64_t word, uint64_t least)
{
    return (word - ONES * least) & ~word & HIGHS;
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

/* The first byte that ends a run of plain characters. Strings are most of what is skipped. */
static const char *find_run_end(const char *at, const char *end)
{
    while (end - at >= (ptrdiff_t)sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, at, sizeof word);
        if ((has_below(word, 0x20) | has_below(word ^ ONES * '"', 1) |
             has_below(word ^ ONES * '\\', 1)) != 0)
            break;
        at += sizeof word;
    }
    while (at < end && is_plain((unsigned char)*at))
        at++;
    return at;
}

static enum fb_status end_string(struct fb_scan *scan)
{
    return scan->in_key ? fb_scan_end_key(scan) : fb_scan_deliver(scan, FB_SCAN_STRING);
}

enum fb_status fb_scan_step_string(struct fb_scan *scan)
{
    const char *at = find_run_end(scan->at, scan->end);
    enum fb_status st = take_run(scan, at);

    if (st != FB_OK || at == scan->end)
        return st;
    if (scan->utf8.left != 0)
        return fail_string(scan, fb_scan_offset(scan, at), "not UTF-8");
    scan->at = at + 1;
    if (*at == '"')
        return end_string(scan);
    if (*at != '\\')
        return fail_string(scan, fb_scan_offset(scan, at), "control character in a string");
    scan->escape = fb_scan_offset(scan, at);
    scan->state = FB_SCAN_IN_ESCAPE;
    return FB_OK;
}

static enum fb_status take_escaped(struct fb_scan *scan, const char *bytes, size_t len)
{
    if (len > scan->limits.string_bytes - scan->bytes)
        return fail_too_long(scan, scan->escape);
    scan->state = FB_SCAN_IN_STRING;
    return keep(scan, bytes, len);
}

enum fb_status fb_scan_step_escape(struct fb_scan *scan)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char *at = scan->at++;
    const char *name;

    if (*at == 'u') {
        scan->state = FB_SCAN_IN_HEX;
        scan->code = 0;
        scan->digits = 0;
        return FB_OK;
    }
    name = memchr(names, *at, sizeof names - 1);
    if (name == NULL)
        return fail_string(scan, fb_scan_offset(scan, at), "unknown escape in a string");
    return take_escaped(scan, &meant[name - names], 1);
}

/* @ret has room for 4; returns how many bytes @code takes. */
static size_t encode_utf8(unsigned code, char *ret)
{
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t len = 1 + (size_t)(code >= 0x80) + (size_t)(code >= 0x800) + (size_t)(code >= 0x10000);

    for (size_t i = len; i-- > 1; code >>= 6)
        ret[i] = (char)(0x80 | (code & 0x3F));
    ret[0] = (char)(lead[len] | code);
    return len;
}

static enum fb_status end_escape(struct fb_scan *scan)
{
    unsigned code = scan->code;
    bool is_low = code >= 0xDC00 && code <= 0xDFFF;
    char bytes[4];

    if (is_low != (scan->high != 0))
        return fail_string(scan, scan->escape, "lone surrogate in a string");
    if (code >= 0xD800 && code <= 0xDBFF) {
        scan->high = code;
        scan->state = FB_SCAN_AT_LOW;
        return FB_OK;
    }
    if (code == 0)
        return fail_string(scan, scan->escape, "\\u0000 in a string");
    if (is_low)
        code = 0x10000 + ((scan->high - 0xD800) << 10) + (code - 0xDC00);
    scan->high = 0;
    return take_escaped(scan, bytes, encode_utf8(code, bytes));
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

enum fb_status fb_scan_step_hex(struct fb_scan *scan)
{
    const char *at = scan->at++;
    int value = hex_value(*at);

    if (value < 0)
        return fail_string(scan, fb_scan_offset(scan, at), "hexadecimal digit expected");
    scan->code = scan->code << 4 | (unsigned)value;
    return ++scan->digits == 4 ? end_escape(scan) : FB_OK;
}

/* Behind a high surrogate: the '\' and the 'u' of the low one. */
enum fb_status fb_scan_step_low(struct fb_scan *scan)
{
    bool at_u = scan->state == FB_SCAN_AT_LOW_U;

    if (*scan->at++ != (at_u ? 'u' : '\\'))
        return fail_string(scan, scan->escape, "lone surrogate in a string");
    scan->state = at_u ? FB_SCAN_IN_HEX : FB_SCAN_AT_LOW_U;
    scan->code = 0;
    scan->digits = 0;
    return FB_OK;
}
