/* SPDX-License-Identifier: Apache-2.0 */
#include "keptfile.h"

#include "fabricbind/own.h"
#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define AGAIN_MS 60000

static bool is_same(const struct fb_keptfile *file, const struct stat *info)
{
    return file->device == info->st_dev && file->inode == info->st_ino &&
           file->size == info->st_size && file->changed.tv_sec == info->st_mtim.tv_sec &&
           file->changed.tv_nsec == info->st_mtim.tv_nsec;
}

/* What the file was like before it is read: a change during the reading is seen next time. */
static void remember(struct fb_keptfile *file, const struct stat *info, int64_t now_ms)
{
    file->device = info->st_dev;
    file->inode = info->st_ino;
    file->size = info->st_size;
    file->changed = info->st_mtim;
    file->read_ms = now_ms;
}

static void wipe(char *text)
{
    if (text != NULL)
        explicit_bzero(text, strlen(text));
    free(text);
}

static enum fb_status take(struct fb_keptfile *file, const char *text, size_t len,
                           bool *ret_changed, struct fb_error *err)
{
    char *kept;

    while (len > 0 && strchr(" \t\r\n", text[len - 1]) != NULL)
        len--;
    if (len == 0 || memchr(text, '\0', len) != NULL)
        return fb_error_set(err, FB_EINPUT, "%s: %s", file->path,
                            len == 0 ? "is empty" : "is no text");
    kept = malloc(len + 1);
    if (kept == NULL)
        return fb_error_set(err, FB_ENOMEM, "%s: out of memory", file->path);
    memcpy(kept, text, len);
    kept[len] = '\0';
    if (file->is_right != NULL && !file->is_right(kept)) {
        wipe(kept);
        return fb_error_set(err, FB_EINPUT, "%s: is not what it should be", file->path);
    }
    *ret_changed = file->text == NULL || strcmp(file->text, kept) != 0;
    wipe(file->text);
    file->text = kept;
    return FB_OK;
}

static enum fb_status read_file(struct fb_keptfile *file, bool *ret_changed, struct fb_error *err)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new_small(0);
    const char *text = NULL;
    size_t len = 0;
    enum fb_status st;

    if (arena == NULL)
        return fb_error_set(err, FB_ENOMEM, "%s: out of memory", file->path);
    st = fb_file_read(arena, file->path, FB_KEPTFILE_MOST, &text, &len, err);
    return st == FB_OK ? take(file, text, len, ret_changed, err) : st;
}

enum fb_status fb_keptfile_look(struct fb_keptfile *file, int64_t now_ms, bool anew,
                                bool *ret_changed, struct fb_error *err)
{
    struct stat info = {.st_dev = 0};
    enum fb_status st;

    *ret_changed = false;
    if (file->path == NULL)
        return FB_OK;
    /* What stat has against it, reading will say. */
    (void)stat(file->path, &info);
    if (!anew && file->text != NULL && is_same(file, &info) && now_ms - file->read_ms < AGAIN_MS)
        return FB_OK;
    remember(file, &info, now_ms);
    st = read_file(file, ret_changed, err);
    file->failing = st != FB_OK;
    return st;
}

void fb_keptfile_fini(struct fb_keptfile *file)
{
    wipe(file->text);
    file->text = NULL;
}
