/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/manifest.h"

#include "alloc_fault.h"
#include "fabricbind/own.h"
#include "objects_text.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs in one line, and "skipped n"; or the error. */
static const char *read_line(const char *text, struct line *line)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_jobs jobs = {0};
    struct fb_error err = {0};
    size_t skipped = 77;

    *line = (struct line){0};
    if (fb_manifest_read(arena, text, strlen(text), &jobs, &skipped, &err) != FB_OK) {
        assert_int_equal(jobs.len, 0); /* untouched on failure */
        assert_int_equal(skipped, 77);
        line_add(line, "%s", err.text);
        return line->text;
    }
    for (size_t i = 0; i < jobs.len; i++) {
        line_add_job(line, &jobs.at[i]);
        line_add(line, "\n");
    }
    line_add(line, "skipped %zu", skipped);
    return line->text;
}

static void test_manifest_read__reads_yaml_and_json(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  parallelism: 2\n"
         "  template:\n    spec:\n      containers:\n      - resources:\n"
         "          limits: {g: 8, cpu: 1.5, m: 2Gi}\n",
         "batch/Job default/j | main 2 {job}-{index} pod default/ "
         "main( requests{g=8,cpu=1500,m=2147483648} limits{g=8,cpu=1500,m=2147483648})\n"
         "skipped 0"},
        {"{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\","
         "\"namespace\":\"s\"}}",
         "batch/Job s/j | main 1 {job}-{index} pod s/\nskipped 0"},
        /* a pod is a job of its own, and what is neither is counted */
        {"---\napiVersion: v1\nkind: Service\nmetadata: {name: x}\n---\napiVersion: v1\nkind: Pod\n"
         "metadata: {name: p, labels: {a: b}}\nspec: {nodeName: node1}\n---\n---\napiVersion: v1\n"
         "kind: Node\nmetadata: {name: n}\n---\nkind: StatefulSet\napiVersion: apps/v1\n"
         "metadata: {name: s}\n",
         "/Pod default/p labels{a=b} | main 1 {job} pod default/p node=node1 labels{a=b}\n"
         "apps/StatefulSet default/s | main 1 {job}-{index} pod default/\nskipped 2"},
        {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap}\n"
         "- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n"
         "- {apiVersion: v1, kind: Pod, metadata: {name: b, namespace: s}}\n",
         "/Pod default/a | main 1 {job} pod default/a\n/Pod s/b | main 1 {job} pod s/b\n"
         "skipped 1"},
        {"{apiVersion: v1, kind: Pod, metadata: {generateName: train-}}",
         "/Pod default/train | main 1 {job} pod default/train\nskipped 0"},
        {"{apiVersion: v1, kind: Pod, metadata: {generateName: train-, name: x}}",
         "/Pod default/x | main 1 {job} pod default/x\nskipped 0"},
    };
    struct line line;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(read_line(cases[i].text, &line), cases[i].want);
}

static void test_manifest_read__refuses_bad_input_and_says_where(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "no job in it"},
        {"# nothing\n", "no job in it"},
        {"apiVersion: v1\nkind: ConfigMap\n", "no job in it"},
        {"{apiVersion: v1, kind: List, items: []}", "no job in it"},
        {"- a\n", "document 1: not a mapping"},
        {"text\n", "document 1: not a mapping"},
        {"{apiVersion: v1, kind: Pod}", "document 1: metadata.name: not given"},
        {"{apiVersion: v1, kind: Pod, metadata: {generateName: '--'}}",
         "document 1: metadata.name: not given"},
        {"{apiVersion: v1, kind: Pod, metadata: {name: 5}}",
         "document 1: metadata.name: not a string"},
        {"{apiVersion: v1, kind: Service}\n---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n"
         "metadata: {name: j}\nspec: {tasks: [{replicas: -1}]}\n",
         "document 2: spec.tasks[0].replicas: -1 is below 0"},
        {"apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j}\n"
         "spec: {tasks: [{replicas: 100001}]}\n",
         "document 1: spec.tasks[0].replicas: 100001 is above 100000"},
        {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: p},"
         " spec: {containers: [{resources: {limits: {g: 4x}}}]}}\n",
         "document 1: items[0]: spec.containers[0].resources.limits.g: '4x' is no quantity"},
    };
    struct line line;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(read_line(cases[i].text, &line), cases[i].want);
    assert_string_equal(read_line("a: [\n", &line), line.text);
    assert_ptr_equal(strstr(line.text, "line "), line.text);
}

static void test_manifest_read__adds_to_the_jobs_that_are_there(void **state)
{
    static const char text[] = "{apiVersion: v1, kind: Pod, metadata: {name: p}}";
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_jobs jobs = {0};

    (void)state;
    for (size_t i = 1; i <= 9; i++) {
        assert_int_equal(fb_manifest_read(arena, text, strlen(text), &jobs, NULL, NULL), FB_OK);
        assert_int_equal(jobs.len, i);
    }
    assert_int_equal(fb_manifest_read(arena, "{}", 2, &jobs, NULL, NULL), FB_EINPUT);
    assert_int_equal(jobs.len, 9);
}

static size_t load(const char *name, char *text, size_t room)
{
    char path[512];
    FILE *file;
    size_t len;

    (void)snprintf(path, sizeof path, "%s/jobs/%s", FB_TEST_DATA, name);
    file = fopen(path, "rb");
    assert_non_null(file);
    len = fread(text, 1, room, file);
    assert_int_equal(fclose(file), 0);
    assert_true(len > 0 && len < room);
    return len;
}

/* Pods of the job that ask for @gpus GPUs in their one container. */
static int64_t count_pods(const struct fb_job *job, int64_t gpus)
{
    int64_t pods = 0;

    for (size_t i = 0; i < job->tasks_len; i++) {
        assert_int_equal(job->tasks[i].pod.containers_len, 1);
        if (fb_resources_get(&job->tasks[i].pod.containers[0].requests, "nvidia.com/gpu") == gpus)
            pods += job->tasks[i].pods;
    }
    return pods;
}

static void test_manifest_read__reads_what_people_submit(void **state)
{
    /* As tests/data/jobs/expected.json has it. */
    static const struct {
        const char *file, *job, *last_pod;
        int64_t gpu_pods, gpus, without;
    } cases[] = {
        {"pytorchjob-fsdp.yaml", "team-a/fsdp-7b", "fsdp-7b-worker-2", 4, 8, 0},
        {"mpijob-nccl.yaml", "team-a/nccl-allreduce", "nccl-allreduce-worker-1", 2, 8, 1},
        {"jobset-driver-workers.yaml", "team-b/pretrain", "pretrain-workers-1-3", 8, 8, 1},
        {"volcano-mpi.yaml", "team-a/mpi-train", "mpi-train-mpiworker-3", 4, 8, 1},
        {"indexed-job-half-node.yaml", "team-b/finetune", "finetune-3", 4, 4, 0},
        {"pod-mig.yaml", "team-c/notebook", "notebook", 0, 8, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_jobs jobs = {0};
        char text[8192];
        char name[128];
        const struct fb_job *job;
        const struct fb_task *last;

        assert_int_equal(fb_manifest_read(arena, text, load(cases[i].file, text, sizeof text),
                                          &jobs, NULL, NULL),
                         FB_OK);
        assert_int_equal(jobs.len, 1);
        job = &jobs.at[0];
        last = &job->tasks[job->tasks_len - 1];
        (void)snprintf(name, sizeof name, "%s/%s", job->space, job->name);
        assert_string_equal(name, cases[i].job);
        assert_string_equal(fb_job_pod_name(arena, job, last, 0, last->pods - 1),
                            cases[i].last_pod);
        assert_int_equal(count_pods(job, cases[i].gpus), cases[i].gpu_pods);
        assert_int_equal(count_pods(job, 0), cases[i].without);
        assert_int_equal(fb_job_pods(job), cases[i].gpu_pods + cases[i].without);
    }
}

static void test_manifest_read__survives_every_allocation_that_fails(void **state)
{
    static const char text[] =
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: j}\nspec:\n"
        "  pytorchReplicaSpecs:\n    Master: {template: {spec: {containers: [{name: c}]}}}\n"
        "---\napiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: Pod, metadata: {generateName: p-}}\n";
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    while (st == FB_ENOMEM && after < 100000) {
        struct fb_jobs jobs = {0};
        struct fb_arena *arena;

        alloc_fault_arm(after++);
        arena = fb_arena_new(0);
        st = arena != NULL ? fb_manifest_read(arena, text, strlen(text), &jobs, NULL, NULL)
                           : FB_ENOMEM;
        alloc_fault_disarm();
        assert_int_equal(jobs.len, st == FB_OK ? 2 : 0);
        fb_arena_free(arena);
    }
    assert_int_equal(st, FB_OK);
    assert_true(after > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manifest_read__reads_yaml_and_json),
        cmocka_unit_test(test_manifest_read__refuses_bad_input_and_says_where),
        cmocka_unit_test(test_manifest_read__adds_to_the_jobs_that_are_there),
        cmocka_unit_test(test_manifest_read__reads_what_people_submit),
        cmocka_unit_test(test_manifest_read__survives_every_allocation_that_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
