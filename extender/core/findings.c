/* SPDX-License-Identifier: Apache-2.0 */
#include "findings.h"

#include <stdlib.h>
#include <string.h>

/* A finding names this many of its nodes; the rest is counted. */
#define NAMED 3

const char *fb_level_name(enum fb_level level)
{
    static const char *const names[] = {"error", "warning", "info"};

    return names[level];
}

static struct fb_finding *find(struct fb_findings *all, const struct fb_finding *like)
{
    for (size_t i = 0; i < all->len; i++) {
        struct fb_finding *at = &all->at[i];

        if (at->level == like->level && fb_text_equal(at->code, like->code) &&
            fb_text_equal(at->subject, like->subject))
            return at;
    }
    return NULL;
}

static enum fb_status append(struct fb_notes *notes, const struct fb_finding *finding)
{
    struct fb_findings *all = notes->findings;
    struct fb_finding *at = fb_arena_more(notes->arena, all->at, all->len, &all->size, sizeof *at);

    if (at == NULL || finding->message == NULL)
        return FB_ENOMEM;
    all->at = at;
    at[all->len++] = *finding;
    return FB_OK;
}

enum fb_status fb_notes_add(struct fb_notes *notes, struct fb_finding finding, const char *detail)
{
    struct fb_finding *known = find(notes->findings, &finding);

    if (finding.count == 0)
        finding.count = 1;
    if (known == NULL) {
        if (*detail != '\0')
            finding.message = fb_arena_print(notes->arena, "%s: %s", finding.message, detail);
        return append(notes, &finding);
    }
    if (known->count < NAMED && *detail != '\0')
        known->message = fb_arena_print(notes->arena, "%s, %s", known->message, detail);
    known->count += finding.count;
    return known->message != NULL ? FB_OK : FB_ENOMEM;
}

static int by_level(const void *a, const void *b)
{
    const struct fb_finding *left = a;
    const struct fb_finding *right = b;
    int order = (left->level > right->level) - (left->level < right->level);

    if (order == 0)
        order = strcmp(left->code, right->code);
    return order != 0 ? order : strcmp(left->subject, right->subject);
}

/* Has the finding a list of names that was cut. */
static bool is_cut(const struct fb_finding *finding)
{
    return finding->count > NAMED && strchr(finding->message, ':') != NULL &&
           strstr(finding->message, ", ") != NULL;
}

enum fb_status fb_notes_finish(struct fb_notes *notes)
{
    struct fb_findings *all = notes->findings;

    for (size_t i = 0; i < all->len; i++) {
        struct fb_finding *at = &all->at[i];

        if (is_cut(at))
            at->message =
                fb_arena_print(notes->arena, "%s and %zu more", at->message, at->count - NAMED);
        if (at->message == NULL)
            return FB_ENOMEM;
    }
    if (all->len > 1)
        qsort(all->at, all->len, sizeof *all->at, by_level);
    return FB_OK;
}

enum fb_status fb_check_join(struct fb_arena *arena, struct fb_findings *findings,
                             const struct fb_findings *more)
{
    struct fb_findings all = *findings;

    for (size_t i = 0; i < more->len; i++) {
        struct fb_finding *at = fb_arena_more(arena, all.at, all.len, &all.size, sizeof *at);

        if (at == NULL)
            return FB_ENOMEM;
        all.at = at;
        at[all.len++] = more->at[i];
    }
    if (all.len > 1)
        qsort(all.at, all.len, sizeof *all.at, by_level);
    *findings = all;
    return FB_OK;
}

bool fb_check_bad(const struct fb_findings *findings)
{
    for (size_t i = 0; i < findings->len; i++) {
        if (findings->at[i].level != FB_LEVEL_INFO)
            return true;
    }
    return false;
}
