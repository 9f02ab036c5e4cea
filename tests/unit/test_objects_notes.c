/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/own.h"
#include "fabricbind/snapshot.h"

#include "objects_text.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* Read @json, with ' for ", as one list. */
static void read_list(struct fb_arena *arena, const char *json, struct fb_snapshot *snapshot)
{
    FB_OWNED(fb_snapshot_reader_freep) struct fb_snapshot_reader *reader = NULL;
    struct fb_error err = {0};
    char *own = json_of(json);
    enum fb_status st = fb_snapshot_reader_new(arena, snapshot, NULL, &reader, &err);

    assert_non_null(own);
    if (st == FB_OK)
        st = fb_snapshot_reader_feed(reader, own, strlen(own), &err);
    if (st == FB_OK)
        st = fb_snapshot_reader_finish(reader, &err);
    free(own);
    if (st != FB_OK)
        fail_msg("%s", err.text);
}

#define POD_WITH(annotations)                                                                      \
    "{'kind':'PodList','apiVersion':'v1','items':[{'metadata':{'name':'p','annotations':"          \
    "{" annotations "}}}]}"

static void test_object_reader__counts_bytes_of_all_annotations_of_a_pod(void **state)
{
    static const struct {
        const char *json;
        size_t bytes, kept;
    } cases[] = {
        {POD_WITH(""), 0, 0},
        {POD_WITH("'a':'1'"), 2, 0},
        {POD_WITH("'a':'','b':'\\u00e4'"), 4, 0}, /* in UTF-8, as they are kept */
        {POD_WITH("'nhx.nvidia.com/num-nodes':'16','example.com/x':'yz'"), 24 + 2 + 13 + 2, 1},
        {POD_WITH("'fabricbind.io/profile':'{}','fabricbind.io/nccl.conf':'A=1',"
                  "'fabricbind.io/nccl-topo.xml':'<system/>','fabricbind.io/managed':'true'"),
         25, 4},
        {POD_WITH("'a':'1'},'annotations':{'bc':'2'"), 3, 0}, /* the last wins */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_snapshot snapshot = {0};

        read_list(arena, cases[i].json, &snapshot);
        assert_int_equal(snapshot.pods_len, 1);
        assert_int_equal(snapshot.pods[0].annotations_bytes, cases[i].bytes);
        assert_int_equal(snapshot.pods[0].annotations.len, cases[i].kept);
    }
}

static void test_object_reader__reads_a_namespace(void **state)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        {"{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'team','uid':'u'},'spec':"
         "{'finalizers':['kubernetes']},'status':{'phase':'Active'}}",
         "namespace team level=0"},
        {"{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'team','labels':{"
         "'pod-security.kubernetes.io/enforce':'baseline','fabricbind.io/networking':'disabled',"
         "'fabricbind.io/strict':'true'}}}",
         "namespace team level=1 off strict"},
        {"{'apiVersion':'example.com/v1','kind':'Namespace','metadata':{'name':'x'}}", "unknown"},
    };
    struct line line;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(object_line(cases[i].json, &line), cases[i].want);
}

static void test_object_reader__keeps_the_annotations_of_a_podgroup(void **state)
{
    struct line line;

    (void)state;
    assert_string_equal(
        object_line("{'apiVersion':'scheduling.volcano.sh/v1beta1','kind':'PodGroup','metadata':{"
                    "'name':'g','namespace':'s','annotations':{'fabricbind.io/fabric':'f','o':'x'}}"
                    ",'spec':{'minMember':2}}",
                    &line),
        "podgroup s/g uid= owner(/  ) min=2 annotations{fabricbind.io/fabric=f}");
}

static void test_snapshot_reader__sorts_namespaces(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_snapshot snapshot = {0};

    (void)state;
    read_list(arena,
              "{'kind':'NamespaceList','apiVersion':'v1','items':[{'metadata':{'name':'b'}},"
              "{'metadata':{'name':'a','labels':{'fabricbind.io/networking':'false'}}}]}",
              &snapshot);
    assert_int_equal(snapshot.namespaces.len, 2);
    assert_int_equal(snapshot.skipped, 0);
    assert_true(fb_namespaces_find(&snapshot.namespaces, "a")->off);
    assert_false(fb_namespaces_find(&snapshot.namespaces, "b")->off);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object_reader__counts_bytes_of_all_annotations_of_a_pod),
        cmocka_unit_test(test_object_reader__reads_a_namespace),
        cmocka_unit_test(test_object_reader__keeps_the_annotations_of_a_podgroup),
        cmocka_unit_test(test_snapshot_reader__sorts_namespaces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
