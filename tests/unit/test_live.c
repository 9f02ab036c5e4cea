/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include "fabricbind/own.h"
#include "live_case.h"
#include "reload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE(name)                                                                                 \
    "{'metadata':{'name':'" name "','uid':'" name "','labels':{"                                   \
    "'node.kubernetes.io/instance-type':'p5.48xlarge','topology.kubernetes.io/zone':'z'}},"        \
    "'spec':{'providerID':'aws:///z/i-1'},'status':{'allocatable':{'cpu':'192','pods':'110',"      \
    "'nvidia.com/gpu':'8','vpc.amazonaws.com/efa':'32'},'conditions':[{'type':'Ready','status':"   \
    "'True'}]}}"
#define SPEC                                                                                       \
    "'spec':{'nodeName':'n1','containers':[{'name':'c','resources':{'limits':{'nvidia.com/"        \
    "gpu':'8'"                                                                                     \
    "}}}]}"
#define POD(name) "{'metadata':{'namespace':'s','name':'" name "','uid':'" name "'}," SPEC "}"
#define TOLD(name)                                                                                 \
    "{'kind':'Pod','apiVersion':'v1','metadata':{'namespace':'s','name':'" name "','uid':'" name   \
    "','resourceVersion':'9'}," SPEC "}"
#define BOOKMARK "{'kind':'Pod','apiVersion':'v1','metadata':{'resourceVersion':'12'}}"

static int64_t free_gpus(const struct fb_inventory *inventory, const char *node)
{
    size_t site = fb_cluster_find(&inventory->in.cluster, node);

    assert_true(site != FB_NONE);
    return fb_resources_get(&inventory->in.cluster.sites[site].free, "nvidia.com/gpu");
}

static void test_live__tells_what_the_api_server_tells(void **state)
{
    struct live_case all;
    struct fb_inventory *first;
    struct fb_inventory *next;
    int64_t told_ms;

    (void)state;
    live_case_init(&all, NODE("n1") "," NODE("n2"), "");
    live_case_start(&all);
    first = live_case_await(&all, 0);
    assert_true(fb_live_synced(all.live));
    assert_true(first->live);
    assert_int_equal(first->in.cluster.sites_len, 2);
    assert_int_equal(free_gpus(first, "n1"), 8);

    told_ms = fb_inventory_clock_ms();
    live_case_tell(&all, "ADDED", TOLD("p"));
    next = live_case_await(&all, 1);
    assert_true(fb_inventory_clock_ms() - told_ms < 1000); /* the promise */
    assert_int_equal(free_gpus(next, "n1"), 0);
    assert_int_equal(free_gpus(next, "n2"), 8);
    assert_true(next->read_ms >= first->read_ms);
    assert_int_equal(free_gpus(first, "n1"), 8); /* who holds the old one keeps it */
    fb_inventory_release(next);

    live_case_tell(&all, "DELETED", TOLD("p"));
    next = live_case_await(&all, 0);
    assert_int_equal(free_gpus(next, "n1"), 8);
    live_case_stop(&all);
    assert_string_equal(next->in.cluster.sites[0].node->name, "n1"); /* and after the end */
    fb_inventory_release(next);
    fb_inventory_release(first);
}

/* Live, without objects. */
static bool is_empty_on(struct live_case *all, const struct fb_inventory *base)
{
    struct fb_inventory *inventory = fb_inventory_slot_get(all->slot);
    bool found = inventory->base == base;

    assert_true(inventory->live);
    assert_false(inventory->synced);
    assert_int_equal(inventory->in.objects.pods_len, 0);
    assert_true(inventory->in.policies.len > 0);
    fb_inventory_release(inventory);
    return found;
}

static void test_live__shows_nothing_before_all_is_listed(void **state)
{
    struct live_case all;
    struct fb_inventory *inventory;
    struct fb_inventory *base = live_case_base();

    (void)state;
    live_case_init(&all, NODE("n1"), POD("p"));
    live_case_break(&all, true);
    live_case_start(&all);
    while (all.scene.peer.requests < 40) /* all have been asked, nodes again and again */
        (void)is_empty_on(&all, base);
    fb_live_rebase(all.live, fb_inventory_hold(base)); /* pods are known meanwhile */
    while (!is_empty_on(&all, base))
        ;
    assert_false(fb_live_synced(all.live));
    live_case_break(&all, false);
    inventory = live_case_await(&all, 1);
    assert_int_equal(inventory->in.objects.nodes_len, 1);
    fb_inventory_release(inventory);
    fb_inventory_release(base);
    live_case_stop(&all);
}

static void test_live__does_not_build_for_what_is_no_news(void **state)
{
    struct live_case all;
    struct fb_inventory *first;
    struct fb_inventory *next;

    (void)state;
    live_case_init(&all, NODE("n1"), POD("p"));
    live_case_start(&all);
    fb_inventory_release(live_case_await(&all, 1));
    live_case_tell(&all, "ADDED", TOLD("o"));
    first = live_case_await(&all, 2);
    for (int i = 0; i < 20; i++)
        live_case_tell(&all, "MODIFIED", TOLD("p"));
    live_case_tell(&all, "BOOKMARK", BOOKMARK);
    live_case_tell(&all, "ADDED", TOLD("q"));
    next = live_case_await(&all, 3);
    assert_int_equal(next->generation, first->generation + 1);
    fb_inventory_release(first);
    fb_inventory_release(next);
    live_case_stop(&all);
}

static void test_live_rebase__builds_on_what_was_read_anew(void **state)
{
    struct live_case all;
    struct fb_inventory *first;
    struct fb_inventory *next = NULL;
    struct fb_inventory *base = live_case_base();

    (void)state;
    live_case_init(&all, NODE("n1"), POD("p"));
    live_case_start(&all);
    first = live_case_await(&all, 1);
    fb_live_rebase(all.live, fb_inventory_hold(base));
    while (next == NULL) {
        next = live_case_await(&all, 1);
        if (next->base != base) {
            fb_inventory_release(next);
            next = NULL;
        }
    }
    assert_true(next->in.policies.at == base->in.policies.at);
    assert_true(first->base != base);
    fb_inventory_release(first);
    fb_inventory_release(base);
    live_case_stop(&all);
    assert_true(next->in.policies.len > 0); /* the base is held by it */
    fb_inventory_release(next);
}

static void test_reload__hands_what_it_read_to_the_live_source(void **state)
{
    static const char *policies[] = {FB_TEST_POLICIES};
    struct fb_options options = {.policies = {.at = policies, .len = 1}};
    struct live_case all;
    struct fb_inventory *first;
    struct fb_inventory *next = NULL;
    struct fb_reload *reload = NULL;

    (void)state;
    live_case_init(&all, NODE("n1"), POD("p"));
    live_case_start(&all);
    first = live_case_await(&all, 1);
    assert_int_equal(fb_reload_start(&options, all.slot, all.live, &reload, NULL), FB_OK);
    fb_reload_ask(reload);
    while (next == NULL || next->base == first->base) {
        fb_inventory_release(next);
        next = live_case_await(&all, 1); /* the objects stay */
    }
    assert_true(next->live && next->synced);
    fb_inventory_release(first);
    fb_inventory_release(next);
    assert_true(fb_reload_stop(reload, 20000));
    live_case_stop(&all);
}

static void *keep_reading(void *context)
{
    struct live_case *all = context;
    size_t fault = 0;
    bool over = false;

    while (!over && fault == 0) {
        struct fb_inventory *held = fb_inventory_slot_get(all->slot);

        for (size_t i = 0; i < held->in.objects.pods_len; i++)
            fault += held->in.objects.pods[i].name[0] != 'p';
        fault += held->read_ms < 0;
        fb_inventory_release(held);
        (void)pthread_mutex_lock(&all->lock);
        over = all->over;
        (void)pthread_mutex_unlock(&all->lock);
    }
    return fault > 0 ? all : NULL;
}

static void tell_pod(struct live_case *all, const char *type, int number)
{
    char json[512];

    (void)snprintf(json, sizeof json,
                   "{'kind':'Pod','apiVersion':'v1','metadata':{'namespace':'s','name':'p%d','uid':"
                   "'u%d','resourceVersion':'9'}}",
                   number, number);
    live_case_tell(all, type, json);
}

static void test_live__is_safe_for_readers(void **state)
{
    struct live_case all;
    pthread_t readers[4];

    (void)state;
    live_case_init(&all, NODE("n1"), "");
    live_case_start(&all);
    fb_inventory_release(live_case_await(&all, 0));
    for (size_t i = 0; i < COUNT(readers); i++)
        assert_int_equal(pthread_create(&readers[i], NULL, keep_reading, &all), 0);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 100; i++)
            tell_pod(&all, "ADDED", i);
        fb_inventory_release(live_case_await(&all, 100));
        for (int i = 0; i < 100; i++)
            tell_pod(&all, "DELETED", i);
        fb_inventory_release(live_case_await(&all, 0));
    }
    (void)pthread_mutex_lock(&all.lock);
    all.over = true;
    (void)pthread_mutex_unlock(&all.lock);
    for (size_t i = 0; i < COUNT(readers); i++) {
        void *fault = NULL;

        assert_int_equal(pthread_join(readers[i], &fault), 0);
        assert_null(fault);
    }
    live_case_stop(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live__tells_what_the_api_server_tells),
        cmocka_unit_test(test_live__shows_nothing_before_all_is_listed),
        cmocka_unit_test(test_live__does_not_build_for_what_is_no_news),
        cmocka_unit_test(test_live_rebase__builds_on_what_was_read_anew),
        cmocka_unit_test(test_reload__hands_what_it_read_to_the_live_source),
        cmocka_unit_test(test_live__is_safe_for_readers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
