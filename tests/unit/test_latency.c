/* SPDX-License-Identifier: Apache-2.0 */
#include "latency.h"

#include "unit.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

static void test_latency__is_zero_when_empty(void **state)
{
    static struct fb_latency latency;

    (void)state;
    assert_int_equal(fb_latency_at(&latency, 50), 0);
    assert_int_equal(fb_latency_at(&latency, 100), 0);
}

static void test_latency__is_exact_for_small_values_and_the_largest(void **state)
{
    static struct fb_latency latency;

    (void)state;
    for (uint64_t ns = 1; ns <= 60; ns++)
        fb_latency_add(&latency, ns);
    assert_int_equal(fb_latency_at(&latency, 50), 30);
    assert_int_equal(fb_latency_at(&latency, 90), 54);
    assert_int_equal(fb_latency_at(&latency, 0), 1);
    fb_latency_add(&latency, 123456789);
    assert_int_equal(fb_latency_at(&latency, 100), 123456789);
    assert_int_equal(latency.count, 61);
}

/* Against the sorted values: never below, at most 1/32 above, over all powers of two. */
static void test_latency__is_within_a_bucket_of_the_exact_value(void **state)
{
    enum { LEN = 4000 };
    static struct fb_latency latency;
    static uint64_t values[LEN];
    uint64_t seed = 7;

    (void)state;
    for (size_t i = 0; i < LEN; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        values[i] = (seed >> 24) >> (seed % 38);
        fb_latency_add(&latency, values[i]);
    }
    qsort(values, LEN, sizeof values[0], by_value);
    for (unsigned percent = 1; percent <= 100; percent++) {
        uint64_t exact = values[LEN * percent / 100 - 1];
        uint64_t got = fb_latency_at(&latency, percent);

        if (got < exact || got > exact + exact / 32)
            fail_msg("%u%%: %llu for %llu", percent, (unsigned long long)got,
                     (unsigned long long)exact);
    }
}

static void test_latency__keeps_what_is_beyond_its_buckets(void **state)
{
    static struct fb_latency latency;

    (void)state;
    fb_latency_add(&latency, UINT64_MAX);
    fb_latency_add(&latency, (uint64_t)1 << 50);
    fb_latency_add(&latency, 5);
    assert_int_equal(fb_latency_at(&latency, 1), 5);
    assert_true(fb_latency_at(&latency, 50) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latency__is_zero_when_empty),
        cmocka_unit_test(test_latency__is_exact_for_small_values_and_the_largest),
        cmocka_unit_test(test_latency__is_within_a_bucket_of_the_exact_value),
        cmocka_unit_test(test_latency__keeps_what_is_beyond_its_buckets),
    };

    return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
