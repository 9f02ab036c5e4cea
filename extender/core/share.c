/* SPDX-License-Identifier: Apache-2.0 */
#include "fill.h"

#include <stdlib.h>
#include <string.h>

/* a / b against c / d, exactly: by whole parts, then by the inverse of what remains. */
static int by_ratio(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    for (;;) {
        uint64_t rest_a = a % b;
        uint64_t rest_c = c % d;

        if (a / b != c / d)
            return a / b < c / d ? -1 : 1;
        if (rest_a == 0 || rest_c == 0)
            return (rest_a > 0) - (rest_c > 0);
        a = d;
        c = b;
        b = rest_c;
        d = rest_a;
    }
}

static int by_share(const void *left, const void *right)
{
    const struct fb_fill_rank *a = left;
    const struct fb_fill_rank *b = right;
    int order = by_ratio(b->part, b->whole, a->part, a->whole);

    if (order == 0)
        order = (a->admitting > b->admitting) - (a->admitting < b->admitting);
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->shape > b->shape) - (a->shape < b->shape);
}

static int64_t most_free(const struct fb_fill *fill, size_t from, size_t to, size_t dim)
{
    int64_t most = 0;

    for (size_t at = from; at < to; at++) {
        int64_t here = fill->seats[at].node->free[dim];

        most = here > most ? here : most;
    }
    return most;
}

/* The nodes of the fabric that admit the shape. */
static size_t admitting(const struct fb_fill *fill, size_t from, size_t to, size_t shape)
{
    size_t len = 0;

    for (size_t at = from; at < to; at++)
        len += fill->seats[at].node->admits[shape] ? 1 : 0;
    return len;
}

/* A share of nothing is larger than any. */
static void raise_share(struct fb_fill_rank *rank, int64_t need, int64_t most)
{
    uint64_t part = most > 0 ? (uint64_t)need : INT64_MAX;
    uint64_t whole = most > 0 ? (uint64_t)most : 1;

    if (need > 0 && by_ratio(part, whole, rank->part, rank->whole) > 0) {
        rank->part = part;
        rank->whole = whole;
    }
}

void fb_fill_aim(struct fb_fill *fill, const int64_t *need, size_t from, size_t to,
                 const size_t *want)
{
    size_t dims = fill->in->dims_len;
    size_t len = 0;

    fill->need = need;
    fill->pods = 0;
    for (size_t shape = 0; shape < fill->in->shapes_len; shape++) {
        fill->want[shape] = want[shape];
        if (want[shape] == 0)
            continue;
        fill->pods = want[shape] < SIZE_MAX - fill->pods ? fill->pods + want[shape] : SIZE_MAX;
        fill->ranks[len++] = (struct fb_fill_rank){.name = fill->in->shapes[shape].name,
                                                   .whole = 1,
                                                   .admitting = admitting(fill, from, to, shape),
                                                   .shape = shape};
    }
    for (size_t dim = fill->dim_from; dim < fill->dim_to; dim++) {
        int64_t most = most_free(fill, from, to, dim);

        for (size_t i = 0; i < len; i++)
            raise_share(&fill->ranks[i], need[fill->ranks[i].shape * dims + dim], most);
    }
    if (len > 1)
        qsort(fill->ranks, len, sizeof *fill->ranks, by_share);
    for (size_t i = 0; i < len; i++)
        fill->order[i] = fill->ranks[i].shape;
    fill->order_len = len;
}
