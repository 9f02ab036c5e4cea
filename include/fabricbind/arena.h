/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_ARENA_H
#define FB_ARENA_H

#include "fabricbind/error.h"

#include <stddef.h>

/**
 * Memory that is given back all at once, and texts stored once.
 *
 * Whatever is decoded from one source (a snapshot, a policy, a manifest) lives in one arena, so
 * that a half-built object needs no clean-up of its own. Nothing is freed before the arena is, or
 * is reset.
 * Not safe for use by two threads at once.
 */
struct fb_arena;

/** @limit_bytes bounds what the arena ever takes; 0: no bound. Returns NULL when out of memory. */
struct fb_arena *fb_arena_new(size_t limit_bytes);

/** Free @arena and everything in it. NULL is fine. */

/** The same for few things, of which there are many arenas: what it takes starts at 2 KiB. */
struct fb_arena *fb_arena_new_small(size_t limit_bytes);

void fb_arena_free(struct fb_arena *arena);
void fb_arena_freep(struct fb_arena **arena);

/** Give back everything in @arena but one piece of memory, which what comes next is put into. */
void fb_arena_reset(struct fb_arena *arena);

/** @bytes of zeroed memory aligned for any object, or NULL when out of memory or over the limit. */
void *fb_arena_alloc(struct fb_arena *arena, size_t bytes);

/**
 * A NUL-terminated copy of @len bytes of @text, the same pointer for equal texts: texts of one
 * arena can be compared by address. NULL when out of memory or over UINT_MAX bytes.
 */
const char *fb_arena_text(struct fb_arena *arena, const char *text, size_t len);

/** A formatted text kept as fb_arena_text() does, cut after 2,047 bytes. NULL when out of memory.
 */
const char *fb_arena_print(struct fb_arena *arena, const char *fmt, ...) FB_PRINTF(2, 3);

/**
 * Room for one more element in a growing array.
 *
 * @at     array of @len elements of @elem bytes with room for *@size, or NULL when empty
 *
 * Returns the array, moved and zero-filled at the end when it had to grow, with *@size updated;
 * NULL when out of memory, @at is then as before.
 */
void *fb_arena_more(struct fb_arena *arena, void *at, size_t len, size_t *size, size_t elem);

/** Bytes taken so far. */
size_t fb_arena_bytes(const struct fb_arena *arena);

#endif
