/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_QUANTITY_H
#define FB_QUANTITY_H

#include "fabricbind/error.h"

#include <stddef.h>
#include <stdint.h>

/**
 * A Kubernetes quantity, exactly: whole + nano / 10^9.
 *
 * "-0.5" is whole -1 and nano 500000000. As in Kubernetes, more than nine digits behind the point
 * are rounded away from zero and a magnitude above 2^63 - 1 becomes 2^63 - 1.
 */
struct fb_quantity {
    int64_t whole;
    int32_t nano; /* 0 to 999999999 */
};

/**
 * Read @len bytes of @text: "8", "8k", "16Gi", "1e3", "500m", ".5", "+1".
 *
 * Returns FB_OK; FB_EINPUT "'4x' is no quantity". @ret is written on success only.
 * Source: k8s.io/apimachinery/pkg/api/resource/quantity.go, ParseQuantity.
 */
enum fb_status fb_quantity_parse(const char *text, size_t len, struct fb_quantity *ret,
                                 struct fb_error *err) FB_CHECK;

/** Units, rounded away from zero. */
int64_t fb_quantity_units(const struct fb_quantity *quantity);

/** Thousandths, rounded away from zero; INT64_MAX or INT64_MIN when out of range. */
int64_t fb_quantity_milli(const struct fb_quantity *quantity);

#endif
