/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_KEPTFILE_H
#define FB_HOST_KEPTFILE_H

#include "fabricbind/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define FB_KEPTFILE_MOST ((size_t)256 * 1024) /* bytes of the file */

/**
 * A small file of text that is kept in memory and read again when it changes: when device, inode,
 * size or time of change differ, and at the latest after 60 s. What was read stays when the file
 * cannot be read, has a NUL, or is not what @is_right takes. Starts as {.path, .is_right}.
 */
struct fb_keptfile {
    const char *path;                   /* borrowed; NULL: there is no file, text stays as it is */
    bool (*is_right)(const char *text); /* NULL: all that is not empty */
    char *text;      /* owned, without white space at its end; NULL before the first reading */
    bool failing;    /* the last reading did not work */
    int64_t read_ms; /* when it was tried last */
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

/**
 * Look whether to read, and read.
 *
 * @now_ms       by a clock that does not go back
 * @anew         read also where nothing seems to have changed
 * @ret_changed  always written: is text another one than before
 *
 * Returns FB_OK, also where there was nothing to do; FB_ENOTFOUND, FB_EIO, FB_ELIMIT, FB_EINPUT
 * with the path, never with the content; FB_ENOMEM.
 */
enum fb_status fb_keptfile_look(struct fb_keptfile *file, int64_t now_ms, bool anew,
                                bool *ret_changed, struct fb_error *err) FB_CHECK;

/** The text is overwritten before it is freed. */
void fb_keptfile_fini(struct fb_keptfile *file);

#endif
