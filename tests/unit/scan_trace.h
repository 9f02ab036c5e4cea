/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_SCAN_TRACE_H
#define FB_TESTS_SCAN_TRACE_H

#include "fabricbind/scan.h"

#define SCAN_PATHS_MOST 4

/** What was found, as text: id, then { [ } 'string' #number t f n, then @key. */
struct scan_trace {
    char text[2048];
    int refuse; /* with refuse_with: fail on this id */
    enum fb_status refuse_with;
    const char *reason;        /* NULL: none given */
    struct fb_scan *skip_with; /* not NULL: skip the objects and arrays of the id in skip */
    int skip;
};

/** A callback whose context is a struct scan_trace. */
enum fb_status scan_trace_note(void *context, const struct fb_scan_value *value,
                               struct fb_error *err);

/** Compile up to SCAN_PATHS_MOST paths, NULL-ended; ids are their places. */
struct fb_scan_paths *scan_trace_compile(const char *const *texts);

/** Feed a copy that ends where the piece does, so that ASan sees a read beyond it. */
enum fb_status scan_trace_feed(struct fb_scan *scan, const char *bytes, size_t len,
                               struct fb_error *err);

/**
 * Read @json at once, byte by byte, and cut in two at every position, with every kernel that runs
 * here; each time the error must be @want_error ("": none) and the trace @want_trace (NULL: any).
 */
void scan_trace_expect(const char *const *texts, const struct fb_scan_limits *limits,
                       const char *json, const char *want_error, const char *want_trace);

/** The same without error, when the callback skips the objects and arrays of the id @skip. */
void scan_trace_expect_skip(const char *const *texts, int skip, const char *json,
                            const char *want_trace);

#endif
