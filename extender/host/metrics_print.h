/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_METRICS_PRINT_H
#define FB_HOST_METRICS_PRINT_H

#include "metrics_table.h"

#include <stdint.h>
#include <stdio.h>

/** One series of a family. */
struct fb_series {
    uint64_t hash;
    double value;                            /* of histograms: the sum */
    uint64_t counts[FB_METRIC_BUCKETS + 1U]; /* of histograms: in each bucket alone */
    size_t labels_len;
    char labels[]; /* values, one behind the other, each with its NUL */
};

/** HELP and TYPE. */
void fb_metrics_print_head(const struct fb_metric_row *row, FILE *out);

/** The lines of one series. */
void fb_metrics_print_series(const struct fb_metric_row *row, const struct fb_series *series,
                             FILE *out);

/** process_*; nothing where they cannot be had. */
void fb_metrics_print_process(FILE *out);

#endif
