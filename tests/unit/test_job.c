/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/job.h"

#include "alloc_fault.h"
#include "fabricbind/own.h"
#include "unit.h"

#include <string.h>

static void test_job_pod_name__is_what_the_controller_makes(void **state)
{
    static const struct {
        const char *pattern;
        int64_t inner, group, index;
        const char *want;
    } cases[] = {
        {"{job}-{task}-{index}", 1, 0, 0, "train-worker-0"},
        {"{job}-{task}-{index}", 1, 0, 99999, "train-worker-99999"},
        {"{job}-{task}-{outer}-{inner}", 4, 0, 0, "train-worker-0-0"},
        {"{job}-{task}-{outer}-{inner}", 4, 0, 3, "train-worker-0-3"},
        {"{job}-{task}-{outer}-{inner}", 4, 0, 4, "train-worker-1-0"},
        {"{job}-{task}-{outer}-{inner}", 1, 0, 4, "train-worker-4-0"},
        {"{job}-{task}-{outer}-{inner}", 0, 0, 4, "train-worker-4-0"},
        {"{job}-{group}", 1, 2, 0, "train-2"},
        {"{job}-{group}-{next}", 1, 2, 0, "train-2-1"},
        {"{job}-{group}-{next}", 1, 0, 9, "train-0-10"},
        {"{job}-{task}", 1, 0, 0, "train-worker"},
        {"{job}", 1, 0, 0, "train"},
        {"", 1, 0, 0, ""},
        {"{jo", 1, 0, 0, "{jo"},
        {"{x}{job}}", 1, 0, 0, "{x}train}"},
    };
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_job job = {.name = "train"};
        struct fb_task task = {
            .name = "worker", .pod_name = cases[i].pattern, .inner = cases[i].inner};
        const char *name = fb_job_pod_name(arena, &job, &task, cases[i].group, cases[i].index);

        assert_string_equal(name, cases[i].want);
        assert_ptr_equal(name, fb_arena_text(arena, name, strlen(name)));
    }
}

static void test_job_pod_name__is_null_when_out_of_memory(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_job job = {.name = "train"};
    struct fb_task task = {.name = "worker", .pod_name = "{job}-{index}", .inner = 1};
    const char *name;
    int after = 0;

    (void)state;
    do {
        alloc_fault_arm(after++);
        name = fb_job_pod_name(arena, &job, &task, 0, 3);
        alloc_fault_disarm();
    } while (name == NULL && after < 10);
    assert_string_equal(name, "train-3");
    assert_true(after > 1);
}

static void test_job_pods__sums_tasks_without_wrapping(void **state)
{
    static const struct {
        int64_t pods[3];
        size_t len;
        int64_t want;
    } cases[] = {
        {{0}, 0, 0},
        {{4}, 1, 4},
        {{1, 3, 0}, 3, 4},
        {{INT64_MAX, 1, 1}, 3, INT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_task tasks[3] = {{0}};
        struct fb_job job = {.tasks = tasks, .tasks_len = cases[i].len};

        for (size_t j = 0; j < cases[i].len; j++)
            tasks[j].pods = cases[i].pods[j];
        assert_true(fb_job_pods(&job) == cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_pod_name__is_what_the_controller_makes),
        cmocka_unit_test(test_job_pod_name__is_null_when_out_of_memory),
        cmocka_unit_test(test_job_pods__sums_tasks_without_wrapping),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
