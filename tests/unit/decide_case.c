/* SPDX-License-Identifier: Apache-2.0 */
#include "decide_case.h"

#include "unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_pods(struct decide_case *at)
{
    const struct fb_job *job = plan_case_job(at->builder);

    for (size_t t = 0; t < job->tasks_len; t++) {
        for (int64_t i = 0; i < job->tasks[t].pods; i++) {
            const struct fb_resources *asks = &job->tasks[t].pod.containers[0].requests;
            char name[64];
            const char *kept;
            struct fb_pod *pod;

            assert_true(at->pods_len < DECIDE_PODS);
            (void)snprintf(name, sizeof name, "j-%s-%" PRId64, job->tasks[t].name, i);
            kept = fb_arena_text(at->builder->arena, name, strlen(name));
            assert_non_null(kept);
            pod = make_template(at->builder, kept, fb_resources_get(asks, GPU));
            give_owner(at->builder, pod, VOLCANO, "j");
            give_pod_label(at->builder, pod, "volcano.sh/task-spec", job->tasks[t].name);
            at->pods[at->pods_len++] = (struct decide_pod){.pod = pod, .status = FB_TASK_PENDING};
        }
    }
}

struct decide_case *decide_case_new(const struct plan_case *from, bool blind)
{
    struct decide_case *at = calloc(1, sizeof *at);
    struct fb_objects nothing = {0};

    assert_non_null(at);
    at->builder = plan_case_make(from);
    at->all = build_cluster(at->builder);
    at->objects = blind ? nothing : builder_objects(at->builder);
    assert_int_equal(fb_cluster_build(at->builder->arena, &at->objects, &at->builder->policies,
                                      &at->builder->settings, &at->cluster),
                     FB_OK);
    at->ledger = fb_ledger_new(NULL);
    assert_non_null(at->ledger);
    at->scene = (struct fb_scene){
        .cluster = &at->cluster, .objects = &at->objects, .generation = 1, .now_ms = 1000};
    add_pods(at);
    return at;
}

void decide_case_free(struct decide_case *at)
{
    fb_ledger_free(at->ledger);
    builder_free(at->builder);
    free(at);
}

static struct decide_pod *find(struct decide_case *at, const char *name)
{
    for (size_t i = 0; i < at->pods_len; i++) {
        if (strcmp(at->pods[i].pod->name + 2, name) == 0)
            return &at->pods[i];
    }
    fail_msg("no pod %s", name);
    return NULL;
}

static struct fb_sight_task task_of(const struct decide_pod *pod)
{
    return (struct fb_sight_task){
        .uid = pod->pod->uid,
        .node = pod->node != NULL ? pod->node : "",
        .status = pod->status,
        .pod = pod->pod,
    };
}

/* The node with what is free there in the scheduler's books: what the inventory says less the pods
 * that were put there since; NICs that no pod requests stay idle. */
static void look(struct decide_case *at, struct fb_arena *arena, size_t site, struct fb_sight *ret)
{
    const struct fb_site *from = &at->all.sites[site];
    struct fb_sight_pod *on = fb_arena_alloc(arena, DECIDE_PODS * sizeof *on);

    assert_non_null(on);
    *ret = (struct fb_sight){.name = from->node->name, .node = from->node, .pods = on};
    assert_int_equal(fb_resources_add_all(arena, &ret->idle, &from->free), FB_OK);
    for (size_t i = 0; i < at->pods_len; i++) {
        const struct fb_resources *asks = &at->pods[i].pod->containers[0].requests;

        if (at->pods[i].node == NULL || strcmp(at->pods[i].node, ret->name) != 0)
            continue;
        for (size_t r = 0; r < asks->len; r++)
            assert_int_equal(
                fb_resources_add(arena, &ret->idle, asks->at[r].name, -asks->at[r].amount), FB_OK);
        on[ret->pods_len++] = (struct fb_sight_pod){*at->pods[i].pod, at->pods[i].status};
    }
}

static struct fb_verdict ask(struct decide_case *at, const struct decide_pod *pod, size_t site)
{
    struct fb_arena *arena = fb_arena_new(0);
    struct fb_sight_task task = task_of(pod);
    struct fb_verdict verdict;
    struct fb_sight sight;
    struct fb_view view;

    assert_non_null(arena);
    look(at, arena, site, &sight);
    fb_view_init(&view, arena, &at->scene);
    assert_int_equal(fb_view_add(&view, &at->scene, &sight), FB_OK);
    assert_int_equal(fb_decide_verdict(at->ledger, &at->scene, &view, &task, &verdict), FB_OK);
    verdict.subject = NULL;
    fb_arena_free(arena);
    return verdict;
}

static bool is_banned(const struct decide_case *at, size_t site)
{
    for (size_t i = 0; i < at->banned_len; i++) {
        if (strcmp(at->banned[i], at->all.sites[site].node->name) == 0)
            return true;
    }
    return false;
}

/* The sites where the pod may run. */
static size_t feasible(struct decide_case *at, const struct decide_pod *pod, size_t *sites)
{
    size_t len = 0;

    for (size_t s = 0; s < at->all.sites_len; s++) {
        if (!is_banned(at, s) && ask(at, pod, s).kind == FB_FITS)
            sites[len++] = s;
    }
    return len;
}

/* Scores of @sites; volcano asks for more than one only. */
static void score(struct decide_case *at, const struct decide_pod *pod, const size_t *sites,
                  size_t len, double *ret)
{
    struct fb_arena *arena = fb_arena_new(0);
    struct fb_sight_task task = task_of(pod);
    struct fb_view view;

    assert_non_null(arena);
    fb_view_init(&view, arena, &at->scene);
    for (size_t i = 0; i < len; i++) {
        struct fb_sight sight;

        look(at, arena, sites[i], &sight);
        assert_int_equal(fb_view_add(&view, &at->scene, &sight), FB_OK);
    }
    assert_int_equal(fb_decide_scores(at->ledger, &at->scene, &view, &task, ret), FB_OK);
    fb_arena_free(arena);
}

static void play_ask(struct decide_case *at, const char *name, const char *node)
{
    struct fb_verdict said = ask(at, find(at, name), fb_cluster_find(&at->all, node));

    add_piece(at->text, "%s", said.kind == FB_FITS ? "fits" : fb_reason_code(said.reason));
}

static void play_nodes(struct decide_case *at, const char *name, const char *unused)
{
    size_t sites[BUILDER_NODES];
    size_t len = feasible(at, find(at, name), sites);
    char list[CASE_TEXT] = "";

    (void)unused;
    for (size_t i = 0; i < len; i++)
        add_piece(list, "%s", at->all.sites[sites[i]].node->name);
    add_piece(at->text, "[%s]", list);
}

static void play_best(struct decide_case *at, const char *name, const char *unused)
{
    size_t sites[BUILDER_NODES];
    double scores[BUILDER_NODES];
    size_t len = feasible(at, find(at, name), sites);
    double most = 0.0;
    char list[CASE_TEXT] = "";

    (void)unused;
    score(at, find(at, name), sites, len, scores);
    for (size_t i = 0; i < len; i++) {
        assert_true(scores[i] >= 0.0 && scores[i] <= at->builder->settings.scoring.weight);
        most = scores[i] > most ? scores[i] : most;
    }
    for (size_t i = 0; i < len; i++) {
        if (scores[i] >= most)
            add_piece(list, "%s", at->all.sites[sites[i]].node->name);
    }
    add_piece(at->text, "(%s)", list);
}

static void tell(struct decide_case *at, struct decide_pod *pod, const char *node, int64_t status)
{
    struct fb_sight_task task;

    pod->node = node;
    pod->status = status;
    task = task_of(pod);
    assert_int_equal(fb_decide_allocate(at->ledger, &at->scene, &task), FB_OK);
}

static void take_back(struct decide_case *at, struct decide_pod *pod)
{
    struct fb_sight_task task;

    pod->status = FB_TASK_PENDING;
    task = task_of(pod); /* its node is still told */
    fb_decide_deallocate(at->ledger, &at->scene, &task);
    pod->node = NULL;
}

static const char *node_of(struct decide_case *at, const char *name)
{
    size_t site = fb_cluster_find(&at->all, name);

    assert_true(site != FB_NONE);
    return at->all.sites[site].node->name;
}

static void play_put(struct decide_case *at, const char *name, const char *node)
{
    tell(at, find(at, name), node_of(at, node), FB_TASK_ALLOCATED);
}

static void play_pipe(struct decide_case *at, const char *name, const char *node)
{
    tell(at, find(at, name), node_of(at, node), FB_TASK_PIPELINED);
}

static void play_drop(struct decide_case *at, const char *name, const char *unused)
{
    (void)unused;
    take_back(at, find(at, name));
}

static void play_evict(struct decide_case *at, const char *name, const char *unused)
{
    struct decide_pod *pod = find(at, name);
    struct fb_sight_task task;

    (void)unused;
    pod->status = FB_TASK_RELEASING;
    task = task_of(pod);
    fb_decide_deallocate(at->ledger, &at->scene, &task);
}

static void play_show(struct decide_case *at, const char *name, const char *unused)
{
    const struct decide_pod *pod = find(at, name);
    struct fb_pod *shown = make_pod(at->builder, pod->pod->name, pod->node, 0);

    (void)unused;
    *shown = *pod->pod;
    shown->node = pod->node;
    at->objects = builder_objects(at->builder);
    at->cluster = build_cluster(at->builder);
    at->scene.generation++;
}

/* An API server knows of no pod but those shown. */
static void play_list(struct decide_case *at, const char *unused, const char *unused_too)
{
    (void)unused;
    (void)unused_too;
    at->scene.generation++;
    at->scene.told_ms = at->scene.now_ms;
}

/* Where the best node is for one pod, FB_NONE when there is none; the first by name of equals. */
static size_t choose(struct decide_case *at, const struct decide_pod *pod)
{
    size_t sites[BUILDER_NODES];
    double scores[BUILDER_NODES];
    size_t len = feasible(at, pod, sites);
    size_t best = 0;

    if (len < 2)
        return len == 1 ? sites[0] : FB_NONE;
    score(at, pod, sites, len, scores);
    for (size_t i = 1; i < len; i++) {
        if (scores[i] > scores[best])
            best = i;
    }
    return sites[best];
}

static void play_gang(struct decide_case *at, const char *unused, const char *unused_too)
{
    size_t placed[DECIDE_PODS];
    size_t len = 0;
    char list[CASE_TEXT] = "";

    (void)unused;
    (void)unused_too;
    for (size_t i = 0; i < at->pods_len; i++) {
        size_t site;

        if (at->pods[i].node != NULL)
            continue;
        site = choose(at, &at->pods[i]);
        if (site == FB_NONE) {
            while (len > 0)
                take_back(at, &at->pods[placed[--len]]);
            add_piece(at->text, "none");
            return;
        }
        tell(at, &at->pods[i], at->all.sites[site].node->name, FB_TASK_ALLOCATED);
        placed[len++] = i;
        add_piece(list, "%s>%s", at->pods[i].pod->name + 2, at->pods[i].node);
    }
    add_piece(at->text, "%s", list);
}

static void play_ban(struct decide_case *at, const char *node, const char *unused)
{
    (void)unused;
    assert_true(at->banned_len < COUNT(at->banned));
    at->banned[at->banned_len++] = node_of(at, node);
}

static void play_allow(struct decide_case *at, const char *unused, const char *unused_too)
{
    (void)unused;
    (void)unused_too;
    at->banned_len = 0;
}

static void play_wait(struct decide_case *at, const char *ms, const char *unused)
{
    (void)unused;
    at->scene.now_ms += strtoll(ms, NULL, 10);
}

/* Pods that were not told of any more are pending again for the scheduler, too. */
static void play_close(struct decide_case *at, const char *unused, const char *unused_too)
{
    (void)unused;
    (void)unused_too;
    fb_decide_close(at->ledger, &at->scene);
    for (size_t i = 0; i < at->pods_len; i++) {
        if (at->pods[i].status == FB_TASK_PIPELINED)
            at->pods[i] = (struct decide_pod){.pod = at->pods[i].pod, .status = FB_TASK_PENDING};
    }
}

static void play_count(struct decide_case *at, const char *unused, const char *unused_too)
{
    struct fb_ledger_counts counts = fb_ledger_count(at->ledger);

    (void)unused;
    (void)unused_too;
    add_piece(at->text, "allocated=%zu pipelined=%zu releasing=%zu planned=%zu reserved=%zu",
              counts.allocated, counts.pipelined, counts.releasing, counts.planned,
              counts.reserved);
}

static void play_step(struct decide_case *at, const char *step)
{
    static const struct {
        const char *name;
        void (*play)(struct decide_case *, const char *, const char *);
    } steps[] = {
        {"ask", play_ask},     {"nodes", play_nodes}, {"best", play_best},   {"put", play_put},
        {"pipe", play_pipe},   {"drop", play_drop},   {"evict", play_evict}, {"gang", play_gang},
        {"ban", play_ban},     {"allow", play_allow}, {"wait", play_wait},   {"close", play_close},
        {"count", play_count}, {"show", play_show},   {"list", play_list},
    };
    char words[3][32] = {"", "", ""};

    (void)sscanf(step, "%31s %31s %31s", words[0], words[1], words[2]);
    for (size_t i = 0; i < COUNT(steps); i++) {
        if (strcmp(steps[i].name, words[0]) == 0) {
            steps[i].play(at, words[1], words[2]);
            return;
        }
    }
    fail_msg("no step '%s'", step);
}

const char *decide_case_play(struct decide_case *at, const char *script)
{
    at->text[0] = '\0';
    while (*script != '\0') {
        size_t len = strcspn(script, ";");
        char step[128];

        assert_true(len < sizeof step);
        memcpy(step, script, len);
        step[len] = '\0';
        play_step(at, step);
        script += len + strspn(script + len, "; ");
    }
    return at->text;
}

const char *decide_case_text(const struct plan_case *from, bool blind, const char *script,
                             char text[CASE_TEXT])
{
    struct decide_case *at = decide_case_new(from, blind);

    (void)snprintf(text, CASE_TEXT, "%s", decide_case_play(at, script));
    decide_case_free(at);
    return text;
}
