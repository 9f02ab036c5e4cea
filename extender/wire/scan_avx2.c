/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_block.h"

#include <immintrin.h>

/* Built for CPUs with AVX2, PCLMUL, POPCNT and BMI; called on such only. */

#define STEP 32

HOT __m256i read_step(const char *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

HOT uint64_t find_bytes(__m256i bytes, char c)
{
    return (uint64_t)(unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c)));
}

HOT uint64_t find_both(__m256i low, __m256i high, char c)
{
    return find_bytes(low, c) | find_bytes(high, c) << STEP;
}

/* Without a loop: compilers leave one of two rounds as it is. */
HOT struct fb_scan_masks read_masks(const char *at)
{
    __m256i space = _mm256_set1_epi8(0x20);
    __m256i low = read_step(at), high = read_step(at + STEP);
    __m256i low_braces = _mm256_or_si256(low, space); /* makes '{' of '[' */
    __m256i high_braces = _mm256_or_si256(high, space);

    return (struct fb_scan_masks){
        .quotes = find_both(low, high, '"'),
        .backslashes = find_both(low, high, '\\'),
        .opens = find_both(low_braces, high_braces, '{'),
        .closes = find_both(low_braces, high_braces, '}'),
    };
}

/* A product without carries by all ones is the parity of the bits up to each. */
HOT uint64_t fill_between(uint64_t marks)
{
    __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)marks), _mm_set1_epi8((char)0xFF), 0);

    return (uint64_t)_mm_cvtsi128_si64(product);
}

static size_t skip_avx2(struct fb_scan_skip *skip, const char *at, size_t len)
{
    return skip_all(skip, at, len);
}

static const char *run_avx2(const char *at, const char *end)
{
    while (end - at >= STEP) {
        __m256i bytes = read_step(at);
        __m256i control = _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), bytes); /* and non-ASCII */
        uint64_t ends = (unsigned)_mm256_movemask_epi8(control) | find_bytes(bytes, '"') |
                        find_bytes(bytes, '\\');

        if (ends != 0)
            return at + first_bit(ends);
        at += STEP;
    }
    return run_rest(at, end);
}

const struct fb_scan_kernel fb_scan_avx2 = {"avx2", skip_avx2, run_avx2};
