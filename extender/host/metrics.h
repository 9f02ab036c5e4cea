/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_METRICS_H
#define FB_HOST_METRICS_H

#include <stddef.h>

/**
 * What is measured, as Prometheus reads it. Safe for many threads.
 *
 * A family has at most 1000 series, and the labels of one at most 1 KiB; what is beyond is left
 * out, and so is a series for which there is no memory.
 */

/** A row of the table of families; each name starts "fabricbind_". */
enum fb_metric {
    FB_METRIC_REQUESTS,       /* requests_total{api,verb,code}, counter */
    FB_METRIC_DURATION,       /* request_duration_seconds{api,verb}, histogram */
    FB_METRIC_BYTES,          /* request_bytes_total{api,verb}, counter */
    FB_METRIC_DECISIONS,      /* decisions_total{verdict,reason}, counter */
    FB_METRIC_INJECTIONS,     /* injections_total{provider,result}, counter */
    FB_METRIC_BINDS,          /* binds_total{result}, counter */
    FB_METRIC_NICS,           /* nics{provider,resource,state}, gauge */
    FB_METRIC_GANGS,          /* gangs{state}, gauge */
    FB_METRIC_RATIO_MISMATCH, /* ratio_mismatch_nodes, gauge */
    FB_METRIC_DEGRADED,       /* degraded_nodes, gauge */
    FB_METRIC_OBJECTS,        /* inventory_objects{kind}, gauge */
    FB_METRIC_AGE,            /* inventory_age_seconds, gauge */
    FB_METRIC_LEDGER,         /* ledger_entries{kind}, gauge */
    FB_METRIC_FAULTS,         /* faults_total{where}, counter */
    FB_METRIC_API_CALLS,      /* apiserver_requests_total{method,code}, counter; code 0: failed */
    FB_METRIC_EVENTS,         /* events_total{result}, counter */
    FB_METRIC_API_FILES,      /* apiserver_files_total{what,result}, counter */
    FB_METRIC_CHOICES,        /* gang_choices_total{result}, counter */
    FB_METRIC_CERTIFICATE_EXPIRY, /* certificate_expiry_timestamp_seconds, gauge */
    FB_METRIC_CERTIFICATES,       /* certificates_total{source,result}, counter */
    FB_METRIC_REGISTRATIONS,      /* registrations_total{result}, counter */
    FB_METRIC_WATCH_RESTARTS,     /* watch_restarts_total{kind,reason}, counter */
    FB_METRIC_UNINJECTED,         /* uninjected_pods, gauge */
    FB_METRIC_COMPLAINTS,         /* complaints{reason}, gauge */
    FB_METRIC_BUILD,              /* build_info{version}, gauge, always 1 */
    FB_METRICS,
};

struct fb_metrics;

/** NULL: out of memory. */
struct fb_metrics *fb_metrics_new(void);
void fb_metrics_free(struct fb_metrics *metrics);
void fb_metrics_freep(struct fb_metrics **at);

/**
 * Change the series that @labels names: as many texts as the family has labels, in the order of
 * the table above, copied; NULL where it has none. add is for counters (@by is not negative) and
 * gauges, set for gauges, observe for histograms.
 */
void fb_metrics_add(struct fb_metrics *metrics, enum fb_metric family, const char *const *labels,
                    double by);
void fb_metrics_set(struct fb_metrics *metrics, enum fb_metric family, const char *const *labels,
                    double to);
void fb_metrics_observe(struct fb_metrics *metrics, enum fb_metric family,
                        const char *const *labels, double value);

/** Drop all series of a gauge, before those that there are now are set. */
void fb_metrics_clear(struct fb_metrics *metrics, enum fb_metric family);

/**
 * All series and process_*, in the order of the table, families without series left out. The text
 * ends in NUL, free() it; NULL: out of memory.
 * Source: Prometheus exposition formats, text format 0.0.4.
 */
char *fb_metrics_print(struct fb_metrics *metrics, size_t *ret_len);

#endif
