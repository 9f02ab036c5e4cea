/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_PODJSON_WALK_H
#define FB_PODJSON_WALK_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/json.h"
#include "fabricbind/objects.h"
#include "fabricbind/own.h"
#include "fabricbind/resources.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * A walk over parsed JSON that remembers its first failure: after one every step says "not there",
 * so that decoders need not look at each.
 */
struct fb_podjson {
    struct fb_arena *arena;
    struct fb_error *err;
    enum fb_status status;
};

/** A value and the way to it, on the stack of who walks. */
struct fb_podjson_at {
    const struct fb_json_node *node;
    const struct fb_podjson_at *up;
    const char *key; /* NULL: the index counts */
    size_t index;
    bool begun; /* of entries: not before the first one */
};

void fb_podjson_no_memory(struct fb_podjson *walk);

/** Fails with "<path>: not a map" and so on when @at is of another type. */
bool fb_podjson_is(struct fb_podjson *walk, const struct fb_podjson_at *at, enum fb_json_type type);

/** The value of @key below @up; false when it is absent, null or (a failure) of another type. */
bool fb_podjson_enter(struct fb_podjson *walk, const struct fb_podjson_at *up, const char *key,
                      enum fb_json_type type, struct fb_podjson_at *ret);

/** Before the first entry of a list or map. */
struct fb_podjson_at fb_podjson_entries(const struct fb_podjson_at *in);

/** Step to the next entry of a list that is not null. False at the end and after a failure. */
bool fb_podjson_next(struct fb_podjson *walk, struct fb_podjson_at *entry, enum fb_json_type type);

/** Step to the next entry of a list or map, whatever it is. More than FB_OBJECT_ENTRIES_MAX: a
 * failure. */
bool fb_podjson_next_any(struct fb_podjson *walk, struct fb_podjson_at *entry);

/** @text in the arena, "" after a failure. */
const char *fb_podjson_keep(struct fb_podjson *walk, const char *text);

/** The string at @key, "" when it is absent. */
const char *fb_podjson_text(struct fb_podjson *walk, const struct fb_podjson_at *up,
                            const char *key);

/** Add the strings of a list, or those at @key of the maps in it, to @to. */
void fb_podjson_texts(struct fb_podjson *walk, const struct fb_podjson_at *list,
                      struct fb_texts *to);
void fb_podjson_names(struct fb_podjson *walk, const struct fb_podjson_at *list, const char *key,
                      struct fb_texts *to);

/** Read the map at @key; returns whether it is there. */
bool fb_podjson_pairs(struct fb_podjson *walk, const struct fb_podjson_at *up, const char *key,
                      struct fb_pairs *to);
bool fb_podjson_amounts(struct fb_podjson *walk, const struct fb_podjson_at *up, const char *key,
                        struct fb_resources *to);

/** Room for one more in an array of the arena, NULL after a failure. */
void *fb_podjson_room(struct fb_podjson *walk, void *at, size_t len, size_t *size, size_t elem);

#endif
