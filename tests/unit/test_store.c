/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include "alloc_fault.h"
#include "fabricbind/own.h"
#include "fabricbind/profile_keys.h"
#include "store_case.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEM(space, name, uid, more)                                                               \
    "{'metadata':{'namespace':'" space "','name':'" name "','uid':'" uid "'}" more "}"
#define RUNS ",'status':{'phase':'Running'}"
#define OF(items) "{'items':[" items "]}"

static struct fb_store *new_store(size_t nodes, size_t pods)
{
    struct fb_store *store = fb_store_new(&(struct fb_store_limits){.nodes = nodes, .pods = pods});

    assert_non_null(store);
    return store;
}

static void test_store_put__tells_whether_anything_changed(void **state)
{
    FB_OWNED(fb_store_freep) struct fb_store *store = new_store(0, 0);
    struct line line;

    (void)state;
    assert_int_equal(store_case_put(store, FB_KIND_POD,
                                    OF(ITEM("s", "p", "1", RUNS) "," ITEM("s", "q", "2", ""))),
                     2);
    assert_int_equal(store_case_put(store, FB_KIND_POD, OF(ITEM("s", "p", "1", RUNS))), 0);
    assert_int_equal(store_case_put(store, FB_KIND_POD,
                                    OF(ITEM("s", "p", "1", ",'spec':{'nodeName':'n'}" RUNS))),
                     1);
    assert_int_equal(store_case_put(store, FB_KIND_POD, OF(ITEM("s", "p", "9", RUNS))), 1);
    assert_int_equal(store_case_put(store, FB_KIND_POD, OF(ITEM("t", "p", "3", RUNS))), 1);
    assert_string_equal(store_case_names(store, FB_KIND_POD, &line), "s/p s/q t/p");
    assert_int_equal(fb_store_len(store, FB_KIND_POD), 3);
}

static void test_store_put__drops_pods_that_have_run_to_their_end(void **state)
{
    FB_OWNED(fb_store_freep) struct fb_store *store = new_store(0, 0);
    struct line line;

    (void)state;
    assert_int_equal(store_case_put(store, FB_KIND_POD, OF(ITEM("s", "p", "1", RUNS))), 1);
    assert_int_equal(
        store_case_put(store, FB_KIND_POD,
                       OF(ITEM("s", "p", "1", ",'status':{'phase':'Succeeded'}") "," ITEM(
                           "s", "q", "2", ",'status':{'phase':'Failed'}"))),
        1);
    assert_string_equal(store_case_names(store, FB_KIND_POD, &line), "");
}

static void test_store_drop__leaves_a_namesake_alone(void **state)
{
    FB_OWNED(fb_store_freep) struct fb_store *store = new_store(0, 0);

    (void)state;
    (void)store_case_put(store, FB_KIND_POD, OF(ITEM("s", "p", "2", RUNS)));
    assert_false(fb_store_drop(store, FB_KIND_POD, "s", "p", "1"));
    assert_false(fb_store_drop(store, FB_KIND_POD, "t", "p", "2"));
    assert_false(fb_store_drop(store, FB_KIND_NODE, "", "p", ""));
    assert_true(fb_store_drop(store, FB_KIND_POD, "s", "p", "2"));
    assert_false(fb_store_drop(store, FB_KIND_POD, "s", "p", "2"));
}

static void test_store_listed__drops_what_the_list_did_not_tell(void **state)
{
    FB_OWNED(fb_store_freep) struct fb_store *store = new_store(0, 0);
    struct line line;

    (void)state;
    fb_store_list(store, FB_KIND_VCJOB);
    (void)store_case_put(
        store, FB_KIND_VCJOB,
        OF(ITEM("s", "a", "1", "") "," ITEM("s", "b", "2", "") "," ITEM("s", "c", "3", "")));
    assert_int_equal(fb_store_listed(store, FB_KIND_VCJOB), 0);
    (void)store_case_put(store, FB_KIND_RAYCLUSTER, OF(ITEM("s", "x", "7", "")));

    fb_store_list(store, FB_KIND_VCJOB);
    (void)store_case_put(store, FB_KIND_VCJOB, OF(ITEM("s", "a", "1", "")));
    fb_store_keep(store, FB_KIND_VCJOB, "s", "c"); /* told, but not to be read */
    fb_store_keep(store, FB_KIND_VCJOB, "s", "d");
    assert_int_equal(fb_store_listed(store, FB_KIND_VCJOB), 1);
    assert_string_equal(store_case_names(store, FB_KIND_VCJOB, &line), "s/a s/c s/x");
}

#define JOB(name, resource)                                                                        \
    ITEM("s", name, name,                                                                          \
         ",'spec':{'template':{'spec':{'containers':[{'resources':{'limits':{'" resource           \
         "':'1'}}}]}}}")

static void test_store_put__passes_over_jobs_without_devices(void **state)
{
    static const enum fb_kind kinds[] = {FB_KIND_BATCHJOB, FB_KIND_STATEFULSET};
    struct line line;

    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        FB_OWNED(fb_store_freep) struct fb_store *store = new_store(0, 0);

        assert_int_equal(
            store_case_put(store, kinds[i], OF(JOB("a", "nvidia.com/gpu") "," JOB("b", "cpu"))), 1);
        assert_string_equal(store_case_names(store, kinds[i], &line), "s/a");
        assert_int_equal(store_case_put(store, kinds[i], OF(JOB("a", "cpu"))), 1);
        assert_string_equal(store_case_names(store, kinds[i], &line), "");
    }
}

static void test_store_put__keeps_to_its_bounds(void **state)
{
    FB_OWNED(fb_store_freep) struct fb_store *store = new_store(1, 2);
    static const struct {
        enum fb_kind kind;
        const char *json, *want;
    } cases[] = {
        {FB_KIND_NODE, OF(ITEM("", "a", "", "") "," ITEM("", "b", "", "")), "more than 1 nodes"},
        {FB_KIND_POD,
         OF(ITEM("s", "a", "", "") "," ITEM("s", "b", "", "") "," ITEM("s", "c", "", "")),
         "more than 2 pods"},
        {FB_KIND_NAMESPACE,
         OF(ITEM("", "a", "", "") "," ITEM("", "b", "", "") "," ITEM("", "c", "", "")),
         "more than 2 namespaces"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_error err = {.text = ""};
        char *json = json_of(cases[i].json);
        size_t changed;

        assert_int_equal(store_case_list(store, cases[i].kind, json, strlen(json), &changed, &err),
                         FB_ELIMIT);
        assert_non_null(strstr(err.text, cases[i].want));
        free(json);
    }
    /* one of those that are there is no more of them */
    assert_int_equal(
        store_case_put(store, FB_KIND_POD, OF(ITEM("s", "a", "", ",'spec':{'nodeName':'n'}"))), 1);
    fb_store_limit(store, &(struct fb_store_limits){.pods = 3});
    assert_int_equal(store_case_put(store, FB_KIND_POD, OF(ITEM("s", "c", "", ""))), 1);
}

static void test_store_fill__holds_what_it_gave_out(void **state)
{
    struct fb_store *store = new_store(0, 0);
    struct fb_arena *arena = fb_arena_new(0);
    struct fb_snapshot all;
    struct fb_stock *stock = NULL;

    (void)state;
    (void)store_case_put(store, FB_KIND_POD, OF(ITEM("s", "p", "1", RUNS)));
    (void)store_case_put(store, FB_KIND_NODE, OF(ITEM("", "n", "2", "")));
    assert_int_equal(fb_store_fill(store, arena, &all, &stock), FB_OK);
    assert_true(fb_store_drop(store, FB_KIND_POD, "s", "p", ""));
    (void)store_case_put(store, FB_KIND_NODE,
                         OF(ITEM("", "n", "2", ",'spec':{'unschedulable':true}")));
    fb_store_tidy(store);
    assert_string_equal(all.pods[0].name, "p"); /* not freed: the sanitizer would say */
    assert_string_equal(all.pods[0].phase, "Running");
    assert_false(all.nodes[0].unschedulable);
    fb_store_free(store); /* the stock may outlive it */
    assert_string_equal(all.nodes[0].name, "n");
    fb_stock_release(stock, arena);
}

static void test_store_put__leaves_files_of_nccl_out(void **state)
{
    FB_OWNED(fb_store_freep) struct fb_store *store = new_store(0, 0);
    struct fb_arena *arena = fb_arena_new(0);
    struct fb_snapshot all;
    struct fb_stock *stock = NULL;

    (void)state;
    (void)store_case_put(
        store, FB_KIND_POD,
        OF("{'metadata':{'namespace':'s','name':'p','annotations':{"
           "'fabricbind.io/nccl.conf':'A=1','fabricbind.io/profile':'{}',"
           "'fabricbind.io/nccl-topo.xml':'<x/>','fabricbind.io/managed':'true'}}}"));
    assert_int_equal(fb_store_fill(store, arena, &all, &stock), FB_OK);
    assert_int_equal(all.pods[0].annotations.len, 2);
    assert_string_equal(fb_pairs_find(&all.pods[0].annotations, FB_PROFILE_KEY), "{}");
    assert_int_equal(all.pods[0].annotations_bytes, 25);
    fb_stock_release(stock, arena);
}

/* A hundred pods of one template with names and nodes of their own. */
static void test_store_put__keeps_siblings_in_little_memory(void **state)
{
    FB_OWNED(fb_store_freep) struct fb_store *store = new_store(0, 0);
    struct line line;
    size_t changed = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        char json[1024];

        (void)snprintf(json, sizeof json,
                       OF("{'metadata':{'namespace':'s','name':'p%02d','labels':{'app':'x','y':'x'}"
                          "},'spec':{'nodeName':'n%d','containers':[{'name':'c','resources':{"
                          "'limits':{'cpu':'1','memory':'1Gi'}}}]}}"),
                       i, i);
        changed += store_case_put(store, FB_KIND_POD, json);
    }
    assert_int_equal(changed, 100);
    assert_int_equal(fb_store_pieces(store), 1);
    for (int i = 1; i < 100; i++) {
        char name[8];

        (void)snprintf(name, sizeof name, "p%02d", i);
        assert_true(fb_store_drop(store, FB_KIND_POD, "s", name, ""));
    }
    assert_string_equal(store_case_names(store, FB_KIND_POD, &line), "s/p00");
    assert_true(fb_store_drop(store, FB_KIND_POD, "s", "p00", ""));
    fb_store_tidy(store);
    assert_int_equal(fb_store_pieces(store), 0);
}

static void test_store__survives_a_lack_of_memory(void **state)
{
    char *json = json_of(OF(ITEM("s", "a", "1", RUNS) "," ITEM("s", "b", "2", "")));
    enum fb_status st = FB_ENOMEM;

    (void)state;
    for (int after = 0; st != FB_OK; after++) {
        struct fb_arena *arena = fb_arena_new(0);
        struct fb_snapshot all = {0};
        struct fb_stock *stock = NULL;
        struct fb_store *store;
        size_t changed = 0;

        alloc_fault_arm(after);
        store = fb_store_new(&(struct fb_store_limits){0});
        st = store != NULL ? FB_OK : FB_ENOMEM;
        if (st == FB_OK)
            st = store_case_list(store, FB_KIND_POD, json, strlen(json), &changed, NULL);
        if (st == FB_OK)
            st = fb_store_fill(store, arena, &all, &stock);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        assert_true(st != FB_OK || all.pods_len == 2);
        fb_stock_release(stock, arena);
        fb_store_free(store);
    }
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store_put__tells_whether_anything_changed),
        cmocka_unit_test(test_store_put__drops_pods_that_have_run_to_their_end),
        cmocka_unit_test(test_store_drop__leaves_a_namesake_alone),
        cmocka_unit_test(test_store_listed__drops_what_the_list_did_not_tell),
        cmocka_unit_test(test_store_put__passes_over_jobs_without_devices),
        cmocka_unit_test(test_store_put__keeps_to_its_bounds),
        cmocka_unit_test(test_store_fill__holds_what_it_gave_out),
        cmocka_unit_test(test_store_put__leaves_files_of_nccl_out),
        cmocka_unit_test(test_store_put__keeps_siblings_in_little_memory),
        cmocka_unit_test(test_store__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
