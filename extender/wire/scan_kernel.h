/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WIRE_SCAN_KERNEL_H
#define FB_WIRE_SCAN_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The two loops that see most bytes of a document, each written for several instruction sets. All
 * give the same answers for all bytes, however these are cut into pieces.
 */

enum fb_scan_stop {
    FB_SCAN_STOP_NONE,   /* all bytes are taken, the object or array goes on */
    FB_SCAN_STOP_END,    /* at the bracket that ends it */
    FB_SCAN_STOP_DEPTH,  /* at the bracket that opens one level too many */
    FB_SCAN_STOP_STRING, /* at the first byte of a string that is too long */
};

#define FB_SCAN_STRING_LEAST 64

/** An object or array that is being skipped; what a cut of the input must not lose. */
struct fb_scan_skip {
    size_t level, level_max; /* open objects and arrays, the skipped one is the first */
    size_t string_max;       /* bytes of a string as written, FB_SCAN_STRING_LEAST or more */
    size_t since_quote;      /* bytes behind the last '"' that begins or ends a string */
    uint64_t in_string;      /* all bits when the last byte is inside a string, else 0 */
    uint64_t is_escaped;     /* 1 when the next byte is escaped, else 0 */
    enum fb_scan_stop stop;
};

struct fb_scan_kernel {
    const char *name;
    /* Skip on through @len bytes at @at; returns how many are taken, and sets skip->stop. */
    size_t (*skip)(struct fb_scan_skip *skip, const char *at, size_t len);
    /* The first byte from @at to @end that is no plain ASCII character of a string, else @end. */
    const char *(*run)(const char *at, const char *end);
};

/** At the byte behind the bracket that opens. */
static inline struct fb_scan_skip fb_scan_skip_begin(size_t level_max, size_t string_max)
{
    return (struct fb_scan_skip){.level = 1, .level_max = level_max, .string_max = string_max};
}

/** Those that run on this CPU, the best first, @ret_len of them: one at least. Constant. */
const struct fb_scan_kernel *const *fb_scan_kernels(size_t *ret_len);

extern const struct fb_scan_kernel fb_scan_plain;
extern const struct fb_scan_kernel fb_scan_sse2; /* x86-64 only, as is the next */
extern const struct fb_scan_kernel fb_scan_avx2;
extern const struct fb_scan_kernel fb_scan_neon; /* aarch64 only */

#endif
