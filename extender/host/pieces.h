/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_PIECES_H
#define FB_HOST_PIECES_H

#include "parcel.h"

#include <stddef.h>

/**
 * What many pods have in common, kept once: pods of one controller differ in little but their
 * names. Not safe for use by two threads at once.
 */
struct fb_pieces;

/** What a pod has that its siblings have too; counted by holders. */
struct fb_piece;

/** @packer is borrowed. NULL when out of memory. */
struct fb_pieces *fb_pieces_new(struct fb_packer *packer);

/** No piece may be held any more. NULL is fine. */
void fb_pieces_free(struct fb_pieces *pieces);

/** The piece that is equal to @pod, made if there is none; held once more. NULL: out of memory. */
struct fb_piece *fb_pieces_get(struct fb_pieces *pieces, const struct fb_pod *pod);

/** The pod that it was made of. Borrowed as long as the piece is held. */
const struct fb_pod *fb_piece_pod(const struct fb_piece *piece);

/** One holder less; the last one frees. NULL is fine. */
void fb_pieces_release(struct fb_pieces *pieces, struct fb_piece *piece);

/** How many different ones there are. */
size_t fb_pieces_len(const struct fb_pieces *pieces);

#endif
