/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_RATIO_H
#define FB_RATIO_H

#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** NICs per GPU, an exact fraction in lowest terms; den 0: none known. */
struct fb_ratio {
    int64_t num, den; /* num >= 1 and den >= 1, both at most FB_RATIO_MAX */
};

#define FB_RATIO_MAX 1000000

/** Room for a ratio as text, NUL included. */
#define FB_RATIO_TEXT 24

/** @nics per @gpus in lowest terms; none when one of them is below 1 or, so reduced, above
 * FB_RATIO_MAX. */
struct fb_ratio fb_ratio_of(int64_t nics, int64_t gpus);

/**
 * Read @text: "4", "1/2", "0.5".
 *
 * Returns FB_OK; FB_EINPUT "'4x' is no ratio above 0 such as 4, 1/2 or 0.5". @ret is written on
 * success only.
 */
enum fb_status fb_ratio_parse(const char *text, struct fb_ratio *ret,
                              struct fb_error *err) FB_CHECK;

/** ceil(@gpus x @ratio), INT64_MAX when out of range; 0 when there is no ratio. @gpus >= 0. */
int64_t fb_ratio_nics(struct fb_ratio ratio, int64_t gpus);

bool fb_ratio_equal(struct fb_ratio a, struct fb_ratio b);

/** Below 0, 0, above 0: a < b, a == b, a > b. Both must be known. */
int fb_ratio_compare(struct fb_ratio a, struct fb_ratio b);

/** "4" or "1/2" into @text; "" when there is none. Returns @text. */
const char *fb_ratio_format(struct fb_ratio ratio, char text[FB_RATIO_TEXT]);

#endif
