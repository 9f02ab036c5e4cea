/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/podjson.h"

#include "fabricbind/own.h"

#include "objects_text.h"
#include "read_pod.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static void add_flag(struct line *line, const char *name, bool flag)
{
    if (flag)
        line_add(line, " %s", name);
}

static void add_texts(struct line *line, const char *name, const struct fb_texts *texts)
{
    for (size_t i = 0; i < texts->len; i++)
        line_add(line, "%s%s", i == 0 ? name : ",", texts->at[i]);
    if (texts->len > 0)
        line_add(line, "]");
}

static void add_amounts(struct line *line, const char *name, const struct fb_resources *amounts)
{
    for (size_t i = 0; i < amounts->len; i++)
        line_add(line, "%s%s=%lld", i == 0 ? name : ",", amounts->at[i].name,
                 (long long)amounts->at[i].amount);
    if (amounts->len > 0)
        line_add(line, "}");
}

static void add_pairs(struct line *line, const char *name, const struct fb_pairs *pairs)
{
    for (size_t i = 0; i < pairs->len; i++)
        line_add(line, "%s%s=%s", i == 0 ? name : ",", pairs->at[i].key, pairs->at[i].value);
    if (pairs->len > 0)
        line_add(line, "}");
}

static void add_container(struct line *line, const struct fb_spec_container *container)
{
    line_add(line, "%s%zu(%s", container->init ? " init" : " main", container->index,
             container->name);
    add_flag(line, "has_env", container->has_env);
    add_flag(line, "has_mounts", container->has_mounts);
    add_flag(line, "has_resources", container->has_resources);
    add_flag(line, "has_requests", container->has_requests);
    add_flag(line, "has_limits", container->has_limits);
    add_flag(line, "has_security", container->has_security);
    add_flag(line, "has_capabilities", container->has_capabilities);
    add_flag(line, "has_add", container->has_add);
    add_texts(line, " env[", &container->env);
    add_flag(line, "has_env_from", container->has_env_from);
    add_texts(line, " mounts[", &container->mounts);
    add_amounts(line, " requests{", &container->requests);
    add_amounts(line, " limits{", &container->limits);
    add_texts(line, " add[", &container->capabilities);
    add_texts(line, " drop[", &container->dropped);
    add_flag(line, "privileged", container->privileged);
    add_flag(line, "says_escalation", container->says_escalation);
    add_flag(line, "says_seccomp", container->says_seccomp);
    line_add(line, ")");
}

static void add_spec(struct line *line, const struct fb_podspec *spec)
{
    add_flag(line, "has_metadata", spec->has_metadata);
    add_flag(line, "has_labels", spec->has_labels);
    add_pairs(line, " labels{", &spec->labels);
    add_flag(line, "has_annotations", spec->has_annotations);
    add_pairs(line, " annotations{", &spec->annotations);
    add_flag(line, "has_init", spec->has_init);
    for (size_t i = 0; i < spec->containers_len; i++)
        add_container(line, &spec->containers[i]);
    add_flag(line, "has_volumes", spec->has_volumes);
    for (size_t i = 0; i < spec->volumes_len; i++)
        line_add(line, " volume(%s %s)", spec->volumes[i].name, spec->volumes[i].kind);
    add_flag(line, "says_seccomp", spec->says_seccomp);
    add_flag(line, "has_affinity", spec->has_affinity);
    add_flag(line, "has_node_affinity", spec->has_node_affinity);
    add_flag(line, "has_required", spec->has_required);
    for (size_t i = 0; i < spec->terms_len; i++)
        line_add(line, " term%zu(%s%s)", spec->terms[i].index, spec->terms[i].empty ? " empty" : "",
                 spec->terms[i].has_expressions ? " has_expressions" : "");
}

/* What is read of @text, with ' for ", in one line; or the error. */
static const char *decode(const char *text, struct line *line)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    char *json = json_of(text);
    struct fb_podspec spec = {.containers_len = 77};
    struct fb_error err = {0};
    enum fb_status st;

    assert_true(arena != NULL && json != NULL);
    *line = (struct line){0};
    st = fb_podspec_decode(arena, json, json != NULL ? strlen(json) : 0, &spec, &err);
    if (st == FB_OK) {
        add_spec(line, &spec);
    } else {
        line_add(line, "%s%s", st == FB_ELIMIT ? "limit: " : "", err.text);
        assert_int_equal(spec.containers_len, 77); /* untouched on failure */
    }
    free(json);
    return line->text;
}

struct row {
    const char *text, *want;
};

static void check_rows(const struct row *rows, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        struct line line;

        if (strcmp(decode(rows[i].text, &line), rows[i].want) != 0)
            fail_msg("row %zu: %s\nis   '%s'\nwant '%s'", i, rows[i].text, line.text, rows[i].want);
    }
}

#define C(fields) "{'spec':{'containers':[{" fields "}]}}"

static void test_podspec_decode__knows_exactly_what_is_there(void **state)
{
    static const struct row rows[] = {
        {"{}", ""},
        {"{'metadata':null,'spec':null}", ""},
        {"{'metadata':{},'spec':{}}", " has_metadata"},
        {"{'metadata':{'labels':{},'annotations':{}}}", " has_metadata has_labels has_annotations"},
        {"{'metadata':{'labels':null,'annotations':null}}", " has_metadata"},
        {"{'spec':{'containers':[],'initContainers':[],'volumes':[]}}", " has_init has_volumes"},
        {"{'spec':{'containers':null,'initContainers':null,'volumes':null}}", ""},
        {"{'spec':{'affinity':{}}}", " has_affinity"},
        {"{'spec':{'affinity':{'nodeAffinity':{}}}}", " has_affinity has_node_affinity"},
        {"{'spec':{'affinity':{'nodeAffinity':null}}}", " has_affinity"},
        {C(""), " main0()"},
        {C("'env':[],'volumeMounts':[],'resources':{},'securityContext':{}"),
         " main0( has_env has_mounts has_resources has_security)"},
        {C("'env':null,'volumeMounts':null,'resources':null,'securityContext':null"), " main0()"},
        {C("'resources':{'requests':{},'limits':{}}"),
         " main0( has_resources has_requests has_limits)"},
        {C("'resources':{'requests':null,'limits':null}"), " main0( has_resources)"},
        {C("'securityContext':{'capabilities':{}}"), " main0( has_security has_capabilities)"},
        {C("'securityContext':{'capabilities':{'add':[]}}"),
         " main0( has_security has_capabilities has_add)"},
        {C("'securityContext':{'capabilities':{'add':null}}"),
         " main0( has_security has_capabilities)"},
        {C("'securityContext':{'capabilities':null}"), " main0( has_security)"},
        {C("'env':[],'env':null"), " main0()"},
        {C("'env':null,'env':[]"), " main0( has_env)"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_podspec_decode__reads_names_and_places(void **state)
{
    static const struct row rows[] = {
        {"{'metadata':{'labels':{'a':'1','b':null,'a':'2'},'annotations':{'x/y':'','z':'1',"
         "'z':null}}}",
         " has_metadata has_labels labels{a=2} has_annotations annotations{x/y=}"},
        /* init containers come first, each with its place */
        {"{'spec':{'containers':[{'name':'a'},null,{'name':'b'}],'initContainers':[null,"
         "{'name':'c'}]}}",
         " has_init init1(c) main0(a) main2(b)"},
        {C("'name':null,'env':[{'name':'A'},{},null,{'name':'B','valueFrom':{}},{'name':null}],"
           "'envFrom':[]"),
         " main0( has_env env[A,B])"},
        {C("'envFrom':[{}]"), " main0( has_env_from)"},
        {C("'volumeMounts':[{'mountPath':'/a/'},{'mountPath':'b//c/./d'},{'mountPath':'/'},{},"
           "{'mountPath':'/.x/..'}],'volumeDevices':[{'devicePath':'/dev/x'}]"),
         " main0( has_mounts mounts[/a,/b/c/d,/,/.x/..,/dev/x])"},
        {C("'volumeDevices':[{'devicePath':'/dev/x'}]"), " main0( mounts[/dev/x])"},
        {C("'resources':{'requests':{'cpu':'100m','gpu':8,'x':null,'y':'1','y':null},"
           "'limits':{'memory':'1Gi','cpu':0.5,'cpu':1.5}}"),
         " main0( has_resources has_requests has_limits requests{cpu=100,gpu=8} "
         "limits{memory=1073741824,cpu=1500})"},
        {C("'securityContext':{'capabilities':{'add':['A',null,'B'],'drop':['C']},"
           "'privileged':true,'allowPrivilegeEscalation':false,'seccompProfile':{}}"),
         " main0( has_security has_capabilities has_add add[A,B] drop[C] privileged "
         "says_escalation says_seccomp)"},
        {C("'securityContext':{'privileged':false,'allowPrivilegeEscalation':null,"
           "'seccompProfile':null}"),
         " main0( has_security)"},
        {"{'spec':{'securityContext':{'seccompProfile':{'type':'x'}}}}", " says_seccomp"},
        {"{'spec':{'volumes':[{'name':'a','emptyDir':{}},{'hostPath':{},'name':'b'},null,"
         "{'name':'c'},{'name':'d','emptyDir':null,'secret':{}},{'name':'e','nfs':{},'nfs':null},"
         "{}]}}",
         " has_volumes volume(a emptyDir) volume(b hostPath) volume(c ) volume(d secret) "
         "volume(e ) volume( )"},
        {"{'spec':{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
         "{'nodeSelectorTerms':[{},null,{'matchExpressions':[]},{'matchExpressions':[{}]},"
         "{'matchFields':[{}]},{'matchFields':[{}],'matchExpressions':[]}]}}}}}",
         " has_affinity has_node_affinity has_required term0( empty) "
         "term2( empty has_expressions) term3( has_expressions) term4() term5( has_expressions)"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"

static void test_podspec_decode__says_which_field_is_wrong(void **state)
{
    static const struct row rows[] = {
        {"[]", "not a map"},
        {"", "byte 0: input ends before any value"},
        {"{'spec':{}", "byte 10: input ends inside an object"},
        {"{'metadata':5}", "metadata: not a map"},
        {"{'metadata':{'labels':[]}}", "metadata.labels: not a map"},
        {"{'metadata':{'labels':{'a':1}}}", "metadata.labels.a: not a string"},
        {"{'metadata':{'annotations':{'a':{}}}}", "metadata.annotations.a: not a string"},
        {"{'spec':'x'}", "spec: not a map"},
        {"{'spec':{'initContainers':{}}}", "spec.initContainers: not a list"},
        {"{'spec':{'containers':[null,[]]}}", "spec.containers[1]: not a map"},
        {C("'name':5"), "spec.containers[0].name: not a string"},
        {C("'env':{}"), "spec.containers[0].env: not a list"},
        {C("'env':[null,'x']"), "spec.containers[0].env[1]: not a map"},
        {C("'env':[{'name':true}]"), "spec.containers[0].env[0].name: not a string"},
        {C("'envFrom':1"), "spec.containers[0].envFrom: not a list"},
        {C("'volumeMounts':[{'mountPath':1}]"),
         "spec.containers[0].volumeMounts[0].mountPath: not a string"},
        {C("'volumeDevices':[{'devicePath':1}]"),
         "spec.containers[0].volumeDevices[0].devicePath: not a string"},
        {C("'resources':[]"), "spec.containers[0].resources: not a map"},
        {C("'resources':{'requests':'x'}"), "spec.containers[0].resources.requests: not a map"},
        {C("'resources':{'limits':{'cpu':[]}}"),
         "spec.containers[0].resources.limits.cpu: not a quantity"},
        {C("'resources':{'limits':{'cpu':'4x'}}"),
         "spec.containers[0].resources.limits.cpu: '4x' is no quantity"},
        {C("'resources':{'limits':{'a':-1}}"),
         "spec.containers[0].resources.limits.a: '-1' is below 0"},
        {C("'securityContext':true"), "spec.containers[0].securityContext: not a map"},
        {C("'securityContext':{'privileged':'true'}"),
         "spec.containers[0].securityContext.privileged: not true or false"},
        {C("'securityContext':{'allowPrivilegeEscalation':0}"),
         "spec.containers[0].securityContext.allowPrivilegeEscalation: not true or false"},
        {C("'securityContext':{'seccompProfile':'x'}"),
         "spec.containers[0].securityContext.seccompProfile: not a map"},
        {C("'securityContext':{'capabilities':[]}"),
         "spec.containers[0].securityContext.capabilities: not a map"},
        {C("'securityContext':{'capabilities':{'add':'ALL'}}"),
         "spec.containers[0].securityContext.capabilities.add: not a list"},
        {C("'securityContext':{'capabilities':{'drop':[1]}}"),
         "spec.containers[0].securityContext.capabilities.drop[0]: not a string"},
        {"{'spec':{'securityContext':[]}}", "spec.securityContext: not a map"},
        {"{'spec':{'volumes':{}}}", "spec.volumes: not a list"},
        {"{'spec':{'volumes':[{'name':1}]}}", "spec.volumes[0].name: not a string"},
        {"{'spec':{'volumes':[{'emptyDir':''}]}}", "spec.volumes[0].emptyDir: not a map"},
        {"{'spec':{'affinity':[]}}", "spec.affinity: not a map"},
        {"{'spec':{'affinity':{'nodeAffinity':1}}}", "spec.affinity.nodeAffinity: not a map"},
        {"{'spec':{'affinity':{'nodeAffinity':{'" REQUIRED "':[]}}}}",
         "spec.affinity.nodeAffinity." REQUIRED ": not a map"},
        {"{'spec':{'affinity':{'nodeAffinity':{'" REQUIRED "':{'nodeSelectorTerms':{}}}}}}",
         "spec.affinity.nodeAffinity." REQUIRED ".nodeSelectorTerms: not a list"},
        {"{'spec':{'affinity':{'nodeAffinity':{'" REQUIRED
         "':{'nodeSelectorTerms':[{'matchFields':{}}]}}}}}",
         "spec.affinity.nodeAffinity." REQUIRED ".nodeSelectorTerms[0].matchFields: not a list"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_podspec_decode__orders_containers_and_terms_as_the_scanner_does(void **state)
{
    static const char *const pods[] = {
        "{\"spec\":{\"containers\":[{\"name\":\"a\"},null,{\"name\":\"b\"}],\"initContainers\":["
        "{\"name\":\"c\",\"restartPolicy\":\"Always\"},{\"name\":\"d\"}]}}",
        "{\"spec\":{\"initContainers\":[{\"name\":\"x\"}],\"containers\":[{\"name\":\"y\"}],"
        "\"initContainers\":[{\"name\":\"z\"},{}]}}",
        "{\"spec\":{\"initContainers\":[{\"name\":\"x\"}],\"initContainers\":null,\"containers\":[{"
        "\"name\":\"a\",\"name\":\"b\"}]}}",
        "{\"spec\":{\"affinity\":{\"nodeAffinity\":{\"" REQUIRED
        "\":{\"nodeSelectorTerms\":[null,{},{\"matchExpressions\":[]}]}}}}}",
        "{\"spec\":{\"affinity\":{\"nodeAffinity\":{\"" REQUIRED "\":{}}}},\"spec\":{}}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(pods); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_pod pod;
        struct fb_podspec spec;
        struct fb_error err = {0};

        if (read_pod(arena, pods[i], strlen(pods[i]), &pod, &spec, &err) != FB_OK)
            fail_msg("row %zu: %s", i, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_podspec_decode__knows_exactly_what_is_there),
        cmocka_unit_test(test_podspec_decode__reads_names_and_places),
        cmocka_unit_test(test_podspec_decode__says_which_field_is_wrong),
        cmocka_unit_test(test_podspec_decode__orders_containers_and_terms_as_the_scanner_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
