/* SPDX-License-Identifier: Apache-2.0 */
#include "domain.h"

#include <stdlib.h>
#include <string.h>

void *fb_pack_array(struct fb_arena *arena, size_t len, size_t size)
{
    return len > SIZE_MAX / 4 / size ? NULL : fb_arena_alloc(arena, len * size);
}

static int by_number(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static size_t tiers_known(const struct fb_pack_node *node, size_t tiers_len)
{
    size_t known = 0;

    while (node->path != NULL && known < tiers_len && node->path[known] != NULL)
        known++;
    return known;
}

static size_t pods_placed(const struct fb_pack_node *node, size_t shapes_len)
{
    size_t sum = 0;

    for (size_t i = 0; node->placed != NULL && i < shapes_len; i++)
        sum += node->placed[i] < FB_PACK_MOST - sum ? node->placed[i] : FB_PACK_MOST - sum;
    return sum;
}

/* The domain of @seat right below @tier others: past what is known it is the node itself. */
static const char *domain_name(const struct fb_seat *seat, size_t tier)
{
    return tier < seat->known ? seat->node->path[tier] : seat->node->name;
}

static int by_tier(const struct fb_seat *a, const struct fb_seat *b, size_t tier)
{
    const char *left = domain_name(a, tier);
    const char *right = domain_name(b, tier);
    int order = left == right ? 0 : strcmp(left, right);

    return order != 0 ? order : (tier < b->known) - (tier < a->known);
}

static int by_place(const void *left, const void *right)
{
    const struct fb_seat *a = left;
    const struct fb_seat *b = right;
    size_t tiers = a->known > b->known ? a->known : b->known;
    int order = by_number(a->fabric, b->fabric);

    for (size_t tier = 0; order == 0 && tier < tiers; tier++)
        order = by_tier(a, b, tier);
    if (order == 0)
        order = strcmp(a->node->name, b->node->name);
    return order != 0 ? order : by_number(a->index, b->index);
}

static struct fb_seat *sort_seats(const struct fb_pack_input *in, const size_t *rank,
                                  struct fb_arena *arena)
{
    struct fb_seat *seats = fb_pack_array(arena, in->nodes_len, sizeof *seats);

    if (seats == NULL)
        return NULL;
    for (size_t i = 0; i < in->nodes_len; i++) {
        const struct fb_pack_node *node = &in->nodes[i];

        seats[i] = (struct fb_seat){.node = node,
                                    .index = i,
                                    .fabric = rank[node->fabric],
                                    .known = tiers_known(node, in->tiers_len),
                                    .placed = pods_placed(node, in->shapes_len)};
    }
    if (in->nodes_len > 1)
        qsort(seats, in->nodes_len, sizeof *seats, by_place);
    return seats;
}

/* Tiers that a seat shares with the one before it. */
static size_t tiers_shared(const struct fb_seat *seat)
{
    const struct fb_seat *before = seat - 1;
    size_t tier = 0;

    while (tier < seat->known && tier < before->known && by_tier(seat, before, tier) == 0)
        tier++;
    return tier;
}

static enum fb_status tree_alloc(struct fb_tree *tree, const struct fb_seat *seats, size_t from,
                                 size_t to, struct fb_arena *arena)
{
    size_t len;

    for (size_t at = from; at < to; at++)
        tree->depth = seats[at].known > tree->depth ? seats[at].known : tree->depth;
    len = tree->depth + 1;
    for (size_t at = from + 1; at < to; at++)
        len += tree->depth - tiers_shared(&seats[at]);

    tree->domains = fb_pack_array(arena, len, sizeof *tree->domains);
    tree->level = fb_pack_array(arena, tree->depth + 2, sizeof *tree->level);
    return tree->domains == NULL || tree->level == NULL ? FB_ENOMEM : FB_OK;
}

/* Add the domains of one depth behind those of the depth above. */
static void add_level(struct fb_tree *tree, size_t depth, const struct fb_seat *seats, size_t from,
                      size_t to)
{
    size_t len = tree->level[depth];

    for (size_t at = from; at < to; at++) {
        if (at == from || tiers_shared(&seats[at]) < depth) {
            tree->domains[len].from = at;
            tree->domains[len++].name =
                depth == 0 ? tree->fabric : domain_name(&seats[at], depth - 1);
        }
        tree->domains[len - 1].to = at + 1;
        tree->domains[len - 1].placed += seats[at].placed;
    }
    if (from == to)
        tree->domains[len++] = (struct fb_domain){.name = tree->fabric, .from = from, .to = to};
    tree->level[depth + 1] = len;
}

/* The domains of the level below and the finest blocks are in the same order as the seats. */
static void link_level(struct fb_tree *tree, size_t depth)
{
    size_t child = tree->level[depth + 1];
    size_t block = tree->level[tree->depth];

    for (size_t i = tree->level[depth]; i < tree->level[depth + 1]; i++) {
        struct fb_domain *domain = &tree->domains[i];

        domain->child = child;
        while (depth < tree->depth && child < tree->level[depth + 2] &&
               tree->domains[child].from < domain->to)
            child++;
        domain->child_end = child;
        domain->block = block;
        while (block < tree->level[tree->depth + 1] &&
               (block == i || tree->domains[block].from < domain->to))
            block++;
        domain->block_end = block;
    }
}

static enum fb_status build_tree(const struct fb_place *place, const struct fb_seat *seats,
                                 struct fb_arena *arena, struct fb_tree *ret)
{
    struct fb_tree tree = {.fabric = place->fabric->name};

    if (tree_alloc(&tree, seats, place->from, place->to, arena) != FB_OK)
        return FB_ENOMEM;
    for (size_t depth = 0; depth <= tree.depth; depth++)
        add_level(&tree, depth, seats, place->from, place->to);
    for (size_t depth = 0; depth <= tree.depth; depth++)
        link_level(&tree, depth);
    *ret = tree;
    return FB_OK;
}

static int by_name(const void *left, const void *right)
{
    const struct fb_place *a = left;
    const struct fb_place *b = right;
    int order = strcmp(a->fabric->name, b->fabric->name);

    return order != 0 ? order : by_number(a->index, b->index);
}

/* Set @rank, by fabric, to the place's index. */
static void sort_places(const struct fb_pack_input *in, struct fb_place *places, size_t *rank)
{
    for (size_t i = 0; i < in->fabrics_len; i++)
        places[i] = (struct fb_place){.fabric = &in->fabrics[i], .index = i};
    if (in->fabrics_len > 1)
        qsort(places, in->fabrics_len, sizeof *places, by_name);
    for (size_t i = 0; i < in->fabrics_len; i++)
        rank[places[i].index] = i;
}

enum fb_status fb_places_new(const struct fb_pack_input *in, struct fb_arena *arena,
                             struct fb_places *ret)
{
    struct fb_place *places = fb_pack_array(arena, in->fabrics_len, sizeof *places);
    size_t *rank = fb_pack_array(arena, in->fabrics_len, sizeof *rank);
    struct fb_seat *seats;
    size_t at = 0;

    if (places == NULL || rank == NULL)
        return FB_ENOMEM;
    sort_places(in, places, rank);
    seats = sort_seats(in, rank, arena);
    if (seats == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < in->fabrics_len; i++) {
        places[i].from = at;
        while (at < in->nodes_len && seats[at].fabric == i)
            at++;
        places[i].to = at;
        if (build_tree(&places[i], seats, arena, &places[i].tree) != FB_OK)
            return FB_ENOMEM;
    }
    *ret = (struct fb_places){.seats = seats, .places = places};
    return FB_OK;
}
