/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/quantity.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What is read as a quantity is in range, reads the same again when it is printed with all its
 * digits, turns its sign with the text's, and is rounded as a sum in wide integers says.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

__extension__ typedef __int128 wide;

#define NANO 1000000000

static wide billionths(const struct fb_quantity *quantity)
{
    return (wide)quantity->whole * NANO + quantity->nano;
}

static enum fb_status parse(const char *text, size_t len, struct fb_quantity *ret)
{
    const struct fb_quantity before = {42, 43};
    struct fb_error err = {0};
    char *copy = malloc(len > 0 ? len : 1); /* so that a read beyond the text is seen */
    enum fb_status st;

    if (copy == NULL)
        abort();
    memcpy(copy, text, len);
    *ret = before;
    st = fb_quantity_parse(copy, len, ret, &err);
    free(copy);
    if (st != FB_OK && (st != FB_EINPUT || err.status != st || err.text[0] == '\0' ||
                        billionths(ret) != billionths(&before)))
        abort();
    return st;
}

/* @value over @by, away from zero, within int64_t. */
static int64_t round_up(wide value, wide by)
{
    wide up = (value < 0 ? -value : value) + by - 1;
    wide rounded = value < 0 ? -(up / by) : up / by;

    if (rounded > INT64_MAX)
        return INT64_MAX;
    return rounded < INT64_MIN ? INT64_MIN : (int64_t)rounded;
}

static void check_rounding(const struct fb_quantity *quantity)
{
    wide value = billionths(quantity);

    if (quantity->nano < 0 || quantity->nano >= NANO || value > (wide)INT64_MAX * NANO ||
        value < -(wide)INT64_MAX * NANO)
        abort();
    if (fb_quantity_units(quantity) != round_up(value, NANO) ||
        fb_quantity_milli(quantity) != round_up(value, NANO / 1000))
        abort();
}

static void check_again(const struct fb_quantity *quantity)
{
    wide value = billionths(quantity);
    bool is_negative = value < 0;
    struct fb_quantity again;
    char text[64];
    int len;

    if (is_negative)
        value = -value;
    len = snprintf(text, sizeof text, "%s%llu.%09llu", is_negative ? "-" : "",
                   (unsigned long long)(value / NANO), (unsigned long long)(value % NANO));
    if (parse(text, (size_t)len, &again) != FB_OK || billionths(&again) != billionths(quantity))
        abort();
}

/* The same text with a sign in front, when it has none. */
static void check_sign(const struct fb_quantity *quantity, const char *text, size_t len)
{
    struct fb_quantity other;
    char *copy;

    if (text[0] == '-' || text[0] == '+')
        return;
    copy = malloc(len + 1);
    if (copy == NULL)
        abort();
    memcpy(copy + 1, text, len);
    copy[0] = '-';
    if (parse(copy, len + 1, &other) != FB_OK || billionths(&other) != -billionths(quantity))
        abort();
    copy[0] = '+';
    if (parse(copy, len + 1, &other) != FB_OK || billionths(&other) != billionths(quantity))
        abort();
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct fb_quantity quantity;

    if (parse(text, size, &quantity) != FB_OK)
        return 0;
    check_rounding(&quantity);
    check_again(&quantity);
    check_sign(&quantity, text, size);
    return 0;
}
