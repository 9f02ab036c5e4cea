/* SPDX-License-Identifier: Apache-2.0 */
#include "routes.h"

#include "admission.h"
#include "extender.h"
#include "status.h"

#include "fabricbind/volcano.h"

#include <assert.h>

struct row {
    enum fb_listener listener;
    struct fb_route route; /* without its context */
};

#define VOLCANO(verb, number)                                                                      \
    {                                                                                              \
        FB_LISTENER_EXTENDER,                                                                      \
        {                                                                                          \
            "POST", "/volcano/" verb, "volcano", verb, &fb_extender_handler, NULL,                 \
                FB_EXTENDER_ROUTE(number, FB_VOLCANO_TEXT)                                         \
        }                                                                                          \
    }
#define ADMISSION(verb, number)                                                                    \
    {                                                                                              \
        FB_LISTENER_ADMISSION,                                                                     \
        {                                                                                          \
            "POST", "/admission/" verb, "admission", verb, &fb_admission_handler, NULL, number     \
        }                                                                                          \
    }
#define STATUS(verb, number)                                                                       \
    {                                                                                              \
        FB_LISTENER_METRICS,                                                                       \
        {                                                                                          \
            "GET", "/" verb, "status", verb, &fb_status_handler, NULL, number                      \
        }                                                                                          \
    }

/* clang-format off */
static const struct row rows[] = {
    VOLCANO("predicate", FB_VOLCANO_PREDICATE),
    VOLCANO("prioritize", FB_VOLCANO_PRIORITIZE),
    VOLCANO("allocate", FB_VOLCANO_ALLOCATE),
    VOLCANO("deallocate", FB_VOLCANO_DEALLOCATE),
    VOLCANO("jobenqueueable", FB_VOLCANO_JOBENQUEUEABLE),
    VOLCANO("jobready", FB_VOLCANO_JOBREADY),
    VOLCANO("preemptable", FB_VOLCANO_PREEMPTABLE),
    VOLCANO("reclaimable", FB_VOLCANO_RECLAIMABLE),
    VOLCANO("queueoverused", FB_VOLCANO_QUEUEOVERUSED),
    VOLCANO("jobenqueued", FB_VOLCANO_JOBENQUEUED),
    VOLCANO("sessionopen", FB_VOLCANO_SESSIONOPEN),
    VOLCANO("sessionclose", FB_VOLCANO_SESSIONCLOSE),
    {FB_LISTENER_EXTENDER,
     {"POST", "/volcano-1.9/predicate", "volcano-1.9", "predicate", &fb_extender_handler, NULL,
      FB_EXTENDER_ROUTE(FB_VOLCANO_PREDICATE, FB_VOLCANO_ARRAY)}},
    ADMISSION("pods", FB_ADMISSION_PODS),
    ADMISSION("bindings", FB_ADMISSION_BINDINGS),
    ADMISSION("jobs", FB_ADMISSION_JOBS),
    STATUS("livez", FB_STATUS_LIVEZ),
    STATUS("readyz", FB_STATUS_READYZ),
    STATUS("metrics", FB_STATUS_METRICS),
};
/* clang-format on */
#define ROWS (sizeof rows / sizeof rows[0])

_Static_assert(ROWS <= FB_ROUTES_MOST, "all rows may be of one listener");

const char *fb_listener_name(enum fb_listener listener)
{
    static const char *const names[FB_LISTENERS] = {"extender", "admission", "metrics"};

    assert(listener < FB_LISTENERS);
    return names[listener];
}

size_t fb_routes_make(enum fb_listener listener, void *context, struct fb_route ret[FB_ROUTES_MOST])
{
    size_t len = 0;

    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].listener != listener)
            continue;
        ret[len] = rows[i].route;
        ret[len++].context = context;
    }
    return len;
}
