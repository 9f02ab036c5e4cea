/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/webhooks.h"

#include "fabricbind/base64.h"
#include "fabricbind/json.h"
#include "fabricbind/own.h"
#include "webhooks_match.h"

#include <stdlib.h>
#include <string.h>

#define FOUND_BYTES ((size_t)4 << 20) /* more than an object of the API server can have */

/* A condition, and the name under which the API server counts it. */
struct condition {
    const char *name, *expression;
};

/* What is one webhook's own. */
struct webhook {
    const char *name, *path, *group, *version;
    const char *resources[2]; /* NULL behind the last */
    struct condition conditions[3];
    bool waits;  /* failurePolicy Fail */
    bool again;  /* called once more when another webhook changed the object */
    bool strict; /* in namespaces that are strict, and only there */
    bool easy;   /* not in those */
};

static void put_service(struct fb_json *json, void *client, const struct fb_webhooks *webhooks,
                        const char *path)
{
    void *service = fb_json_map(json, client, "service");

    fb_json_text(json, service, "namespace", webhooks->service.space);
    fb_json_text(json, service, "name", webhooks->service.name);
    fb_json_text(json, service, "path", path);
    fb_json_int(json, service, "port", (int64_t)webhooks->service.port);
}

static enum fb_status put_client(struct fb_arena *arena, struct fb_json *json, void *in,
                                 const struct fb_webhooks *webhooks, const char *path)
{
    void *client = fb_json_map(json, in, "clientConfig");
    const char *url = fb_arena_print(arena, "%s%s", webhooks->url, path);
    size_t len = webhooks->bundle == NULL ? 0 : strlen(webhooks->bundle);
    char *bundle = fb_arena_alloc(arena, fb_base64_size(len));

    if (url == NULL || bundle == NULL)
        return FB_ENOMEM;
    if (webhooks->url[0] != '\0')
        fb_json_text(json, client, "url", url);
    else
        put_service(json, client, webhooks, path);
    if (len == 0)
        return FB_OK;
    fb_base64_encode((const unsigned char *)webhooks->bundle, len, bundle);
    fb_json_text(json, client, "caBundle", bundle);
    return FB_OK;
}

static void put_rule(struct fb_json *json, void *in, const struct webhook *webhook)
{
    void *rule = fb_json_map(json, fb_json_list(json, in, "rules"), NULL);
    void *resources;

    fb_json_text(json, fb_json_list(json, rule, "apiGroups"), NULL, webhook->group);
    fb_json_text(json, fb_json_list(json, rule, "apiVersions"), NULL, webhook->version);
    fb_json_text(json, fb_json_list(json, rule, "operations"), NULL, "CREATE");
    resources = fb_json_list(json, rule, "resources");
    for (size_t i = 0; i < 2 && webhook->resources[i] != NULL; i++)
        fb_json_text(json, resources, NULL, webhook->resources[i]);
    fb_json_text(json, rule, "scope", "Namespaced");
}

/* Returns the list of values. */
static void *put_requirement(struct fb_json *json, void *list, const char *key, const char *op)
{
    void *requirement = fb_json_map(json, list, NULL);

    fb_json_text(json, requirement, "key", key);
    fb_json_text(json, requirement, "operator", op);
    return fb_json_list(json, requirement, "values");
}

/* The label with a namespace's name is set by the API server, on every one. */
static void put_spaces(struct fb_json *json, void *list, const struct fb_webhooks *webhooks)
{
    bool own = webhooks->own[0] != '\0' && !fb_texts_has(webhooks->exclude, webhooks->own);
    void *names;

    if (!own && webhooks->exclude->len == 0)
        return;
    names = put_requirement(json, list, "kubernetes.io/metadata.name", "NotIn");
    for (size_t i = 0; i < webhooks->exclude->len; i++)
        fb_json_text(json, names, NULL, webhooks->exclude->at[i]);
    if (own)
        fb_json_text(json, names, NULL, webhooks->own);
}

/* Empty maps say that nobody may put anything there. */
static void put_selectors(struct fb_json *json, void *in, const struct webhook *webhook,
                          const struct fb_webhooks *webhooks)
{
    void *selector = fb_json_map(json, in, "namespaceSelector");
    void *list = fb_json_list(json, selector, "matchExpressions");
    void *values;

    put_spaces(json, list, webhooks);
    values = put_requirement(json, list, "fabricbind.io/networking", "NotIn");
    fb_json_text(json, values, NULL, "disabled");
    fb_json_text(json, values, NULL, "false");
    if (webhook->strict || webhook->easy) {
        values =
            put_requirement(json, list, "fabricbind.io/strict", webhook->strict ? "In" : "NotIn");
        fb_json_text(json, values, NULL, "true");
    }
    (void)fb_json_map(json, selector, "matchLabels");
    (void)fb_json_map(json, in, "objectSelector");
}

static bool put_conditions(struct fb_json *json, void *in, const struct webhook *webhook)
{
    void *list = NULL;

    for (size_t i = 0; i < 3 && webhook->conditions[i].name != NULL; i++) {
        void *condition;

        if (webhook->conditions[i].expression == NULL)
            return false;
        if (list == NULL)
            list = fb_json_list(json, in, "matchConditions");
        condition = fb_json_map(json, list, NULL);
        fb_json_text(json, condition, "name", webhook->conditions[i].name);
        fb_json_text(json, condition, "expression", webhook->conditions[i].expression);
    }
    return true;
}

static enum fb_status put_webhook(struct fb_arena *arena, struct fb_json *json, void *list,
                                  const struct webhook *webhook, const struct fb_webhooks *webhooks)
{
    void *in = fb_json_map(json, list, NULL);
    enum fb_status st;

    fb_json_text(json, in, "name", webhook->name);
    fb_json_text(json, fb_json_list(json, in, "admissionReviewVersions"), NULL, "v1");
    st = put_client(arena, json, in, webhooks, webhook->path);
    fb_json_text(json, in, "failurePolicy",
                 webhook->waits && !webhooks->observe ? "Fail" : "Ignore");
    fb_json_text(json, in, "matchPolicy", "Equivalent");
    fb_json_text(json, in, "reinvocationPolicy", webhook->again ? "IfNeeded" : "Never");
    fb_json_text(json, in, "sideEffects", "NoneOnDryRun");
    fb_json_int(json, in, "timeoutSeconds", (int64_t)webhooks->timeout_s);
    put_rule(json, in, webhook);
    put_selectors(json, in, webhook, webhooks);
    return put_conditions(json, in, webhook) ? st : FB_ENOMEM;
}

static enum fb_status put_pods(struct fb_arena *arena, struct fb_json *json, void *list,
                               const struct fb_webhooks *webhooks)
{
    const struct webhook annotated = {
        .name = "pods-annotated.fabricbind.io",
        .path = "/admission/pods",
        .group = "",
        .version = "v1",
        .resources = {"pods"},
        .conditions = {{"annotated", fb_match_annotated(arena)}},
        .waits = true,
        .again = true,
    };
    const struct webhook gangs = {
        .name = "pods-gangs.fabricbind.io",
        .path = "/admission/pods",
        .group = "",
        .version = "v1",
        .resources = {"pods"},
        .conditions = {{"unannotated", fb_match_unannotated(arena)},
                       {"owned", fb_match_owned(arena, webhooks->settings)},
                       {"gpus", fb_match_gpus(arena, webhooks->settings)}},
        .again = true,
    };
    enum fb_status st = put_webhook(arena, json, list, &annotated, webhooks);

    if (st == FB_OK && webhooks->settings->match_gangs)
        st = put_webhook(arena, json, list, &gangs, webhooks);
    return st;
}

/* Bindings can be posted in two places; a rule for the one does not match the other. */
static enum fb_status put_bindings(struct fb_arena *arena, struct fb_json *json, void *list,
                                   const struct fb_webhooks *webhooks)
{
    struct webhook bindings = {
        .name = "bindings.fabricbind.io",
        .path = "/admission/bindings",
        .group = "",
        .version = "v1",
        .resources = {"pods/binding", "bindings"},
        .conditions = {{"managed", fb_match_managed(arena)}},
        .easy = true,
    };
    enum fb_status st = put_webhook(arena, json, list, &bindings, webhooks);

    bindings.name = "bindings-strict.fabricbind.io";
    bindings.easy = false;
    bindings.strict = bindings.waits = true;
    return st == FB_OK ? put_webhook(arena, json, list, &bindings, webhooks) : st;
}

static enum fb_status put_jobs(struct fb_arena *arena, struct fb_json *json, void *list,
                               const struct fb_webhooks *webhooks)
{
    static const struct webhook jobs = {
        .name = "jobs.fabricbind.io",
        .path = "/admission/jobs",
        .group = "batch.volcano.sh",
        .version = "v1alpha1",
        .resources = {"jobs"},
    };

    return put_webhook(arena, json, list, &jobs, webhooks);
}

static void put_metadata(struct fb_json *json, void *root, const char *name)
{
    void *metadata = fb_json_map(json, root, "metadata");
    void *marks;

    fb_json_text(json, metadata, "name", name);
    marks = fb_json_map(json, metadata, "labels");
    fb_json_text(json, marks, "app.kubernetes.io/managed-by", "fabricbind");
    fb_json_text(json, marks, "app.kubernetes.io/name", "fabricbind");
}

static void text_freep(char **at)
{
    free(*at);
}

static enum fb_status put_found(struct fb_json *json, void *root, const char *found,
                                struct fb_error *err)
{
    FB_OWNED(fb_json_fini) struct fb_json old = {0};
    FB_OWNED(text_freep) char *text = NULL;
    const struct fb_json_node *metadata;
    enum fb_status st = fb_json_parse(found, strlen(found), FOUND_BYTES, &old, err);

    if (st != FB_OK)
        return st;
    metadata = fb_json_find(fb_json_root(&old), "metadata");
    if (fb_json_type(metadata) != FB_JSON_MAP)
        return fb_error_set(err, FB_EINPUT, "metadata: not a map");
    text = fb_json_print_node(metadata);
    if (text == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    fb_json_raw(json, root, "metadata", text);
    return FB_OK;
}

enum fb_status fb_webhooks_print(struct fb_arena *arena, const struct fb_webhooks *webhooks,
                                 const char *found, const char **ret, struct fb_error *err)
{
    FB_OWNED(fb_json_fini) struct fb_json json = {0};
    FB_OWNED(text_freep) char *text = NULL;
    void *root = fb_json_map(&json, NULL, NULL);
    enum fb_status st = FB_OK;
    void *list;

    fb_json_text(&json, root, "apiVersion", "admissionregistration.k8s.io/v1");
    fb_json_text(&json, root, "kind", "MutatingWebhookConfiguration");
    if (found == NULL)
        put_metadata(&json, root, webhooks->name);
    else
        st = put_found(&json, root, found, err);
    if (st != FB_OK)
        return st;
    list = fb_json_list(&json, root, "webhooks");
    st = put_pods(arena, &json, list, webhooks);
    if (st == FB_OK)
        st = put_bindings(arena, &json, list, webhooks);
    if (st == FB_OK)
        st = put_jobs(arena, &json, list, webhooks);
    text = fb_json_print(&json);
    *ret = text == NULL ? NULL : fb_arena_text(arena, text, strlen(text));
    return st == FB_OK && *ret != NULL ? FB_OK : fb_error_set(err, FB_ENOMEM, "out of memory");
}
