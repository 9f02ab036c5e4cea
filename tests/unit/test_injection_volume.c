/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/injection.h"

#include "injection_case.h"
#include "unit.h"

#include <string.h>

/* Mounts, volumes, sidecars, and what a Pod Security level leaves of all of it. */

#define MAIN "/spec/containers/0"
#define OURS "{'name':'fabricbind','mountPath':'/etc/fabricbind','readOnly':true}"
#define SHM "{'name':'shm','mountPath':'/dev/shm'}"
#define LIB "{'name':'lib','mountPath':'/opt/lib','readOnly':true}"

/* A memory volume, a directory of the node, and one that is switched off. */
static void give_mounts(struct injection_case *all)
{
    give_mount(all, "shm", "/dev/shm", "{'emptyDir':{'medium':'Memory'}}", "");
    give_mount(all, "lib", "/opt/lib", "{'hostPath':{'path':'/node/lib'}}", "r");
    give_mount(all, "off", "/opt/off", "{'emptyDir':{}}", "x");
}

static void test_injection_volume__mounts_in_front_what_is_absent(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", MAIN "/volumeMounts", "[" SHM "," LIB "," OURS "]"},
        {"", "", "'volumeMounts':null", MAIN "/volumeMounts", "[" SHM "," LIB "," OURS "]"},
        {"", "'volumes':[{'name':'v','emptyDir':{}}]",
         "'volumeMounts':[{'name':'v','mountPath':'/x'}]", MAIN "/volumeMounts",
         "[" SHM "," LIB "," OURS ",{'name':'v','mountPath':'/x'}]"},
        /* a path that is taken is left alone, however it is spelled */
        {"", "'volumes':[{'name':'v','emptyDir':{}}]",
         "'volumeMounts':[{'name':'v','mountPath':'/dev/shm'}]", MAIN "/volumeMounts",
         "[" LIB "," OURS ",{'name':'v','mountPath':'/dev/shm'}]"},
        {"", "'volumes':[{'name':'v','emptyDir':{}}]",
         "'volumeMounts':[{'name':'v','mountPath':'dev//./shm/'}]", MAIN "/volumeMounts/0", LIB},
        {"", "", "'volumeDevices':[{'name':'d','devicePath':'/dev/shm'}]", MAIN "/volumeMounts/0",
         LIB},
        {"", "'volumes':[{'name':'v','emptyDir':{}}]",
         "'volumeMounts':[{'name':'v','mountPath':'/dev/shm/x'}]", MAIN "/volumeMounts/0", SHM},
        /* then the volume is not there either */
        {"", "'volumes':[{'name':'v','emptyDir':{}}]",
         "'volumeMounts':[{'name':'v','mountPath':'/dev/shm'}]", "/spec/volumes/0/name", "'lib'"},
    };

    give_mounts(*state);
    injection_case_check(*state, rows, COUNT(rows));
}

static void test_injection_volume__brings_each_volume_once_and_in_front(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", "/spec/volumes/0", "{'name':'shm','emptyDir':{'medium':'Memory'}}"},
        {"", "", "", "/spec/volumes/1", "{'name':'lib','hostPath':{'path':'/node/lib'}}"},
        {"", "", "", "/spec/volumes/2/downwardAPI/items/0",
         "{'path':'nccl.conf','fieldRef':{'fieldPath':"
         "'metadata.annotations['fabricbind.io/nccl.conf']'}}"},
        {"", "", "", "/spec/volumes/2/downwardAPI/items/1/path", "'nccl-topo.xml'"},
        {"", "", "", "/spec/volumes/2/downwardAPI/items/2/path", "'profile.json'"},
        {"", "", "", "/spec/volumes/3", "-"},
        {"", "'volumes':null", "", "/spec/volumes/1/name", "'lib'"},
        {"", "'volumes':[{'name':'v','emptyDir':{}}]", "", "/spec/volumes/3/name", "'v'"},
        {"", "'initContainers':[{'name':'i','resources':{'limits':{'" GPU "':1}}}]", "",
         "/spec/volumes/3", "-"},
        {"", "'initContainers':[{'name':'i','resources':{'limits':{'" GPU "':1}}}]", "",
         "/spec/initContainers/0/volumeMounts", "[" SHM "," LIB "," OURS "]"},
    };

    give_mounts(*state);
    injection_case_check(*state, rows, COUNT(rows));
}

static void test_injection_volume__uses_their_volume_of_that_name_and_kind(void **state)
{
    static const struct injection_row rows[] = {
        {"", "'volumes':[{'name':'shm','emptyDir':{'sizeLimit':'64Gi'}}]", "", "/spec/volumes/2",
         "{'name':'shm','emptyDir':{'sizeLimit':'64Gi'}}"},
        {"", "'volumes':[{'name':'shm','emptyDir':{'sizeLimit':'64Gi'}}]", "",
         MAIN "/volumeMounts/0", SHM},
        {"", "'volumes':[{'name':'shm'}]", "", "/spec/volumes/3", "-"},
        {"", "'volumes':[{'name':'shm','emptyDir':null}]", "", MAIN "/volumeMounts/0", SHM},
        /* another kind keeps its name */
        {"", "'volumes':[{'name':'shm','hostPath':{'path':'/x'}}]", "", MAIN "/volumeMounts/0",
         "{'name':'shm-1','mountPath':'/dev/shm'}"},
        {"", "'volumes':[{'name':'shm','hostPath':{'path':'/x'}}]", "", "/spec/volumes/0",
         "{'name':'shm-1','emptyDir':{'medium':'Memory'}}"},
        {"", "'volumes':[{'name':'shm','hostPath':{}},{'name':'shm-1','secret':{}}]", "",
         MAIN "/volumeMounts/0/name", "'shm-2'"},
        {"", "'volumes':[{'name':'shm','emptyDir':null,'nfs':{}}]", "", MAIN "/volumeMounts/0/name",
         "'shm-1'"},
        {"", "'volumes':[{'name':'lib'}]", "", MAIN "/volumeMounts/1/name", "'lib-1'"},
        {"", "'volumes':[{'name':'fabricbind','downwardAPI':{'items':[]}}]", "",
         MAIN "/volumeMounts/2/name", "'fabricbind-1'"},
        {"", "'volumes':[{'name':'fabricbind','emptyDir':{}}]", "", MAIN "/volumeMounts/2/name",
         "'fabricbind-1'"},
    };

    give_mounts(*state);
    injection_case_check(*state, rows, COUNT(rows));
}

static void test_injection_volume__finds_a_name_that_no_other_volume_wants(void **state)
{
    static const struct injection_row rows[] = {
        {"", "'volumes':[{'name':'a','secret':{}}]", "", MAIN "/volumeMounts/0/name", "'a-2'"},
        {"", "'volumes':[{'name':'a','secret':{}}]", "", MAIN "/volumeMounts/1/name", "'a-1'"},
    };
    struct injection_case *all = *state;

    give_mount(all, "a", "/a", "{'emptyDir':{}}", "");
    give_mount(all, "a-1", "/b", "{'hostPath':{'path':'/b'}}", "");
    injection_case_check(all, rows, COUNT(rows));
}

static void test_injection_volume__mounts_the_nccl_file_where_the_policy_says(void **state)
{
    static const char file[] =
        "{'name':'fabricbind','mountPath':'/etc/nccl.conf','subPath':'nccl.conf','readOnly':true}";
    static const struct {
        enum fb_conf_file where;
        const char *container, *want;
    } cases[] = {
        {FB_CONF_FILE_BOTH, "", file},
        {FB_CONF_FILE_ETC, "", file},
        {FB_CONF_FILE_ENV, "", "-"},
        {FB_CONF_FILE_NONE, "", "-"},
        {FB_CONF_FILE_BOTH, "'volumeMounts':[{'name':'c','mountPath':'/etc/nccl.conf'}]",
         "{'name':'c','mountPath':'/etc/nccl.conf'}"},
    };
    struct injection_case *all = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *pod = injection_case_pod(all, "", "", cases[i].container);

        all->equip.conf_file = cases[i].where;
        assert_string_equal(
            injection_case_at(all, injection_case_run(all, pod), MAIN "/volumeMounts/1"),
            cases[i].want);
    }
    /* A policy's own mount on that path is the only one. */
    give_mount(all, "own", "/etc/nccl.conf", "{'configMap':{'name':'n'}}", "");
    assert_string_equal(
        injection_case_at(all, injection_case_run(all, injection_case_pod(all, "", "", "")),
                          MAIN "/volumeMounts"),
        "[{'name':'own','mountPath':'/etc/nccl.conf'}," OURS "]");
}

#define DAEMON                                                                                     \
    "{'name':'daemon','args':['say \\'volumeMounts\\':[\\'name\\':\\'lib\\']'],"                   \
    "'restartPolicy':'Always','volumeMounts':[{'name':'lib','mountPath':'/l]'},"                   \
    "{'mountPath':'/sys','name':'sys'},{'name':'else','mountPath':'/e'}],"                         \
    "'env':[{'name':'sys','value':'1'}]}"

/* A daemon with a volume of the GPU containers and one of its own. */
static void give_daemon(struct injection_case *all, const char *container)
{
    struct fb_equip_sidecar *sidecar = give_sidecar(all, "daemon", container);

    give_sidecar_volume(all, sidecar, "lib", "{'hostPath':{'path':'/node/lib'}}");
    give_sidecar_volume(all, sidecar, "sys", "{'hostPath':{'path':'/sys'}}");
}

#define SMALL                                                                                      \
    "{'name':'daemon','volumeMounts':[{'name':'lib','mountPath':'/l]'},"                           \
    "{'mountPath':'/sys','name':'sys'},{'name':'else','mountPath':'/e'}],"                         \
    "'env':[{'name':'sys','value':'1'}]}"

static void test_injection_volume__puts_sidecars_in_front(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", "/spec/initContainers", "[" SMALL "]"},
        {"", "'initContainers':[]", "", "/spec/initContainers", "[" SMALL "]"},
        {"", "'initContainers':[{'name':'i'}]", "", "/spec/initContainers",
         "[" SMALL ",{'name':'i'}]"},
        {"", "", "", "/spec/volumes/1/name", "'lib'"},
        {"", "", "", "/spec/volumes/3", "{'name':'sys','hostPath':{'path':'/sys'}}"},
        /* the user's own, in either list */
        {"", "'initContainers':[{'name':'daemon','image':'x'}]", "", "/spec/initContainers",
         "[{'name':'daemon','image':'x'}]"},
        {"", "'initContainers':[{'name':'daemon','image':'x'}]", "", "/spec/volumes/3", "-"},
        /* its volumes by the names that they have in this pod */
        {"", "'volumes':[{'name':'sys','secret':{}}]", "", "/spec/initContainers/0/volumeMounts/1",
         "{'mountPath':'/sys','name':'sys-1'}"},
        {"", "'volumes':[{'name':'sys','secret':{}}]", "", "/spec/initContainers/0/env/0/name",
         "'sys'"},
        {"", "'volumes':[{'name':'lib','secret':{}}]", "",
         "/spec/initContainers/0/volumeMounts/0/name", "'lib-1'"},
        {"", "'volumes':[{'name':'lib','secret':{}}]", "", MAIN "/volumeMounts/1/name", "'lib-1'"},
        /* also where the GPU container's path is taken and it mounts alone */
        {"", "", "'volumeMounts':[{'name':'v','mountPath':'/opt/lib'}]", "/spec/volumes/2",
         "{'name':'lib','hostPath':{'path':'/node/lib'}}"},
    };

    give_mounts(*state);
    give_daemon(*state, SMALL);
    injection_case_check(*state, rows, COUNT(rows));
}

static void test_injection_volume__renames_nothing_but_mounts_of_a_sidecar(void **state)
{
    struct injection_case *all = *state;
    const char *made;

    give_sidecar(all, "bare", "{'name':'bare'}");
    give_daemon(all, SMALL);
    all->equip.sidecars[1].container =
        "{\"name\":\"daemon\",\"args\":[\"\\\"volumeMounts\\\":[\\\"name\\\":\\\"lib\\\"\"],"
        "\"volumeMounts\":[{\"name\":\"lib\",\"mountPath\":\"/\\\"]\\\\\"},{\"name\":\"sys\"}]}";
    made = injection_case_run(
        all, injection_case_pod(
                 all, "", "'volumes':[{'name':'lib','secret':{}},{'name':'sys','secret':{}}]", ""));
    assert_string_equal(injection_case_at(all, made, "/spec/initContainers/0"), "{'name':'bare'}");
    assert_string_equal(injection_case_at(all, made, "/spec/initContainers/1"),
                        "{'name':'daemon','args':['\\'volumeMounts\\':[\\'name\\':\\'lib\\''],"
                        "'volumeMounts':[{'name':'lib-1','mountPath':'/\\']\\\\'},"
                        "{'name':'sys-1'}]}");
}

static void test_injection_volume__leaves_out_what_the_namespace_forbids(void **state)
{
    static const struct {
        enum fb_pod_security level, sidecar;
        const char *container;
        const char *degraded;
    } cases[] = {
        {FB_POD_SECURITY_PRIVILEGED, FB_POD_SECURITY_PRIVILEGED, "", ""},
        {FB_POD_SECURITY_BASELINE, FB_POD_SECURITY_PRIVILEGED, "",
         "hostPath /opt/lib, capability IPC_LOCK, sidecar daemon"},
        /* the level would let it run, its volume does not */
        {FB_POD_SECURITY_BASELINE, FB_POD_SECURITY_RESTRICTED, "",
         "hostPath /opt/lib, capability IPC_LOCK, sidecar daemon"},
        {FB_POD_SECURITY_RESTRICTED, FB_POD_SECURITY_BASELINE, "",
         "hostPath /opt/lib, nfs /nfs, capability IPC_LOCK, capability CHOWN, sidecar daemon"},
        /* nothing is missing where the user has it */
        {FB_POD_SECURITY_RESTRICTED, FB_POD_SECURITY_RESTRICTED,
         "'volumeMounts':[{'name':'v','mountPath':'/opt/lib'},{'name':'v','mountPath':'/nfs'}],"
         "'securityContext':{'capabilities':{'add':['IPC_LOCK','CHOWN']}}",
         "sidecar daemon"},
    };
    struct injection_case *all = *state;

    give_mounts(all);
    give_mount(all, "nfs", "/nfs", "{'nfs':{'path':'/'}}", "");
    give_daemon(all, DAEMON);
    give_text(all->builder, &all->equip.capabilities, "IPC_LOCK");
    give_text(all->builder, &all->equip.capabilities, "CHOWN");
    give_text(all->builder, &all->equip.capabilities, "NET_BIND_SERVICE");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *mark, *made;

        all->in.level = cases[i].level;
        all->equip.sidecars[0].level = cases[i].sidecar;
        made = injection_case_run(all, injection_case_pod(all, "", "", cases[i].container));
        assert_string_equal(injection_case_texts(all, &all->made.degraded), cases[i].degraded);
        mark = injection_case_at(all, made, "/metadata/annotations/fabricbind.io~1degraded");
        if (*cases[i].degraded == '\0')
            assert_string_equal(mark, "-");
        else
            assert_memory_equal(mark + 1, cases[i].degraded, strlen(cases[i].degraded));
    }
}

static void test_injection_volume__restricted_keeps_what_it_may(void **state)
{
    struct injection_case *all = *state;
    const char *made;

    give_mounts(all);
    give_daemon(all, DAEMON);
    give_text(all->builder, &all->equip.capabilities, "IPC_LOCK");
    give_text(all->builder, &all->equip.capabilities, "NET_BIND_SERVICE");
    all->in.level = FB_POD_SECURITY_RESTRICTED;
    made = injection_case_run(all, injection_case_pod(all, "", "", ""));
    assert_string_equal(injection_case_at(all, made, MAIN "/volumeMounts"), "[" SHM "," OURS "]");
    assert_string_equal(injection_case_at(all, made, "/spec/volumes/2"), "-");
    assert_string_equal(injection_case_at(all, made, "/spec/initContainers"), "-");
    assert_string_equal(injection_case_at(all, made, MAIN "/securityContext/capabilities/add"),
                        "['NET_BIND_SERVICE']");
}

#define CASE(test)                                                                                 \
    cmocka_unit_test_setup_teardown(test, injection_case_set_up, injection_case_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_injection_volume__mounts_in_front_what_is_absent),
        CASE(test_injection_volume__brings_each_volume_once_and_in_front),
        CASE(test_injection_volume__uses_their_volume_of_that_name_and_kind),
        CASE(test_injection_volume__finds_a_name_that_no_other_volume_wants),
        CASE(test_injection_volume__mounts_the_nccl_file_where_the_policy_says),
        CASE(test_injection_volume__puts_sidecars_in_front),
        CASE(test_injection_volume__renames_nothing_but_mounts_of_a_sidecar),
        CASE(test_injection_volume__leaves_out_what_the_namespace_forbids),
        CASE(test_injection_volume__restricted_keeps_what_it_may),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
