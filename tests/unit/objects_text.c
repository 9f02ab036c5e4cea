/* SPDX-License-Identifier: Apache-2.0 */
#include "objects_text.h"

#include "fabricbind/own.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void line_add(struct line *line, const char *fmt, ...)
{
    size_t room = sizeof line->text - line->len;
    va_list args;
    int wrote;

    va_start(args, fmt);
    wrote = vsnprintf(line->text + line->len, room, fmt, args);
    va_end(args);
    if (wrote < 0 || (size_t)wrote >= room)
        abort();
    line->len += (size_t)wrote;
}

static void add_text(struct line *line, const char *name, const char *text)
{
    if (text[0] != '\0')
        line_add(line, " %s=%s", name, text);
}

static void add_flag(struct line *line, const char *name, bool flag)
{
    if (flag)
        line_add(line, " %s", name);
}

static void add_pairs(struct line *line, const char *name, const struct fb_pairs *pairs)
{
    for (size_t i = 0; i < pairs->len; i++)
        line_add(line, "%s%s=%s", i == 0 ? name : ",", pairs->at[i].key, pairs->at[i].value);
    if (pairs->len > 0)
        line_add(line, "}");
}

static void add_amounts(struct line *line, const char *name, const struct fb_resources *amounts)
{
    for (size_t i = 0; i < amounts->len; i++)
        line_add(line, "%s%s=%lld", i == 0 ? name : ",", amounts->at[i].name,
                 (long long)amounts->at[i].amount);
    if (amounts->len > 0)
        line_add(line, "}");
}

static void add_texts(struct line *line, const char *name, const struct fb_texts *texts)
{
    for (size_t i = 0; i < texts->len; i++)
        line_add(line, "%s%s", i == 0 ? name : ",", texts->at[i]);
    if (texts->len > 0)
        line_add(line, "]");
}

void line_add_node(struct line *line, const struct fb_node *node)
{
    line_add(line, "node %s", node->name);
    add_text(line, "uid", node->uid);
    add_text(line, "provider", node->provider_id);
    add_text(line, "type", node->instance_type);
    add_pairs(line, " labels{", &node->labels);
    for (size_t i = 0; i < node->taints_len; i++)
        line_add(line, " taint(%s=%s:%s)", node->taints[i].key, node->taints[i].value,
                 node->taints[i].effect);
    add_amounts(line, " capacity{", &node->capacity);
    add_amounts(line, " allocatable{", &node->allocatable);
    add_flag(line, "unschedulable", node->unschedulable);
    add_flag(line, "ready", node->ready);
}

static void add_container(struct line *line, const struct fb_container *container)
{
    static const char *const roles[] = {"main", "init", "sidecar"};

    line_add(line, " %s(%s", roles[container->role], container->name);
    add_amounts(line, " requests{", &container->requests);
    add_amounts(line, " limits{", &container->limits);
    line_add(line, ")");
}

static void add_term(struct line *line, const struct fb_term *term)
{
    line_add(line, " term(");
    for (size_t i = 0; i < term->len; i++) {
        line_add(line, "%s%s%s %s", i == 0 ? "" : "; ", term->at[i].field ? "field " : "",
                 term->at[i].key, term->at[i].op);
        add_texts(line, " [", &term->at[i].values);
    }
    line_add(line, ")");
}

static void add_placement(struct line *line, const struct fb_pod *pod)
{
    add_pairs(line, " selector{", &pod->selector);
    for (size_t i = 0; i < pod->tolerations_len; i++)
        line_add(line, " toleration(%s %s %s:%s)", pod->tolerations[i].key, pod->tolerations[i].op,
                 pod->tolerations[i].value, pod->tolerations[i].effect);
    add_flag(line, "affinity", pod->has_affinity);
    for (size_t i = 0; i < pod->terms_len; i++)
        add_term(line, &pod->terms[i]);
}

void line_add_pod(struct line *line, const struct fb_pod *pod)
{
    line_add(line, "pod %s/%s", pod->space, pod->name);
    add_text(line, "uid", pod->uid);
    add_text(line, "node", pod->node);
    add_text(line, "phase", pod->phase);
    add_flag(line, "terminating", pod->terminating);
    add_flag(line, "host_network", pod->host_network);
    add_pairs(line, " labels{", &pod->labels);
    add_pairs(line, " annotations{", &pod->annotations);
    for (size_t i = 0; i < pod->owners_len; i++)
        line_add(line, " owner(%s/%s %s %s%s)", pod->owners[i].group, pod->owners[i].kind,
                 pod->owners[i].name, pod->owners[i].uid,
                 pod->owners[i].controller ? " controller" : "");
    for (size_t i = 0; i < pod->containers_len; i++)
        add_container(line, &pod->containers[i]);
    add_amounts(line, " overhead{", &pod->overhead);
    add_placement(line, pod);
    add_texts(line, " claims[", &pod->claims);
}

void line_add_job(struct line *line, const struct fb_job *job)
{
    line_add(line, "%s/%s %s/%s", job->group, job->kind, job->space, job->name);
    add_text(line, "uid", job->uid);
    add_flag(line, "indexed", job->indexed);
    add_flag(line, "terminating", job->terminating);
    if (job->min != -1)
        line_add(line, " min=%lld", (long long)job->min);
    if (job->groups != 1)
        line_add(line, " groups=%lld", (long long)job->groups);
    add_pairs(line, " labels{", &job->labels);
    add_pairs(line, " annotations{", &job->annotations);
    for (size_t i = 0; i < job->tasks_len; i++) {
        const struct fb_task *task = &job->tasks[i];

        line_add(line, " | %s %lld", task->name, (long long)task->pods);
        if (task->inner != 1)
            line_add(line, " inner=%lld", (long long)task->inner);
        if (task->min != -1)
            line_add(line, " min=%lld", (long long)task->min);
        line_add(line, " %s ", task->pod_name);
        line_add_pod(line, &task->pod);
    }
}

static void add_podgroup(struct line *line, const struct fb_podgroup *group)
{
    line_add(line, "podgroup %s/%s uid=%s owner(%s/%s %s %s) min=%lld", group->space, group->name,
             group->uid, group->owner.group, group->owner.kind, group->owner.name, group->owner.uid,
             (long long)group->min_member);
    add_pairs(line, " annotations{", &group->annotations);
}

static void add_namespace(struct line *line, const struct fb_namespace *namespace)
{
    line_add(line, "namespace %s level=%d", namespace->name, (int)namespace->level);
    add_flag(line, "off", namespace->off);
    add_flag(line, "strict", namespace->strict);
}

void line_add_object(struct line *line, const struct fb_object *object)
{
    if (object->kind == FB_KIND_NONE)
        line_add(line, "unknown");
    else if (object->kind == FB_KIND_NODE)
        line_add_node(line, &object->node);
    else if (object->kind == FB_KIND_POD)
        line_add_pod(line, &object->pod);
    else if (object->kind == FB_KIND_PODGROUP)
        add_podgroup(line, &object->podgroup);
    else if (object->kind == FB_KIND_NAMESPACE)
        add_namespace(line, &object->namespace);
    else
        line_add_job(line, &object->job);
}

char *json_of(const char *text)
{
    char *json = strdup(text);

    for (char *at = json; at != NULL && *at != '\0'; at++) {
        if (*at == '\'')
            *at = '"';
    }
    return json;
}

static enum fb_status found(void *context, const struct fb_object *object, struct fb_error *err)
{
    (void)err;
    line_add_object(context, object);
    return FB_OK;
}

static enum fb_status take(void *context, const struct fb_scan_value *value, struct fb_error *err)
{
    return fb_object_reader_take(context, value, err);
}

static enum fb_status read_object(const char *json, struct line *line, struct fb_error *err)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    FB_OWNED(fb_object_mount_freep) struct fb_object_mount *mount = NULL;
    FB_OWNED(fb_object_reader_freep) struct fb_object_reader *reader = NULL;
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = NULL;
    const struct fb_scan_path *rows;
    enum fb_status st = fb_object_mount_new("", FB_KINDS_ALL, 7, &mount, err);
    size_t len;

    if (arena == NULL || st != FB_OK)
        return FB_ENOMEM;
    rows = fb_object_mount_paths(mount, &len);
    st = fb_scan_paths_new(rows, len, &paths, err);
    reader = fb_object_reader_new(arena, mount, found, line);
    if (st != FB_OK || reader == NULL)
        return FB_ENOMEM;
    return fb_scan_all(paths, NULL, json, strlen(json), take, reader, err);
}

const char *object_line(const char *json, struct line *line)
{
    static const char *const names[] = {"ok", "input", "limit", "not found", "no memory", "io"};
    struct fb_error err = {0};
    char *own = json_of(json);
    enum fb_status st;

    *line = (struct line){0};
    st = own != NULL ? read_object(own, line, &err) : FB_ENOMEM;
    free(own);
    if (st != FB_OK) {
        *line = (struct line){0};
        line_add(line, "%s: %s", names[st], err.text);
    }
    return line->text;
}
