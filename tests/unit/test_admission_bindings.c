/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_case.h"
#include "metrics_text.h"
#include "read_pod.h"

#include "fabricbind/own.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What pods get when they are bound. JSON is written with ' for ". */

#define NOTES "/metadata/annotations"
#define PROFILE NOTES "/fabricbind.io~1profile"
#define CONF NOTES "/fabricbind.io~1nccl.conf"
#define TOPO NOTES "/fabricbind.io~1nccl-topo.xml"

#define MANAGED "'labels':{'fabricbind.io/managed':'true'}"
#define ANNOTATED "'annotations':{'fabricbind.io/networking':'true'}"
#define POD(name, metadata, spec)                                                                  \
    "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'" name                                    \
    "','namespace':'team','uid':'u-" name "'" metadata "},'spec':{'containers':[{'name':'c',"      \
    "'resources':{'limits':{'nvidia.com/gpu':8}}}]" spec "}}"
#define TO(node) "'target':{'kind':'Node','name':'" node "'}"
#define BIND(name, node) "{'metadata':{'name':'" name "','uid':'u-" name "'}," TO(node) "}"

/* "node-1" is a p4d, "node-2" a p5. */
static const char *const nodes[] = {"eks-p4d.json", "eks-p5.json", "aks-nd-a100-shared.json",
                                    "aks-nd-h100-sriov.json"};
static const char *const pods[] = {
    POD("p", "," MANAGED "," ANNOTATED, ""),
    POD("bound", "," MANAGED "," ANNOTATED, ",'nodeName':'node-1'"),
    POD("plain", "", ""),
    POD("alone", "," MANAGED, ""),
    POD("own",
        "," MANAGED ",'annotations':{'fabricbind.io/profile':'mine','fabricbind.io/networking':"
        "'true','fabricbind.io/degraded':'hostPath /x, capability Y'}",
        ""),
    POD("forged", ",'annotations':{'fabricbind.io/nccl.conf':'A=1'}", ""),
};

struct scene {
    struct admission_case run;
    struct fb_inventory *inventory; /* until it is started */
};

static void read_cluster(struct scene *scene)
{
    char *objects[COUNT(nodes) + COUNT(pods)];

    for (size_t i = 0; i < COUNT(nodes); i++)
        objects[i] = admission_case_file(FB_TEST_DATA "/nodes", nodes[i]);
    for (size_t i = 0; i < COUNT(pods); i++)
        objects[COUNT(nodes) + i] = admission_case_quote(pods[i]);
    scene->inventory = admission_case_read(NULL);
    admission_case_put(scene->inventory, objects, COUNT(objects));
    for (size_t i = 0; i < COUNT(objects); i++)
        free(objects[i]);
}

static void start(struct scene *scene, const struct fb_admission_world *world)
{
    read_cluster(scene);
    admission_case_start(&scene->run, scene->inventory, world);
}

/* The Binding after the patch, to be freed. */
static char *bind(struct scene *scene, const char *binding)
{
    char *object = admission_case_quote(binding);
    char *text = admission_case_say(&scene->run, "Binding", object);
    char *made;

    admission_case_expect(text, "/response/allowed", "true");
    made = admission_case_apply(object, text);
    free(text);
    free(object);
    return made;
}

static void expect(struct scene *scene, const char *binding, const char *pointer, const char *want)
{
    char *made = bind(scene, binding);

    admission_case_expect(made, pointer, want);
    free(made);
}

static void expect_count(const struct scene *scene, const char *result, unsigned count)
{
    char line[128];

    (void)snprintf(line, sizeof line, "fabricbind_binds_total{result=\"%s\"} %u", result, count);
    expect_metric(scene->run.metrics, line);
}

static void test_admission_bindings__give_each_node_its_own_settings(void **state)
{
    static const struct {
        const char *node, *shape;
        bool topology;
    } cases[] = {
        {"node-1", "p4d.24xlarge", true},
        {"node-2", "p5.48xlarge", false},
        {"aks-gpua100-27182818-vmss00000b", "Standard_ND96asr_v4", true},
        {"aks-gpuh100-31415926-vmss000003", "Standard_ND96isr_H100_v5", true},
    };
    struct scene scene;

    (void)state;
    start(&scene, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char binding[256], folder[512], want[128];
        char *made, *conf, *golden, *profile, *topo;

        (void)snprintf(binding, sizeof binding,
                       "{'metadata':{'name':'p','uid':'u-p'},'target':{'name':'%s'}}",
                       cases[i].node);
        made = bind(&scene, binding);
        (void)snprintf(folder, sizeof folder, FB_TEST_DATA "/golden/%s", cases[i].shape);
        golden = admission_case_file(folder, "nccl.conf");
        conf = admission_case_text(made, CONF);
        assert_string_equal(conf, golden);
        profile = admission_case_text(made, PROFILE);
        (void)snprintf(want, sizeof want, "'%s'", cases[i].shape);
        admission_case_expect(profile, "/shape", want);
        (void)snprintf(want, sizeof want, "'%s'", cases[i].node);
        admission_case_expect(profile, "/node", want);
        admission_case_expect(profile, "/signature", "null");
        topo = admission_case_at(made, TOPO);
        assert_int_equal(strstr(topo, "<system") != NULL, cases[i].topology);
        free(topo);
        free(profile);
        free(conf);
        free(golden);
        free(made);
    }
    expect_count(&scene, "profile", COUNT(cases));
    admission_case_stop(&scene.run);
}

/* Volcano's Bindings have annotations, kube-scheduler's none, and some have no metadata. */
static void test_admission_bindings__add_to_what_is_there(void **state)
{
    struct scene scene;
    char *made;

    (void)state;
    start(&scene, NULL);
    made = bind(&scene, "{'metadata':{'name':'p','uid':'u-p','annotations':{'a':'b',"
                        "'fabricbind.io/nccl.conf':'MINE=1'}},'target':{'name':'node-2'}}");
    admission_case_expect(made, NOTES "/a", "'b'");
    admission_case_expect(made, CONF, "'NCCL_SOCKET_IFNAME=^docker,lo,veth,pod-id-link\\n'");
    admission_case_expect(made, TOPO, "''");
    free(made);
    admission_case_stop(&scene.run);
}

/* The name stands in the request, then. */
static void test_admission_bindings__need_no_metadata(void **state)
{
    static const char object[] = "{\"target\":{\"name\":\"node-2\"}}";
    struct scene scene;
    char *body = admission_case_quote(
        "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{'uid':'u-1',"
        "'kind':{'group':'','kind':'Binding'},'operation':'CREATE','namespace':'team','name':'p',"
        "'object':{'target':{'name':'node-2'}}}}");
    unsigned status;
    char *text, *made;

    (void)state;
    start(&scene, NULL);
    text = admission_case_ask(&scene.run, FB_ADMISSION_BINDINGS, body, strlen(body), &status);
    made = admission_case_apply(object, text);
    admission_case_expect(made, TOPO, "''");
    free(made);
    free(text);
    free(body);
    admission_case_stop(&scene.run);
}

#define EMPTY                                                                                      \
    "{'fabricbind.io/profile':'','fabricbind.io/nccl.conf':'','fabricbind.io/nccl-topo.xml':''}"

static void test_admission_bindings__are_empty_where_nothing_is_asked_for(void **state)
{
    struct scene scene;
    char *made, *profile;

    (void)state;
    start(&scene, NULL);
    expect(&scene, BIND("p", "nobody"), NOTES, EMPTY);
    expect(&scene, BIND("alone", "node-2"), NOTES, EMPTY);
    expect(&scene, BIND("forged", "node-2"), NOTES, EMPTY);
    expect_count(&scene, "empty", 3);
    /* Not ours, and those that nobody knows: as they are. */
    expect(&scene, BIND("plain", "node-2"), NOTES, "-");
    expect_count(&scene, "unmanaged", 1);
    expect(&scene, BIND("stranger", "node-2"), NOTES, "-");
    expect(&scene, "{'metadata':{'name':'p','uid':'another'},'target':{'name':'node-2'}}", NOTES,
           "-");
    expect_count(&scene, "unknown", 2);
    /* A user's value does not survive, and what injection left out is told. */
    made = bind(&scene, BIND("own", "node-2"));
    profile = admission_case_text(made, PROFILE);
    admission_case_expect(profile, "/degraded", "['hostPath /x','capability Y']");
    free(profile);
    free(made);
    admission_case_stop(&scene.run);
}

static void test_admission_bindings__are_looked_at_only_where_it_observes(void **state)
{
    struct scene scene;

    (void)state;
    read_cluster(&scene);
    scene.inventory->in.config.mode = FB_MODE_OBSERVE;
    admission_case_start(&scene.run, scene.inventory, NULL);
    expect(&scene, BIND("p", "node-2"), NOTES, "-");
    expect_count(&scene, "profile", 1);
    admission_case_stop(&scene.run);
}

/* What the world is asked for, and says. */
struct world {
    const char *pod; /* as the API server would tell it; NULL: there is none */
    const char *signature, *node;
    enum fb_status st; /* of looking for it */
    size_t found, signed_;
    char content[4096];
};

static enum fb_status find_pod(void *context, struct fb_arena *arena, const char *space,
                               const char *name, struct fb_pod *ret, struct fb_error *err)
{
    struct world *world = context;
    struct fb_podspec spec;
    char *text;
    enum fb_status st;

    assert_string_equal(space, "team");
    assert_true(*name != '\0');
    world->found++;
    if (world->st != FB_OK)
        return fb_error_set(err, world->st, "no answer");
    if (world->pod == NULL)
        return fb_error_set(err, FB_ENOTFOUND, "no");
    text = admission_case_quote(world->pod);
    st = read_pod(arena, text, strlen(text), ret, &spec, err);
    free(text);
    return st;
}

/* Whether it is bound then is for the API server to say, by failurePolicy. */
static void test_admission_bindings__fail_where_a_pod_cannot_be_asked_for(void **state)
{
    static const enum fb_status faults[] = {FB_EIO, FB_EINPUT, FB_ELIMIT, FB_ENOMEM};
    struct world world = {.pod = NULL};
    const struct fb_admission_world ask = {.context = &world, .find_pod = find_pod};
    char *object = admission_case_quote(BIND("late", "node-2"));
    char *body = admission_case_review("Binding", object, false);
    struct scene scene;

    (void)state;
    start(&scene, &ask);
    for (size_t i = 0; i < COUNT(faults); i++) {
        unsigned status;
        char *text;

        world.st = faults[i];
        text = admission_case_ask(&scene.run, FB_ADMISSION_BINDINGS, body, strlen(body), &status);
        assert_int_equal(status, 503);
        admission_case_expect(text, "/error",
                              faults[i] == FB_ENOMEM ? "'out of memory'"
                                                     : "'pod team/late: no answer'");
        free(text);
    }
    expect_metric(scene.run.metrics, "fabricbind_faults_total{where=\"admission\"} 4");
    free(body);
    free(object);
    admission_case_stop(&scene.run);
}

static const char *sign(void *context, struct fb_arena *arena, const char *pod_uid,
                        const char *node, const char *content)
{
    struct world *world = context;

    (void)arena;
    assert_true(*pod_uid != '\0');
    assert_string_equal(node, world->node);
    (void)snprintf(world->content, sizeof world->content, "%s", content);
    world->signed_++;
    return world->signature;
}

static void test_admission_bindings__ask_for_pods_that_are_new(void **state)
{
    struct world world = {.pod = POD("late", "," MANAGED "," ANNOTATED, "")};
    const struct fb_admission_world ask = {.context = &world, .find_pod = find_pod};
    struct scene scene;

    (void)state;
    start(&scene, &ask);
    expect(&scene, BIND("late", "node-2"), TOPO, "''");
    assert_int_equal(world.found, 1);
    expect_count(&scene, "profile", 1);
    /* The same name again, but another pod: of the inventory, and of the API server. */
    expect(&scene, "{'metadata':{'name':'p','uid':'u-late'},'target':{'name':'node-2'}}", TOPO,
           "''");
    expect(&scene, "{'metadata':{'name':'p','uid':'old'},'target':{'name':'node-2'}}", NOTES, "-");
    assert_int_equal(world.found, 3);
    world.pod = NULL;
    expect(&scene, BIND("late", "node-2"), NOTES, "-");
    expect_count(&scene, "unknown", 2);
    /* No question where the pod is known. */
    expect(&scene, BIND("p", "node-2"), TOPO, "''");
    assert_int_equal(world.found, 4);
    admission_case_stop(&scene.run);
}

static void test_admission_bindings__sign_for_pods_without_a_node(void **state)
{
    struct world world = {.signature = "c2lnbmVk", .node = "node-2"};
    const struct fb_admission_world ask = {.context = &world, .sign = sign};
    struct scene scene;
    char *made, *profile;
    size_t len;

    (void)state;
    start(&scene, &ask);
    made = bind(&scene, BIND("p", "node-2"));
    profile = admission_case_text(made, PROFILE);
    admission_case_expect(profile, "/signature", "'c2lnbmVk'");
    /* What was signed comes back when the signature is taken out. */
    len = strlen(world.content) - strlen("null}");
    assert_memory_equal(profile, world.content, len);
    assert_string_equal(world.content + len, "null}");
    free(profile);
    free(made);
    expect_count(&scene, "signed", 1);
    /* It has a node; its UID is not told; there is nothing to sign. */
    free(bind(&scene, BIND("bound", "node-2")));
    free(bind(&scene, "{'metadata':{'name':'p'},'target':{'name':'node-2'}}"));
    free(bind(&scene, BIND("p", "nobody")));
    assert_int_equal(world.signed_, 1);
    /* No key: not signed. */
    world.signature = NULL;
    made = bind(&scene, BIND("p", "node-2"));
    profile = admission_case_text(made, PROFILE);
    admission_case_expect(profile, "/signature", "null");
    assert_int_equal(world.signed_, 2);
    expect_count(&scene, "profile", 3);
    free(profile);
    free(made);
    admission_case_stop(&scene.run);
}

static void test_admission_bindings__are_the_same_in_a_dry_run(void **state)
{
    struct scene scene;
    char *object = admission_case_quote(BIND("p", "node-1"));
    char *body = admission_case_review("Binding", object, true);
    unsigned status;
    char *dry, *wet;

    (void)state;
    start(&scene, NULL);
    dry = admission_case_ask(&scene.run, FB_ADMISSION_BINDINGS, body, strlen(body), &status);
    wet = admission_case_say(&scene.run, "Binding", object);
    assert_string_equal(dry, wet);
    expect_count(&scene, "dry-run", 1);
    expect_count(&scene, "profile", 1);
    free(wet);
    free(dry);
    free(body);
    free(object);
    admission_case_stop(&scene.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission_bindings__give_each_node_its_own_settings),
        cmocka_unit_test(test_admission_bindings__add_to_what_is_there),
        cmocka_unit_test(test_admission_bindings__need_no_metadata),
        cmocka_unit_test(test_admission_bindings__are_empty_where_nothing_is_asked_for),
        cmocka_unit_test(test_admission_bindings__are_looked_at_only_where_it_observes),
        cmocka_unit_test(test_admission_bindings__ask_for_pods_that_are_new),
        cmocka_unit_test(test_admission_bindings__fail_where_a_pod_cannot_be_asked_for),
        cmocka_unit_test(test_admission_bindings__sign_for_pods_without_a_node),
        cmocka_unit_test(test_admission_bindings__are_the_same_in_a_dry_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
