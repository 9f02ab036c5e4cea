/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/ratio.h"

#include <stdio.h>

static int64_t divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

struct fb_ratio fb_ratio_of(int64_t nics, int64_t gpus)
{
    struct fb_ratio ratio = {0, 0};
    int64_t common;

    if (nics < 1 || gpus < 1)
        return ratio;
    common = divisor(nics, gpus);
    if (nics / common > FB_RATIO_MAX || gpus / common > FB_RATIO_MAX)
        return ratio;
    ratio.num = nics / common;
    ratio.den = gpus / common;
    return ratio;
}

/* Digits up to FB_RATIO_MAX; NULL where there are none or too many. */
static const char *digits(const char *text, int64_t *value, int64_t *scale)
{
    const char *at = text;

    for (; *at >= '0' && *at <= '9'; at++) {
        *value = *value * 10 + (*at - '0');
        *scale *= 10;
        if (*value > FB_RATIO_MAX || *scale > FB_RATIO_MAX * (int64_t)10)
            return NULL;
    }
    return at == text ? NULL : at;
}

static bool parse(const char *text, int64_t *num, int64_t *den)
{
    int64_t scale = 1;
    const char *at = digits(text, num, &scale);

    if (at != NULL && *at == '/') {
        scale = 1;
        *den = 0;
        at = digits(at + 1, den, &scale);
    } else if (at != NULL && *at == '.') {
        *den = 1;
        at = digits(at + 1, num, den);
    }
    return at != NULL && *at == '\0' && *num >= 1 && *den >= 1 && *den <= FB_RATIO_MAX;
}

enum fb_status fb_ratio_parse(const char *text, struct fb_ratio *ret, struct fb_error *err)
{
    int64_t num = 0;
    int64_t den = 1;

    if (!parse(text, &num, &den))
        return fb_error_set(err, FB_EINPUT, "'%.40s' is no ratio above 0 such as 4, 1/2 or 0.5",
                            text);
    *ret = fb_ratio_of(num, den);
    return FB_OK;
}

int64_t fb_ratio_nics(struct fb_ratio ratio, int64_t gpus)
{
    int64_t whole;

    if (ratio.den == 0)
        return 0;
    whole = gpus / ratio.den;
    if (whole > (INT64_MAX - ratio.num) / ratio.num)
        return INT64_MAX;
    /* Both factors are small here: the rest is below den. */
    return whole * ratio.num + (gpus % ratio.den * ratio.num + ratio.den - 1) / ratio.den;
}

bool fb_ratio_equal(struct fb_ratio a, struct fb_ratio b)
{
    return a.num == b.num && a.den == b.den;
}

int fb_ratio_compare(struct fb_ratio a, struct fb_ratio b)
{
    int64_t left = a.num * b.den;
    int64_t right = b.num * a.den;

    return (left > right) - (left < right);
}

const char *fb_ratio_format(struct fb_ratio ratio, char text[FB_RATIO_TEXT])
{
    if (ratio.den == 0)
        text[0] = '\0';
    else if (ratio.den == 1)
        (void)snprintf(text, FB_RATIO_TEXT, "%lld", (long long)ratio.num);
    else
        (void)snprintf(text, FB_RATIO_TEXT, "%lld/%lld", (long long)ratio.num,
                       (long long)ratio.den);
    return text;
}
