/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/arena.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A lack of memory is an answer here, not an exit. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->refused = true)
#define HASH_FUNCTION(key, len, hash) ((hash) = hash_of(arena, key, len))
#include <uthash.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define FIRST_BYTES ((size_t)2 * 1024)
#define ALIGN _Alignof(max_align_t)

struct chunk {
    struct chunk *next;
    size_t used, size; /* bytes of room */
    _Alignas(max_align_t) unsigned char room[];
};

struct text {
    UT_hash_handle hh;
    bool refused;
    char bytes[];
};

struct fb_arena {
    struct chunk *chunks; /* the newest first; only its room is still handed out */
    struct text *texts;
    size_t taken, limit; /* bytes; limit 0: none */
    bool small;          /* chunks grow with what was taken */
};

/* FNV-1a. The arena's address makes it hard to prepare texts that all fall into one bucket. */
static unsigned hash_of(const struct fb_arena *arena, const char *text, size_t len)
{
    uint32_t hash = UINT32_C(2166136261) ^ (uint32_t)((uintptr_t)arena / ALIGN);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT32_C(16777619);
    return hash;
}

struct fb_arena *fb_arena_new(size_t limit_bytes)
{
    struct fb_arena *arena = calloc(1, sizeof *arena);

    if (arena != NULL)
        arena->limit = limit_bytes;
    return arena;
}

struct fb_arena *fb_arena_new_small(void)
{
    struct fb_arena *arena = fb_arena_new(0);

    if (arena != NULL)
        arena->small = true;
    return arena;
}

void fb_arena_free(struct fb_arena *arena)
{
    if (arena == NULL)
        return;
    HASH_CLEAR(hh, arena->texts);
    while (arena->chunks != NULL) {
        struct chunk *next = arena->chunks->next;

        free(arena->chunks);
        arena->chunks = next;
    }
    free(arena);
}

void fb_arena_reset(struct fb_arena *arena)
{
    struct chunk *kept = arena->chunks;

    HASH_CLEAR(hh, arena->texts);
    while (kept != NULL && kept->next != NULL) {
        struct chunk *next = kept->next->next;

        free(kept->next);
        kept->next = next;
    }
    arena->taken = kept != NULL ? kept->size : 0;
    if (kept == NULL)
        return;
    memset(kept->room, 0, kept->used);
    kept->used = 0;
}

void fb_arena_freep(struct fb_arena **arena)
{
    fb_arena_free(*arena);
}

static size_t chunk_size(const struct fb_arena *arena, size_t bytes)
{
    size_t size = CHUNK_BYTES;

    if (arena->small && arena->taken < CHUNK_BYTES)
        size = arena->taken > FIRST_BYTES ? arena->taken : FIRST_BYTES;
    return bytes > size / 4 ? bytes : size;
}

static struct chunk *chunk_add(struct fb_arena *arena, size_t bytes)
{
    size_t size = chunk_size(arena, bytes);
    struct chunk *chunk;

    if (arena->limit != 0 && (size > arena->limit || arena->taken > arena->limit - size))
        return NULL;
    chunk = calloc(1, sizeof *chunk + size);
    if (chunk == NULL)
        return NULL;
    chunk->size = size;
    arena->taken += size;
    /* A large object gets a chunk of its own; the one in use stays in front. */
    if (size == bytes && arena->chunks != NULL) {
        chunk->next = arena->chunks->next;
        arena->chunks->next = chunk;
    } else {
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    return chunk;
}

void *fb_arena_alloc(struct fb_arena *arena, size_t bytes)
{
    struct chunk *chunk = arena->chunks;
    void *room;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (chunk == NULL || chunk->size - chunk->used < bytes)
        chunk = chunk_add(arena, bytes);
    if (chunk == NULL)
        return NULL;
    room = chunk->room + chunk->used;
    chunk->used += bytes;
    return room;
}

const char *fb_arena_text(struct fb_arena *arena, const char *text, size_t len)
{
    struct text *known;

    /* The table keeps lengths as unsigned int. */
    if (len > UINT_MAX)
        return NULL;
    HASH_FIND(hh, arena->texts, text, len, known);
    if (known != NULL)
        return known->bytes;
    known = fb_arena_alloc(arena, sizeof *known + len + 1);
    if (known == NULL)
        return NULL;
    memcpy(known->bytes, text, len);
    HASH_ADD_KEYPTR(hh, arena->texts, known->bytes, len, known);
    return known->refused ? NULL : known->bytes;
}

const char *fb_arena_print(struct fb_arena *arena, const char *fmt, ...)
{
    char text[2048];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fb_arena_text(arena, text, strlen(text));
}

void *fb_arena_more(struct fb_arena *arena, void *at, size_t len, size_t *size, size_t elem)
{
    size_t grown = *size < 4 ? 4 : *size * 2;
    void *moved;

    if (len < *size)
        return at;
    if (grown > SIZE_MAX / 4 / elem)
        return NULL;
    moved = fb_arena_alloc(arena, grown * elem);
    if (moved == NULL)
        return NULL;
    if (len > 0)
        memcpy(moved, at, len * elem);
    *size = grown;
    return moved;
}

size_t fb_arena_bytes(const struct fb_arena *arena)
{
    return arena->taken;
}
