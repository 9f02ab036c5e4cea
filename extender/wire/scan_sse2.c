/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_block.h"

#include <emmintrin.h>

#define STEP 16

HOT __m128i read_step(const char *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

HOT uint64_t find_bytes(__m128i bytes, char c)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

struct block {
    __m128i a, b, c, d;
};

HOT uint64_t find_all(struct block block, char c)
{
    return find_bytes(block.a, c) | find_bytes(block.b, c) << STEP |
           find_bytes(block.c, c) << 2 * STEP | find_bytes(block.d, c) << 3 * STEP;
}

/* Without a loop: compilers leave one of four rounds as it is. */
HOT struct fb_scan_masks read_masks(const char *at)
{
    __m128i space = _mm_set1_epi8(0x20);
    struct block bytes = {read_step(at), read_step(at + 16), read_step(at + 32),
                          read_step(at + 48)};
    struct block braces = {_mm_or_si128(bytes.a, space), _mm_or_si128(bytes.b, space),
                           _mm_or_si128(bytes.c, space), _mm_or_si128(bytes.d, space)};

    /* With the bit of the space '[' is '{'. */
    return (struct fb_scan_masks){
        .quotes = find_all(bytes, '"'),
        .backslashes = find_all(bytes, '\\'),
        .opens = find_all(braces, '{'),
        .closes = find_all(braces, '}'),
    };
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

static size_t skip_sse2(struct fb_scan_skip *skip, const char *at, size_t len)
{
    return skip_all(skip, at, len);
}

static const char *run_sse2(const char *at, const char *end)
{
    while (end - at >= STEP) {
        __m128i bytes = read_step(at);
        __m128i control = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)); /* and what is not ASCII */
        uint64_t ends =
            (unsigned)_mm_movemask_epi8(control) | find_bytes(bytes, '"') | find_bytes(bytes, '\\');

        if (ends != 0)
            return at + first_bit(ends);
        at += STEP;
    }
    return run_rest(at, end);
}

const struct fb_scan_kernel fb_scan_sse2 = {"sse2", skip_sse2, run_sse2};
