/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/choice.h"

#include "alloc_fault.h"
#include "fabricbind/gang.h"
#include "plan_case.h"
#include "unit.h"

#include <string.h>

#define VOLCANO "Job", "batch.volcano.sh"

/* The job j of a row, asked for its pod worker-0. */
struct asked {
    struct builder *builder;
    struct fb_objects objects;
    struct fb_cluster cluster;
    struct fb_pod *pod;
};

/* Job "k" of @pods pods of 8 GPUs that wait; its fabric is the one of @zone, NULL: not chosen. */
struct other {
    const char *job;
    int64_t pods;
    const char *zone;
    const char *member; /* the node of its first pod, NULL: that waits, too */
};

static struct fb_job *put_other(struct builder *builder, const struct other *other)
{
    static const char *const names[] = {"w0", "w1", "w2", "w3"};
    struct fb_job *job = make_job(builder, other->job);

    (void)give_task(builder, job, "worker", other->pods, 8);
    for (int64_t i = 0; i < other->pods; i++)
        give_owner(builder, make_pod(builder, names[i], i == 0 ? other->member : NULL, 8), VOLCANO,
                   job->name);
    return job;
}

static const char *key_of(const struct fb_cluster *cluster, const char *zone)
{
    for (size_t i = 0; i < cluster->fabrics_len; i++) {
        const char *name = strrchr(cluster->fabrics[i].name, ' ');

        if (name != NULL && strcmp(name + 1, zone) == 0)
            return cluster->fabrics[i].key;
    }
    return "gone";
}

static const char *zone_of(const struct fb_cluster *cluster, size_t fabric)
{
    const char *name = fabric != FB_NONE ? strrchr(cluster->fabrics[fabric].name, ' ') : " none";

    return name != NULL ? name + 1 : "unknown";
}

/* Annotations are given once the fabrics are known; the cluster is built anew with them. */
static void choose_for(struct asked *at, struct fb_job *job, const char *zone)
{
    struct fb_pod told = {.space = "team"};

    if (zone == NULL)
        return;
    give_annotation(at->builder, &told, FB_CHOICE_KEY, key_of(&at->cluster, zone));
    job->annotations = told.annotations;
}

static void ask_for(struct asked *at, const struct plan_case *from, const struct other *others)
{
    struct fb_job *jobs[4];
    size_t len = 0;

    at->builder = plan_case_make(from);
    for (; others != NULL && len < 4 && others[len].job != NULL; len++)
        jobs[len] = put_other(at->builder, &others[len]);
    at->cluster = build_cluster(at->builder);
    for (size_t i = 0; i < len; i++)
        choose_for(at, jobs[i], others[i].zone);
    at->objects = builder_objects(at->builder);
    at->cluster = build_cluster(at->builder);
    at->pod = make_template(
        at->builder, "",
        fb_resources_get(&at->builder->jobs.at[0].tasks[0].pod.containers[0].requests, GPU));
    give_owner(at->builder, at->pod, VOLCANO, "j");
    give_pod_label(at->builder, at->pod, "volcano.sh/task-spec",
                   at->builder->jobs.at[0].tasks[0].name);
}

static const char *choose(const struct asked *at, const struct fb_choice_note *notes,
                          size_t notes_len)
{
    const struct fb_choice_input in = {&at->cluster, &at->objects, at->pod, notes, notes_len};
    struct fb_arena *arena = fb_arena_new(0);
    size_t fabric = 0;

    assert_non_null(arena);
    assert_int_equal(fb_choice_plan(arena, &in, &fabric), FB_OK);
    fb_arena_free(arena);
    return zone_of(&at->cluster, fabric);
}

#define THREE_AND_TWO "a b c d:-/-:z2 e:-/-:z2"

static const struct {
    const char *name;
    struct plan_case from;
    struct other others[4];
    const char *want;
} gangs[] = {
    {"the only one that holds", {THREE_AND_TWO, "8>a", NULL, "worker=2x8", 0}, {{0}}, "z1"},
    {"one is too full", {THREE_AND_TWO, "8>a 8>b", NULL, "worker=2x8", 0}, {{0}}, "z2"},
    {"a member counts more than room",
     {THREE_AND_TWO, "8>b 8>c", "worker-1>a", "worker=2x8", 0},
     {{0}},
     "z1"},
    {"full now: the one that would hold it empty",
     {THREE_AND_TWO, "8>a 8>b", NULL, "worker=3x8", 0},
     {{0}},
     "z1"},
    {"too large for each: the larger",
     {"a b:-/-:z2 c:-/-:z2", NULL, NULL, "worker=3x8", 0},
     {{0}},
     "z2"},
    {"nowhere to go", {"cpu:a cpu:b", NULL, NULL, "worker=2x8", 0}, {{0}}, "none"},
    {"one pod is no gang", {THREE_AND_TWO, NULL, NULL, "worker=1x8", 0}, {{0}}, "none"},
    {"no GPUs", {THREE_AND_TWO, NULL, NULL, "worker=2x0", 0}, {{0}}, "none"},
    {"others wait for that place",
     {THREE_AND_TWO, NULL, NULL, "worker=2x8", 0},
     {{"k", 2, "z2", NULL}},
     "z1"},
    {"and for that, too",
     {THREE_AND_TWO, "8>c", NULL, "worker=2x8", 0},
     {{"k", 2, "z1", NULL}},
     "z2"},
    {"those that have not chosen do not count",
     {THREE_AND_TWO, "8>c", NULL, "worker=2x8", 0},
     {{"k", 2, NULL, NULL}},
     "z1"},
    {"nor those whose fabric is gone",
     {THREE_AND_TWO, "8>c", NULL, "worker=2x8", 0},
     {{"k", 2, "z9", NULL}},
     "z1"},
    {"two that wait",
     {"a b c d:-/-:z2 e:-/-:z2 f:-/-:z2 g:-/-:z2", NULL, NULL, "worker=2x8", 0},
     {{"k", 2, "z1", NULL}, {"l", 1, "z2", NULL}},
     "z2"},
    {"one that runs elsewhere waits there",
     {"a b c:-/-:z2 d:-/-:z2 e:-/-:z2", NULL, NULL, "worker=2x8", 0},
     {{"k", 2, "z1", "c"}},
     "z1"},
    {"the same with a node in front that is full",
     {"a:-/-:z2 b c:-/-:z2 d:-/-:z2 e", "8>a", NULL, "worker=2x8", 0},
     {{"k", 2, "z2", "b"}},
     "z2"},
    {"one that is larger than its fabric takes nothing",
     {THREE_AND_TWO, NULL, NULL, "worker=3x8", 0},
     {{"k", 4, "z1", NULL}},
     "z1"},
};

static void test_plan__chooses_where_the_whole_gang_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(gangs); i++) {
        struct asked at;
        const char *got;

        ask_for(&at, &gangs[i].from, gangs[i].others);
        got = choose(&at, NULL, 0);
        if (strcmp(got, gangs[i].want) != 0)
            fail_msg("%s: %s, not %s", gangs[i].name, got, gangs[i].want);
        builder_free(at.builder);
    }
}

/* Two gangs that come at once: the second is told of the first's choice, and nothing else is yet.
 */
static void test_plan__sees_what_was_noted(void **state)
{
    static const struct plan_case from = {"a b c:-/-:z2 d:-/-:z2", NULL, NULL, "worker=2x8", 0};
    struct asked at;
    struct fb_job *other;
    struct fb_choice_note note;
    struct fb_pod *pod;

    (void)state;
    ask_for(&at, &from, NULL);
    other = make_job(at.builder, "k");
    (void)give_task(at.builder, other, "worker", 2, 8);
    at.objects = builder_objects(at.builder);
    at.cluster = build_cluster(at.builder);
    pod = make_template(at.builder, "", 8);
    give_owner(at.builder, pod, VOLCANO, "k");
    note = (struct fb_choice_note){pod, key_of(&at.cluster, "z1")};
    assert_string_equal(choose(&at, NULL, 0), "z1");
    assert_string_equal(choose(&at, &note, 1), "z2");
    note.fabric = key_of(&at.cluster, "z2");
    assert_string_equal(choose(&at, &note, 1), "z1");
    builder_free(at.builder);
}

static void test_plan__of_a_gang_that_nobody_counts_takes_the_largest(void **state)
{
    static const struct plan_case from = {"a b:-/-:z2 c:-/-:z2", "8>b", NULL, "worker=1x8", 0};
    struct asked at;

    (void)state;
    ask_for(&at, &from, NULL);
    at.pod->owners[0].name = "other";
    at.pod->owners[0].uid = "other";
    assert_string_equal(choose(&at, NULL, 0), "none");
    give_annotation(at.builder, at.pod, "fabricbind.io/networking", "true");
    assert_string_equal(choose(&at, NULL, 0), "z2");
    builder_free(at.builder);
}

/* Nodes without NICs are where the pod could go, but would not hold it. */
static void test_plan__holds_empty_goes_before_large(void **state)
{
    static const struct plan_case from = {"a b c d:-/-:z2 e:-/-:z2", "8>d", NULL, "worker=2x8", 0};
    struct asked at;

    (void)state;
    ask_for(&at, &from, NULL);
    for (size_t i = 0; i < 3; i++)
        give_amount(at.builder, &at.builder->nodes[i], "nic", 0);
    at.cluster = build_cluster(at.builder);
    assert_string_equal(choose(&at, NULL, 0), "z2");
    at.builder->jobs.at[0].tasks[0].pods = 3;
    assert_string_equal(choose(&at, NULL, 0), "z1");
    builder_free(at.builder);
}

static void test_told__looks_at_the_pod_group_before_the_owner(void **state)
{
    static const struct plan_case from = {"a b", NULL, NULL, "worker=2x8", 0};
    static struct fb_pair on_job[] = {{FB_CHOICE_KEY, "job"}};
    static struct fb_pair on_group[] = {{"x", "y"}, {FB_CHOICE_KEY, "group"}};
    static struct fb_pair on_named[] = {{FB_CHOICE_KEY, "named"}};
    struct fb_podgroup *group;
    struct fb_gang gang;
    struct asked at;

    (void)state;
    ask_for(&at, &from, NULL);
    (void)fb_gang_of(&at.cluster, at.pod, &gang);
    assert_null(fb_choice_told(&at.cluster, &gang, at.pod));
    at.builder->jobs.at[0].annotations = (struct fb_pairs){on_job, 1, 1};
    assert_string_equal(fb_choice_told(&at.cluster, &gang, at.pod), "job");
    group = make_podgroup(at.builder, "nobody", 2);
    group->name = "named";
    group->annotations = (struct fb_pairs){on_named, 1, 1};
    at.cluster = build_cluster(at.builder);
    assert_string_equal(fb_choice_told(&at.cluster, &gang, at.pod), "job");
    give_annotation(at.builder, at.pod, "scheduling.k8s.io/group-name", "named");
    assert_string_equal(fb_choice_told(&at.cluster, &gang, at.pod), "named");
    make_podgroup(at.builder, "j", 2)->annotations = (struct fb_pairs){on_group, 2, 2};
    at.cluster = build_cluster(at.builder);
    assert_string_equal(fb_choice_told(&at.cluster, &gang, at.pod), "group");
    builder_free(at.builder);
}

static void test_find__bears_with_other_nic_resources(void **state)
{
    static struct fb_fabric fabrics[] = {
        {.key = "p|s|0|zone|a|n1,n2", .nodes = 2}, {.key = "p|s|0|zone|a|n1,n3", .nodes = 3},
        {.key = "p|s|0|zone|ab|", .nodes = 9},     {.key = "odd", .nodes = 9},
        {.key = "p|s|0|zone|a|n4", .nodes = 3},
    };
    static const struct {
        const char *told;
        size_t want;
    } cases[] = {
        {"p|s|0|zone|a|n1,n2", 0},
        {"p|s|0|zone|a|", 1},
        {"p|s|0|zone|ab|n1", 2},
        {"p|s|0|zone|b|n1", FB_NONE},
        {"odd", 3},
        {"od", FB_NONE},
        {"", FB_NONE},
        {NULL, FB_NONE},
        {"p|s|0|zone|a", FB_NONE},
    };
    const struct fb_cluster cluster = {.fabrics = fabrics, .fabrics_len = COUNT(fabrics)};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(fb_choice_find(&cluster, cases[i].told), cases[i].want);
}

static void test_key__numbers_the_groups_of_one_owner(void **state)
{
    static const struct {
        const char *kind, *index, *want;
    } cases[] = {
        {"Job", "3", FB_CHOICE_KEY},
        {"LeaderWorkerSet", "3", FB_CHOICE_KEY ".3"},
        {"LeaderWorkerSet", "0123456789", FB_CHOICE_KEY ".0123456789"},
        {"LeaderWorkerSet", "12345678901", FB_CHOICE_KEY},
        {"LeaderWorkerSet", "3/4", FB_CHOICE_KEY},
        {"LeaderWorkerSet", "", FB_CHOICE_KEY},
        {"LeaderWorkerSet", NULL, FB_CHOICE_KEY},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pair label = {"leaderworkerset.sigs.k8s.io/group-index", cases[i].index};
        struct fb_pod pod = {.labels = {&label, cases[i].index != NULL ? 1 : 0, 1}};
        struct fb_gang gang = {.kind = cases[i].kind};
        char text[FB_CHOICE_KEY_BYTES];

        assert_string_equal(fb_choice_key(&gang, &pod, text), cases[i].want);
    }
}

static void test_plan__survives_every_lack_of_memory(void **state)
{
    static const struct plan_case from = {THREE_AND_TWO, "8>a 8>b", NULL, "worker=3x8", 0};
    static const struct other others[] = {{.job = "k", .pods = 1, .zone = "z1"}, {.job = NULL}};
    struct asked at;
    int failures = 0;

    (void)state;
    ask_for(&at, &from, others);
    for (int after = 0;; after++) {
        const struct fb_choice_input in = {&at.cluster, &at.objects, at.pod, NULL, 0};
        struct fb_arena *arena = fb_arena_new(0);
        size_t fabric = 77;
        enum fb_status st;

        assert_non_null(arena);
        alloc_fault_arm(after);
        st = fb_choice_plan(arena, &in, &fabric);
        alloc_fault_disarm();
        fb_arena_free(arena);
        if (st == FB_OK)
            break;
        assert_int_equal(st, FB_ENOMEM);
        assert_int_equal(fabric, 77);
        failures++;
    }
    assert_true(failures > 2);
    builder_free(at.builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__chooses_where_the_whole_gang_holds),
        cmocka_unit_test(test_plan__sees_what_was_noted),
        cmocka_unit_test(test_plan__of_a_gang_that_nobody_counts_takes_the_largest),
        cmocka_unit_test(test_plan__holds_empty_goes_before_large),
        cmocka_unit_test(test_told__looks_at_the_pod_group_before_the_owner),
        cmocka_unit_test(test_find__bears_with_other_nic_resources),
        cmocka_unit_test(test_key__numbers_the_groups_of_one_owner),
        cmocka_unit_test(test_plan__survives_every_lack_of_memory),
    };

    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
