/* SPDX-License-Identifier: Apache-2.0 */
#include "check_volcano_parts.h"

/* A number beyond this is as good as this one, and sums stay in range. */
#define WEIGHT_MOST 1000000000

/* What a plugin adds to a node's score at most: steps times a weight, or steps where it has none.
 * One row a weight. Kubernetes' own scores are normalised to 100 each.
 * Source: Volcano v1.16, pkg/scheduler/plugins, calculateWeight and the like of each. */
static const struct scorer {
    const char *plugin;
    const char *key; /* NULL: no weight */
    int64_t fallback, steps;
    const char *needs; /* a switch among the arguments that is off by default; NULL: none */
} scorers[] = {
    {"nodeorder", "leastrequested.weight", 1, 100, NULL},
    {"nodeorder", "mostrequested.weight", 0, 100, NULL},
    {"nodeorder", "nodeaffinity.weight", 2, 100, NULL},
    {"nodeorder", "podaffinity.weight", 2, 100, NULL},
    {"nodeorder", "balancedresource.weight", 1, 100, NULL},
    {"nodeorder", "tainttoleration.weight", 3, 100, NULL},
    {"nodeorder", "imagelocality.weight", 1, 100, NULL},
    {"nodeorder", "podtopologyspread.weight", 2, 100, NULL},
    {"binpack", "binpack.weight", 1, 100, NULL},
    {"network-topology-aware", "weight", 1, 100, NULL},
    {"numa-aware", "weight", 1, 100, NULL},
    {"resource-strategy-fit", "resourceStrategyFitWeight", 10, 100, NULL},
    {"resource-strategy-fit", "sra/weight", 0, 100, "sra/enable"},
    {"usage", "usage.weight", 5, 100, NULL},
    {"task-topology", "task-topology.weight", 1, 100, NULL},
    {"deviceshare", "deviceshare.ScheduleWeight", 0, 100, NULL},
    {"nodegroup", NULL, 1, 150, NULL},
    {"tdm", NULL, 1, 100, NULL},
};

#define SCORERS (sizeof scorers / sizeof scorers[0])

/* Whether @set counts: Volcano takes integers, and its own number where it finds something else. */
static bool is_weight(const struct fb_volcano_setting *set)
{
    return set != NULL && set->type == FB_VOLCANO_WHOLE;
}

static bool is_on(const struct fb_volcano_settings *settings, const char *key, bool fallback)
{
    const struct fb_volcano_setting *set = fb_volcano_settings_find(settings, key);

    return set == NULL || set->type != FB_VOLCANO_TRUTH ? fallback : set->yes;
}

/* A negative weight pushes as far as a positive one pulls. */
static int64_t size_of(int64_t weight)
{
    if (weight > WEIGHT_MOST || weight < -WEIGHT_MOST)
        return WEIGHT_MOST;
    return weight < 0 ? -weight : weight;
}

static int64_t adds(const struct fb_volcano_plugin *plugin, const struct scorer *scorer)
{
    const struct fb_volcano_setting *set = NULL;

    if (scorer->needs != NULL && !is_on(&plugin->arguments, scorer->needs, false))
        return 0;
    if (scorer->key != NULL)
        set = fb_volcano_settings_find(&plugin->arguments, scorer->key);
    return scorer->steps * size_of(is_weight(set) ? set->whole : scorer->fallback);
}

static enum fb_status note_ignored(struct fb_volcano_check *check,
                                   const struct fb_volcano_plugin *plugin,
                                   const struct scorer *scorer)
{
    const struct fb_volcano_setting *set =
        scorer->key == NULL ? NULL : fb_volcano_settings_find(&plugin->arguments, scorer->key);
    const struct fb_finding finding = {
        .level = FB_LEVEL_WARNING,
        .code = "weight-ignored",
        .subject = plugin->name,
        .message = "Volcano passes over weights that are no whole numbers without quotes",
    };

    if (set == NULL || is_weight(set))
        return FB_OK;
    return fb_volcano_list(check, &finding, "%s '%s' in line %zu (it takes %lld)", scorer->key,
                           set->text, set->line, (long long)scorer->fallback);
}

/* What @plugin adds at most; its weights that do not count are noted. */
static enum fb_status sum_plugin(struct fb_volcano_check *check,
                                 const struct fb_volcano_plugin *plugin, int64_t *ret)
{
    enum fb_status st = FB_OK;

    *ret = 0;
    for (size_t i = 0; st == FB_OK && i < SCORERS; i++) {
        if (!fb_text_equal(scorers[i].plugin, plugin->name))
            continue;
        st = note_ignored(check, plugin, &scorers[i]);
        *ret += adds(plugin, &scorers[i]);
    }
    if (!is_on(&plugin->switches, "enableNodeOrder", true))
        *ret = 0;
    return st;
}

/* "nodeorder 1200, binpack 100" with the sum of them. */
struct sum {
    const char *parts;
    int64_t most;
};

static enum fb_status sum_all(struct fb_volcano_check *check, struct sum *ret)
{
    const struct fb_volcano_plugins *plugins = &check->conf->plugins;

    *ret = (struct sum){.parts = ""};
    for (size_t i = 0; i < plugins->len; i++) {
        int64_t most = 0;
        enum fb_status st = sum_plugin(check, &plugins->at[i], &most);

        if (st != FB_OK)
            return st;
        if (most == 0)
            continue;
        if (ret->most < INT64_MAX - most)
            ret->most += most;
        ret->parts =
            fb_arena_print(check->notes.arena, "%s%s%s %lld", ret->parts,
                           *ret->parts == '\0' ? "" : ", ", plugins->at[i].name, (long long)most);
        if (ret->parts == NULL)
            return FB_ENOMEM;
    }
    return FB_OK;
}

enum fb_status fb_check_volcano_score(struct fb_volcano_check *check)
{
    const struct fb_settings *settings = check->cluster->settings;
    double weight = settings->scoring.weight;
    double nearness = weight * settings->scoring.locality;
    struct sum sum;
    enum fb_status st = sum_all(check, &sum);

    if (st != FB_OK || !check->coupling->prioritize || (double)sum.most < nearness)
        return st;
    if ((double)sum.most < weight)
        return fb_volcano_note(check, FB_LEVEL_INFO, "score-near", "scoring.weight",
                               "other plugins add up to %lld (%s), nearness to the gang is worth "
                               "%g: they can outweigh it",
                               (long long)sum.most, sum.parts, nearness);
    return fb_volcano_note(check, FB_LEVEL_WARNING, "score-drowned", "scoring.weight",
                           "other plugins add up to %lld (%s) against scoring.weight %g: lower "
                           "their weights, or raise it",
                           (long long)sum.most, sum.parts, weight);
}
