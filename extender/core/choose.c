/* SPDX-License-Identifier: Apache-2.0 */
#include "choose.h"

#include "spare.h"

#include <stdlib.h>
#include <string.h>

/* Where shapes compete, so many domains are tried as the last of a set. */
#define LASTS 16

enum fb_status fb_chooser_new(struct fb_fill *fill, struct fb_arena *arena, struct fb_chooser *ret)
{
    struct fb_chooser chooser = {.fill = fill};
    size_t len = fill->in->nodes_len + 1; /* a fabric without nodes is a block, too */

    chooser.pool = fb_pack_array(arena, len, sizeof *chooser.pool);
    chooser.below = fb_pack_array(arena, len, sizeof *chooser.below);
    chooser.lasts = fb_pack_array(arena, len, sizeof *chooser.lasts);
    chooser.spots = fb_pack_array(arena, len, sizeof *chooser.spots);
    chooser.kept = fb_pack_array(arena, len, sizeof *chooser.kept);
    chooser.sums = fb_pack_array(arena, len + 1, sizeof *chooser.sums);
    chooser.tried = fb_pack_array(arena, len, sizeof *chooser.tried);
    chooser.blocks = fb_pack_array(arena, len, sizeof *chooser.blocks);
    if (chooser.pool == NULL || chooser.below == NULL || chooser.lasts == NULL ||
        chooser.spots == NULL || chooser.kept == NULL || chooser.sums == NULL ||
        chooser.tried == NULL || chooser.blocks == NULL)
        return FB_ENOMEM;
    *ret = chooser;
    return FB_OK;
}

static int by_seat(const void *left, const void *right)
{
    const struct fb_spot *a = left;
    const struct fb_spot *b = right;

    return (a->seat > b->seat) - (a->seat < b->seat);
}

static size_t add_spots(struct fb_chooser *chooser, size_t len, const struct fb_domain *domain,
                        size_t group)
{
    for (size_t seat = domain->from; seat < domain->to; seat++)
        chooser->spots[len++] = (struct fb_spot){.seat = seat, .group = group};
    return len;
}

/* One shape: sizes add up. Several: only packing them together tells. */
static bool holds(struct fb_chooser *chooser, const struct fb_pick *set, size_t len, bool decisive)
{
    struct fb_fill *fill = chooser->fill;
    struct fb_goal all = {.least = fill->want, .sum = fill->pods, .decisive = decisive};
    size_t size = 0;
    size_t spots = 0;

    if (fill->order_len < 2) {
        for (size_t i = 0; i < len; i++)
            size += set[i].domain->size;
        return size >= fill->pods;
    }
    for (size_t i = 0; i < len; i++)
        spots = add_spots(chooser, spots, set[i].domain, 0);
    if (len > 1)
        qsort(chooser->spots, spots, sizeof *chooser->spots, by_seat);
    return fb_fill_most(fill, chooser->spots, spots, &all);
}

static void measure_block(struct fb_chooser *chooser, struct fb_domain *block)
{
    const struct fb_fill *fill = chooser->fill;

    block->room = 0;
    for (size_t seat = block->from; seat < block->to; seat++)
        for (size_t i = 0; i < fill->order_len; i++)
            block->room += fb_fill_alone(fill, seat, fill->order[i]);
}

static void measure(struct fb_chooser *chooser)
{
    struct fb_tree *tree = chooser->tree;

    for (size_t i = tree->level[tree->depth + 1]; i-- > 0;) {
        struct fb_domain *domain = &tree->domains[i];

        if (i >= tree->level[tree->depth]) {
            measure_block(chooser, domain);
        } else {
            domain->room = 0;
            for (size_t child = domain->child; child < domain->child_end; child++)
                domain->room += tree->domains[child].room;
        }
        domain->size = domain->room;
        if (chooser->fill->order_len > 1) {
            size_t spots = add_spots(chooser, 0, domain, 0);

            domain->size = fb_fill_first(chooser->fill, chooser->spots, spots);
        }
    }
}

/* Equal names: by place. Domains of a tree are compared by address for that. */
static int by_name(const struct fb_domain *a, const struct fb_domain *b)
{
    int order = strcmp(a->name, b->name);

    return order != 0 ? order : (a > b) - (a < b);
}

static int by_size(const void *left, const void *right)
{
    const struct fb_domain *a = ((const struct fb_pick *)left)->domain;
    const struct fb_domain *b = ((const struct fb_pick *)right)->domain;
    int order = (b->placed > 0) - (a->placed > 0);

    if (order == 0)
        order = (b->size > a->size) - (b->size < a->size);
    return order != 0 ? order : by_name(a, b);
}

static int by_cost(const void *left, const void *right)
{
    const struct fb_pick *a = left;
    const struct fb_pick *b = right;
    int order = (a->blocks > b->blocks) - (a->blocks < b->blocks);

    if (order == 0)
        order = (a->spare > b->spare) - (a->spare < b->spare);
    if (order == 0)
        order = (a->domain->room > b->domain->room) - (a->domain->room < b->domain->room);
    return order != 0 ? order : by_name(a->domain, b->domain);
}

/* The fewest that hold the gang when taken in order; all of them do. */
static size_t fewest(struct fb_chooser *chooser, const struct fb_pick *set, size_t least,
                     size_t len)
{
    while (least < len) {
        size_t middle = least + (len - least) / 2;

        if (holds(chooser, set, middle, false))
            len = middle;
        else
            least = middle + 1;
    }
    return len;
}

/* The last of a set may be any that completes it: take the one that costs least. */
static void complete(struct fb_chooser *chooser, struct fb_pick *set, size_t set_len, size_t len)
{
    size_t lasts = 0;

    fb_spare_keep(chooser, set, set_len - 1);
    for (size_t i = set_len - 1; i < len; i++) {
        chooser->lasts[lasts] = set[i];
        chooser->lasts[lasts].at = i;
        if (fb_spare_try(chooser, &chooser->lasts[lasts]))
            lasts++;
    }
    if (lasts > 1)
        qsort(chooser->lasts, lasts, sizeof *chooser->lasts, by_cost);
    for (size_t i = 0; i < lasts && i < LASTS; i++) {
        size_t at = chooser->lasts[i].at;

        fb_pick_swap(&set[set_len - 1], &set[at]);
        if (holds(chooser, set, set_len, false))
            return;
        fb_pick_swap(&set[set_len - 1], &set[at]);
    }
}

/* Keep of a set of domains that hold the gang those to use. Returns their number. */
static size_t narrow(struct fb_chooser *chooser, struct fb_pick *set, size_t len)
{
    size_t running = 0;
    size_t used;

    if (len > 1)
        qsort(set, len, sizeof *set, by_size);
    while (running < len && set[running].domain->placed > 0)
        running++;
    used = fewest(chooser, set, running, len);
    if (used > running)
        complete(chooser, set, used, len);
    if (chooser->fill->order_len < 2)
        fb_spare_improve(chooser, set, running, used, len);
    return used;
}

/* Replace the pool by the domains right below. Returns their number. */
static size_t go_down(struct fb_chooser *chooser, size_t len)
{
    struct fb_pick *above = chooser->pool;
    size_t below = 0;

    for (size_t i = 0; i < len; i++)
        for (size_t child = above[i].domain->child; child < above[i].domain->child_end; child++)
            chooser->below[below++].domain = &chooser->tree->domains[child];
    chooser->pool = chooser->below;
    chooser->below = above;
    return below;
}

static struct fb_choice descend(struct fb_chooser *chooser, const struct fb_domain *domain,
                                size_t height)
{
    struct fb_choice choice = {
        .height = height, .blocks_len = 1, .domain = domain->name, .tree = chooser->tree};

    chooser->pool[0].domain = domain;
    for (size_t step = 0; step < height; step++) {
        size_t below = go_down(chooser, choice.blocks_len);

        choice.blocks_len = narrow(chooser, chooser->pool, below);
        if (step == 0)
            choice.children = choice.blocks_len;
    }
    for (size_t i = 0; i < choice.blocks_len; i++)
        choice.room += chooser->pool[i].domain->room;
    return choice;
}

bool fb_choice_is_better(const struct fb_choice *choice, const struct fb_choice *than)
{
    if (choice->height != than->height)
        return choice->height < than->height;
    if (choice->children != than->children)
        return choice->children < than->children;
    if (choice->blocks_len != than->blocks_len)
        return choice->blocks_len < than->blocks_len;
    if (choice->room != than->room)
        return choice->room < than->room;
    return strcmp(choice->domain, than->domain) < 0;
}

static void keep_blocks(struct fb_chooser *chooser, struct fb_choice *choice)
{
    for (size_t i = 0; i < choice->blocks_len; i++)
        chooser->blocks[i] = (size_t)(chooser->pool[i].domain - chooser->tree->domains);
    choice->blocks = chooser->blocks;
}

/* The best of the domains of one depth. */
static bool choose_at(struct fb_chooser *chooser, size_t depth, size_t fabric,
                      struct fb_choice *ret)
{
    const struct fb_tree *tree = chooser->tree;
    bool found = false;

    for (size_t i = tree->level[depth]; i < tree->level[depth + 1]; i++) {
        struct fb_pick pick = {.domain = &tree->domains[i]};
        struct fb_choice choice;

        if (pick.domain->placed < tree->domains[0].placed || !holds(chooser, &pick, 1, depth == 0))
            continue;
        choice = descend(chooser, pick.domain, tree->depth - depth);
        choice.fabric = fabric;
        if (!found || fb_choice_is_better(&choice, ret)) {
            keep_blocks(chooser, &choice);
            *ret = choice;
            found = true;
        }
    }
    return found;
}

bool fb_choose(struct fb_chooser *chooser, struct fb_tree *tree, size_t fabric,
               struct fb_choice *ret)
{
    struct fb_pick whole = {.domain = &tree->domains[0]};

    chooser->tree = tree;
    measure(chooser);
    if (!holds(chooser, &whole, 1, true))
        return false;
    for (size_t depth = tree->depth; depth > 0; depth--)
        if (choose_at(chooser, depth, fabric, ret))
            return true;
    return choose_at(chooser, 0, fabric, ret);
}

void fb_choice_fill(struct fb_chooser *chooser, const struct fb_choice *choice)
{
    struct fb_fill *fill = chooser->fill;
    struct fb_goal all = {.least = fill->want, .sum = fill->pods, .decisive = true};
    size_t spots = 0;

    for (size_t i = 0; i < choice->blocks_len; i++)
        spots = add_spots(chooser, spots, &choice->tree->domains[choice->blocks[i]], i);
    if (fb_fill_first(fill, chooser->spots, spots) == fill->pods)
        return;
    for (size_t i = 0; i < spots; i++)
        chooser->spots[i].group = 0;
    qsort(chooser->spots, spots, sizeof *chooser->spots, by_seat);
    (void)fb_fill_most(fill, chooser->spots, spots, &all);
}
