/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_case.h"
#include "alloc_fault.h"
#include "metrics_text.h"

#include "fabricbind/own.h"
#include "raw_http.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What all three routes have in common. JSON is written with ' for ". */

#define HEAD "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1',"
#define REVIEW(request) HEAD "'request':{'uid':'u-1'," request "}}"
#define OF_POD "'kind':{'group':'','version':'v1','kind':'Pod'},"

static const enum fb_admission_route routes[] = {FB_ADMISSION_PODS, FB_ADMISSION_BINDINGS,
                                                 FB_ADMISSION_JOBS};

static void start(struct admission_case *run)
{
    admission_case_start(run, admission_case_read("aws"), NULL);
}

static const struct {
    const char *body, *want;
} broken[] = {
    {"", "{'error':'byte 0: "},
    {"{", "{'error':'byte 1: "},
    {"null", "{'error':'not a map"},
    {"[]", "{'error':'not a map"},
    {"\xff\xfe", "{'error':'byte "},
    {"{}", "{'error':'kind: not given"},
    {"{'kind':'Pod','apiVersion':'v1','metadata':{'name':'p'}}", "{'error':'kind: "},
    {"{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1beta1','request':{'uid':'u'}}",
     "{'error':'apiVersion: "},
    {HEAD "'response':{}}", "{'error':'request: not given"},
    {HEAD "'request':{}}", "{'error':'request.uid: not given"},
    {HEAD "'request':{'uid':'u-1'}}}", "{'error':'byte "},
};

static void test_admission__refuses_what_is_no_review(void **state)
{
    struct admission_case run;

    (void)state;
    start(&run);
    for (size_t i = 0; i < COUNT(broken) * COUNT(routes); i++) {
        char *body = admission_case_quote(broken[i / COUNT(routes)].body);
        char *want = admission_case_quote(broken[i / COUNT(routes)].want);
        unsigned status;
        char *text =
            admission_case_ask(&run, routes[i % COUNT(routes)], body, strlen(body), &status);

        if (status != 400 || strncmp(text, want, strlen(want)) != 0 || strchr(text, '\n') != NULL)
            fail_msg("%s: %u %s, wanted %s", body, status, text, want);
        free(text);
        free(want);
        free(body);
    }
    expect_metric(run.metrics, "fabricbind_faults_total{where=\"admission\"} 33");
    admission_case_stop(&run);
}

/* What is not asked for stays as it is, and is not even looked at. */
static void test_admission__allows_what_it_is_not_for(void **state)
{
    static const char *const bodies[] = {
        REVIEW("'operation':'CREATE'"),
        REVIEW(OF_POD "'operation':'UPDATE','object':7.5e3"),
        REVIEW(OF_POD "'operation':'UPDATE','object':{'spec':7}"),
        REVIEW(OF_POD "'operation':'DELETE','object':null"),
        REVIEW(OF_POD "'operation':'CONNECT','subResource':'exec'"),
        REVIEW(OF_POD "'operation':'CREATE','subResource':'eviction','object':{'spec':7}"),
        REVIEW(OF_POD "'operation':'CREATE','namespace':'kube-system','object':{'spec':7}"),
        REVIEW("'kind':{'group':'batch','version':'v1','kind':'Job'},'operation':'CREATE',"
               "'object':{'spec':7}"),
        REVIEW("'kind':{'group':'','version':'v1','kind':'Binding'},'operation':'CREATE',"
               "'namespace':'kube-system','subResource':'binding','object':{'target':7}"),
    };
    struct admission_case run;

    (void)state;
    start(&run);
    for (size_t i = 0; i < COUNT(bodies) * COUNT(routes); i++) {
        char *body = admission_case_quote(bodies[i / COUNT(routes)]);
        unsigned status;
        char *text =
            admission_case_ask(&run, routes[i % COUNT(routes)], body, strlen(body), &status);

        if (strstr(body, "7.5e3") != NULL) {
            assert_int_equal(status, 400); /* an object that is none is no review */
        } else {
            assert_int_equal(status, 200);
            admission_case_expect(text, "/response", "{'uid':'u-1','allowed':true}");
        }
        free(text);
        free(body);
    }
    admission_case_stop(&run);
}

static void test_admission__refuses_objects_that_cannot_be_read(void **state)
{
    static const struct {
        const char *kind, *object, *want;
    } cases[] = {
        {"Pod", "null", "{'error':'request.object: not of the kind that is asked about'}"},
        {"Pod", "{'spec':{'containers':7}}", "request.object: spec.containers: not a list'}"},
        {"Pod", "{'kind':'Node','apiVersion':'v1'}",
         "{'error':'request.object: not of the kind that is asked about'}"},
        {"Binding", "null", "{'error':'request.object: not a map'}"},
        {"Binding", "{'target':[]}", "{'error':'request.object: target: not a map'}"},
        {"Job", "{'spec':{'tasks':[{'replicas':-1}]}}",
         "request.object: spec.tasks[].replicas: -1 is below 0'}"},
    };
    struct admission_case run;

    (void)state;
    start(&run);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *object = admission_case_quote(cases[i].object);
        char *want = admission_case_quote(cases[i].want);
        char *body = admission_case_review(cases[i].kind, object, false);
        enum fb_admission_route route = *cases[i].kind == 'P'   ? FB_ADMISSION_PODS
                                        : *cases[i].kind == 'B' ? FB_ADMISSION_BINDINGS
                                                                : FB_ADMISSION_JOBS;
        unsigned status;
        char *text = admission_case_ask(&run, route, body, strlen(body), &status);

        if (status != 400 || strstr(text, want) == NULL)
            fail_msg("%s: %u %s, wanted %s", body, status, text, want);
        free(text);
        free(body);
        free(want);
        free(object);
    }
    admission_case_stop(&run);
}

static struct fb_server *serve(const struct fb_route *table, size_t len)
{
    const struct fb_server_limits limits = {.threads = 2};
    const struct fb_server_setup setup = {
        .address = "127.0.0.1:0",
        .routes = table,
        .routes_len = len,
        .limits = &limits,
    };
    struct fb_server *server = NULL;
    struct fb_error err = {0};

    if (fb_server_start(&setup, &server, &err) != FB_OK)
        fail_msg("%s", err.text);
    return server;
}

/* Through the server, with a body that is too long and one after it on the same connection. */
static void test_admission__is_served(void **state)
{
    const size_t much = (size_t)10 << 20;
    struct admission_case run;
    struct fb_route table = {"POST", "/admission/pods", "admission", "pods", &fb_admission_handler,
                             NULL,   FB_ADMISSION_PODS};
    struct fb_server *server;
    struct raw_client client = {.fd = -1};
    struct raw_answer answer;
    char *body = malloc(much);

    (void)state;
    assert_non_null(body);
    memset(body, ' ', much);
    start(&run);
    table.context = run.admission;
    server = serve(&table, 1);
    assert_true(raw_connect(&client, fb_server_port(server)));
    assert_true(raw_post(&client, "/admission/pods?timeout=3s", body, much, 65536));
    assert_true(raw_read(&client, false, &answer));
    assert_int_equal(answer.status, 413);
    assert_string_equal(answer.body, "{\"error\":\"body: more than 8388608 bytes\"}");
    free(body);
    body = admission_case_review("Pod", "{\"metadata\":{\"name\":\"p\"}}", false);
    assert_true(raw_post(&client, "/admission/pods?timeout=3s", body, strlen(body), 7));
    assert_true(raw_read(&client, false, &answer));
    assert_int_equal(answer.status, 200);
    admission_case_expect(answer.body, "/response", "{'uid':'u-1','allowed':true}");
    expect_metric(run.metrics, "fabricbind_faults_total{where=\"admission\"} 1");
    raw_close(&client);
    fb_server_stop(server, 1000);
    free(body);
    admission_case_stop(&run);
}

static char *fail_after(const struct admission_case *run, enum fb_admission_route route,
                        const char *body, int after, unsigned *ret_status)
{
    char *text;

    alloc_fault_arm(after);
    text = admission_case_ask(run, route, body, strlen(body), ret_status);
    alloc_fault_disarm();
    return text;
}

/* Either the whole answer or 503, whichever allocation fails. The text that the test keeps may
   fail, too. */
static void torture(const struct admission_case *run, enum fb_admission_route route,
                    const char *body)
{
    unsigned status = 0;
    char *whole = admission_case_ask(run, route, body, strlen(body), &status);
    int after = 0;
    bool done = false;

    assert_int_equal(status, 200);
    for (; !done && after < 20000; after += 1 + after / 100) {
        char *text = fail_after(run, route, body, after, &status);

        done = status == 200 && text != NULL;
        if (done)
            assert_string_equal(text, whole);
        else
            assert_true(status == 503 || (status == 200 && text == NULL));
        free(text);
    }
    assert_true(done && after > 50);
    free(whole);
}

static void test_admission__survives_want_of_memory(void **state)
{
    static const char job[] =
        "{'metadata':{'name':'j'},'spec':{'minAvailable':64,'tasks':[{'name':'w','replicas':64,"
        "'template':{'spec':{'containers':[{'name':'c','resources':{'limits':{"
        "'nvidia.com/gpu':8}}}]}}}]}}";
    static const char pod[] =
        "{'metadata':{'name':'p','annotations':{'fabricbind.io/networking':'true'}},'spec':{"
        "'containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu':8}}}]}}";
    static const char there[] =
        "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'p','namespace':'team','uid':'pu',"
        "'labels':{'fabricbind.io/managed':'true'},'annotations':{'fabricbind.io/networking':"
        "'true'}},'spec':{'containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu':8}}}"
        "]}}";
    static const char binding[] =
        "{'metadata':{'name':'p','uid':'pu'},'target':{'kind':'Node','name':'node-1'}}";
    cJSON_Hooks hooks = {malloc, free}; /* those that can be made to fail */
    struct admission_case run;
    struct fb_inventory *inventory = admission_case_read(NULL);
    char *objects[] = {admission_case_quote(there),
                       admission_case_file(FB_TEST_DATA "/nodes", "eks-p4d.json")};
    const char *const bodies[] = {pod, binding, job};
    static const char *const kinds[] = {"Pod", "Binding", "Job"};

    (void)state;
    admission_case_put(inventory, objects, COUNT(objects));
    admission_case_start(&run, inventory, NULL);
    cJSON_InitHooks(&hooks);
    for (size_t i = 0; i < COUNT(bodies); i++) {
        char *object = admission_case_quote(bodies[i]);
        char *body = admission_case_review(kinds[i], object, false);

        torture(&run, routes[i], body);
        free(body);
        free(object);
    }
    cJSON_InitHooks(NULL);
    admission_case_stop(&run);
    free(objects[0]);
    free(objects[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission__refuses_what_is_no_review),
        cmocka_unit_test(test_admission__allows_what_it_is_not_for),
        cmocka_unit_test(test_admission__refuses_objects_that_cannot_be_read),
        cmocka_unit_test(test_admission__is_served),
        cmocka_unit_test(test_admission__survives_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
