/* SPDX-License-Identifier: Apache-2.0 */
#include "check_volcano_parts.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ROUTE_BYTES 256 /* longer paths are cut: no route is as long */

/* The routes of Volcano 1.8 and 1.9, whose predicate answers are lists. */
#define OLD_ROUTE "/volcano-1.9/predicate"

enum use {
    USE_PREDICATE,  /* where the wiring has it */
    USE_PRIORITIZE, /* where the wiring has it */
    USE_BOOKS,      /* the ledger lives on it */
    USE_OPEN,       /* costs and gives nothing */
    USE_IDLE,       /* answered, and decides nothing */
};

static const struct verb {
    const char *key, *route;
    enum use use;
} verbs[] = {
    {"extender.predicateVerb", "/volcano/predicate", USE_PREDICATE},
    {"extender.prioritizeVerb", "/volcano/prioritize", USE_PRIORITIZE},
    {"extender.allocateFuncVerb", "/volcano/allocate", USE_BOOKS},
    {"extender.deallocateFuncVerb", "/volcano/deallocate", USE_BOOKS},
    {"extender.onSessionCloseVerb", "/volcano/sessionclose", USE_BOOKS},
    {"extender.onSessionOpenVerb", "/volcano/sessionopen", USE_OPEN},
    {"extender.jobEnqueueableVerb", "/volcano/jobenqueueable", USE_IDLE},
    {"extender.jobEnqueuedVerb", "/volcano/jobenqueued", USE_IDLE},
    {"extender.jobReadyVerb", "/volcano/jobready", USE_IDLE},
    {"extender.preemptableVerb", "/volcano/preemptable", USE_IDLE},
    {"extender.reclaimableVerb", "/volcano/reclaimable", USE_IDLE},
    {"extender.queueOverusedVerb", "/volcano/queueoverused", USE_IDLE},
};

/* The path of a URL, "" where it has none. */
static const char *path_of(const char *url)
{
    const char *host = strstr(url, "://");

    host = host == NULL ? url : host + 3;
    return host + strcspn(host, "/");
}

/* Where Volcano sends @verb: the prefix without slashes at its end, a slash, the verb.
 * Source: Volcano, pkg/scheduler/plugins/extender/extender.go, send. */
static void join(const struct fb_volcano_check *check, const char *verb, char ret[ROUTE_BYTES])
{
    const char *path = path_of(fb_volcano_argument(check, "extender.urlPrefix"));
    size_t len = strlen(path);

    while (len > 0 && path[len - 1] == '/')
        len--;
    if (len >= ROUTE_BYTES)
        len = ROUTE_BYTES - 1;
    (void)snprintf(ret, ROUTE_BYTES, "%.*s/%s", (int)len, path, verb);
}

bool fb_volcano_is_old(const struct fb_volcano_check *check)
{
    const char *verb = fb_volcano_argument(check, "extender.predicateVerb");
    char route[ROUTE_BYTES];

    join(check, verb, route);
    return *verb != '\0' && strcmp(route, OLD_ROUTE) == 0;
}

static const struct verb *verb_of(const char *route)
{
    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (strcmp(verbs[i].route, route) == 0)
            return &verbs[i];
    }
    return strcmp(route, OLD_ROUTE) == 0 ? &verbs[0] : NULL;
}

static enum fb_status check_route(struct fb_volcano_check *check, const struct verb *verb,
                                  const char *text)
{
    static const struct fb_finding unknown = {
        .level = FB_LEVEL_ERROR,
        .code = "verb-unknown",
        .subject = "extender",
        .message = "paths that fabricbind does not serve",
    };
    static const struct fb_finding other = {
        .level = FB_LEVEL_ERROR,
        .code = "verb-wrong",
        .subject = "extender",
        .message = "paths that answer other questions",
    };
    char route[ROUTE_BYTES];
    const struct verb *found;

    join(check, text, route);
    found = verb_of(route);
    if (found == verb)
        return FB_OK;
    return fb_volcano_list(check, found == NULL ? &unknown : &other, "%s goes to %s instead of %s",
                           verb->key, route, verb->route);
}

static enum fb_status note_missing(struct fb_volcano_check *check, const struct verb *verb)
{
    const struct fb_finding needed = {
        .level = FB_LEVEL_ERROR,
        .code = "verb-missing",
        .subject = "extender",
        .message = fb_arena_print(check->notes.arena, "wiring %s needs verbs that are not set",
                                  check->coupling->wiring),
    };
    static const struct fb_finding books = {
        .level = FB_LEVEL_WARNING,
        .code = "verb-missing",
        .subject = "extender",
        .message = "without these verbs placements are seen late, once pods are bound (Volcano "
                   "before 1.13 has no allocateFuncVerb and deallocateFuncVerb)",
    };

    if (needed.message == NULL)
        return FB_ENOMEM;
    return fb_volcano_list(check, verb->use == USE_BOOKS ? &books : &needed, "%s", verb->key);
}

static enum fb_status note_needless(struct fb_volcano_check *check, const struct verb *verb)
{
    static const struct fb_finding idle = {
        .level = FB_LEVEL_INFO,
        .code = "verb-idle",
        .subject = "extender",
        .message = "fabricbind leaves these to the other plugins: each call costs and decides "
                   "nothing",
    };
    static const struct fb_finding open = {
        .level = FB_LEVEL_WARNING,
        .code = "sessionopen",
        .subject = "extender",
        .message = "the whole cluster is sent each second, and nothing of it is read",
    };
    const struct fb_finding beside = {
        .level = FB_LEVEL_WARNING,
        .code = "verb-beside-wiring",
        .subject = "extender",
        .message = fb_arena_print(check->notes.arena, "wiring %s has no use for verbs that are set",
                                  check->coupling->wiring),
    };

    if (beside.message == NULL)
        return FB_ENOMEM;
    if (verb->use == USE_IDLE)
        return fb_volcano_list(check, &idle, "%s", verb->key);
    return fb_volcano_list(check, verb->use == USE_OPEN ? &open : &beside, "%s", verb->key);
}

/* Does the wiring ask for @verb. */
static bool wants(const struct fb_volcano_check *check, const struct verb *verb)
{
    switch (verb->use) {
    case USE_PREDICATE:
        return check->coupling->predicate;
    case USE_PRIORITIZE:
        return check->coupling->prioritize;
    case USE_BOOKS:
        return true;
    case USE_OPEN:
    case USE_IDLE:
        break;
    }
    return false;
}

/* Volcano 1.8 and 1.9 cannot be asked for what they do not have. */
static bool may_lack(const struct fb_volcano_check *check, const struct verb *verb)
{
    return verb->use == USE_BOOKS && fb_volcano_is_old(check);
}

enum fb_status fb_check_volcano_verbs(struct fb_volcano_check *check)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; st == FB_OK && i < COUNT(verbs); i++) {
        const char *text = fb_volcano_argument(check, verbs[i].key);

        if (*text != '\0')
            st = check_route(check, &verbs[i], text);
        else if (wants(check, &verbs[i]) && !may_lack(check, &verbs[i]))
            st = note_missing(check, &verbs[i]);
        if (st == FB_OK && *text != '\0' && !wants(check, &verbs[i]))
            st = note_needless(check, &verbs[i]);
    }
    return st;
}
