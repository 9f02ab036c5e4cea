/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/complaint.h"

#include "alloc_fault.h"
#include "fabricbind/choice.h"
#include "plan_case.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define VOLCANO "Job", "batch.volcano.sh"
#define ONE_OF_TWO "a b c:-/-:z2 d:-/-:z2"

struct scene {
    struct builder *builder;
    struct fb_objects objects;
    struct fb_cluster cluster;
    struct fb_arena *arena;
    struct fb_complaint_input in;
};

/* Job j of @from with @waiting pods that are not placed, for the zone that was @chosen. */
static void start(struct scene *at, const struct plan_case *from, int waiting)
{
    static const char *const names[] = {"j-worker-0", "j-worker-1", "j-worker-2", "j-worker-3"};

    memset(at, 0, sizeof *at);
    at->builder = plan_case_make(from);
    at->arena = fb_arena_new(0);
    assert_non_null(at->arena);
    at->in.gangs = 100;
    for (int i = 0; i < waiting; i++) {
        struct fb_pod *pod = make_pod(at->builder, names[i], NULL, 8);

        give_owner(at->builder, pod, VOLCANO, "j");
        give_pod_label(at->builder, pod, "fabricbind.io/managed", "true");
    }
}

static void build(struct scene *at)
{
    at->objects = builder_objects(at->builder);
    at->cluster = build_cluster(at->builder);
    at->in.cluster = &at->cluster;
    at->in.objects = &at->objects;
}

static void stop(struct scene *at)
{
    fb_arena_free(at->arena);
    builder_free(at->builder);
}

/* "3 uninjected: NotInjected Job j; MissingNICs Node a" */
static const char *complaints(struct scene *at, char text[CASE_TEXT])
{
    struct fb_complaints made;

    build(at);
    assert_int_equal(fb_complaints_make(at->arena, &at->in, &made), FB_OK);
    text[0] = '\0';
    if (made.uninjected > 0)
        add_piece(text, "%zu uninjected", made.uninjected);
    for (size_t i = 0; i < made.len; i++) {
        const struct fb_complaint *of = &made.at[i];

        assert_true(strlen(of->note) > 20 && strlen(of->note) < 1000);
        add_piece(text, "%s %s %s%s%s%s", of->reason, of->kind, of->space,
                  *of->space != '\0' ? "/" : "", of->name, *of->uid != '\0' ? "" : " without uid");
    }
    at->in.first = made.next;
    return text;
}

static void expect(struct scene *at, const char *name, const char *want)
{
    char text[CASE_TEXT];

    if (strcmp(complaints(at, text), want) != 0)
        fail_msg("%s: '%s', not '%s'", name, text, want);
}

static const struct plan_case two = {ONE_OF_TWO, NULL, NULL, "worker=2x8", 0};

/* A pod that no webhook saw, changed in one way. */
struct change {
    const char *name, *want;
    const char *label, *annotation, *value;
    const char *request;
    bool going, off, excluded, running;
};

static const struct change changes[] = {
    {.name = "plain", .want = "2 uninjected NotInjected Job team/j"},
    {.name = "running", .running = true, .want = "2 uninjected NotInjected Job team/j"},
    {.name = "injected", .label = "fabricbind.io/managed", .value = "true", .want = ""},
    {.name = "injected, by its word",
     .annotation = "fabricbind.io/managed",
     .value = "true",
     .want = "2 uninjected NotInjected Job team/j"},
    {.name = "left alone", .annotation = "fabricbind.io/networking", .value = "false", .want = ""},
    {.name = "going", .going = true, .want = ""},
    {.name = "namespace off", .off = true, .want = ""},
    {.name = "namespace excluded", .excluded = true, .want = ""},
    {.name = "NICs of its own", .request = "nic", .want = ""},
};

static void apply(const struct scene *at, const struct change *change, size_t index)
{
    static const char *const nodes[] = {"a", "b"};
    struct fb_pod *pod = &at->builder->pods[index];

    pod->labels.len = 0;
    pod->terminating = change->going;
    if (change->running)
        pod->node = nodes[index];
    if (change->label != NULL)
        give_pod_label(at->builder, pod, change->label, change->value);
    if (change->annotation != NULL)
        give_annotation(at->builder, pod, change->annotation, change->value);
    if (change->request != NULL)
        give_request(at->builder, pod, 0, change->request, 4);
}

static void test_complaints__tell_of_pods_without_a_network(void **state)
{
    static struct fb_namespace off[] = {{.name = "team", .off = true}};
    static const struct fb_namespaces spaces = {off, 1, 1};
    static const char *excluded[] = {"team"};
    static const struct fb_texts names = {excluded, 1, 1};

    (void)state;
    for (size_t i = 0; i < COUNT(changes); i++) {
        struct scene at;

        start(&at, &two, 2);
        apply(&at, &changes[i], 0);
        apply(&at, &changes[i], 1);
        at.in.namespaces = changes[i].off ? &spaces : NULL;
        at.in.excluded = changes[i].excluded ? &names : NULL;
        expect(&at, changes[i].name, changes[i].want);
        stop(&at);
    }
}

static void test_complaints__tell_of_a_pod_of_nobody(void **state)
{
    struct scene at;

    (void)state;
    start(&at, &two, 0);
    give_annotation(at.builder, make_pod(at.builder, "p", "a", 8), "fabricbind.io/networking",
                    "true");
    (void)make_pod(at.builder, "q", "b", 8);
    expect(&at, "annotated", "1 uninjected NotInjected Pod team/p");
    /* A node whose network is nobody's need. */
    make_shape(at.builder, &at.builder->policies.at[0], "X.8", 8, 4)->dra = true;
    (void)make_node(at.builder, "x", "X.8", 8, NULL, 0);
    at.builder->pods[0].node = "x";
    give_text(at.builder, &at.builder->pods[0].claims, "nics");
    expect(&at, "by claim", "");
    stop(&at);
}

/* The job is for the fabric in @zone, and its pods that wait are pinned there; not so with "+". */
static void hold_to(struct scene *at, const char *zone, struct fb_pair *note)
{
    bool pinned = *zone != '+';

    zone += pinned ? 0 : 1;
    build(at);
    for (size_t f = 0; f < at->cluster.fabrics_len; f++) {
        if (strstr(at->cluster.fabrics[f].name, zone) != NULL)
            note->value = at->cluster.fabrics[f].key;
    }
    plan_case_job(at->builder)->annotations = (struct fb_pairs){note, 1, 1};
    for (size_t p = 0; pinned && p < at->builder->pods_len; p++) {
        struct fb_pod *pod = &at->builder->pods[p];

        if (pod->owners_len == 0 || *pod->node != '\0')
            continue;
        give_term(at->builder, pod);
        give_requirement(at->builder, pod, ZONE_LABEL, "In", zone);
    }
}

static void test_complaints__tell_of_gangs_that_wait(void **state)
{
    static const struct {
        const char *name;
        struct plan_case from;
        const char *chosen; /* and the pods are pinned to it */
        const char *want;
    } cases[] = {
        {"room", {ONE_OF_TWO, NULL, NULL, "worker=2x8", 0}, "z1", ""},
        {"too large", {ONE_OF_TWO, NULL, NULL, "worker=3x8", 0}, NULL, "GangTooLarge Job team/j"},
        {"busy", {ONE_OF_TWO, "8>a 8>c", NULL, "worker=2x8", 0}, NULL, ""},
        {"nothing there", {"cpu:a", NULL, NULL, "worker=3x8", 0}, NULL, ""},
        {"full", {ONE_OF_TWO, "8>a", NULL, "worker=2x8", 0}, "z1", "FabricFull Job team/j"},
        {"both full", {ONE_OF_TWO, "8>a 8>c", NULL, "worker=2x8", 0}, "z1", ""},
        {"the other full", {ONE_OF_TWO, "8>c", NULL, "worker=2x8", 0}, "z1", ""},
        {"chosen, but not held", {ONE_OF_TWO, "8>a", NULL, "worker=2x8", 0}, "+z1", ""},
        {"held to the smaller",
         {"a b c:-/-:z2", NULL, NULL, "worker=2x8", 0},
         "z2",
         "FabricFull Job team/j"},
        {"chosen and gone", {ONE_OF_TWO, "8>a", NULL, "worker=2x8", 0}, "z9", ""},
        {"held by a member", {ONE_OF_TWO, "8>b", "worker-3>a", "worker=4x8", 0}, "z1", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pair note = {FB_CHOICE_KEY, "p|P.8|0|x|"};
        struct scene at;

        start(&at, &cases[i].from, 2);
        for (size_t p = 0; p < at.builder->pods_len; p++)
            give_pod_label(at.builder, &at.builder->pods[p], "fabricbind.io/managed", "true");
        if (cases[i].chosen != NULL)
            hold_to(&at, cases[i].chosen, &note);
        expect(&at, cases[i].name, cases[i].want);
        stop(&at);
    }
}

static void test_complaints__plan_some_gangs_at_a_time(void **state)
{
    static const struct plan_case from = {ONE_OF_TWO, NULL, NULL, "worker=3x8", 0};
    struct fb_pod *pod;
    struct scene at;

    (void)state;
    start(&at, &from, 2);
    (void)give_task(at.builder, make_job(at.builder, "k"), "worker", 3, 8);
    pod = make_pod(at.builder, "k-worker-0", NULL, 8);
    give_owner(at.builder, pod, VOLCANO, "k");
    give_pod_label(at.builder, pod, "fabricbind.io/managed", "true");
    expect(&at, "both", "GangTooLarge Job team/j GangTooLarge Job team/k");
    at.in.gangs = 1;
    expect(&at, "the first", "GangTooLarge Job team/j");
    expect(&at, "the second", "GangTooLarge Job team/k");
    expect(&at, "the first again", "GangTooLarge Job team/j");
    stop(&at);
}

static void test_complaints__tell_of_nodes_that_miss_nics(void **state)
{
    static const struct {
        const char *name;
        int64_t nics;
        bool unready;
        const char *want;
    } cases[] = {
        {"all", 4, false, ""},
        {"fewer", 3, false, "MissingNICs Node a"},
        {"none", 0, false, "MissingNICs Node a"},
        {"out of service", 3, true, ""},
    };
    struct scene at;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        start(&at, &two, 0);
        give_amount(at.builder, &at.builder->nodes[0], "nic", cases[i].nics);
        at.builder->nodes[0].ready = !cases[i].unready;
        expect(&at, cases[i].name, cases[i].want);
        stop(&at);
    }
    /* What the whole pool shows is how it is meant. */
    start(&at, &two, 0);
    give_amount(at.builder, &at.builder->nodes[0], "nic", 3);
    give_amount(at.builder, &at.builder->nodes[1], "nic", 3);
    expect(&at, "the pool", "");
    stop(&at);
}

static void test_complaints__survive_every_lack_of_memory(void **state)
{
    static const struct plan_case from = {ONE_OF_TWO, NULL, NULL, "worker=3x8", 0};
    struct scene at;
    int failures = 0;

    (void)state;
    start(&at, &from, 2);
    give_amount(at.builder, &at.builder->nodes[0], "nic", 3);
    at.builder->pods[0].labels.len = 0;
    build(&at);
    for (int after = 0;; after++) {
        struct fb_arena *arena = fb_arena_new(0);
        struct fb_complaints made = {.len = 77};
        enum fb_status st;

        assert_non_null(arena);
        alloc_fault_arm(after);
        st = fb_complaints_make(arena, &at.in, &made);
        alloc_fault_disarm();
        fb_arena_free(arena);
        if (st == FB_OK) {
            assert_int_equal(made.len, 3);
            break;
        }
        assert_int_equal(st, FB_ENOMEM);
        assert_int_equal(made.len, 77);
        failures++;
    }
    assert_true(failures > 1);
    stop(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complaints__tell_of_pods_without_a_network),
        cmocka_unit_test(test_complaints__tell_of_a_pod_of_nobody),
        cmocka_unit_test(test_complaints__tell_of_gangs_that_wait),
        cmocka_unit_test(test_complaints__plan_some_gangs_at_a_time),
        cmocka_unit_test(test_complaints__tell_of_nodes_that_miss_nics),
        cmocka_unit_test(test_complaints__survive_every_lack_of_memory),
    };

    return cmocka_run_group_tests_name("complaint", tests, NULL, NULL);
}
