/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WIRE_SCAN_BLOCK_H
#define FB_WIRE_SCAN_BLOCK_H

#include "scan_kernel.h"

#include <string.h>

/**
 * Skipping in blocks of 64 bytes, a bit a byte. Included by each kernel, which defines
 * read_masks() and fill_between(); so the compiler makes one loop of it all.
 */

#define FB_SCAN_BLOCK 64

/* One loop, its state in registers, is twice as fast as one with a call in it. */
#define HOT static inline __attribute__((always_inline))

/** Where in a block which bytes are; the lowest bit is the first byte. */
struct fb_scan_masks {
    uint64_t quotes, backslashes;
    uint64_t opens, closes; /* braces and brackets alike */
};

HOT struct fb_scan_masks read_masks(const char *at);

/* From every odd bit of @marks, itself included, to the next one, that not included. */
HOT uint64_t fill_between(uint64_t marks);

/* Compilers make a call of the builtin where there is no instruction for it. */
HOT size_t count_bits(uint64_t bits)
{
#if defined(__POPCNT__) || defined(__aarch64__)
    return (size_t)__builtin_popcountll(bits);
#else
    bits -= bits >> 1 & UINT64_MAX / 3;
    bits = (bits & UINT64_MAX / 5) + (bits >> 2 & UINT64_MAX / 5);
    bits = (bits + (bits >> 4)) & UINT64_MAX / 17;
    return (size_t)(bits * (UINT64_MAX / 255) >> 56);
#endif
}

/* @bits is not 0. */
HOT size_t first_bit(uint64_t bits)
{
    return (size_t)__builtin_ctzll(bits);
}

/*
 * The bytes behind an odd run of backslashes. Adding a run's first bit to the run carries into the
 * bit behind it; whether that is at an even or an odd place tells the parity of its length.
 */
HOT uint64_t find_escaped(uint64_t backslashes, size_t len, uint64_t *is_escaped)
{
    const uint64_t even = UINT64_MAX / 3;
    uint64_t before = *is_escaped;
    uint64_t follows, odd_starts, sum, escaped;
    bool carry;

    if (backslashes == 0) {
        *is_escaped = 0;
        return before;
    }
    backslashes &= ~before;
    follows = backslashes << 1 | before;
    odd_starts = backslashes & ~even & ~follows;
    carry = __builtin_add_overflow(odd_starts, backslashes, &sum);
    escaped = (even ^ sum << 1) & follows;
    *is_escaped = len == FB_SCAN_BLOCK ? carry : escaped >> len & 1;
    return escaped;
}

/* Goes from bracket to bracket. Only for a block in which the nesting may become too deep. */
HOT size_t walk_brackets(struct fb_scan_skip *skip, uint64_t opens, uint64_t closes, size_t len)
{
    for (uint64_t bits = opens | closes; bits != 0; bits &= bits - 1) {
        bool is_open = (opens & bits & -bits) != 0;

        if (is_open && skip->level == skip->level_max)
            skip->stop = FB_SCAN_STOP_DEPTH;
        else if (!is_open && skip->level == 1)
            skip->stop = FB_SCAN_STOP_END;
        if (skip->stop != FB_SCAN_STOP_NONE)
            return first_bit(bits);
        skip->level += is_open ? 1 : SIZE_MAX;
    }
    return len;
}

/* The closing bracket with as many closing ones up to it as were open or opened before. */
HOT size_t find_end(struct fb_scan_skip *skip, uint64_t opens, uint64_t closes, size_t len)
{
    size_t closed = 1;

    for (uint64_t bits = closes; bits != 0; bits &= bits - 1, closed++) {
        uint64_t before = (bits & -bits) - 1;

        if (closed >= skip->level && skip->level + count_bits(opens & before) == closed) {
            skip->stop = FB_SCAN_STOP_END;
            return first_bit(bits);
        }
    }
    skip->level += count_bits(opens) - (closed - 1);
    return len;
}

HOT size_t follow_brackets(struct fb_scan_skip *skip, uint64_t opens, uint64_t closes, size_t len)
{
    size_t opened = count_bits(opens);
    size_t closed = count_bits(closes);

    if (opened > skip->level_max - skip->level)
        return walk_brackets(skip, opens, closes, len);
    if (closed >= skip->level)
        return find_end(skip, opens, closes, len);
    skip->level += opened - closed;
    return len;
}

/* Where the string that the block begins in is too long; else @len. */
HOT size_t find_long_string(struct fb_scan_skip *skip, uint64_t quotes, size_t len)
{
    size_t since = skip->since_quote;
    size_t first;

    skip->since_quote = since + len;
    if (quotes != 0)
        skip->since_quote = len + (size_t)__builtin_clzll(quotes) - FB_SCAN_BLOCK;
    if (since + len <= skip->string_max || skip->in_string == 0)
        return len;
    first = quotes != 0 ? first_bit(quotes) : len;
    if (since + first <= skip->string_max)
        return len;
    skip->stop = FB_SCAN_STOP_STRING;
    return skip->string_max - since;
}

/* The first @len of the 64 bytes at @at count; the others are spaces. */
HOT size_t skip_block(struct fb_scan_skip *skip, const char *at, size_t len)
{
    struct fb_scan_masks masks = read_masks(at);
    uint64_t quotes = masks.quotes & ~find_escaped(masks.backslashes, len, &skip->is_escaped);
    uint64_t inside = fill_between(quotes) ^ skip->in_string;
    size_t taken = find_long_string(skip, quotes, len);

    skip->in_string = 0 - (inside >> (FB_SCAN_BLOCK - 1));
    if (skip->stop != FB_SCAN_STOP_NONE)
        return taken;
    return follow_brackets(skip, masks.opens & ~inside, masks.closes & ~inside, len);
}

HOT size_t skip_rest(struct fb_scan_skip *skip, const char *at, size_t len)
{
    char block[FB_SCAN_BLOCK];

    memset(block, ' ', sizeof block);
    memcpy(block, at, len);
    return skip_block(skip, block, len);
}

HOT size_t skip_all(struct fb_scan_skip *skip, const char *at, size_t len)
{
    struct fb_scan_skip now = *skip; /* so that it lives in registers */
    size_t taken = 0;

    while (len - taken >= FB_SCAN_BLOCK && now.stop == FB_SCAN_STOP_NONE)
        taken += skip_block(&now, at + taken, FB_SCAN_BLOCK);
    if (taken < len && now.stop == FB_SCAN_STOP_NONE)
        taken += skip_rest(&now, at + taken, len - taken);
    *skip = now;
    return taken;
}

HOT bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

HOT const char *run_rest(const char *at, const char *end)
{
    while (at < end && is_plain((unsigned char)*at))
        at++;
    return at;
}

#endif
