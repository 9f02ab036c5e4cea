/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_block.h"

#include <emmintrin.h>

#define STEP 16

static inline __m128i read_step(const char *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static inline uint64_t find_bytes(__m128i bytes, char c)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

static inline struct fb_scan_masks read_masks(const char *at)
{
    struct fb_scan_masks masks = {0};

    for (unsigned i = 0; i < FB_SCAN_BLOCK; i += STEP) {
        __m128i bytes = read_step(at + i);
        __m128i braces = _mm_or_si128(bytes, _mm_set1_epi8(0x20)); /* makes '{' of '[' */

        masks.quotes |= find_bytes(bytes, '"') << i;
        masks.backslashes |= find_bytes(bytes, '\\') << i;
        masks.opens |= find_bytes(braces, '{') << i;
        masks.closes |= find_bytes(braces, '}') << i;
    }
    return masks;
}

static inline uint64_t fill_between(uint64_t marks)
{
    for (unsigned i = 1; i < FB_SCAN_BLOCK; i *= 2)
        marks ^= marks << i;
    return marks;
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
