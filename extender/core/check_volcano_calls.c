/* SPDX-License-Identifier: Apache-2.0 */
#include "check_volcano_parts.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Reading the candidates of 5,000 nodes takes some 100 ms, and the machine may have more to do. */
#define TIMEOUT_LEAST 200e6

/* Units of Go's durations, in nanoseconds; those that begin another stand behind it.
 * Source: Go, time.ParseDuration. */
static const struct unit {
    const char *name;
    double nanoseconds;
} units[] = {
    {"ns", 1},   {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3},
    {"ms", 1e6}, {"s", 1e9},  {"m", 60e9},        {"h", 3600e9},
};

/* Digits with at most one point: their value, and what stands behind; false where none is. */
static bool take_number(const char **text, double *ret)
{
    const char *at = *text;
    double scale = 1;
    bool point = false;
    bool digits = false;

    *ret = 0;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        digits = true;
        *ret = *ret * 10 + (*at - '0');
        scale *= point ? 10 : 1;
    }
    *ret /= scale;
    *text = at;
    return digits;
}

static const struct unit *take_unit(const char **text)
{
    for (size_t i = 0; i < COUNT(units); i++) {
        size_t len = strlen(units[i].name);

        if (strncmp(*text, units[i].name, len) == 0) {
            *text += len;
            return &units[i];
        }
    }
    return NULL;
}

/* Nanoseconds of "1.5s", "1m30s", "0"; false where Go would not read it. */
static bool parse_duration(const char *text, double *ret)
{
    bool negative = *text == '-';
    double sum = 0;

    if (*text == '-' || *text == '+')
        text++;
    if (strcmp(text, "0") == 0) {
        *ret = 0;
        return true;
    }
    if (*text == '\0')
        return false;
    while (*text != '\0') {
        double number;
        const struct unit *unit;

        if (!take_number(&text, &number))
            return false;
        unit = take_unit(&text);
        if (unit == NULL)
            return false;
        sum += number * unit->nanoseconds;
    }
    *ret = negative ? -sum : sum;
    return sum < 9.2e18;
}

enum fb_status fb_check_volcano_timeout(struct fb_volcano_check *check)
{
    const struct fb_volcano_setting *set =
        fb_volcano_settings_find(&check->extender->arguments, "extender.httpTimeout");
    double nanoseconds;

    if (set == NULL)
        return FB_OK; /* a second */
    if (set->type != FB_VOLCANO_STRING || !parse_duration(set->text, &nanoseconds))
        return fb_volcano_note(check, FB_LEVEL_WARNING, "timeout-ignored", "extender",
                               "line %zu: extender.httpTimeout: '%s' is no duration such as 2s: "
                               "Volcano takes 1s",
                               set->line, set->text);
    if (nanoseconds <= 0)
        return fb_volcano_note(check, FB_LEVEL_WARNING, "timeout-none", "extender",
                               "line %zu: extender.httpTimeout %s means no limit: a call that "
                               "hangs stops the scheduler",
                               set->line, set->text);
    if (nanoseconds < TIMEOUT_LEAST)
        return fb_volcano_note(check, FB_LEVEL_WARNING, "timeout-short", "extender",
                               "line %zu: extender.httpTimeout %s is less than large requests may "
                               "take: at least 200ms, better 2s",
                               set->line, set->text);
    return FB_OK;
}

/* Source: Volcano, framework/arguments.go, GetBool; Go, strconv.ParseBool. */
static bool is_true(const struct fb_volcano_setting *set)
{
    static const char *const words[] = {"1", "t", "T", "true", "TRUE", "True"};

    if (set == NULL || set->type == FB_VOLCANO_TRUTH)
        return set != NULL && set->yes;
    for (size_t i = 0; set->type == FB_VOLCANO_STRING && i < COUNT(words); i++) {
        if (fb_text_equal(words[i], set->text))
            return true;
    }
    return false;
}

enum fb_status fb_check_volcano_ignorable(struct fb_volcano_check *check)
{
    const struct fb_volcano_setting *set =
        fb_volcano_settings_find(&check->extender->arguments, "extender.ignorable");

    if (is_true(set))
        return FB_OK;
    if (*fb_volcano_argument(check, "extender.onSessionOpenVerb") != '\0')
        return fb_volcano_note(check, FB_LEVEL_ERROR, "sessionopen-strict", "extender",
                               "extender.onSessionOpenVerb is set and extender.ignorable is not "
                               "true: where one call fails, all of that session is scheduled "
                               "without fabricbind");
    return fb_volcano_note(check, FB_LEVEL_WARNING, "not-ignorable", "extender",
                           "extender.ignorable is not true: while fabricbind is away, no pod that "
                           "it is asked about gets a node");
}

static bool is_on_nodes(const struct fb_cluster *cluster, const char *resource)
{
    for (size_t i = 0; i < cluster->sites_len; i++) {
        if (fb_resources_get(&cluster->sites[i].allocatable, resource) > 0)
            return true;
    }
    return false;
}

static enum fb_status check_listed(struct fb_volcano_check *check,
                                   const struct fb_volcano_setting *set)
{
    static const struct fb_finding nics = {
        .level = FB_LEVEL_WARNING,
        .code = "managed-nics",
        .subject = "extender",
        .message = "extender.managedResources is for GPUs: pods are found by those, and NICs are "
                   "counted for them",
    };
    const struct fb_settings *settings = check->cluster->settings;
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < set->list.len; i++) {
        const char *name = set->list.at[i];

        if (fb_policies_nic(check->cluster->policies, name) ||
            (settings->nic_resource != NULL && fb_text_equal(settings->nic_resource, name)))
            st = fb_volcano_list(check, &nics, "%s in line %zu", name, set->line);
    }
    return st;
}

/* GPUs that no node has need not be listed. */
static enum fb_status check_gpus(struct fb_volcano_check *check,
                                 const struct fb_volcano_setting *set)
{
    static const struct fb_finding gpus = {
        .level = FB_LEVEL_ERROR,
        .code = "managed-gpus",
        .subject = "extender",
        .message = "extender.managedResources lacks GPUs that nodes have: pods that ask for them "
                   "are placed without fabricbind",
    };
    const struct fb_texts *names = &check->cluster->settings->gpu_resources;
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < names->len; i++) {
        if (!fb_texts_has(&set->list, names->at[i]) && is_on_nodes(check->cluster, names->at[i]))
            st = fb_volcano_list(check, &gpus, "%s", names->at[i]);
    }
    return st;
}

enum fb_status fb_check_volcano_managed(struct fb_volcano_check *check)
{
    const struct fb_volcano_setting *set =
        fb_volcano_settings_find(&check->extender->arguments, "extender.managedResources");
    enum fb_status st;

    if (set != NULL && (set->type != FB_VOLCANO_LIST || !set->strings))
        return fb_volcano_note(check, FB_LEVEL_ERROR, "volcano-ends", "extender",
                               "line %zu: extender.managedResources is no list of texts: Volcano "
                               "ends on reading it",
                               set->line);
    if (set == NULL || set->list.len == 0)
        return fb_volcano_is_old(check)
                   ? FB_OK
                   : fb_volcano_note(check, FB_LEVEL_WARNING, "managed-all", "extender",
                                     "extender.managedResources is absent: pods without GPUs are "
                                     "asked about, too (Volcano from 1.13)");
    st = check_listed(check, set);
    return st == FB_OK ? check_gpus(check, set) : st;
}
