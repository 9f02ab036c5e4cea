/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_block.h"

#include <arm_neon.h>

#define STEP 16

HOT uint8x16_t read_step(const char *at)
{
    return vld1q_u8((const uint8_t *)at);
}

/* A bit a byte of four vectors whose bytes are all ones or 0. */
HOT uint64_t gather(const uint8x16_t found[4])
{
    static const uint8_t places[STEP] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits = vld1q_u8(places);
    uint8x16_t low = vpaddq_u8(vandq_u8(found[0], bits), vandq_u8(found[1], bits));
    uint8x16_t high = vpaddq_u8(vandq_u8(found[2], bits), vandq_u8(found[3], bits));
    uint8x16_t sums = vpaddq_u8(low, high);

    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

HOT uint64_t find_bytes(const uint8x16_t bytes[4], uint8_t c)
{
    uint8x16_t found[4];

    for (size_t i = 0; i < 4; i++)
        found[i] = vceqq_u8(bytes[i], vdupq_n_u8(c));
    return gather(found);
}

HOT struct fb_scan_masks read_masks(const char *at)
{
    struct fb_scan_masks masks;
    uint8x16_t bytes[4], braces[4];

    for (size_t i = 0; i < 4; i++) {
        bytes[i] = read_step(at + i * STEP);
        braces[i] = vorrq_u8(bytes[i], vdupq_n_u8(0x20)); /* makes '{' of '[' */
    }
    masks.quotes = find_bytes(bytes, '"');
    masks.backslashes = find_bytes(bytes, '\\');
    masks.opens = find_bytes(braces, '{');
    masks.closes = find_bytes(braces, '}');
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

static size_t skip_neon(struct fb_scan_skip *skip, const char *at, size_t len)
{
    return skip_all(skip, at, len);
}

static const char *run_neon(const char *at, const char *end)
{
    while (end - at >= STEP) {
        uint8x16_t bytes = read_step(at);
        uint8x16_t ends =
            vorrq_u8(vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0x20)),
                     vorrq_u8(vceqq_u8(bytes, vdupq_n_u8('"')), vceqq_u8(bytes, vdupq_n_u8('\\'))));

        if (vmaxvq_u8(ends) != 0)
            break;
        at += STEP;
    }
    return run_rest(at, end);
}

const struct fb_scan_kernel fb_scan_neon = {"neon", skip_neon, run_neon};
