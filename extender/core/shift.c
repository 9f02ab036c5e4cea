/* SPDX-License-Identifier: Apache-2.0 */
#include "fill.h"

#include <string.h>

/* Looks at a node for a shape that one call may take. */
#define WORK_ONE 1000000
#define DEPTH 8

/*
 * Augmenting paths: a pod left out takes the place of pods of another shape, which look for places
 * of their own in the same way. Exact where a pod takes a whole node.
 */
struct shift {
    struct fb_fill *fill;
    const struct fb_spot *spots;
    size_t spots_len;
    struct fb_fill_move *moves;
    size_t moves_len;
    size_t work;
};

static bool move(struct shift *shift, size_t seat, size_t shape, bool in)
{
    if (shift->moves_len == FB_FILL_DEEP)
        return false;
    shift->moves[shift->moves_len++] =
        (struct fb_fill_move){.seat = seat, .shape = shape, .in = in};
    if (in)
        fb_fill_put(shift->fill, seat, shape, 1);
    else
        fb_fill_back(shift->fill, seat, shape, 1);
    return true;
}

static void undo(struct shift *shift, size_t mark)
{
    while (shift->moves_len > mark) {
        const struct fb_fill_move *last = &shift->moves[--shift->moves_len];

        if (last->in)
            fb_fill_back(shift->fill, last->seat, last->shape, 1);
        else
            fb_fill_put(shift->fill, last->seat, last->shape, 1);
    }
}

static bool is_spent(struct shift *shift)
{
    bool spent = shift->work == 0;

    shift->work -= spent ? 0 : 1;
    return spent;
}

/* Into what is left. */
static bool slip_in(struct shift *shift, size_t shape)
{
    for (size_t i = 0; i < shift->spots_len; i++) {
        size_t seat = shift->spots[i].seat;

        if (is_spent(shift))
            return false;
        if (fb_fill_fits(shift->fill, seat, shape) > 0)
            return move(shift, seat, shape, true);
    }
    return false;
}

/* Swap pods of @other on the node for one of @shape. Returns how many had to go, 0: in vain. */
static size_t push_out(struct shift *shift, size_t seat, size_t shape, size_t other)
{
    struct fb_fill *fill = shift->fill;
    size_t mark = shift->moves_len;
    size_t gone = 0;

    if (!fill->seats[seat].node->admits[shape])
        return 0;
    while (fb_fill_fits(fill, seat, shape) == 0) {
        bool more = fill->quota[seat * fill->in->shapes_len + other] > 0;

        if (!more || !move(shift, seat, other, false)) {
            undo(shift, mark);
            return 0;
        }
        gone++;
    }
    return move(shift, seat, shape, true) ? gone : 0;
}

static bool settle(struct shift *shift, size_t shape, size_t depth);

/* Take the place of pods of @other anywhere. */
static bool displace(struct shift *shift, size_t shape, size_t other, size_t depth)
{
    for (size_t i = 0; i < shift->spots_len; i++) {
        size_t mark = shift->moves_len;
        size_t gone;
        size_t settled = 0;

        if (is_spent(shift))
            return false;
        gone = push_out(shift, shift->spots[i].seat, shape, other);
        while (settled < gone && settle(shift, other, depth))
            settled++;
        if (gone > 0 && settled == gone)
            return true;
        undo(shift, mark);
        /* Where the first finds no place, those of other nodes will not either. */
        if (gone > 0 && settled == 0)
            return false;
    }
    return false;
}

/* A shape that found no place once is not asked again for the same pod. */
static bool settle(struct shift *shift, size_t shape, size_t depth)
{
    struct fb_fill *fill = shift->fill;

    if (slip_in(shift, shape))
        return true;
    if (depth == DEPTH)
        return false;
    fill->asked[shape] = true;
    for (size_t i = 0; i < fill->order_len; i++) {
        size_t other = fill->order[i];

        if (!fill->asked[other] && displace(shift, shape, other, depth + 1)) {
            fill->asked[shape] = false;
            return true;
        }
    }
    return false;
}

void fb_fill_shift(struct fb_fill *fill, const struct fb_spot *spots, size_t len)
{
    struct shift shift = {
        .fill = fill, .spots = spots, .spots_len = len, .moves = fill->moves, .work = WORK_ONE};

    for (size_t i = 0; i < fill->order_len; i++) {
        size_t shape = fill->order[i];
        bool settled = fill->want[shape] - fill->taken[shape] <= FB_FILL_DEEP;

        while (settled && fill->taken[shape] < fill->want[shape]) {
            memset(fill->asked, 0, fill->in->shapes_len * sizeof *fill->asked);
            shift.moves_len = 0;
            settled = settle(&shift, shape, 0);
            if (!settled)
                undo(&shift, 0);
        }
    }
}
