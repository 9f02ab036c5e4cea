/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/report.h"

#include "fabricbind/patch.h"

static void put_pair(struct fb_json *json, void *in, const char *key, const struct fb_pair *pair)
{
    void *list;

    if (pair->key == NULL) {
        fb_json_null(json, in, key);
        return;
    }
    list = fb_json_list(json, in, key);
    fb_json_text(json, list, NULL, pair->key);
    fb_json_text(json, list, NULL, pair->value);
}

static void put_tiers(struct fb_json *json, void *in, const char *key,
                      const struct fb_reading *reading)
{
    void *list = fb_json_list(json, in, key);

    for (size_t i = 0; i < reading->tiers.len; i++)
        put_pair(json, list, NULL, &reading->tiers.at[i]);
}

static void put_known(struct fb_json *json, void *in, const char *key, int64_t value)
{
    if (value < 0)
        fb_json_null(json, in, key);
    else
        fb_json_int(json, in, key, value);
}

static void put_nics(struct fb_json *json, void *in, const struct fb_reading *reading)
{
    void *names = fb_json_list(json, in, "nic_resource");
    void *units;
    char ratio[FB_RATIO_TEXT];

    for (size_t i = 0; i < reading->units.len; i++)
        fb_json_text(json, names, NULL, reading->units.at[i].name);
    fb_json_text(json, in, "kind", reading->has_nics ? fb_nic_kind_name(reading->kind) : NULL);
    units = fb_json_map(json, in, "units");
    for (size_t i = 0; i < reading->units.len; i++)
        fb_json_int(json, units, reading->units.at[i].name, reading->units.at[i].amount);
    put_known(json, in, "nics", reading->nics);
    fb_json_text(json, in, "ratio",
                 reading->ratio.den != 0 ? fb_ratio_format(reading->ratio, ratio) : NULL);
}

static void put_problems(struct fb_json *json, void *in, const struct fb_reading *reading)
{
    void *list = fb_json_list(json, in, "problems");

    for (int p = 0; p < FB_PROBLEMS; p++) {
        if (fb_reading_has(reading, (enum fb_problem)p))
            fb_json_text(json, list, NULL, fb_problem_code((enum fb_problem)p));
    }
}

static void put_free(struct fb_json *json, void *in, const struct fb_site *site)
{
    const struct fb_reading *reading = &site->reading;
    void *map = fb_json_map(json, in, "free");

    if (reading->gpu != NULL)
        fb_json_int(json, map, reading->gpu, fb_resources_get(&site->free, reading->gpu));
    for (size_t i = 0; i < reading->units.len; i++)
        fb_json_int(json, map, reading->units.at[i].name,
                    fb_resources_get(&site->free, reading->units.at[i].name));
}

static void put_node(struct fb_json *json, void *in, const struct fb_site *site)
{
    const struct fb_reading *reading = &site->reading;
    void *map = fb_json_map(json, in, NULL);

    fb_json_text(json, map, "node", site->node->name);
    fb_json_text(json, map, "provider", reading->policy != NULL ? reading->policy->provider : NULL);
    fb_json_text(json, map, "shape", reading->shape != NULL ? reading->shape->name : NULL);
    put_known(json, map, "shape_nics", fb_reading_shape_nics(reading));
    fb_json_int(json, map, "gpus", reading->gpus);
    put_nics(json, map, reading);
    put_pair(json, map, "boundary", &reading->boundary);
    put_tiers(json, map, "tiers", reading);
    fb_json_bool(json, map, "schedulable", reading->schedulable);
    put_problems(json, map, reading);
    put_free(json, map, site);
}

void fb_report_nodes(struct fb_json *json, const struct fb_cluster *cluster)
{
    void *nodes = fb_json_list(json, fb_json_map(json, NULL, NULL), "nodes");

    for (size_t i = 0; i < cluster->sites_len; i++)
        put_node(json, nodes, &cluster->sites[i]);
}

static const char *fabric_name(const struct fb_cluster *cluster, size_t fabric)
{
    return fabric != FB_NONE ? cluster->fabrics[fabric].name : NULL;
}

static void put_gang(struct fb_json *json, void *in, const struct fb_cluster *cluster,
                     const struct fb_plan *plan)
{
    void *map;

    if (!plan->has_gang) {
        fb_json_null(json, in, "gang");
        return;
    }
    map = fb_json_map(json, in, "gang");
    fb_json_int(json, map, "pods", plan->gang_pods);
    fb_json_text(json, map, "fabric", fabric_name(cluster, plan->gang_fabric));
    fb_json_int(json, map, "blocks", (int64_t)plan->blocks);
}

/* Boundary and tiers of the node, coarse to fine; a label that is both stands once. */
static void put_fabric(struct fb_json *json, void *in, const struct fb_reading *reading)
{
    void *list = fb_json_list(json, in, "fabric");

    if (reading->boundary.key != NULL)
        put_pair(json, list, NULL, &reading->boundary);
    for (size_t i = 0; i < reading->tiers.len; i++) {
        if (!fb_text_equal(reading->tiers.at[i].key, reading->boundary.key))
            put_pair(json, list, NULL, &reading->tiers.at[i]);
    }
}

static void put_place(struct fb_json *json, void *in, const struct fb_cluster *cluster,
                      const struct fb_plan *plan, const struct fb_place *place)
{
    const struct fb_site *site = &cluster->sites[place->site];
    void *map = fb_json_map(json, in, NULL);
    void *nics;

    fb_json_text(json, map, "pod", place->pod);
    fb_json_text(json, map, "task", plan->job->tasks[place->task].name);
    fb_json_text(json, map, "node", site->node->name);
    fb_json_score(json, map, "score", place->score);
    nics = fb_json_map(json, map, "nics");
    for (size_t i = 0; i < place->nics.len; i++)
        fb_json_int(json, nics, place->nics.at[i].name, place->nics.at[i].amount);
    put_fabric(json, map, &site->reading);
}

static void put_verdicts(struct fb_json *json, void *in, const struct fb_cluster *cluster,
                         const struct fb_plan *plan, size_t site)
{
    void *map = fb_json_map(json, in, NULL);
    void *tasks;
    char text[FB_VERDICT_TEXT];

    fb_json_text(json, map, "node", cluster->sites[site].node->name);
    tasks = fb_json_map(json, map, "tasks");
    for (size_t t = 0; t < plan->job->tasks_len; t++) {
        const struct fb_verdict *verdict = &plan->verdicts[site * plan->job->tasks_len + t];
        void *task = fb_json_map(json, tasks, plan->job->tasks[t].name);

        fb_json_text(json, task, "verdict", fb_verdict_name(verdict->kind));
        if (verdict->kind == FB_EXCLUDED)
            fb_json_null(json, task, "code");
        else
            fb_json_int(json, task, "code", fb_verdict_code(verdict->kind));
        fb_json_text(json, task, "reason", fb_verdict_text(verdict, text));
    }
    fb_json_bool(json, map, "chosen", plan->chosen[site]);
}

static void put_short(struct fb_json *json, void *in, const struct fb_cluster *cluster,
                      const struct fb_plan *plan)
{
    void *map;

    if (!plan->is_short) {
        fb_json_null(json, in, "short");
        return;
    }
    map = fb_json_map(json, in, "short");
    fb_json_int(json, map, "pods", plan->short_pods);
    fb_json_text(json, map, "resource", plan->short_resource);
    fb_json_text(json, map, "fabric", fabric_name(cluster, plan->short_fabric));
    fb_json_int(json, map, "takes", plan->short_takes);
}

/* What every task's pods get at creation; a task whose pods cannot be made says why instead. */
static void put_injections(struct fb_json *json, void *in, const struct fb_plan *plan,
                           const struct fb_outfit *outfit)
{
    void *map = fb_json_map(json, in, "injection");

    for (size_t i = 0; i < plan->job->tasks_len; i++)
        fb_patch_put(json, map, plan->job->tasks[i].name, &outfit->tasks[i].injection.patch);
}

static void put_profile(struct fb_json *json, void *in, const char *key,
                        const struct fb_profile *profile)
{
    void *map;

    if (profile->profile == NULL)
        return;
    map = fb_json_map(json, in, key);
    fb_json_text(json, map, FB_PROFILE_KEY, profile->profile);
    fb_json_text(json, map, FB_PROFILE_CONF_KEY, profile->conf);
    fb_json_text(json, map, FB_PROFILE_TOPO_KEY, profile->topo);
}

static void put_warnings(struct fb_json *json, void *in, const struct fb_plan *plan,
                         const struct fb_outfit *outfit)
{
    void *list = fb_json_list(json, in, "warnings");

    for (size_t i = 0; i < plan->warnings.len; i++)
        fb_json_text(json, list, NULL, plan->warnings.at[i]);
    for (size_t i = 0; i < plan->job->tasks_len; i++) {
        const struct fb_texts *warnings = &outfit->tasks[i].injection.warnings;

        if (outfit->tasks[i].denied != NULL)
            fb_json_text(json, list, NULL, outfit->tasks[i].denied);
        for (size_t w = 0; w < warnings->len; w++)
            fb_json_text(json, list, NULL, warnings->at[w]);
    }
}

void *fb_report_plans(struct fb_json *json, size_t len)
{
    return len == 1 ? NULL : fb_json_list(json, fb_json_map(json, NULL, NULL), "plans");
}

void fb_report_plan(struct fb_json *json, void *in, const struct fb_cluster *cluster,
                    const struct fb_plan *plan, const struct fb_outfit *outfit)
{
    void *map = fb_json_map(json, in, NULL);
    void *list;

    fb_json_text(json, map, "job", plan->name);
    fb_json_int(json, map, "pods", plan->pods);
    fb_json_bool(json, map, "fits", plan->fits);
    fb_json_int(json, map, "left_out", plan->left_out);
    put_gang(json, map, cluster, plan);
    list = fb_json_list(json, map, "placements");
    for (size_t i = 0; i < plan->placements_len; i++)
        put_place(json, list, cluster, plan, &plan->placements[i]);
    list = fb_json_list(json, map, "nodes");
    for (size_t i = 0; i < cluster->sites_len; i++)
        put_verdicts(json, list, cluster, plan, i);
    put_short(json, map, cluster, plan);
    put_warnings(json, map, plan, outfit);
    put_injections(json, map, plan, outfit);
    map = fb_json_map(json, map, "binding");
    for (size_t i = 0; i < plan->placements_len; i++)
        put_profile(json, map, plan->placements[i].pod, &outfit->profiles[i]);
}

void fb_report_pod(struct fb_json *json, const struct fb_cluster *cluster,
                   const struct fb_plan *plan, const struct fb_outfit *outfit, size_t place)
{
    const struct fb_place *at = &plan->placements[place];
    void *map = fb_json_map(json, NULL, NULL);

    fb_json_text(json, map, "pod", at->pod);
    fb_json_text(json, map, "task", plan->job->tasks[at->task].name);
    fb_json_text(json, map, "node", cluster->sites[at->site].node->name);
    fb_patch_put(json, map, "injection", &outfit->tasks[at->task].injection.patch);
    put_profile(json, map, "binding", &outfit->profiles[place]);
}

void fb_report_findings(struct fb_json *json, const struct fb_findings *findings)
{
    void *map = fb_json_map(json, NULL, NULL);
    void *list;

    fb_json_bool(json, map, "ok", !fb_check_bad(findings));
    list = fb_json_list(json, map, "findings");
    for (size_t i = 0; i < findings->len; i++) {
        const struct fb_finding *at = &findings->at[i];
        void *finding = fb_json_map(json, list, NULL);

        fb_json_text(json, finding, "level", fb_level_name(at->level));
        fb_json_text(json, finding, "code", at->code);
        fb_json_text(json, finding, "subject", at->subject);
        fb_json_text(json, finding, "message", at->message);
        fb_json_int(json, finding, "count", (int64_t)at->count);
    }
}
