/* SPDX-License-Identifier: Apache-2.0 */
#include "node_case.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static const char *keep(struct builder *builder, const char *text, size_t len)
{
    const char *kept = fb_arena_text(builder->arena, text, len);

    assert_non_null(kept);
    return kept;
}

/* The next word of @*at without what is behind its last @mark, which @ret_rest is. */
static const char *next_word(struct builder *builder, const char **at, char mark,
                             const char **ret_rest)
{
    size_t len = strcspn(*at, " ");
    const char *word = keep(builder, *at, len);
    const char *middle = strrchr(word, mark);

    assert_non_null(middle);
    *ret_rest = middle + 1;
    *at += len;
    *at += strspn(*at, " ");
    return keep(builder, word, (size_t)(middle - word));
}

static void put_amount(struct builder *builder, struct fb_node *node, const char *name,
                       const char *rest)
{
    char *end;
    int64_t allocatable = strtoll(rest, &end, 10);
    int64_t capacity = *end == '/' ? strtoll(end + 1, NULL, 10) : allocatable;

    assert_int_equal(fb_resources_set(builder->arena, &node->capacity, name, capacity), FB_OK);
    assert_int_equal(fb_resources_set(builder->arena, &node->allocatable, name, allocatable),
                     FB_OK);
}

struct fb_node make_case(struct builder *builder, const struct node_case *from)
{
    struct fb_node node = {
        .name = "n",
        .uid = "n",
        .provider_id = or_empty(from->id),
        .instance_type = or_empty(from->instance),
        .unschedulable = from->cordoned,
        .ready = !from->silent,
    };
    const char *rest;

    for (const char *at = or_empty(from->labels); *at != '\0';) {
        const char *key = next_word(builder, &at, '=', &rest);

        give_label(builder, &node, key, rest);
    }
    for (const char *at = or_empty(from->amounts); *at != '\0';) {
        const char *name = next_word(builder, &at, '=', &rest);

        put_amount(builder, &node, name, rest);
    }
    for (const char *at = or_empty(from->taints); *at != '\0';) {
        const char *key = next_word(builder, &at, ':', &rest);

        give_taint(builder, &node, key, "", rest);
    }
    return node;
}

struct fb_reading read_case(struct builder *builder, const struct node_case *from)
{
    struct fb_node *node = fb_arena_alloc(builder->arena, sizeof *node);
    struct fb_reading reading;

    assert_non_null(node);
    *node = make_case(builder, from);
    assert_int_equal(
        fb_reading_make(builder->arena, node, &builder->policies, &builder->settings, &reading),
        FB_OK);
    return reading;
}

struct fb_node *add_case(struct builder *builder, const char *name, const struct node_case *from)
{
    struct fb_node *node = make_node(builder, name, "", -1, NULL, 0);

    *node = make_case(builder, from);
    node->name = name;
    give_amount(builder, node, "cpu", 192000);
    give_amount(builder, node, "memory", INT64_C(2) << 40);
    give_amount(builder, node, "pods", 110);
    return node;
}

struct fb_pod *add_pod_case(struct builder *builder, const struct pod_case *from)
{
    struct fb_pod *pod = make_pod(builder, from->name, "a", from->gpus);

    pod->terminating = from->terminating;
    if (from->space != NULL)
        pod->space = from->space;
    if (from->kind != NULL)
        give_owner(builder, pod, from->kind, from->group, from->owner);
    if (from->label != NULL)
        give_pod_label(builder, pod, from->label, from->value);
    if (from->other_label != NULL)
        give_pod_label(builder, pod, from->other_label, from->other_value);
    if (from->annotation != NULL)
        give_annotation(builder, pod, from->annotation, from->text);
    return pod;
}

char *piece_start(char text[CASE_TEXT])
{
    size_t len = strlen(text);

    assert_true(len + 2 < CASE_TEXT);
    if (len > 0)
        text[len++] = ' ';
    return text + len;
}

const char *problems_text(const struct fb_reading *reading, char text[CASE_TEXT])
{
    text[0] = '\0';
    for (unsigned i = 0; i < FB_PROBLEMS; i++) {
        if (fb_reading_has(reading, (enum fb_problem)i))
            add_piece(text, "%s", fb_problem_code((enum fb_problem)i));
    }
    return text;
}

const char *amounts_text(const struct fb_resources *amounts, char text[CASE_TEXT])
{
    text[0] = '\0';
    for (size_t i = 0; i < amounts->len; i++)
        add_piece(text, "%s=%lld", amounts->at[i].name, (long long)amounts->at[i].amount);
    return text;
}

const char *pairs_text(const struct fb_pairs *pairs, char text[CASE_TEXT])
{
    text[0] = '\0';
    for (size_t i = 0; i < pairs->len; i++)
        add_piece(text, "%s=%s", pairs->at[i].key, pairs->at[i].value);
    return text;
}

const char *fabrics_text(const struct fb_cluster *cluster, char text[CASE_TEXT])
{
    text[0] = '\0';
    for (size_t f = 0; f <= cluster->fabrics_len; f++) {
        size_t fabric = f < cluster->fabrics_len ? f : FB_NONE;
        size_t nodes = 0;

        for (size_t i = 0; i < cluster->sites_len; i++) {
            if (cluster->sites[i].fabric != fabric)
                continue;
            if (nodes++ == 0)
                add_piece(text, "%s:", fabric != FB_NONE ? cluster->fabrics[f].name : "-");
            add_piece(text, "%s", cluster->sites[i].node->name);
        }
        assert_int_equal(fabric != FB_NONE ? cluster->fabrics[f].nodes : nodes, nodes);
    }
    return text;
}
