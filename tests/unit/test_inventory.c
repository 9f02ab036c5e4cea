/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <pthread.h>
#include <string.h>

#define SNAPSHOT FB_TEST_DATA "/snapshots/aws"
#define READERS 4
#define ROUNDS 2000

static const char *policies[] = {FB_TEST_POLICIES};

static struct fb_options options_for(const char *snapshot)
{
    return (struct fb_options){.snapshot = snapshot, .policies = {.at = policies, .len = 1}};
}

static void count(void *context, const char *text)
{
    size_t *notices = context;

    assert_true(strlen(text) > 0);
    assert_null(strchr(text, '\n'));
    ++*notices;
}

static struct fb_inventory *read_one(const char *snapshot)
{
    struct fb_options options = options_for(snapshot);
    struct fb_inventory *inventory = NULL;
    struct fb_error err = {0};
    size_t notices = 0;

    if (fb_inventory_read(&options, count, &notices, &inventory, &err) != FB_OK)
        fail_msg("%s", err.text);
    return inventory;
}

static void test_inventory_read__has_what_the_snapshot_has(void **state)
{
    FB_OWNED(fb_inventory_releasep) struct fb_inventory *inventory = NULL;
    struct fb_options options = options_for(SNAPSHOT);
    int64_t before = fb_inventory_clock_ms();
    size_t notices = 0;

    (void)state;
    assert_int_equal(fb_inventory_read(&options, count, &notices, &inventory, NULL), FB_OK);
    assert_true(inventory->has_snapshot);
    assert_true(inventory->in.objects.nodes_len > 0);
    assert_int_equal(inventory->in.objects.nodes_len, inventory->in.cluster.sites_len);
    assert_true(inventory->in.objects.pods_len > 0);
    assert_true(inventory->in.objects.podgroups_len > 0);
    assert_true(inventory->in.objects.jobs->len > 0);
    assert_true(inventory->read_ms >= before);
    assert_true(inventory->read_ms <= fb_inventory_clock_ms());
    assert_int_equal(notices, 1); /* there is no owners.json */
}

static void test_inventory_read__does_without_a_snapshot(void **state)
{
    FB_OWNED(fb_inventory_releasep) struct fb_inventory *inventory = read_one(NULL);

    (void)state;
    assert_false(inventory->has_snapshot);
    assert_int_equal(inventory->in.objects.nodes_len, 0);
    assert_int_equal(inventory->in.cluster.sites_len, 0);
    assert_true(inventory->in.policies.len > 0);
    assert_string_equal(inventory->in.config.listen.extender, "127.0.0.1:9712");
}

static void test_inventory_read__says_what_cannot_be_read(void **state)
{
    struct fb_options options = options_for(FB_TEST_DATA "/nowhere");
    struct fb_inventory *inventory = NULL;
    struct fb_error err = {0};
    size_t notices = 0;

    (void)state;
    assert_int_equal(fb_inventory_read(&options, count, &notices, &inventory, &err), FB_ENOTFOUND);
    assert_non_null(strstr(err.text, "/nowhere/nodes.json: "));
    assert_null(inventory);
    assert_int_equal(notices, 0);
}

static void test_inventory_slot__counts_generations_and_keeps_what_is_held(void **state)
{
    FB_OWNED(fb_inventory_slot_freep)
    struct fb_inventory_slot *slot = fb_inventory_slot_new(read_one(SNAPSHOT));
    FB_OWNED(fb_inventory_releasep) struct fb_inventory *first = fb_inventory_slot_get(slot);
    FB_OWNED(fb_inventory_releasep) struct fb_inventory *second = NULL;

    (void)state;
    assert_int_equal(first->generation, 1);
    assert_int_equal(first->holders, 2);
    fb_inventory_slot_put(slot, read_one(NULL));
    assert_int_equal(first->holders, 1);
    assert_true(first->in.cluster.sites_len > 0); /* not freed: the sanitizer would say */
    second = fb_inventory_slot_get(slot);
    assert_int_equal(second->generation, 2);
    assert_false(second->has_snapshot);
}

static void *keep_reading(void *context)
{
    struct fb_inventory_slot *slot = context;
    uint64_t last = 0;

    for (int i = 0; i < ROUNDS; i++) {
        struct fb_inventory *held = fb_inventory_slot_get(slot);

        if (held->generation < last || held->in.policies.len == 0)
            return slot; /* a fault */
        last = held->generation;
        fb_inventory_release(held);
    }
    return NULL;
}

static void test_inventory_slot__is_safe_for_threads(void **state)
{
    FB_OWNED(fb_inventory_slot_freep)
    struct fb_inventory_slot *slot = fb_inventory_slot_new(read_one(NULL));
    pthread_t readers[READERS];

    (void)state;
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, keep_reading, slot), 0);
    for (int i = 0; i < 8; i++)
        fb_inventory_slot_put(slot, read_one(NULL));
    for (size_t i = 0; i < READERS; i++) {
        void *fault = NULL;

        assert_int_equal(pthread_join(readers[i], &fault), 0);
        assert_null(fault);
    }
}

static void test_inventory__survives_a_lack_of_memory(void **state)
{
    struct fb_options options = options_for(NULL);
    enum fb_status st = FB_ENOMEM;

    (void)state;
    for (int after = 0; st != FB_OK; after++) {
        struct fb_inventory *inventory = NULL;
        struct fb_inventory_slot *slot = NULL;
        size_t notices = 0;

        alloc_fault_arm(after);
        st = fb_inventory_read(&options, count, &notices, &inventory, NULL);
        if (st == FB_OK)
            slot = fb_inventory_slot_new(inventory);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        if (st == FB_OK && slot == NULL) {
            fb_inventory_release(inventory);
            st = FB_ENOMEM;
        }
        fb_inventory_slot_free(slot);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inventory_read__has_what_the_snapshot_has),
        cmocka_unit_test(test_inventory_read__does_without_a_snapshot),
        cmocka_unit_test(test_inventory_read__says_what_cannot_be_read),
        cmocka_unit_test(test_inventory_slot__counts_generations_and_keeps_what_is_held),
        cmocka_unit_test(test_inventory_slot__is_safe_for_threads),
        cmocka_unit_test(test_inventory__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
