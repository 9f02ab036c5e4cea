/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_METRICS_TABLE_H
#define FB_HOST_METRICS_TABLE_H

#include "metrics.h"

#define FB_METRIC_LABELS 3   /* the most of a family */
#define FB_METRIC_BUCKETS 17 /* without the one that takes all */

enum fb_metric_kind { FB_METRIC_COUNTER, FB_METRIC_GAUGE, FB_METRIC_HISTOGRAM };

/** What is fixed of a family. */
struct fb_metric_row {
    const char *name;
    enum fb_metric_kind kind;
    const char *help;                     /* one line without backslash */
    const char *labels[FB_METRIC_LABELS]; /* names, NULL behind the last */
};

const struct fb_metric_row *fb_metric_row_get(enum fb_metric family);

/** Labels of the family, 0 to FB_METRIC_LABELS. */
size_t fb_metric_row_labels(const struct fb_metric_row *row);

/** Upper bounds of histograms in seconds, FB_METRIC_BUCKETS of them, rising. */
const double *fb_metric_bounds_get(void);

#endif
