/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_block.h"

/* Eight bytes in one integer. */
#define ONES (UINT64_MAX / 0xFF)
#define LOWS (ONES * 0x7F)

/* The first byte is the lowest on every machine; compilers make one load of it. */
HOT uint64_t read_word(const char *at)
{
    uint64_t word = 0;

    for (size_t i = 0; i < sizeof word; i++)
        word |= (uint64_t)(unsigned char)at[i] << 8 * i;
    return word;
}

/* A bit a byte of @word that is @c. */
HOT uint64_t find_bytes(uint64_t word, unsigned char c)
{
    uint64_t zeros = word ^ ONES * c;

    zeros = ~(((zeros & LOWS) + LOWS) | zeros | LOWS) >> 7;
    return zeros * 0x0102040810204080U >> 56;
}

HOT struct fb_scan_masks read_masks(const char *at)
{
    struct fb_scan_masks masks = {0};

    for (unsigned i = 0; i < FB_SCAN_BLOCK; i += 8) {
        uint64_t word = read_word(at + i);
        uint64_t braces = word | ONES * 0x20; /* makes '{' of '[' */

        masks.quotes |= find_bytes(word, '"') << i;
        masks.backslashes |= find_bytes(word, '\\') << i;
        masks.opens |= find_bytes(braces, '{') << i;
        masks.closes |= find_bytes(braces, '}') << i;
    }
    return masks;
}

HOT uint64_t fill_between(uint64_t marks)
{
    marks ^= marks << 1;
    marks ^= marks << 2;
    marks ^= marks << 4;
    marks ^= marks << 8;
    marks ^= marks << 16;
    return marks ^ marks << 32;
}

static size_t skip_plain(struct fb_scan_skip *skip, const char *at, size_t len)
{
    return skip_all(skip, at, len);
}

static const char *run_plain(const char *at, const char *end)
{
    while (end - at >= 8) {
        uint64_t word = read_word(at);
        uint64_t below = word - ONES * 0x20; /* a high bit where a byte is below, or was high */

        if (((word | below) & ONES * 0x80) != 0 ||
            (find_bytes(word, '"') | find_bytes(word, '\\')) != 0)
            break;
        at += 8;
    }
    return run_rest(at, end);
}

const struct fb_scan_kernel fb_scan_plain = {"plain", skip_plain, run_plain};
