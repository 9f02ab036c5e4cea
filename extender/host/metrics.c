/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics.h"

#include "metrics_print.h"
#include "metrics_table.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_MOST ((size_t)1000)
#define LABELS_MOST ((size_t)1024) /* bytes of all label values of a series, with their NULs */

/* The series of one family, in the order of their making. */
struct family {
    pthread_mutex_t lock;
    struct fb_series **at;
    size_t len, size;
};

struct fb_metrics {
    struct family families[FB_METRICS];
};

struct fb_metrics *fb_metrics_new(void)
{
    struct fb_metrics *metrics = calloc(1, sizeof *metrics);

    if (metrics == NULL)
        return NULL;
    for (size_t i = 0; i < FB_METRICS; i++)
        (void)pthread_mutex_init(&metrics->families[i].lock, NULL);
    return metrics;
}

static void drop_series(struct family *family)
{
    for (size_t i = 0; i < family->len; i++)
        free(family->at[i]);
    family->len = 0;
}

void fb_metrics_free(struct fb_metrics *metrics)
{
    if (metrics == NULL)
        return;
    for (size_t i = 0; i < FB_METRICS; i++) {
        drop_series(&metrics->families[i]);
        free(metrics->families[i].at);
        (void)pthread_mutex_destroy(&metrics->families[i].lock);
    }
    free(metrics);
}

void fb_metrics_freep(struct fb_metrics **at)
{
    fb_metrics_free(*at);
}

/* Label values one behind the other, each with its NUL, and what finds them fast. */
struct labels {
    size_t len;
    uint64_t hash; /* FNV-1a */
    char at[LABELS_MOST];
};

/* False when they are too long. */
static bool labels_join(struct labels *ret, const char *const *labels, size_t count)
{
    ret->len = 0;
    ret->hash = 0xcbf29ce484222325U;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(labels[i]) + 1;

        if (len > sizeof ret->at - ret->len)
            return false;
        memcpy(ret->at + ret->len, labels[i], len);
        ret->len += len;
    }
    for (size_t i = 0; i < ret->len; i++)
        ret->hash = (ret->hash ^ (unsigned char)ret->at[i]) * 0x100000001b3U;
    return true;
}

static bool make_room(struct family *family)
{
    size_t size = family->size == 0 ? 8 : family->size * 2;
    struct fb_series **grown;

    if (family->len < family->size)
        return true;
    grown = realloc(family->at, size * sizeof(struct fb_series *));
    if (grown == NULL)
        return false;
    family->at = grown;
    family->size = size;
    return true;
}

/* NULL when there is no memory or no more may be made. */
static struct fb_series *series_add(struct family *family, const struct labels *labels)
{
    struct fb_series *series;

    if (family->len >= SERIES_MOST || !make_room(family))
        return NULL;
    series = calloc(1, sizeof *series + labels->len);
    if (series == NULL)
        return NULL;
    series->hash = labels->hash;
    series->labels_len = labels->len;
    memcpy(series->labels, labels->at, labels->len);
    family->at[family->len++] = series;
    return series;
}

static struct fb_series *series_find(struct family *family, const struct labels *labels)
{
    for (size_t i = 0; i < family->len; i++) {
        struct fb_series *series = family->at[i];

        if (series->hash == labels->hash && series->labels_len == labels->len &&
            memcmp(series->labels, labels->at, labels->len) == 0)
            return series;
    }
    return series_add(family, labels);
}

static void add(struct fb_series *series, double by)
{
    series->value += by;
}

static void set(struct fb_series *series, double to)
{
    series->value = to;
}

static void observe(struct fb_series *series, double value)
{
    const double *bounds = fb_metric_bounds_get();
    size_t i = 0;

    while (i < FB_METRIC_BUCKETS && value > bounds[i])
        i++;
    series->counts[i]++;
    series->value += value;
}

static void change(struct fb_metrics *metrics, enum fb_metric number, const char *const *labels,
                   void (*how)(struct fb_series *series, double value), double value)
{
    struct family *family = &metrics->families[number];
    struct fb_series *series;
    struct labels joined;

    if (!labels_join(&joined, labels, fb_metric_row_labels(fb_metric_row_get(number))))
        return;
    (void)pthread_mutex_lock(&family->lock);
    series = series_find(family, &joined);
    if (series != NULL)
        how(series, value);
    (void)pthread_mutex_unlock(&family->lock);
}

void fb_metrics_add(struct fb_metrics *metrics, enum fb_metric family, const char *const *labels,
                    double by)
{
    assert(fb_metric_row_get(family)->kind != FB_METRIC_HISTOGRAM);
    assert(fb_metric_row_get(family)->kind != FB_METRIC_COUNTER || by >= 0.0);
    change(metrics, family, labels, add, by);
}

void fb_metrics_set(struct fb_metrics *metrics, enum fb_metric family, const char *const *labels,
                    double to)
{
    assert(fb_metric_row_get(family)->kind == FB_METRIC_GAUGE);
    change(metrics, family, labels, set, to);
}

void fb_metrics_observe(struct fb_metrics *metrics, enum fb_metric family,
                        const char *const *labels, double value)
{
    assert(fb_metric_row_get(family)->kind == FB_METRIC_HISTOGRAM);
    change(metrics, family, labels, observe, value);
}

void fb_metrics_clear(struct fb_metrics *metrics, enum fb_metric family)
{
    assert(fb_metric_row_get(family)->kind == FB_METRIC_GAUGE);
    (void)pthread_mutex_lock(&metrics->families[family].lock);
    drop_series(&metrics->families[family]);
    (void)pthread_mutex_unlock(&metrics->families[family].lock);
}

static void print_family(struct family *family, const struct fb_metric_row *row, FILE *out)
{
    (void)pthread_mutex_lock(&family->lock);
    if (family->len > 0)
        fb_metrics_print_head(row, out);
    for (size_t i = 0; i < family->len; i++)
        fb_metrics_print_series(row, family->at[i], out);
    (void)pthread_mutex_unlock(&family->lock);
}

char *fb_metrics_print(struct fb_metrics *metrics, size_t *ret_len)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    bool failed;

    if (out == NULL)
        return NULL;
    for (int i = 0; i < FB_METRICS; i++)
        print_family(&metrics->families[i], fb_metric_row_get((enum fb_metric)i), out);
    fb_metrics_print_process(out);
    failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    *ret_len = len;
    return text;
}
