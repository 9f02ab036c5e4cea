/* SPDX-License-Identifier: Apache-2.0 */
#include "certificates_files.h"

#include "file.h"
#include "tls.h"

#include <errno.h>
#include <string.h>

#define FILES 3

static enum fb_status look(const char *path, struct stat *ret, struct fb_error *err)
{
    char reason[128];

    if (stat(path, ret) == 0)
        return FB_OK;
    return fb_error_set(err, errno == ENOENT ? FB_ENOTFOUND : FB_EIO, "%s: %s", path,
                        strerror_r(errno, reason, sizeof reason));
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static enum fb_status read_all(const struct fb_certificate_files *files, struct fb_arena *arena,
                               const char *texts[FILES], struct fb_error *err)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; i < FILES && st == FB_OK; i++) {
        const char *bytes = NULL;
        size_t len = 0;

        if (files->paths[i][0] == '\0')
            continue;
        st = fb_file_read(arena, files->paths[i], FB_TLS_PEM_BYTES, &bytes, &len, err);
        if (st != FB_OK)
            break;
        texts[i] = fb_arena_text(arena, bytes, len);
        if (texts[i] == NULL)
            st = fb_error_set(err, FB_ENOMEM, "out of memory");
    }
    return st;
}

/* The files are looked at before they are read: what changes meanwhile is seen the next time. */
enum fb_status fb_certificate_files_read(struct fb_certificate_files *files, struct fb_arena *arena,
                                         bool *ret_changed, struct fb_certificate_texts *ret,
                                         struct fb_error *err)
{
    struct stat now[FILES] = {{0}};
    const char *texts[FILES] = {NULL};
    bool same = files->has_seen;
    enum fb_status st = FB_OK;

    for (size_t i = 0; i < FILES && st == FB_OK; i++) {
        if (files->paths[i][0] != '\0')
            st = look(files->paths[i], &now[i], err);
        same = same && is_same(&now[i], &files->seen[i]);
    }
    *ret_changed = st == FB_OK && !same;
    if (st == FB_OK && !same)
        st = read_all(files, arena, texts, err);
    if (st != FB_OK || same)
        return st;
    memcpy(files->seen, now, sizeof now);
    files->has_seen = false;
    *ret = (struct fb_certificate_texts){texts[0], texts[1], texts[2]};
    return FB_OK;
}

void fb_certificate_files_keep(struct fb_certificate_files *files)
{
    files->has_seen = true;
}
