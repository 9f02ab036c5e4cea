/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics_print.h"

#include "process.h"

#include <math.h>
#include <string.h>

#define EXACT 9007199254740992.0 /* up to here a double holds every whole number */

static void print_number(double value, FILE *out)
{
    if (isnan(value))
        (void)fputs("NaN", out);
    else if (isinf(value))
        (void)fputs(value > 0.0 ? "+Inf" : "-Inf", out);
    else if (fabs(value) <= EXACT && value == (double)(int64_t)value)
        (void)fprintf(out, "%.0f", value);
    else
        (void)fprintf(out, "%.15g", value);
}

static void print_escaped(const char *value, FILE *out)
{
    for (; *value != '\0'; value++) {
        if (*value == '\n')
            (void)fputs("\\n", out);
        else if (*value == '"' || *value == '\\')
            (void)fprintf(out, "\\%c", *value);
        else
            (void)fputc(*value, out);
    }
}

/* {a="b",...,le="bound"}; nothing when there is neither label nor bound. */
static void print_labels(const struct fb_metric_row *row, const char *values, const char *bound,
                         FILE *out)
{
    size_t count = fb_metric_row_labels(row);

    if (count == 0 && bound == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "%s%s=\"", i == 0 ? "{" : ",", row->labels[i]);
        print_escaped(values, out);
        (void)fputc('"', out);
        values += strlen(values) + 1;
    }
    if (bound != NULL)
        (void)fprintf(out, "%sle=\"%s\"", count == 0 ? "{" : ",", bound);
    (void)fputc('}', out);
}

static void print_head(const char *name, const char *kind, const char *help, FILE *out)
{
    (void)fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind);
}

void fb_metrics_print_head(const struct fb_metric_row *row, FILE *out)
{
    static const char *const kinds[] = {
        [FB_METRIC_COUNTER] = "counter",
        [FB_METRIC_GAUGE] = "gauge",
        [FB_METRIC_HISTOGRAM] = "histogram",
    };

    print_head(row->name, kinds[row->kind], row->help, out);
}

static void print_line(const struct fb_metric_row *row, const struct fb_series *series,
                       const char *suffix, const char *bound, double value, FILE *out)
{
    (void)fprintf(out, "%s%s", row->name, suffix);
    print_labels(row, series->labels, bound, out);
    (void)fputc(' ', out);
    print_number(value, out);
    (void)fputc('\n', out);
}

/* Each bucket counts those below it, too. */
static void print_histogram(const struct fb_metric_row *row, const struct fb_series *series,
                            FILE *out)
{
    const double *bounds = fb_metric_bounds_get();
    uint64_t count = 0;

    for (size_t i = 0; i <= FB_METRIC_BUCKETS; i++) {
        char bound[32] = "+Inf";

        if (i < FB_METRIC_BUCKETS)
            (void)snprintf(bound, sizeof bound, "%.15g", bounds[i]);
        count += series->counts[i];
        print_line(row, series, "_bucket", bound, (double)count, out);
    }
    print_line(row, series, "_sum", NULL, series->value, out);
    print_line(row, series, "_count", NULL, (double)count, out);
}

void fb_metrics_print_series(const struct fb_metric_row *row, const struct fb_series *series,
                             FILE *out)
{
    if (row->kind == FB_METRIC_HISTOGRAM)
        print_histogram(row, series, out);
    else
        print_line(row, series, "", NULL, series->value, out);
}

void fb_metrics_print_process(FILE *out)
{
    struct fb_process process;

    if (!fb_process_read(&process))
        return;
    const struct {
        const char *name, *kind, *help;
        double value;
    } rows[] = {
        {"process_cpu_seconds_total", "counter", "User and system CPU time.", process.cpu_seconds},
        {"process_resident_memory_bytes", "gauge", "Resident memory.",
         (double)process.resident_bytes},
        {"process_virtual_memory_bytes", "gauge", "Virtual memory.", (double)process.virtual_bytes},
        {"process_start_time_seconds", "gauge", "When it was started, since the Epoch.",
         process.start_seconds},
        {"process_open_fds", "gauge", "Open file descriptors.", (double)process.open_fds},
        {"process_max_fds", "gauge", "Most file descriptors that may be open.",
         process.max_fds == UINT64_MAX ? HUGE_VAL : (double)process.max_fds},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        print_head(rows[i].name, rows[i].kind, rows[i].help, out);
        (void)fprintf(out, "%s ", rows[i].name);
        print_number(rows[i].value, out);
        (void)fputc('\n', out);
    }
}
