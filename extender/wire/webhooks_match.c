/* SPDX-License-Identifier: Apache-2.0 */
#include "webhooks_match.h"

#include "fabricbind/jsontext.h"

#include <string.h>

#define NOTES "object.metadata.annotations"
#define OURS "'fabricbind.io/networking'"
#define HELIX "'nhx.nvidia.com/enable-multi-node-networking'"
#define SAYS(key, value) "(" key " in " NOTES " && " NOTES "[" key "] == '" value "')"
#define NEVER "false"

/* Labels of pods whose owner is owned by what match.owners names; see core's gang.c. */
static const struct {
    const char *kind, *group, *label;
} labels[] = {
    {"JobSet", "jobset.x-k8s.io", "jobset.sigs.k8s.io/jobset-name"},
    {"TrainJob", "trainer.kubeflow.org", "jobset.sigs.k8s.io/jobset-name"},
    {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", "leaderworkerset.sigs.k8s.io/name"},
    {"MPIJob", "kubeflow.org", "training.kubeflow.org/job-name"},
};

static const char *keep(struct fb_arena *arena, const char *expression)
{
    return fb_arena_text(arena, expression, strlen(expression));
}

const char *fb_match_annotated(struct fb_arena *arena)
{
    return keep(arena, "has(" NOTES ") && (" SAYS(OURS, "true") " || " SAYS(
                           HELIX, "true") " && !" SAYS(OURS, "false") ")");
}

const char *fb_match_unannotated(struct fb_arena *arena)
{
    return keep(arena, "!has(" NOTES ") || !(" SAYS(OURS, "true") " || " SAYS(
                           OURS, "false") " || " SAYS(HELIX, "true") ")");
}

const char *fb_match_managed(struct fb_arena *arena)
{
    return keep(arena, "has(" NOTES ") && 'fabricbind.io/managed' in " NOTES
                       " || has(object.metadata.labels) && "
                       "'fabricbind.io/managed' in object.metadata.labels");
}

/* A string literal; what could end it, or is no printable character, is escaped. */
static void put_quoted(struct fb_jsontext *text, const char *value, const char *end)
{
    static const char digits[] = "0123456789abcdef";

    fb_jsontext_raw(text, "'");
    for (; *value != '\0'; value++) {
        unsigned char letter = (unsigned char)*value;
        const char escaped[] = {'\\', 'x', digits[letter >> 4], digits[letter & 15], '\0'};

        if (letter == '\'' || letter == '\\' || letter < ' ')
            fb_jsontext_raw(text, escaped);
        else
            fb_jsontext_bytes(text, value, 1);
    }
    fb_jsontext_raw(text, end);
    fb_jsontext_raw(text, "'");
}

static void put_owner(struct fb_jsontext *text, const struct fb_owner_rule *rule)
{
    fb_jsontext_raw(text, "o.kind == ");
    put_quoted(text, rule->kind, "");
    fb_jsontext_raw(text, " && o.apiVersion.startsWith(");
    put_quoted(text, rule->group, "/");
    fb_jsontext_raw(text, ")");
    if (rule->indexed)
        fb_jsontext_raw(text, " && has(" NOTES
                              ") && 'batch.kubernetes.io/job-completion-index' in " NOTES);
}

static bool has_owner(const struct fb_settings *settings, const char *kind, const char *group)
{
    for (size_t i = 0; i < settings->owners_len; i++) {
        if (fb_text_equal(settings->owners[i].kind, kind) &&
            fb_text_equal(settings->owners[i].group, group))
            return true;
    }
    return false;
}

static void put_labels(struct fb_jsontext *text, const struct fb_settings *settings)
{
    const char *last = "";

    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        if (!has_owner(settings, labels[i].kind, labels[i].group) ||
            strcmp(labels[i].label, last) == 0)
            continue;
        last = labels[i].label;
        fb_jsontext_raw(text, " || has(object.metadata.labels) && ");
        put_quoted(text, last, "");
        fb_jsontext_raw(text, " in object.metadata.labels");
    }
}

const char *fb_match_owned(struct fb_arena *arena, const struct fb_settings *settings)
{
    struct fb_jsontext text = {.arena = arena};

    if (settings->owners_len == 0)
        return NEVER;
    fb_jsontext_raw(&text, "has(object.metadata.ownerReferences) && "
                           "object.metadata.ownerReferences.exists(o, ");
    for (size_t i = 0; i < settings->owners_len; i++) {
        fb_jsontext_raw(&text, i == 0 ? "" : " || ");
        put_owner(&text, &settings->owners[i]);
    }
    fb_jsontext_raw(&text, ")");
    put_labels(&text, settings);
    return fb_jsontext_done(&text);
}

/* True where a container of @list, "spec.containers", has an entry in one of its lists. */
static void put_containers(struct fb_jsontext *text, const char *list,
                           const struct fb_settings *settings)
{
    static const char *const amounts[] = {"limits", "requests"};

    fb_jsontext_raw(text, list);
    fb_jsontext_raw(text, ".exists(c, has(c.resources) && (");
    for (size_t i = 0; i < 2; i++) {
        fb_jsontext_raw(text, i == 0 ? "has(c.resources." : " || has(c.resources.");
        fb_jsontext_raw(text, amounts[i]);
        fb_jsontext_raw(text, ") && [");
        for (size_t k = 0; k < settings->gpu_resources.len; k++) {
            fb_jsontext_raw(text, k == 0 ? "" : ", ");
            put_quoted(text, settings->gpu_resources.at[k], "");
        }
        fb_jsontext_raw(text, "].exists(r, r in c.resources.");
        fb_jsontext_raw(text, amounts[i]);
        fb_jsontext_raw(text, ")");
    }
    fb_jsontext_raw(text, "))");
}

const char *fb_match_gpus(struct fb_arena *arena, const struct fb_settings *settings)
{
    struct fb_jsontext text = {.arena = arena};

    if (settings->gpu_resources.len == 0)
        return NEVER;
    put_containers(&text, "object.spec.containers", settings);
    fb_jsontext_raw(&text, " || has(object.spec.initContainers) && ");
    put_containers(&text, "object.spec.initContainers", settings);
    return fb_jsontext_done(&text);
}
