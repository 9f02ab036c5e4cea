/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_case.h"
#include "metrics_text.h"

#include "fabricbind/own.h"
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Many ask at once while the inventory changes under them. JSON is written with ' for ". */

#define THREADS 4
#define ROUNDS 20

/* One kind of request, and what is answered to it when nobody else asks. */
struct question {
    enum fb_admission_route route;
    char *body, *want;
};

struct crowd {
    struct admission_case run;
    struct question *questions;
    size_t len;
    atomic_size_t wrong;
};

/* Any pod is one of 8 GPUs that is managed. */
static enum fb_status find_pod(void *context, struct fb_arena *arena, const char *space,
                               const char *name, struct fb_pod *ret, struct fb_error *err)
{
    static struct fb_pair notes[] = {{"fabricbind.io/managed", "true"},
                                     {"fabricbind.io/networking", "true"}};
    static struct fb_resource gpus[] = {{"nvidia.com/gpu", 8}};
    static struct fb_container container = {.name = "c", .requests = {.at = gpus, .len = 1}};

    (void)context;
    (void)arena;
    (void)err;
    *ret = (struct fb_pod){.space = space, .name = name, .uid = "u", .node = "", .phase = ""};
    ret->annotations = (struct fb_pairs){.at = notes, .len = COUNT(notes)};
    ret->containers = &container;
    ret->containers_len = 1;
    return FB_OK;
}

static char *ask(const struct crowd *crowd, const struct question *question)
{
    unsigned status;

    return admission_case_ask(&crowd->run, question->route, question->body, strlen(question->body),
                              &status);
}

static void *ask_much(void *context)
{
    struct crowd *crowd = context;

    for (size_t i = 0; i < ROUNDS * crowd->len; i++) {
        const struct question *question = &crowd->questions[i % crowd->len];
        char *text = ask(crowd, question);

        if (text == NULL || strcmp(text, question->want) != 0)
            atomic_fetch_add(&crowd->wrong, 1);
        free(text);
    }
    return NULL;
}

static struct question make(struct crowd *crowd, enum fb_admission_route route, const char *kind,
                            const char *text)
{
    char *object = admission_case_quote(text);
    struct question question = {.route = route, .body = admission_case_review(kind, object, false)};

    free(object);
    question.want = ask(crowd, &question);
    assert_non_null(question.want);
    return question;
}

/* A body so long that those like it are read one at a time. */
static struct question make_large(struct crowd *crowd)
{
    const size_t len = (size_t)3 << 19;
    struct question question = {.route = FB_ADMISSION_PODS, .body = malloc(len + 1)};

    assert_non_null(question.body);
    memset(question.body, ' ', len);
    question.body[len] = '\0';
    question.want = ask(crowd, &question);
    assert_non_null(question.want);
    return question;
}

static void test_admission_threads__get_the_answers_that_each_alone_gets(void **state)
{
    static const char pod[] =
        "{'metadata':{'name':'p','annotations':{'fabricbind.io/networking':'true'}},'spec':{"
        "'tolerations':[{'operator':'Exists'}],'nodeSelector':{'node.kubernetes.io/instance-type':"
        "'p5.48xlarge'},'containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu':8}}}]}}";
    static const char job[] =
        "{'metadata':{'name':'j'},'spec':{'tasks':[{'name':'w','replicas':64,'template':{'spec':{"
        "'containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu':8}}}]}}}]}}";
    static const char binding[] = "{'metadata':{'name':'p','annotations':{'fabricbind.io/managed':"
                                  "'true'}},'target':{'name':'p5-0000'}}";
    const struct fb_admission_world world = {.find_pod = find_pod};
    struct crowd crowd = {.len = 4};
    struct question questions[4];
    pthread_t threads[THREADS];

    (void)state;
    admission_case_start(&crowd.run, admission_case_read("aws"), &world);
    questions[0] = make(&crowd, FB_ADMISSION_PODS, "Pod", pod);
    questions[1] = make(&crowd, FB_ADMISSION_JOBS, "Job", job);
    questions[2] = make(&crowd, FB_ADMISSION_BINDINGS, "Binding", binding);
    assert_non_null(strstr(questions[2].want, "\"patch\""));
    questions[3] = make_large(&crowd);
    crowd.questions = questions;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_much, &crowd), 0);
    for (size_t i = 0; i < 5; i++)
        fb_inventory_slot_put(crowd.run.slot, admission_case_read("aws"));
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&crowd.wrong), 0);
    for (size_t i = 0; i < crowd.len; i++) {
        free(questions[i].body);
        free(questions[i].want);
    }
    expect_metric(crowd.run.metrics, "fabricbind_faults_total{where=\"admission\"} 81");
    admission_case_stop(&crowd.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission_threads__get_the_answers_that_each_alone_gets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
