/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_PARCEL_H
#define FB_HOST_PARCEL_H

#include "fabricbind/objects.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Objects in one piece of memory each: what is at its start points at the rest, in which each text
 * stands once. Not safe for use by two threads at once.
 */

/** What a pod has that its siblings have not, in few bytes: there are many of them. */
struct fb_pod_own {
    const char *name, *uid, *node, *phase;
    struct fb_pair *annotations;
    struct fb_term *terms;
    uint32_t annotations_len, terms_len;
    uint32_t annotations_bytes; /* the API server's bound is 256 KiB */
    bool terminating;
};

/** For the kind of struct fb_pod_own, which no object has. */
#define FB_PARCEL_OWN FB_KIND_NONE

/** An object of the kind that is told beside it. */
union fb_parcel {
    struct fb_pod_own own;
    struct fb_node node;
    struct fb_pod pod;
    struct fb_podgroup podgroup;
    struct fb_namespace namespace;
    struct fb_job job; /* all other kinds */
};

/** The part of @object that its kind has; texts and arrays are shared with it. */
union fb_parcel fb_parcel_of(const struct fb_object *object);

/** A table to pack on, which grows with the largest object. */
struct fb_packer;

/** NULL when out of memory. */
struct fb_packer *fb_packer_new(void);
void fb_packer_free(struct fb_packer *packer);

/**
 * Pack @from on the table.
 *
 * @ret_at  borrowed, until the next call; the same bytes for equal objects as long as the table
 *          does not move, which it does when it grows
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_packer_pack(struct fb_packer *packer, enum fb_kind kind,
                              const union fb_parcel *from, const void **ret_at,
                              size_t *ret_len) FB_CHECK;

/** Pack @from, which may lie on the table, into @to, which has the @len bytes that it took there.
 */
enum fb_status fb_packer_write(struct fb_packer *packer, enum fb_kind kind,
                               const union fb_parcel *from, void *to, size_t len) FB_CHECK;

/** Are the two equal; false also when there is no memory to tell. */
bool fb_packer_same(struct fb_packer *packer, enum fb_kind kind, const union fb_parcel *a,
                    const union fb_parcel *b);

#endif
