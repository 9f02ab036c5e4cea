/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_told.h"

#include "log.h"
#include "metrics.h"

#include <stdio.h>

/* What no route serves; the path itself may be anything and is no label. */
static const struct fb_route nowhere = {.path = "", .api = "none", .verb = "none"};

static void log_request(const struct fb_request *request, const struct fb_route *route,
                        unsigned status, double seconds)
{
    const struct fb_log_field fields[] = {
        FB_LOG_INT("request", (int64_t)request->id),
        FB_LOG_TEXT("route", route->path),
        FB_LOG_INT("status", (int64_t)status),
        FB_LOG_INT("bytes", (int64_t)request->bytes),
        FB_LOG_INT("microseconds", (int64_t)(seconds * 1e6)),
    };

    if (fb_log_wants(FB_LOG_DEBUG))
        fb_log(FB_LOG_DEBUG, "request", fields, sizeof fields / sizeof fields[0]);
}

void fb_serve_told(void *context, const struct fb_request *request, unsigned status, double seconds)
{
    struct fb_metrics *metrics = context;
    const struct fb_route *route = request->route != NULL ? request->route : &nowhere;
    char code[16] = "dropped";
    const char *labels[] = {route->api, route->verb, code};

    if (status != 0)
        (void)snprintf(code, sizeof code, "%u", status);
    fb_metrics_add(metrics, FB_METRIC_REQUESTS, labels, 1);
    fb_metrics_observe(metrics, FB_METRIC_DURATION, labels, seconds);
    fb_metrics_add(metrics, FB_METRIC_BYTES, labels, (double)request->bytes);
    log_request(request, route, status, seconds);
}
