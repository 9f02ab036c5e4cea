/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_case.h"
#include "metrics_text.h"

#include "fabricbind/own.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What pods get when they are created. JSON is written with ' for ". */

#define NOTES "/metadata/annotations"
#define ANNOTATED "'annotations':{'fabricbind.io/networking':'true'}"
#define OWNED                                                                                      \
    "'ownerReferences':[{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','name':'j',"        \
    "'uid':'ju','controller':true}]"
#define POD(metadata, spec, gpus)                                                                  \
    "{'metadata':{" metadata "},'spec':{'containers':[{'name':'c','resources':{'limits':{"         \
    "'nvidia.com/gpu':" gpus "}}}],'tolerations':[{'operator':'Exists'}]" spec "}}"

struct scene {
    struct admission_case run;
    struct fb_inventory *inventory; /* until it is started */
};

/* Two p5 and two p4d; both would take the pods of this test. */
static void read_nodes(struct scene *scene)
{
    char *objects[] = {
        admission_case_file(FB_TEST_DATA "/nodes", "eks-p5.json"),
        admission_case_file(FB_TEST_DATA "/nodes", "eks-p4d.json"),
    };

    scene->inventory = admission_case_read(NULL);
    admission_case_put(scene->inventory, objects, COUNT(objects));
    for (size_t i = 0; i < COUNT(objects); i++)
        free(objects[i]);
}

static void start(struct scene *scene, const struct fb_admission_world *world)
{
    admission_case_start(&scene->run, scene->inventory, world);
}

static void stop(struct scene *scene)
{
    admission_case_stop(&scene->run);
}

/* A gang of two whose owner the inventory knows. */
static void give_job(struct fb_inventory *inventory)
{
    static struct fb_resource amount = {"nvidia.com/gpu", 8};
    static struct fb_container container = {.requests = {.at = &amount, .len = 1}};
    static struct fb_task task;
    static struct fb_job job;
    static struct fb_jobs jobs = {.at = &job, .len = 1};

    task = (struct fb_task){.name = "w", .pods = 2, .inner = 1, .min = -1};
    task.pod.containers = &container;
    task.pod.containers_len = 1;
    job = (struct fb_job){.kind = "Job",
                          .group = "batch.volcano.sh",
                          .space = "team",
                          .name = "j",
                          .uid = "ju",
                          .min = -1,
                          .groups = 1,
                          .tasks = &task,
                          .tasks_len = 1};
    inventory->in.objects.jobs = &jobs;
    admission_case_build(inventory);
}

/* Ask, and expect a value of the pod that comes of it. */
static void expect(struct scene *scene, const char *pod, const char *pointer, const char *want)
{
    char *object = admission_case_quote(pod);
    char *text = admission_case_say(&scene->run, "Pod", object);
    char *made = admission_case_apply(object, text);

    admission_case_expect(text, "/response/allowed", "true");
    admission_case_expect(made, pointer, want);
    free(made);
    free(text);
    free(object);
}

/* Ask, and expect a value of the answer. */
static void expect_said(struct scene *scene, const char *pod, const char *pointer, const char *want)
{
    char *object = admission_case_quote(pod);
    char *text = admission_case_say(&scene->run, "Pod", object);

    admission_case_expect(text, pointer, want);
    free(text);
    free(object);
}

#define P5 ",'nodeSelector':{'node.kubernetes.io/instance-type':'p5.48xlarge'}"
#define P4D ",'nodeSelector':{'node.kubernetes.io/instance-type':'p4d.24xlarge'}"
#define EFA "/spec/containers/0/resources/requests/vpc.amazonaws.com~1efa"

static void test_admission_pods__injects_what_the_nodes_ask_for(void **state)
{
    struct scene scene;

    (void)state;
    read_nodes(&scene);
    give_job(scene.inventory);
    start(&scene, NULL);
    /* Annotated; of a gang without annotation; with generateName and no namespace of its own. */
    expect(&scene, POD("'name':'p'," ANNOTATED, P5, "8"), EFA, "'32'");
    expect(&scene, POD("'name':'p'," ANNOTATED, P4D, "8"), EFA, "'4'");
    expect(&scene, POD("'name':'p','namespace':'team'," OWNED, P5, "8"), EFA, "'32'");
    expect(&scene, POD("'generateName':'p-'," OWNED, P5, "8"), EFA, "'32'");
    expect(&scene, POD("'generateName':'p-'," OWNED, P5, "8"), "/metadata/labels",
           "{'fabricbind.io/managed':'true'}");
    expect(&scene, POD("'generateName':'p-'," OWNED, P5, "8"), NOTES,
           "{'fabricbind.io/managed':'true'}");
    expect_metric(scene.run.metrics, "fabricbind_injections_total{provider=\"aws\","
                                     "result=\"injected\"} 6");
    /* Not networked: alone, or no GPUs. */
    expect(&scene, POD("'name':'p'", P5, "8"), "/metadata", "{'name':'p'}");
    expect(&scene, POD("'name':'p'," OWNED, P5, "0"), EFA, "-");
    expect_metric(scene.run.metrics, "fabricbind_injections_total{provider=\"none\","
                                     "result=\"not-networked\"} 2");
    stop(&scene);
}

static void test_admission_pods__changes_nothing_the_second_time(void **state)
{
    struct scene scene;
    char *object = admission_case_quote(POD("'name':'p'," ANNOTATED, P5, "8"));
    char *text, *made;

    (void)state;
    read_nodes(&scene);
    start(&scene, NULL);
    text = admission_case_say(&scene.run, "Pod", object);
    made = admission_case_apply(object, text);
    free(text);
    text = admission_case_say(&scene.run, "Pod", made);
    admission_case_expect(text, "/response", "{'uid':'u-1','allowed':true}");
    expect_metric(scene.run.metrics, "fabricbind_injections_total{provider=\"aws\","
                                     "result=\"unchanged\"} 1");
    free(text);
    free(made);
    free(object);
    stop(&scene);
}

static void test_admission_pods__denies_what_nobody_can_tell(void **state)
{
    static const char why[] =
        "'fabricbind: no node is there that this pod could go to, and no instance type is named ";
    struct scene scene;
    char *object = admission_case_quote(POD("'name':'p'," ANNOTATED, "", "8"));
    char *want = admission_case_quote(why);
    char *text, *message;

    (void)state;
    scene.inventory = admission_case_read(NULL);
    give_job(scene.inventory);
    start(&scene, NULL);
    text = admission_case_say(&scene.run, "Pod", object);
    admission_case_expect(text, "/response/allowed", "false");
    admission_case_expect(text, "/response/patch", "-");
    admission_case_expect(text, "/response/status/code", "403");
    admission_case_expect(text, "/response/status/reason", "'Forbidden'");
    message = admission_case_at(text, "/response/status/message");
    if (strncmp(message, want, strlen(want)) != 0)
        fail_msg("%s, wanted %s", message, want);
    free(message);
    free(text);
    free(want);
    free(object);
    expect_metric(scene.run.metrics, "fabricbind_injections_total{provider=\"none\","
                                     "result=\"denied\"} 1");
    /* Named, no node needs to be there; an owner's pods are let through and it is said. */
    expect(&scene, POD("'name':'p'," ANNOTATED, P5, "8"), EFA, "'32'");
    expect(&scene, POD("'name':'p'," OWNED, "", "8"), "/metadata/labels", "-");
    expect_said(&scene, POD("'name':'p'," OWNED, "", "8"), "/response/warnings",
                "['fabricbind: the pod gets no network: no node is there that this pod could go "
                "to, and no instance type is named by its nodeSelector or affinity or by "
                "expectedShapes']");
    expect_metric(scene.run.metrics, "fabricbind_injections_total{provider=\"none\","
                                     "result=\"passed\"} 2");
    stop(&scene);
}

/* The API server looks at references only after its webhooks did. */
static void test_admission_pods__bears_owners_that_are_none(void **state)
{
    static const char *const owners[] = {
        "[{}]",
        "[{'kind':'Job','apiVersion':'batch.volcano.sh/v1alpha1'}]",
        "[{'kind':'Job','apiVersion':'batch.volcano.sh/v1alpha1','name':'mixtral-pre'}]",
        "[{'kind':'Job','apiVersion':'','uid':'u','controller':true}]",
    };
    static const struct fb_podgroup group = {
        .space = "team", .name = "g", .uid = "gu", .owner = {"Job", "g", "j", "ju", true}};
    struct scene scene = {.inventory = admission_case_read("aws")};

    (void)state;
    scene.inventory->in.objects.podgroups = &group;
    scene.inventory->in.objects.podgroups_len = 1;
    admission_case_build(scene.inventory);
    start(&scene, NULL);
    for (size_t i = 0; i < COUNT(owners); i++) {
        char pod[512];

        (void)snprintf(pod, sizeof pod,
                       "{'metadata':{'name':'p','ownerReferences':%s},'spec':{'containers':[{"
                       "'name':'c','resources':{'limits':{'nvidia.com/gpu':8}}}]}}",
                       owners[i]);
        expect(&scene, pod, "/metadata/name", "'p'");
    }
    stop(&scene);
}

static void test_admission_pods__warns_of_what_is_no_whole_gpu(void **state)
{
    struct scene scene;

    (void)state;
    read_nodes(&scene);
    start(&scene, NULL);
    expect_said(&scene, POD("'name':'p'," ANNOTATED, "", "0"), "/response/warnings",
                "['fabricbind: annotated for multi-node networking, but asks for no whole GPUs: "
                "it gets no network']");
    stop(&scene);
}

static void test_admission_pods__looks_only_where_it_observes(void **state)
{
    struct scene scene;

    (void)state;
    read_nodes(&scene);
    scene.inventory->in.config.mode = FB_MODE_OBSERVE;
    start(&scene, NULL);
    expect(&scene, POD("'name':'p'," ANNOTATED, P5, "8"), EFA, "-");
    expect_said(&scene, POD("'name':'p'," ANNOTATED, ",'nodeSelector':{'a':'b'}", "8"), "/response",
                "{'uid':'u-1','allowed':true}");
    expect_metric(scene.run.metrics, "fabricbind_injections_total{provider=\"aws\","
                                     "result=\"injected\"} 1");
    expect_metric(scene.run.metrics, "fabricbind_injections_total{provider=\"none\","
                                     "result=\"denied\"} 1");
    stop(&scene);
}

static void test_admission_pods__leaves_namespaces_that_opted_out(void **state)
{
    struct scene scene;

    (void)state;
    read_nodes(&scene);
    admission_case_space(scene.inventory, FB_POD_SECURITY_PRIVILEGED, true);
    start(&scene, NULL);
    expect_said(&scene, POD("'name':'p'," ANNOTATED, P5, "8"), "/response",
                "{'uid':'u-1','allowed':true}");
    expect_no_metric(scene.run.metrics, "fabricbind_injections_total");
    stop(&scene);
}

/* Nothing that the namespace's level forbids is put in, and it is said what is left out. */
static void test_admission_pods__respects_pod_security(void **state)
{
    static const enum fb_pod_security levels[] = {
        FB_POD_SECURITY_PRIVILEGED, FB_POD_SECURITY_BASELINE, FB_POD_SECURITY_RESTRICTED};
    char *node = admission_case_file(FB_TEST_DATA "/nodes", "aks-nd-h100-sriov.json");

    (void)state;
    for (size_t i = 0; i < COUNT(levels); i++) {
        struct scene scene = {.inventory = admission_case_read(NULL)};

        admission_case_put(scene.inventory, &node, 1);
        admission_case_space(scene.inventory, levels[i], false);
        start(&scene, NULL);
        expect(&scene, POD("'name':'p'," ANNOTATED, "", "8"),
               "/spec/containers/0/securityContext/capabilities",
               i == 0 ? "{'add':['IPC_LOCK']}" : "-");
        expect(&scene, POD("'name':'p'," ANNOTATED, "", "8"), NOTES "/fabricbind.io~1degraded",
               i == 0 ? "-" : "'capability IPC_LOCK'");
        expect_said(&scene, POD("'name':'p'," ANNOTATED, "", "8"), "/response/warnings/0",
                    i == 0 ? "-"
                    : levels[i] == FB_POD_SECURITY_BASELINE
                        ? "'fabricbind: left out, as Pod Security level baseline forbids it: "
                          "capability IPC_LOCK'"
                        : "'fabricbind: left out, as Pod Security level restricted forbids it: "
                          "capability IPC_LOCK'");
        expect_metric(scene.run.metrics,
                      i == 0 ? "fabricbind_injections_total{provider=\"azure\",result=\"injected\"}"
                               " 3"
                             : "fabricbind_injections_total{provider=\"azure\",result=\"degraded\"}"
                               " 3");
        stop(&scene);
    }
    free(node);
}

/* A chooser that says what it is told to, and how often it was asked. */
struct chooser {
    const char *key;
    enum fb_status st;
    size_t asked, dry;
};

/* NOLINTNEXTLINE(readability-function-size): the type is fb_admission_world's */
static enum fb_status choose(void *context, struct fb_arena *arena,
                             const struct fb_inventory *inventory, const struct fb_pod *pod,
                             bool dry_run, const char **ret, struct fb_error *err)
{
    struct chooser *chooser = context;

    (void)arena;
    (void)inventory;
    assert_string_equal(pod->space, "team");
    chooser->asked++;
    chooser->dry += dry_run;
    *ret = chooser->key;
    return chooser->st == FB_OK ? FB_OK : fb_error_set(err, chooser->st, "no");
}

/* Both kinds of nodes would do: the gang is pinned to what was chosen. */
static void test_admission_pods__keeps_to_the_choice(void **state)
{
    static const char pod[] = POD("'generateName':'p-'," OWNED, "", "8");
    struct chooser chooser = {.key = ""};
    struct fb_admission_world world = {.context = &chooser, .choose = choose};
    struct scene scene;

    (void)state;
    read_nodes(&scene);
    give_job(scene.inventory);
    start(&scene, &world);
    for (size_t i = 0; i < scene.inventory->in.cluster.fabrics_len; i++) {
        const struct fb_fabric *fabric = &scene.inventory->in.cluster.fabrics[i];

        chooser.key = fabric->key;
        expect(&scene, pod, EFA, strstr(fabric->name, "p5.") != NULL ? "'32'" : "'4'");
    }
    assert_int_equal(chooser.asked, 2);
    /* One that is gone, and one that cannot be had: as without. */
    chooser.key = "no such fabric";
    expect(&scene, pod, "/metadata/labels", "{'fabricbind.io/managed':'true'}");
    chooser.st = FB_EIO;
    expect(&scene, pod, "/metadata/labels", "{'fabricbind.io/managed':'true'}");
    assert_int_equal(chooser.asked, 4);
    assert_int_equal(chooser.dry, 0);
    /* A pod alone has no choice to keep to. */
    expect(&scene, POD("'name':'p'," ANNOTATED, P5, "8"), EFA, "'32'");
    assert_int_equal(chooser.asked, 4);
    stop(&scene);
}

static void test_admission_pods__tells_the_chooser_of_a_dry_run(void **state)
{
    struct chooser chooser = {.key = ""};
    struct fb_admission_world world = {.context = &chooser, .choose = choose};
    struct scene scene;
    char *object = admission_case_quote(POD("'generateName':'p-'," OWNED, "", "8"));
    char *body = admission_case_review("Pod", object, true);
    unsigned status;

    (void)state;
    read_nodes(&scene);
    give_job(scene.inventory);
    start(&scene, &world);
    free(admission_case_ask(&scene.run, FB_ADMISSION_PODS, body, strlen(body), &status));
    assert_int_equal(status, 200);
    assert_int_equal(chooser.asked, 1);
    assert_int_equal(chooser.dry, 1);
    free(body);
    free(object);
    stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission_pods__injects_what_the_nodes_ask_for),
        cmocka_unit_test(test_admission_pods__changes_nothing_the_second_time),
        cmocka_unit_test(test_admission_pods__denies_what_nobody_can_tell),
        cmocka_unit_test(test_admission_pods__bears_owners_that_are_none),
        cmocka_unit_test(test_admission_pods__warns_of_what_is_no_whole_gpu),
        cmocka_unit_test(test_admission_pods__looks_only_where_it_observes),
        cmocka_unit_test(test_admission_pods__leaves_namespaces_that_opted_out),
        cmocka_unit_test(test_admission_pods__respects_pod_security),
        cmocka_unit_test(test_admission_pods__keeps_to_the_choice),
        cmocka_unit_test(test_admission_pods__tells_the_chooser_of_a_dry_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
