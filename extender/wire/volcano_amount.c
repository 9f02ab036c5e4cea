/* SPDX-License-Identifier: Apache-2.0 */
#include "volcano_read.h"

#include <math.h>
#include <stdlib.h>

#define EXACT_DIGITS 18 /* of a number that an int64_t surely holds */

/* The common case: digits alone. */
static bool read_digits(const struct fb_scan_value *value, int64_t *ret)
{
    int64_t number = 0;

    if (value->len > EXACT_DIGITS)
        return false;
    for (size_t i = 0; i < value->len; i++) {
        if (value->text[i] < '0' || value->text[i] > '9')
            return false;
        number = number * 10 + (value->text[i] - '0');
    }
    *ret = number;
    return true;
}

static int64_t clamp(double number)
{
    if (number >= 9223372036854775808.0)
        return INT64_MAX;
    if (number < -9223372036854775808.0)
        return INT64_MIN;
    return (int64_t)floor(number);
}

static int64_t floor_div(int64_t number, int64_t by)
{
    return number / by - (number % by < 0 ? 1 : 0);
}

enum fb_status fb_volcano_amount(const struct fb_scan_value *value, bool thousandths, int64_t *ret,
                                 struct fb_error *err)
{
    int64_t by = thousandths ? 1000 : 1;
    int64_t number;

    if (value->type == FB_SCAN_NULL) {
        *ret = 0;
        return FB_OK;
    }
    if (value->type != FB_SCAN_NUMBER)
        return fb_error_set(err, FB_EINPUT, "not a number");
    if (read_digits(value, &number))
        *ret = floor_div(number, by);
    else
        *ret = clamp(strtod(value->text, NULL) / (double)by);
    return FB_OK;
}
