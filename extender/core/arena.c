/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/arena.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define FIRST_BYTES ((size_t)2 * 1024)
#define BUCKETS_FEW 64
#define BUCKETS_KEPT 1024 /* at most this many are cleared at a reset */
#define ALIGN _Alignof(max_align_t)

struct chunk {
    struct chunk *next;
    size_t used, size; /* bytes of room */
    _Alignas(max_align_t) unsigned char room[];
};

struct text {
    struct text *next; /* of the same bucket */
    uint32_t hash, len;
    char bytes[];
};

struct fb_arena {
    struct chunk *chunks;  /* the newest first; only its room is still handed out */
    struct text **buckets; /* few, or memory of their own */
    size_t buckets_len;    /* a power of two */
    size_t texts_len;
    size_t taken, limit; /* bytes; limit 0: none */
    bool small;          /* chunks grow with what was taken */
    struct text *few[BUCKETS_FEW];
};

__extension__ typedef unsigned __int128 wide;

static uint64_t fold(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The arena's address makes it hard to prepare texts that all fall into one bucket. */
static uint32_t hash_of(const struct fb_arena *arena, const char *text, size_t len)
{
    uint64_t secret = (uint64_t)(uintptr_t)arena * UINT64_C(0x9E3779B97F4A7C15) | 1;
    uint64_t hash = secret >> 32 ^ len;
    uint64_t word = 0;

    for (; len >= sizeof word; text += sizeof word, len -= sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = fold(hash ^ word, secret);
    }
    word = 0;
    memcpy(&word, text, len);
    return (uint32_t)fold(hash ^ word, secret);
}

struct fb_arena *fb_arena_new(size_t limit_bytes)
{
    struct fb_arena *arena = calloc(1, sizeof *arena);

    if (arena == NULL)
        return NULL;
    arena->limit = limit_bytes;
    arena->buckets = arena->few;
    arena->buckets_len = BUCKETS_FEW;
    return arena;
}

struct fb_arena *fb_arena_new_small(size_t limit_bytes)
{
    struct fb_arena *arena = fb_arena_new(limit_bytes);

    if (arena != NULL)
        arena->small = true;
    return arena;
}

static void drop_buckets(struct fb_arena *arena)
{
    if (arena->buckets != arena->few)
        free(arena->buckets);
    arena->buckets = arena->few;
    arena->buckets_len = BUCKETS_FEW;
}

/* The table stays as large as it is, within reason: what comes next is often of the same kind. */
static void forget_texts(struct fb_arena *arena)
{
    if (arena->buckets_len > BUCKETS_KEPT)
        drop_buckets(arena);
    if (arena->texts_len > 0)
        memset(arena->buckets, 0, arena->buckets_len * sizeof(struct text *));
    arena->texts_len = 0;
}

void fb_arena_free(struct fb_arena *arena)
{
    if (arena == NULL)
        return;
    drop_buckets(arena);
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

    forget_texts(arena);
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

static struct text *find_text(const struct fb_arena *arena, uint32_t hash, const char *text,
                              size_t len)
{
    struct text *each = arena->buckets[hash & (arena->buckets_len - 1)];

    while (each != NULL &&
           (each->hash != hash || each->len != len || memcmp(each->bytes, text, len) != 0))
        each = each->next;
    return each;
}

static void link_text(struct text **buckets, size_t len, struct text *text)
{
    struct text **bucket = &buckets[text->hash & (len - 1)];

    text->next = *bucket;
    *bucket = text;
}

/* Room for one more text: twice as many buckets once there are as many texts. */
static bool more_buckets(struct fb_arena *arena)
{
    size_t len = arena->buckets_len * 2;
    struct text **buckets;

    if (arena->texts_len < arena->buckets_len)
        return true;
    buckets = calloc(len, sizeof(struct text *));
    if (buckets == NULL)
        return false;
    for (size_t i = 0; i < arena->buckets_len; i++) {
        for (struct text *each = arena->buckets[i], *next; each != NULL; each = next) {
            next = each->next;
            link_text(buckets, len, each);
        }
    }
    drop_buckets(arena);
    arena->buckets = buckets;
    arena->buckets_len = len;
    return true;
}

const char *fb_arena_text(struct fb_arena *arena, const char *text, size_t len)
{
    uint32_t hash;
    struct text *known;

    if (len > UINT_MAX)
        return NULL;
    hash = hash_of(arena, text, len);
    known = find_text(arena, hash, text, len);
    if (known != NULL)
        return known->bytes;
    known = more_buckets(arena) ? fb_arena_alloc(arena, sizeof *known + len + 1) : NULL;
    if (known == NULL)
        return NULL;
    known->hash = hash;
    known->len = (uint32_t)len;
    memcpy(known->bytes, text, len);
    link_text(arena->buckets, arena->buckets_len, known);
    arena->texts_len++;
    return known->bytes;
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
