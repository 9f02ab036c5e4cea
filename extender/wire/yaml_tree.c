/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_tree.h"

#include "fabricbind/own.h"

#include <stdlib.h>
#include <string.h>

struct seen {
    const char *key;
    size_t line;
};

static enum fb_status out_of_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

static struct fb_yaml_frame *innermost(struct fb_yaml_tree *tree)
{
    return tree->depth > 0 ? &tree->open[tree->depth - 1] : NULL;
}

static bool wants_key(const struct fb_yaml_frame *frame)
{
    return frame != NULL && frame->node->type == FB_YAML_MAP && frame->key == NULL;
}

/* Room for one more element; for a map also for its key and the key's line. */
static bool node_grow(struct fb_arena *arena, struct fb_yaml *node)
{
    size_t size = node->size;
    size_t key_size = node->size;
    size_t line_size = node->size;
    struct fb_yaml *at = fb_arena_more(arena, node->at, node->len, &size, sizeof *at);

    if (at == NULL)
        return false;
    if (node->type == FB_YAML_MAP) {
        const char **keys =
            fb_arena_more(arena, (void *)node->keys, node->len, &key_size, sizeof *keys);
        size_t *lines = fb_arena_more(arena, node->key_lines, node->len, &line_size, sizeof *lines);

        if (keys == NULL || lines == NULL)
            return false;
        node->keys = keys;
        node->key_lines = lines;
    }
    node->at = at;
    node->size = size;
    return true;
}

/*
 * Where the next node goes; NULL and @ret_st on failure. Stays valid while the node is open: its
 * parents get no further elements, so their arrays do not move, before it is closed.
 */
static struct fb_yaml *node_place(struct fb_yaml_tree *tree, size_t line, enum fb_status *ret_st,
                                  struct fb_error *err)
{
    struct fb_yaml_frame *frame = innermost(tree);
    struct fb_yaml *node;

    if (++tree->nodes > FB_YAML_NODES) {
        *ret_st = fb_error_set(err, FB_ELIMIT, "line %zu: more than %d nodes", line, FB_YAML_NODES);
        return NULL;
    }
    if (frame == NULL)
        return &tree->root;
    node = frame->node;
    if (!node_grow(tree->arena, node)) {
        *ret_st = out_of_memory(err);
        return NULL;
    }
    if (node->type == FB_YAML_MAP) {
        node->keys[node->len] = frame->key;
        node->key_lines[node->len] = frame->key_line;
        frame->key = NULL;
    }
    return &node->at[node->len++];
}

static bool is_null(const char *text)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i]) == 0)
            return true;
    }
    return false;
}

static enum fb_status key_set(struct fb_yaml_frame *frame, const char *text, bool quoted,
                              size_t line, struct fb_error *err)
{
    if (!quoted && strcmp(text, "<<") == 0)
        return fb_error_set(err, FB_EINPUT, "line %zu: merge keys are not taken", line);
    frame->key = text;
    frame->key_line = line;
    return FB_OK;
}

enum fb_status fb_yaml_tree_scalar(struct fb_yaml_tree *tree, const char *bytes, size_t len,
                                   bool quoted, size_t line, struct fb_error *err)
{
    struct fb_yaml_frame *frame = innermost(tree);
    struct fb_yaml *node;
    const char *text;
    enum fb_status st = FB_OK;

    if (memchr(bytes, '\0', len) != NULL)
        return fb_error_set(err, FB_EINPUT, "line %zu: NUL in a text", line);
    text = fb_arena_text(tree->arena, bytes, len);
    if (text == NULL)
        return out_of_memory(err);
    if (wants_key(frame))
        return key_set(frame, text, quoted, line, err);

    node = node_place(tree, line, &st, err);
    if (node == NULL)
        return st;
    if (!quoted && is_null(text))
        *node = (struct fb_yaml){.type = FB_YAML_NULL, .line = line, .text = ""};
    else
        *node =
            (struct fb_yaml){.type = FB_YAML_SCALAR, .line = line, .text = text, .quoted = quoted};
    return FB_OK;
}

enum fb_status fb_yaml_tree_open(struct fb_yaml_tree *tree, enum fb_yaml_type type, size_t line,
                                 struct fb_error *err)
{
    struct fb_yaml *node;
    enum fb_status st = FB_OK;

    if (wants_key(innermost(tree)))
        return fb_error_set(err, FB_EINPUT, "line %zu: a key is no text", line);
    if (tree->depth == FB_YAML_DEPTH)
        return fb_error_set(err, FB_ELIMIT, "line %zu: nested deeper than %d", line, FB_YAML_DEPTH);
    node = node_place(tree, line, &st, err);
    if (node == NULL)
        return st;
    *node = (struct fb_yaml){.type = type, .line = line, .text = ""};
    tree->open[tree->depth++] = (struct fb_yaml_frame){.node = node};
    return FB_OK;
}

static int seen_compare(const void *a, const void *b)
{
    const struct seen *left = a;
    const struct seen *right = b;
    int order = strcmp(left->key, right->key);

    if (order != 0)
        return order;
    return (left->line > right->line) - (left->line < right->line);
}

static void seen_freep(struct seen **seen)
{
    free(*seen);
}

/* Sorted, because a hostile map has many keys. */
static enum fb_status check_twice(const struct fb_yaml *map, struct fb_error *err)
{
    FB_OWNED(seen_freep) struct seen *seen = NULL;
    const struct seen *twice = NULL;

    if (map->type != FB_YAML_MAP || map->len < 2)
        return FB_OK;
    seen = calloc(map->len, sizeof *seen);
    if (seen == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < map->len; i++)
        seen[i] = (struct seen){map->keys[i], map->key_lines[i]};
    qsort(seen, map->len, sizeof *seen, seen_compare);
    for (size_t i = 1; i < map->len; i++) {
        if (strcmp(seen[i].key, seen[i - 1].key) == 0 &&
            (twice == NULL || seen[i].line < twice->line))
            twice = &seen[i];
    }
    if (twice == NULL)
        return FB_OK;
    return fb_error_set(err, FB_EINPUT, "line %zu: key '%s' is given twice", twice->line,
                        twice->key);
}

enum fb_status fb_yaml_tree_close(struct fb_yaml_tree *tree, struct fb_error *err)
{
    return check_twice(tree->open[--tree->depth].node, err);
}

enum fb_status fb_yaml_tree_end(struct fb_yaml_tree *tree, struct fb_error *err)
{
    struct fb_yaml_documents *all = &tree->documents;
    struct fb_yaml *at;

    if (tree->root.type == FB_YAML_NULL)
        return FB_OK;
    at = fb_arena_more(tree->arena, all->at, all->len, &all->size, sizeof *at);
    if (at == NULL)
        return out_of_memory(err);
    all->at = at;
    all->at[all->len++] = tree->root;
    tree->root = (struct fb_yaml){.text = ""};
    return FB_OK;
}
