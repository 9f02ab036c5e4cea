/* SPDX-License-Identifier: Apache-2.0 */
#include "file.h"

#include "fabricbind/own.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)256 * 1024)

static void close_fd(int *fd)
{
    if (*fd > STDERR_FILENO)
        (void)close(*fd);
}

static void freep(char **at)
{
    free(*at);
}

static enum fb_status failed(const char *path, struct fb_error *err)
{
    char reason[128];

    return fb_error_set(err, errno == ENOENT ? FB_ENOTFOUND : FB_EIO, "%s: %s", path,
                        strerror_r(errno, reason, sizeof reason));
}

static enum fb_status open_file(const char *path, int *ret, struct fb_error *err)
{
    struct stat info;

    *ret = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (*ret < 0 || fstat(*ret, &info) != 0)
        return failed(path, err);
    if (S_ISDIR(info.st_mode))
        return fb_error_set(err, FB_EIO, "%s: is a directory", path);
    return FB_OK;
}

static ssize_t read_some(int fd, char *bytes, size_t size)
{
    ssize_t got;

    do {
        got = read(fd, bytes, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

enum fb_status fb_file_stream(const char *path, size_t limit_bytes, fb_file_piece piece,
                              void *context, struct fb_error *err)
{
    FB_OWNED(freep) char *bytes = malloc(PIECE_BYTES);
    FB_OWNED(close_fd) int fd = -1;
    size_t total = 0;
    enum fb_status st = open_file(path, &fd, err);

    if (st != FB_OK)
        return st;
    if (bytes == NULL)
        return fb_error_set(err, FB_ENOMEM, "%s: out of memory", path);
    for (;;) {
        ssize_t got = read_some(fd, bytes, PIECE_BYTES);

        if (got < 0)
            return failed(path, err);
        if (got == 0)
            return FB_OK;
        if ((size_t)got > limit_bytes - total)
            return fb_error_set(err, FB_ELIMIT, "%s: more than %zu bytes (limits.fileBytes)", path,
                                limit_bytes);
        total += (size_t)got;
        st = piece(context, bytes, (size_t)got, err);
        if (st != FB_OK)
            return fb_error_prefix(err, st, "%s", path);
    }
}

/* A file on its way into memory. */
struct whole {
    char *bytes;
    size_t len, size;
};

static enum fb_status append(void *context, const char *bytes, size_t len, struct fb_error *err)
{
    struct whole *whole = context;

    if (whole->len + len > whole->size) {
        size_t size = (whole->len + len) * 2;
        char *grown = realloc(whole->bytes, size);

        if (grown == NULL)
            return fb_error_set(err, FB_ENOMEM, "out of memory");
        whole->bytes = grown;
        whole->size = size;
    }
    memcpy(whole->bytes + whole->len, bytes, len);
    whole->len += len;
    return FB_OK;
}

enum fb_status fb_file_read(struct fb_arena *arena, const char *path, size_t limit_bytes,
                            const char **ret, size_t *ret_len, struct fb_error *err)
{
    struct whole whole = {NULL, 0, 0};
    enum fb_status st = fb_file_stream(path, limit_bytes, append, &whole, err);
    FB_OWNED(freep) char *bytes = whole.bytes;
    char *kept;

    if (st != FB_OK)
        return st;
    kept = fb_arena_alloc(arena, whole.len + 1);
    if (kept == NULL)
        return fb_error_set(err, FB_ENOMEM, "%s: out of memory", path);
    if (whole.len > 0)
        memcpy(kept, bytes, whole.len);
    *ret = kept;
    *ret_len = whole.len;
    return FB_OK;
}

const char *fb_file_join(struct fb_arena *arena, const char *dir, const char *name)
{
    size_t size = strlen(dir) + strlen(name) + 2;
    char *path = fb_arena_alloc(arena, size);

    if (path != NULL)
        (void)snprintf(path, size, "%s/%s", dir, name);
    return path;
}

static void close_dir(DIR **dir)
{
    if (*dir != NULL)
        (void)closedir(*dir);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t len = strlen(name);
    size_t suffix_len = strlen(suffix);

    return len > suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
}

enum fb_status fb_file_list(struct fb_arena *arena, const char *dir, const char *suffix,
                            struct fb_texts *ret, struct fb_error *err)
{
    FB_OWNED(close_dir) DIR *open_dir = opendir(dir);
    struct fb_texts found = {0};
    const struct dirent *entry;

    if (open_dir == NULL)
        return failed(dir, err);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): this DIR is nobody else's */
    while ((entry = readdir(open_dir)) != NULL) {
        if (ends_in(entry->d_name, suffix) &&
            fb_texts_add(arena, &found, fb_file_join(arena, dir, entry->d_name)) != FB_OK)
            return fb_error_set(err, FB_ENOMEM, "%s: out of memory", dir);
    }
    if (found.len > 1)
        qsort(found.at, found.len, sizeof *found.at, by_text);
    *ret = found;
    return FB_OK;
}
