/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WIRE_YAML_TREE_H
#define FB_WIRE_YAML_TREE_H

#include "fabricbind/yaml.h"

#define FB_YAML_DEPTH 64
#define FB_YAML_NODES 1000000

/** A list or map that is not complete yet. */
struct fb_yaml_frame {
    struct fb_yaml *node;
    const char *key; /* map: of the value to come; NULL: the next scalar is a key */
    size_t key_line;
};

/**
 * Documents while they grow, node by node in the order of the file. Starts as {.arena = arena}.
 * Every function returns FB_OK; FB_EINPUT or FB_ELIMIT with the line; FB_ENOMEM.
 */
struct fb_yaml_tree {
    struct fb_arena *arena;
    struct fb_yaml_documents documents;
    struct fb_yaml root; /* of the document that is being read */
    struct fb_yaml_frame open[FB_YAML_DEPTH];
    size_t depth; /* frames in use */
    size_t nodes; /* built so far, over all documents */
};

/** A scalar of @len bytes: a key where one is due, else a value. */
enum fb_status fb_yaml_tree_scalar(struct fb_yaml_tree *tree, const char *bytes, size_t len,
                                   bool quoted, size_t line, struct fb_error *err) FB_CHECK;

/** A list or map begins, or the innermost one is complete. */
enum fb_status fb_yaml_tree_open(struct fb_yaml_tree *tree, enum fb_yaml_type type, size_t line,
                                 struct fb_error *err) FB_CHECK;
enum fb_status fb_yaml_tree_close(struct fb_yaml_tree *tree, struct fb_error *err) FB_CHECK;

/** The document is complete: it goes to the others unless it is empty. */
enum fb_status fb_yaml_tree_end(struct fb_yaml_tree *tree, struct fb_error *err) FB_CHECK;

#endif
