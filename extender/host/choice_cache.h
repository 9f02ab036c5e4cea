/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_CHOICE_CACHE_H
#define FB_HOST_CHOICE_CACHE_H

#include "inventory.h"

#include "fabricbind/choice.h"
#include "fabricbind/gang.h"

/**
 * Choices that were made by this process, by gang, and who is making one: of pods that are created
 * at once the first makes it and the others wait. Safe for many threads.
 */
struct fb_choice_cache;

/** Choices kept. Beyond it the one longest there goes that nobody makes or waits for. */
#define FB_CHOICE_CACHE 10000

/** NULL: out of memory. */
struct fb_choice_cache *fb_choice_cache_new(void);
void fb_choice_cache_free(struct fb_choice_cache *cache);

enum fb_choice_turn {
    FB_CHOICE_MADE, /* by another one; @ret_fabric is it */
    FB_CHOICE_MINE, /* it is for the caller to make, who calls fb_choice_cache_end() */
    FB_CHOICE_LATE, /* another one is still making it */
};

/** A choice of one gang that is made or asked for. */
struct fb_choice_query {
    const struct fb_inventory *inventory;
    const struct fb_gang *gang;
    const struct fb_pod *pod;
    int64_t end_ms; /* wait at most until then, by fb_inventory_clock_ms() */
};

/**
 * Take part in the choice for a gang. One whose fabric has no node any more is made anew, and so
 * is, after a while, one that could not be kept at the API server.
 *
 * @ret_fabric  key in @arena, "" where nobody could tell. MINE: what was chosen before and has
 *              nodes, or "".
 *
 * Returns FB_OK; FB_ENOMEM.
 */
enum fb_status fb_choice_cache_begin(struct fb_choice_cache *cache,
                                     const struct fb_choice_query *query, struct fb_arena *arena,
                                     enum fb_choice_turn *ret_turn,
                                     const char **ret_fabric) FB_CHECK;

/** What the caller is about to choose, so that others who plan count with it. */
void fb_choice_cache_intend(struct fb_choice_cache *cache, const struct fb_gang *gang,
                            const char *fabric);

/** The caller's turn ends with @fabric, "" for nobody can tell, which is not kept; @kept: it is at
 * the API server, or there is no place for it. */
void fb_choice_cache_end(struct fb_choice_cache *cache, const struct fb_gang *gang,
                         const char *fabric, bool kept);

/** The choice made for a gang, in @arena; "": none. NULL: out of memory. */
const char *fb_choice_cache_find(struct fb_choice_cache *cache, struct fb_arena *arena,
                                 const struct fb_gang *gang);

/** Choices that @inventory does not tell, the newest first, at most FB_CHOICE_RESERVATIONS. In
 * @arena. FB_ENOMEM. */
enum fb_status fb_choice_cache_notes(struct fb_choice_cache *cache,
                                     const struct fb_inventory *inventory, struct fb_arena *arena,
                                     struct fb_choice_note **ret, size_t *ret_len) FB_CHECK;

/** Choices in it, and threads that wait for one. */
size_t fb_choice_cache_count(struct fb_choice_cache *cache);
size_t fb_choice_cache_waiting(struct fb_choice_cache *cache);

#endif
