/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/arena.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CHUNK ((size_t)64 * 1024)

static void test_arena_alloc__is_zeroed_aligned_and_apart(void **state)
{
    static const size_t sizes[] = {1, 15, 16, 17, 1000, 16384, 16385, 65536, 65537, 200000, 0, 1};
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    unsigned char *at[COUNT(sizes)];

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        at[i] = fb_arena_alloc(arena, sizes[i]);
        assert_non_null(at[i]);
        assert_int_equal((uintptr_t)at[i] % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(at[i][j], 0);
        memset(at[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(at[i][j], i + 1);
    }
}

static void test_arena_alloc__goes_on_in_the_chunk_in_use_after_a_large_object(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    size_t before;

    (void)state;
    assert_non_null(fb_arena_alloc(arena, 16));
    assert_non_null(fb_arena_alloc(arena, 100000));
    before = fb_arena_bytes(arena);
    assert_non_null(fb_arena_alloc(arena, 16));
    assert_int_equal(fb_arena_bytes(arena), before);
    assert_int_equal(before, CHUNK + 100000);
}

static void test_arena_alloc__takes_no_more_than_its_limit(void **state)
{
    static const struct {
        size_t limit, bytes;
        bool want;
    } cases[] = {
        {CHUNK, 16, true},       {CHUNK - 1, 16, false},       {100000, 100000, true},
        {100000, 100001, false}, {CHUNK + 100000, 64, true},   {0, 1000000, true},
        {0, SIZE_MAX, false},    {0, SIZE_MAX / 2 + 1, false}, {1, SIZE_MAX / 2, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(cases[i].limit);

        assert_int_equal(fb_arena_alloc(arena, cases[i].bytes) != NULL, cases[i].want);
        assert_true(cases[i].limit == 0 || fb_arena_bytes(arena) <= cases[i].limit);
    }
}

static void test_arena_alloc__counts_all_chunks_against_the_limit(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(2 * CHUNK);
    size_t objects = 0;

    (void)state;
    while (fb_arena_alloc(arena, 1024) != NULL)
        objects++;
    assert_int_equal(objects, 2 * CHUNK / 1024);
    assert_int_equal(fb_arena_bytes(arena), 2 * CHUNK);
    assert_null(fb_arena_text(arena, "a", 1));
}

static void test_arena_text__keeps_equal_texts_once(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    const char *kept[2000];

    (void)state;
    for (size_t i = 0; i < COUNT(kept); i++) {
        char text[32];
        int len = snprintf(text, sizeof text, "text-%zu", i);

        kept[i] = fb_arena_text(arena, text, (size_t)len);
        assert_string_equal(kept[i], text);
    }
    for (size_t i = 0; i < COUNT(kept); i++) {
        char text[32];
        int len = snprintf(text, sizeof text, "text-%zu and more", i);

        assert_ptr_equal(fb_arena_text(arena, text, (size_t)len - strlen(" and more")), kept[i]);
    }
}

static void test_arena_text__has_room_for_every_length(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    const char *kept[65];
    char text[65];

    (void)state;
    memset(text, 'x', sizeof text);
    for (size_t len = 0; len < COUNT(kept); len++)
        kept[len] = fb_arena_text(arena, text, len);
    for (size_t len = 0; len < COUNT(kept); len++)
        assert_int_equal(strspn(kept[len], "x"), len);
}

static void test_arena_text__takes_any_bytes(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    const char *with_nul = fb_arena_text(arena, "a\0b", 3);

    (void)state;
    assert_memory_equal(with_nul, "a\0b", 4);
    assert_ptr_not_equal(fb_arena_text(arena, "a\0c", 3), with_nul);
    assert_ptr_not_equal(fb_arena_text(arena, "a", 1), with_nul);
    assert_string_equal(fb_arena_text(arena, "", 0), "");
    assert_ptr_equal(fb_arena_text(arena, "x", 0), fb_arena_text(arena, "", 0));
    assert_null(fb_arena_text(arena, "a", (size_t)UINT_MAX + 1));
}

static void test_arena_print__keeps_what_fits(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    FB_OWNED(fb_arena_freep) struct fb_arena *small = fb_arena_new(1);

    (void)state;
    assert_string_equal(fb_arena_print(arena, "%s of %d", "4", 8), "4 of 8");
    assert_ptr_equal(fb_arena_print(arena, "%d of 8", 4), fb_arena_text(arena, "4 of 8", 6));
    assert_int_equal(strlen(fb_arena_print(arena, "%3000d", 1)), 2047);
    assert_null(fb_arena_print(small, "%d", 1));
}

static void test_arena_reset__starts_again_with_one_chunk(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    fb_arena_reset(arena);
    assert_int_equal(fb_arena_bytes(arena), 0);
    for (int round = 0; round < 3; round++) {
        const char *text = fb_arena_text(arena, "kept once", 9);
        unsigned char *bytes;

        assert_string_equal(text, "kept once");
        assert_ptr_equal(text, fb_arena_text(arena, "kept once", 9));
        for (int i = 0; i < 1000; i++) {
            bytes = fb_arena_alloc(arena, 500);
            for (size_t j = 0; j < 500; j++)
                assert_int_equal(bytes[j], 0);
            memset(bytes, 0xFF, 500);
        }
        assert_non_null(fb_arena_alloc(arena, 3 * CHUNK));
        fb_arena_reset(arena);
        assert_int_equal(fb_arena_bytes(arena), CHUNK);
    }
}

static void test_arena_new_small__grows_with_what_it_holds(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new_small(0);

    (void)state;
    assert_non_null(fb_arena_alloc(arena, 16));
    assert_int_equal(fb_arena_bytes(arena), 2048);
    for (size_t i = 0; i < 10000; i++)
        assert_non_null(fb_arena_alloc(arena, 64));
    assert_in_range(fb_arena_bytes(arena), 640000, 640000 + CHUNK);
}

static void test_arena_more__grows_and_keeps_what_was_there(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    size_t size = 0;
    int *at = NULL;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        at = fb_arena_more(arena, at, (size_t)i, &size, sizeof *at);
        assert_non_null(at);
        assert_true(size > (size_t)i);
        for (size_t j = (size_t)i; j < size; j++)
            assert_int_equal(at[j], 0);
        at[i] = i + 1;
        memset(fb_arena_alloc(arena, 16), 0xFF, 16); /* a neighbour */
    }
    assert_int_equal(fb_arena_bytes(arena), CHUNK); /* each move doubles */
    for (int i = 0; i < 1000; i++)
        assert_int_equal(at[i], i + 1);
}

static void test_arena_more__leaves_all_as_it_was_without_room(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(CHUNK);
    size_t size = 4;
    size_t huge = SIZE_MAX / 4;
    int *at = fb_arena_alloc(arena, 4 * sizeof *at);

    (void)state;
    while (fb_arena_alloc(arena, 16) != NULL)
        continue;
    assert_ptr_equal(fb_arena_more(arena, at, 3, &size, sizeof *at), at);
    assert_null(fb_arena_more(arena, at, 4, &size, sizeof *at));
    assert_int_equal(size, 4);
    assert_null(fb_arena_more(arena, at, huge, &huge, sizeof *at));
    assert_int_equal(huge, SIZE_MAX / 4);
}

static void test_arena_free__takes_none(void **state)
{
    struct fb_arena *none = NULL;

    (void)state;
    fb_arena_free(NULL);
    fb_arena_freep(&none);
    fb_arena_free(fb_arena_new(0));
}

/* One chunk, 400 texts, whose table grows in between. */
static bool use(struct fb_arena *arena)
{
    for (int i = 0; i < 400; i++) {
        char text[16];
        int len = snprintf(text, sizeof text, "%d", i);
        const char *kept = fb_arena_text(arena, text, (size_t)len);

        if (kept == NULL || fb_arena_text(arena, text, (size_t)len) != kept)
            return false;
    }
    return true;
}

static void test_arena__every_allocation_may_fail(void **state)
{
    bool done = false;
    int failed = 0;

    (void)state;
    for (; !done && failed < 1000; failed++) {
        struct fb_arena *arena;

        alloc_fault_arm(failed);
        arena = fb_arena_new(0);
        done = arena != NULL && use(arena);
        alloc_fault_disarm();
        if (arena != NULL) /* it can be used on once there is memory again */
            assert_true(use(arena));
        fb_arena_free(arena);
    }
    assert_true(done);
    assert_true(failed > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_alloc__is_zeroed_aligned_and_apart),
        cmocka_unit_test(test_arena_alloc__goes_on_in_the_chunk_in_use_after_a_large_object),
        cmocka_unit_test(test_arena_alloc__takes_no_more_than_its_limit),
        cmocka_unit_test(test_arena_alloc__counts_all_chunks_against_the_limit),
        cmocka_unit_test(test_arena_text__keeps_equal_texts_once),
        cmocka_unit_test(test_arena_text__has_room_for_every_length),
        cmocka_unit_test(test_arena_text__takes_any_bytes),
        cmocka_unit_test(test_arena_print__keeps_what_fits),
        cmocka_unit_test(test_arena_reset__starts_again_with_one_chunk),
        cmocka_unit_test(test_arena_new_small__grows_with_what_it_holds),
        cmocka_unit_test(test_arena_more__grows_and_keeps_what_was_there),
        cmocka_unit_test(test_arena_more__leaves_all_as_it_was_without_room),
        cmocka_unit_test(test_arena_free__takes_none),
        cmocka_unit_test(test_arena__every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
