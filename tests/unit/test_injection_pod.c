/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/injection.h"

#include "alloc_fault.h"
#include "injection_case.h"
#include "read_pod.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* The pod around its containers: annotations, networks, marks, pins. */

#define NOTES "/metadata/annotations"
#define MULTUS "k8s.v1.cni.cncf.io/networks"
#define MULTUS_AT NOTES "/k8s.v1.cni.cncf.io~1networks"

static void test_injection_pod__adds_annotations_that_are_absent(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", NOTES, "{'a.io/x':'1','b':'\\'q\\'\\n','fabricbind.io/managed':'true'}"},
        {"'annotations':null", "", "", NOTES "/b", "'\\'q\\'\\n'"},
        {"'annotations':{'b':'mine','c':'d'}", "", "", NOTES,
         "{'b':'mine','c':'d','a.io/x':'1','fabricbind.io/managed':'true'}"},
        {"'annotations':{'b':''}", "", "", NOTES "/b", "''"},
        {"'annotations':{'b':null}", "", "", NOTES "/b", "'\\'q\\'\\n'"},
    };
    struct injection_case *all = *state;

    give_pair(all, &all->equip.annotations, "a.io/x", "1");
    give_pair(all, &all->equip.annotations, "b", "\"q\"\n");
    injection_case_check(all, rows, COUNT(rows));
}

static void test_injection_pod__marks_what_it_manages(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", "/metadata/labels", "{'fabricbind.io/managed':'true'}"},
        {"'labels':{'a':'b'}", "", "", "/metadata/labels",
         "{'a':'b','fabricbind.io/managed':'true'}"},
        {"'labels':null", "", "", "/metadata/labels", "{'fabricbind.io/managed':'true'}"},
        {"'labels':{'fabricbind.io/managed':'no'}", "", "", "/metadata/labels",
         "{'fabricbind.io/managed':'true'}"},
        {"'annotations':{'fabricbind.io/managed':'true'}", "", "", NOTES,
         "{'fabricbind.io/managed':'true'}"},
        /* What only we can tell. */
        {"'annotations':{'fabricbind.io/profile':'{}','fabricbind.io/degraded':'x',"
         "'fabricbind.io/nccl.conf':'A=1','fabricbind.io/nccl-topo.xml':'<system/>'}",
         "", "", NOTES,
         "{'fabricbind.io/managed':'true','fabricbind.io/degraded':'','fabricbind.io/profile':'',"
         "'fabricbind.io/nccl.conf':'','fabricbind.io/nccl-topo.xml':''}"},
    };
    static const char bare[] =
        "{'spec':{'containers':[{'name':'m','resources':{'limits':{'" GPU "':8}}}]}}";
    struct injection_case *all = *state;

    injection_case_check(all, rows, COUNT(rows));
    /* A pod template may have no metadata. */
    assert_string_equal(injection_case_at(all, injection_case_run(all, bare), "/metadata"),
                        "{'annotations':{'fabricbind.io/managed':'true'},"
                        "'labels':{'fabricbind.io/managed':'true'}}");
}

static void give_interfaces(struct injection_case *all)
{
    all->equip.interfaces_annotation = "net/if";
    all->equip.first_interface = "eth0";
    all->equip.first_network = "default";
    all->equip.interface_prefix = "eth";
    all->equip.interface_from = 1;
}

static void test_injection_pod__lists_an_interface_for_every_network(void **state)
{
    static const struct {
        const char *fabric, *metadata, *container, *want;
    } cases[] = {
        {"nets", "", "",
         "'[{\\'interfaceName\\':\\'eth0\\',\\'network\\':\\'default\\'},"
         "{\\'interfaceName\\':\\'eth1\\',\\'network\\':\\'a\\'},"
         "{\\'interfaceName\\':\\'eth2\\',\\'network\\':\\'b\\'},"
         "{\\'interfaceName\\':\\'eth3\\',\\'network\\':\\'c\\'}]'"},
        {"nets", "'annotations':{'net/if':'mine'}", "", "'mine'"},
        /* those that the pod asks for itself, each with its number */
        {"nets", "", "'resources':{'limits':{'" GPU "':8,'acme.net/b':1,'acme.net/other':1}}",
         "'[{\\'interfaceName\\':\\'eth0\\',\\'network\\':\\'default\\'},"
         "{\\'interfaceName\\':\\'eth2\\',\\'network\\':\\'b\\'}]'"},
        {"bare", "", "", "-"},
    };
    struct injection_case *all = *state;

    give_interfaces(all);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *pod = injection_case_pod(all, cases[i].metadata, "", cases[i].container);

        injection_case_on(all, cases[i].fabric);
        assert_string_equal(injection_case_at(all, injection_case_run(all, pod), NOTES "/net~1if"),
                            cases[i].want);
    }
}

#define FOUR "'resources':{'limits':{'" GPU "':1}}"
#define OWN(n) "'resources':{'limits':{'" GPU "':8,'" NIC "':" n "}}"

static void test_injection_pod__names_as_many_networks_as_nics(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", FOUR, MULTUS_AT, "'ns/n,ns/n,ns/n,ns/n'"},
        {"", "", OWN("2"), MULTUS_AT, "'ns/n,ns/n'"},
        /* appended to the user's */
        {"'annotations':{'" MULTUS "':'mine'}", "", OWN("2"), MULTUS_AT, "'mine,ns/n,ns/n'"},
        {"'annotations':{'" MULTUS "':''}", "", OWN("1"), MULTUS_AT, "'ns/n'"},
        {"'annotations':{'" MULTUS "':' , '}", "", OWN("1"), MULTUS_AT, "'ns/n'"},
        {"'annotations':{'" MULTUS "':'mine, '}", "", OWN("1"), MULTUS_AT, "'mine,ns/n'"},
        {"'annotations':{'" MULTUS "':'ns/n2, ns/n@eth5 ,x'}", "", OWN("3"), MULTUS_AT,
         "'ns/n2, ns/n@eth5 ,x,ns/n,ns/n'"},
        {"'annotations':{'" MULTUS "':'ns/n,ns/n,ns/n'}", "", OWN("2"), MULTUS_AT,
         "'ns/n,ns/n,ns/n'"},
        {"'annotations':{'" MULTUS "':' [{}]'}", "", OWN("2"), MULTUS_AT, "' [{}]'"},
        /* the most that run at a time */
        {"", "'initContainers':[{'name':'i',\"resources\":{'limits':{'" GPU "':1}}}]", FOUR,
         MULTUS_AT, "'ns/n,ns/n,ns/n,ns/n'"},
    };
    struct injection_case *all = *state;

    all->equip.networks_annotation = MULTUS;
    all->equip.network = "policy";
    all->in.network = "ns/n";
    injection_case_check(all, rows, COUNT(rows));
    all->in.network = NULL;
    assert_string_equal(
        injection_case_at(all, injection_case_run(all, injection_case_pod(all, "", "", OWN("1"))),
                          MULTUS_AT),
        "'policy'");
    all->equip.network = NULL;
    assert_string_equal(
        injection_case_at(all, injection_case_run(all, injection_case_pod(all, "", "", OWN("1"))),
                          MULTUS_AT),
        "-");
}

static void test_injection_pod__counts_the_networks_of_all_gpu_containers(void **state)
{
    static const char pod[] = "{'metadata':{},'spec':{'containers':[{'name':'a'," FOUR "},"
                              "{'name':'b'," FOUR "}]}}";
    struct injection_case *all = *state;
    const char *got;

    all->equip.networks_annotation = MULTUS;
    all->equip.network = "n";
    got = injection_case_at(all, injection_case_run(all, pod), MULTUS_AT);
    assert_string_equal(got, "'n,n,n,n,n,n,n,n'");
    /* No NICs by request: nothing to name. */
    injection_case_on(all, "none");
    got = injection_case_at(all, injection_case_run(all, pod), MULTUS_AT);
    assert_string_equal(got, "-");
}

/* One that is configured and in no policy. */
static void test_injection_pod__respects_own_nics_of_a_resource_that_no_policy_knows(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", MULTUS_AT, "'n,n,n,n,n,n,n,n'"},
        {"", "", "'resources':{'limits':{'" GPU "':8,'own.test/vf':2}}", MULTUS_AT, "'n,n'"},
        {"", "", "'resources':{'limits':{'" GPU "':8,'own.test/vf':2}}",
         "/spec/containers/0/resources", "{'limits':{'" GPU "':8,'own.test/vf':2}}"},
    };
    struct injection_case *all = *state;
    struct fb_texts name = {0};

    need_case_configure(all->builder, "1");
    give_text(all->builder, &name, "own.test/vf");
    all->fabric.nics = name;
    all->equip.networks_annotation = MULTUS;
    all->equip.network = "n";
    injection_case_check(all, rows, COUNT(rows));
}

static void test_injection_pod__says_what_it_cannot_append_to(void **state)
{
    struct injection_case *all = *state;

    all->equip.networks_annotation = MULTUS;
    all->equip.network = "n";
    injection_case_run(all,
                       injection_case_pod(all, "'annotations':{'" MULTUS "':'[]'}", "", OWN("1")));
    assert_string_equal(injection_case_texts(all, &all->made.warnings),
                        MULTUS " is a JSON list: its networks are left as they are");
}

static void test_injection_pod__refuses_more_networks_than_a_pod_can_have(void **state)
{
    static const struct {
        const char *nics, *metadata, *refused;
        bool patched;
    } cases[] = {
        {"1024", "", NULL, true},
        {"1025", "", "more networks than a pod can have", false},
        {"1025", "'annotations':{'" MULTUS "':'n'}", NULL, true},
        {"9223372036854775807", "", "more networks than a pod can have", false},
    };
    struct injection_case *all = *state;

    all->equip.networks_annotation = MULTUS;
    all->equip.network = "n";
    for (size_t i = 0; i < COUNT(cases); i++) {
        char own[256];

        (void)snprintf(own, sizeof own, "'resources':{'limits':{'" GPU "':8,'" NIC "':'%s'}}",
                       cases[i].nics);
        injection_case_run(all, injection_case_pod(all, cases[i].metadata, "", own));
        assert_true(fb_text_equal(all->made.refused, cases[i].refused));
        assert_true((all->made.patch.len > 0) == cases[i].patched);
    }
}

static void test_injection_pod__leaves_pods_alone_that_are_not_networked(void **state)
{
    static const struct {
        enum fb_networking networking;
        const char *fabric; /* NULL: none */
        const char *container;
        size_t patched; /* 0 or 1 */
        const char *warnings;
    } cases[] = {
        {FB_NETWORKING_NO, "big", "", 0, ""},
        {FB_NETWORKING_GANG, "big", "", 1, ""},
        {FB_NETWORKING_ANNOTATED, NULL, "", 0, ""},
        {FB_NETWORKING_ANNOTATED, "big", "'resources':{}", 0, ""},
        {FB_NETWORKING_GANG, "nets", "", 1, ""},
        {FB_NETWORKING_GANG, "nets", FOUR, 0,
         "asks for 1 of 8 GPUs: this network is shared by whole nodes only, so the pod is not "
         "networked"},
        {FB_NETWORKING_ANNOTATED, "nets", FOUR, 1,
         "asks for 1 of 8 GPUs: this network is shared by whole nodes only"},
    };
    struct injection_case *all = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        injection_case_on(all, cases[i].fabric != NULL ? cases[i].fabric : "big");
        all->in.fabric = cases[i].fabric != NULL ? &all->fabric : NULL;
        all->in.networking = cases[i].networking;
        injection_case_run(all, injection_case_pod(all, "", "", cases[i].container));
        assert_int_equal(all->made.patch.len > 0, cases[i].patched);
        assert_string_equal(injection_case_texts(all, &all->made.warnings), cases[i].warnings);
    }
}

/* Something of everything. */
static void give_all(struct injection_case *all)
{
    struct fb_equip_sidecar *sidecar =
        give_sidecar(all, "d", "{'name':'d','volumeMounts':[{'name':'v','mountPath':'/v'}]}");

    give_sidecar_volume(all, sidecar, "v", "{'emptyDir':{}}");
    sidecar->level = FB_POD_SECURITY_BASELINE;
    give_mount(all, "lib", "/lib", "{'hostPath':{'path':'/l'}}", "");
    give_mount(all, "shm", "/dev/shm", "{'emptyDir':{}}", "");
    give_pair(all, &all->equip.env, "A", "1");
    give_pair(all, &all->equip.annotations, "a", "b");
    give_pair(all, &all->equip.requests, "cpu", "100m");
    give_text(all->builder, &all->equip.capabilities, "CHOWN");
    give_text(all->builder, &all->equip.capabilities, "IPC_LOCK");
    give_interfaces(all);
    give_pair(all, &all->in.pins, "type", "p5");
    all->equip.no_escalation = true;
    all->equip.seccomp = "RuntimeDefault";
    all->equip.networks_annotation = MULTUS;
    all->equip.network = "n";
    all->equip.conf_file = FB_CONF_FILE_BOTH;
    all->in.level = FB_POD_SECURITY_BASELINE;
    injection_case_on(all, "nets");
}

/* What @arena still has of its own; it is used up. */
static size_t use_up(struct fb_arena *arena)
{
    size_t room = (size_t)1 << 17;

    alloc_fault_arm(0);
    while (room > 0 && fb_arena_alloc(arena, room) == NULL)
        room -= 16;
    alloc_fault_disarm();
    return room;
}

struct starved {
    struct fb_arena *arena;
    struct fb_pod pod;
    struct fb_podspec spec;
};

static struct starved read_starved(void)
{
    static const char json[] =
        "{\"metadata\":{\"annotations\":{\"" MULTUS "\":\"x\"}},"
        "\"spec\":{\"volumes\":[{\"name\":\"shm\",\"nfs\":{}}],\"containers\":[{\"name\":\"m\","
        "\"envFrom\":[{}],\"resources\":{\"limits\":{\"" GPU "\":8}}}]}}";
    struct starved pod = {.arena = fb_arena_new(0)};

    assert_int_equal(read_pod(pod.arena, json, strlen(json), &pod.pod, &pod.spec, NULL), FB_OK);
    return pod;
}

/* Inject with @left of the @room bytes that there are. */
static enum fb_status inject_starved(struct injection_case *all, size_t left, size_t room)
{
    struct starved pod = read_starved();
    struct fb_injection made = {0};
    enum fb_status st;

    assert_non_null(fb_arena_alloc(pod.arena, room - left));
    all->in.pod = &pod.pod;
    all->in.spec = &pod.spec;
    alloc_fault_arm(0);
    st = fb_injection_make(pod.arena, &all->in, &made);
    alloc_fault_disarm();
    assert_int_equal(made.patch.len > 20, st == FB_OK); /* untouched on failure */
    fb_arena_free(pod.arena);
    return st;
}

static void test_injection_pod__survives_want_of_memory(void **state)
{
    struct starved probe = read_starved();
    size_t room = use_up(probe.arena);
    size_t failed = 0;

    fb_arena_free(probe.arena);
    give_all(*state);
    for (size_t left = 0; left < room; left += 16) {
        enum fb_status st = inject_starved(*state, left, room);

        assert_true(st == FB_OK || st == FB_ENOMEM);
        failed += st == FB_ENOMEM ? 1 : 0;
    }
    assert_true(failed > 100 && failed < room / 16);
}

#define CASE(test)                                                                                 \
    cmocka_unit_test_setup_teardown(test, injection_case_set_up, injection_case_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_injection_pod__adds_annotations_that_are_absent),
        CASE(test_injection_pod__marks_what_it_manages),
        CASE(test_injection_pod__lists_an_interface_for_every_network),
        CASE(test_injection_pod__names_as_many_networks_as_nics),
        CASE(test_injection_pod__counts_the_networks_of_all_gpu_containers),
        CASE(test_injection_pod__respects_own_nics_of_a_resource_that_no_policy_knows),
        CASE(test_injection_pod__says_what_it_cannot_append_to),
        CASE(test_injection_pod__refuses_more_networks_than_a_pod_can_have),
        CASE(test_injection_pod__leaves_pods_alone_that_are_not_networked),
        CASE(test_injection_pod__survives_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
