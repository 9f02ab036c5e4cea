/* SPDX-License-Identifier: Apache-2.0 */
#include "pieces.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS_FIRST 256

struct fb_piece {
    struct fb_piece *next; /* of the same bucket */
    uint64_t hash;
    size_t holders;
    size_t len;
    union fb_parcel body; /* and what it points at behind it; only the pod's part is there */
};

struct fb_pieces {
    struct fb_packer *packer;
    struct fb_piece **buckets;
    size_t buckets_len; /* a power of two */
    size_t len;
};

#define HEAD_BYTES offsetof(struct fb_piece, body)

struct fb_pieces *fb_pieces_new(struct fb_packer *packer)
{
    struct fb_pieces *pieces = calloc(1, sizeof *pieces);

    if (pieces == NULL)
        return NULL;
    pieces->packer = packer;
    pieces->buckets_len = BUCKETS_FIRST;
    pieces->buckets = calloc(pieces->buckets_len, sizeof(struct fb_piece *));
    if (pieces->buckets == NULL) {
        free(pieces);
        return NULL;
    }
    return pieces;
}

void fb_pieces_free(struct fb_pieces *pieces)
{
    if (pieces == NULL)
        return;
    free(pieces->buckets);
    free(pieces);
}

/* Addresses are part of what is hashed, and those nobody can foretell: no buckets to aim at. */
static uint64_t hash_of(const void *at, size_t len)
{
    const unsigned char *bytes = at;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ len;
    uint64_t word;

    for (; len >= sizeof word; bytes += sizeof word, len -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    for (; len > 0; bytes++, len--)
        hash = (hash ^ *bytes) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

static struct fb_piece **bucket_of(struct fb_pieces *pieces, uint64_t hash)
{
    return &pieces->buckets[hash & (pieces->buckets_len - 1)];
}

/* Without memory for it the buckets just become longer. */
static void spread(struct fb_pieces *pieces)
{
    size_t len = pieces->buckets_len;
    struct fb_piece **old = pieces->buckets;
    struct fb_piece **buckets;

    if (pieces->len < len)
        return;
    buckets = calloc(len * 2, sizeof(struct fb_piece *));
    if (buckets == NULL)
        return;
    pieces->buckets = buckets;
    pieces->buckets_len = len * 2;
    for (size_t i = 0; i < len; i++) {
        for (struct fb_piece *each = old[i], *next; each != NULL; each = next) {
            struct fb_piece **bucket = bucket_of(pieces, each->hash);

            next = each->next;
            each->next = *bucket;
            *bucket = each;
        }
    }
    free(old);
}

static struct fb_piece *find(struct fb_pieces *pieces, uint64_t hash, size_t len,
                             const union fb_parcel *like)
{
    for (struct fb_piece *each = *bucket_of(pieces, hash); each != NULL; each = each->next) {
        if (each->hash == hash && each->len == len &&
            fb_packer_same(pieces->packer, FB_KIND_POD, like, &each->body))
            return each;
    }
    return NULL;
}

static struct fb_piece *add(struct fb_pieces *pieces, uint64_t hash, size_t len,
                            const union fb_parcel *from)
{
    struct fb_piece *piece = calloc(1, HEAD_BYTES + len);
    struct fb_piece **bucket;

    if (piece == NULL ||
        fb_packer_write(pieces->packer, FB_KIND_POD, from, &piece->body, len) != FB_OK) {
        free(piece);
        return NULL;
    }
    spread(pieces);
    piece->hash = hash;
    piece->len = len;
    bucket = bucket_of(pieces, hash);
    piece->next = *bucket;
    *bucket = piece;
    pieces->len++;
    return piece;
}

struct fb_piece *fb_pieces_get(struct fb_pieces *pieces, const struct fb_pod *pod)
{
    union fb_parcel from = {.pod = *pod};
    struct fb_piece *piece;
    const void *at;
    uint64_t hash;
    size_t len;

    if (fb_packer_pack(pieces->packer, FB_KIND_POD, &from, &at, &len) != FB_OK)
        return NULL;
    hash = hash_of(at, len);
    piece = find(pieces, hash, len, &from);
    if (piece == NULL)
        piece = add(pieces, hash, len, &from);
    if (piece != NULL)
        piece->holders++;
    return piece;
}

const struct fb_pod *fb_piece_pod(const struct fb_piece *piece)
{
    return &piece->body.pod;
}

void fb_pieces_release(struct fb_pieces *pieces, struct fb_piece *piece)
{
    struct fb_piece **at;

    if (piece == NULL || --piece->holders > 0)
        return;
    at = bucket_of(pieces, piece->hash);
    while (*at != piece)
        at = &(*at)->next;
    *at = piece->next;
    pieces->len--;
    free(piece);
}

size_t fb_pieces_len(const struct fb_pieces *pieces)
{
    return pieces->len;
}
