/* SPDX-License-Identifier: Apache-2.0 */
#include "decide_case.h"
#include "pack_case.h"
#include "unit.h"

#include <string.h>

#define CASES 2000
#define STEPS 25

/* One case: nodes "a<n>" are of zone z1, "b<n>" of z2. */
struct random_case {
    uint64_t seed;
    struct decide_case *at;
    char nodes[CASE_TEXT], pods[CASE_TEXT], job[CASE_TEXT];
    int64_t min;
    size_t whole[2], half[2]; /* nodes of which all is free, or a half, by zone */
    size_t eights, fours;     /* pods of the gang by GPUs */
    bool blind;
};

static size_t below(struct random_case *c, size_t end)
{
    return pack_below(&c->seed, end);
}

static void make_nodes(struct random_case *c)
{
    size_t pods = 0;

    for (size_t zone = 0; zone < 2; zone++) {
        for (size_t i = 0, len = 1 + below(c, 6); i < len; i++) {
            char letter = zone == 0 ? 'a' : 'b';
            size_t taken = pods < 8 ? below(c, 5) : 0;

            add_piece(c->nodes, "%c%zu:s%zu/l%zu:z%zu", letter, i, i / 4, i / 2, zone + 1);
            if (c->blind || taken == 0 || taken > 2) {
                c->whole[zone]++;
                continue;
            }
            add_piece(c->pods, "%zu>%c%zu", 4 * taken, letter, i);
            c->half[zone] += taken == 1;
            pods++;
        }
    }
}

static void make_random(struct random_case *c)
{
    static const char *const sizes[] = {"0", "1", "2", "3", "4"};
    struct plan_case from = {.nodes = c->nodes, .pods = c->pods, .job = c->job};

    c->blind = below(c, 4) == 0;
    make_nodes(c);
    c->eights = 1 + below(c, 4);
    c->fours = c->blind ? 0 : below(c, 5);
    c->eights += c->eights + c->fours < 2 ? 1 : 0;
    add_piece(c->job, "worker=%zux8", c->eights);
    if (c->fours > 0)
        add_piece(c->job, "helper=%zux4", c->fours);
    if (!c->blind && below(c, 3) == 0)
        c->min = (int64_t)(1 + below(c, c->eights + c->fours));
    from.min = c->min;
    c->at = decide_case_new(&from, c->blind);
    if (below(c, 3) == 0)
        c->at->builder->settings.placement = FB_PLACEMENT_PREFER;
    for (size_t i = 0; c->blind && i < c->at->pods_len; i++)
        give_annotation(c->at->builder, c->at->pods[i].pod, "nhx.nvidia.com/num-nodes",
                        sizes[c->eights]);
}

static const char *play(struct random_case *c, const char *verb, const char *pod, const char *node)
{
    char script[96];

    (void)snprintf(script, sizeof script, "%s %s %s", verb, pod, node);
    return decide_case_play(c->at, script);
}

/* A pending pod goes to a node where it may. */
static void put(struct random_case *c, size_t pod)
{
    const char *name = c->at->pods[pod].pod->name + 2;
    char list[CASE_TEXT];
    char node[32] = "";
    size_t words = 1;
    const char *word = list + 1;

    (void)snprintf(list, sizeof list, "%s", play(c, "nodes", name, ""));
    for (const char *at = list; *at != '\0'; at++)
        words += *at == ' ' ? 1 : 0;
    for (size_t skip = below(c, words); skip > 0; skip--)
        word = strchr(word, ' ') + 1;
    (void)snprintf(node, sizeof node, "%.*s", (int)strcspn(word, " ]"), word);
    if (*node != '\0')
        (void)play(c, below(c, 5) == 0 ? "pipe" : "put", name, node);
}

static void drop_all(struct random_case *c)
{
    for (size_t i = c->at->pods_len; i-- > 0;)
        (void)play(c, "drop", c->at->pods[i].pod->name + 2, "");
}

static void step(struct random_case *c)
{
    size_t pod = below(c, c->at->pods_len);
    const char *name = c->at->pods[pod].pod->name + 2;
    size_t what = below(c, 16);

    if (what < 6 && c->at->pods[pod].node == NULL)
        put(c, pod);
    else if (what == 6 || what == 7)
        (void)play(c, "drop", name, "");
    else if (what == 8 && c->at->pods[pod].status == FB_TASK_ALLOCATED)
        (void)play(c, "evict", name, "");
    else if (what == 9)
        (void)play(c, "gang", "", "");
    else if (what == 10 && c->at->banned_len < 4)
        (void)play(c, "ban", below(c, 2) == 0 ? "a0" : "b0", "");
    else if (what == 11)
        (void)play(c, "wait", below(c, 2) == 0 ? "1000" : "61000", "");
    else if (what == 12) {
        drop_all(c);
        (void)play(c, "close", "", "");
    }
}

static void check(struct random_case *c, uint64_t number)
{
    struct fb_ledger_counts counts = fb_ledger_count(c->at->ledger);
    char zone = '\0';

    if (counts.reserved > c->at->pods_len ||
        counts.allocated + counts.pipelined + counts.releasing > c->at->pods_len)
        fail_msg("case %zu: counts more than the gang has", (size_t)number);
    for (size_t i = 0; i < c->at->pods_len; i++) {
        const struct decide_pod *pod = &c->at->pods[i];

        if (pod->node == NULL || pod->status == FB_TASK_RELEASING)
            continue;
        if (zone != '\0' && zone != *pod->node)
            fail_msg("case %zu: '%s' '%s' on two fabrics", (size_t)number, c->nodes, c->job);
        zone = *pod->node;
    }
}

static bool holds(const struct random_case *c)
{
    for (size_t zone = 0; zone < 2; zone++) {
        if (c->whole[zone] >= c->eights &&
            2 * (c->whole[zone] - c->eights) + c->half[zone] >= c->fours)
            return true;
    }
    return false;
}

/* With all undone and forgotten nothing is kept, and a gang that can be placed is. */
static void finish(struct random_case *c, uint64_t number)
{
    const char *none = "allocated=0 pipelined=0 releasing=0 planned=0 reserved=0";
    bool placed = false;

    drop_all(c);
    if (strcmp(decide_case_play(c->at, "allow; close; wait 61000; close; count"), none) != 0)
        fail_msg("case %zu: left behind: %s", (size_t)number, c->at->text);
    for (size_t session = 0; session < 3 && !placed; session++) {
        placed = strcmp(play(c, "gang", "", ""), "none") != 0;
        check(c, number);
        (void)play(c, "close", "", "");
    }
    if (c->min == 0 && placed != holds(c))
        fail_msg("case %zu: '%s' of '%s' beside '%s' is %s", (size_t)number, c->job, c->nodes,
                 c->pods, placed ? "placed" : "not placed");
}

static void test_decide__keeps_gangs_whole_whatever_comes(void **state)
{
    (void)state;
    for (uint64_t number = 1; number <= CASES; number++) {
        struct random_case c = {.seed = number * UINT64_C(0x9e3779b97f4a7c15)};

        make_random(&c);
        for (size_t i = 0; i < STEPS; i++) {
            step(&c);
            check(&c, number);
        }
        finish(&c, number);
        decide_case_free(c.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decide__keeps_gangs_whole_whatever_comes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
