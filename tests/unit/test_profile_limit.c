/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/profile.h"

#include "alloc_fault.h"
#include "profile_case.h"
#include "unit.h"

#include <string.h>

#define LIMIT FB_PROFILE_LIMIT_BYTES
#define TOPO_LINE "NCCL_TOPO_FILE=/etc/fabricbind/nccl-topo.xml\n"

static size_t bytes_of(const struct fb_profile *profile)
{
    return sizeof "fabricbind.io/profile" + sizeof "fabricbind.io/nccl.conf" +
           sizeof "fabricbind.io/nccl-topo.xml" - 3 + strlen(profile->profile) +
           strlen(profile->conf) + strlen(profile->topo);
}

#define LONG "0123456789012345678901234567890123456789"

/* What is kept, in the order of what goes first. */
enum kept { ALL, CONF, PROFILE, NOTHING };

static enum kept kept_of(struct profile_case *bench, size_t pod_bytes)
{
    struct fb_profile profile = {.profile = "before"};
    struct fb_error err = {0};
    enum fb_status st;

    bench->in.pod_annotations_bytes = pod_bytes;
    st = fb_profile_make(bench->builder->arena, &bench->in, &profile, &err);
    if (st != FB_OK) {
        assert_int_equal(st, FB_ELIMIT);
        assert_string_equal(err.text,
                            "annotations of the pod and its profile: more than 262144 bytes");
        assert_string_equal(profile.profile, "before"); /* untouched on failure */
        return NOTHING;
    }
    assert_true(bytes_of(&profile) + pod_bytes <= 262144);
    if (profile.topo[0] != '\0')
        return ALL;
    return profile.conf[0] != '\0' ? CONF : PROFILE;
}

/* What is dropped, and what is left then, one byte below, at and above each bound. */
static void test_profile_make__drops_in_order_at_the_byte(void **state)
{
    struct profile_case *bench = profile_case_new(true);
    struct fb_profile profile;
    size_t most[PROFILE + 1]; /* bytes of the pod at which this much is still kept */

    (void)state;
    profile_case_conf(bench, "A", LONG);
    profile_case_conf(bench, "B", LONG);
    profile = profile_case_make(bench);
    most[ALL] = LIMIT - bytes_of(&profile);
    bench->in.pod_annotations_bytes = most[ALL] + 1;
    profile = profile_case_make(bench);
    assert_string_equal(profile.topo, "");
    assert_string_equal(profile.conf, "A=" LONG "\nB=" LONG "\n");
    assert_non_null(strstr(profile.profile,
                           "\"degraded\":[\"topology left out: annotations too large\"],"
                           "\"env\":{\"A\":\"" LONG "\",\"B\":\"" LONG "\"},"));
    most[CONF] = LIMIT - bytes_of(&profile);
    bench->in.pod_annotations_bytes = most[CONF] + 1;
    profile = profile_case_make(bench);
    assert_string_equal(profile.topo, "");
    assert_string_equal(profile.conf, "");
    assert_non_null(strstr(profile.profile,
                           "\"degraded\":[\"topology left out: annotations too large\","
                           "\"nccl.conf left out: annotations too large\"],\"env\":{},"));
    most[PROFILE] = LIMIT - bytes_of(&profile);
    assert_true(most[ALL] < most[CONF] && most[CONF] < most[PROFILE]);
    for (int step = ALL; step <= PROFILE; step++) {
        assert_int_equal(kept_of(bench, most[step] - 1), step);
        assert_int_equal(kept_of(bench, most[step]), step);
        assert_int_equal(kept_of(bench, most[step] + 1), step + 1);
    }
    assert_int_equal(kept_of(bench, LIMIT), NOTHING);
    assert_int_equal(kept_of(bench, LIMIT + 1), NOTHING);
    assert_int_equal(kept_of(bench, SIZE_MAX), NOTHING);
    profile_case_free(bench);
}

static void test_profile_make__drops_no_topology_that_is_not_there(void **state)
{
    struct profile_case *bench = profile_case_new(false);
    struct fb_profile profile;

    (void)state;
    profile_case_conf(bench, "A", LONG);
    profile = profile_case_make(bench);
    bench->in.pod_annotations_bytes = LIMIT - bytes_of(&profile) + 1;
    profile = profile_case_make(bench);
    assert_string_equal(profile.conf, "");
    assert_non_null(
        strstr(profile.profile, "\"degraded\":[\"nccl.conf left out: annotations too large\"],"));
    profile_case_free(bench);
}

static void test_profile_make__keeps_another_topology_file_when_its_own_goes(void **state)
{
    struct profile_case *bench = profile_case_new(true);
    struct fb_profile profile;

    (void)state;
    profile_case_conf(bench, "NCCL_TOPO_FILE", "/opt/topo.xml");
    profile = profile_case_make(bench);
    bench->in.pod_annotations_bytes = LIMIT - bytes_of(&profile) + 1;
    profile = profile_case_make(bench);
    assert_string_equal(profile.topo, "");
    assert_string_equal(profile.conf, "NCCL_TOPO_FILE=/opt/topo.xml\n");
    profile_case_free(bench);
}

static void test_profile_make__drops_an_nccl_conf_of_the_topology_alone_with_it(void **state)
{
    struct profile_case *bench = profile_case_new(true);
    struct fb_profile profile = profile_case_make(bench);

    (void)state;
    assert_string_equal(profile.conf, TOPO_LINE);
    bench->in.pod_annotations_bytes = LIMIT - bytes_of(&profile) + 1;
    profile = profile_case_make(bench);
    assert_string_equal(profile.topo, "");
    assert_string_equal(profile.conf, "");
    assert_non_null(
        strstr(profile.profile,
               "\"degraded\":[\"topology left out: annotations too large\"],\"env\":{},"));
    profile_case_free(bench);
}

/* A pod so full that all steps are taken, and settings of every kind. */
static struct profile_case *full_case(void)
{
    static const char *const left_out[] = {"a", "b", "c"};
    static struct fb_texts degraded;
    struct profile_case *bench = profile_case_new(true);
    struct fb_profile profile;

    degraded = (struct fb_texts){0};
    for (size_t i = 0; i < COUNT(left_out); i++)
        give_text(bench->builder, &degraded, left_out[i]);
    bench->in.degraded = &degraded;
    profile_case_conf(bench, "BAD", "\n");
    for (size_t i = 0; i < 9; i++)
        profile_case_conf(bench, profile_case_repeat(bench, (char)('A' + (int)i), 8), LONG);
    profile = profile_case_make(bench);
    bench->in.pod_annotations_bytes = LIMIT - bytes_of(&profile) + strlen(profile.topo) + 100;
    assert_string_equal(profile_case_make(bench).conf, "");
    return bench;
}

/* Every step meets the end of the arena once: it gives up every 16 bytes further on. */
static void test_profile_make__survives_a_full_arena(void **state)
{
    enum { STEP = 16, CHUNK = 64 * 1024 };

    (void)state;
    for (int full = 0; full < 2; full++) {
        struct profile_case *bench = full != 0 ? full_case() : profile_case_new(true);
        size_t made = 0;
        size_t failed = 0;

        for (size_t spare = 0; spare <= CHUNK && made == 0; spare += STEP) {
            struct fb_arena *arena = fb_arena_new(CHUNK);
            struct fb_profile profile = {.conf = "before"};
            struct fb_error err = {0};
            enum fb_status st;

            assert_non_null(arena);
            for (size_t used = spare; used < CHUNK; used += STEP)
                assert_non_null(fb_arena_alloc(arena, STEP));
            st = fb_profile_make(arena, &bench->in, &profile, &err);
            made += st == FB_OK;
            failed += st == FB_ENOMEM;
            assert_string_equal(err.text, st == FB_OK ? "" : "out of memory");
            assert_int_equal(strcmp(profile.conf, "before") == 0, st != FB_OK);
            fb_arena_free(arena);
        }
        assert_true(made == 1 && failed > 100);
        profile_case_free(bench);
    }
}

static void test_profile_make__survives_every_failed_allocation(void **state)
{
    struct profile_case *bench = full_case();
    bool made = false;
    int after = 0;

    (void)state;
    for (; !made && after < 100; after++) {
        struct fb_arena *arena = fb_arena_new(0);
        struct fb_profile profile;
        enum fb_status st;

        alloc_fault_arm(after);
        st = fb_profile_make(arena, &bench->in, &profile, NULL);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        made = st == FB_OK;
        fb_arena_free(arena);
    }
    assert_true(made && after > 1);
    profile_case_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profile_make__drops_in_order_at_the_byte),
        cmocka_unit_test(test_profile_make__drops_no_topology_that_is_not_there),
        cmocka_unit_test(test_profile_make__keeps_another_topology_file_when_its_own_goes),
        cmocka_unit_test(test_profile_make__drops_an_nccl_conf_of_the_topology_alone_with_it),
        cmocka_unit_test(test_profile_make__survives_a_full_arena),
        cmocka_unit_test(test_profile_make__survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
