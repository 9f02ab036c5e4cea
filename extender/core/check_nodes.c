/* SPDX-License-Identifier: Apache-2.0 */
#include "findings.h"

/* How bad each problem of a node is, and what is said of it; NULL: nothing. */
static const struct {
    enum fb_level level;
    const char *message;
} sayings[FB_PROBLEMS] = {
    [FB_PROBLEM_NICS_BELOW_SHAPE] = {FB_LEVEL_WARNING, "fewer NICs than the instance type has"},
    [FB_PROBLEM_NICS_ZERO] = {FB_LEVEL_WARNING, "NIC resource advertised with 0 (plugin down?)"},
    [FB_PROBLEM_NICS_ABOVE_SHAPE] = {FB_LEVEL_WARNING,
                                     "more NICs reported than the instance type has"},
    [FB_PROBLEM_NICS_UNKNOWN] = {FB_LEVEL_INFO, "the shared plugin does not tell how many NICs"},
    [FB_PROBLEM_NO_NIC_RESOURCE] = {FB_LEVEL_WARNING, "no NIC resource (device plugin absent?)"},
    [FB_PROBLEM_GPUS_BELOW_SHAPE] = {FB_LEVEL_WARNING, "fewer GPUs than the instance type has"},
    [FB_PROBLEM_GPUS_SHARED] = {FB_LEVEL_INFO, "GPUs are shared: no multi-node jobs"},
    [FB_PROBLEM_GPUS_MIG] = {FB_LEVEL_INFO, "GPUs are cut into MIG parts: no multi-node jobs"},
    [FB_PROBLEM_NO_GPU] = {FB_LEVEL_INFO, NULL},
    [FB_PROBLEM_CORDONED] = {FB_LEVEL_INFO, "cordoned, or tainted as failing"},
    [FB_PROBLEM_NOT_READY] = {FB_LEVEL_INFO, "not ready"},
    [FB_PROBLEM_NOT_INITIALISED] = {FB_LEVEL_INFO, "not initialised"},
    [FB_PROBLEM_LABELS_PLACEHOLDER] = {FB_LEVEL_WARNING,
                                       "topology labels say nothing (placeholders)"},
    [FB_PROBLEM_SHAPE_UNKNOWN] = {FB_LEVEL_INFO, "instance type not in the policies: NICs are "
                                                 "taken as the nodes show them"},
    [FB_PROBLEM_BOUNDARY_UNKNOWN] = {FB_LEVEL_WARNING,
                                     "fabric unknown: no gangs of two pods or more"},
};

/* A node with GPUs, or one that should have some. */
static bool takes_part(const struct fb_reading *reading)
{
    return reading->gpus_full > 0 || fb_reading_has(reading, FB_PROBLEM_GPUS_SHARED) ||
           fb_reading_has(reading, FB_PROBLEM_GPUS_MIG);
}

static int64_t total(const struct fb_resources *units)
{
    int64_t sum = 0;

    for (size_t i = 0; i < units->len; i++)
        sum = fb_amount_add(sum, units->at[i].amount);
    return sum;
}

/* The node's name, with the numbers that matter. */
static const char *detail_of(struct fb_notes *notes, const struct fb_site *site,
                             enum fb_problem problem)
{
    const struct fb_reading *reading = &site->reading;
    long long shape = (long long)fb_reading_shape_nics(reading);

    switch (problem) {
    case FB_PROBLEM_NICS_BELOW_SHAPE:
        return fb_arena_print(notes->arena, "%s (%lld of %lld)", site->node->name,
                              (long long)reading->nics, shape);
    case FB_PROBLEM_NICS_ABOVE_SHAPE:
        return fb_arena_print(notes->arena, "%s (%lld of %lld)", site->node->name,
                              (long long)total(&reading->units), shape);
    case FB_PROBLEM_GPUS_BELOW_SHAPE:
        return fb_arena_print(notes->arena, "%s (%lld of %lld)", site->node->name,
                              (long long)reading->gpus, (long long)reading->shape->gpus);
    case FB_PROBLEM_NICS_ZERO:
    case FB_PROBLEM_NICS_UNKNOWN:
    case FB_PROBLEM_NO_NIC_RESOURCE:
    case FB_PROBLEM_GPUS_SHARED:
    case FB_PROBLEM_GPUS_MIG:
    case FB_PROBLEM_NO_GPU:
    case FB_PROBLEM_CORDONED:
    case FB_PROBLEM_NOT_READY:
    case FB_PROBLEM_NOT_INITIALISED:
    case FB_PROBLEM_LABELS_PLACEHOLDER:
    case FB_PROBLEM_SHAPE_UNKNOWN:
    case FB_PROBLEM_BOUNDARY_UNKNOWN:
    case FB_PROBLEMS:
        break;
    }
    return site->node->name;
}

/* Some shapes have no NIC resource by design. */
static enum fb_level level_of(const struct fb_site *site, enum fb_problem problem)
{
    const struct fb_shape *shape = site->reading.shape;

    if (problem == FB_PROBLEM_NO_NIC_RESOURCE &&
        (shape == NULL || shape->nics < 1 || shape->dra || shape->host_network))
        return FB_LEVEL_INFO;
    return sayings[problem].level;
}

/* What the whole pool shows is said once, of the pool. */
static bool pool_says(const struct fb_cluster *cluster, const struct fb_site *site,
                      enum fb_problem problem)
{
    return problem == FB_PROBLEM_NICS_BELOW_SHAPE && site->fabric != FB_NONE &&
           cluster->fabrics[site->fabric].pool_nics == site->reading.nics;
}

bool fb_check_lacks_nics(const struct fb_cluster *cluster, const struct fb_site *site)
{
    static const enum fb_problem problems[] = {FB_PROBLEM_NICS_BELOW_SHAPE, FB_PROBLEM_NICS_ZERO,
                                               FB_PROBLEM_NO_NIC_RESOURCE};
    const struct fb_reading *reading = &site->reading;

    if (!takes_part(reading) || reading->shape == NULL || !site->node->ready ||
        fb_reading_has(reading, FB_PROBLEM_NOT_INITIALISED))
        return false;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        if (fb_reading_has(reading, problems[i]) && level_of(site, problems[i]) != FB_LEVEL_INFO &&
            !pool_says(cluster, site, problems[i]))
            return true;
    }
    return false;
}

static enum fb_status note_problem(const struct fb_cluster *cluster, const struct fb_site *site,
                                   enum fb_problem problem, struct fb_notes *notes)
{
    struct fb_finding finding = {
        .level = level_of(site, problem),
        .code = fb_problem_code(problem),
        .subject = *site->reading.instance != '\0' ? site->reading.instance : "unknown type",
        .message = sayings[problem].message,
    };
    const char *detail;

    if (finding.message == NULL || !fb_reading_has(&site->reading, problem) ||
        pool_says(cluster, site, problem))
        return FB_OK;
    detail = detail_of(notes, site, problem);
    return detail != NULL ? fb_notes_add(notes, finding, detail) : FB_ENOMEM;
}

/* Nodes of another provider than the configured one get NICs by the wrong policy. */
static enum fb_status note_provider(const struct fb_site *site, struct fb_notes *notes)
{
    const struct fb_reading *reading = &site->reading;
    struct fb_finding finding = {.level = FB_LEVEL_WARNING, .code = "provider-mismatch"};

    if (reading->detected == NULL || reading->policy == NULL ||
        reading->detected == reading->policy)
        return FB_OK;
    finding.subject = reading->detected->provider;
    finding.message =
        fb_arena_print(notes->arena, "nodes look like this provider's, configured is %s",
                       reading->policy->provider);
    return finding.message != NULL ? fb_notes_add(notes, finding, site->node->name) : FB_ENOMEM;
}

enum fb_status fb_check_nodes(const struct fb_cluster *cluster, struct fb_notes *notes)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < cluster->sites_len; i++) {
        const struct fb_site *site = &cluster->sites[i];

        if (!takes_part(&site->reading))
            continue;
        st = note_provider(site, notes);
        for (int p = 0; st == FB_OK && p < FB_PROBLEMS; p++)
            st = note_problem(cluster, site, (enum fb_problem)p, notes);
    }
    return st;
}
