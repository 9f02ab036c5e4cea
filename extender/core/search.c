/* SPDX-License-Identifier: Apache-2.0 */
#include "fill.h"

#include <stdlib.h>
#include <string.h>

/* Looks at a node for a shape that one search may take: over 20,000 steps on a few nodes. */
#define WORK_ONE 2000000

/*
 * Depth-first over (shape, node), shapes in the order of packing: how many pods of the shape go to
 * the node, most first. Position p stands for shape order[p / nodes] and node p % nodes.
 */
struct search {
    struct fb_fill *fill;
    const struct fb_fill_key *nodes; /* equal ones side by side */
    size_t nodes_len, positions;
    const size_t *least; /* by shape */
    size_t out;          /* pods that may be left out over all shapes */
    size_t *count;       /* by position */
    size_t work;
};

static int by_kind(const void *left, const void *right)
{
    const struct fb_fill_key *a = left;
    const struct fb_fill_key *b = right;
    const struct fb_pack_input *in = a->fill->in;
    int order = (a->suitors > b->suitors) - (a->suitors < b->suitors);

    for (size_t dim = 0; order == 0 && dim < in->dims_len; dim++)
        order = (a->all[dim] > b->all[dim]) - (a->all[dim] < b->all[dim]);
    for (size_t shape = 0; order == 0 && shape < in->shapes_len; shape++)
        order = (int)a->admits[shape] - (int)b->admits[shape];
    return order != 0 ? order : (a->seat > b->seat) - (a->seat < b->seat);
}

static void sort_nodes(struct fb_fill *fill, const struct fb_spot *spots, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const struct fb_pack_node *node = fill->seats[spots[i].seat].node;
        struct fb_fill_key key = {
            .admits = node->admits, .all = node->free, .seat = spots[i].seat, .fill = fill};

        for (size_t n = 0; n < fill->order_len; n++)
            key.suitors += fb_fill_fits(fill, key.seat, fill->order[n]) > 0 ? 1 : 0;
        fill->keys[i] = key;
    }
    qsort(fill->keys, len, sizeof *fill->keys, by_kind);
}

/* Pods of a shape that cannot be placed any more by the nodes from @node on. */
static size_t lost(struct search *search, size_t shape, size_t node)
{
    const struct fb_fill *fill = search->fill;
    size_t rest = fill->want[shape] - fill->taken[shape];

    for (; rest > 0 && node < search->nodes_len; node++) {
        size_t fits = fb_fill_fits(fill, search->nodes[node].seat, shape);

        rest -= fits < rest ? fits : rest;
    }
    return rest;
}

/* Whether enough can still be placed from position @at on, each shape taken for itself. */
static bool is_hopeful(struct search *search, size_t at)
{
    size_t out = search->out;

    for (size_t i = 0; i < search->fill->order_len; i++) {
        size_t shape = search->fill->order[i];
        size_t begun = at / search->nodes_len;
        size_t node = i > begun ? 0 : i == begun ? at % search->nodes_len : search->nodes_len;
        size_t gone = lost(search, shape, node);

        if (gone > out || gone > search->fill->want[shape] - search->least[shape])
            return false;
        out -= gone;
    }
    return true;
}

/* Whether a node was like the one before it when the shape's turn began. */
static bool is_twin(const struct search *search, size_t at, size_t shape)
{
    const struct fb_fill *fill = search->fill;
    const struct fb_fill_key *node = &search->nodes[at % search->nodes_len];
    size_t dims = fill->in->dims_len;

    if (at % search->nodes_len == 0)
        return false;
    for (size_t i = 0; i < fill->order_len; i++)
        if (node->admits[fill->order[i]] != node[-1].admits[fill->order[i]])
            return false;
    for (size_t dim = fill->dim_from; dim < fill->dim_to; dim++) {
        int64_t used = (int64_t)search->count[at - 1] * fill->need[shape * dims + dim];

        if (fill->left[node->seat * dims + dim] != fill->left[node[-1].seat * dims + dim] + used)
            return false;
    }
    return true;
}

/* Twins take pods in falling numbers: any other way round is the same again. */
static void enter(struct search *search, size_t at)
{
    struct fb_fill *fill = search->fill;
    size_t shape = fill->order[at / search->nodes_len];
    size_t seat = search->nodes[at % search->nodes_len].seat;
    size_t rest = fill->want[shape] - fill->taken[shape];
    size_t pods = fb_fill_fits(fill, seat, shape);

    if (is_twin(search, at, shape) && search->count[at - 1] < pods)
        pods = search->count[at - 1];
    search->count[at] = pods < rest ? pods : rest;
    fb_fill_put(fill, seat, shape, search->count[at]);
}

/* Take one pod back at the last position that has any. Returns the one behind it, or 0. */
static size_t step_back(struct search *search, size_t at)
{
    while (at-- > 0) {
        size_t shape = search->fill->order[at / search->nodes_len];
        size_t seat = search->nodes[at % search->nodes_len].seat;

        if (search->count[at] == 0)
            continue;
        search->count[at]--;
        fb_fill_back(search->fill, seat, shape, 1);
        return at + 1;
    }
    return 0;
}

/* The next packing that leaves out no more than search->out, from position @at on. */
static bool advance(struct search *search, size_t at)
{
    size_t cost = search->positions;

    while (search->work >= cost) {
        search->work -= cost;
        if (!is_hopeful(search, at)) {
            at = step_back(search, at);
            if (at == 0)
                return false;
        } else if (at == search->positions) {
            return true;
        } else {
            enter(search, at++);
        }
    }
    return false;
}

static void keep(struct search *search, size_t *best)
{
    memcpy(best, search->count, search->positions * sizeof *best);
}

static void restore(struct search *search, const struct fb_spot *spots, const size_t *best)
{
    struct fb_fill *fill = search->fill;

    fb_fill_start(fill, spots, search->nodes_len);
    for (size_t at = 0; at < search->positions; at++)
        fb_fill_put(fill, search->nodes[at % search->nodes_len].seat,
                    fill->order[at / search->nodes_len], best[at]);
}

static bool run(struct search *search, const struct fb_spot *spots)
{
    struct fb_fill *fill = search->fill;
    bool found = false;
    size_t at = 0;

    do {
        if (!advance(search, at))
            break;
        found = true;
        keep(search, fill->best);
        search->out = fill->pods - fill->taken_sum;
        if (search->out == 0)
            return true;
        search->out--;
        at = step_back(search, search->positions);
    } while (at > 0);
    if (found)
        restore(search, spots, fill->best);
    return found;
}

bool fb_fill_search(struct fb_fill *fill, const struct fb_spot *spots, size_t len,
                    const struct fb_goal *goal)
{
    size_t limit = goal->decisive || fill->work > WORK_ONE ? WORK_ONE : fill->work;
    struct search search = {.fill = fill,
                            .nodes = fill->keys,
                            .nodes_len = len,
                            .least = goal->least,
                            .count = fill->count,
                            .work = limit};
    bool found;

    if (len == 0 || goal->sum > fill->pods || fill->order_len > FB_FILL_DEEP / len)
        return false;
    search.positions = len * fill->order_len;
    search.out = fill->pods - goal->sum;
    fb_fill_start(fill, spots, len);
    sort_nodes(fill, spots, len);
    found = run(&search, spots);
    if (!goal->decisive)
        fill->work -= limit - search.work;
    return found;
}
