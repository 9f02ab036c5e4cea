/* SPDX-License-Identifier: Apache-2.0 */
#include "choice_cache.h"

#include "make_cluster.h"
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define LATER_MS 120000

/* A cluster of one fabric, "b". */
struct scene {
    struct builder *builder;
    struct fb_inventory inventory;
    struct fb_choice_cache *cache;
    struct fb_arena *arena;
    struct fb_pod *pod;
};

static void start(struct scene *at)
{
    struct fb_policy *policy;

    memset(at, 0, sizeof *at);
    at->builder = builder_new();
    policy = make_policy(at->builder, "cloud", "nic", FB_NIC_EXCLUSIVE);
    (void)make_shape(at->builder, policy, "s", 8, 4);
    (void)make_node(at->builder, "n", "s", 8, "nic", 4);
    at->pod = make_template(at->builder, "p", 8);
    at->inventory.in.cluster = build_cluster(at->builder);
    at->inventory.read_ms = fb_inventory_clock_ms();
    at->cache = fb_choice_cache_new();
    at->arena = fb_arena_new(0);
    assert_non_null(at->cache);
    assert_non_null(at->arena);
}

static void stop(struct scene *at)
{
    fb_choice_cache_free(at->cache);
    fb_arena_free(at->arena);
    builder_free(at->builder);
}

static enum fb_choice_turn begin(struct scene *at, const char *key, int64_t wait_ms,
                                 const char **ret_fabric)
{
    const struct fb_gang gang = {.space = "team", .key = key};
    const struct fb_choice_query query = {&at->inventory, &gang, at->pod,
                                          fb_inventory_clock_ms() + wait_ms};
    enum fb_choice_turn turn = FB_CHOICE_LATE;

    assert_int_equal(fb_choice_cache_begin(at->cache, &query, at->arena, &turn, ret_fabric), FB_OK);
    return turn;
}

static void end(struct scene *at, const char *key, const char *fabric, bool kept)
{
    const struct fb_gang gang = {.space = "team", .key = key};

    fb_choice_cache_end(at->cache, &gang, fabric, kept);
}

static const char *only(const struct scene *at)
{
    return at->inventory.in.cluster.fabrics[0].key;
}

static void test_cache__one_makes_and_all_know(void **state)
{
    const struct fb_gang other = {.space = "elsewhere", .key = "a"};
    const char *fabric;
    struct scene at;

    (void)state;
    start(&at);
    assert_int_equal(begin(&at, "a", 0, &fabric), FB_CHOICE_MINE);
    assert_string_equal(fabric, "");
    assert_int_equal(begin(&at, "a", 1, &fabric), FB_CHOICE_LATE);
    end(&at, "a", only(&at), true);
    assert_int_equal(begin(&at, "a", 0, &fabric), FB_CHOICE_MADE);
    assert_string_equal(fabric, only(&at));
    assert_string_equal(fb_choice_cache_find(at.cache, at.arena, &other), "");
    assert_int_equal(fb_choice_cache_count(at.cache), 1);
    stop(&at);
}

static void test_cache__nothing_is_not_kept(void **state)
{
    const char *fabric;
    struct scene at;

    (void)state;
    start(&at);
    assert_int_equal(begin(&at, "a", 0, &fabric), FB_CHOICE_MINE);
    end(&at, "a", "", false);
    assert_int_equal(fb_choice_cache_count(at.cache), 0);
    assert_int_equal(begin(&at, "a", 0, &fabric), FB_CHOICE_MINE);
    end(&at, "a", "gone", true); /* a fabric without nodes */
    assert_int_equal(begin(&at, "a", 0, &fabric), FB_CHOICE_MINE);
    assert_string_equal(fabric, "");
    end(&at, "a", only(&at), true);
    stop(&at);
}

static void test_cache__forgets_what_is_over(void **state)
{
    static const struct {
        const char *name;
        bool pod, told;
        int64_t age_ms; /* of the inventory behind the choice */
        size_t want;
    } cases[] = {
        {"gone", false, false, LATER_MS, 1},
        {"an inventory too old to tell", false, false, 1000, 2},
        {"still there", true, false, LATER_MS, 2},
        {"there and told", true, true, LATER_MS, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pair note = {FB_CHOICE_KEY, "f"};
        const char *fabric;
        struct scene at;

        start(&at);
        if (cases[i].pod)
            give_owner(at.builder, make_pod(at.builder, "w", NULL, 8), "Job", "batch.volcano.sh",
                       "a");
        if (cases[i].told)
            make_podgroup(at.builder, "a", 1)->annotations = (struct fb_pairs){&note, 1, 1};
        assert_int_equal(begin(&at, "a", 0, &fabric), FB_CHOICE_MINE);
        end(&at, "a", only(&at), true);
        at.inventory.in.cluster = build_cluster(at.builder);
        at.inventory.read_ms = fb_inventory_clock_ms() + cases[i].age_ms;
        at.inventory.generation++;
        (void)begin(&at, "b", 0, &fabric); /* another gang makes it look */
        if (fb_choice_cache_count(at.cache) != cases[i].want)
            fail_msg("%s: %zu", cases[i].name, fb_choice_cache_count(at.cache));
        stop(&at);
    }
}

static void test_cache__is_bounded(void **state)
{
    const struct fb_gang first = {.space = "team", .key = "0"};
    const char *fabric;
    struct scene at;

    (void)state;
    start(&at);
    for (int i = 0; i <= FB_CHOICE_CACHE; i++) {
        char key[16];

        (void)snprintf(key, sizeof key, "%d", i);
        assert_int_equal(begin(&at, key, 0, &fabric), FB_CHOICE_MINE);
        end(&at, key, only(&at), true);
    }
    assert_int_equal(fb_choice_cache_count(at.cache), FB_CHOICE_CACHE);
    assert_string_equal(fb_choice_cache_find(at.cache, at.arena, &first), "");
    stop(&at);
}

/* A pod that waits for the choice of another one. */
struct waiter {
    struct scene *at;
    struct fb_arena *arena; /* its own: an arena is for one thread */
    pthread_t thread;
    enum fb_choice_turn turn;
    const char *fabric;
};

static void *wait_for_turn(void *context)
{
    struct waiter *waiter = context;
    const struct fb_gang gang = {.space = "team", .key = "a"};
    const struct fb_choice_query query = {&waiter->at->inventory, &gang, waiter->at->pod,
                                          fb_inventory_clock_ms() + LATER_MS};

    if (fb_choice_cache_begin(waiter->at->cache, &query, waiter->arena, &waiter->turn,
                              &waiter->fabric) != FB_OK)
        waiter->turn = FB_CHOICE_LATE;
    return NULL;
}

static void test_cache__waiters_get_what_was_made(void **state)
{
    struct waiter waiters[8];
    const char *fabric;
    struct scene at;

    (void)state;
    start(&at);
    for (int made = 0; made < 2; made++) {
        assert_int_equal(begin(&at, "a", 0, &fabric), FB_CHOICE_MINE);
        for (size_t i = 0; i < COUNT(waiters); i++) {
            waiters[i] = (struct waiter){.at = &at, .arena = fb_arena_new(0)};
            assert_int_equal(pthread_create(&waiters[i].thread, NULL, wait_for_turn, &waiters[i]),
                             0);
        }
        while (fb_choice_cache_waiting(at.cache) < COUNT(waiters))
            (void)sched_yield();
        end(&at, "a", made ? only(&at) : "", true);
        for (size_t i = 0; i < COUNT(waiters); i++) {
            (void)pthread_join(waiters[i].thread, NULL);
            assert_int_equal(waiters[i].turn, FB_CHOICE_MADE);
            assert_string_equal(waiters[i].fabric, made ? only(&at) : "");
            fb_arena_free(waiters[i].arena);
        }
        assert_int_equal(fb_choice_cache_count(at.cache), made);
    }
    stop(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache__one_makes_and_all_know),
        cmocka_unit_test(test_cache__nothing_is_not_kept),
        cmocka_unit_test(test_cache__forgets_what_is_over),
        cmocka_unit_test(test_cache__is_bounded),
        cmocka_unit_test(test_cache__waiters_get_what_was_made),
    };

    return cmocka_run_group_tests_name("choice_cache", tests, NULL, NULL);
}
