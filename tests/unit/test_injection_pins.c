/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/injection.h"

#include "injection_case.h"
#include "unit.h"

/* Node labels that hold a gang to its fabric. */

#define AFFINITY "/spec/affinity/nodeAffinity"
#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define TERMS(terms)                                                                               \
    "'affinity':{'nodeAffinity':{'" REQUIRED "':{'nodeSelectorTerms':[" terms "]}}}"
#define TERMS_AT AFFINITY "/" REQUIRED "/nodeSelectorTerms"
#define TYPE "{'key':'type','operator':'In','values':['p5']}"
#define ZONE "{'key':'zone','operator':'In','values':['z']}"
#define OTHER "{'key':'o','operator':'Exists'}"

static void test_injection_pins__every_term_is_pinned(void **state)
{
    static const struct injection_row rows[] = {
        {"", "", "", TERMS_AT, "[{'matchExpressions':[" TYPE "," ZONE "]}]"},
        {"", "'affinity':null", "", TERMS_AT, "[{'matchExpressions':[" TYPE "," ZONE "]}]"},
        {"", "'affinity':{'podAffinity':{}}", "", "/spec/affinity/podAffinity", "{}"},
        {"", "'affinity':{'nodeAffinity':{'" REQUIRED "':null}}", "", TERMS_AT,
         "[{'matchExpressions':[" TYPE "," ZONE "]}]"},
        {"", TERMS("{'matchExpressions':[" OTHER "]}"), "", TERMS_AT,
         "[{'matchExpressions':[" OTHER "," TYPE "," ZONE "]}]"},
        {"", TERMS("{'matchFields':[" OTHER "]},null,{'matchExpressions':[" OTHER "]}"), "",
         TERMS_AT,
         "[{'matchFields':[" OTHER "],'matchExpressions':[" TYPE "," ZONE "]},null,"
         "{'matchExpressions':[" OTHER "," TYPE "," ZONE "]}]"},
        /* what is said already */
        {"", TERMS("{'matchExpressions':[" ZONE "," TYPE "]}"), "", TERMS_AT,
         "[{'matchExpressions':[" ZONE "," TYPE "]}]"},
        {"", TERMS("{'matchExpressions':[" TYPE "]},{'matchExpressions':[" OTHER "," ZONE "]}"), "",
         TERMS_AT,
         "[{'matchExpressions':[" TYPE "," ZONE "]},{'matchExpressions':[" OTHER "," ZONE "," TYPE
         "]}]"},
        {"", "'nodeSelector':{'zone':'z'}", "", TERMS_AT, "[{'matchExpressions':[" TYPE "]}]"},
        {"", "'nodeSelector':{'zone':'z','type':'p5'}", "", "/spec/affinity", "-"},
        {"", "'nodeSelector':{'zone':'y','type':'p5'}", "", TERMS_AT,
         "[{'matchExpressions':[" ZONE "]}]"},
        /* near misses say something else */
        {"", TERMS("{'matchExpressions':[{'key':'type','operator':'NotIn','values':['p5']}]}"), "",
         TERMS_AT "/0/matchExpressions/1", TYPE},
        {"", TERMS("{'matchExpressions':[{'key':'type','operator':'In','values':['p5','p4']}]}"),
         "", TERMS_AT "/0/matchExpressions/1", TYPE},
        {"", TERMS("{'matchFields':[" TYPE "," ZONE "]}"), "", TERMS_AT "/0/matchExpressions",
         "[" TYPE "," ZONE "]"},
        /* a term that matches no node must not begin to */
        {"", TERMS("{}"), "", TERMS_AT, "[{}]"},
        {"", TERMS("{'matchExpressions':[]},{'matchExpressions':[" OTHER "]}"), "", TERMS_AT,
         "[{'matchExpressions':[]},{'matchExpressions':[" OTHER "," TYPE "," ZONE "]}]"},
        {"", TERMS(""), "", TERMS_AT, "[]"},
        {"", "'affinity':{'nodeAffinity':{'" REQUIRED "':{}}}", "", AFFINITY "/" REQUIRED, "{}"},
    };
    struct injection_case *all = *state;

    injection_case_run(all, injection_case_pod(all, "", "", ""));
    give_pair(all, &all->in.pins, "type", "p5");
    give_pair(all, &all->in.pins, "zone", "z");
    injection_case_check(all, rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_injection_pins__every_term_is_pinned,
                                        injection_case_set_up, injection_case_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
