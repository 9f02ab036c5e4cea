/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_case.h"

#include "fabricbind/own.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is said when a job is submitted. JSON is written with ' for ". */

#define TASK(name, replicas, metadata, gpus)                                                       \
    "{'name':'" name "','replicas':" replicas ",'template':{'metadata':{" metadata "},'spec':{"    \
    "'tolerations':[{'operator':'Exists'}],'containers':[{'name':'c','resources':{'limits':{"      \
    "'nvidia.com/gpu':" gpus "}}}]}}}"
#define JOB(tasks) "{'metadata':{'name':'j'},'spec':{'tasks':[" tasks "]}}"
#define ANNOTATED "'annotations':{'fabricbind.io/networking':'true'}"

/* Eight p5, three p4d. */
static void expect(struct fb_inventory *inventory, const char *job, const char *want)
{
    struct admission_case run;
    char *object = admission_case_quote(job);
    char *text;

    admission_case_start(&run, inventory, NULL);
    text = admission_case_say(&run, "Job", object);
    admission_case_expect(text, "/response/allowed", "true");
    admission_case_expect(text, "/response/patch", "-");
    admission_case_expect(text, "/response/warnings", want);
    free(text);
    free(object);
    admission_case_stop(&run);
}

static void test_admission_jobs__say_what_can_never_fit(void **state)
{
    (void)state;
    expect(admission_case_read("aws"), JOB(TASK("w", "8", "", "8")), "-");
    expect(admission_case_read("aws"), JOB(TASK("w", "64", "", "8")),
           "['fabricbind: 64 pods x 32 vpc.amazonaws.com/efa: 8 such nodes exist, at most 8 of 64 "
           "pods fit on one fabric']");
    expect(admission_case_read("aws"),
           JOB(TASK("a", "1", "", "8") "," TASK("b", "9", "", "8") "," TASK("c", "900", "", "0")),
           "['fabricbind: 10 pods x 32 vpc.amazonaws.com/efa: 8 such nodes exist, at most 8 of 10 "
           "pods fit on one fabric']");
    /* Where there is no node it is of no use to count them. */
    expect(admission_case_read(NULL), JOB(TASK("w", "64", "", "8")),
           "['fabricbind: task w: its pods will get no network: no node is there that this pod "
           "could go to, and no instance type is named by its nodeSelector or affinity or by "
           "expectedShapes']");
    expect(admission_case_read(NULL), JOB(TASK("w", "64", ANNOTATED, "8")),
           "['fabricbind: task w: its pods will be denied: no node is there that this pod could "
           "go to, and no instance type is named by its nodeSelector or affinity or by "
           "expectedShapes']");
    /* Nothing to say of what is not networked. */
    expect(admission_case_read("aws"), JOB(TASK("w", "1", "", "8")), "-");
    expect(admission_case_read("aws"), JOB(TASK("w", "100000", "", "0")), "-");
    expect(admission_case_read("aws"), JOB(""), "-");
    expect(admission_case_read("aws"), JOB(TASK("w", "3", ANNOTATED, "0")),
           "['fabricbind: task w: annotated for multi-node networking but asks for no whole GPUs: "
           "it gets no network']");
}

static void test_admission_jobs__say_what_pod_security_leaves_out(void **state)
{
    struct fb_inventory *inventory = admission_case_read("azure");

    (void)state;
    admission_case_space(inventory, FB_POD_SECURITY_RESTRICTED, false);
    expect(inventory, JOB(TASK("a", "1", "", "8") "," TASK("b", "1", "", "8")),
           "['fabricbind: left out, as Pod Security level restricted forbids it: capability "
           "IPC_LOCK']");
    inventory = admission_case_read("azure");
    admission_case_space(inventory, FB_POD_SECURITY_RESTRICTED, true);
    expect(inventory, JOB(TASK("a", "64", "", "8")), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission_jobs__say_what_can_never_fit),
        cmocka_unit_test(test_admission_jobs__say_what_pod_security_leaves_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
