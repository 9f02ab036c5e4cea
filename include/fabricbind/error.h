/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_ERROR_H
#define FB_ERROR_H

/**
 * Status codes and the one error object of the project.
 *
 * A function that can fail returns enum fb_status and takes a
 * struct fb_error as its last argument. The object lives on the caller's
 * stack, owns no memory, and may be NULL when only the code matters.
 */
enum fb_status {
    FB_OK = 0,
    FB_EINPUT,    /* a peer or a file sent what we refuse; text names the field */
    FB_ELIMIT,    /* a configured bound was reached; text names the bound */
    FB_ENOTFOUND, /* the thing asked for is not known here */
    FB_ENOMEM,    /* an allocation failed */
    FB_EIO,       /* the system or a remote end failed; text carries its reason */
};

struct fb_error {
    enum fb_status status;
    char text[256]; /* one line, no full stop, cut at the end when too long; control
                       characters in what it quotes become "?" */
};

#define FB_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define FB_CHECK __attribute__((warn_unused_result))

/**
 * Record a failure.
 *
 * Returns @status, so a caller can fail and explain in one statement.
 * Leaves @err alone when it is NULL. @status must not be FB_OK.
 */
enum fb_status fb_error_set(struct fb_error *err, enum fb_status status, const char *fmt, ...)
    FB_PRINTF(3, 4);

/**
 * Put "@fmt: " in front of the text already recorded in @err.
 *
 * Returns @status unchanged: `return fb_error_prefix(err, st, "node %s", name)`.
 */
enum fb_status fb_error_prefix(struct fb_error *err, enum fb_status status, const char *fmt, ...)
    FB_PRINTF(3, 4);

#endif
