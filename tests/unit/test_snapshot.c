/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/snapshot.h"

#include "alloc_fault.h"
#include "fabricbind/own.h"
#include "objects_text.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Feed the lists of @jsons, with ' for ", up to NULL, in pieces of @step bytes. */
static enum fb_status read_lists(struct fb_arena *arena, const char *const *jsons, size_t step,
                                 const struct fb_snapshot_limits *limits,
                                 struct fb_snapshot *snapshot, struct fb_error *err)
{
    FB_OWNED(fb_snapshot_reader_freep) struct fb_snapshot_reader *reader = NULL;
    enum fb_status st = fb_snapshot_reader_new(arena, snapshot, limits, &reader, err);

    for (; *jsons != NULL && st == FB_OK; jsons++) {
        char *json = json_of(*jsons);
        size_t len = json != NULL ? strlen(json) : 0;

        for (size_t at = 0; at < len && st == FB_OK; at += step)
            st = fb_snapshot_reader_feed(reader, json + at, len - at < step ? len - at : step, err);
        if (st == FB_OK)
            st = json != NULL ? fb_snapshot_reader_finish(reader, err) : FB_ENOMEM;
        free(json);
    }
    return st;
}

/* "n1 n2 | s/p1 | s/g1 | s/j1*tasks | skipped" */
static void add_names(struct line *line, const struct fb_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->nodes_len; i++)
        line_add(line, "%s ", snapshot->nodes[i].name);
    line_add(line, "|");
    for (size_t i = 0; i < snapshot->pods_len; i++)
        line_add(line, " %s/%s", snapshot->pods[i].space, snapshot->pods[i].name);
    line_add(line, " |");
    for (size_t i = 0; i < snapshot->podgroups_len; i++)
        line_add(line, " %s/%s", snapshot->podgroups[i].space, snapshot->podgroups[i].name);
    line_add(line, " |");
    for (size_t i = 0; i < snapshot->jobs.len; i++)
        line_add(line, " %s/%s*%zu", snapshot->jobs.at[i].space, snapshot->jobs.at[i].name,
                 snapshot->jobs.at[i].tasks_len);
    line_add(line, " | %zu", snapshot->skipped);
}

#define NODE(name) "{'apiVersion':'v1','kind':'Node','metadata':{'name':'" name "'}}"
#define POD(name) "{'apiVersion':'v1','kind':'Pod','metadata':{'namespace':'s','name':'" name "'}}"
#define GROUP(name)                                                                                \
    "{'apiVersion':'scheduling.volcano.sh/v1beta1','kind':'PodGroup','metadata':{'namespace':"     \
    "'s','name':'" name "'}}"
#define JOB(name)                                                                                  \
    "{'apiVersion':'batch/v1','kind':'Job','metadata':{'namespace':'s','name':'" name "'}}"
#define SERVICE "{'apiVersion':'v1','kind':'Service','metadata':{'name':'x'}}"

static void test_snapshot_reader__sorts_items_by_kind(void **state)
{
    static const struct {
        const char *lists[5];
        const char *want;
    } cases[] = {
        {{"{'kind':'List','items':[]}"}, "| | | | 0"},
        {{"{'apiVersion':'v1','items':[" NODE("n") "," POD("p") "," GROUP("g") "," JOB(
             "j") "," SERVICE "," NODE("m") "],'kind':'List'}"},
         "n m | s/p | s/g | s/j*1 | 1"},
        {{"{'kind':'List','items':[" NODE("n") "]}", "{'items':[" POD("p") "," SERVICE "]}",
          "{'kind':'NodeList','items':[" NODE("m") "," SERVICE "]}"},
         "n m | s/p | | | 2"},
        /* items of a typed list tell nothing of themselves */
        {{"{'kind':'NodeList','apiVersion':'v1','metadata':{},'items':[{'metadata':{'name':'n'}}]}",
          "{'items':[{'metadata':{'name':'n'}}]}",
          "{'kind':'JobList','apiVersion':'batch.volcano.sh/v1alpha1','items':[{'metadata':{'name':"
          "'j'}}]}",
          "{'kind':'ServiceList','apiVersion':'v1','items':[{'metadata':{'name':'n'}}]}"},
         "n | | | /j*0 | 2"},
        {{"{'kind':'List','items':null}", "{'kind':'PodList'}", "{'kind':null,'items':[]}"},
         "| | | | 0"},
        {{"{'kind':'List','items':[null," NODE("n") "]}"}, "n | | | | 0"},
        /* nothing is left of one object in the next */
        {{"{'items':[{'apiVersion':'batch.volcano.sh/"
          "v1alpha1','kind':'Job','metadata':{'name':'a'},"
          "'spec':{'tasks':[{},{}]}},{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job',"
          "'metadata':{'name':'b'}}]}"},
         "| | | /a*2 /b*0 | 0"},
        /* the last list wins, in its own document */
        {{"{'items':[" NODE("n") "]}", "{'items':[" NODE("a") "," POD("a") "," GROUP("a") "," JOB(
                                           "a") "," SERVICE "],'items':[" NODE("b") "]}"},
         "n b | | | | 0"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t step = 1; step < 4096; step = step * 7 + 4) {
            FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
            struct fb_snapshot snapshot = {0};
            struct line line = {0};

            assert_int_equal(read_lists(arena, cases[i].lists, step, NULL, &snapshot, NULL), FB_OK);
            add_names(&line, &snapshot);
            assert_string_equal(line.text, cases[i].want);
        }
    }
}

static void test_snapshot_reader__refuses_bad_input_and_says_where(void **state)
{
    static const struct {
        const char *json;
        enum fb_status status;
        const char *want;
    } cases[] = {
        {"[]", FB_EINPUT, "byte 0: not a List"},
        {"7", FB_EINPUT, "byte 0: not a List"},
        {"null", FB_EINPUT, "byte 0: not a List"},
        {"{}", FB_EINPUT, "byte 1: not a List"},
        {NODE("n"), FB_EINPUT, "byte 56: not a List"},
        {"{'kind':'Listing','items':[]}", FB_EINPUT, "byte 28: not a List"},
        {"{'kind':5}", FB_EINPUT, "byte 8: kind: not a string"},
        {"{'items':{}}", FB_EINPUT, "byte 9: items: not a list"},
        {"{'items':'x'}", FB_EINPUT, "byte 9: items: not a list"},
        {"{'items':[5]}", FB_EINPUT, "byte 10: items[0]: not an object"},
        {"{'items':[" NODE("n") ",{'apiVersion':'v1','kind':'Node','metadata':{}}]}", FB_EINPUT,
         "byte 114: items[1]: metadata.name: not given"},
        {"{'items':[{'apiVersion':'v1','kind':'Node','status':{'allocatable':{'cpu':'4x'}}}]}",
         FB_EINPUT, "byte 74: items[0].status.allocatable.cpu: '4x' is no quantity"},
        {"{'items':[", FB_EINPUT, "byte 10: items[0]: input ends inside an array"},
        {"", FB_EINPUT, "byte 0: input ends before any value"},
        {"{'items':[]}x", FB_EINPUT, "byte 12: more behind the document"},
        {"{'items':[" NODE("a") "," NODE("b") "," NODE("c") "]}", FB_ELIMIT,
         "byte 182: items[2]: more than 2 nodes"},
        {"{'items':[" POD("a") "," POD("b") "]}", FB_ELIMIT,
         "byte 154: items[1]: more than 1 pods"},
        {"{'items':[" GROUP("a") "," GROUP("b") "]}", FB_ELIMIT,
         "byte 218: items[1]: more than 1 pod groups"},
        {"{'items':[" JOB("a") "," JOB("b") "]}", FB_ELIMIT,
         "byte 166: items[1]: more than 1 jobs"},
        {"{'items':[],'x':'..................................................................."
         ".....................................................................................'}",
         FB_ELIMIT, "byte 117: string over 100 bytes"},
    };
    static const struct fb_snapshot_limits limits = {
        .scan = {.string_bytes = 100}, .nodes = 2, .pods = 1};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        const char *lists[] = {cases[i].json, NULL};
        struct fb_snapshot snapshot = {0};
        struct fb_error err = {0};

        assert_int_equal(read_lists(arena, lists, 4096, &limits, &snapshot, &err), cases[i].status);
        assert_string_equal(err.text, cases[i].want);
    }
}

static void test_snapshot_reader__counts_limits_over_all_lists(void **state)
{
    static const char *const lists[] = {"{'items':[" NODE("a") "]}", "{'items':[" NODE("b") "]}",
                                        NULL};
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_snapshot_limits limits = {.nodes = 1};
    struct fb_snapshot snapshot = {0};
    struct fb_error err = {0};

    (void)state;
    assert_int_equal(read_lists(arena, lists, 4096, &limits, &snapshot, &err), FB_ELIMIT);
    assert_string_equal(err.text, "byte 66: items[0]: more than 1 nodes");
}

static char *load(const char *name)
{
    char path[512];
    char *text = calloc(1, 1 << 20);
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", FB_TEST_DATA, name);
    file = fopen(path, "rb");
    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void load_snapshot(struct fb_arena *arena, const char *cloud, struct fb_snapshot *snapshot)
{
    static const char *const files[] = {"nodes", "pods", "podgroups", "vcjobs"};
    char *texts[COUNT(files) + 1] = {NULL};
    const char *lists[COUNT(files) + 1] = {NULL};

    for (size_t i = 0; i < COUNT(files); i++) {
        char name[64];

        (void)snprintf(name, sizeof name, "snapshots/%s/%s.json", cloud, files[i]);
        lists[i] = texts[i] = load(name);
    }
    assert_int_equal(read_lists(arena, lists, 4099, NULL, snapshot, NULL), FB_OK);
    for (size_t i = 0; i < COUNT(files); i++)
        free(texts[i]);
}

static void test_snapshot_reader__reads_recorded_clusters(void **state)
{
    static const struct {
        const char *cloud;
        size_t nodes;
        const char *nic;
        int64_t nics; /* of all nodes */
        int64_t used; /* asked for by the pods that have a node */
    } cases[] = {
        {"aws", 13, "vpc.amazonaws.com/efa", 268, 64},
        {"azure", 9, "rdma/hca_shared_devices_a", 504, 2},
        {"gcp", 9, "networking.gke.io.networks/gpu-nic3", 8, 2},
        {"oci", 9, "nvidia.com/mlnxnics", 128, 32},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_snapshot snapshot = {0};
        int64_t nics = 0;
        int64_t used = 0;

        load_snapshot(arena, cases[i].cloud, &snapshot);
        for (size_t j = 0; j < snapshot.nodes_len; j++)
            nics += fb_resources_get(&snapshot.nodes[j].allocatable, cases[i].nic);
        for (size_t j = 0; j < snapshot.pods_len; j++) {
            const struct fb_pod *pod = &snapshot.pods[j];

            if (pod->node[0] != '\0')
                used += fb_resources_get(&pod->containers[0].requests, cases[i].nic);
        }
        assert_int_equal(snapshot.nodes_len, cases[i].nodes);
        assert_int_equal(snapshot.pods_len, 10);
        assert_int_equal(snapshot.podgroups_len, 5);
        assert_int_equal(snapshot.jobs.len, 5);
        assert_int_equal(snapshot.skipped, 0);
        assert_int_equal(nics, cases[i].nics);
        assert_int_equal(used, cases[i].used);
    }
}

static void test_snapshot_reader__survives_every_allocation_that_fails(void **state)
{
    static const char *const lists[] = {
        "{'kind':'List','apiVersion':'v1','items':[{'apiVersion':'v1','kind':'Node','metadata':{"
        "'name':'n','labels':{'a':'b'}},'spec':{'taints':[{'key':'k'}]},'status':{'allocatable':{"
        "'cpu':'1'}}}," GROUP(
            "g") ",{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p',"
                 "'ownerReferences':[{'kind':'Job'}]},'spec':{'containers':[{'name':'c','resources'"
                 ":{"
                 "'limits':{'g':1}}}],'tolerations':[{'key':'k'}],'resourceClaims':[{'name':'x'}]}}"
                 ",{"
                 "'apiVersion':'kubeflow.org/v1','kind':'MPIJob','metadata':{'name':'j'},'spec':{"
                 "'mpiReplicaSpecs':{'Worker':{'replicas':1}}}}]}",
        NULL};
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    while (st == FB_ENOMEM && after < 100000) {
        struct fb_snapshot snapshot = {0};
        struct fb_arena *arena;

        alloc_fault_arm(after++);
        arena = fb_arena_new(0);
        st = arena != NULL ? read_lists(arena, lists, 64, NULL, &snapshot, NULL) : FB_ENOMEM;
        alloc_fault_disarm();
        assert_true(st != FB_OK || snapshot.nodes_len + snapshot.jobs.len == 2);
        fb_arena_free(arena);
    }
    assert_int_equal(st, FB_OK);
    assert_true(after > 100);
}

static void test_snapshot_reader__survives_an_arena_that_is_full(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new((size_t)128 * 1024);
    char *json = calloc(1, 1 << 20);
    const char *lists[] = {json, NULL};
    struct fb_snapshot snapshot = {0};
    struct fb_error err = {0};
    size_t used;

    (void)state;
    assert_non_null(json);
    used = (size_t)snprintf(json, 100, "{'items':[%s", NODE("n"));
    for (int i = 0; i < 5000; i++)
        used += (size_t)snprintf(json + used, 100, ",%s", NODE("n"));
    (void)snprintf(json + used, 100, "]}");
    assert_int_equal(read_lists(arena, lists, 4096, NULL, &snapshot, &err), FB_ENOMEM);
    assert_non_null(strstr(err.text, "out of memory"));
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshot_reader__sorts_items_by_kind),
        cmocka_unit_test(test_snapshot_reader__refuses_bad_input_and_says_where),
        cmocka_unit_test(test_snapshot_reader__counts_limits_over_all_lists),
        cmocka_unit_test(test_snapshot_reader__reads_recorded_clusters),
        cmocka_unit_test(test_snapshot_reader__survives_every_allocation_that_fails),
        cmocka_unit_test(test_snapshot_reader__survives_an_arena_that_is_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
