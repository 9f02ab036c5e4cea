/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/need.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "make_cluster.h"
#include "need_case.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static int set_up(void **state)
{
    *state = need_case_builder();
    return 0;
}

static int tear_down(void **state)
{
    builder_free(*state);
    return 0;
}

static void make(struct builder *builder, const struct fb_pod *pod, enum fb_networking networking,
                 const struct fb_fabric *fabric, struct fb_need *ret)
{
    assert_int_equal(fb_need_make(builder->arena, pod, networking, fabric,
                                  &(struct fb_rules){&builder->policies, &builder->settings}, ret),
                     FB_OK);
}

/* "a=1 b=2" in the order of their first mention. */
static const char *format_all(const struct fb_resources *all, char text[512])
{
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < all->len; i++)
        len += (size_t)snprintf(text + len, 512 - len, "%s%s=%lld", i > 0 ? " " : "",
                                all->at[i].name, (long long)all->at[i].amount);
    return text;
}

static void test_need_make__takes_everything_requested_and_a_place(void **state)
{
    struct builder *builder = *state;
    struct fb_pod *pod = need_case_pod(builder, "i0 s0 m8 m0");
    struct fb_fabric fabric = need_case_fabric(builder, "half");
    struct fb_need need;
    char text[512];

    give_request(builder, pod, 0, "cpu", 9000);
    give_request(builder, pod, 0, "disk", 7);
    give_request(builder, pod, 1, "cpu", 500);
    give_request(builder, pod, 2, "cpu", 4000);
    give_request(builder, pod, 2, "memory", 64);
    give_request(builder, pod, 3, "cpu", 1000);
    give_request(builder, pod, 3, "zero", 0);
    assert_int_equal(fb_resources_set(builder->arena, &pod->overhead, "cpu", 250), FB_OK);
    assert_int_equal(fb_resources_set(builder->arena, &pod->overhead, "memory", 16), FB_OK);
    make(builder, pod, FB_NETWORKING_GANG, &fabric, &need);
    assert_string_equal(format_all(&need.all, text),
                        "cpu=9250 disk=7 " GPU "=8 memory=80 zero=0 pods=1 " NIC "=4");
    make(builder, pod, FB_NETWORKING_NO, &fabric, &need);
    assert_string_equal(format_all(&need.all, text),
                        "cpu=9250 disk=7 " GPU "=8 memory=80 zero=0 pods=1");
    make(builder, pod, FB_NETWORKING_GANG, NULL, &need);
    assert_string_equal(format_all(&need.all, text),
                        "cpu=9250 disk=7 " GPU "=8 memory=80 zero=0 pods=1");
    assert_string_equal(need_case_format(&need, text), "8 GPUs, none");
}

static void test_need_make__own_nics_count_without_networking(void **state)
{
    struct builder *builder = *state;
    struct fb_pod *pod = need_case_pod(builder, "m0/2");
    struct fb_need need;
    char text[512];

    give_request(builder, pod, 0, SEAT, 0);
    give_request(builder, pod, 0, "acme.net/a", 1);
    give_request(builder, pod, 0, "acme.net/a.IP", 1); /* a twin of the NIC, none itself */
    make(builder, pod, FB_NETWORKING_NO, NULL, &need);
    assert_string_equal(need_case_format(&need, text), "0 GPUs, " NIC " 2, acme.net/a 1, own");
    assert_null(need.gpu);
}

static void test_need_make__sums_stop_at_the_largest(void **state)
{
    struct builder *builder = *state;
    struct fb_pod *pod = need_case_pod(builder, "s8 i8 m8");
    struct fb_fabric fabric = need_case_fabric(builder, "big");
    struct fb_need need;

    for (size_t i = 0; i < 3; i++)
        give_request(builder, pod, i, GPU, INT64_MAX);
    make(builder, pod, FB_NETWORKING_GANG, &fabric, &need);
    assert_true(need.gpus == INT64_MAX);
    assert_true(fb_resources_get(&need.nics, NIC) == INT64_MAX);
}

static void test_need_gpus__of_the_first_resource_asked_for(void **state)
{
    static const struct {
        const char *resource;
        int64_t amount;
        const char *want_gpu;
        int64_t want;
    } cases[] = {
        {GPU, 8, GPU, 8},
        {"amd.com/gpu", 4, "amd.com/gpu", 4},
        {GPU, 0, NULL, 0},
        {"other.com/gpu", 8, NULL, 0},
        {"nvidia.com/mig-1g.10gb", 2, NULL, 0},
        {GPU ".shared", 2, NULL, 0},
    };
    struct builder *builder = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pod *pod = make_template(builder, "p", 0);
        const char *gpu = "unset";

        give_request(builder, pod, 0, cases[i].resource, cases[i].amount);
        assert_int_equal(fb_need_gpus(pod, &builder->settings, &gpu), cases[i].want);
        assert_true(fb_text_equal(gpu, cases[i].want_gpu));
        assert_int_equal(fb_need_gpus(pod, &builder->settings, NULL), cases[i].want);
    }
}

static void test_need_leaves_nics__where_nothing_is_added(void **state)
{
    static const struct {
        const char *containers, *fabric, *device_class; /* NULL: no claim */
        bool want;
    } cases[] = {
        {"m8", "big", NULL, false},       {"m8/2", "big", NULL, true},
        {"m8/0", "big", NULL, false},     {"m8", "big", "acme-nic", true},
        {"m8", "big", "other", false},    {"m8", "none", NULL, true},
        {"m8", "none-seats", NULL, true}, {"m8", "seats", NULL, false},
        {"m8", "nobody", NULL, false},    {"m8", "nobody", "acme-nic", false},
        {"m8", "untold", NULL, false},
    };
    struct builder *builder = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pod *pod = need_case_pod(builder, cases[i].containers);
        struct fb_fabric fabric = need_case_fabric(builder, cases[i].fabric);

        if (cases[i].device_class != NULL)
            give_text(builder, &pod->device_classes, cases[i].device_class);
        if (fb_need_leaves_nics(pod, &fabric,
                                &(struct fb_rules){&builder->policies, &builder->settings}) !=
            cases[i].want)
            fail_msg("row %zu", i);
    }
}

static void test_need_nics__of_one_container(void **state)
{
    static const struct {
        const char *fabric;
        enum fb_need_source source;
        int64_t gpus, want;
    } cases[] = {
        {"half", FB_NEED_AUTO, 8, 8},        {"half", FB_NEED_AUTO, 0, 0},
        {"seats", FB_NEED_AUTO, 8, 1},       {"seats", FB_NEED_AUTO, 0, 0},
        {"seats", FB_NEED_CONFIGURED, 8, 8}, {"nets", FB_NEED_CONFIGURED, 8, 1},
        {"nets", FB_NEED_AUTO, 8, 1},        {"bare", FB_NEED_AUTO, 3, 3},
    };
    struct fb_ratio one = {1, 1};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_fabric fabric = need_case_fabric(*state, cases[i].fabric);

        assert_int_equal(fb_need_nics(&fabric, cases[i].source, one, cases[i].gpus), cases[i].want);
    }
}

/* An arena that gives @bytes more and then no more. */
static struct fb_arena *nearly_full(size_t bytes)
{
    struct fb_arena *arena = fb_arena_new((size_t)64 * 1024);

    assert_non_null(arena);
    for (size_t left = (size_t)64 * 1024; left > bytes; left -= 16)
        assert_non_null(fb_arena_alloc(arena, 16));
    return arena;
}

static void test_need_make__every_allocation_may_fail(void **state)
{
    static const struct {
        const char *containers, *fabric, *want;
    } cases[] = {
        {"m8", "big", "8 GPUs, " NIC " 32, auto"},
        {"m8", "none", "8 GPUs, " NIC " 1, auto"},
        {"m8", "nets", "8 GPUs, acme.net/a 1, acme.net/b 1, acme.net/c 1, auto, whole"},
        {"m8/2", "big", "8 GPUs, " NIC " 2, own"},
    };
    struct builder *builder = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pod *pod = need_case_pod(builder, cases[i].containers);
        struct fb_fabric fabric = need_case_fabric(builder, cases[i].fabric);
        enum fb_status st = FB_ENOMEM;
        size_t bytes;

        for (size_t r = 0; r < 3; r++)
            give_request(builder, pod, 0, (const char *[]){"cpu", "memory", "disk"}[r], 1);
        assert_int_equal(fb_resources_set(builder->arena, &pod->overhead, "overhead", 1), FB_OK);
        for (bytes = 0; st != FB_OK && bytes < 4096; bytes += 16) {
            FB_OWNED(fb_arena_freep) struct fb_arena *arena = nearly_full(bytes);
            struct fb_need need = {.gpus = -7};
            char text[512];

            st = fb_need_make(arena, pod, FB_NETWORKING_ANNOTATED, &fabric,
                              &(struct fb_rules){&builder->policies, &builder->settings}, &need);
            if (st == FB_OK)
                assert_string_equal(need_case_format(&need, text), cases[i].want);
            else
                assert_int_equal(need.gpus, -7); /* untouched on failure */
        }
        assert_int_equal(st, FB_OK);
        assert_true(bytes > 64);
    }
}

static void test_need_make__the_system_may_have_no_memory(void **state)
{
    struct builder *builder = *state;
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_fabric fabric = need_case_fabric(builder, "big");
    struct fb_pod *pod = need_case_pod(builder, "m8");
    struct fb_need need;
    enum fb_status st;

    alloc_fault_arm(0);
    st = fb_need_make(arena, pod, FB_NETWORKING_GANG, &fabric,
                      &(struct fb_rules){&builder->policies, &builder->settings}, &need);
    alloc_fault_disarm();
    assert_int_equal(st, FB_ENOMEM);
    assert_int_equal(fb_need_make(arena, pod, FB_NETWORKING_GANG, &fabric,
                                  &(struct fb_rules){&builder->policies, &builder->settings},
                                  &need),
                     FB_OK);
}

#define WITH_BUILDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BUILDER(test_need_make__takes_everything_requested_and_a_place),
        WITH_BUILDER(test_need_make__own_nics_count_without_networking),
        WITH_BUILDER(test_need_make__sums_stop_at_the_largest),
        WITH_BUILDER(test_need_gpus__of_the_first_resource_asked_for),
        WITH_BUILDER(test_need_leaves_nics__where_nothing_is_added),
        WITH_BUILDER(test_need_nics__of_one_container),
        WITH_BUILDER(test_need_make__every_allocation_may_fail),
        WITH_BUILDER(test_need_make__the_system_may_have_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
