/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/objects.h"

#include "fabricbind/own.h"
#include "objects_text.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *json, *want;
};

static void check_rows(const struct row *rows, size_t len)
{
    struct line line;

    for (size_t i = 0; i < len; i++)
        assert_string_equal(object_line(rows[i].json, &line), rows[i].want);
}

#define NODE "'apiVersion':'v1','kind':'Node'"
#define POD "'apiVersion':'v1','kind':'Pod'"

static void test_object_reader__refuses_wrong_types_and_says_where(void **state)
{
    static const struct row rows[] = {
        {"[]", "input: byte 0: not an object"},
        {"'x'", "input: byte 0: not an object"},
        {"{'kind':5}", "unknown"}, /* nothing says that it is one of ours */
        {"{" NODE ",'metadata':[]}", "input: byte 44: metadata: not an object"},
        {"{" NODE ",'metadata':{'name':7}}", "input: byte 52: metadata.name: not a string"},
        {"{" NODE ",'metadata':{'name':{}}}", "input: byte 52: metadata.name: not a string"},
        {"{" NODE ",'metadata':{'labels':'x'}}", "input: byte 54: metadata.labels: not an object"},
        {"{" NODE ",'metadata':{'labels':{'a':1}}}",
         "input: byte 59: metadata.labels.a: not a string"},
        {"{" NODE ",'spec':true}", "input: byte 40: spec: not an object"},
        {"{" NODE ",'spec':{'unschedulable':'true'}}",
         "input: byte 57: spec.unschedulable: not true or false"},
        {"{" NODE ",'spec':{'taints':{}}}", "input: byte 50: spec.taints: not a list"},
        {"{" NODE ",'spec':{'taints':['x']}}", "input: byte 51: spec.taints[0]: not an object"},
        {"{" NODE ",'spec':{'taints':[{},{'key':[]}]}}",
         "input: byte 61: spec.taints[1].key: not a string"},
        {"{" NODE ",'status':{'allocatable':{'x':'4x'}}}",
         "input: byte 62: status.allocatable.x: '4x' is no quantity"},
        {"{" NODE ",'status':{'allocatable':{'x':'-1'}}}",
         "input: byte 62: status.allocatable.x: '-1' is below 0"},
        {"{" NODE ",'status':{'allocatable':{'x':-0.5}}}",
         "input: byte 62: status.allocatable.x: '-0.5' is below 0"},
        {"{" NODE ",'status':{'capacity':{'x':'-1m'}}}",
         "input: byte 59: status.capacity.x: '-1m' is below 0"},
        {"{" NODE ",'status':{'capacity':{'x':true}}}",
         "input: byte 59: status.capacity.x: not a quantity"},
        {"{" NODE ",'status':{'capacity':[]}}", "input: byte 54: status.capacity: not an object"},
        {"{" POD ",'metadata':{'deletionTimestamp':5}}",
         "input: byte 64: metadata.deletionTimestamp: not a string"},
        {"{" POD ",'metadata':{'annotations':{'volcano.sh/x':{}}}}",
         "input: byte 74: metadata.annotations.volcano.sh/x: not a string"},
        {"{" POD ",'spec':{'containers':[{'restartPolicy':1}]}}",
         "input: byte 71: spec.containers[0].restartPolicy: not a string"},
        {"{" POD ",'spec':{'containers':[{'resources':{'requests':{'g':'eight'}}}]}}",
         "input: byte 84: spec.containers[0].resources.requests.g: 'eight' is no quantity"},
        {"{" POD ",'spec':{'affinity':{'nodeAffinity':{"
         "'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
         "'matchExpressions':[{'values':[1]}]}]}}}}}",
         "input: byte 171: spec.affinity.nodeAffinity."
         "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]."
         "values[0]: not a string"},
        {"{'apiVersion':'batch/v1','kind':'Job','spec':{'template':{'spec':{'hostNetwork':0}}}}",
         "input: byte 80: spec.template.spec.hostNetwork: not true or false"},
        {"{'apiVersion':'kubeflow.org/v1','kind':'PyTorchJob','spec':{'pytorchReplicaSpecs':{"
         "'Worker':[]}}}",
         "input: byte 92: spec.pytorchReplicaSpecs.Worker: not an object"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_object_reader__minds_only_fields_of_the_kind(void **state)
{
    static const struct row rows[] = {
        /* the path is its own where the kind comes last, and the place that of the end */
        {"{'status':{'allocatable':{'x':'4x'}},'kind':'Node','apiVersion':'v1'}",
         "input: byte 68: status.allocatable.x: '4x' is no quantity"},
        {"{'spec':{'containers':[{'resources':{'limits':{'g':[]}}}]},'kind':'Pod','apiVersion':"
         "'v1'}",
         "input: byte 89: spec.containers[].resources.limits.g: not a quantity"},
        /* the first of several */
        {"{'spec':{'taints':{},'unschedulable':1},'kind':'Node','apiVersion':'v1'}",
         "input: byte 71: spec.taints: not a list"},
        {"{'spec':{'taints':{},'containers':5},'kind':'Node','apiVersion':'v1'}",
         "input: byte 68: spec.taints: not a list"},
        /* fields of others */
        {"{'status':{'allocatable':{'x':'4x'}},'kind':'Pod','apiVersion':'v1'}", "pod /"},
        {"{" POD ",'status':{'allocatable':{'x':'4x'}},'spec':{'tasks':{},'template':0}}", "pod /"},
        {"{" NODE ",'spec':{'containers':5,'replicas':-1},'metadata':{'annotations':[]}}", "node "},
        {"{'kind':'Issue','apiVersion':'x/v1','metadata':{'name':5},'spec':'none','status':[]}",
         "unknown"},
        {"{'kind':'Pod','spec':5,'apiVersion':'x/v1'}", "unknown"},
        {"{'spec':{'template':'x'},'kind':'Workflow','apiVersion':'x/v1'}", "unknown"},
        /* the last kind counts, and what was held for it */
        {"{'kind':'Pod','apiVersion':'v1','status':{'capacity':[]},'kind':'Node'}",
         "input: byte 70: status.capacity: not an object"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* @head, @count times @item, @tail. */
static char *many_items(const char *head, const char *item, size_t count, const char *tail)
{
    const size_t room = strlen(head) + (strlen(item) + 1) * count + strlen(tail) + 1;
    char *json = calloc(1, room);
    size_t used;

    assert_non_null(json);
    used = (size_t)snprintf(json, room, "%s", head);
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(json + used, room - used, "%s%s", i == 0 ? "" : ",", item);
    (void)snprintf(json + used, room - used, "%s", tail);
    return json;
}

/* {NODE,'metadata':{'labels':{'l0':'','l1':'',...}}}; also of amounts. */
static char *many_entries(const char *head, const char *value, size_t count)
{
    size_t room = strlen(head) + count * 32 + 8;
    char *json = calloc(1, room);
    size_t used;

    assert_non_null(json);
    used = (size_t)snprintf(json, room, "{" NODE ",%s{", head);
    for (size_t i = 0; i < count; i++)
        used +=
            (size_t)snprintf(json + used, room - used, "%s'l%zu':%s", i == 0 ? "" : ",", i, value);
    (void)snprintf(json + used, room - used, "}}}");
    return json;
}

static void check_bound(char *json, const char *want)
{
    struct line line;
    const char *got = object_line(json, &line);

    assert_string_equal(got, want);
    free(json);
}

static void test_object_reader__bounds_lists_and_maps(void **state)
{
    static const char labels[] = "'metadata':{'labels':";
    static const char amounts[] = "'status':{'capacity':";
    const size_t most = FB_OBJECT_ENTRIES_MAX;

    (void)state;
    check_bound(many_items("{" NODE ",'spec':{'taints':[", "{}", most + 1, "]}}"),
                "limit: byte 12339: spec.taints[4096]: more than 4096 entries");
    check_bound(many_entries(labels, "''", most + 1),
                "limit: byte 44009: metadata.labels.l4096: more than 4096 entries");
    check_bound(many_entries(amounts, "1", most + 1),
                "limit: byte 39913: status.capacity.l4096: more than 4096 entries");
    check_bound(many_items("{" POD ",'spec':{'affinity':{'nodeAffinity':{"
                           "'requiredDuringSchedulingIgnoredDuringExecution':{"
                           "'nodeSelectorTerms':[{'matchExpressions':[{'values':[",
                           "''", most + 1, "]}]}]}}}}}"),
                "limit: byte 12459: spec.affinity.nodeAffinity."
                "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
                "matchExpressions[0].values[40...: more than 4096 entries");
    /* null has nothing to hold */
    check_bound(many_entries(labels, "null", most + 1), "node ");
}

/* A request with two objects in it, neither of which tells its kind. */
struct pair_of_objects {
    struct fb_object_mount *mounts[2];
    struct fb_object_reader *readers[2];
    struct line line;
};

static enum fb_status add_to_line(void *context, const struct fb_object *object,
                                  struct fb_error *err)
{
    struct line *line = context;

    (void)err;
    line_add(line, "[");
    line_add_object(line, object);
    line_add(line, "]");
    return FB_OK;
}

static enum fb_status take_either(void *context, const struct fb_scan_value *value,
                                  struct fb_error *err)
{
    struct pair_of_objects *both = context;

    for (size_t i = 0; i < 2; i++) {
        if (fb_object_mount_has(both->mounts[i], value->id))
            return fb_object_reader_take(both->readers[i], value, err);
    }
    return fb_error_set(err, FB_EINPUT, "of neither");
}

static void test_object_mount__serves_several_prefixes_of_one_document(void **state)
{
    static const char json[] =
        "{\"task\":{\"Pod\":{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\","
        "\"taints\":7}}},\"node\":{\"metadata\":{\"name\":\"n\"},\"status\":{\"phase\":1,"
        "\"allocatable\":{\"x\":1}}},\"x\":{\"metadata\":5}}";
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct pair_of_objects both = {0};
    struct fb_scan_path rows[512];
    struct fb_scan_paths *paths = NULL;
    size_t lens[2];

    (void)state;
    assert_int_equal(
        fb_object_mount_new("task.Pod", FB_KIND_BIT(FB_KIND_POD), 0, &both.mounts[0], NULL), FB_OK);
    (void)fb_object_mount_paths(both.mounts[0], &lens[0]);
    assert_int_equal(
        fb_object_mount_new("node", FB_KIND_BIT(FB_KIND_NODE), (int)lens[0], &both.mounts[1], NULL),
        FB_OK);
    (void)fb_object_mount_paths(both.mounts[1], &lens[1]);
    assert_true(lens[0] + lens[1] <= COUNT(rows));
    for (size_t i = 0, at = 0; i < 2; at += lens[i], i++) {
        memcpy(rows + at, fb_object_mount_paths(both.mounts[i], &lens[i]), lens[i] * sizeof *rows);
        both.readers[i] = fb_object_reader_new(arena, both.mounts[i], add_to_line, &both.line);
        fb_object_reader_assume(both.readers[i], i == 0 ? FB_KIND_POD : FB_KIND_NODE);
    }
    assert_int_equal(fb_scan_paths_new(rows, lens[0] + lens[1], &paths, NULL), FB_OK);
    assert_int_equal(fb_scan_all(paths, NULL, json, strlen(json), take_either, &both, NULL), FB_OK);
    assert_string_equal(both.line.text, "[pod /p node=n][node n allocatable{x=1}]");
    assert_false(fb_object_mount_has(both.mounts[0], -1));
    assert_false(fb_object_mount_has(both.mounts[1], (int)(lens[0] + lens[1])));
    for (size_t i = 0; i < 2; i++) {
        fb_object_reader_free(both.readers[i]);
        fb_object_mount_free(both.mounts[i]);
    }
    fb_scan_paths_free(paths);
}

static void test_kind_of_list__is_that_of_its_items(void **state)
{
    static const struct {
        const char *list, *group;
        enum fb_kind want;
    } cases[] = {
        {"NodeList", "", FB_KIND_NODE},
        {"PodList", "", FB_KIND_POD},
        {"JobList", "batch", FB_KIND_BATCHJOB},
        {"JobList", "batch.volcano.sh", FB_KIND_VCJOB},
        {"JobList", "", FB_KIND_NONE},
        {"List", "", FB_KIND_NONE},
        {"Node", "", FB_KIND_NONE},
        {"", "", FB_KIND_NONE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(fb_kind_of_list(cases[i].list, cases[i].group), cases[i].want);
}

static void test_object_free__takes_null(void **state)
{
    (void)state;
    fb_object_mount_free(NULL);
    fb_object_reader_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object_reader__refuses_wrong_types_and_says_where),
        cmocka_unit_test(test_object_reader__minds_only_fields_of_the_kind),
        cmocka_unit_test(test_object_reader__bounds_lists_and_maps),
        cmocka_unit_test(test_object_mount__serves_several_prefixes_of_one_document),
        cmocka_unit_test(test_kind_of_list__is_that_of_its_items),
        cmocka_unit_test(test_object_free__takes_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
