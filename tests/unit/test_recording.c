/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A directory of its own for each test, with the files that it names. */
struct folder {
    char path[64];
    char files[8][128];
    size_t len;
};

static int set_up(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);

    if (folder == NULL)
        return 1;
    (void)snprintf(folder->path, sizeof folder->path, "/tmp/fabricbind-test-XXXXXX");
    *state = folder;
    return mkdtemp(folder->path) == NULL;
}

static int tear_down(void **state)
{
    struct folder *folder = *state;

    for (size_t i = 0; i < folder->len; i++)
        (void)unlink(folder->files[i]);
    (void)rmdir(folder->path);
    free(folder);
    return 0;
}

static void put(struct folder *folder, const char *name, const char *text)
{
    char path[sizeof folder->files[0]];
    FILE *file;

    assert_true(folder->len < COUNT(folder->files));
    (void)snprintf(path, sizeof path, "%s/%s", folder->path, name);
    memcpy(folder->files[folder->len++], path, sizeof path);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void test_recording_list__keeps_the_order_and_counts_what_is_skipped(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_recording list;

    put(*state, "0010-onSessionClose.json", "{}");
    put(*state, "0002-predicate.json", "{}");
    put(*state, "0001-admission-pods.json", "{}");
    put(*state, "0003-allocateFunc.json", "{}");
    put(*state, "0004-admission-pods.json", "{}");
    put(*state, "README.md", "left alone");
    assert_int_equal(fb_recording_list(arena, ((struct folder *)*state)->path, false, &list, NULL),
                     FB_OK);
    assert_int_equal(list.len, 3);
    assert_string_equal(list.at[0].name, "0002-predicate.json");
    assert_string_equal(list.at[0].route, "/volcano/predicate");
    assert_string_equal(list.at[1].route, "/volcano/allocate");
    assert_string_equal(list.at[2].route, "/volcano/sessionclose");
    assert_int_equal(list.skips_len, 1);
    assert_string_equal(list.skips[0].verb, "admission-pods");
    assert_int_equal(list.skips[0].count, 2);
}

static void test_recording_list__sends_old_predicates_elsewhere(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_recording list;

    put(*state, "0-predicate.json", "{}");
    put(*state, "1-prioritize.json", "{}");
    assert_int_equal(fb_recording_list(arena, ((struct folder *)*state)->path, true, &list, NULL),
                     FB_OK);
    assert_string_equal(list.at[0].route, "/volcano-1.9/predicate");
    assert_string_equal(list.at[1].route, "/volcano/prioritize");
}

static void test_recording_list__refuses_names_that_are_none(void **state)
{
    static const char *const names[] = {"predicate.json",      "0001-.json",
                                        "0001predicate.json",  "-predicate.json",
                                        "0001-Predicate.json", "0001-predicate.json.json"};
    struct folder *folder = *state;

    for (size_t i = 0; i < COUNT(names); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_recording list;
        struct fb_error err = {0};
        char want[256];

        put(folder, names[i], "{}");
        (void)snprintf(want, sizeof want, "%s: is not named as NNNN-verb.json", folder->files[0]);
        assert_int_equal(fb_recording_list(arena, folder->path, false, &list, &err), FB_EINPUT);
        assert_string_equal(err.text, want);
        (void)unlink(folder->files[--folder->len]);
    }
}

static void test_recording_load__uses_the_memory_again(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_recording_body body = {0};
    struct fb_recording list;

    put(*state, "1-predicate.json", "{\"long\":1}");
    put(*state, "2-predicate.json", "{}");
    put(*state, "3-predicate.json", "");
    assert_int_equal(fb_recording_list(arena, ((struct folder *)*state)->path, false, &list, NULL),
                     FB_OK);
    assert_int_equal(fb_recording_load(&list.at[0], &body, NULL), FB_OK);
    assert_int_equal(body.len, 10);
    assert_memory_equal(body.at, "{\"long\":1}", 10);
    assert_int_equal(fb_recording_load(&list.at[1], &body, NULL), FB_OK);
    assert_int_equal(body.len, 2);
    assert_memory_equal(body.at, "{}", 2);
    assert_int_equal(fb_recording_load(&list.at[2], &body, NULL), FB_OK);
    assert_int_equal(body.len, 0);
    fb_recording_body_fini(&body);
    assert_null(body.at);
}

static void test_recording_verb_name__is_that_of_the_route(void **state)
{
    static const char *const names[FB_RECORDING_VERBS] = {
        "predicate",      "prioritize",    "allocate",    "deallocate",
        "jobenqueueable", "jobenqueued",   "jobready",    "preemptable",
        "reclaimable",    "queueoverused", "sessionopen", "sessionclose"};

    (void)state;
    for (int verb = 0; verb < FB_RECORDING_VERBS; verb++)
        assert_string_equal(fb_recording_verb_name((enum fb_recording_verb)verb), names[verb]);
}

static void test_recording__survives_a_lack_of_memory(void **state)
{
    enum fb_status st = FB_ENOMEM;

    put(*state, "1-predicate.json", "{}");
    put(*state, "2-filter.json", "{}");
    for (int after = 0; st == FB_ENOMEM && after < 100; after++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_recording_body body = {0};
        struct fb_recording list;

        assert_non_null(arena);
        alloc_fault_arm(after);
        st = fb_recording_list(arena, ((struct folder *)*state)->path, false, &list, NULL);
        if (st == FB_OK)
            st = fb_recording_load(&list.at[0], &body, NULL);
        alloc_fault_disarm();
        fb_recording_body_fini(&body);
        assert_true(after > 0 || st == FB_ENOMEM);
    }
    assert_int_equal(st, FB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_recording_list__keeps_the_order_and_counts_what_is_skipped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_recording_list__sends_old_predicates_elsewhere, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_recording_list__refuses_names_that_are_none, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_recording_load__uses_the_memory_again, set_up,
                                        tear_down),
        cmocka_unit_test(test_recording_verb_name__is_that_of_the_route),
        cmocka_unit_test_setup_teardown(test_recording__survives_a_lack_of_memory, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
