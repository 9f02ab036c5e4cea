/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_trace.h"

#include "fabricbind/own.h"
#include "scan_state.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fb_status scan_trace_note(void *context, const struct fb_scan_value *value,
                               struct fb_error *err)
{
    static const struct {
        const char *before, *after;
    } forms[] = {
        [FB_SCAN_OBJECT] = {"{", ""},  [FB_SCAN_ARRAY] = {"[", ""},  [FB_SCAN_END] = {"}", ""},
        [FB_SCAN_STRING] = {"'", "'"}, [FB_SCAN_NUMBER] = {"#", ""}, [FB_SCAN_TRUE] = {"t", ""},
        [FB_SCAN_FALSE] = {"f", ""},   [FB_SCAN_NULL] = {"n", ""},
    };
    struct scan_trace *trace = context;
    size_t len = strlen(trace->text);

    assert_int_equal(strlen(value->text), value->len);
    assert_int_equal(strlen(value->key), value->key_len);
    (void)snprintf(trace->text + len, sizeof trace->text - len, "%s%d%s%s%s%s%s",
                   len > 0 ? " " : "", value->id, forms[value->type].before, value->text,
                   forms[value->type].after, value->key_len > 0 ? "@" : "", value->key);
    if (trace->skip_with != NULL && value->id == trace->skip &&
        (value->type == FB_SCAN_OBJECT || value->type == FB_SCAN_ARRAY))
        fb_scan_skip(trace->skip_with);
    if (trace->refuse_with == FB_OK || value->id != trace->refuse)
        return FB_OK;
    if (trace->reason != NULL)
        return fb_error_set(err, trace->refuse_with, "%s", trace->reason);
    return trace->refuse_with;
}

struct fb_scan_paths *scan_trace_compile(const char *const *texts)
{
    struct fb_scan_path rows[SCAN_PATHS_MOST];
    struct fb_scan_paths *paths = NULL;
    size_t len = 0;

    for (; len < SCAN_PATHS_MOST && texts[len] != NULL; len++)
        rows[len] = (struct fb_scan_path){texts[len], (int)len};
    assert_int_equal(fb_scan_paths_new(rows, len, &paths, NULL), FB_OK);
    return paths;
}

enum fb_status scan_trace_feed(struct fb_scan *scan, const char *bytes, size_t len,
                               struct fb_error *err)
{
    char *copy = malloc(len > 0 ? len : 1);
    enum fb_status st;

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    st = fb_scan_feed(scan, copy, len, err);
    free(copy);
    return st;
}

#define BYTE_BY_BYTE SIZE_MAX

/* A whole document in two pieces, the first of @cut bytes, or in pieces of a byte. */
static enum fb_status read_cut(struct fb_scan *scan, const char *json, size_t len, size_t cut,
                               struct fb_error *err)
{
    enum fb_status st = FB_OK;

    fb_scan_reset(scan);
    if (cut == BYTE_BY_BYTE) {
        for (size_t i = 0; st == FB_OK && i < len; i++)
            st = scan_trace_feed(scan, json + i, 1, err);
    } else {
        st = scan_trace_feed(scan, json, cut, err);
        if (st == FB_OK)
            st = scan_trace_feed(scan, json + cut, len - cut, err);
    }
    return st == FB_OK ? fb_scan_finish(scan, err) : st;
}

static enum fb_status status_of(const char *want_error)
{
    if (want_error[0] == '\0')
        return FB_OK;
    return strstr(want_error, " over ") != NULL ? FB_ELIMIT : FB_EINPUT;
}

static void expect_cut(struct fb_scan *scan, struct scan_trace *trace, const char *json,
                       const char *want_error, const char *want_trace)
{
    enum fb_status want_st = status_of(want_error);
    size_t len = strlen(json);

    for (size_t cut = 0; cut <= len + 1; cut++) {
        struct fb_error err = {0};

        trace->text[0] = '\0';
        if (read_cut(scan, json, len, cut > len ? BYTE_BY_BYTE : cut, &err) != want_st)
            fail_msg("%s cut at %zu: '%s'", json, cut, err.text);
        assert_string_equal(err.text, want_error);
        assert_int_equal(err.status, want_st);
        if (want_trace != NULL)
            assert_string_equal(trace->text, want_trace);
    }
}

static void expect(struct fb_scan *scan, struct scan_trace *trace, const char *json,
                   const char *want_error, const char *want_trace)
{
    size_t len;
    const struct fb_scan_kernel *const *kernels = fb_scan_kernels(&len);

    for (size_t i = 0; i < len; i++) {
        scan->kernel = kernels[i];
        expect_cut(scan, trace, json, want_error, want_trace);
    }
}

void scan_trace_expect(const char *const *texts, const struct fb_scan_limits *limits,
                       const char *json, const char *want_error, const char *want_trace)
{
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = scan_trace_compile(texts);
    struct scan_trace trace = {0};
    FB_OWNED(fb_scan_freep)
    struct fb_scan *scan = fb_scan_new(paths, limits, scan_trace_note, &trace);

    assert_non_null(scan);
    expect(scan, &trace, json, want_error, want_trace);
}

void scan_trace_expect_skip(const char *const *texts, int skip, const char *json,
                            const char *want_trace)
{
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = scan_trace_compile(texts);
    struct scan_trace trace = {.skip = skip};
    FB_OWNED(fb_scan_freep)
    struct fb_scan *scan = fb_scan_new(paths, NULL, scan_trace_note, &trace);

    assert_non_null(scan);
    trace.skip_with = scan;
    expect(scan, &trace, json, "", want_trace);
}
