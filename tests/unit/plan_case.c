/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_case.h"

#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *keep(struct builder *builder, const char *text)
{
    const char *kept = fb_arena_text(builder->arena, text, strlen(text));

    assert_non_null(kept);
    return kept;
}

/* The next word of @at into @word; NULL at the end. */
static const char *take_word(const char *at, char word[64])
{
    size_t len;

    if (at == NULL || *at == '\0')
        return NULL;
    len = strcspn(at, " ");
    assert_true(len < 64);
    memcpy(word, at, len);
    word[len] = '\0';
    return at + len + strspn(at + len, " ");
}

static void put_node(struct builder *builder, const char *word)
{
    bool cpu = strncmp(word, "cpu:", 4) == 0;
    char name[16] = "";
    char spine[16] = "";
    char leaf[16] = "";
    char zone[16] = "";
    struct fb_node *node;

    (void)sscanf(cpu ? word + 4 : word, "%15[^:]:%15[^/:]/%15[^:]:%15s", name, spine, leaf, zone);
    if (cpu)
        node = make_node(builder, keep(builder, name), "cpu", -1, NULL, 0);
    else
        node = make_node(builder, keep(builder, name), "P.8", 8, "nic", 4);
    if (*spine != '\0' && *spine != '-')
        give_label(builder, node, "spine", keep(builder, spine));
    if (*leaf != '\0' && *leaf != '-')
        give_label(builder, node, "leaf", keep(builder, leaf));
    if (*zone != '\0')
        give_label(builder, node, ZONE_LABEL, strcmp(zone, "-") == 0 ? "" : keep(builder, zone));
}

/* The number at *@at, which goes on behind it and @mark. */
static int64_t take_number(const char **at, char mark)
{
    char *end;
    int64_t number = strtoll(*at, &end, 10);

    assert_true(end != *at && *end == mark);
    *at = *end != '\0' ? end + 1 : end;
    return number;
}

/* The text at *@at up to @mark, likewise. */
static const char *take_name(struct builder *builder, const char **at, char mark)
{
    const char *end = strchr(*at, mark);
    const char *name;

    assert_non_null(end);
    name = fb_arena_text(builder->arena, *at, (size_t)(end - *at));
    assert_non_null(name);
    *at = end + 1;
    return name;
}

static void put_pod(struct builder *builder, const char *word)
{
    static const char *const names[] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"};
    int64_t gpus = take_number(&word, '>');

    assert_true(builder->pods_len < COUNT(names));
    make_pod(builder, names[builder->pods_len], keep(builder, word), gpus);
}

static void put_task(struct builder *builder, struct fb_job *job, const char *word)
{
    const char *name = take_name(builder, &word, '=');
    int64_t pods = take_number(&word, 'x');
    bool least = strchr(word, '/') != NULL;
    int64_t gpus = take_number(&word, least ? '/' : '\0');
    struct fb_task *task = give_task(builder, job, name, pods, gpus);

    if (least)
        task->min = take_number(&word, '\0');
}

static void put_member(struct builder *builder, const struct fb_job *job, const char *word)
{
    const char *task = take_name(builder, &word, '-');
    int64_t index = take_number(&word, '>');
    char name[64];

    (void)snprintf(name, sizeof name, "j-%s-%" PRId64, task, index);
    for (size_t i = 0; i < job->tasks_len; i++) {
        struct fb_pod *pod;

        if (strcmp(job->tasks[i].name, task) != 0)
            continue;
        pod = make_pod(builder, keep(builder, name), keep(builder, word),
                       fb_resources_get(&job->tasks[i].pod.containers[0].requests, GPU));
        give_owner(builder, pod, VOLCANO, "j");
        give_pod_label(builder, pod, "volcano.sh/task-spec", task);
    }
}

struct builder *plan_case_make(const struct plan_case *from)
{
    struct builder *builder = builder_new();
    struct fb_policy *p = make_policy(builder, "p", "nic", FB_NIC_EXCLUSIVE);
    struct fb_job *job = make_job(builder, "j");
    char word[64];

    make_shape(builder, p, "P.8", 8, 4);
    give_tier(builder, p, "spine");
    give_tier(builder, p, "leaf");
    if (from->min != 0)
        job->min = from->min > 0 ? from->min : 0;
    for (const char *at = from->nodes; (at = take_word(at, word)) != NULL;)
        put_node(builder, word);
    for (const char *at = from->pods; (at = take_word(at, word)) != NULL;)
        put_pod(builder, word);
    for (const char *at = from->job; (at = take_word(at, word)) != NULL;)
        put_task(builder, job, word);
    for (const char *at = from->members; (at = take_word(at, word)) != NULL;)
        put_member(builder, job, word);
    return builder;
}

struct fb_job *plan_case_job(struct builder *builder)
{
    return &builder->jobs.at[0];
}

/* The last word of its name is where it ends. */
static const char *fabric_text(const struct fb_cluster *cluster, size_t fabric)
{
    const char *space;

    if (fabric == FB_NONE)
        return "none";
    space = strrchr(cluster->fabrics[fabric].name, ' ');
    return space != NULL ? space + 1 : cluster->fabrics[fabric].name;
}

const char *plan_text(const struct fb_cluster *cluster, const struct fb_plan *plan,
                      char text[CASE_TEXT])
{
    text[0] = '\0';
    add_piece(text, "%s", plan->fits ? "fits" : "no");
    if (plan->left_out > 0)
        add_piece(text, "%" PRId64 " left", plan->left_out);
    if (plan->has_gang && plan->gang_fabric != FB_NONE)
        add_piece(text, "gang %" PRId64 " in %zu on %s", plan->gang_pods, plan->blocks,
                  fabric_text(cluster, plan->gang_fabric));
    if (plan->placements_len > 0)
        add_piece(text, ":");
    for (size_t i = 0; i < plan->placements_len; i++) {
        const struct fb_place *at = &plan->placements[i];

        add_piece(text, "%s>%s", at->pod, cluster->sites[at->site].node->name);
        assert_true(plan->chosen[at->site]);
    }
    if (plan->is_short)
        add_piece(text, "short %" PRId64 " of %s, %s takes %" PRId64, plan->short_pods,
                  plan->short_resource != NULL ? plan->short_resource : "none",
                  fabric_text(cluster, plan->short_fabric), plan->short_takes);
    for (size_t i = 0; i < plan->warnings.len; i++)
        add_piece(text, "! %s", plan->warnings.at[i]);
    return text;
}

const char *plan_case_text(const struct plan_case *from, char text[CASE_TEXT])
{
    struct builder *builder = plan_case_make(from);
    struct fb_cluster cluster = build_cluster(builder);
    struct fb_plan plan;

    assert_int_equal(fb_plan_make(&cluster, plan_case_job(builder), 0, &plan, NULL), FB_OK);
    (void)plan_text(&cluster, &plan, text);
    builder_free(builder);
    return text;
}
