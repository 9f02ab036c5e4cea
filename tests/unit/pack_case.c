/* SPDX-License-Identifier: Apache-2.0 */
#include "pack_case.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t number(const char **at)
{
    char *end;
    unsigned long long value = strtoull(*at, &end, 10);

    assert_ptr_not_equal(end, *at);
    *at = end;
    return (size_t)value;
}

static const char *word(struct pack_read *read, const char **at, const char *ends)
{
    const char *text = *at;
    size_t len = strcspn(text, ends);

    *at += len;
    return fb_arena_text(read->arena, text, len);
}

/* "4,1" behind an "@", or 1 of each. */
static int64_t *amounts(struct pack_read *read, const char **at, int64_t *ret)
{
    for (size_t dim = 0; dim < read->in.dims_len; dim++)
        ret[dim] = 1;
    for (size_t dim = 0; dim < read->in.dims_len && (**at == '@' || **at == ','); dim++) {
        ++*at;
        ret[dim] = (int64_t)number(at);
    }
    return ret;
}

static void read_gang(struct pack_read *read, const char *at, int64_t *needs)
{
    for (; *at != '\0'; at += *at == ' ') {
        struct fb_pack_shape *shape = &read->shapes[read->in.shapes_len];

        assert_true(read->in.shapes_len < COUNT(read->shapes));
        shape->name = word(read, &at, ":");
        at++;
        shape->count = number(&at);
        shape->min = shape->count;
        if (*at == '/') {
            at++;
            shape->min = number(&at);
        }
        (void)amounts(read, &at, needs + read->in.shapes_len++ * read->in.dims_len);
    }
}

static size_t fabric(struct pack_read *read, const char *name, bool alone, const int64_t *needs)
{
    size_t i = 0;

    while (i < read->in.fabrics_len && strcmp(read->fabrics[i].name, name) != 0)
        i++;
    if (i == read->in.fabrics_len) {
        assert_true(i < COUNT(read->fabrics));
        read->fabrics[i] = (struct fb_pack_fabric){.name = name, .need = needs, .alone = alone};
        read->in.fabrics_len++;
    }
    return i;
}

static const char *const *path(struct pack_read *read, const char *text)
{
    const char **tiers = fb_arena_alloc(read->arena, 8 * sizeof *tiers);

    for (size_t i = 0; *text != '\0' && *text != '-'; text += *text == '/')
        tiers[i++] = word(read, &text, "/");
    return tiers;
}

static const char *node_name(struct pack_read *read, const char *place)
{
    char name[64];
    size_t len = strlen(place);
    size_t same = 0;

    for (size_t i = 0; i < read->in.nodes_len; i++)
        same += strncmp(read->nodes[i].name, place, len) == 0 && read->nodes[i].name[len] == '.';
    (void)snprintf(name, sizeof name, "%s.%02zu", place, same);
    return fb_arena_text(read->arena, name, strlen(name));
}

static bool *admitted(struct pack_read *read, const char **at)
{
    bool *admits = fb_arena_alloc(read->arena, read->in.shapes_len * sizeof *admits);

    for (size_t i = 0; i < read->in.shapes_len; i++)
        admits[i] = true;
    for (; **at == '!';) {
        const char *name;

        ++*at;
        name = word(read, at, "! ");
        for (size_t i = 0; i < read->in.shapes_len; i++)
            admits[i] = admits[i] && strcmp(read->shapes[i].name, name) != 0;
    }
    return admits;
}

static const char *read_nodes(struct pack_read *read, const char *at, const int64_t *needs)
{
    int64_t *free = fb_arena_alloc(read->arena, (read->in.dims_len + 1) * sizeof *free);
    size_t *placed = fb_arena_alloc(read->arena, (read->in.shapes_len + 1) * sizeof *placed);
    struct fb_pack_node node = {.free = free};
    bool alone = *at == '?';
    const char *name = "f";
    const char *place;
    size_t len;

    at += alone;
    if (at[strcspn(at, ": ")] == ':') {
        name = word(read, &at, ":");
        at++;
    }
    node.fabric = fabric(read, name, alone, needs);
    place = word(read, &at, "*");
    node.path = path(read, place);
    at++;
    len = number(&at);
    (void)amounts(read, &at, free);
    if (*at == '+') {
        at++;
        placed[0] = number(&at);
    }
    node.admits = admitted(read, &at);
    for (size_t i = 0; i < len; i++) {
        assert_true(read->in.nodes_len < COUNT(read->nodes));
        node.name = node_name(read, place);
        node.placed = i == 0 && placed[0] > 0 ? placed : NULL;
        read->nodes[read->in.nodes_len++] = node;
    }
    return at;
}

void pack_case_read(const struct pack_case *from, struct pack_read *ret)
{
    int64_t *needs = fb_arena_alloc(ret->arena, (from->dims + 1) * 8 * sizeof *needs);
    size_t pods = 0;

    ret->in = (struct fb_pack_input){.dims_len = from->dims,
                                     .tiers_len = from->tiers,
                                     .shapes = ret->shapes,
                                     .fabrics = ret->fabrics,
                                     .nodes = ret->nodes};
    read_gang(ret, from->gang, needs);
    for (const char *at = from->cluster; *at != '\0'; at += *at == ' ')
        at = read_nodes(ret, at, needs);
    for (size_t i = 0; i < ret->in.shapes_len; i++)
        pods += ret->shapes[i].count;
    ret->in.min = from->min == PACK_ALL ? pods : from->min;
}

struct named {
    const char *name;
};

static int by_name(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;

    return strcmp(a->name, b->name);
}

static void append(char *text, size_t size, const char *what)
{
    (void)snprintf(text + strlen(text), size - strlen(text), "%s", what);
}

/* Pods of one shape on the nodes of one path. */
static size_t pods_on(const struct pack_read *from, const struct fb_pack_result *result,
                      const char *place, size_t shape)
{
    size_t len = strcspn(place, ".");
    size_t sum = 0;

    for (size_t i = 0; i < from->in.nodes_len; i++)
        if (strncmp(from->nodes[i].name, place, len + 1) == 0)
            sum += result->quota[i * from->in.shapes_len + shape];
    return sum;
}

static void append_place(const struct pack_read *from, const struct fb_pack_result *result,
                         const char *place, char *ret, size_t size)
{
    char item[64] = "";

    for (size_t shape = 0; shape < from->in.shapes_len; shape++) {
        size_t pods = pods_on(from, result, place, shape);
        char one[32];

        (void)snprintf(one, sizeof one, "%s%s%zu", item[0] == '\0' ? "" : ",",
                       from->in.shapes_len > 1 ? from->shapes[shape].name : "", pods);
        if (pods > 0)
            append(item, sizeof item, one);
    }
    if (item[0] == '\0')
        return;
    (void)snprintf(ret + strlen(ret), size - strlen(ret), " %.*s=%s", (int)strcspn(place, "."),
                   place, item);
}

void pack_case_answer(const struct pack_read *from, const struct fb_pack_result *result, char *ret,
                      size_t size)
{
    struct named nodes[COUNT(from->nodes)];
    const char *name = result->fabric == FB_PACK_NONE ? "none" : from->fabrics[result->fabric].name;

    if (!result->holds) {
        (void)snprintf(ret, size, "short %s: takes %zu, dim %zu", name, result->takes, result->dim);
        return;
    }
    (void)snprintf(ret, size, "%s %zu:", name, result->blocks);
    for (size_t i = 0; i < from->in.nodes_len; i++)
        nodes[i].name = from->nodes[i].name;
    qsort(nodes, from->in.nodes_len, sizeof nodes[0], by_name);
    for (size_t i = 0; i < from->in.nodes_len; i++) {
        size_t len = strcspn(nodes[i].name, ".");

        if (i == 0 || strncmp(nodes[i].name, nodes[i - 1].name, len + 1) != 0)
            append_place(from, result, nodes[i].name, ret, size);
    }
}

static void node_is_sound(const struct fb_pack_input *in, const struct fb_pack_result *result,
                          size_t at)
{
    const struct fb_pack_node *node = &in->nodes[at];
    const size_t *quota = result->quota + at * in->shapes_len;

    for (size_t dim = 0; dim < in->dims_len; dim++) {
        int64_t left = node->free[dim];

        for (size_t shape = 0; shape < in->shapes_len; shape++) {
            int64_t need = in->fabrics[node->fabric].need[shape * in->dims_len + dim];

            assert_true(need == 0 || quota[shape] <= (size_t)(left / need));
            left -= need * (int64_t)quota[shape];
        }
    }
    for (size_t shape = 0; shape < in->shapes_len; shape++) {
        assert_true(quota[shape] == 0 || node->admits[shape]);
        assert_true(quota[shape] == 0 || node->fabric == result->fabric);
    }
}

void pack_case_is_sound(const struct fb_pack_input *in, const struct fb_pack_result *result)
{
    size_t sum = 0;

    for (size_t i = 0; i < in->nodes_len; i++)
        node_is_sound(in, result, i);
    for (size_t shape = 0; shape < in->shapes_len; shape++) {
        size_t pods = 0;

        for (size_t i = 0; i < in->nodes_len; i++)
            pods += result->quota[i * in->shapes_len + shape];
        assert_true(pods <= in->shapes[shape].count);
        assert_true(!result->holds || pods >= in->shapes[shape].min);
        sum += pods;
    }
    assert_true(sum == (result->holds ? result->takes : 0));
    assert_true(!result->holds || sum >= in->min);
}

/* xorshift64* */
size_t pack_below(uint64_t *seed, size_t end)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (size_t)((*seed * 2685821657736338717U >> 33) % end);
}
