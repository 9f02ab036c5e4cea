/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/pack.h"

#include "choose.h"
#include "fabricbind/own.h"

#include <string.h>

struct pack {
    const struct fb_pack_input *in;
    struct fb_places map;
    struct fb_fill fill;
    struct fb_chooser chooser;
    struct fb_spot *spots;              /* all seats in order */
    size_t *want, *least, *part, *none; /* by shape; part: what one fabric takes; none: 0 */
    size_t pods;                        /* sum of want */
    size_t running;                     /* pods of the gang that run already */
    size_t fixed;                       /* the place they fix, or FB_PACK_NONE */
    struct fb_choice best;
    size_t *blocks; /* of best */
    bool found;
};

/* Running members fix the fabric: that with most of them. */
static void find_running(struct pack *pack)
{
    size_t most = 0;

    pack->fixed = FB_PACK_NONE;
    for (size_t i = 0; i < pack->in->fabrics_len; i++) {
        size_t here = pack->map.places[i].tree.domains[0].placed;

        pack->running += here;
        if (here > most) {
            most = here;
            pack->fixed = i;
        }
    }
}

static enum fb_status pack_init(struct pack *pack, struct fb_arena *arena)
{
    const struct fb_pack_input *in = pack->in;

    pack->want = fb_pack_array(arena, in->shapes_len, sizeof *pack->want);
    pack->least = fb_pack_array(arena, in->shapes_len, sizeof *pack->least);
    pack->part = fb_pack_array(arena, in->shapes_len, sizeof *pack->part);
    pack->none = fb_pack_array(arena, in->shapes_len, sizeof *pack->none);
    pack->spots = fb_pack_array(arena, in->nodes_len, sizeof *pack->spots);
    pack->blocks = fb_pack_array(arena, in->nodes_len + 1, sizeof *pack->blocks);
    if (pack->want == NULL || pack->least == NULL || pack->part == NULL || pack->none == NULL ||
        pack->spots == NULL || pack->blocks == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < in->nodes_len; i++)
        pack->spots[i].seat = i;
    for (size_t i = 0; i < in->shapes_len; i++) {
        const struct fb_pack_shape *shape = &in->shapes[i];

        pack->want[i] = shape->count;
        pack->least[i] = shape->min < shape->count ? shape->min : shape->count;
        pack->pods = shape->count < SIZE_MAX - pack->pods ? pack->pods + shape->count : SIZE_MAX;
    }
    if (fb_places_new(in, arena, &pack->map) != FB_OK ||
        fb_fill_new(in, pack->map.seats, arena, &pack->fill) != FB_OK)
        return FB_ENOMEM;
    find_running(pack);
    return fb_chooser_new(&pack->fill, arena, &pack->chooser);
}

/* Whether the fabric may take the gang at all, were there room. */
static bool may_hold(const struct pack *pack, size_t at)
{
    if (pack->fixed != FB_PACK_NONE && pack->fixed != at)
        return false;
    return !pack->map.places[at].fabric->alone || (pack->pods == 1 && pack->running == 0);
}

static void aim(struct pack *pack, const struct fb_place *place, const size_t *want)
{
    fb_fill_aim(&pack->fill, place->fabric->need, place->from, place->to, want);
}

/* Pack as many pods as can be on the whole fabric. Returns whether the goal is met. */
static bool pack_most(struct pack *pack, const struct fb_place *place, struct fb_goal goal)
{
    return fb_fill_most(&pack->fill, pack->spots + place->from, place->to - place->from, &goal);
}

/* Keep the choice for what fill is aimed at, if it is the best so far. */
static void consider(struct pack *pack, struct fb_place *place)
{
    struct fb_choice choice;

    if (!fb_choose(&pack->chooser, &place->tree, (size_t)(place - pack->map.places), &choice))
        return;
    if (pack->found && !fb_choice_is_better(&choice, &pack->best))
        return;
    pack->found = true;
    pack->best = choice;
    memcpy(pack->blocks, choice.blocks, choice.blocks_len * sizeof *pack->blocks);
    pack->best.blocks = pack->blocks;
}

static void hold_whole(struct pack *pack)
{
    for (size_t i = 0; i < pack->in->fabrics_len && pack->in->min <= pack->pods; i++) {
        if (!may_hold(pack, i))
            continue;
        aim(pack, &pack->map.places[i], pack->want);
        consider(pack, &pack->map.places[i]);
    }
}

/* Turn to as many pods as the fabric takes, by shape, with the minimum met. */
static bool aim_part(struct pack *pack, const struct fb_place *place)
{
    struct fb_goal goal = {.least = pack->least, .sum = pack->in->min, .decisive = true};

    aim(pack, place, pack->want);
    if (!pack_most(pack, place, goal))
        return false;
    memcpy(pack->part, pack->fill.taken, pack->in->shapes_len * sizeof *pack->part);
    aim(pack, place, pack->part);
    return true;
}

/* Of the fabrics that meet the minimum those that take most. Returns one of them or FB_PACK_NONE.
 */
static size_t hold_part(struct pack *pack)
{
    size_t first = FB_PACK_NONE;
    size_t most = 0;

    for (size_t i = 0; i < pack->in->fabrics_len && pack->in->min < pack->pods; i++) {
        struct fb_place *place = &pack->map.places[i];

        if (!may_hold(pack, i) || !aim_part(pack, place))
            continue;
        if (first == FB_PACK_NONE || pack->fill.pods > most) {
            first = i;
            most = pack->fill.pods;
            pack->found = false;
        }
        if (most > 0 && pack->fill.pods == most)
            consider(pack, place);
    }
    return pack->found ? pack->best.fabric : first;
}

static bool is_used(const struct pack *pack, const struct fb_domain *block)
{
    size_t shapes = pack->in->shapes_len;
    bool used = block->placed > 0;

    for (size_t i = block->from * shapes; !used && i < block->to * shapes; i++)
        used = pack->fill.quota[i] > 0;
    return used;
}

/* What was packed last, for the caller. */
static void tell(const struct pack *pack, const struct fb_place *place, struct fb_pack_result *ret)
{
    const struct fb_tree *tree = &place->tree;
    size_t shapes = pack->in->shapes_len;

    ret->takes = pack->fill.taken_sum;
    for (size_t seat = place->from; shapes > 0 && seat < place->to; seat++)
        memcpy(ret->quota + pack->map.seats[seat].index * shapes, pack->fill.quota + seat * shapes,
               shapes * sizeof *ret->quota);
    for (size_t i = tree->level[tree->depth]; i < tree->level[tree->depth + 1]; i++)
        ret->blocks += is_used(pack, &tree->domains[i]) ? 1 : 0;
}

/* Clear what earlier packings left on the fabric. */
static void start(struct pack *pack, const struct fb_place *place)
{
    fb_fill_start(&pack->fill, pack->spots + place->from, place->to - place->from);
}

static void tell_whole(struct pack *pack, struct fb_pack_result *ret)
{
    const struct fb_place *place = &pack->map.places[pack->best.fabric];

    ret->holds = true;
    ret->fabric = place->index;
    aim(pack, place, pack->want);
    start(pack, place);
    fb_choice_fill(&pack->chooser, &pack->best);
    tell(pack, place, ret);
}

static void tell_part(struct pack *pack, size_t at, struct fb_pack_result *ret)
{
    const struct fb_place *place = &pack->map.places[at];

    ret->holds = true;
    ret->fabric = place->index;
    (void)aim_part(pack, place);
    if (pack->found) {
        start(pack, place);
        fb_choice_fill(&pack->chooser, &pack->best);
    }
    tell(pack, place, ret);
}

/* Pods of the gang that the fabric takes, looking at the dims [@from, @to) only. */
static size_t count_pods(struct pack *pack, const struct fb_place *place, size_t from, size_t to)
{
    struct fb_goal any = {.least = pack->none};

    pack->fill.dim_from = from;
    pack->fill.dim_to = to;
    aim(pack, place, pack->want);
    (void)pack_most(pack, place, any);
    return pack->fill.taken_sum;
}

/* The column that alone lets the fewest pods in. */
static size_t scarce_dim(struct pack *pack, const struct fb_place *place)
{
    size_t fewest = SIZE_MAX;
    size_t scarce = 0;

    for (size_t dim = 0; dim < pack->in->dims_len; dim++) {
        size_t pods = count_pods(pack, place, dim, dim + 1);

        if (pods < fewest) {
            fewest = pods;
            scarce = dim;
        }
    }
    return scarce;
}

static void tell_short(struct pack *pack, struct fb_pack_result *ret)
{
    size_t most = FB_PACK_NONE;

    for (size_t i = 0; i < pack->in->fabrics_len; i++) {
        size_t takes;

        if (pack->fixed != FB_PACK_NONE && pack->fixed != i)
            continue;
        takes =
            may_hold(pack, i) ? count_pods(pack, &pack->map.places[i], 0, pack->in->dims_len) : 0;
        if (most == FB_PACK_NONE || takes > ret->takes) {
            most = i;
            ret->takes = takes;
        }
    }
    if (most == FB_PACK_NONE)
        return;
    ret->fabric = pack->map.places[most].index;
    ret->dim = scarce_dim(pack, &pack->map.places[most]);
}

/* Nothing to place: what runs already is the plan. */
static void tell_nothing(const struct pack *pack, struct fb_pack_result *ret)
{
    ret->holds = pack->in->min == 0;
    if (pack->fixed == FB_PACK_NONE)
        return;
    ret->fabric = pack->map.places[pack->fixed].index;
    tell(pack, &pack->map.places[pack->fixed], ret);
}

static void plan(struct pack *pack, struct fb_pack_result *ret)
{
    size_t part;

    if (pack->pods == 0) {
        tell_nothing(pack, ret);
        return;
    }
    hold_whole(pack);
    if (pack->found) {
        tell_whole(pack, ret);
        return;
    }
    part = hold_part(pack);
    if (part != FB_PACK_NONE)
        tell_part(pack, part, ret);
    else
        tell_short(pack, ret);
}

enum fb_status fb_pack(const struct fb_pack_input *in, struct fb_arena *arena,
                       struct fb_pack_result *ret, struct fb_error *err)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *scratch = fb_arena_new(0);
    struct fb_pack_result result = {.fabric = FB_PACK_NONE};
    struct pack pack = {.in = in};

    if (scratch == NULL || pack_init(&pack, scratch) != FB_OK)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    /* The product cannot overflow: the scratch already holds as much. */
    result.quota = fb_pack_array(arena, in->nodes_len * in->shapes_len, sizeof *result.quota);
    if (result.quota == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    plan(&pack, &result);
    *ret = result;
    return FB_OK;
}
