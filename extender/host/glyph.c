/* SPDX-License-Identifier: Apache-2.0 */
#include "glyph.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the sequence that @lead begins; 0 when it begins none. */
static size_t sequence(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/* The code point of @len bytes; UINT32_MAX when they are none. NUL ends it as any other fault. */
static uint32_t decode(const char *text, size_t len)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t point = (unsigned char)text[0];

    if (len > 1)
        point &= 0x7fU >> len;
    for (size_t i = 1; i < len; i++) {
        unsigned char byte = (unsigned char)text[i];

        if ((byte & 0xc0) != 0x80)
            return UINT32_MAX;
        point = point << 6 | (byte & 0x3fU);
    }
    if (point < least[len] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return UINT32_MAX;
    return point;
}

/* Control characters of ASCII and Latin-1, and those that turn the direction of writing. */
static bool is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
           (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

struct fb_glyph fb_glyph_get(const char *text)
{
    struct fb_glyph glyph = {.bytes = "?", .len = 1, .taken = 1};
    size_t len = sequence((unsigned char)text[0]);
    uint32_t point = len == 0 ? UINT32_MAX : decode(text, len);

    if (point == UINT32_MAX)
        return glyph;
    glyph.taken = len;
    if (is_control(point))
        return glyph;
    glyph.bytes = text;
    glyph.len = len;
    return glyph;
}

size_t fb_glyph_count(const char *text, size_t most)
{
    size_t count = 0;

    while (*text != '\0' && count < most) {
        text += fb_glyph_get(text).taken;
        count++;
    }
    return count;
}

const char *fb_glyph_skip(const char *text, size_t count)
{
    for (; *text != '\0' && count > 0; count--)
        text += fb_glyph_get(text).taken;
    return text;
}
