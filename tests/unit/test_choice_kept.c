/* SPDX-License-Identifier: Apache-2.0 */
#include "choice_case.h"

#include "fabricbind/choice.h"
#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 64

static struct fb_choice *choice_of(struct choice_case *at, struct fb_apiserver *server)
{
    struct fb_choice *choice = NULL;

    assert_int_equal(fb_choice_new(server, at->metrics, &choice, NULL), FB_OK);
    return choice;
}

/* What the API server has, what it answers, and what comes of it. */
struct row {
    const char *name;
    const char *job, *podgroup; /* the zone told there; "": none; podgroup NULL: it is not there */
    const char *uid;            /* of the job; NULL: j */
    unsigned status;
    int conflicts;
    const char *rival; /* zone */
    const char *want;  /* zone */
    const char *kept;  /* what the better of the two tells then, a zone */
    unsigned reads, writes;
    const char *result; /* of gang_choices_total */
    bool fault;
};

static const struct row rows[] = {
    {"made", "", NULL, NULL, 0, 0, NULL, "z1", "z1", 1, 1, "made", false},
    {"made at the pod group", "", "", NULL, 0, 0, NULL, "z1", "z1", 1, 1, "made", false},
    {"told by the owner", "z2", NULL, NULL, 0, 0, NULL, "z2", "z2", 1, 0, "told", false},
    {"told by the pod group", "z1", "z2", NULL, 0, 0, NULL, "z2", "z2", 1, 0, "told", false},
    {"its nodes are gone", "z9", NULL, NULL, 0, 0, NULL, "z1", "z1", 1, 1, "made", false},
    {"another was faster", "", NULL, NULL, 0, 1, "z2", "z2", "z2", 2, 1, "told", false},
    {"it changes", "", NULL, NULL, 0, 4, NULL, "z1", "z1", 5, 5, "made", false},
    {"it always changes", "", NULL, NULL, 0, 99, NULL, "z1", "", 5, 5, "unkept", true},
    {"the same", "", NULL, "j-uid", 0, 0, NULL, "z1", "z1", 1, 1, "made", false},
    {"of that name another", "", NULL, "other", 0, 0, NULL, "z1", "", 1, 0, "unkept", false},
    {"not there", "", NULL, NULL, 404, 0, NULL, "z1", "", 1, 0, "unkept", false},
    {"not allowed", "", NULL, NULL, 403, 0, NULL, "z1", "", 1, 0, "unkept", true},
    {"in trouble", "", "", NULL, 500, 0, NULL, "z1", "", 1, 0, "unkept", true},
};

static void set_up(struct choice_case *at, const struct row *row, struct fb_pod *pod)
{
    (void)snprintf(at->kept[0].told, sizeof at->kept[0].told, "%s", choice_case_key(at, row->job));
    if (row->uid != NULL) {
        at->kept[0].uid = row->uid;
        at->builder->jobs.at[0].uid = "j-uid";
        pod->owners[0].uid = "j-uid";
        choice_case_renew(at);
    }
    if (row->podgroup != NULL) {
        at->kept[1] = (struct choice_kept){CHOICE_CASE_PODGROUP, "g", "", 3};
        (void)snprintf(at->kept[1].told, sizeof at->kept[1].told, "%s",
                       choice_case_key(at, row->podgroup));
        give_annotation(at->builder, pod, "scheduling.k8s.io/group-name", "j-group");
    }
    at->status = row->status;
    at->conflicts = row->conflicts;
    at->rival = row->rival != NULL ? choice_case_key(at, row->rival) : NULL;
}

static void expect_metric(struct choice_case *at, const char *result, bool fault)
{
    char line[128];
    char *text = fb_metrics_print(at->metrics, &(size_t){0});

    assert_non_null(text);
    (void)snprintf(line, sizeof line, "fabricbind_gang_choices_total{result=\"%s\"} 1\n", result);
    if (strstr(text, line) == NULL)
        fail_msg("no %s in %s", line, text);
    assert_int_equal(strstr(text, "fabricbind_faults_total{where=\"choice\"} 1\n") != NULL, fault);
    free(text);
}

static void test_choice_get__is_kept_at_the_api_server(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        struct choice_case at;
        struct fb_choice *choice;
        struct fb_pod *pod;
        const char *got;

        choice_case_start(&at, NULL);
        choice = choice_of(&at, at.server);
        pod = choice_case_pod(&at, "j");
        set_up(&at, row, pod);
        got = choice_case_get(&at, choice, pod, false);
        if (strcmp(got, row->want) != 0 || at.reads != row->reads || at.writes != row->writes)
            fail_msg("%s: %s after %u reads and %u writes", row->name, got, at.reads, at.writes);
        assert_string_equal(at.kept[row->podgroup != NULL].told, choice_case_key(&at, row->kept));
        expect_metric(&at, row->result, row->fault);
        /* It stays, without asking again. */
        assert_string_equal(choice_case_get(&at, choice, pod, false), row->want);
        assert_int_equal(at.reads, row->reads);
        fb_choice_free(choice);
        choice_case_stop(&at);
    }
}

static void test_choice_get__dry_run_leaves_no_trace(void **state)
{
    struct choice_case at;
    struct fb_choice *choice;
    struct fb_pod *pod;

    (void)state;
    choice_case_start(&at, NULL);
    choice = choice_of(&at, at.server);
    pod = choice_case_pod(&at, "j");
    assert_string_equal(choice_case_get(&at, choice, pod, true), "z1");
    assert_int_equal(at.writes, 0);
    /* Nor is it remembered: another one's choice is found. */
    (void)snprintf(at.kept[0].told, sizeof at.kept[0].told, "%s", choice_case_key(&at, "z2"));
    assert_string_equal(choice_case_get(&at, choice, pod, true), "z2");
    assert_string_equal(choice_case_get(&at, choice, pod, false), "z2");
    assert_int_equal(at.writes, 0);
    fb_choice_free(choice);
    choice_case_stop(&at);
}

static void test_choice_get__asks_nobody_where_it_need_not(void **state)
{
    static const struct plan_case members = {"a b c:-/-:z2 d:-/-:z2", NULL, "worker-0>d",
                                             "worker=2x8", 0};
    static const struct plan_case single = {"a b c:-/-:z2 d:-/-:z2", NULL, NULL, "worker=1x8", 0};
    static const struct plan_case empty = {"cpu:a", NULL, NULL, "worker=2x8", 0};
    static const struct {
        const struct plan_case *from;
        const char *want;
        bool told, unsynced;
    } cases[] = {
        {&members, "z2", false, false}, {&single, "", false, false}, {&empty, "", false, false},
        {NULL, "z2", true, false},      {NULL, "", false, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pair note = {FB_CHOICE_KEY, NULL};
        struct choice_case at;
        struct fb_choice *choice;

        choice_case_start(&at, cases[i].from);
        if (cases[i].told) {
            note.value = choice_case_key(&at, "z2");
            at.builder->jobs.at[0].annotations = (struct fb_pairs){&note, 1, 1};
            choice_case_renew(&at);
        }
        at.inventory.live = cases[i].unsynced;
        choice = choice_of(&at, at.server);
        assert_string_equal(choice_case_get(&at, choice, choice_case_pod(&at, "j"), false),
                            cases[i].want);
        assert_int_equal(at.reads + at.writes, 0);
        fb_choice_free(choice);
        choice_case_stop(&at);
    }
}

static void test_choice_get__does_without_an_answer(void **state)
{
    struct choice_case at;
    struct fb_choice *choice;
    int64_t began_ms = fb_inventory_clock_ms();

    (void)state;
    choice_case_start(&at, NULL);
    at.silent = true;
    choice = choice_of(&at, at.server);
    assert_string_equal(choice_case_get(&at, choice, choice_case_pod(&at, "j"), false), "z1");
    assert_true(fb_inventory_clock_ms() - began_ms < INT64_C(10) * FB_CHOICE_MS);
    expect_metric(&at, "unkept", true);
    fb_choice_free(choice);
    choice = choice_of(&at, NULL); /* no API server at all */
    assert_string_equal(choice_case_get(&at, choice, choice_case_pod(&at, "j"), false), "z1");
    fb_choice_free(choice);
    choice_case_stop(&at);
}

/* A pod that is created by one thread. */
struct created {
    struct choice_case *at;
    struct fb_choice *choice;
    const struct fb_pod *pod;
    pthread_t thread;
    const char *got;
};

static void *create(void *context)
{
    struct created *pod = context;

    pod->got = choice_case_get(pod->at, pod->choice, pod->pod, false);
    return NULL;
}

static void create_all(struct created *pods, size_t len)
{
    for (size_t i = 0; i < len; i++)
        assert_int_equal(pthread_create(&pods[i].thread, NULL, create, &pods[i]), 0);
    for (size_t i = 0; i < len; i++)
        (void)pthread_join(pods[i].thread, NULL);
}

static void test_choice_get__is_one_for_many_pods_and_two_replicas(void **state)
{
    struct created pods[THREADS];
    struct choice_case at;
    struct fb_choice *choices[2];
    struct fb_apiserver *other;

    (void)state;
    choice_case_start(&at, NULL);
    other = choice_case_client(&at);
    choices[0] = choice_of(&at, at.server);
    choices[1] = choice_of(&at, other);
    for (size_t i = 0; i < THREADS; i++)
        pods[i] = (struct created){&at, choices[i % 2], choice_case_pod(&at, "j"), 0, NULL};
    create_all(pods, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        assert_string_equal(pods[i].got, pods[0].got);
    assert_int_equal(at.written, 1);
    /* One flight in each, and one more try of the slower. */
    if (at.reads > 3)
        fail_msg("%u reads, %u writes", at.reads, at.writes);
    fb_choice_free(choices[0]);
    fb_choice_free(choices[1]);
    fb_apiserver_free(other);
    choice_case_stop(&at);
}

static void test_choice_get__two_gangs_at_once_do_not_take_the_same_place(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        struct created pods[8];
        struct choice_case at;
        struct fb_choice *choice;

        choice_case_start(&at, NULL);
        (void)give_task(at.builder, make_job(at.builder, "k"), "worker", 2, 8);
        choice_case_renew(&at);
        at.kept[1] = (struct choice_kept){CHOICE_CASE_SPACE "jobs/k", "k", "", 3};
        choice = choice_of(&at, at.server);
        for (size_t i = 0; i < COUNT(pods); i++)
            pods[i] =
                (struct created){&at, choice, choice_case_pod(&at, i % 2 ? "k" : "j"), 0, NULL};
        create_all(pods, COUNT(pods));
        for (size_t i = 2; i < COUNT(pods); i++)
            assert_string_equal(pods[i].got, pods[i % 2].got);
        assert_string_not_equal(pods[0].got, pods[1].got);
        assert_int_equal(at.written, 2);
        fb_choice_free(choice);
        choice_case_stop(&at);
    }
}

/* Nobody waited for a turn that never ends. */
static void expect_no_late(struct choice_case *at)
{
    char *text = fb_metrics_print(at->metrics, &(size_t){0});

    assert_non_null(text);
    assert_null(strstr(text, "\"late\""));
    free(text);
}

static void test_choice_get__survives_every_lack_of_memory(void **state)
{
    struct choice_case at;
    const struct fb_pod *pod;
    int failures = 0;

    (void)state;
    choice_case_start(&at, NULL);
    pod = choice_case_pod(&at, "j");
    for (int after = 0;; after++) {
        struct fb_choice *choice = NULL;
        const char *got = NULL;
        enum fb_status st;

        alloc_fault_arm(after);
        st = fb_choice_new(NULL, at.metrics, &choice, NULL);
        if (st == FB_OK)
            got = choice_case_get(&at, choice, pod, false);
        alloc_fault_disarm();
        if (got != NULL && strcmp(got, "failed") == 0) /* nothing is left in the way */
            assert_string_equal(choice_case_get(&at, choice, pod, false), "z1");
        fb_choice_free(choice);
        if (got != NULL && strcmp(got, "z1") == 0)
            break;
        failures++;
    }
    assert_true(failures > 5);
    expect_no_late(&at);
    choice_case_stop(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice_get__is_kept_at_the_api_server),
        cmocka_unit_test(test_choice_get__dry_run_leaves_no_trace),
        cmocka_unit_test(test_choice_get__asks_nobody_where_it_need_not),
        cmocka_unit_test(test_choice_get__does_without_an_answer),
        cmocka_unit_test(test_choice_get__is_one_for_many_pods_and_two_replicas),
        cmocka_unit_test(test_choice_get__two_gangs_at_once_do_not_take_the_same_place),
        cmocka_unit_test(test_choice_get__survives_every_lack_of_memory),
    };

    fb_log_setup(2, FB_LOG_ERROR, true);
    return cmocka_run_group_tests_name("choice_kept", tests, NULL, NULL);
}
