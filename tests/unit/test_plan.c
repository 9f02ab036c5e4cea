/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/plan.h"

#include "plan_case.h"
#include "unit.h"

/* Two leaves of three nodes below one spine, one leaf of two below the other. */
#define TREE "a0:s0/l0 a1:s0/l0 a2:s0/l0 b0:s0/l1 b1:s0/l1 b2:s0/l1 c0:s1/l2 c1:s1/l2"

static void check_rows(const char *const (*rows)[2], size_t len, struct plan_case like)
{
    for (size_t i = 0; i < len; i++) {
        char text[CASE_TEXT];

        like.job = rows[i][0];
        assert_string_equal(plan_case_text(&like, text), rows[i][1]);
    }
}

static void test_plan_make__places_a_gang_in_the_fewest_blocks(void **state)
{
    static const char *const rows[][2] = {
        {"w=2x8", "fits gang 2 in 1 on z1 : j-w-0>c0 j-w-1>c1"}, /* the block that it fills */
        {"w=3x8", "fits gang 3 in 1 on z1 : j-w-0>a0 j-w-1>a1 j-w-2>a2"},
        {"w=4x8", "fits gang 4 in 2 on z1 : j-w-0>a0 j-w-1>a1 j-w-2>a2 j-w-3>b0"},
        {"w=8x8", "fits gang 8 in 3 on z1 : j-w-0>a0 j-w-1>a1 j-w-2>a2 j-w-3>b0 j-w-4>b1 j-w-5>b2 "
                  "j-w-6>c0 j-w-7>c1"},
        {"w=4x4", "fits gang 4 in 1 on z1 : j-w-0>c0 j-w-1>c0 j-w-2>c1 j-w-3>c1"},
        {"m=1x4 w=2x8", "fits gang 3 in 1 on z1 : j-m-0>a2 j-w-0>a0 j-w-1>a1"}, /* jointly */
    };

    (void)state;
    check_rows(rows, COUNT(rows), (struct plan_case){.nodes = TREE});
}

static void test_plan_make__keeps_a_gang_on_one_fabric(void **state)
{
    static const char *const rows[][2] = {
        {"w=2x8", "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b"},
        {"w=3x8", "fits gang 3 in 1 on z2 : j-w-0>c j-w-1>d j-w-2>e"},
        {"w=4x8", "no 4 left short 1 of " GPU ", z2 takes 3"}, /* though there are five nodes */
        {"w=9x4", "no 9 left short 3 of " GPU ", z2 takes 6"},
    };

    (void)state;
    check_rows(rows, COUNT(rows),

               (struct plan_case){.nodes = "a b c:-/-:z2 d:-/-:z2 e:-/-:z2"});
}

static void test_plan_make__fills_what_others_leave(void **state)
{
    static const struct {
        struct plan_case from;
        const char *want;
    } cases[] = {
        {{.nodes = "a b", .pods = "4>a", .job = "w=2x8"},
         "no 2 left short 1 of " GPU ", z1 takes 1"},
        {{.nodes = "a b", .pods = "4>a", .job = "w=3x4"},
         "fits gang 3 in 1 on z1 : j-w-0>a j-w-1>b j-w-2>b"},
        {{.nodes = "a b c", .pods = "8>b", .job = "w=2x8"},
         "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>c"},
        {{.nodes = NULL, .job = "w=2x8"}, "no 2 left short 2 of none, none takes 0"},
        {{.nodes = "cpu:x", .job = "w=2x8"}, "no 2 left short 2 of none, none takes 0"},
        {{.nodes = "a", .job = NULL}, "fits"},
        {{.nodes = "a", .job = "w=0x8"}, "fits"},
        /* Nobody knows what these reach: one pod may go there, two may not. */
        {{.nodes = "a:-/-:- b:-/-:-", .job = "w=2x8"}, "no 2 left short 2 of " GPU ", a takes 0"},
        {{.nodes = "a:-/-:- b:-/-:-", .job = "w=1x8"}, "fits : j-w-0>a"},
        /* Tiers that end early or miss one in the middle. */
        {{.nodes = "a:s0/l0 b:-/l0 c:s0/- d:s0/l0 e", .job = "w=5x8"},
         "fits gang 5 in 4 on z1 : j-w-0>b j-w-1>a j-w-2>d j-w-3>c j-w-4>e"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[CASE_TEXT];

        assert_string_equal(plan_case_text(&cases[i].from, text), cases[i].want);
    }
}

static void test_plan_make__lets_members_decide_the_fabric(void **state)
{
    static const struct {
        struct plan_case from;
        const char *want;
    } cases[] = {
        {{.nodes = TREE, .members = "w-0>b0", .job = "w=2x8"},
         "fits gang 2 in 1 on z1 : j-w-1>b1"}, /* its block first */
        {{.nodes = TREE, .members = "w-1>b0", .job = "w=3x8"},
         "fits gang 3 in 1 on z1 : j-w-0>b1 j-w-2>b2"}, /* its name is taken */
        {{.nodes = "a b c:-/-:z2 d:-/-:z2 e:-/-:z2", .members = "w-0>a", .job = "w=2x8"},
         "fits gang 2 in 1 on z1 : j-w-1>b"},
        {{.nodes = "a b c:-/-:z2 d:-/-:z2 e:-/-:z2", .members = "w-0>a", .job = "w=3x8"},
         "no 2 left short 1 of " GPU ", z1 takes 1"},
        {{.nodes = TREE, .members = "w-0>b0 w-1>b1", .job = "w=2x8"}, "fits gang 2 in 1 on z1"},
        {{.nodes = "a b c:-/-:z2", .members = "w-0>a w-1>c", .job = "w=2x8"},
         "no gang 2 in 1 on z1 ! the gang already spans two fabrics: p P.8 nic z1 and p P.8 nic "
         "z2"},
        {{.nodes = "a b c:-/-:z2 d:-/-:z2 e:-/-:z2",
          .members = "w-0>a w-1>c w-2>d",
          .job = "w=4x8"},
         "no 1 left gang 4 in 1 on z2 ! the gang already spans two fabrics: p P.8 nic z1 and p P.8 "
         "nic z2"}, /* with most of them */
        {{.nodes = "a b:-/-:z2 c:-/-:z3", .members = "w-0>a w-1>b w-2>c", .job = "w=3x8"},
         "no gang 3 in 1 on z1 ! the gang already spans two fabrics: p P.8 nic z1 and p P.8 nic "
         "z2"},
        {{.nodes = "a b", .members = "w-0>a w-1>b w-2>b", .job = "w=2x4"},
         "fits gang 2 in 1 on z1"}, /* more than the job has */
        {{.nodes = "a cpu:b", .members = "w-0>b", .job = "w=2x8"},
         "fits gang 2 in 1 on z1 : j-w-1>a"}, /* on a node of no fabric */
        {{.nodes = "a b c:-/-:z2", .members = "w-0>a l-0>c", .job = "w=2x8 l=1x0"},
         "fits gang 2 in 1 on z1 : j-w-1>b"}, /* where a launcher runs does not matter */
        {{.nodes = "a b cpu:x", .members = "l-0>x", .job = "w=2x8 l=1x0"},
         "fits gang 2 in 1 on z1 : j-w-0>a j-w-1>b"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[CASE_TEXT];

        assert_string_equal(plan_case_text(&cases[i].from, text), cases[i].want);
    }
}

static void test_plan_make__starts_with_the_least_that_must_run(void **state)
{
    static const struct {
        struct plan_case from;
        const char *want;
    } cases[] = {
        {{.nodes = "a b", .job = "w=3x8", .min = 2},
         "fits 1 left gang 3 in 1 on z1 : j-w-0>a j-w-1>b"},
        {{.nodes = "a b", .job = "w=3x8", .min = 3}, "no 3 left short 1 of " GPU ", z1 takes 2"},
        {{.nodes = "a b", .job = "w=4x8 l=1x0", .min = 3},
         "fits 2 left gang 4 in 1 on z1 : j-w-0>a j-w-1>b j-l-0>a"}, /* the launcher counts too */
        {{.nodes = "a b", .job = "w=4x8 l=1x0", .min = 4},
         "no 5 left short 2 of " GPU ", z1 takes 2"},
        {{.nodes = "a", .job = "w=2x8", .min = -1}, "fits 1 left gang 2 in 1 on z1 : j-w-0>a"},
        {{.nodes = "a", .job = "w=2x8 l=2x0", .min = 1}, /* one of the gang all the same */
         "fits 1 left gang 2 in 1 on z1 : j-w-0>a j-l-0>a j-l-1>a"},
        {{.nodes = "a b c", .members = "w-0>a", .job = "w=4x8", .min = 3},
         "fits 1 left gang 4 in 1 on z1 : j-w-1>b j-w-2>c"},
        {{.nodes = "a b", .members = "w-0>a w-1>b", .job = "w=3x8", .min = 2},
         "fits 1 left gang 3 in 1 on z1"},
        {{.nodes = "a b", .job = "m=2x8/1 w=2x8/2", .min = 2},
         "no 4 left short 2 of " GPU ", z1 takes 2"}, /* of each task its own */
        {{.nodes = "a b", .job = "m=2x8/1 w=2x8/1", .min = 2},
         "fits 2 left gang 4 in 1 on z1 : j-m-0>a j-w-0>b"},
        {{.nodes = "a b c", .members = "m-0>a", .job = "m=2x8/1 w=2x8/2", .min = 2},
         "fits 1 left gang 4 in 1 on z1 : j-w-0>b j-w-1>c"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[CASE_TEXT];

        assert_string_equal(plan_case_text(&cases[i].from, text), cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_make__places_a_gang_in_the_fewest_blocks),
        cmocka_unit_test(test_plan_make__keeps_a_gang_on_one_fabric),
        cmocka_unit_test(test_plan_make__fills_what_others_leave),
        cmocka_unit_test(test_plan_make__lets_members_decide_the_fabric),
        cmocka_unit_test(test_plan_make__starts_with_the_least_that_must_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
