/* SPDX-License-Identifier: Apache-2.0 */
#include "read_pod.h"

#include "fabricbind/objects.h"
#include "fabricbind/own.h"
#include "fabricbind/podjson.h"
#include "fabricbind/scan.h"

#include <stdlib.h>
#include <string.h>

static enum fb_status found(void *context, const struct fb_object *object, struct fb_error *err)
{
    if (object->kind != FB_KIND_POD)
        return fb_error_set(err, FB_EINPUT, "not a Pod");
    *(struct fb_pod *)context = object->pod;
    return FB_OK;
}

static enum fb_status take(void *context, const struct fb_scan_value *value, struct fb_error *err)
{
    return fb_object_reader_take(context, value, err);
}

static enum fb_status scan_pod(struct fb_arena *arena, const char *text, size_t len,
                               struct fb_pod *ret, struct fb_error *err)
{
    FB_OWNED(fb_object_mount_freep) struct fb_object_mount *mount = NULL;
    FB_OWNED(fb_object_reader_freep) struct fb_object_reader *reader = NULL;
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = NULL;
    const struct fb_scan_path *rows;
    size_t rows_len;
    enum fb_status st = fb_object_mount_new("", FB_KIND_BIT(FB_KIND_POD), 0, &mount, err);

    if (st != FB_OK)
        return st;
    rows = fb_object_mount_paths(mount, &rows_len);
    st = fb_scan_paths_new(rows, rows_len, &paths, err);
    if (st != FB_OK)
        return st;
    reader = fb_object_reader_new(arena, mount, found, ret);
    if (reader == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    fb_object_reader_assume(reader, FB_KIND_POD);
    return fb_scan_all(paths, NULL, text, len, take, reader, err);
}

static void check(bool right)
{
    if (!right)
        abort();
}

static void compare(const struct fb_pod *pod, const struct fb_podspec *spec)
{
    check(pod->containers_len == spec->containers_len);
    for (size_t i = 0; i < pod->containers_len; i++) {
        check(strcmp(pod->containers[i].name, spec->containers[i].name) == 0);
        check((pod->containers[i].role != FB_CONTAINER_MAIN) == spec->containers[i].init);
    }
    check(pod->has_affinity == spec->has_required);
    check(pod->terms_len == spec->terms_len);
}

enum fb_status read_pod(struct fb_arena *arena, const char *text, size_t len,
                        struct fb_pod *ret_pod, struct fb_podspec *ret_spec, struct fb_error *err)
{
    enum fb_status st = fb_podspec_decode(arena, text, len, ret_spec, err);

    if (st == FB_OK)
        st = scan_pod(arena, text, len, ret_pod, err);
    if (st == FB_OK)
        compare(ret_pod, ret_spec);
    return st;
}
