/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_SECRET_H
#define FB_SECRET_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/text.h"

#include <stddef.h>

/**
 * A Secret of the API server, read, changed and written again: what is not ours in it stays.
 * Source: k8s.io/api/core/v1, Secret.
 */
struct fb_secret {
    const char *metadata; /* JSON as it was read, with the resourceVersion; NULL: a new Secret */
    const char *space, *name; /* of a new one */
    const char *type;
    struct fb_pairs data; /* base64 by key */
};

/** Read @text, one Secret. FB_OK; FB_EINPUT when it is none; FB_ENOMEM. @ret is in @arena, written
 * on success. No error quotes what stands in it. */
enum fb_status fb_secret_decode(struct fb_arena *arena, const char *text, struct fb_secret *ret,
                                struct fb_error *err) FB_CHECK;

/** The text of @key, in @arena; "" where there is none, or bytes that are no text. FB_OK;
 * FB_ENOMEM. */
enum fb_status fb_secret_text(struct fb_arena *arena, const struct fb_secret *secret,
                              const char *key, const char **ret, struct fb_error *err) FB_CHECK;

/** Let @key be @text. FB_OK; FB_ENOMEM. Copies of @secret made before are as they were. */
enum fb_status fb_secret_set(struct fb_arena *arena, struct fb_secret *secret, const char *key,
                             const char *text, struct fb_error *err) FB_CHECK;

/** @secret as JSON in @arena, to be sent. FB_OK; FB_ENOMEM. */
enum fb_status fb_secret_encode(struct fb_arena *arena, const struct fb_secret *secret,
                                const char **ret, struct fb_error *err) FB_CHECK;

#endif
