/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/objects.h"

#include "fabricbind/own.h"
#include "fabricbind/quantity.h"
#include "objects_text.h"
#include "unit.h"

#include <inttypes.h>
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

/* A document of kind @head whose other keys are @body. */
static void check_bodies(const char *head, const struct row *rows, size_t len)
{
    struct line line;

    for (size_t i = 0; i < len; i++) {
        char json[4096];

        (void)snprintf(json, sizeof json, "{%s,%s}", head, rows[i].json);
        assert_string_equal(object_line(json, &line), rows[i].want);
    }
}

#define NODE "'apiVersion':'v1','kind':'Node'"
#define POD "'apiVersion':'v1','kind':'Pod'"

static void test_object_reader__reads_a_node(void **state)
{
    static const struct row rows[] = {
        {"'metadata':{'name':'n','uid':'u','namespace':'','annotations':{'fabricbind.io/x':'1'}}",
         "node n uid=u"},
        {"'metadata':{'labels':{'a':'1','b/c.d':''}}", "node  labels{a=1,b/c.d=}"},
        {"'metadata':{'labels':{'beta.kubernetes.io/instance-type':'old'}}",
         "node  type=old labels{beta.kubernetes.io/instance-type=old}"},
        {"'metadata':{'labels':{'node.kubernetes.io/instance-type':'new',"
         "'beta.kubernetes.io/instance-type':'old'}}",
         "node  type=new labels{node.kubernetes.io/instance-type=new,"
         "beta.kubernetes.io/instance-type=old}"},
        {"'spec':{'providerID':'p://1','unschedulable':true}",
         "node  provider=p://1 unschedulable"},
        {"'spec':{'unschedulable':false}", "node "},
        {"'spec':{'taints':[{'key':'k','value':'v','effect':'NoSchedule'},{'key':'l',"
         "'effect':'NoExecute','timeAdded':'2026-01-01T00:00:00Z'}]}",
         "node  taint(k=v:NoSchedule) taint(l=:NoExecute)"},
        {"'status':{'capacity':{'cpu':'1500m','x/y':'3'},'allocatable':{'cpu':'8','memory':'1Ki',"
         "'x/y':8,'z':'1500m','big':1e3,'half':0.5}}",
         "node  capacity{cpu=1500,x/y=3} allocatable{cpu=8000,memory=1024,x/y=8,z=2,big=1000,"
         "half=1}"},
        {"'status':{'conditions':[{'type':'MemoryPressure','status':'True'},{'status':'True',"
         "'type':'Ready'},{'type':'DiskPressure','status':'False'}]}",
         "node  ready"},
        {"'status':{'conditions':[{'type':'Ready','status':'Unknown'}]}", "node "},
        {"'status':{'conditions':[{'type':'Ready','status':'True'},{'type':'Ready'}]}", "node "},
        {"'status':{'conditions':[{'type':'Ready','status':'True'},{'status':'False'}]}",
         "node  ready"},
    };

    (void)state;
    check_bodies(NODE, rows, COUNT(rows));
}

/* Common amounts are read on a way of their own. */
static void test_object_reader__counts_amounts_as_quantities_are_counted(void **state)
{
    static const char *const texts[] = {
        "0",           "00",           "7",
        "999999999",   "1000000000",   "123456789012345",
        "1m",          "500m",         "999999999m",
        "1000000000m", "1Ki",          "999999999Ki",
        "1000000001M", "1000000001Ki", "999999999Mi",
        "3Gi",         "999999999Gi",  "9999999999Gi",
        "2Ti",         "1k",           "5G",
        "1e3",         "+4",           "0.5",
        "1.5Gi",       "10n",          "3u",
    };

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(texts); i++) {
        const char *text = texts[i / 2];
        const char *key = i % 2 == 0 ? "cpu" : "memory";
        struct fb_quantity quantity;
        struct line line;
        char json[256];
        char want[128];

        assert_int_equal(fb_quantity_parse(text, strlen(text), &quantity, NULL), FB_OK);
        (void)snprintf(json, sizeof json, "{" NODE ",'status':{'capacity':{'%s':'%s'}}}", key,
                       text);
        (void)snprintf(want, sizeof want, "node  capacity{%s=%" PRId64 "}", key,
                       i % 2 == 0 ? fb_quantity_milli(&quantity) : fb_quantity_units(&quantity));
        assert_string_equal(object_line(json, &line), want);
    }
}

static void test_object_reader__reads_a_pod(void **state)
{
    static const struct row rows[] = {
        {"'metadata':{'name':'p','namespace':'s','uid':'u','deletionTimestamp':"
         "'2026-01-01T00:00:00Z'}",
         "pod s/p uid=u terminating"},
        {"'spec':{'nodeName':'n','hostNetwork':true},'status':{'phase':'Running'}",
         "pod / node=n phase=Running host_network"},
        {"'metadata':{'labels':{'a':'1'},'annotations':{'fabricbind.io/a':'1','other/b':'2',"
         "'nhx.nvidia.com/c':'3','scheduling.k8s.io/d':'4','scheduling.volcano.sh/e':'5',"
         "'volcano.sh/f':'6','leaderworkerset.sigs.k8s.io/g':'7','jobset.sigs.k8s.io/h':'8',"
         "'fabricbind.i':'9','xvolcano.sh/':'10'}}",
         "pod / labels{a=1} annotations{fabricbind.io/a=1,nhx.nvidia.com/c=3,"
         "scheduling.k8s.io/d=4,scheduling.volcano.sh/e=5,volcano.sh/f=6,"
         "leaderworkerset.sigs.k8s.io/g=7,jobset.sigs.k8s.io/h=8}"},
        {"'metadata':{'ownerReferences':[{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job',"
         "'name':'j','uid':'1','controller':true},{'apiVersion':'v1','kind':'Node','name':'n',"
         "'uid':'2'}]}",
         "pod / owner(batch.volcano.sh/Job j 1 controller) owner(/Node n 2)"},
        {"'spec':{'nodeSelector':{'a':'b'},'overhead':{'cpu':'250m'},'resourceClaims':[{'name':"
         "'gpu','resourceClaimTemplateName':'t'},{'name':'nic'}]}",
         "pod / overhead{cpu=250} selector{a=b} claims[gpu,nic]"},
        {"'spec':{'tolerations':[{'key':'k','operator':'Equal','value':'v','effect':'NoSchedule',"
         "'tolerationSeconds':3},{'operator':'Exists'}]}",
         "pod / toleration(k Equal v:NoSchedule) toleration( Exists :)"},
        {"'spec':{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
         "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'k','operator':'In','values':['a',"
         "'b']},{'key':'l','operator':'Exists'}]},{'matchFields':[{'key':'metadata.name',"
         "'operator':'In','values':['n']}]},{}]}}}}",
         "pod / affinity term(k In [a,b]; l Exists) term(field metadata.name In [n]) term()"},
        {"'spec':{'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':"
         "[{'weight':1,'preference':{'matchExpressions':[{'key':'k','operator':'Exists'}]}}]},"
         "'podAffinity':{}}}",
         "pod /"},
    };

    (void)state;
    check_bodies(POD, rows, COUNT(rows));
}

static void test_object_reader__reads_containers_init_first(void **state)
{
    static const struct row rows[] = {
        {"'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'1'}}},{'name':'b'}],"
         "'initContainers':[{'name':'c'},{'name':'d','restartPolicy':'Always'},{'name':'e',"
         "'restartPolicy':'Never'}]}",
         "pod / init(c) sidecar(d) init(e) main(a requests{cpu=1000}) main(b)"},
        {"'spec':{'initContainers':[{'restartPolicy':'Always','name':'c'}],'containers':[{'name':"
         "'a','restartPolicy':'Always'}]}",
         "pod / sidecar(c) main(a)"},
        /* a limit is the request where there is none, name by name */
        {"'spec':{'containers':[{'resources':{'limits':{'g':'8','m':'2Gi'},'requests':{'cpu':'1',"
         "'m':'1Gi'}}}]}",
         "pod / main( requests{cpu=1000,m=1073741824,g=8} limits{g=8,m=2147483648})"},
        {"'spec':{'containers':[{'resources':{'limits':{'g':'8'},'requests':{'g':'0'}}}]}",
         "pod / main( requests{g=0} limits{g=8})"},
        {"'spec':{'initContainers':[{'resources':{'limits':{'g':4}}}],'ephemeralContainers':"
         "[{'name':'x'}]}",
         "pod / init( requests{g=4} limits{g=4})"},
    };

    (void)state;
    check_bodies(POD, rows, COUNT(rows));
}

static void test_object_reader__reads_a_podgroup(void **state)
{
    static const struct row rows[] = {
        {"'metadata':{'name':'g','namespace':'s','uid':'u','ownerReferences':[{'kind':'A'},"
         "{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','name':'j','uid':'v',"
         "'controller':true}]},'spec':{'minMember':4}",
         "podgroup s/g uid=u owner(batch.volcano.sh/Job j v) min=4"},
        {"'metadata':{'name':'g'}", "podgroup /g uid= owner(/  ) min=0"},
        {"'metadata':{'name':'g','annotations':{'fabricbind.io/fabric':'f','other/b':'2'}}",
         "podgroup /g uid= owner(/  ) min=0 annotations{fabricbind.io/fabric=f}"},
    };

    (void)state;
    check_bodies("'apiVersion':'scheduling.volcano.sh/v1beta1','kind':'PodGroup'", rows,
                 COUNT(rows));
}

static void test_object_reader__takes_null_for_absent(void **state)
{
    static const struct row rows[] = {
        {"null", ""},
        {"{" NODE ",'metadata':null,'spec':null,'status':null}", "node "},
        {"{" NODE ",'metadata':{'name':null,'uid':null,'labels':null},'spec':{'taints':null,"
         "'providerID':null,'unschedulable':null},'status':{'capacity':null,'conditions':null}}",
         "node "},
        {"{" NODE ",'metadata':{'labels':{'a':null,'b':'1'}},'spec':{'taints':[null,{'key':null},"
         "{'key':'k'}]},'status':{'allocatable':{'cpu':null,'x':1},'conditions':[null]}}",
         "node  labels{b=1} taint(=:) taint(k=:) allocatable{x=1}"},
        {"{" POD ",'metadata':{'deletionTimestamp':null,'ownerReferences':[{'controller':null,"
         "'apiVersion':null}]},'spec':{'affinity':null,'containers':[null,{'resources':null,"
         "'restartPolicy':null}],'resourceClaims':[{'name':null}]}}",
         "pod / owner(/  ) main() claims[]"},
        {"{" POD ",'spec':{'affinity':{'nodeAffinity':{"
         "'requiredDuringSchedulingIgnoredDuringExecution':null}}}}",
         "pod /"},
        {"{'apiVersion':'batch/v1','kind':'Job','spec':{'parallelism':null,'template':null}}",
         "batch/Job / | main 1 {job}-{index} pod /"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_object_reader__knows_the_kind_in_any_order(void **state)
{
    static const struct row rows[] = {
        {"{'status':{'allocatable':{'cpu':1}},'spec':{'providerID':'p'},'metadata':{'name':'n'},"
         "'kind':'Node','apiVersion':'v1'}",
         "node n provider=p allocatable{cpu=1000}"},
        {"{'spec':{'containers':[{'name':'c'}]},'apiVersion':'v1','metadata':{'name':'p'},"
         "'kind':'Pod'}",
         "pod /p main(c)"},
        {"{'spec':{'minAvailable':2,'tasks':[{'template':{'spec':{'nodeName':'n'}},'replicas':2,"
         "'name':'t'}]},'kind':'Job','apiVersion':'batch.volcano.sh/v1alpha1'}",
         "batch.volcano.sh/Job / min=2 | t 2 {job}-{task}-{index} pod / node=n"},
        {"{'kind':'Service','apiVersion':'v1'}", "unknown"},
        {"{'kind':'Node','apiVersion':'example.com/v1'}", "unknown"},
        {"{'kind':'PodGroup','apiVersion':'scheduling.x-k8s.io/v1alpha1'}", "unknown"},
        {"{'kind':'Job','apiVersion':'v1'}", "unknown"},
        {"{'kind':'Pod'}", "pod /"}, /* of the core group, which has no name */
        {"{'apiVersion':'v1'}", "unknown"},
        {"{}", "unknown"},
        {"{'kind':'Service','kind':'Pod','apiVersion':'x/v1','apiVersion':'v1'}", "pod /"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_object_reader__lets_the_last_of_a_key_win(void **state)
{
    static const struct row rows[] = {
        {"{" NODE ",'metadata':{'name':'a','labels':{'x':'1'}},'metadata':{'uid':'u'}}",
         "node  uid=u"},
        {"{" NODE ",'metadata':{'name':'a','name':'b','labels':{'x':'1','y':'2','x':'3'}}}",
         "node b labels{x=3,y=2}"},
        {"{" NODE ",'metadata':{'labels':{'x':'1','y':'2','x':null}}}", "node  labels{y=2}"},
        {"{" NODE ",'status':{'allocatable':{'x':1,'y':2,'x':null}}}", "node  allocatable{y=2}"},
        {"{" NODE ",'spec':{'taints':[{'key':'a'}],'unschedulable':true},'spec':{}}", "node "},
        {"{" NODE ",'spec':{'taints':[{'key':'a'}],'taints':[{'key':'b','key':'c'}]}}",
         "node  taint(c=:)"},
        {"{" NODE ",'status':{'allocatable':{'x':1},'allocatable':{'y':2,'y':3}}}",
         "node  allocatable{y=3}"},
        {"{" NODE ",'status':{'conditions':[{'type':'Ready','status':'True'}],'conditions':[]}}",
         "node "},
        {"{" NODE ",'spec':{'unschedulable':true},'spec':null}", "node "},
        {"{" POD ",'spec':{'containers':[{'name':'a'}],'initContainers':[{'name':'i'}],"
         "'containers':[{'name':'b'}]}}",
         "pod / init(i) main(b)"},
        {"{" POD ",'spec':{'containers':[{'name':'a'}],'initContainers':[{'name':'i',"
         "'restartPolicy':'Always'}],'initContainers':null}}",
         "pod / main(a)"},
        {"{" POD ",'spec':{'initContainers':[{'restartPolicy':'Always','restartPolicy':null}]}}",
         "pod / init()"},
        {"{" POD ",'spec':{'containers':[{'name':'a','resources':{'requests':{'x':1},'limits':"
         "{'y':1}},'resources':{'requests':{'z':1}}},{'name':'b','resources':{'limits':{'v':1}}}"
         "]}}",
         "pod / main(a requests{z=1}) main(b requests{v=1} limits{v=1})"},
        {"{" POD ",'spec':{'affinity':{'nodeAffinity':{"
         "'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
         "'matchExpressions':[{'key':'a'}],'matchFields':[{'key':'f'}],'matchExpressions':[{"
         "'key':'b','values':['1'],'values':['2']}]}]}}}}}",
         "pod / affinity term(field f ; b  [2])"},
        {"{" POD ",'spec':{'affinity':{'nodeAffinity':{"
         "'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
         "'matchExpressions':[{'key':'a'}]}]}}},'affinity':{}}}",
         "pod /"},
        {"{" POD ",'metadata':{'ownerReferences':[{'name':'a'}],'ownerReferences':[{'name':'b'}]},"
         "'spec':{'tolerations':[{'key':'a'}],'tolerations':[],'resourceClaims':[{'name':'a'}],"
         "'resourceClaims':[{'name':'b'}],'nodeSelector':{'a':'b'},'nodeSelector':{}}}",
         "pod / owner(/ b ) claims[b]"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object_reader__reads_a_node),
        cmocka_unit_test(test_object_reader__counts_amounts_as_quantities_are_counted),
        cmocka_unit_test(test_object_reader__reads_a_pod),
        cmocka_unit_test(test_object_reader__reads_containers_init_first),
        cmocka_unit_test(test_object_reader__reads_a_podgroup),
        cmocka_unit_test(test_object_reader__takes_null_for_absent),
        cmocka_unit_test(test_object_reader__knows_the_kind_in_any_order),
        cmocka_unit_test(test_object_reader__lets_the_last_of_a_key_win),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
