/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/objects.h"

#include "fabricbind/own.h"
#include "objects_text.h"
#include "unit.h"

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

/* A pod template with one container called @c. */
#define TEMPLATE(c) "{'spec':{'containers':[{'name':'" c "'}]}}"

static void test_object_reader__reads_volcano_jobs(void **state)
{
    static const struct row rows[] = {
        {"{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','metadata':{'name':'j',"
         "'namespace':'s','uid':'u','labels':{'a':'b'},'annotations':{'fabricbind.io/x':'y','z':"
         "'0'},'deletionTimestamp':'2026-01-01T00:00:00Z'},'spec':{'minAvailable':3,'tasks':[{"
         "'name':'m','replicas':1,'template':" TEMPLATE(
             "c") "},{'name':'w','replicas':4,"
                  "'minAvailable':2,'template':{'metadata':{'labels':{'l':'1'},'annotations':{"
                  "'nhx.nvidia.com/"
                  "num-nodes':'4','z':'0'},'name':'ignored'},'spec':{'containers':[{"
                  "'resources':{'limits':{'g':8}}}]}}}]}}",
         "batch.volcano.sh/Job s/j uid=u terminating min=3 labels{a=b} "
         "annotations{fabricbind.io/x=y} | m 1 {job}-{task}-{index} pod s/ main(c) | "
         "w 4 min=2 {job}-{task}-{index} pod s/ labels{l=1} "
         "annotations{nhx.nvidia.com/num-nodes=4} main( requests{g=8} limits{g=8})"},
        /* names and numbers that the API fills in */
        {"{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','spec':{'minAvailable':0,'tasks':"
         "[{'replicas':2},{'name':'x'},{'name':'','replicas':1}]}}",
         "batch.volcano.sh/Job / | default0 2 {job}-{task}-{index} pod / | "
         "x 0 {job}-{task}-{index} pod / | default2 1 {job}-{task}-{index} pod /"},
        {"{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','metadata':{'name':'j'}}",
         "batch.volcano.sh/Job /j"},
        /* the last wins */
        {"{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','spec':{'tasks':[{'name':'a'},{"
         "'name':'b'}],'tasks':[{'name':'c','replicas':2,'replicas':null,'template':" TEMPLATE(
             "x") ",'template':" TEMPLATE("y") "}]}}",
         "batch.volcano.sh/Job / | c 0 {job}-{task}-{index} pod / main(y)"},
        {"{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','spec':{'minAvailable':2,'tasks':"
         "[{'name':'a'}]},'spec':{}}",
         "batch.volcano.sh/Job /"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_object_reader__reads_jobs_of_one_template(void **state)
{
    static const struct row rows[] = {
        {"{'apiVersion':'batch/v1','kind':'Job','spec':{'completionMode':'Indexed','completions':4,"
         "'parallelism':4,'template':" TEMPLATE("c") "}}",
         "batch/Job / indexed | main 4 {job}-{index} pod / main(c)"},
        {"{'apiVersion':'batch/v1','kind':'Job','spec':{'completionMode':'NonIndexed',"
         "'completions':3,'parallelism':8}}",
         "batch/Job / | main 3 {job}-{index} pod /"},
        {"{'apiVersion':'batch/v1','kind':'Job','spec':{'completions':100000000,'parallelism':8}}",
         "batch/Job / | main 8 {job}-{index} pod /"},
        {"{'apiVersion':'batch/v1','kind':'Job','spec':{'parallelism':0}}",
         "batch/Job / | main 0 {job}-{index} pod /"},
        {"{'apiVersion':'batch/v1','kind':'Job','spec':{'template':" TEMPLATE(
             "a") ",'template':" TEMPLATE("b") "}}",
         "batch/Job / | main 1 {job}-{index} pod / main(b)"},
        {"{'apiVersion':'batch/v1','kind':'Job','spec':{'template':" TEMPLATE(
             "a") ",'template':null}}",
         "batch/Job / | main 1 {job}-{index} pod /"},
        {"{'apiVersion':'apps/v1','kind':'StatefulSet','spec':{'replicas':3,'template':" TEMPLATE(
             "c") "}}",
         "apps/StatefulSet / | main 3 {job}-{index} pod / main(c)"},
        {"{'apiVersion':'apps/v1','kind':'StatefulSet','spec':{}}",
         "apps/StatefulSet / | main 1 {job}-{index} pod /"},
        {"{'apiVersion':'run.ai/v1','kind':'RunaiJob','spec':{'parallelism':2,'completions':2,"
         "'template':" TEMPLATE("c") "}}",
         "run.ai/RunaiJob / | main 2 {job}-{index} pod / main(c)"},
        {"{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','spec':{'trainer':{"
         "'numNodes':4}}}",
         "trainer.kubeflow.org/TrainJob / | node 4 {job}-{task}-0-{index} pod /"},
        {"{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob'}",
         "trainer.kubeflow.org/TrainJob / | node 1 {job}-{task}-0-{index} pod /"},
        {"{'apiVersion':'apps/v1','kind':'Deployment','spec':{'replicas':3}}", "unknown"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_object_reader__reads_jobs_of_replica_types(void **state)
{
    static const struct row rows[] = {
        {"{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','spec':{'replicatedJobs':[{"
         "'name':'d','template':{'spec':{'template':" TEMPLATE(
             "c") "}}},{'name':'w','replicas':2,"
                  "'template':{'spec':{'parallelism':4,'completions':4,'template':" TEMPLATE(
                      "e") "}}},{'name':'z','replicas':3,'template':{'spec':{'parallelism':0}}}]"
                           "}}",
         "jobset.x-k8s.io/JobSet / | d 1 {job}-{task}-{outer}-{inner} pod / main(c) | "
         "w 8 inner=4 {job}-{task}-{outer}-{inner} pod / main(e) | "
         "z 0 {job}-{task}-{outer}-{inner} pod /"},
        {"{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','spec':{'replicatedJobs':[{"
         "'name':'w','replicas':2,'template':{'spec':{'parallelism':4,'completions':3}}}]}}",
         "jobset.x-k8s.io/JobSet / | w 6 inner=3 {job}-{task}-{outer}-{inner} pod /"},
        {"{'apiVersion':'kubeflow.org/v1','kind':'PyTorchJob','spec':{'pytorchReplicaSpecs':{"
         "'Worker':{'replicas':3,'template':" TEMPLATE("w") "},'Master':{'template':" TEMPLATE(
             "m") "}},'runPolicy':{'schedulingPolicy':{'minAvailable':2}}}}",
         "kubeflow.org/PyTorchJob / min=2 | master 1 {job}-{task}-{index} pod / main(m) | "
         "worker 3 {job}-{task}-{index} pod / main(w)"},
        {"{'apiVersion':'kubeflow.org/v1','kind':'PyTorchJob','spec':{'pytorchReplicaSpecs':{"
         "'Worker':{'replicas':3,'template':" TEMPLATE("w") "},'Worker':{'replicas':2}}}}",
         "kubeflow.org/PyTorchJob / | worker 2 {job}-{task}-{index} pod /"},
        {"{'apiVersion':'kubeflow.org/v1','kind':'PyTorchJob','spec':{'pytorchReplicaSpecs':{"
         "'Worker':{'replicas':3},'Master':null},'pytorchReplicaSpecs':{'Master':{}}}}",
         "kubeflow.org/PyTorchJob / | master 1 {job}-{task}-{index} pod /"},
        {"{'apiVersion':'kubeflow.org/v1','kind':'PyTorchJob','spec':{'pytorchReplicaSpecs':{"
         "'Launcher':{'replicas':2}}}}",
         "kubeflow.org/PyTorchJob / | launcher 2 {job}-{task}-{index} pod /"},
        {"{'apiVersion':'kubeflow.org/v2beta1','kind':'MPIJob','spec':{'mpiReplicaSpecs':{'Worker':"
         "{'replicas':2,'template':" TEMPLATE(
             "w") "},'Launcher':{'replicas':5,'template':" TEMPLATE("l") "}}}}",
         "kubeflow.org/MPIJob / | launcher 1 {job}-{task} pod / main(l) | "
         "worker 2 {job}-{task}-{index} pod / main(w)"},
        {"{'apiVersion':'kubeflow.org/v1','kind':'MPIJob','spec':{'mpiReplicaSpecs':{'Launcher':{},"
         "'Worker':{}}}}",
         "kubeflow.org/MPIJob / | launcher 1 {job}-{task} pod / | "
         "worker 0 {job}-{task}-{index} pod /"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_object_reader__reads_jobs_of_leaders_and_workers(void **state)
{
    static const struct row rows[] = {
        {"{'apiVersion':'leaderworkerset.x-k8s.io/v1','kind':'LeaderWorkerSet','spec':{'replicas':"
         "3,'leaderWorkerTemplate':{'size':4,'workerTemplate':" TEMPLATE("w") "}}}",
         "leaderworkerset.x-k8s.io/LeaderWorkerSet / groups=3 | leader 1 {job}-{group} pod / "
         "main(w) | worker 3 {job}-{group}-{next} pod / main(w)"},
        {"{'apiVersion':'leaderworkerset.x-k8s.io/v1','kind':'LeaderWorkerSet','spec':{"
         "'leaderWorkerTemplate':{'leaderTemplate':" TEMPLATE("l") ",'workerTemplate':" TEMPLATE(
             "w") "}}}",
         "leaderworkerset.x-k8s.io/LeaderWorkerSet / | leader 1 {job}-{group} pod / main(l) | "
         "worker 0 {job}-{group}-{next} pod / main(w)"},
        {"{'apiVersion':'ray.io/"
         "v1','kind':'RayCluster','spec':{'headGroupSpec':{'template':" TEMPLATE(
             "h") "},'workerGroupSpecs':[{'groupName':'g','replicas':2,'numOfHosts':4,"
                  "'template':" TEMPLATE("w") "},{'groupName':'k','replicas':1,'minReplicas':3},"
                                              "{'groupName':'e'}]}}",
         "ray.io/RayCluster / | head 1 {job}-head pod / main(h) | "
         "g 8 {job}-{task}-worker-{index} pod / main(w) | k 3 {job}-{task}-worker-{index} pod / | "
         "e 0 {job}-{task}-worker-{index} pod /"},
        {"{'apiVersion':'leaderworkerset.x-k8s.io/v1','kind':'LeaderWorkerSet','spec':{"
         "'leaderWorkerTemplate':{'size':0}}}",
         "leaderworkerset.x-k8s.io/LeaderWorkerSet / | leader 1 {job}-{group} pod / | "
         "worker 0 {job}-{group}-{next} pod /"},
        {"{'apiVersion':'ray.io/v1','kind':'RayCluster','metadata':{'name':'r'}}",
         "ray.io/RayCluster /r | head 1 {job}-head pod /"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_object_reader__bounds_the_pods_of_a_job(void **state)
{
    static const struct row rows[] = {
        {"{'apiVersion':'apps/v1','kind':'StatefulSet','spec':{'replicas':100000}}",
         "apps/StatefulSet / | main 100000 {job}-{index} pod /"},
        {"{'apiVersion':'apps/v1','kind':'StatefulSet','spec':{'replicas':100001}}",
         "limit: byte 64: spec.replicas: 100001 is above 100000"},
        {"{'apiVersion':'apps/v1','kind':'StatefulSet','spec':{'replicas':99999999999999999999}}",
         "limit: byte 64: spec.replicas: 99999999999999999999 is above 100000"},
        {"{'apiVersion':'apps/v1','kind':'StatefulSet','spec':{'replicas':-1}}",
         "input: byte 64: spec.replicas: -1 is below 0"},
        {"{'apiVersion':'apps/v1','kind':'StatefulSet','spec':{'replicas':2.5}}",
         "input: byte 64: spec.replicas: not an integer"},
        {"{'apiVersion':'apps/v1','kind':'StatefulSet','spec':{'replicas':'2'}}",
         "input: byte 64: spec.replicas: not an integer"},
        {"{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','spec':{'replicatedJobs':[{"
         "'replicas':1001,'template':{'spec':{'parallelism':100}}}]}}",
         "limit: byte 142: more than 100000 pods"},
        {"{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','spec':{'tasks':[{'replicas':"
         "100000},{'replicas':1}]}}",
         "limit: byte 108: more than 100000 pods"},
        {"{'apiVersion':'leaderworkerset.x-k8s.io/v1','kind':'LeaderWorkerSet','spec':{'replicas':"
         "50001,'leaderWorkerTemplate':{'size':2}}}",
         "limit: byte 128: more than 100000 pods"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_job_of_pod__is_a_job_of_one_task(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_pair label = {"a", "b"};
    struct fb_pod pod = {.space = "s",
                         .name = "p",
                         .uid = "u",
                         .node = "",
                         .phase = "",
                         .terminating = true,
                         .labels = {.at = &label, .len = 1}};
    struct fb_job job = {0};
    struct line line = {0};

    (void)state;
    assert_int_equal(fb_job_of_pod(arena, &pod, &job, NULL), FB_OK);
    line_add_job(&line, &job);
    assert_string_equal(line.text, "/Pod s/p uid=u terminating labels{a=b} | main 1 {job} pod s/p "
                                   "uid=u terminating labels{a=b}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object_reader__reads_volcano_jobs),
        cmocka_unit_test(test_object_reader__reads_jobs_of_one_template),
        cmocka_unit_test(test_object_reader__reads_jobs_of_replica_types),
        cmocka_unit_test(test_object_reader__reads_jobs_of_leaders_and_workers),
        cmocka_unit_test(test_object_reader__bounds_the_pods_of_a_job),
        cmocka_unit_test(test_job_of_pod__is_a_job_of_one_task),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
