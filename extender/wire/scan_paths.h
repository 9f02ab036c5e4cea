/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WIRE_SCAN_PATHS_H
#define FB_WIRE_SCAN_PATHS_H

#include "fabricbind/scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** What is one step further along the named paths. Everything below it belongs to the paths. */
struct fb_scan_node {
    struct fb_scan_node *made;    /* the one made before; the list that frees them all */
    struct fb_scan_node *keys;    /* first of the exact keys below */
    struct fb_scan_node *next;    /* next exact key of the same parent */
    struct fb_scan_node *star;    /* any other key below; NULL: none is wanted */
    struct fb_scan_node *element; /* elements of an array here; NULL: none is wanted */
    uint64_t key_lens;            /* bit i: a key of i bytes, modulo 64, is among keys */
    int id;                       /* FB_SCAN_UNNAMED: only on the way to a named path */
    size_t key_len;
    char key[]; /* without NUL */
};

#define FB_SCAN_UNNAMED (-1)

struct fb_scan_paths {
    struct fb_scan_node *root;
    struct fb_scan_node *made;
    size_t longest; /* steps of the longest path */
};

/** Whether any key of an object at @node is wanted. */
static inline bool fb_scan_node_has_keys(const struct fb_scan_node *node)
{
    return node->keys != NULL || node->star != NULL;
}

/** The node of @key in an object at @node, exact before "*"; NULL when it is not wanted. */
static inline const struct fb_scan_node *fb_scan_node_find(const struct fb_scan_node *node,
                                                           const char *key, size_t len)
{
    if ((node->key_lens >> len % 64 & 1) == 0)
        return node->star;
    for (const struct fb_scan_node *each = node->keys; each != NULL; each = each->next) {
        if (each->key_len == len && memcmp(each->key, key, len) == 0)
            return each;
    }
    return node->star;
}

#endif
