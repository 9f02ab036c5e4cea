/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/quantity.h"

#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

#define NANO 1000000000
/* Anything above is capped: 2^63 - 1 units. */
#define MOST ((wide)INT64_MAX * NANO)
/* An exponent beyond this changes nothing any more: every digit is capped or rounded away. */
#define EXPONENT_MAX 100000
/* The largest power of ten of which the double is still a wide. */
#define TENS_MAX 38

/* digits x 10^ten x 2^two, still to be brought to billionths. */
struct numeral {
    bool negative;
    wide digits;
    bool rest; /* something not 0 stands behind the digits kept */
    int ten, two;
};

/* Bit by bit where the numbers are wide: the compiler's own helper is a library's. */
static wide divide(wide value, wide by, wide *ret_rest)
{
    wide quotient = 0;
    wide rest = 0;

    if (value <= UINT64_MAX && by <= UINT64_MAX) {
        *ret_rest = (uint64_t)value % (uint64_t)by;
        return (uint64_t)value / (uint64_t)by;
    }
    for (int bit = 127; bit >= 0; bit--) {
        rest = rest << 1 | (value >> bit & 1);
        if (rest >= by) {
            rest -= by;
            quotient |= (wide)1 << bit;
        }
    }
    *ret_rest = rest;
    return quotient;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Keep what MOST can tell apart; of all further digits only that they are not 0. */
static void numeral_push(struct numeral *num, char digit, bool fraction)
{
    if (num->digits > MOST) {
        num->rest = num->rest || digit != '0';
        num->ten += fraction ? 0 : 1;
        return;
    }
    num->digits *= 10;
    num->digits += (unsigned)(digit - '0');
    num->ten -= fraction ? 1 : 0;
}

static const char *read_digits(const char *at, const char *end, struct numeral *num)
{
    bool fraction = false;
    size_t count = 0;

    for (; at < end && (is_digit(*at) || (*at == '.' && !fraction)); at++) {
        if (*at == '.') {
            fraction = true;
        } else {
            numeral_push(num, *at, fraction);
            count++;
        }
    }
    return count > 0 ? at : NULL;
}

static bool read_exponent(const char *at, const char *end, struct numeral *num)
{
    bool negative = at < end && *at == '-';
    int exponent = 0;

    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    for (; at < end; at++) {
        if (!is_digit(*at))
            return false;
        if (exponent < EXPONENT_MAX)
            exponent = exponent * 10 + (*at - '0');
    }
    num->ten += negative ? -exponent : exponent;
    return true;
}

static bool read_suffix(const char *at, const char *end, struct numeral *num)
{
    static const struct {
        const char *text;
        int ten, two;
    } suffixes[] = {
        {"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},
        {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
        {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
    };
    size_t len = (size_t)(end - at);

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (strlen(suffixes[i].text) == len && memcmp(suffixes[i].text, at, len) == 0) {
            num->ten += suffixes[i].ten;
            num->two = suffixes[i].two;
            return true;
        }
    }
    return (*at == 'e' || *at == 'E') && read_exponent(at + 1, end, num);
}

/*
 * The numeral in billionths, rounded away from zero, at most MOST. What stands behind the point is
 * kept as a fraction while it is doubled: it may come to whole billionths again.
 */
static wide in_nano(const struct numeral *num)
{
    int ten = num->digits == 0 ? 0 : num->ten + 9;
    bool rest = num->rest;
    wide nano = num->digits;
    wide unit = 1;
    wide part;

    for (; ten < -TENS_MAX && nano > 0; ten++) {
        nano = divide(nano, 10, &part);
        rest = rest || part != 0;
    }
    for (; ten < 0 && nano > 0; ten++)
        unit *= 10;
    nano = divide(nano, unit, &part);
    for (int i = 0; i < num->two && nano <= MOST; i++) {
        nano = nano * 2 + divide(part * 2, unit, &part);
    }
    for (; ten > 0 && nano <= MOST; ten--)
        nano *= 10;
    if (rest || part > 0)
        nano++;
    return nano > MOST ? MOST : nano;
}

static struct fb_quantity from_nano(wide nano, bool negative)
{
    wide rest;
    struct fb_quantity quantity = {.whole = (int64_t)divide(nano, NANO, &rest)};

    quantity.nano = (int32_t)rest;
    if (!negative)
        return quantity;
    quantity.whole = -quantity.whole;
    if (quantity.nano > 0) {
        quantity.whole--;
        quantity.nano = NANO - quantity.nano;
    }
    return quantity;
}

enum fb_status fb_quantity_parse(const char *text, size_t len, struct fb_quantity *ret,
                                 struct fb_error *err)
{
    const char *end = text + len;
    const char *at = text;
    struct numeral num = {0};

    if (at < end && (*at == '-' || *at == '+'))
        num.negative = *at++ == '-';
    at = read_digits(at, end, &num);
    if (at == NULL || !read_suffix(at, end, &num))
        return fb_error_set(err, FB_EINPUT, "'%.*s' is no quantity", len < 40 ? (int)len : 40,
                            text);
    *ret = from_nano(in_nano(&num), num.negative);
    return FB_OK;
}

/* whole is rounded down, so what is below zero is already rounded away from it. */
int64_t fb_quantity_units(const struct fb_quantity *quantity)
{
    bool up = quantity->nano > 0 && quantity->whole >= 0 && quantity->whole < INT64_MAX;

    return quantity->whole + (up ? 1 : 0);
}

int64_t fb_quantity_milli(const struct fb_quantity *quantity)
{
    int64_t part = (quantity->nano + (quantity->whole >= 0 ? 999999 : 0)) / 1000000;
    signed_wide milli = (signed_wide)quantity->whole * 1000 + part;

    if (milli > INT64_MAX)
        return INT64_MAX;
    return milli < INT64_MIN ? INT64_MIN : (int64_t)milli;
}
