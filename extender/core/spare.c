/* SPDX-License-Identifier: Apache-2.0 */
#include "spare.h"

#include <stdlib.h>

/* Sets with more members times blocks in reach are not improved. */
#define IMPROVE ((size_t)1 << 20)

static int falling(const void *left, const void *right)
{
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;

    return (a < b) - (a > b);
}

void fb_spare_keep(struct fb_chooser *chooser, const struct fb_pick *set, size_t len)
{
    const struct fb_domain *domains = chooser->tree->domains;
    size_t running = 0; /* what blocks with running members take: they are in the set anyway */

    chooser->kept_len = 0;
    for (size_t i = 0; i < len; i++)
        for (size_t block = set[i].domain->block; block < set[i].domain->block_end; block++) {
            if (domains[block].placed > 0)
                running += domains[block].size;
            else
                chooser->kept[chooser->kept_len++] = domains[block].size;
        }
    if (chooser->kept_len > 1)
        qsort(chooser->kept, chooser->kept_len, sizeof *chooser->kept, falling);
    chooser->sums[0] = 0;
    for (size_t i = 0; i < chooser->kept_len; i++)
        chooser->sums[i + 1] = chooser->sums[i] + chooser->kept[i];
    chooser->goal = chooser->fill->pods > running ? chooser->fill->pods - running : 0;
}

/* How many of the falling @sizes are at least @size. */
static size_t count_from(const size_t *sizes, size_t len, size_t size)
{
    size_t least = 0;

    while (least < len) {
        size_t middle = least + (len - least) / 2;

        if (sizes[middle] >= size)
            least = middle + 1;
        else
            len = middle;
    }
    return least;
}

/* The fewest of the kept blocks that take @pods; more than there are when all do not. */
static size_t kept_for(const struct fb_chooser *chooser, size_t pods)
{
    size_t least = 0;
    size_t most = chooser->kept_len + 1;

    while (least < most) {
        size_t middle = least + (most - least) / 2;

        if (chooser->sums[middle] >= pods)
            most = middle;
        else
            least = middle + 1;
    }
    return least;
}

/* Room over when the smallest block that still fits stands in for the last of @used. */
static size_t over(const size_t *sizes, size_t len, size_t used, size_t rest)
{
    size_t fitting = count_from(sizes, len, rest);

    return fitting < used ? SIZE_MAX : sizes[fitting - 1] - rest;
}

/* Room over with the first @kept and the first @tried blocks, which take @sum pods. */
static size_t room_over(const struct fb_chooser *chooser, size_t kept, size_t tried, size_t sum)
{
    size_t spare = sum - chooser->goal;

    if (kept > 0 && sum - chooser->kept[kept - 1] < chooser->goal) {
        size_t rest = chooser->goal - (sum - chooser->kept[kept - 1]);
        size_t here = over(chooser->kept, chooser->kept_len, kept, rest);

        spare = here < spare ? here : spare;
    }
    if (tried > 0 && sum - chooser->tried[tried - 1] < chooser->goal) {
        size_t rest = chooser->goal - (sum - chooser->tried[tried - 1]);
        size_t here = over(chooser->tried, chooser->tried_len, tried, rest);

        spare = here < spare ? here : spare;
    }
    return spare;
}

static void list_tried(struct fb_chooser *chooser, const struct fb_domain *domain)
{
    chooser->tried_len = 0;
    for (size_t block = domain->block; block < domain->block_end; block++)
        chooser->tried[chooser->tried_len++] = chooser->tree->domains[block].size;
    if (chooser->tried_len > 1)
        qsort(chooser->tried, chooser->tried_len, sizeof *chooser->tried, falling);
}

bool fb_spare_try(struct fb_chooser *chooser, struct fb_pick *last)
{
    size_t sum = 0;

    list_tried(chooser, last->domain);
    last->blocks = SIZE_MAX;
    last->spare = SIZE_MAX;
    for (size_t tried = 0; tried <= chooser->tried_len; tried++) {
        size_t kept;
        size_t spare;

        sum += tried > 0 ? chooser->tried[tried - 1] : 0;
        kept = kept_for(chooser, chooser->goal > sum ? chooser->goal - sum : 0);
        if (kept > chooser->kept_len || kept + tried > last->blocks)
            continue;
        spare = room_over(chooser, kept, tried, sum + chooser->sums[kept]);
        if (kept + tried < last->blocks || spare < last->spare)
            last->spare = spare;
        last->blocks = kept + tried;
    }
    return last->blocks != SIZE_MAX;
}

void fb_pick_swap(struct fb_pick *a, struct fb_pick *b)
{
    struct fb_pick was = *a;

    *a = *b;
    *b = was;
}

/* The best last one for a set of @used in place of the one there. Returns the blocks it takes. */
static size_t best_last(struct fb_chooser *chooser, struct fb_pick *set, size_t used, size_t len,
                        size_t *ret_at)
{
    struct fb_pick best = {.blocks = SIZE_MAX};

    fb_spare_keep(chooser, set, used - 1);
    for (size_t at = used - 1; at < len; at++) {
        if (!fb_spare_try(chooser, &set[at]) || set[at].blocks > best.blocks)
            continue;
        if (set[at].blocks < best.blocks || set[at].spare < best.spare) {
            best = set[at];
            *ret_at = at;
        }
    }
    return best.blocks;
}

void fb_spare_improve(struct fb_chooser *chooser, struct fb_pick *set, size_t running, size_t used,
                      size_t len)
{
    size_t reach = 0;
    size_t at = 0;
    size_t blocks;

    for (size_t i = 0; i < len; i++)
        reach += set[i].domain->block_end - set[i].domain->block;
    if (used <= running || reach == len || reach > IMPROVE / used)
        return;
    blocks = best_last(chooser, set, used, len, &at);
    for (size_t i = running; i + 1 < used; i++) {
        size_t fewer;

        fb_pick_swap(&set[i], &set[used - 1]);
        fewer = best_last(chooser, set, used, len, &at);
        if (fewer >= blocks) {
            fb_pick_swap(&set[i], &set[used - 1]);
            continue;
        }
        fb_pick_swap(&set[used - 1], &set[at]);
        blocks = fewer;
    }
}
