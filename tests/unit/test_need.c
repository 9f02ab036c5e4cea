/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/need.h"

#include "make_cluster.h"
#include "need_case.h"
#include "unit.h"

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

struct row {
    const char *containers, *fabric;
    const char *ratio;   /* configured: "auto", "shape" or a ratio */
    const char *per_gpu; /* the annotation; NULL: none */
    const char *want;
};

static void make(struct builder *builder, const struct fb_pod *pod, enum fb_networking networking,
                 const struct fb_fabric *fabric, struct fb_need *ret)
{
    assert_int_equal(fb_need_make(builder->arena, pod, networking, fabric,
                                  &(struct fb_rules){&builder->policies, &builder->settings}, ret),
                     FB_OK);
}

static void check_rows(struct builder *builder, const struct row *rows, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        struct fb_pod *pod = need_case_pod(builder, rows[i].containers);
        struct fb_fabric fabric = need_case_fabric(builder, rows[i].fabric);
        struct fb_need need;
        char text[512];

        need_case_configure(builder, rows[i].ratio);
        if (rows[i].per_gpu != NULL)
            give_annotation(builder, pod, "fabricbind.io/nics-per-gpu", rows[i].per_gpu);
        make(builder, pod, FB_NETWORKING_ANNOTATED, &fabric, &need);
        if (strcmp(need_case_format(&need, text), rows[i].want) != 0)
            fail_msg("row %zu: %s on %s: %s", i, rows[i].containers, rows[i].fabric, text);
    }
}

static void test_need_make__exclusive_is_the_ceiling_of_gpus_times_ratio(void **state)
{
    static const struct row rows[] = {
        {"m8", "big", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"m4", "big", "auto", NULL, "4 GPUs, " NIC " 16, auto"},
        {"m8", "half", "auto", NULL, "8 GPUs, " NIC " 4, auto"},
        {"m7", "half", "auto", NULL, "7 GPUs, " NIC " 4, auto"},
        {"m3", "half", "auto", NULL, "3 GPUs, " NIC " 2, auto"},
        {"m1", "half", "auto", NULL, "1 GPUs, " NIC " 1, auto"},
        {"m8", "small", "auto", NULL, "8 GPUs, " NIC " 1, auto"},
        {"m4", "small", "auto", NULL, "4 GPUs, " NIC " 1, auto"},
        {"m8", "pool", "auto", NULL, "8 GPUs, " NIC " 3, auto"},
        {"m4", "pool", "auto", NULL, "4 GPUs, " NIC " 2, auto"},
        {"m8", "pool", "shape", NULL, "8 GPUs, " NIC " 4, auto"},
        {"m8", "big", "shape", NULL, "8 GPUs, " NIC " 32, auto"},
        {"m8", "own", "auto", NULL, "8 GPUs, " NIC " 16, auto"},
        {"m8", "own", "shape", NULL, "8 GPUs, " NIC " 16, auto"},
        {"m8", "untold", "shape", NULL, "8 GPUs, " NIC " 1, auto"},
        {"m8", "untold", "auto", NULL, "8 GPUs, " NIC " 1, auto"},
        {"m8", "big", "1", NULL, "8 GPUs, " NIC " 8, configured"},
        {"m8", "half", "4", NULL, "8 GPUs, " NIC " 32, configured"},
        {"m8", "big", "1/2", NULL, "8 GPUs, " NIC " 4, configured"},
        {"m3", "big", "0.5", NULL, "3 GPUs, " NIC " 2, configured"},
    };

    check_rows(*state, rows, COUNT(rows));
}

static void test_need_make__a_slot_is_one_seat_under_auto(void **state)
{
    static const struct row rows[] = {
        {"m8", "seats", "auto", NULL, "8 GPUs, " SEAT " 1, auto"},
        {"m1", "seats", "auto", NULL, "1 GPUs, " SEAT " 1, auto"},
        {"m4 m4", "seats", "auto", NULL, "8 GPUs, " SEAT " 2, auto"},
        {"m4 m0", "seats", "auto", NULL, "4 GPUs, " SEAT " 1, auto"},
        {"m8", "seats", "1", NULL, "8 GPUs, " SEAT " 8, configured"},
        {"m3", "seats", "1/2", NULL, "3 GPUs, " SEAT " 2, configured"},
        {"m8", "seats", "auto", "2", "8 GPUs, " SEAT " 16, annotation"},
        {"m8", "seats", "1", "auto", "8 GPUs, " SEAT " 1, auto"},
    };

    check_rows(*state, rows, COUNT(rows));
}

static void test_need_make__each_is_one_of_every_network(void **state)
{
    static const char *const want = "acme.net/a 1, acme.net/b 1, acme.net/c 1, auto, whole";
    static const struct {
        const char *containers, *ratio;
    } cases[] = {
        {"m8", "auto"}, {"m4 m4", "auto"}, {"m8", "4"}, {"m4", "auto"}, {"i8 m1", "shape"},
    };
    struct fb_fabric fabric = need_case_fabric(*state, "nets");

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pod *pod = need_case_pod(*state, cases[i].containers);
        struct fb_need need;
        char text[512];

        need_case_configure(*state, cases[i].ratio);
        make(*state, pod, FB_NETWORKING_ANNOTATED, &fabric, &need);
        assert_string_equal(strstr(need_case_format(&need, text), "acme"), want);
    }
}

static void test_need_make__unannotated_on_part_of_an_each_node_is_not_networked(void **state)
{
    static const struct {
        const char *containers;
        enum fb_networking networking;
        const char *want;
    } cases[] = {
        {"m4", FB_NETWORKING_GANG, "4 GPUs, none, plain"},
        {"m7", FB_NETWORKING_GANG, "7 GPUs, none, plain"},
        {"m8", FB_NETWORKING_GANG, "8 GPUs, acme.net/a 1, acme.net/b 1, acme.net/c 1, auto, whole"},
        {"m4 m4", FB_NETWORKING_GANG,
         "8 GPUs, acme.net/a 1, acme.net/b 1, acme.net/c 1, auto, whole"},
        {"m4", FB_NETWORKING_ANNOTATED,
         "4 GPUs, acme.net/a 1, acme.net/b 1, acme.net/c 1, auto, whole"},
        {"m4", FB_NETWORKING_NO, "4 GPUs, none"},
        {"m8", FB_NETWORKING_NO, "8 GPUs, none"},
    };
    struct fb_fabric nets = need_case_fabric(*state, "nets");
    struct fb_fabric seats = need_case_fabric(*state, "seats");
    struct fb_need need;
    char text[512];

    for (size_t i = 0; i < COUNT(cases); i++) {
        make(*state, need_case_pod(*state, cases[i].containers), cases[i].networking, &nets, &need);
        assert_string_equal(need_case_format(&need, text), cases[i].want);
    }
    make(*state, need_case_pod(*state, "m4"), FB_NETWORKING_GANG, &seats, &need);
    assert_string_equal(need_case_format(&need, text), "4 GPUs, " SEAT " 1, auto");
}

static void test_need_make__own_request_then_annotation_then_configuration(void **state)
{
    static const struct row rows[] = {
        {"m8/2", "big", "auto", NULL, "8 GPUs, " NIC " 2, own"},
        {"m8/2", "big", "4", "1", "8 GPUs, " NIC " 2, own"},
        {"m8/1", "big", "auto", NULL, "8 GPUs, " NIC " 1, own"},
        {"m8/64", "big", "auto", NULL, "8 GPUs, " NIC " 64, own"},
        {"m8/2", "nobody", "auto", NULL, "8 GPUs, " NIC " 2, own"},
        {"m8/2", "none", "auto", NULL, "8 GPUs, " NIC " 2, own"},
        {"m8/2", "seats", "auto", NULL, "8 GPUs, " NIC " 2, own"},
        {"m8/2", "nets", "auto", NULL, "8 GPUs, " NIC " 2, own, whole"},
        {"m4/3 m4", "big", "auto", NULL, "8 GPUs, " NIC " 3, own"},
        {"m8 m0/3", "big", "auto", NULL, "8 GPUs, " NIC " 3, own"},
        {"i8/5 m8/2", "big", "auto", NULL, "8 GPUs, " NIC " 5, own"},
        {"m8/0", "big", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"m8", "big", "4", "1", "8 GPUs, " NIC " 8, annotation"},
        {"m8", "big", "auto", "1/2", "8 GPUs, " NIC " 4, annotation"},
        {"m8", "pool", "4", "auto", "8 GPUs, " NIC " 3, auto"},
        {"m8", "pool", "4", "shape", "8 GPUs, " NIC " 4, auto"},
        {"m8", "pool", "shape", "auto", "8 GPUs, " NIC " 3, auto"},
        {"m8", "big", "2", "0", "8 GPUs, " NIC " 16, configured"}, /* none: not heard */
        {"m8", "big", "2", "4x", "8 GPUs, " NIC " 16, configured"},
        {"m8", "big", "2", "", "8 GPUs, " NIC " 16, configured"},
        {"m8", "half", "auto", "-1", "8 GPUs, " NIC " 4, auto"},
    };

    check_rows(*state, rows, COUNT(rows));
}

/* KEP-753: sidecars run beside what starts after them, plain init containers one by one. */
static void test_need_make__containers_count_as_the_kubelet_counts(void **state)
{
    static const struct row rows[] = {
        {"m4 m4", "big", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"m3 m3", "half", "auto", NULL, "6 GPUs, " NIC " 4, auto"}, /* 2 + 2, not ceil(6 / 2) */
        {"m8 m0", "big", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"m0", "big", "auto", NULL, "0 GPUs, auto"},
        {"i8 m4", "big", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"i4 m8", "big", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"i4 i8 i2 m1", "big", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"i8 m8", "big", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"s2 m4", "big", "auto", NULL, "6 GPUs, " NIC " 24, auto"},
        {"s2 i6 m4", "big", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"i6 s2 m4", "big", "auto", NULL, "6 GPUs, " NIC " 24, auto"},
        {"s1 i4 s1 i5 m2", "big", "auto", NULL, "7 GPUs, " NIC " 28, auto"},
        {"s1 i7 s4 m4", "big", "auto", NULL, "9 GPUs, " NIC " 36, auto"},
        {"i8 m0", "big", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"s8", "half", "auto", NULL, "8 GPUs, " NIC " 4, auto"},
        {"s1/1 i2/6 m2/3", "big", "auto", NULL, "3 GPUs, " NIC " 7, own"},
    };

    check_rows(*state, rows, COUNT(rows));
}

static void test_need_make__names_the_nics_that_are_not_there(void **state)
{
    static const struct row rows[] = {
        {"m8", "bare", "auto", NULL, "8 GPUs, " NIC " 32, auto"},
        {"m8", "bare", "1", NULL, "8 GPUs, " NIC " 8, configured"},
        {"m8", "none", "auto", NULL, "8 GPUs, " NIC " 1, auto"},
        {"m8", "none", "4", NULL, "8 GPUs, " NIC " 1, auto"},
        {"m8", "none-seats", "4", NULL, "8 GPUs, " NIC " 1, auto"},
        {"m8", "nobody", "auto", NULL, "8 GPUs, NIC resource 1, auto"},
        {"m8", "nobody", "4", NULL, "8 GPUs, NIC resource 32, configured"},
        {"m8", "dra", "auto", NULL, "8 GPUs, " NIC " 1, auto"},
        {"m8", "host", "auto", NULL, "8 GPUs, " NIC " 1, auto"},
    };

    check_rows(*state, rows, COUNT(rows));
}

static void test_need_make__leaves_alone_what_comes_otherwise(void **state)
{
    static const struct {
        const char *fabric, *claim, *device_class;
        bool host_network;
        const char *want;
    } cases[] = {
        {"big", "nics", "acme-nic", false, "8 GPUs, none"},
        {"nets", "nics", "acme-nic", false, "8 GPUs, none, whole"},
        {"none", "nics", "acme-nic", false, "8 GPUs, none"},
        {"big", "domain", "compute-domain", false, "8 GPUs, " NIC " 32, auto"},
        {"big", "nics", NULL, false, "8 GPUs, " NIC " 32, auto"},
        {"nobody", "nics", "acme-nic", false, "8 GPUs, NIC resource 1, auto"},
        {"dra", "nics", NULL, false, "8 GPUs, none"}, /* the template's class is not told */
        {"dra", "nics", "acme-nic", false, "8 GPUs, none"},
        {"dra", "domain", "compute-domain", false, "8 GPUs, " NIC " 1, auto"},
        {"dra-plugin", "nics", NULL, false, "8 GPUs, " NIC " 8, auto"},
        {"dra", NULL, NULL, true, "8 GPUs, " NIC " 1, auto"},
        {"host", NULL, NULL, true, "8 GPUs, none"},
        {"host", "nics", NULL, false, "8 GPUs, " NIC " 1, auto"},
        {"big", NULL, NULL, true, "8 GPUs, " NIC " 32, auto"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pod *pod = need_case_pod(*state, "m8");
        struct fb_fabric fabric = need_case_fabric(*state, cases[i].fabric);
        struct fb_need need;
        char text[512];

        pod->host_network = cases[i].host_network;
        if (cases[i].claim != NULL)
            give_text(*state, &pod->claims, cases[i].claim);
        if (cases[i].device_class != NULL)
            give_text(*state, &pod->device_classes, cases[i].device_class);
        make(*state, pod, FB_NETWORKING_ANNOTATED, &fabric, &need);
        if (strcmp(need_case_format(&need, text), cases[i].want) != 0)
            fail_msg("row %zu: %s", i, text);
    }
}

static void test_need_make__a_provider_without_nics_has_none_to_name(void **state)
{
    struct builder *builder = *state;
    struct fb_policy *policy = make_policy(builder, "plain", NULL, FB_NIC_EXCLUSIVE);
    struct fb_fabric fabric = {.policy = policy, .gpus = 8};
    struct fb_need need;
    char text[512];

    make(builder, need_case_pod(builder, "m8"), FB_NETWORKING_GANG, &fabric, &need);
    assert_string_equal(need_case_format(&need, text), "8 GPUs, NIC resource 1, auto");
}

#define WITH_BUILDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BUILDER(test_need_make__exclusive_is_the_ceiling_of_gpus_times_ratio),
        WITH_BUILDER(test_need_make__a_slot_is_one_seat_under_auto),
        WITH_BUILDER(test_need_make__each_is_one_of_every_network),
        WITH_BUILDER(test_need_make__unannotated_on_part_of_an_each_node_is_not_networked),
        WITH_BUILDER(test_need_make__own_request_then_annotation_then_configuration),
        WITH_BUILDER(test_need_make__containers_count_as_the_kubelet_counts),
        WITH_BUILDER(test_need_make__names_the_nics_that_are_not_there),
        WITH_BUILDER(test_need_make__leaves_alone_what_comes_otherwise),
        WITH_BUILDER(test_need_make__a_provider_without_nics_has_none_to_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
