/* SPDX-License-Identifier: Apache-2.0 */
#include "check_volcano_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A message; longer ones are cut. */
#define MESSAGE_BYTES 768

enum fb_status fb_volcano_note(struct fb_volcano_check *check, enum fb_level level,
                               const char *code, const char *subject, const char *fmt, ...)
{
    struct fb_finding finding = {.level = level, .code = code, .subject = subject};
    char text[MESSAGE_BYTES];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    finding.message = fb_arena_text(check->notes.arena, text, strlen(text));
    return fb_notes_add(&check->notes, finding, "");
}

enum fb_status fb_volcano_list(struct fb_volcano_check *check, const struct fb_finding *finding,
                               const char *fmt, ...)
{
    char text[MESSAGE_BYTES];
    const char *detail;
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    detail = fb_arena_text(check->notes.arena, text, strlen(text));
    return detail == NULL ? FB_ENOMEM : fb_notes_add(&check->notes, *finding, detail);
}

const char *fb_volcano_argument(const struct fb_volcano_check *check, const char *key)
{
    const struct fb_volcano_setting *set =
        fb_volcano_settings_find(&check->extender->arguments, key);

    return set != NULL && set->type == FB_VOLCANO_STRING ? set->text : "";
}

/* The switches of a plugin. Some have no e in enable: that is how Volcano spells them.
 * Source: Volcano, pkg/scheduler/conf/scheduler_conf.go, PluginOption. */
static const char *const switches[] = {
    "enableJobOrder",
    "enableHierarchy",
    "enableJobReady",
    "enableJobPipelined",
    "enableTaskOrder",
    "enablePreemptable",
    "enableReclaimable",
    "enablePreemptive",
    "enableQueueOrder",
    "enabledClusterOrder",
    "enablePredicate",
    "enableBestNode",
    "enableNodeOrder",
    "enableTargetJob",
    "enableReservedNodes",
    "enableJobEnqueued",
    "enabledVictim",
    "enableJobStarving",
    "enabledOverused",
    "enabledAllocatable",
    "enabledHyperNodeOrder",
    "enabledSubJobReady",
    "enabledSubJobPipelined",
    "enabledSubJobOrder",
    "enabledHyperNodeGradient",
    "name",
    "arguments",
};

/* Arguments of the extender. Source: Volcano, pkg/scheduler/plugins/extender/extender.go. */
static const char *const arguments[] = {
    "extender.urlPrefix",          "extender.httpTimeout",        "extender.onSessionOpenVerb",
    "extender.onSessionCloseVerb", "extender.predicateVerb",      "extender.prioritizeVerb",
    "extender.preemptableVerb",    "extender.reclaimableVerb",    "extender.queueOverusedVerb",
    "extender.jobEnqueueableVerb", "extender.jobEnqueuedVerb",    "extender.jobReadyVerb",
    "extender.allocateFuncVerb",   "extender.deallocateFuncVerb", "extender.ignorable",
    "extender.managedResources",
};

static bool is_one_of(const char *text, const char *const *words, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (fb_text_equal(words[i], text))
            return true;
    }
    return false;
}

/* Volcano passes over keys that it does not know, without a word. */
static enum fb_status note_unknown(struct fb_volcano_check *check, const char *plugin,
                                   const struct fb_volcano_setting *set, const char *const *words,
                                   size_t len)
{
    const char *nearest = fb_text_nearest(set->key, words, len);
    struct fb_finding finding = {
        .level = FB_LEVEL_WARNING,
        .code = "unknown-key",
        .subject = plugin,
        .message = "Volcano passes over keys that it does not know",
    };

    if (nearest == NULL)
        return fb_volcano_list(check, &finding, "%s in line %zu", set->key, set->line);
    return fb_volcano_list(check, &finding, "%s in line %zu (nearest is %s)", set->key, set->line,
                           nearest);
}

static enum fb_status check_switch(struct fb_volcano_check *check, const char *plugin,
                                   const struct fb_volcano_setting *set)
{
    if (strchr(set->key, '/') != NULL)
        return FB_OK; /* within a map that is not known itself */
    if (!is_one_of(set->key, switches, COUNT(switches)))
        return note_unknown(check, plugin, set, switches, COUNT(switches));
    if (set->type != FB_VOLCANO_TRUTH && set->type != FB_VOLCANO_NOTHING)
        return fb_volcano_note(check, FB_LEVEL_ERROR, "volcano-refuses", plugin,
                               "line %zu: %s: neither true nor false: Volcano refuses the file and "
                               "goes on with the one before",
                               set->line, set->key);
    return FB_OK;
}

static enum fb_status check_switches(struct fb_volcano_check *check)
{
    const struct fb_volcano_plugins *plugins = &check->conf->plugins;
    enum fb_status st = FB_OK;

    for (size_t i = 0; i < plugins->len; i++) {
        const struct fb_volcano_settings *set = &plugins->at[i].switches;

        for (size_t s = 0; st == FB_OK && s < set->len; s++)
            st = check_switch(check, plugins->at[i].name, &set->at[s]);
    }
    return st;
}

static enum fb_status check_arguments(struct fb_volcano_check *check)
{
    const struct fb_volcano_settings *set = &check->extender->arguments;
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < set->len; i++) {
        if (!is_one_of(set->at[i].key, arguments, COUNT(arguments)) &&
            strchr(set->at[i].key, '/') == NULL)
            st = note_unknown(check, "extender", &set->at[i], arguments, COUNT(arguments));
    }
    return st;
}

/* A switch of the extender's that is off where the wiring has the verb. */
static enum fb_status check_off(struct fb_volcano_check *check, const char *key, bool wanted)
{
    const struct fb_volcano_setting *set =
        fb_volcano_settings_find(&check->extender->switches, key);

    if (!wanted || set == NULL || set->type != FB_VOLCANO_TRUTH || set->yes)
        return FB_OK;
    return fb_volcano_note(check, FB_LEVEL_ERROR, "switched-off", "extender",
                           "line %zu: %s is off: wiring %s is never asked", set->line, key,
                           check->coupling->wiring);
}

static size_t place_of(const struct fb_volcano_check *check, const struct fb_volcano_plugin *plugin)
{
    return (size_t)(plugin - check->conf->plugins.at);
}

static enum fb_status check_order(struct fb_volcano_check *check)
{
    const struct fb_volcano_plugins *plugins = &check->conf->plugins;
    const struct fb_volcano_plugin *filter = fb_volcano_plugins_find(plugins, "predicates", 0);
    const struct fb_volcano_plugin *twice =
        fb_volcano_plugins_find(plugins, "extender", place_of(check, check->extender) + 1);
    enum fb_status st = FB_OK;

    if (twice != NULL)
        st = fb_volcano_note(check, FB_LEVEL_ERROR, "extender-twice", "extender",
                             "line %zu: given again after line %zu: Volcano knows plugins by name, "
                             "so the later one is asked twice and scores count twice",
                             twice->line, check->extender->line);
    if (st != FB_OK)
        return st;
    if (filter == NULL)
        return fb_volcano_note(check, FB_LEVEL_WARNING, "no-predicates", "predicates",
                               "the plugin is absent: nobody looks at selectors and taints");
    if (place_of(check, filter) > place_of(check, check->extender))
        return fb_volcano_note(check, FB_LEVEL_WARNING, "extender-first", "extender",
                               "line %zu: stands before predicates (line %zu): it is asked about "
                               "nodes that selectors and taints exclude",
                               check->extender->line, filter->line);
    return FB_OK;
}

/* Is @word one of the words of @list, "a, b". */
static bool lists(const char *list, const char *word)
{
    size_t len = strlen(word);

    while (*list != '\0') {
        size_t part;

        list += strspn(list, " \t,");
        part = strcspn(list, " \t,");
        if (part == len && strncmp(list, word, len) == 0)
            return true;
        list += part;
    }
    return false;
}

static enum fb_status check_actions(struct fb_volcano_check *check)
{
    const struct fb_volcano_plugin *allocate =
        fb_volcano_plugins_find(&check->conf->actions_set, "allocate", 0);
    const struct fb_volcano_setting *cache =
        allocate == NULL
            ? NULL
            : fb_volcano_settings_find(&allocate->arguments, "predicateErrorCacheEnable");

    if (!lists(check->conf->actions, "allocate"))
        return fb_volcano_note(check, FB_LEVEL_ERROR, "no-allocate", "actions",
                               "actions lack allocate: no pod gets a node");
    if (check->coupling->predicate && cache != NULL && cache->type == FB_VOLCANO_TRUTH &&
        !cache->yes)
        return fb_volcano_note(check, FB_LEVEL_WARNING, "no-error-cache", "actions",
                               "line %zu: predicateErrorCacheEnable is off: each pod of a gang "
                               "asks anew about nodes that were refused",
                               cache->line);
    return FB_OK;
}

/* What is not seen is not scored; the filter of a plan that is required is searched through. */
static enum fb_status check_sampling(struct fb_volcano_check *check)
{
    bool searched =
        check->coupling->predicate && check->cluster->settings->placement == FB_PLACEMENT_REQUIRE;

    if (!check->coupling->prioritize || searched)
        return FB_OK;
    return fb_volcano_note(check, FB_LEVEL_INFO, "node-sampling", "nodes",
                           "above 100 nodes Volcano shows a sample only, and scores pull to no "
                           "node outside it: start it with --percentage-nodes-to-find=100");
}

static enum fb_status check_extender(struct fb_volcano_check *check)
{
    enum fb_status st = check_order(check);

    if (st == FB_OK)
        st = check_arguments(check);
    if (st == FB_OK)
        st = check_off(check, "enablePredicate", check->coupling->predicate);
    if (st == FB_OK)
        st = check_off(check, "enableNodeOrder", check->coupling->prioritize);
    if (st == FB_OK)
        st = fb_check_volcano_url(check);
    if (st == FB_OK)
        st = fb_check_volcano_verbs(check);
    if (st == FB_OK)
        st = fb_check_volcano_timeout(check);
    if (st == FB_OK)
        st = fb_check_volcano_ignorable(check);
    if (st == FB_OK)
        st = fb_check_volcano_managed(check);
    return st;
}

enum fb_status fb_check_volcano(const struct fb_cluster *cluster,
                                const struct fb_volcano_coupling *coupling,
                                const struct fb_volcano_conf *conf, struct fb_findings *ret)
{
    struct fb_findings findings = {0};
    struct fb_volcano_check check = {
        .cluster = cluster,
        .coupling = coupling,
        .conf = conf,
        .extender = fb_volcano_plugins_find(&conf->plugins, "extender", 0),
        .notes = {.arena = cluster->arena, .findings = &findings},
    };
    enum fb_status st = check_switches(&check);

    if (st == FB_OK)
        st = check_actions(&check);
    if (st == FB_OK)
        st = check_sampling(&check);
    if (st == FB_OK)
        st = fb_check_volcano_score(&check);
    if (st == FB_OK && check.extender != NULL)
        st = check_extender(&check);
    else if (st == FB_OK)
        st = fb_volcano_note(&check, FB_LEVEL_ERROR, "no-extender", "extender",
                             "the plugin is absent: Volcano calls nobody");
    if (st == FB_OK)
        st = fb_notes_finish(&check.notes);
    if (st == FB_OK)
        *ret = findings;
    return st;
}
