/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_SCAN_H
#define FB_SCAN_H

#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * A push reader that finds named paths in a JSON stream while it arrives.
 *
 * Bytes are fed in pieces of any size; values at the named paths are handed to a callback; all
 * else is skipped without building anything. Memory does not grow with the input: only with depth
 * and with the longest string at a named path, both limited.
 *
 * What is on the way to a named path is checked to be JSON. An object or array that no path leads
 * into is only followed to its end, which is several times as fast: in it strings and escapes end
 * where they should, braces and brackets balance (one kind may close the other) and the bounds on
 * depth and strings hold; commas, colons, numbers, words, names of escapes and control characters
 * are not looked at. With struct fb_scan_limits strict all of the document is checked.
 */

/**
 * One path to look for: keys joined by '.', "[]" for every element of an array, "*" for every key
 * of an object. "items[].metadata.labels.*", "[]" and "" (the whole document) are paths. The same
 * path twice: the later row replaces the earlier. Where "a" and "*" are both wanted in an object,
 * "*" does not stand for "a", nor does what follows it. A key with one of ".[]*" in it cannot be
 * named, only be found by "*".
 */
struct fb_scan_path {
    const char *path;
    int id; /* handed to the callback; 0 or more */
};

enum fb_scan_type {
    FB_SCAN_OBJECT, /* an object begins; its duplicates begin anew: the reader resets on it */
    FB_SCAN_ARRAY,  /* an array begins */
    FB_SCAN_END,    /* the object or array of this path is complete */
    FB_SCAN_STRING,
    FB_SCAN_NUMBER,
    FB_SCAN_TRUE,
    FB_SCAN_FALSE,
    FB_SCAN_NULL,
};

/** A value at a named path. Borrowed: valid during the call only. */
struct fb_scan_value {
    int id; /* of the path */
    enum fb_scan_type type;
    const char *text; /* string: without escapes, UTF-8; number: as written; else "". NUL-ended */
    size_t len;       /* bytes of text without the NUL */
    const char *key;  /* the key that the last "*" of the path stands for, NUL-ended; "" if none */
    size_t key_len;
};

/** Return anything but FB_OK to stop; the error gets the byte offset and the path put in front. */
typedef enum fb_status (*fb_scan_found)(void *context, const struct fb_scan_value *value,
                                        struct fb_error *err);

/** Bounds on the input; 0: the default. What is only followed to its end counts as written. */
struct fb_scan_limits {
    size_t depth;        /* nested objects and arrays, 64 */
    size_t string_bytes; /* one string or key, anywhere, unescaped, 1 MiB; below 64: strict */
    size_t number_bytes; /* one number as written, 512 */
    size_t bytes;        /* the whole input, 1 GiB */
    bool strict;         /* check also what no path leads into; slow */
};

/** Compiled paths: immutable, shared between readers and threads. */
struct fb_scan_paths;

/**
 * Compile @len rows of @at.
 *
 * @ret  set on success only; free with fb_scan_paths_free()
 *
 * Returns FB_OK; FB_EINPUT for a path that is none; FB_ENOMEM.
 */
enum fb_status fb_scan_paths_new(const struct fb_scan_path *at, size_t len,
                                 struct fb_scan_paths **ret, struct fb_error *err) FB_CHECK;
void fb_scan_paths_free(struct fb_scan_paths *paths);
void fb_scan_paths_freep(struct fb_scan_paths **paths);

struct fb_scan;

/**
 * @paths    borrowed, must outlive the reader
 * @limits   copied; NULL: all defaults
 * @found    called in document order; @context is handed on
 *
 * Returns NULL when out of memory. Free with fb_scan_free().
 */
struct fb_scan *fb_scan_new(const struct fb_scan_paths *paths, const struct fb_scan_limits *limits,
                            fb_scan_found found, void *context);
void fb_scan_free(struct fb_scan *scan);
void fb_scan_freep(struct fb_scan **scan);

/**
 * Read the next @len bytes; they may be cut anywhere, in a token, an escape or a UTF-8 sequence.
 *
 * Returns FB_OK; FB_EINPUT with offset and reason ("byte 17: ',' or '}' expected", "byte 9:
 * items[3].status.allocatable.cpu: '4x' is no quantity" from a callback); FB_ELIMIT naming the
 * bound; FB_ENOMEM; what the callback returned. After a failure every call repeats it.
 * NUL characters in strings (\u0000) and lone surrogates are refused where strings are checked,
 * so are bytes that are no UTF-8 in strings at named paths and in keys of objects on the way there,
 * and anything but white space behind the document.
 */
enum fb_status fb_scan_feed(struct fb_scan *scan, const char *bytes, size_t len,
                            struct fb_error *err) FB_CHECK;

/**
 * The same for input that has one document behind the other: reads to the end of the first one.
 *
 * @ret_used  how many bytes belong to it, with white space behind it; fewer than @len when it is
 *            complete and more follows: feed that after fb_scan_reset()
 */
enum fb_status fb_scan_feed_one(struct fb_scan *scan, const char *bytes, size_t len,
                                size_t *ret_used, struct fb_error *err) FB_CHECK;

/** Is nothing of a document read, or all of it. */
bool fb_scan_is_between(const struct fb_scan *scan);

/** The input ends here. FB_EINPUT "byte N: input ends inside ..." when the document is cut. */
enum fb_status fb_scan_finish(struct fb_scan *scan, struct fb_error *err) FB_CHECK;

/**
 * Only from the callback, when it is given FB_SCAN_OBJECT or FB_SCAN_ARRAY: what is in that object
 * or array is of no interest. No event comes from inside it, nor its FB_SCAN_END.
 */
void fb_scan_skip(struct fb_scan *scan);

/** Make @scan ready for a new document with the same paths, limits and callback. */
void fb_scan_reset(struct fb_scan *scan);

/** A whole document at once: new, feed, finish, free. */
enum fb_status fb_scan_all(const struct fb_scan_paths *paths, const struct fb_scan_limits *limits,
                           const char *bytes, size_t len, fb_scan_found found, void *context,
                           struct fb_error *err) FB_CHECK;

#endif
