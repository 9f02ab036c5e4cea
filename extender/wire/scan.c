/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/scan.h"

#include "scan_state.h"

#include "fabricbind/own.h"

#include <stdlib.h>
#include <string.h>

static const struct fb_scan_limits defaults = {
    .depth = 64,
    .string_bytes = (size_t)1 << 20,
    .number_bytes = 512,
    .bytes = (size_t)1 << 30,
};

static size_t or_default(size_t limit, size_t fallback)
{
    return limit != 0 ? limit : fallback;
}

static void set_limits(struct fb_scan *scan, const struct fb_scan_limits *limits)
{
    scan->limits = defaults;
    if (limits == NULL)
        return;
    scan->limits.depth = or_default(limits->depth, defaults.depth);
    scan->limits.string_bytes = or_default(limits->string_bytes, defaults.string_bytes);
    scan->limits.number_bytes = or_default(limits->number_bytes, defaults.number_bytes);
    scan->limits.bytes = or_default(limits->bytes, defaults.bytes);
    scan->limits.strict = limits->strict || scan->limits.string_bytes < FB_SCAN_STRING_LEAST;
}

/* Of bits of arrays, a byte of eight levels. */
static size_t arrays_bytes(const struct fb_scan *scan)
{
    return scan->limits.depth / 8 + 1;
}

/* Behind the reader: frames, first room of their keys and of the text, bits of arrays. */
static void lay_out(struct fb_scan *scan, size_t frames)
{
    char *room = (char *)&scan->frames[frames];

    for (size_t i = 0; i < frames; i++)
        fb_scan_text_init(&scan->frames[i].key, room + i * FB_SCAN_TEXT_FIRST);
    room += frames * FB_SCAN_TEXT_FIRST;
    fb_scan_text_init(&scan->text, room);
    scan->arrays = (unsigned char *)room + FB_SCAN_TEXT_FIRST;
}

/* One piece of memory for all: a reader often lives for a few thousand bytes only. */
struct fb_scan *fb_scan_new(const struct fb_scan_paths *paths, const struct fb_scan_limits *limits,
                            fb_scan_found found, void *context)
{
    struct fb_scan own = {.paths = paths, .found = found, .context = context};
    size_t frames = paths->longest + 1;
    struct fb_scan *scan;
    size_t kernels_len;

    set_limits(&own, limits);
    scan = calloc(1, sizeof *scan + frames * sizeof scan->frames[0] +
                         (frames + 1) * FB_SCAN_TEXT_FIRST + arrays_bytes(&own));
    if (scan == NULL)
        return NULL;
    *scan = own;
    scan->kernel = fb_scan_kernels(&kernels_len)[0];
    lay_out(scan, frames);
    fb_scan_reset(scan);
    return scan;
}

void fb_scan_free(struct fb_scan *scan)
{
    if (scan == NULL)
        return;
    for (size_t i = 0; i <= scan->paths->longest; i++)
        fb_scan_text_fini(&scan->frames[i].key);
    fb_scan_text_fini(&scan->text);
    free(scan);
}

void fb_scan_freep(struct fb_scan **scan)
{
    fb_scan_free(*scan);
    *scan = NULL;
}

void fb_scan_reset(struct fb_scan *scan)
{
    memset(&scan->failed, 0, sizeof scan->failed);
    scan->state = FB_SCAN_AT_VALUE;
    scan->offset = 0;
    scan->depth = 0;
    scan->frames_len = 0;
    scan->here = scan->paths->root;
    scan->star = NULL;
}

/* A value that no path leads to gets no frame, and so neither events nor an end. */
void fb_scan_skip(struct fb_scan *scan)
{
    scan->here = NULL;
}

static enum fb_status read_piece(struct fb_scan *scan, const char *bytes, size_t len)
{
    enum fb_status st;

    scan->base = bytes;
    scan->at = bytes;
    scan->end = bytes + len;
    st = fb_scan_step_all(scan);
    scan->offset += st == FB_OK ? (size_t)(scan->end - bytes) : len;
    return st;
}

/* Every call ends here, so that a failure is repeated. */
static enum fb_status answer(const struct fb_scan *scan, struct fb_error *err)
{
    if (scan->failed.status != FB_OK && err != NULL)
        *err = scan->failed;
    return scan->failed.status;
}

enum fb_status fb_scan_feed(struct fb_scan *scan, const char *bytes, size_t len,
                            struct fb_error *err)
{
    size_t room = scan->limits.bytes - scan->offset;
    enum fb_status st;

    if (scan->failed.status != FB_OK || len == 0)
        return answer(scan, err);
    st = read_piece(scan, bytes, len < room ? len : room);
    if (st == FB_OK && len > room && scan->offset == scan->limits.bytes) {
        scan->here = NULL;
        (void)fb_scan_fail_limit(scan, scan->limits.bytes, "input", scan->limits.bytes, "bytes");
    }
    return answer(scan, err);
}

enum fb_status fb_scan_feed_one(struct fb_scan *scan, const char *bytes, size_t len,
                                size_t *ret_used, struct fb_error *err)
{
    size_t before = scan->offset;
    enum fb_status st;

    scan->one = true;
    st = fb_scan_feed(scan, bytes, len, err);
    scan->one = false;
    *ret_used = st == FB_OK ? scan->offset - before : len;
    return st;
}

bool fb_scan_is_between(const struct fb_scan *scan)
{
    return scan->failed.status == FB_OK &&
           (scan->state == FB_SCAN_AT_END || (scan->state == FB_SCAN_AT_VALUE && scan->depth == 0));
}

static const char *name_cut(const struct fb_scan *scan)
{
    if (scan->state >= FB_SCAN_IN_STRING && scan->state <= FB_SCAN_AT_LOW_U)
        return scan->in_key ? "input ends inside a key" : "input ends inside a string";
    if (scan->state == FB_SCAN_IN_SKIP && scan->skip.in_string != 0)
        return "input ends inside a string";
    if (scan->state == FB_SCAN_IN_NUMBER)
        return "input ends inside a number";
    if (scan->state == FB_SCAN_IN_WORD)
        return "input ends inside true, false or null";
    if (scan->depth == 0)
        return "input ends before any value";
    return scan->in_array ? "input ends inside an array" : "input ends inside an object";
}

enum fb_status fb_scan_finish(struct fb_scan *scan, struct fb_error *err)
{
    enum fb_status st = scan->failed.status;

    /* Only the end shows that a number that is the whole document is complete. */
    if (st == FB_OK && scan->state == FB_SCAN_IN_NUMBER && scan->depth == 0 &&
        fb_scan_is_number(scan))
        st = fb_scan_deliver(scan, FB_SCAN_NUMBER);
    if (st == FB_OK && scan->state != FB_SCAN_AT_END)
        (void)fb_scan_fail(scan, scan->offset, FB_EINPUT, name_cut(scan));
    return answer(scan, err);
}

/* NOLINTNEXTLINE(readability-function-size): three of the seven are fb_scan_new()'s. */
enum fb_status fb_scan_all(const struct fb_scan_paths *paths, const struct fb_scan_limits *limits,
                           const char *bytes, size_t len, fb_scan_found found, void *context,
                           struct fb_error *err)
{
    FB_OWNED(fb_scan_freep) struct fb_scan *scan = fb_scan_new(paths, limits, found, context);
    enum fb_status st;

    if (scan == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = fb_scan_feed(scan, bytes, len, err);
    return st != FB_OK ? st : fb_scan_finish(scan, err);
}
