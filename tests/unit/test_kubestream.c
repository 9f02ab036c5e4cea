/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/kubestream.h"

#include "alloc_fault.h"
#include "fabricbind/own.h"
#include "fabricbind/snapshot.h"
#include "kubestream_case.h"
#include "unit.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *json; /* with ' for " */
    const char *want;
};

/* Whole, and cut into pieces of each size up to 40 bytes. */
static void check_rows(enum fb_kind kind, enum fb_kube_tells tells, const struct row *rows,
                       size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char *json = json_of(rows[i].json);

        assert_non_null(json);
        for (size_t step = 1; step <= 41; step++) {
            struct kube_case told = {.step = step <= 40 ? step : strlen(json) + 1};
            struct fb_error err = {0};

            if (kube_case_read(&told, kind, tells, json, strlen(json), &err) != FB_OK)
                line_add(&told.line, "%s", err.text);
            assert_string_equal(told.line.text, rows[i].want);
        }
        free(json);
    }
}

#define META(space, name, version)                                                                 \
    "'metadata':{'namespace':'" space "','name':'" name "','uid':'u','resourceVersion':'" version  \
    "'}"
#define POD(space, name, version) "{" META(space, name, version) ",'spec':{'nodeName':'n'}}"
#define TOLD(space, name, version) "{'kind':'Pod','apiVersion':'v1'," META(space, name, version) "}"

static void test_kubestream__reads_pages(void **state)
{
    static const struct row rows[] = {
        {"{'kind':'PodList','apiVersion':'v1','metadata':{'resourceVersion':'12','continue':'abc',"
         "'remainingItemCount':7},'items':[" POD("s", "p", "3") "," POD("s", "q", "4") "]}",
         "listed s/p @3; listed s/q @4; page @12 next=abc"},
        /* keys in any order, null for an empty list */
        {"{'items':[" POD("s", "p", "3") "],'metadata':{'resourceVersion':'5'}}",
         "listed s/p @3; page @5 next="},
        {"{'metadata':{'resourceVersion':'5','continue':null},'items':null}", "page @5 next="},
        {"{'items':[]}", "page @ next="},
        /* those of other kinds are passed over */
        {"{'items':[{'kind':'Node','apiVersion':'v1','metadata':{'name':'n'}}," TOLD("s", "p",
                                                                                     "3") ",null]}",
         "listed s/p @3; page @ next="},
        /* one that cannot be read does not take the others with it */
        {"{'items':[{" META("s", "p", "1") ",'spec':{'hostNetwork':5}}," POD("s", "q", "2") "]}",
         "unreadable s/p @1 (spec.hostNetwork: not true or false); listed s/q @2; page @ next="},
        {"{'items':[{'spec':{'containers':[{'resources':{'limits':{'cpu':'4x'}}}]}," META(
             "s", "p", "1") "}]}",
         "unreadable s/p @1 (spec.containers[].resources.limits.cpu: '4x' is no quantity); page @ "
         "next="},
    };
    static const struct row jobs[] = {
        {"{'items':[{" META("s", "j", "1") ",'spec':{'parallelism':4000000000}},{" META(
             "s", "k", "2") ",'spec':{'parallelism':2}}]}",
         "unreadable s/j @1 (spec.parallelism: 4000000000 is above 100000); listed s/k @2; page @ "
         "next="},
    };

    (void)state;
    check_rows(FB_KIND_POD, FB_KUBE_PAGE, rows, COUNT(rows));
    check_rows(FB_KIND_BATCHJOB, FB_KUBE_PAGE, jobs, COUNT(jobs));
}

#define EVENT(type, object) "{'type':'" type "','object':" object "}"
#define GONE                                                                                       \
    "{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Failure','message':'too old "      \
    "resource version: 1 (9)','reason':'Expired','code':410}"

static void test_kubestream__reads_events_one_behind_the_other(void **state)
{
    static const struct row rows[] = {
        {"", ""},
        {" \n\n", ""},
        {EVENT("ADDED", TOLD("s", "p", "3")) "\n" EVENT("MODIFIED", TOLD("s", "p", "4")) "\n" EVENT(
             "DELETED", TOLD("s", "p", "5")) "\n",
         "added s/p @3; modified s/p @4; deleted s/p @5; "},
        {EVENT("ADDED", TOLD("s", "p", "3")) EVENT("ADDED", TOLD("s", "q", "4")),
         "added s/p @3; added s/q @4; "},
        {"{'object':" TOLD("s", "p", "3") ",'type':'ADDED'}\r\n", "added s/p @3; "},
        {EVENT("BOOKMARK", "{'kind':'Pod','apiVersion':'v1','metadata':{'resourceVersion':'99',"
                           "'creationTimestamp':null},'spec':{'containers':null},'status':{}}"),
         "bookmark @99; "},
        {EVENT("ERROR", GONE), "error 410 (too old resource version: 1 (9)); "},
        /* what is not a pod is no news, nor is what a status says of a pod */
        {EVENT("ADDED", "{'kind':'Node','apiVersion':'v1','metadata':{'name':'n'}}")
             EVENT("ADDED", "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'p'},'message':'m',"
                            "'status':{'message':'x','phase':'Running'}}"),
         "added /p; "},
        {EVENT("MODIFIED",
               "{'kind':'Pod','apiVersion':'v1'," META("s", "p", "8") ",'spec':{'nodeName':5}}")
             EVENT("ADDED", TOLD("s", "q", "9")),
         "unreadable s/p @8 (not a string); added s/q @9; "},
        {EVENT("ADDED", "null"), ""},
    };

    (void)state;
    check_rows(FB_KIND_POD, FB_KUBE_WATCH, rows, COUNT(rows));
}

static void test_kubestream__refuses_what_is_no_page_and_no_event(void **state)
{
    static const struct row pages[] = {
        {"[]", "byte 0: not an object"},
        {"{'kind':'Status'}", "byte 16: no items: not a List"},
        {"{'items':{}}", "byte 9: items: not a list"},
        {"{'items':[5]}", "byte 10: items[0]: not an object"},
        {"{'items':[", "byte 10: items[0]: input ends inside an array"},
        {"{'metadata':{'continue':5}}", "byte 24: metadata.continue: not a string"},
        {"{'items':[]}{}", "byte 12: more behind the document"},
    };
    static const struct row events[] = {
        {"{'object':{}}", "byte 12: type: not given"},
        {"{'type':'GROWN'}", "byte 8: type: 'GROWN' is no event"},
        {"{'type':5}", "byte 8: type: '5' is no event"},
        {"7 ", "byte 0: not an object"},
        {EVENT("ADDED", TOLD("s", "p", "3")) "{'type':'ADD",
         "added s/p @3; byte 12: type: input ends inside a string"},
        {EVENT("ADDED", TOLD("s", "p", "3")) "x", "added s/p @3; byte 0: value expected"},
    };

    (void)state;
    check_rows(FB_KIND_POD, FB_KUBE_PAGE, pages, COUNT(pages));
    check_rows(FB_KIND_POD, FB_KUBE_WATCH, events, COUNT(events));
}

static void test_kubestream__stops_when_told(void **state)
{
    char *json = json_of(EVENT("ADDED", TOLD("s", "p", "3")) EVENT("ADDED", TOLD("s", "q", "4")));
    struct kube_case told = {.step = 4096, .stop_at = 1};
    struct fb_error err = {0};

    (void)state;
    assert_non_null(json);
    assert_int_equal(kube_case_read(&told, FB_KIND_POD, FB_KUBE_WATCH, json, strlen(json), &err),
                     FB_ELIMIT);
    assert_string_equal(err.text, "byte 129: enough");
    assert_int_equal(told.events, 1);
    free(json);
}

static char *load(const char *cloud, const char *name, size_t *ret_len)
{
    char path[512];
    char *text = calloc(1, 1 << 20);
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/snapshots/%s/%s.json", FB_TEST_DATA, cloud, name);
    file = fopen(path, "rb");
    assert_non_null(text);
    assert_non_null(file);
    *ret_len = fread(text, 1, (1 << 20) - 1, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void test_kubestream__reads_recorded_lists(void **state)
{
    static const char *const clouds[] = {"aws", "azure", "gcp", "oci"};
    static const struct {
        const char *name;
        enum fb_kind kind;
        size_t least;
    } lists[] = {
        {"nodes", FB_KIND_NODE, 9},
        {"pods", FB_KIND_POD, 10},
        {"podgroups", FB_KIND_PODGROUP, 5},
        {"vcjobs", FB_KIND_VCJOB, 5},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(clouds) * COUNT(lists); i++) {
        size_t list = i % COUNT(lists);
        size_t len;
        char *json = load(clouds[i / COUNT(lists)], lists[list].name, &len);
        struct kube_case whole = {.step = 1 << 20};
        struct kube_case cut = {.step = 61};

        assert_int_equal(kube_case_read(&whole, lists[list].kind, FB_KUBE_PAGE, json, len, NULL),
                         FB_OK);
        assert_int_equal(kube_case_read(&cut, lists[list].kind, FB_KUBE_PAGE, json, len, NULL),
                         FB_OK);
        assert_true(whole.events >= lists[list].least);
        assert_null(strstr(whole.line.text, "unreadable"));
        assert_string_equal(whole.line.text, cut.line.text);
        free(json);
    }
}

static enum fb_status count_event(void *context, const struct fb_kube_event *event,
                                  struct fb_error *err)
{
    (void)err;
    *(size_t *)context += event->object != NULL;
    return FB_OK;
}

static size_t bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2(); /* 0 under sanitizers */

    return info.uordblks + info.hblkhd;
}

/* Ten thousand pods, each with a name of its own, in the memory of one. */
static void test_kubestream__has_one_object_in_memory(void **state)
{
    FB_OWNED(fb_kubestream_freep) struct fb_kubestream *stream = NULL;
    size_t events = 0;
    size_t before = 0;

    (void)state;
    assert_int_equal(
        fb_kubestream_new(FB_KIND_POD, FB_KUBE_WATCH, count_event, &events, &stream, NULL), FB_OK);
    for (int i = 0; i < 10000; i++) {
        char text[512];
        char *json;

        (void)snprintf(text, sizeof text,
                       EVENT("ADDED", "{'kind':'Pod','apiVersion':'v1','metadata':{'name':"
                                      "'pod-%d','uid':'1b2c4d3e-8f90-%012d'}}"),
                       i, i);
        json = json_of(text);
        assert_non_null(json);
        assert_int_equal(fb_kubestream_feed(stream, json, strlen(json), NULL), FB_OK);
        free(json);
        if (i == 100)
            before = bytes_in_use();
    }
    assert_int_equal(events, 10000);
    assert_true(bytes_in_use() <= before + 16384);
}

static void test_kubestream__survives_a_lack_of_memory(void **state)
{
    char *json = json_of(EVENT("ADDED", TOLD("s", "p", "3")) EVENT("ERROR", GONE));
    enum fb_status st = FB_ENOMEM;

    (void)state;
    assert_non_null(json);
    for (int after = 0; st != FB_OK; after++) {
        struct kube_case told = {.step = 7};

        alloc_fault_arm(after);
        st = kube_case_read(&told, FB_KIND_POD, FB_KUBE_WATCH, json, strlen(json), NULL);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        assert_true(st != FB_OK || told.events == 2);
    }
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kubestream__reads_pages),
        cmocka_unit_test(test_kubestream__reads_events_one_behind_the_other),
        cmocka_unit_test(test_kubestream__refuses_what_is_no_page_and_no_event),
        cmocka_unit_test(test_kubestream__stops_when_told),
        cmocka_unit_test(test_kubestream__reads_recorded_lists),
        cmocka_unit_test(test_kubestream__has_one_object_in_memory),
        cmocka_unit_test(test_kubestream__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
