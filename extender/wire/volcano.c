/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/volcano.h"

#include "fabricbind/jsontext.h"
#include "fabricbind/own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Source: Volcano, pkg/scheduler/plugins/extender/argument.go; reference: extender-protocols 3. */
static const struct {
    const char *name;
    const char *neutral;
    bool reads;
} verbs[FB_VOLCANO_VERBS] = {
    [FB_VOLCANO_PREDICATE] = {"predicate", NULL, true}, /* by dialect, see below */
    [FB_VOLCANO_PRIORITIZE] = {"prioritize", "{\"nodeScore\":{},\"errorMessage\":\"\"}", true},
    [FB_VOLCANO_ALLOCATE] = {"allocate", "{\"errorMessage\":\"\"}", true},
    [FB_VOLCANO_DEALLOCATE] = {"deallocate", "{\"errorMessage\":\"\"}", true},
    [FB_VOLCANO_JOBENQUEUEABLE] = {"jobenqueueable", "{\"status\":0}", false},
    [FB_VOLCANO_JOBREADY] = {"jobready", "{\"status\":true}", false},
    [FB_VOLCANO_PREEMPTABLE] = {"preemptable", "{\"status\":0,\"victims\":[]}", false},
    [FB_VOLCANO_RECLAIMABLE] = {"reclaimable", "{\"status\":0,\"victims\":[]}", false},
    [FB_VOLCANO_QUEUEOVERUSED] = {"queueoverused", "{\"overused\":false}", false},
    [FB_VOLCANO_JOBENQUEUED] = {"jobenqueued", "{}", false},
    [FB_VOLCANO_SESSIONOPEN] = {"sessionopen", "", false},
    [FB_VOLCANO_SESSIONCLOSE] = {"sessionclose", "", false},
};

const char *fb_volcano_verb_name(enum fb_volcano_verb verb)
{
    return verbs[verb].name;
}

bool fb_volcano_reads(enum fb_volcano_verb verb)
{
    return verbs[verb].reads;
}

const char *fb_volcano_neutral(enum fb_volcano_verb verb, enum fb_volcano_dialect dialect,
                               bool rejects)
{
#define UNREADABLE "fabricbind: request not readable"
    static const char *const predicates[][2] = {
        [FB_VOLCANO_TEXT] = {"{\"errorMessage\":\"\",\"status\":\"\",\"code\":0}",
                             "{\"errorMessage\":\"" UNREADABLE "\",\"status\":\"" UNREADABLE
                             "\",\"code\":2}"},
        [FB_VOLCANO_ARRAY] = {"{\"status\":[{\"Code\":0,\"Reason\":\"\"}]}",
                              "{\"status\":[{\"Code\":2,\"Reason\":\"" UNREADABLE "\"}]}"},
    };
#undef UNREADABLE

    if (verb == FB_VOLCANO_PREDICATE)
        return predicates[dialect][rejects];
    return verbs[verb].neutral;
}

/* An answer out of an arena, as memory of the caller's own. */
static struct fb_volcano_answer take(struct fb_jsontext *text)
{
    const char *done = fb_jsontext_done(text);
    struct fb_volcano_answer answer = {0};

    answer.at = done != NULL ? strdup(done) : NULL;
    if (answer.at != NULL)
        answer.len = text->len;
    return answer;
}

static void put_verdict(struct fb_jsontext *text, enum fb_volcano_dialect dialect, int code,
                        const char *reason)
{
    if (dialect == FB_VOLCANO_ARRAY) {
        fb_jsontext_raw(text, "{\"status\":[{\"Code\":");
        fb_jsontext_int(text, code);
        fb_jsontext_raw(text, ",\"Reason\":");
        fb_jsontext_string(text, reason);
        fb_jsontext_raw(text, "}]}");
        return;
    }
    fb_jsontext_raw(text, "{\"errorMessage\":");
    fb_jsontext_string(text, reason);
    fb_jsontext_raw(text, ",\"status\":");
    fb_jsontext_string(text, reason);
    fb_jsontext_raw(text, ",\"code\":");
    fb_jsontext_int(text, code);
    fb_jsontext_raw(text, "}");
}

struct fb_volcano_answer fb_volcano_say_verdict(const struct fb_verdict *verdict,
                                                enum fb_volcano_dialect dialect)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new_small(0);
    struct fb_jsontext text = {.arena = arena};
    bool passes = verdict->kind == FB_FITS || verdict->kind == FB_EXCLUDED;
    char reason[FB_VERDICT_TEXT] = "";

    if (arena == NULL)
        return (struct fb_volcano_answer){0};
    if (!passes)
        (void)fb_verdict_text(verdict, reason);
    put_verdict(&text, dialect, passes ? 0 : fb_verdict_code(verdict->kind), reason);
    return take(&text);
}

struct fb_volcano_answer fb_volcano_say_scores(const char *const *names, const double *scores,
                                               size_t len)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new_small(0);
    struct fb_jsontext text = {.arena = arena};

    if (arena == NULL)
        return (struct fb_volcano_answer){0};
    fb_jsontext_raw(&text, "{\"nodeScore\":{");
    for (size_t i = 0; i < len; i++) {
        char number[32];

        (void)snprintf(number, sizeof number, ":%.17g", isfinite(scores[i]) ? scores[i] : 0.0);
        fb_jsontext_raw(&text, i > 0 ? "," : "");
        fb_jsontext_string(&text, names[i]);
        fb_jsontext_raw(&text, number);
    }
    fb_jsontext_raw(&text, "},\"errorMessage\":\"\"}");
    return take(&text);
}
