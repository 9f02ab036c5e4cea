/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/injection.h"

#include "injection_case.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* GPU containers: requests, variables, security. Mounts are in test_injection_volume.c. */

#define MAIN "/spec/containers/0"
#define G "'" GPU "'"
#define N "'" NIC "'"

#define TWO "{'name':'side'},{'resources':{'limits':{" G ":4}}},{'resources':{'limits':{" G ":2}}}"

static void test_injection__asks_for_nics_as_request_and_limit(void **state)
{
    static const struct {
        const char *fabric, *ratio, *containers, *pointer, *want;
    } cases[] = {
        {"big", "auto", "{'resources':{'limits':{" G ":8}}}", "/spec/containers/0/resources",
         "{'limits':{" G ":8," N ":'32'},'requests':{" N ":'32'}}"},
        {"half", "auto", "{'resources':{'requests':{" G ":'7'},'limits':{" G ":'7'}}}",
         "/spec/containers/0/resources",
         "{'requests':{" G ":'7'," N ":'4'},'limits':{" G ":'7'," N ":'4'}}"},
        {"big", "1/2", "{'resources':{'limits':{" G ":1}}}", "/spec/containers/0/resources/limits",
         "{" G ":1," N ":'1'}"},
        {"seats", "auto", "{'resources':{'limits':{" G ":8}}}",
         "/spec/containers/0/resources/limits", "{" G ":8,'" SEAT "':'1'}"},
        {"seats", "1", "{'resources':{'limits':{" G ":8}}}", "/spec/containers/0/resources/limits",
         "{" G ":8,'" SEAT "':'8'}"},
        /* each GPU container its own, in its place; others none */
        {"big", "auto", TWO, "/spec/containers/0", "{'name':'side'}"},
        {"big", "auto", TWO, "/spec/containers/1/resources/requests", "{" N ":'16'}"},
        {"big", "auto", TWO, "/spec/containers/2/resources/requests", "{" N ":'8'}"},
        /* whose count is 0 asks for nothing */
        {"big", "auto", "{'resources':{'limits':{" G ":'0'}}},{'resources':{'limits':{" G ":1}}}",
         "/spec/containers/0", "{'resources':{'limits':{" G ":'0'}}}"},
        /* null is absent */
        {"big", "auto", "null,{'resources':{'limits':{" G ":8},'requests':null}}",
         "/spec/containers/1/resources", "{'limits':{" G ":8," N ":'32'},'requests':{" N ":'32'}}"},
        /* 0 NICs is no count */
        {"big", "auto", "{'resources':{'limits':{" G ":8," N ":0}}}",
         "/spec/containers/0/resources", "{'limits':{" G ":8," N ":'32'},'requests':{" N ":'32'}}"},
        /* the user's count wins, for the whole pod */
        {"big", "auto", "{'resources':{'limits':{" G ":8," N ":16}}}",
         "/spec/containers/0/resources", "{'limits':{" G ":8," N ":16}}"},
        {"big", "auto",
         "{'resources':{'limits':{" G ":4," N ":2}}},{'resources':{'limits':{" G ":4}}}",
         "/spec/containers/1/resources", "{'limits':{" G ":4}}"},
        /* nothing to ask for */
        {"bare", "auto", "{'resources':{'limits':{" G ":8}}}", "/spec/containers/0/resources",
         "{'limits':{" G ":8}}"},
        {"none-seats", "auto", "{'resources':{'limits':{" G ":8}}}", "/spec/containers/0/resources",
         "{'limits':{" G ":8}}"},
    };
    struct injection_case *all = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        char pod[1024];
        const char *got;

        need_case_configure(all->builder, cases[i].ratio);
        injection_case_on(all, cases[i].fabric);
        (void)snprintf(pod, sizeof pod, "{'metadata':{'name':'p'},'spec':{'containers':[%s]}}",
                       cases[i].containers);
        got = injection_case_at(all, injection_case_run(all, pod), cases[i].pointer);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("row %zu: %s\nwant %s", i, got, cases[i].want);
    }
}

static void test_injection__equips_init_containers_with_gpus(void **state)
{
    static const char pod[] =
        "{'metadata':{},'spec':{'initContainers':[{'name':'a'},{'name':'b','resources':{'limits':"
        "{" G ":2}}}],'containers':[{'name':'m','resources':{'limits':{" G ":8}}}]}}";
    struct injection_case *all = *state;
    const char *made;

    give_pair(all, &all->equip.env, "X", "1");
    made = injection_case_run(all, pod);
    assert_string_equal(injection_case_at(all, made, "/spec/initContainers/0"), "{'name':'a'}");
    assert_string_equal(injection_case_at(all, made, "/spec/initContainers/1/resources/requests"),
                        "{" N ":'8'}");
    assert_string_equal(injection_case_at(all, made, "/spec/initContainers/1/env"),
                        "[{'name':'X','value':'1'}]");
    assert_string_equal(injection_case_at(all, made, "/spec/containers/0/resources/requests"),
                        "{" N ":'32'}");
}

#define ONE "{'acme.net/a':'1','acme.net/b':'1','acme.net/c':'1'}"

#define P(init, main) "{'metadata':{},'spec':{'initContainers':[" init "],'containers':[" main "]}}"
#define GPUS(n) "{'resources':{'limits':{" G ":" n "}}}"
#define SIDECAR "{'restartPolicy':'Always','resources':{'limits':{" G ":4}}}"
#define FIRST "/spec/containers/0/resources/requests"
#define INIT(n) "/spec/initContainers/" n "/resources/requests"

static void test_injection__asks_for_every_network_once_a_pod(void **state)
{
    static const struct {
        const char *pod, *pointer, *want;
    } cases[] = {
        {P("", GPUS("4") "," GPUS("4")), FIRST, ONE},
        {P("", GPUS("4") "," GPUS("4")), "/spec/containers/1/resources/requests", "-"},
        {P(GPUS("8"), GPUS("8")), INIT("0"), "-"},
        {P(GPUS("8"), GPUS("8")), FIRST, ONE},
        {P(GPUS("8"), GPUS("0")), INIT("0"), ONE},
        {P(GPUS("8") "," GPUS("8"), GPUS("0")), INIT("1"), "-"},
        {P(SIDECAR, GPUS("4")), INIT("0"), ONE},
        {P(SIDECAR, GPUS("4")), FIRST, "-"},
        {P(GPUS("8") "," SIDECAR, GPUS("4")), INIT("0"), "-"},
        {P(GPUS("8") "," SIDECAR, GPUS("4")), INIT("1"), ONE},
    };
    struct injection_case *all = *state;

    injection_case_on(all, "nets");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *got =
            injection_case_at(all, injection_case_run(all, cases[i].pod), cases[i].pointer);

        if (strcmp(got, cases[i].want) != 0)
            fail_msg("row %zu: %s\nwant %s", i, got, cases[i].want);
    }
}

static void test_injection__adds_other_requests_where_there_are_none(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", MAIN "/resources/requests", "{'cpu':'100m','hugepages-2Mi':'1Gi'}"},
        {"", "", "", MAIN "/resources/limits", "{" G ":8,'hugepages-2Mi':'1Gi'}"},
        {"", "", "'resources':{'limits':{" G ":8,'cpu':4,'hugepages-2Mi':'2Gi'}}",
         MAIN "/resources", "{'limits':{" G ":8,'cpu':4,'hugepages-2Mi':'2Gi'}}"},
        {"", "", "'resources':{'requests':{'cpu':'1'},'limits':{" G ":8,'hugepages-2Mi':'2Gi'}}",
         MAIN "/resources", "{'requests':{'cpu':'1'},'limits':{" G ":8,'hugepages-2Mi':'2Gi'}}"},
        {"", "", "'resources':{'limits':{" G ":8,'hugepages-2Mi':'2Gi'}}",
         MAIN "/resources/requests", "{'cpu':'100m'}"},
    };
    struct injection_case *all = *state;

    injection_case_on(all, "bare");
    give_pair(all, &all->equip.requests, "cpu", "100m");
    give_pair(all, &all->equip.requests, "hugepages-2Mi", "1Gi");
    injection_case_check(all, rows, COUNT(rows));
}

static void test_injection__sets_variables_that_are_absent_in_front(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", MAIN "/env", "[{'name':'A','value':'1'},{'name':'B','value':'say \\'x\\''}]"},
        {"", "", "'env':null", MAIN "/env/0/name", "'A'"},
        {"", "", "'env':[]", MAIN "/env/1/name", "'B'"},
        {"", "", "'env':[{'name':'C','value':'$(A)'}]", MAIN "/env",
         "[{'name':'A','value':'1'},{'name':'B','value':'say \\'x\\''},"
         "{'name':'C','value':'$(A)'}]"},
        {"", "", "'env':[{'name':'A','value':'mine'},null]", MAIN "/env",
         "[{'name':'B','value':'say \\'x\\''},{'name':'A','value':'mine'},null]"},
        /* a value from elsewhere is a value; so is an empty one, or one given twice */
        {"", "", "'env':[{'name':'A','valueFrom':{'configMapKeyRef':{'key':'k'}}},{'name':'B'}]",
         MAIN "/env", "[{'name':'A','valueFrom':{'configMapKeyRef':{'key':'k'}}},{'name':'B'}]"},
        {"", "", "'env':[{'name':'A','value':'1'},{'name':'B'},{'name':'A','value':'2'}]",
         MAIN "/env", "[{'name':'A','value':'1'},{'name':'B'},{'name':'A','value':'2'}]"},
        /* names are compared as they are */
        {"", "", "'env':[{'name':'a'},{'name':'B '}]", MAIN "/env/1/name", "'B'"},
    };
    struct injection_case *all = *state;

    give_pair(all, &all->equip.env, "A", "1");
    give_pair(all, &all->equip.env, "B", "say \"x\"");
    injection_case_check(all, rows, COUNT(rows));
}

static void test_injection__names_the_nccl_file_and_the_transport(void **state)
{
    static const struct {
        enum fb_conf_file where;
        bool require;
        const char *net; /* of the policy */
        const char *own; /* NCCL_NET of the policy's variables */
        const char *env; /* of the user */
        const char *want;
    } cases[] = {
        {FB_CONF_FILE_BOTH, false, "Net", NULL, "",
         "[{'name':'NCCL_CONF_FILE','value':'/etc/fabricbind/nccl.conf'}]"},
        {FB_CONF_FILE_ENV, false, "Net", NULL, "",
         "[{'name':'NCCL_CONF_FILE','value':'/etc/fabricbind/nccl.conf'}]"},
        {FB_CONF_FILE_ETC, false, "Net", NULL, "", "-"},
        {FB_CONF_FILE_NONE, false, "Net", NULL, "", "-"},
        {FB_CONF_FILE_BOTH, false, NULL, NULL, "'env':[{'name':'NCCL_CONF_FILE','value':'/x'}]",
         "[{'name':'NCCL_CONF_FILE','value':'/x'}]"},
        {FB_CONF_FILE_NONE, true, "Net", NULL, "", "[{'name':'NCCL_NET','value':'Net'}]"},
        {FB_CONF_FILE_NONE, true, NULL, NULL, "", "-"},
        {FB_CONF_FILE_NONE, true, "Net", "Own", "", "[{'name':'NCCL_NET','value':'Own'}]"},
        {FB_CONF_FILE_NONE, true, "Net", NULL, "'env':[{'name':'NCCL_NET','value':'IB'}]",
         "[{'name':'NCCL_NET','value':'IB'}]"},
    };
    struct injection_case *all = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *pod = injection_case_pod(all, "", "", cases[i].env);
        const char *got;

        all->equip.env = (struct fb_pairs){0};
        if (cases[i].own != NULL)
            give_pair(all, &all->equip.env, "NCCL_NET", cases[i].own);
        all->equip.conf_file = cases[i].where;
        all->equip.nccl_net = cases[i].net;
        all->in.require_transport = cases[i].require;
        got = injection_case_at(all, injection_case_run(all, pod), MAIN "/env");
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("row %zu: %s", i, got);
    }
}

static void test_injection__warns_of_variables_that_it_cannot_see(void **state)
{
    struct injection_case *all = *state;
    const char *pod = injection_case_pod(all, "", "", "'envFrom':[{'configMapRef':{'name':'c'}}]");

    injection_case_run(all, pod);
    assert_string_equal(injection_case_texts(all, &all->made.warnings), "");
    give_pair(all, &all->equip.env, "A", "1");
    injection_case_run(all, pod);
    assert_string_equal(injection_case_texts(all, &all->made.warnings),
                        "container main: injected variables win over those of its envFrom");
}

#define SECURITY MAIN "/securityContext"

static void test_injection__unites_capabilities(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", SECURITY, "{'capabilities':{'add':['IPC_LOCK','SYS_NICE']}}"},
        {"", "", "'securityContext':{'runAsUser':5}", SECURITY,
         "{'runAsUser':5,'capabilities':{'add':['IPC_LOCK','SYS_NICE']}}"},
        {"", "", "'securityContext':{'capabilities':{'drop':['ALL'],'add':null}}", SECURITY,
         "{'capabilities':{'drop':['ALL'],'add':['IPC_LOCK','SYS_NICE']}}"},
        {"", "", "'securityContext':{'capabilities':{'add':['SYS_PTRACE','IPC_LOCK']}}", SECURITY,
         "{'capabilities':{'add':['SYS_PTRACE','IPC_LOCK','SYS_NICE']}}"},
        {"", "", "'securityContext':{'capabilities':{'add':['SYS_NICE','IPC_LOCK']}}", SECURITY,
         "{'capabilities':{'add':['SYS_NICE','IPC_LOCK']}}"},
        {"", "", "'securityContext':{'capabilities':{'add':['ALL']}}", SECURITY,
         "{'capabilities':{'add':['ALL']}}"},
        {"", "", "'securityContext':{'privileged':true}", SECURITY, "{'privileged':true}"},
        {"", "", "'securityContext':{'privileged':false}", SECURITY "/capabilities/add/0",
         "'IPC_LOCK'"},
        {"", "", "'securityContext':{'capabilities':{'drop':['IPC_LOCK','SYS_NICE']}}", SECURITY,
         "{'capabilities':{'drop':['IPC_LOCK','SYS_NICE']}}"},
    };
    struct injection_case *all = *state;

    give_text(all->builder, &all->equip.capabilities, "IPC_LOCK");
    give_text(all->builder, &all->equip.capabilities, "SYS_NICE");
    injection_case_check(all, rows, COUNT(rows));
    assert_string_equal(
        injection_case_texts(all, &all->made.warnings),
        "container main: drops capability IPC_LOCK, container main: drops capability SYS_NICE");
}

static void test_injection__sets_security_where_nothing_is_said(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", SECURITY,
         "{'allowPrivilegeEscalation':false,'seccompProfile':{'type':'RuntimeDefault'}}"},
        {"", "", "'securityContext':null", SECURITY "/allowPrivilegeEscalation", "false"},
        {"", "", "'securityContext':{'allowPrivilegeEscalation':true}", SECURITY,
         "{'allowPrivilegeEscalation':true,'seccompProfile':{'type':'RuntimeDefault'}}"},
        {"", "", "'securityContext':{'seccompProfile':{'type':'Localhost','localhostProfile':'p'}}",
         SECURITY,
         "{'seccompProfile':{'type':'Localhost','localhostProfile':'p'},"
         "'allowPrivilegeEscalation':false}"},
        {"", "'securityContext':{'seccompProfile':{'type':'Unconfined'}}", "", SECURITY,
         "{'allowPrivilegeEscalation':false}"},
        {"", "'securityContext':{'seccompProfile':null}", "", SECURITY "/seccompProfile",
         "{'type':'RuntimeDefault'}"},
        /* what the API server refuses beside no escalation */
        {"", "", "'securityContext':{'privileged':true}", SECURITY, "{'privileged':true}"},
        {"", "", "'securityContext':{'capabilities':{'add':['CAP_SYS_ADMIN']}}", SECURITY,
         "{'capabilities':{'add':['CAP_SYS_ADMIN']},'seccompProfile':{'type':'RuntimeDefault'}}"},
        {"", "", "'securityContext':{'capabilities':{'add':['SYS_ADMIN']}}",
         SECURITY "/allowPrivilegeEscalation", "-"},
        {"", "", "'securityContext':{'capabilities':{'add':['ALL']}}",
         SECURITY "/allowPrivilegeEscalation", "-"},
    };
    struct injection_case *all = *state;

    all->equip.no_escalation = true;
    all->equip.seccomp = "RuntimeDefault";
    injection_case_check(all, rows, COUNT(rows));
    all->equip.no_escalation = false;
    all->equip.seccomp = NULL;
    assert_string_equal(
        injection_case_at(all, injection_case_run(all, injection_case_pod(all, "", "", "")),
                          SECURITY),
        "-");
}

#define CASE(test)                                                                                 \
    cmocka_unit_test_setup_teardown(test, injection_case_set_up, injection_case_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_injection__asks_for_nics_as_request_and_limit),
        CASE(test_injection__equips_init_containers_with_gpus),
        CASE(test_injection__asks_for_every_network_once_a_pod),
        CASE(test_injection__adds_other_requests_where_there_are_none),
        CASE(test_injection__sets_variables_that_are_absent_in_front),
        CASE(test_injection__names_the_nccl_file_and_the_transport),
        CASE(test_injection__warns_of_variables_that_it_cannot_see),
        CASE(test_injection__unites_capabilities),
        CASE(test_injection__sets_security_where_nothing_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
