/* SPDX-License-Identifier: Apache-2.0 */
#include "fill.h"

#include <stdlib.h>

/* What all searches but the decisive ones may cost together; see search.c for one. */
#define WORK_ALL 20000000

enum way { LARGEST_FIRST, LEAST_WANTED_NODES_FIRST, MINIMUM_FIRST, WAYS };

enum fb_status fb_fill_new(const struct fb_pack_input *in, const struct fb_seat *seats,
                           struct fb_arena *arena, struct fb_fill *ret)
{
    struct fb_fill fill = {.in = in, .seats = seats, .dim_to = in->dims_len, .work = WORK_ALL};
    size_t nodes = in->nodes_len;
    size_t shapes = in->shapes_len;

    if (shapes != 0 && nodes > SIZE_MAX / shapes)
        return FB_ENOMEM;
    if (in->dims_len != 0 && nodes > SIZE_MAX / in->dims_len)
        return FB_ENOMEM;
    fill.want = fb_pack_array(arena, shapes, sizeof *fill.want);
    fill.order = fb_pack_array(arena, shapes, sizeof *fill.order);
    fill.taken = fb_pack_array(arena, shapes, sizeof *fill.taken);
    fill.ranks = fb_pack_array(arena, shapes, sizeof *fill.ranks);
    fill.left = fb_pack_array(arena, nodes * in->dims_len, sizeof *fill.left);
    fill.quota = fb_pack_array(arena, nodes * shapes, sizeof *fill.quota);
    fill.keys = fb_pack_array(arena, nodes, sizeof *fill.keys);
    fill.count = fb_pack_array(arena, FB_FILL_DEEP, sizeof *fill.count);
    fill.best = fb_pack_array(arena, FB_FILL_DEEP, sizeof *fill.best);
    fill.moves = fb_pack_array(arena, FB_FILL_DEEP, sizeof *fill.moves);
    fill.asked = fb_pack_array(arena, shapes, sizeof *fill.asked);
    if (fill.moves == NULL || fill.asked == NULL || fill.want == NULL || fill.order == NULL ||
        fill.taken == NULL || fill.ranks == NULL || fill.left == NULL || fill.quota == NULL ||
        fill.keys == NULL || fill.count == NULL || fill.best == NULL)
        return FB_ENOMEM;
    *ret = fill;
    return FB_OK;
}

static size_t pods_in(const struct fb_fill *fill, const int64_t *free, size_t seat, size_t shape)
{
    const int64_t *need = fill->need + shape * fill->in->dims_len;
    size_t most = FB_PACK_MOST;

    if (!fill->seats[seat].node->admits[shape])
        return 0;
    for (size_t dim = fill->dim_from; dim < fill->dim_to && most > 0; dim++) {
        if (need[dim] > 0 && free[dim] < need[dim])
            most = 0;
        else if (need[dim] > 0 && (uint64_t)free[dim] / (uint64_t)need[dim] < most)
            most = (size_t)(free[dim] / need[dim]);
    }
    return most;
}

size_t fb_fill_alone(const struct fb_fill *fill, size_t seat, size_t shape)
{
    return pods_in(fill, fill->seats[seat].node->free, seat, shape);
}

size_t fb_fill_fits(const struct fb_fill *fill, size_t seat, size_t shape)
{
    return pods_in(fill, fill->left + seat * fill->in->dims_len, seat, shape);
}

void fb_fill_start(struct fb_fill *fill, const struct fb_spot *spots, size_t len)
{
    size_t dims = fill->in->dims_len;
    size_t shapes = fill->in->shapes_len;

    for (size_t i = 0; i < len; i++) {
        size_t seat = spots[i].seat;

        for (size_t dim = 0; dim < dims; dim++)
            fill->left[seat * dims + dim] = fill->seats[seat].node->free[dim];
        for (size_t shape = 0; shape < shapes; shape++)
            fill->quota[seat * shapes + shape] = 0;
    }
    for (size_t shape = 0; shape < shapes; shape++)
        fill->taken[shape] = 0;
    fill->taken_sum = 0;
}

void fb_fill_put(struct fb_fill *fill, size_t seat, size_t shape, size_t pods)
{
    size_t dims = fill->in->dims_len;

    for (size_t dim = fill->dim_from; dim < fill->dim_to; dim++)
        fill->left[seat * dims + dim] -= fill->need[shape * dims + dim] * (int64_t)pods;
    fill->quota[seat * fill->in->shapes_len + shape] += pods;
    fill->taken[shape] += pods;
    fill->taken_sum += pods;
}

void fb_fill_back(struct fb_fill *fill, size_t seat, size_t shape, size_t pods)
{
    size_t dims = fill->in->dims_len;

    for (size_t dim = fill->dim_from; dim < fill->dim_to; dim++)
        fill->left[seat * dims + dim] += fill->need[shape * dims + dim] * (int64_t)pods;
    fill->quota[seat * fill->in->shapes_len + shape] -= pods;
    fill->taken[shape] -= pods;
    fill->taken_sum -= pods;
}

/* Best-fit: of the nodes that take the shape those with least left first. */
static int by_fit(const void *left, const void *right)
{
    const struct fb_fill_key *a = left;
    const struct fb_fill_key *b = right;
    int order = (a->group > b->group) - (a->group < b->group);

    if (order == 0)
        order = (a->suitors > b->suitors) - (a->suitors < b->suitors);
    if (order == 0)
        order = (a->left > b->left) - (a->left < b->left);
    if (order == 0)
        order = (a->fits > b->fits) - (a->fits < b->fits);
    return order != 0 ? order : (a->seat > b->seat) - (a->seat < b->seat);
}

static size_t suitors(const struct fb_fill *fill, size_t seat)
{
    size_t len = 0;

    for (size_t i = 0; i < fill->order_len; i++)
        len += fb_fill_fits(fill, seat, fill->order[i]) > 0 ? 1 : 0;
    return len;
}

static size_t first_needed(const struct fb_fill *fill, size_t shape)
{
    size_t dim = fill->dim_from;

    while (dim < fill->dim_to && fill->need[shape * fill->in->dims_len + dim] <= 0)
        dim++;
    return dim;
}

static void place(struct fb_fill *fill, const struct fb_spot *spots, size_t len, size_t shape,
                  size_t pods, bool mind_suitors)
{
    size_t dim = first_needed(fill, shape);
    size_t keys = 0;

    for (size_t i = 0; i < len; i++) {
        size_t seat = spots[i].seat;
        size_t fits = fb_fill_fits(fill, seat, shape);

        if (fits > 0)
            fill->keys[keys++] = (struct fb_fill_key){
                .group = spots[i].group,
                .suitors = mind_suitors ? suitors(fill, seat) : 0,
                .left = dim < fill->dim_to ? fill->left[seat * fill->in->dims_len + dim] : 0,
                .fits = fits,
                .seat = seat};
    }
    if (keys > 1)
        qsort(fill->keys, keys, sizeof *fill->keys, by_fit);
    for (size_t i = 0; i < keys && pods > 0; i++) {
        size_t take = fill->keys[i].fits < pods ? fill->keys[i].fits : pods;

        fb_fill_put(fill, fill->keys[i].seat, shape, take);
        pods -= take;
    }
}

size_t fb_fill_first(struct fb_fill *fill, const struct fb_spot *spots, size_t len)
{
    fb_fill_start(fill, spots, len);
    for (size_t i = 0; i < fill->order_len; i++)
        place(fill, spots, len, fill->order[i], fill->want[fill->order[i]], false);
    return fill->taken_sum;
}

static void pack(struct fb_fill *fill, const struct fb_spot *spots, size_t len, enum way way,
                 const size_t *least)
{
    fb_fill_start(fill, spots, len);
    for (size_t i = 0; i < fill->order_len; i++) {
        size_t shape = fill->order[i];

        place(fill, spots, len, shape, way == MINIMUM_FIRST ? least[shape] : fill->want[shape],
              way == LEAST_WANTED_NODES_FIRST);
    }
    /* Past the minimum small pods first: so more get in. */
    for (size_t i = fill->order_len; way == MINIMUM_FIRST && i-- > 0;) {
        size_t shape = fill->order[i];

        place(fill, spots, len, shape, fill->want[shape] - fill->taken[shape], false);
    }
}

static bool is_met(const struct fb_fill *fill, const struct fb_goal *goal)
{
    for (size_t i = 0; i < fill->order_len; i++)
        if (fill->taken[fill->order[i]] < goal->least[fill->order[i]])
            return false;
    return fill->taken_sum >= goal->sum;
}

/* Whether the nodes could do it if each shape had them to itself. */
static bool can_meet(const struct fb_fill *fill, const struct fb_spot *spots, size_t len,
                     const struct fb_goal *goal)
{
    size_t sum = 0;

    for (size_t n = 0; n < fill->order_len; n++) {
        size_t shape = fill->order[n];
        size_t alone = 0;

        for (size_t i = 0; i < len && alone < fill->want[shape]; i++)
            alone += fb_fill_alone(fill, spots[i].seat, shape);
        if (alone < goal->least[shape])
            return false;
        sum += alone < fill->want[shape] ? alone : fill->want[shape];
    }
    return sum >= goal->sum;
}

static void pack_again(struct fb_fill *fill, const struct fb_spot *spots, size_t len, enum way way,
                       const size_t *least)
{
    pack(fill, spots, len, way, least);
    if (fill->order_len > 1)
        fb_fill_shift(fill, spots, len);
}

bool fb_fill_most(struct fb_fill *fill, const struct fb_spot *spots, size_t len,
                  const struct fb_goal *goal)
{
    struct fb_goal more = *goal;
    enum way best = LARGEST_FIRST;
    bool met = false;

    if (!can_meet(fill, spots, len, goal))
        return false;
    for (enum way way = LARGEST_FIRST; way < WAYS && (way == LARGEST_FIRST || fill->order_len > 1);
         way++) {
        pack(fill, spots, len, way, goal->least);
        if (!is_met(fill, &more))
            continue;
        if (fill->taken_sum == fill->pods)
            return true;
        met = true;
        best = way;
        more.sum = fill->taken_sum + 1;
    }
    pack_again(fill, spots, len, best, goal->least);
    if (fill->order_len < 2 || fill->taken_sum == fill->pods)
        return is_met(fill, goal);
    if (is_met(fill, goal)) {
        met = true;
        more.sum = fill->taken_sum + 1;
    }
    if (fb_fill_search(fill, spots, len, &more))
        return true;
    if (met)
        pack_again(fill, spots, len, best, goal->least);
    return met;
}
