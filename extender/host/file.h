/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_FILE_H
#define FB_HOST_FILE_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/text.h"

#include <stddef.h>

/** Reading files. Errors start with the name as given; "-" is standard input. */

/** Handed the file in pieces, in order. */
typedef enum fb_status (*fb_file_piece)(void *context, const char *bytes, size_t len,
                                        struct fb_error *err);

/**
 * Hand the bytes of @path to @piece while they are read.
 *
 * Returns FB_OK; FB_ENOTFOUND where there is no such file; FB_EIO; FB_ELIMIT when it has more than
 * @limit_bytes; what @piece returned, with the name in front.
 */
enum fb_status fb_file_stream(const char *path, size_t limit_bytes, fb_file_piece piece,
                              void *context, struct fb_error *err) FB_CHECK;

/** The whole of @path as bytes of @arena. */
enum fb_status fb_file_read(struct fb_arena *arena, const char *path, size_t limit_bytes,
                            const char **ret, size_t *ret_len, struct fb_error *err) FB_CHECK;

/** The files of directory @dir whose names end in @suffix, as paths in byte order. */
enum fb_status fb_file_list(struct fb_arena *arena, const char *dir, const char *suffix,
                            struct fb_texts *ret, struct fb_error *err) FB_CHECK;

/** "@dir/@name" in @arena; NULL when out of memory. */
const char *fb_file_join(struct fb_arena *arena, const char *dir, const char *name);

#endif
