/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_NODE_CASE_H
#define FB_TESTS_NODE_CASE_H

#include "make_cluster.h"

#include <stdio.h>

/** A node as one row of a table; NULL where a field does not matter. */
struct node_case {
    const char *id;       /* spec.providerID */
    const char *instance; /* instance type */
    const char *labels;   /* "key=value key=" */
    const char *amounts;  /* allocatable: "nic=7"; "nic=7/8" where the capacity is another */
    const char *taints;   /* "key:Effect key:Effect" */
    bool cordoned, silent;
};

/** A node called "n" with nothing but what the row says; not one of the builder's. */
struct fb_node make_case(struct builder *builder, const struct node_case *from);

/** The reading of such a node. */
struct fb_reading read_case(struct builder *builder, const struct node_case *from);

/** The same as the builder's next node, called @name, with CPUs, memory and room for pods. */
struct fb_node *add_case(struct builder *builder, const char *name, const struct node_case *from);

/** A pod of namespace "team" that runs on node "a", as one row; NULL where it has none. */
struct pod_case {
    const char *name;
    int64_t gpus;
    const char *kind, *group, *owner; /* its owner, whose UID is its name */
    const char *label, *value;
    const char *other_label, *other_value;
    const char *annotation, *text;
    const char *space;
    bool terminating;
};

#define POD(pod_name) .name = (pod_name), .gpus = 8
#define OWNER(...) OWNER_OF(__VA_ARGS__)
#define OWNER_OF(of_kind, of_group, of_name)                                                       \
    .kind = (of_kind), .group = (of_group), .owner = (of_name)
#define LABEL(key, of_value) .label = (key), .value = (of_value)
#define VOLCANO "Job", "batch.volcano.sh"

struct fb_pod *add_pod_case(struct builder *builder, const struct pod_case *from);

#define CASE_TEXT 1024

/** Codes in the order of their numbers, separated by spaces; "" when there are none. */
const char *problems_text(const struct fb_reading *reading, char text[CASE_TEXT]);

/** "a=1 b=2". */
const char *amounts_text(const struct fb_resources *amounts, char text[CASE_TEXT]);

/** "key=value key=value". */
const char *pairs_text(const struct fb_pairs *pairs, char text[CASE_TEXT]);

/** "<fabric's name>: node node ..." in the order of the cluster; those of none behind "-:". */
const char *fabrics_text(const struct fb_cluster *cluster, char text[CASE_TEXT]);

/** Where the next piece of @text starts: behind a space where it is not the first. */
char *piece_start(char text[CASE_TEXT]);

/** Put one more formatted piece behind @text, a char[CASE_TEXT]; the test fails when it is full. */
#define add_piece(text, ...)                                                                       \
    do {                                                                                           \
        char *piece_at = piece_start(text);                                                        \
        size_t piece_room = CASE_TEXT - (size_t)(piece_at - (text));                               \
                                                                                                   \
        assert_in_range(snprintf(piece_at, piece_room, __VA_ARGS__), 0, piece_room - 1);           \
    } while (0)

#endif
