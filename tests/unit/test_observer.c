/* SPDX-License-Identifier: Apache-2.0 */
#include "observer.h"

#include "fabricbind/complaint.h"

#include "make_cluster.h"
#include "unit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_MS 20000

struct scene {
    struct builder *builder, *next; /* of the two inventories */
    struct fb_inventory_slot *slot;
    struct fb_metrics *metrics;
    struct fb_observer *observer;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t told;
    size_t events;
    char last[512]; /* "kind api_version space/name uid reason" */
};

static void tell(void *context, const struct fb_event *event)
{
    struct scene *at = context;

    (void)pthread_mutex_lock(&at->lock);
    at->events++;
    (void)snprintf(at->last, sizeof at->last, "%s %s %s/%s %s %s", event->kind, event->api_version,
                   event->space, event->name, event->uid, event->reason);
    if (!event->warning || fb_event_check(event, NULL) != FB_OK)
        (void)snprintf(at->last, sizeof at->last, "no Event");
    (void)pthread_cond_broadcast(&at->told);
    (void)pthread_mutex_unlock(&at->lock);
}

/* The inventory lives in the builder's arena, and frees it. */
static struct fb_inventory *make_inventory(struct builder *builder)
{
    struct fb_inventory *inventory = fb_arena_alloc(builder->arena, sizeof *inventory);

    assert_non_null(inventory);
    inventory->in.arena = builder->arena;
    inventory->in.objects = builder_objects(builder);
    inventory->in.cluster = build_cluster(builder);
    inventory->holders = 1;
    return inventory;
}

static void give_member(struct builder *builder, const char *name, const char *job)
{
    struct fb_pod *pod = make_pod(builder, name, NULL, 8);

    give_owner(builder, pod, "Job", "batch.volcano.sh", job);
    pod->owners[0].uid = "u";
}

/* A gang of two pods that no webhook saw. */
static struct builder *make_builder(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *policy = make_policy(builder, "cloud", "nic", FB_NIC_EXCLUSIVE);

    (void)make_shape(builder, policy, "s", 8, 4);
    (void)make_node(builder, "a", "s", 8, "nic", 4);
    (void)make_node(builder, "b", "s", 8, "nic", 4);
    give_member(builder, "w0", "j");
    give_member(builder, "w1", "j");
    return builder;
}

static void start(struct scene *at, struct fb_inventory *inventory, unsigned every_ms)
{
    struct fb_observer_setup setup = {
        .tell = tell, .context = at, .limits = {.every_ms = every_ms}};

    (void)pthread_mutex_init(&at->lock, NULL);
    (void)pthread_cond_init(&at->told, NULL);
    at->slot = fb_inventory_slot_new(inventory);
    at->metrics = fb_metrics_new();
    assert_non_null(at->slot);
    assert_non_null(at->metrics);
    setup.slot = at->slot;
    setup.metrics = at->metrics;
    assert_int_equal(fb_observer_start(&setup, &at->observer, NULL), FB_OK);
}

static void stop(struct scene *at)
{
    fb_observer_stop(at->observer);
    fb_inventory_slot_free(at->slot);
    fb_metrics_free(at->metrics);
    (void)pthread_cond_destroy(&at->told);
    (void)pthread_mutex_destroy(&at->lock);
    free(at->builder);
    free(at->next);
}

static void await_event(struct scene *at)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_MS / 1000;
    (void)pthread_mutex_lock(&at->lock);
    while (at->events == 0 && pthread_cond_timedwait(&at->told, &at->lock, &until) == 0) {
    }
    assert_true(at->events > 0);
    (void)pthread_mutex_unlock(&at->lock);
}

static void await_metric(struct scene *at, const char *line)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    bool found = false;

    for (int i = 0; i < WAIT_MS && !found; i++) {
        char *text = fb_metrics_print(at->metrics, &(size_t){0});

        assert_non_null(text);
        found = strstr(text, line) != NULL;
        free(text);
        if (!found)
            (void)nanosleep(&pause, NULL);
    }
    assert_true(found);
}

static void test_observer__tells_what_it_finds_twice(void **state)
{
    struct scene at = {.builder = make_builder()};

    (void)state;
    start(&at, make_inventory(at.builder), 1);
    await_event(&at);
    assert_string_equal(at.last, "Job batch.volcano.sh/v1alpha1 team/j u NotInjected");
    await_metric(&at, "fabricbind_uninjected_pods 2\n");
    await_metric(&at, "fabricbind_complaints{reason=\"NotInjected\"} 1\n");
    stop(&at);
}

static void test_observer__does_not_tell_at_once(void **state)
{
    struct scene at = {.builder = make_builder()};

    (void)state;
    start(&at, make_inventory(at.builder), 3600000);
    await_metric(&at, "fabricbind_complaints{reason=\"NotInjected\"} 1\n");
    stop(&at);
    assert_int_equal(at.events, 0);
}

static void test_observer__in_mode_observe_only_counts(void **state)
{
    struct scene at = {.builder = make_builder(), .next = make_builder()};
    struct fb_inventory *inventory = make_inventory(at.builder);

    (void)state;
    inventory->in.config.mode = FB_MODE_OBSERVE;
    start(&at, inventory, 1);
    await_metric(&at, "fabricbind_uninjected_pods 2\n");
    /* Another round. */
    give_member(at.next, "w2", "j");
    inventory = make_inventory(at.next);
    inventory->in.config.mode = FB_MODE_OBSERVE;
    fb_inventory_slot_put(at.slot, inventory);
    await_metric(&at, "fabricbind_uninjected_pods 3\n");
    stop(&at);
    assert_int_equal(at.events, 0);
}

static void test_observer__waits_until_all_is_told(void **state)
{
    const struct timespec pause = {.tv_nsec = 30000000};
    struct scene at = {.builder = make_builder(), .next = make_builder()};
    struct fb_inventory *inventory = make_inventory(at.builder);

    (void)state;
    inventory->live = true;
    start(&at, inventory, 1);
    (void)nanosleep(&pause, NULL); /* time enough to tell what must not be told */
    inventory = make_inventory(at.next);
    inventory->live = true;
    inventory->synced = true;
    (void)pthread_mutex_lock(&at.lock);
    assert_int_equal(at.events, 0);
    (void)pthread_mutex_unlock(&at.lock);
    fb_inventory_slot_put(at.slot, inventory);
    await_event(&at);
    stop(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_observer__tells_what_it_finds_twice),
        cmocka_unit_test(test_observer__does_not_tell_at_once),
        cmocka_unit_test(test_observer__in_mode_observe_only_counts),
        cmocka_unit_test(test_observer__waits_until_all_is_told),
    };

    return cmocka_run_group_tests_name("observer", tests, NULL, NULL);
}
