/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/resources.h"

#include "fabricbind/own.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fb_arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = fb_arena_new(0);
    return arena == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    fb_arena_freep(&arena);
    return 0;
}

static void test_amount_add__stops_at_the_ends(void **state)
{
    static const struct {
        int64_t a, b, want;
    } cases[] = {
        {1, 2, 3},
        {1, -2, -1},
        {INT64_MAX, 0, INT64_MAX},
        {INT64_MAX, 1, INT64_MAX},
        {INT64_MAX - 1, INT64_MAX, INT64_MAX},
        {INT64_MIN, -1, INT64_MIN},
        {-1, INT64_MIN, INT64_MIN},
        {INT64_MAX, INT64_MIN, -1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_true(fb_amount_add(cases[i].a, cases[i].b) == cases[i].want);
}

/* "cpu=4 memory=8" as resources. */
static struct fb_resources read_all(const char *text)
{
    struct fb_resources all = {0};

    while (*text != '\0') {
        size_t name_len = strcspn(text, "=");
        const char *name = fb_arena_text(arena, text, name_len);
        char *end;
        int64_t amount = strtoll(text + name_len + 1, &end, 10);

        assert_int_equal(fb_resources_set(arena, &all, name, amount), FB_OK);
        text = end + (*end == ' ' ? 1 : 0);
    }
    return all;
}

static const char *format(const struct fb_resources *all, char text[256])
{
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < all->len; i++)
        len += (size_t)snprintf(text + len, 256 - len, "%s%s=%lld", i > 0 ? " " : "",
                                all->at[i].name, (long long)all->at[i].amount);
    return text;
}

static void test_resources__each_name_once_in_the_order_of_its_first_mention(void **state)
{
    struct fb_resources all = {0};
    char text[256];

    (void)state;
    assert_null(fb_resources_find(&all, "cpu"));
    assert_int_equal(fb_resources_get(&all, "cpu"), 0);
    assert_int_equal(fb_resources_set(arena, &all, "gpu", 8), FB_OK);
    assert_int_equal(fb_resources_set(arena, &all, "cpu", 4), FB_OK);
    assert_int_equal(fb_resources_set(arena, &all, "gpu", 7), FB_OK);
    assert_int_equal(fb_resources_add(arena, &all, "cpu", 2), FB_OK);
    assert_int_equal(fb_resources_add(arena, &all, "nic", 32), FB_OK);
    assert_int_equal(fb_resources_add(arena, &all, "nic", INT64_MAX), FB_OK);
    assert_int_equal(fb_resources_get(&all, "nic"), INT64_MAX);
    assert_int_equal(fb_resources_set(arena, &all, "nic", 0), FB_OK);
    assert_non_null(fb_resources_find(&all, "nic")); /* 0 is not absent */
    assert_string_equal(format(&all, text), "gpu=7 cpu=6 nic=0");
}

static void test_resources__sum_and_maximum_by_name(void **state)
{
    static const struct {
        const char *a, *b, *sum, *most;
    } cases[] = {
        {"", "", "", ""},
        {"a=1", "", "a=1", "a=1"},
        {"", "a=1", "a=1", "a=1"},
        {"a=1 b=5", "b=2 a=3", "a=4 b=7", "a=3 b=5"},
        {"a=1", "b=2 c=3", "a=1 b=2 c=3", "a=1 b=2 c=3"},
        {"a=2", "a=2", "a=4", "a=2"},
        {"a=1", "b=0", "a=1 b=0", "a=1"},
        {"a=-1", "a=-2", "a=-3", "a=-1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_resources sum = read_all(cases[i].a);
        struct fb_resources most = read_all(cases[i].a);
        struct fb_resources other = read_all(cases[i].b);
        char text[256];

        assert_int_equal(fb_resources_add_all(arena, &sum, &other), FB_OK);
        assert_string_equal(format(&sum, text), cases[i].sum);
        assert_int_equal(fb_resources_max_all(arena, &most, &other), FB_OK);
        assert_string_equal(format(&most, text), cases[i].most);
    }
}

static void test_resources__without_memory_all_stays_as_it_was(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *full = fb_arena_new(1);
    struct fb_resources all = read_all("a=1 b=2 c=3 d=4");
    struct fb_resources more = read_all("a=1 e=5 b=9");
    char text[256];

    (void)state;
    assert_int_equal(fb_resources_set(full, &all, "e", 5), FB_ENOMEM);
    assert_int_equal(fb_resources_add(full, &all, "e", 5), FB_ENOMEM);
    assert_string_equal(format(&all, text), "a=1 b=2 c=3 d=4");
    assert_int_equal(fb_resources_add(full, &all, "d", 1), FB_OK); /* no new name, no memory */
    assert_int_equal(fb_resources_add_all(full, &all, &more), FB_ENOMEM);
    assert_int_equal(fb_resources_max_all(full, &all, &more), FB_ENOMEM);
    assert_string_equal(format(&all, text), "a=2 b=2 c=3 d=5");
}

static void test_resources__reserved_room_takes_all_without_moving(void **state)
{
    struct fb_resources all = {0};
    const struct fb_resource *at;

    (void)state;
    assert_int_equal(fb_resources_set(arena, &all, "a", 1), FB_OK);
    assert_int_equal(fb_resources_reserve(arena, &all, 6), FB_OK);
    assert_int_equal(fb_resources_get(&all, "a"), 1);
    at = all.at;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(
            fb_resources_set(arena, &all, (const char *[]){"b", "c", "d", "e", "f"}[i], 2), FB_OK);
    assert_ptr_equal(all.at, at);
    assert_int_equal(all.len, 6);
    assert_int_equal(fb_resources_reserve(arena, &all, 6), FB_OK);
    assert_ptr_equal(all.at, at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amount_add__stops_at_the_ends),
        cmocka_unit_test_setup_teardown(
            test_resources__each_name_once_in_the_order_of_its_first_mention, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resources__sum_and_maximum_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resources__reserved_room_takes_all_without_moving,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resources__without_memory_all_stays_as_it_was, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
