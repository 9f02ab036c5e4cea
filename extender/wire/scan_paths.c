/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_paths.h"

#include "fabricbind/own.h"

#include <stdlib.h>
#include <string.h>

static struct fb_scan_node *make_node(struct fb_scan_paths *paths, const char *key, size_t len)
{
    struct fb_scan_node *node = calloc(1, sizeof *node + len);

    if (node == NULL)
        return NULL;
    node->id = FB_SCAN_UNNAMED;
    node->key_len = len;
    memcpy(node->key, key, len);
    node->made = paths->made;
    paths->made = node;
    return node;
}

/* Where the link to an exact key is, or has to be put; the node knows from now on how long it is.
 */
static struct fb_scan_node **find_link(struct fb_scan_node *node, const char *key, size_t len)
{
    struct fb_scan_node **link = &node->keys;

    node->key_lens |= (uint64_t)1 << len % 64;
    while (*link != NULL && ((*link)->key_len != len || memcmp((*link)->key, key, len) != 0))
        link = &(*link)->next;
    return link;
}

static enum fb_status refuse(struct fb_error *err, const char *path, const char *at,
                             const char *wanted)
{
    return fb_error_set(err, FB_EINPUT, "path '%s': %s expected at character %zu", path, wanted,
                        (size_t)(at - path));
}

/* Read one step of @path at *@at and go from *@node to the node below, made where it is new. */
static enum fb_status add_step(struct fb_scan_paths *paths, const char *path, const char **at,
                               struct fb_scan_node **node, struct fb_error *err)
{
    const char *key = *at;
    struct fb_scan_node **link;
    size_t len = 2;

    if (*key == '[') {
        if (key[1] != ']')
            return refuse(err, path, key, "'[]'");
        link = &(*node)->element;
    } else {
        if (key != path && *key++ != '.')
            return refuse(err, path, key - 1, "'.' or '[]'");
        len = *key == '*' ? 1 : strcspn(key, ".[]*");
        if (len == 0)
            return refuse(err, path, key, "a key");
        link = *key == '*' ? &(*node)->star : find_link(*node, key, len);
    }
    if (*link == NULL)
        *link = make_node(paths, key, len);
    if (*link == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    *node = *link;
    *at = key + len;
    return FB_OK;
}

static enum fb_status add_path(struct fb_scan_paths *paths, const struct fb_scan_path *row,
                               struct fb_error *err)
{
    struct fb_scan_node *node = paths->root;
    const char *at = row->path;
    size_t steps = 0;

    if (row->id < 0)
        return fb_error_set(err, FB_EINPUT, "path '%s': id %d is negative", row->path, row->id);
    while (*at != '\0') {
        enum fb_status st = add_step(paths, row->path, &at, &node, err);

        if (st != FB_OK)
            return st;
        steps++;
    }
    node->id = row->id;
    if (steps > paths->longest)
        paths->longest = steps;
    return FB_OK;
}

enum fb_status fb_scan_paths_new(const struct fb_scan_path *at, size_t len,
                                 struct fb_scan_paths **ret, struct fb_error *err)
{
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = calloc(1, sizeof *paths);

    if (paths != NULL)
        paths->root = make_node(paths, "", 0);
    if (paths == NULL || paths->root == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    for (size_t i = 0; i < len; i++) {
        enum fb_status st = add_path(paths, &at[i], err);

        if (st != FB_OK)
            return st;
    }
    *ret = FB_TAKE(paths);
    return FB_OK;
}

void fb_scan_paths_free(struct fb_scan_paths *paths)
{
    if (paths == NULL)
        return;
    while (paths->made != NULL) {
        struct fb_scan_node *node = paths->made;

        paths->made = node->made;
        free(node);
    }
    free(paths);
}

void fb_scan_paths_freep(struct fb_scan_paths **paths)
{
    fb_scan_paths_free(*paths);
    *paths = NULL;
}
