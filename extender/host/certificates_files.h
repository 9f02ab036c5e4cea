/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_CERTIFICATES_FILES_H
#define FB_HOST_CERTIFICATES_FILES_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"

#include <stdbool.h>
#include <sys/stat.h>

/** A certificate, its key and the authorities in three files that others replace. */

struct fb_certificate_files {
    const char *paths[3]; /* certificate, key, authorities; the last may be "" */
    struct stat seen[3];  /* when they were last kept */
    bool has_seen;
};

/** Texts in an arena. */
struct fb_certificate_texts {
    const char *cert, *key;
    const char *authorities; /* NULL: none are told */
};

/**
 * Read the files when one has changed since fb_certificate_files_keep(): another file, another
 * size or another time.
 *
 * @ret_changed  false: nothing was read
 *
 * Returns FB_OK; FB_ENOTFOUND, FB_EIO, FB_ELIMIT with the name of the file; FB_ENOMEM.
 */
enum fb_status fb_certificate_files_read(struct fb_certificate_files *files, struct fb_arena *arena,
                                         bool *ret_changed, struct fb_certificate_texts *ret,
                                         struct fb_error *err) FB_CHECK;

/** What was read last is in use: do not read it again. */
void fb_certificate_files_keep(struct fb_certificate_files *files);

#endif
