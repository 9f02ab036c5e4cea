/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/own.h"
#include "objects_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a table is mounted. */
struct spot {
    const char *path; /* below the prefix; "" is the object */
    const char *mark; /* "", or "[]" or ".*" for the entries of what stands at the path */
    unsigned kinds;
    enum fb_place place;
    unsigned owner;
};

static const struct fb_field root = {.path = "", .shape = FB_SHAPE_ROOT};

/* @a, a point unless one side is empty or @b is a mark, and @b; NULL when out of memory. */
static const char *join(struct fb_arena *arena, const char *a, const char *b)
{
    bool point = a[0] != '\0' && b[0] != '\0' && b[0] != '[' && b[0] != '.';
    size_t room = strlen(a) + strlen(b) + sizeof ".";
    char *path = fb_arena_alloc(arena, room);

    if (path != NULL)
        (void)snprintf(path, room, "%s%s%s", a, point ? "." : "", b);
    return path;
}

static bool add_row(struct fb_object_mount *mount, const struct fb_field *field,
                    const struct spot *spot)
{
    struct fb_mounted *at;
    const char *path = join(mount->arena, spot->path, spot->mark);

    at = fb_arena_more(mount->arena, mount->at, mount->len, &mount->size, sizeof *at);
    if (at == NULL || path == NULL)
        return false;
    mount->at = at;
    at[mount->len++] = (struct fb_mounted){.field = field,
                                           .path = path,
                                           .kinds = spot->kinds,
                                           .place = spot->place,
                                           .owner = spot->owner,
                                           .entry = spot->mark[0] != '\0'};
    return true;
}

static const char *entry_mark(enum fb_shape shape)
{
    if (shape == FB_SHAPE_LIST || shape == FB_SHAPE_TEXTS)
        return "[]";
    if (shape >= FB_SHAPE_PAIRS && shape <= FB_SHAPE_MAP)
        return ".*";
    return "";
}

static bool starts_things(enum fb_shape shape)
{
    return shape == FB_SHAPE_LIST || shape == FB_SHAPE_MAP || shape == FB_SHAPE_SLOT;
}

static bool add_table(struct fb_object_mount *mount, const struct fb_field *table,
                      const struct spot *spot, unsigned kinds);

/* The rows of @field at @spot, whose path is the field's, and of the table below it. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables, which are constant. */
static bool add_field(struct fb_object_mount *mount, const struct fb_field *field, struct spot spot,
                      unsigned kinds)
{
    if (field->shape != FB_SHAPE_MOUNT && !add_row(mount, field, &spot))
        return false;
    spot.mark = entry_mark(field->shape);
    if (spot.mark[0] != '\0' && !add_row(mount, field, &spot))
        return false;
    if (field->below == NULL)
        return true;
    spot.path = join(mount->arena, spot.path, spot.mark);
    spot.mark = "";
    if (starts_things(field->shape))
        spot.owner = ++mount->owners;
    return spot.path != NULL && add_table(mount, field->below, &spot, kinds);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static bool add_table(struct fb_object_mount *mount, const struct fb_field *table,
                      const struct spot *spot, unsigned kinds)
{
    for (const struct fb_field *field = table; field->path != NULL; field++) {
        struct spot own = *spot;

        if (field->kinds != 0)
            own.kinds = field->kinds;
        if ((own.kinds & kinds) == 0)
            continue;
        if (field->place != FB_PLACE_ITEM)
            own.place = field->place;
        own.path = join(mount->arena, spot->path, field->path);
        if (own.path == NULL || !add_field(mount, field, own, kinds))
            return false;
    }
    return true;
}

static bool fill_paths(struct fb_object_mount *mount, const char *prefix)
{
    struct fb_scan_path *paths = fb_arena_alloc(mount->arena, mount->len * sizeof *paths);

    mount->paths = paths;
    if (paths == NULL)
        return false;
    for (size_t i = 0; i < mount->len; i++) {
        paths[i].path = join(mount->arena, prefix, mount->at[i].path);
        paths[i].id = mount->first_id + (int)i;
        if (paths[i].path == NULL)
            return false;
    }
    return true;
}

enum fb_status fb_object_mount_new(const char *prefix, unsigned kinds, int first_id,
                                   struct fb_object_mount **ret, struct fb_error *err)
{
    static const struct spot top = {.path = "", .mark = "", .kinds = FB_KINDS_ALL};
    FB_OWNED(fb_object_mount_freep) struct fb_object_mount *mount = calloc(1, sizeof *mount);

    if (mount != NULL) {
        mount->first_id = first_id;
        mount->kinds = kinds;
        mount->arena = fb_arena_new_small(0);
    }
    if (mount == NULL || mount->arena == NULL || !add_row(mount, &root, &top) ||
        !add_table(mount, fb_item_fields, &top, kinds) || !fill_paths(mount, prefix))
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    *ret = FB_TAKE(mount);
    return FB_OK;
}

void fb_object_mount_free(struct fb_object_mount *mount)
{
    if (mount == NULL)
        return;
    fb_arena_free(mount->arena);
    free(mount);
}

void fb_object_mount_freep(struct fb_object_mount **mount)
{
    fb_object_mount_free(*mount);
    *mount = NULL;
}

const struct fb_scan_path *fb_object_mount_paths(const struct fb_object_mount *mount,
                                                 size_t *ret_len)
{
    *ret_len = mount->len;
    return mount->paths;
}

bool fb_object_mount_has(const struct fb_object_mount *mount, int id)
{
    return id >= mount->first_id && (size_t)(id - mount->first_id) < mount->len;
}
