/* SPDX-License-Identifier: Apache-2.0 */
#include "parcel.h"

#include "fabricbind/copy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES ((size_t)16 * 1024)
#define MOST_BYTES ((size_t)1024 * 1024 * 1024)
#define SEEN 128 /* texts looked for again; of more there are few objects */
#define ALIGN sizeof(void *)

/* Where an object is being packed. */
struct room {
    char *at;
    size_t used, size;
    size_t seen_len;
    struct {
        const char *text;
        size_t bytes;
    } seen[SEEN];
};

struct fb_packer {
    char *table, *aside;
    size_t size;
    size_t dirty; /* bytes of the table that are not 0 */
    struct room room;
};

union fb_parcel fb_parcel_of(const struct fb_object *object)
{
    union fb_parcel parcel;

    memset(&parcel, 0, sizeof parcel);
    if (object->kind == FB_KIND_NODE)
        parcel.node = object->node;
    else if (object->kind == FB_KIND_POD)
        parcel.pod = object->pod;
    else if (object->kind == FB_KIND_PODGROUP)
        parcel.podgroup = object->podgroup;
    else if (object->kind == FB_KIND_NAMESPACE)
        parcel.namespace = object->namespace;
    else
        parcel.job = object->job;
    return parcel;
}

struct fb_packer *fb_packer_new(void)
{
    struct fb_packer *packer = calloc(1, sizeof *packer);

    if (packer == NULL)
        return NULL;
    packer->size = FIRST_BYTES;
    packer->table = calloc(1, packer->size);
    packer->aside = malloc(packer->size);
    if (packer->table == NULL || packer->aside == NULL) {
        fb_packer_free(packer);
        return NULL;
    }
    return packer;
}

void fb_packer_free(struct fb_packer *packer)
{
    if (packer == NULL)
        return;
    free(packer->table);
    free(packer->aside);
    free(packer);
}

static bool grow(struct fb_packer *packer)
{
    size_t size = packer->size * 2;
    char *table = size <= MOST_BYTES ? calloc(1, size) : NULL;
    char *aside = table != NULL ? malloc(size) : NULL;

    if (aside == NULL) {
        free(table);
        return false;
    }
    free(packer->table);
    free(packer->aside);
    packer->table = table;
    packer->aside = aside;
    packer->size = size;
    packer->dirty = 0;
    return true;
}

static void *take_array(void *context, size_t bytes)
{
    struct room *room = context;
    size_t from = (room->used + ALIGN - 1) / ALIGN * ALIGN;

    if (from > room->size || bytes > room->size - from)
        return NULL;
    room->used = from + bytes;
    return room->at + from;
}

/* By content: of two equal objects one may have a text twice where the other has it once. */
static const char *find_seen(const struct room *room, const char *text, size_t bytes)
{
    for (size_t i = 0; i < room->seen_len; i++) {
        if (room->seen[i].bytes == bytes && memcmp(room->seen[i].text, text, bytes) == 0)
            return room->seen[i].text;
    }
    return NULL;
}

static const char *take_text(void *context, const char *text)
{
    struct room *room = context;
    size_t bytes = strlen(text) + 1;
    const char *known = find_seen(room, text, bytes);

    if (known != NULL)
        return known;
    if (bytes > room->size - room->used)
        return NULL;
    known = memcpy(room->at + room->used, text, bytes);
    room->used += bytes;
    if (room->seen_len < SEEN) {
        room->seen[room->seen_len].text = known;
        room->seen[room->seen_len++].bytes = bytes;
    }
    return known;
}

static enum fb_status copy_namespace(const struct fb_copy_room *room,
                                     const struct fb_namespace *from, struct fb_namespace *to)
{
    const char *name = room->text(room->context, from->name);

    if (name == NULL)
        return FB_ENOMEM;
    *to = *from;
    to->name = name;
    return FB_OK;
}

static enum fb_status copy_own(const struct fb_copy_room *room, const struct fb_pod_own *from,
                               struct fb_pod_own *to)
{
    struct fb_pod pod = {
        .name = from->name,
        .uid = from->uid,
        .node = from->node,
        .phase = from->phase,
        .annotations = {.at = from->annotations, .len = from->annotations_len},
        .terms = from->terms,
        .terms_len = from->terms_len,
    };

    if (fb_copy_pod(room, &pod, &pod) != FB_OK)
        return FB_ENOMEM;
    *to = *from;
    to->name = pod.name;
    to->uid = pod.uid;
    to->node = pod.node;
    to->phase = pod.phase;
    to->annotations = pod.annotations.at;
    to->terms = pod.terms;
    return FB_OK;
}

static enum fb_status copy(const struct fb_copy_room *room, enum fb_kind kind,
                           const union fb_parcel *from, union fb_parcel *to)
{
    switch ((int)kind) {
    case FB_PARCEL_OWN:
        return copy_own(room, &from->own, &to->own);
    case FB_KIND_NODE:
        return fb_copy_node(room, &from->node, &to->node);
    case FB_KIND_POD:
        return fb_copy_pod(room, &from->pod, &to->pod);
    case FB_KIND_PODGROUP:
        return fb_copy_podgroup(room, &from->podgroup, &to->podgroup);
    case FB_KIND_NAMESPACE:
        return copy_namespace(room, &from->namespace, &to->namespace);
    default:
        return fb_copy_job(room, &from->job, &to->job);
    }
}

static size_t head_bytes(enum fb_kind kind)
{
    switch ((int)kind) {
    case FB_PARCEL_OWN:
        return sizeof(struct fb_pod_own);
    case FB_KIND_NODE:
        return sizeof(struct fb_node);
    case FB_KIND_POD:
        return sizeof(struct fb_pod);
    case FB_KIND_PODGROUP:
        return sizeof(struct fb_podgroup);
    case FB_KIND_NAMESPACE:
        return sizeof(struct fb_namespace);
    default:
        return sizeof(struct fb_job);
    }
}

enum fb_status fb_packer_write(struct fb_packer *packer, enum fb_kind kind,
                               const union fb_parcel *from, void *to, size_t len)
{
    struct fb_copy_room room = {.context = &packer->room, .array = take_array, .text = take_text};

    packer->room.at = to;
    packer->room.size = len;
    packer->room.used = packer->room.seen_len = 0;
    if (take_array(&packer->room, head_bytes(kind)) == NULL)
        return FB_ENOMEM;
    return copy(&room, kind, from, to);
}

enum fb_status fb_packer_pack(struct fb_packer *packer, enum fb_kind kind,
                              const union fb_parcel *from, const void **ret_at, size_t *ret_len)
{
    enum fb_status st;

    do {
        memset(packer->table, 0, packer->dirty);
        st = fb_packer_write(packer, kind, from, packer->table, packer->size);
        packer->dirty = packer->room.used;
    } while (st != FB_OK && grow(packer));
    if (st != FB_OK)
        return st;
    *ret_at = packer->table;
    *ret_len = packer->room.used;
    return FB_OK;
}

bool fb_packer_same(struct fb_packer *packer, enum fb_kind kind, const union fb_parcel *a,
                    const union fb_parcel *b)
{
    const void *at;
    size_t len;
    size_t other_len;

    if (fb_packer_pack(packer, kind, a, &at, &len) != FB_OK)
        return false;
    memcpy(packer->aside, at, len);
    /* A table that moves now was too small for @b, which then is not @a. */
    if (fb_packer_pack(packer, kind, b, &at, &other_len) != FB_OK)
        return false;
    return len == other_len && memcmp(packer->aside, at, len) == 0;
}
