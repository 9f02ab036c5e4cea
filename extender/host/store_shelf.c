/* SPDX-License-Identifier: Apache-2.0 */
#include "store_shelf.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES offsetof(struct fb_stored, body)
#define SLOTS_FIRST 64

struct names {
    const char *space, *name, *uid;
};

static struct names names_of(enum fb_kind kind, const union fb_parcel *parcel)
{
    switch ((int)kind) {
    case FB_KIND_NODE:
        return (struct names){"", parcel->node.name, parcel->node.uid};
    case FB_KIND_POD:
        return (struct names){parcel->pod.space, parcel->pod.name, parcel->pod.uid};
    case FB_KIND_PODGROUP:
        return (struct names){parcel->podgroup.space, parcel->podgroup.name, parcel->podgroup.uid};
    case FB_KIND_NAMESPACE:
        return (struct names){"", parcel->namespace.name, ""};
    default:
        return (struct names){parcel->job.space, parcel->job.name, parcel->job.uid};
    }
}

static struct names names_of_stored(const struct fb_stored *stored)
{
    const struct fb_pod_own *own = &stored->body.own;

    if (stored->kind == FB_KIND_POD)
        return (struct names){fb_piece_pod(stored->piece)->space, own->name, own->uid};
    return names_of(stored->kind, &stored->body);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    while (*text++ != '\0');
    return hash;
}

static uint64_t hash_names(const struct names *names)
{
    uint64_t hash = hash_text(UINT64_C(0xcbf29ce484222325), names->space);

    hash = hash_text(hash, names->name);
    return hash ^ hash >> 32;
}

/* What no sibling has; all else goes into the piece. */
static struct fb_pod_own own_of(const struct fb_pod *pod)
{
    return (struct fb_pod_own){
        .name = pod->name,
        .uid = pod->uid,
        .node = pod->node,
        .phase = pod->phase,
        .annotations = pod->annotations.at,
        .annotations_len = (uint32_t)pod->annotations.len,
        .annotations_bytes = (uint32_t)pod->annotations_bytes,
        .terms = pod->terms,
        .terms_len = (uint32_t)pod->terms_len,
        .terminating = pod->terminating,
    };
}

/* @pod with @own in the place of its own. */
static void put_own(struct fb_pod *pod, const struct fb_pod_own *own)
{
    pod->name = own->name;
    pod->uid = own->uid;
    pod->node = own->node;
    pod->phase = own->phase;
    pod->annotations = (struct fb_pairs){
        .at = own->annotations, .len = own->annotations_len, .size = own->annotations_len};
    pod->annotations_bytes = own->annotations_bytes;
    pod->terms = own->terms;
    pod->terms_len = pod->terms_size = own->terms_len;
    pod->terminating = own->terminating;
}

void fb_stored_pod(const struct fb_stored *stored, struct fb_pod *ret)
{
    *ret = *fb_piece_pod(stored->piece);
    put_own(ret, &stored->body.own);
}

/* The piece of @pod, held; NULL when out of memory. */
static struct fb_piece *find_piece(const struct fb_pod *pod, struct fb_pieces *pieces)
{
    static const struct fb_pod_own nobody = {.name = "", .uid = "", .node = "", .phase = ""};
    struct fb_pod rest = *pod;

    put_own(&rest, &nobody);
    return fb_pieces_get(pieces, &rest);
}

struct fb_stored *fb_stored_new(enum fb_kind kind, const union fb_parcel *parcel,
                                struct fb_packer *packer, struct fb_pieces *pieces)
{
    bool pod = kind == FB_KIND_POD;
    enum fb_kind packed = pod ? FB_PARCEL_OWN : kind;
    union fb_parcel own = *parcel;
    struct fb_piece *piece = pod ? find_piece(&parcel->pod, pieces) : NULL;
    struct names names = names_of(kind, parcel);
    struct fb_stored *stored = NULL;
    const void *at;
    size_t len;

    if (pod && piece == NULL)
        return NULL;
    if (pod)
        own.own = own_of(&parcel->pod);
    if (fb_packer_pack(packer, packed, &own, &at, &len) == FB_OK)
        stored = calloc(1, HEAD_BYTES + len);
    if (stored == NULL || fb_packer_write(packer, packed, &own, &stored->body, len) != FB_OK) {
        fb_pieces_release(pieces, piece);
        free(stored);
        return NULL;
    }
    stored->holders = 1;
    stored->kind = kind;
    stored->piece = piece;
    stored->hash = hash_names(&names);
    return stored;
}

void fb_stored_release(struct fb_stored *stored, struct fb_pieces *pieces)
{
    if (stored == NULL || --stored->holders > 0)
        return;
    fb_pieces_release(pieces, stored->piece);
    free(stored);
}

bool fb_stored_same(const struct fb_stored *stored, const union fb_parcel *parcel,
                    struct fb_packer *packer)
{
    union fb_parcel whole;

    if (stored->kind != FB_KIND_POD)
        return fb_packer_same(packer, stored->kind, &stored->body, parcel);
    fb_stored_pod(stored, &whole.pod);
    return fb_packer_same(packer, FB_KIND_POD, &whole, parcel);
}

const char *fb_stored_uid(const struct fb_stored *stored)
{
    return names_of_stored(stored).uid;
}

/* The slot of that name, or the free one where it would go. There is always a free one. */
static size_t find_slot(const struct fb_shelf *shelf, uint64_t hash, const struct names *names)
{
    size_t slot = (size_t)hash & (shelf->slots_len - 1);

    for (; shelf->slots[slot] != NULL; slot = (slot + 1) & (shelf->slots_len - 1)) {
        const struct fb_stored *each = shelf->slots[slot];
        struct names theirs;

        if (each->hash != hash)
            continue;
        theirs = names_of_stored(each);
        if (strcmp(theirs.name, names->name) == 0 && strcmp(theirs.space, names->space) == 0)
            break;
    }
    return slot;
}

struct fb_stored *fb_shelf_find(const struct fb_shelf *shelf, enum fb_kind kind,
                                const union fb_parcel *like)
{
    struct names names = names_of(kind, like);

    if (shelf->slots_len == 0)
        return NULL;
    return shelf->slots[find_slot(shelf, hash_names(&names), &names)];
}

static void put_in_slot(struct fb_shelf *shelf, struct fb_stored *stored)
{
    struct names names = names_of_stored(stored);

    shelf->slots[find_slot(shelf, stored->hash, &names)] = stored;
}

/* Room for one more in both tables, the slots at most half full. */
static bool make_room(struct fb_shelf *shelf)
{
    size_t slots_len = shelf->slots_len > 0 ? shelf->slots_len * 2 : SLOTS_FIRST;
    struct fb_stored **slots;

    if (shelf->len == shelf->size) {
        size_t size = shelf->size > 0 ? shelf->size * 2 : SLOTS_FIRST / 2;
        struct fb_stored **at = realloc(shelf->at, size * sizeof(struct fb_stored *));

        if (at == NULL)
            return false;
        shelf->at = at;
        shelf->size = size;
    }
    if (shelf->len < shelf->slots_len / 2)
        return true;
    slots = calloc(slots_len, sizeof(struct fb_stored *));
    if (slots == NULL)
        return false;
    free(shelf->slots);
    shelf->slots = slots;
    shelf->slots_len = slots_len;
    for (size_t i = 0; i < shelf->len; i++)
        put_in_slot(shelf, shelf->at[i]);
    return true;
}

bool fb_shelf_set(struct fb_shelf *shelf, struct fb_stored *old, struct fb_stored *made,
                  struct fb_pieces *pieces)
{
    if (old == NULL && !make_room(shelf))
        return false;
    made->round = shelf->round;
    made->index = old != NULL ? old->index : shelf->len++;
    shelf->at[made->index] = made;
    put_in_slot(shelf, made); /* the slot is the old one's, whose names are the same */
    fb_stored_release(old, pieces);
    return true;
}

/* Close the gap: what stands behind it without one must still be found. */
static void empty_slot(struct fb_shelf *shelf, size_t gap)
{
    size_t mask = shelf->slots_len - 1;

    shelf->slots[gap] = NULL;
    for (size_t slot = (gap + 1) & mask; shelf->slots[slot] != NULL; slot = (slot + 1) & mask) {
        struct fb_stored *moved = shelf->slots[slot];

        shelf->slots[slot] = NULL;
        put_in_slot(shelf, moved);
    }
}

void fb_shelf_drop(struct fb_shelf *shelf, struct fb_stored *stored, struct fb_pieces *pieces)
{
    struct names names = names_of_stored(stored);

    empty_slot(shelf, find_slot(shelf, stored->hash, &names));
    shelf->at[stored->index] = shelf->at[--shelf->len];
    shelf->at[stored->index]->index = stored->index;
    fb_stored_release(stored, pieces);
}

void fb_shelf_clear(struct fb_shelf *shelf, struct fb_pieces *pieces)
{
    for (size_t i = 0; i < shelf->len; i++)
        fb_stored_release(shelf->at[i], pieces);
    free(shelf->at);
    free(shelf->slots);
    *shelf = (struct fb_shelf){0};
}
