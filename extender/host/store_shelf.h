/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_STORE_SHELF_H
#define FB_HOST_STORE_SHELF_H

#include "parcel.h"
#include "pieces.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Inside of the store: its objects, and those of one kind in a table. The store's lock is held. */

/** An object; what its body points at is behind it. */
struct fb_stored {
    uint32_t holders; /* its shelf and the stocks */
    uint32_t round;   /* of the list that told it last */
    enum fb_kind kind;
    size_t index;           /* on its shelf */
    uint64_t hash;          /* of namespace and name */
    struct fb_piece *piece; /* of a pod: all but what is its own; else NULL */
    union fb_parcel body;   /* only the part of the kind is there; of a pod its own */
};

/** NULL when out of memory. With one holder. */
struct fb_stored *fb_stored_new(enum fb_kind kind, const union fb_parcel *parcel,
                                struct fb_packer *packer, struct fb_pieces *pieces);

/** One holder less; the last one frees. NULL is fine. */
void fb_stored_release(struct fb_stored *stored, struct fb_pieces *pieces);

/** Is it the same as @parcel, of its kind. */
bool fb_stored_same(const struct fb_stored *stored, const union fb_parcel *parcel,
                    struct fb_packer *packer);

/** The pod, put together from its own and its piece, both borrowed. */
void fb_stored_pod(const struct fb_stored *stored, struct fb_pod *ret);

/** "" where it has none. */
const char *fb_stored_uid(const struct fb_stored *stored);

/** All objects of one kind. */
struct fb_shelf {
    struct fb_stored **at;
    size_t len, size;
    struct fb_stored **slots; /* by hash, NULL: free */
    size_t slots_len;         /* a power of two, or 0 */
    uint32_t round;           /* of the current list */
};

/** The one that has namespace and name of @like, or NULL. */
struct fb_stored *fb_shelf_find(const struct fb_shelf *shelf, enum fb_kind kind,
                                const union fb_parcel *like);

/** Put @made, of the current round, in the place of @old, or to the others when that is NULL;
 * takes over the caller's hold. False: out of memory, nothing is changed. */
bool fb_shelf_set(struct fb_shelf *shelf, struct fb_stored *old, struct fb_stored *made,
                  struct fb_pieces *pieces);

void fb_shelf_drop(struct fb_shelf *shelf, struct fb_stored *stored, struct fb_pieces *pieces);

/** Drop all and free the table. */
void fb_shelf_clear(struct fb_shelf *shelf, struct fb_pieces *pieces);

#endif
