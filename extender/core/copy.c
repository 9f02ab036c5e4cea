/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/copy.h"

#include <string.h>

/* What is copied where; after a failure all further calls do nothing. */
struct copier {
    const struct fb_copy_room *room;
    bool failed; /* no room */
};

static void *arena_array(void *context, size_t bytes)
{
    return fb_arena_alloc(context, bytes);
}

static const char *arena_text(void *context, const char *text)
{
    return fb_arena_text(context, text, strlen(text));
}

struct fb_copy_room fb_copy_room_of(struct fb_arena *arena)
{
    return (struct fb_copy_room){.context = arena, .array = arena_array, .text = arena_text};
}

static void copy_text(struct copier *copier, const char **text)
{
    if (copier->failed || *text == NULL)
        return;
    *text = copier->room->text(copier->room->context, *text);
    copier->failed = *text == NULL;
}

/* A copy of @len elements of @elem bytes, whose own pointers are still those of @from. */
static void *copy_array(struct copier *copier, const void *from, size_t len, size_t elem)
{
    void *to;

    if (copier->failed || len == 0)
        return NULL;
    to = copier->room->array(copier->room->context, len * elem);
    copier->failed = to == NULL;
    if (to != NULL)
        memcpy(to, from, len * elem);
    return to;
}

static void copy_texts(struct copier *copier, struct fb_texts *texts)
{
    texts->at = copy_array(copier, texts->at, texts->len, sizeof *texts->at);
    texts->size = texts->len;
    for (size_t i = 0; !copier->failed && i < texts->len; i++)
        copy_text(copier, &texts->at[i]);
}

static void copy_pairs(struct copier *copier, struct fb_pairs *pairs)
{
    pairs->at = copy_array(copier, pairs->at, pairs->len, sizeof *pairs->at);
    pairs->size = pairs->len;
    for (size_t i = 0; !copier->failed && i < pairs->len; i++) {
        copy_text(copier, &pairs->at[i].key);
        copy_text(copier, &pairs->at[i].value);
    }
}

static void copy_resources(struct copier *copier, struct fb_resources *amounts)
{
    amounts->at = copy_array(copier, amounts->at, amounts->len, sizeof *amounts->at);
    amounts->size = amounts->len;
    for (size_t i = 0; !copier->failed && i < amounts->len; i++)
        copy_text(copier, &amounts->at[i].name);
}

static void copy_owner(struct copier *copier, struct fb_owner *owner)
{
    copy_text(copier, &owner->kind);
    copy_text(copier, &owner->group);
    copy_text(copier, &owner->name);
    copy_text(copier, &owner->uid);
}

static void copy_owners(struct copier *copier, struct fb_pod *pod)
{
    pod->owners = copy_array(copier, pod->owners, pod->owners_len, sizeof *pod->owners);
    pod->owners_size = pod->owners_len;
    for (size_t i = 0; !copier->failed && i < pod->owners_len; i++)
        copy_owner(copier, &pod->owners[i]);
}

static void copy_containers(struct copier *copier, struct fb_pod *pod)
{
    pod->containers =
        copy_array(copier, pod->containers, pod->containers_len, sizeof *pod->containers);
    pod->containers_size = pod->containers_len;
    for (size_t i = 0; !copier->failed && i < pod->containers_len; i++) {
        copy_text(copier, &pod->containers[i].name);
        copy_resources(copier, &pod->containers[i].requests);
        copy_resources(copier, &pod->containers[i].limits);
    }
}

static void copy_tolerations(struct copier *copier, struct fb_pod *pod)
{
    pod->tolerations =
        copy_array(copier, pod->tolerations, pod->tolerations_len, sizeof *pod->tolerations);
    pod->tolerations_size = pod->tolerations_len;
    for (size_t i = 0; !copier->failed && i < pod->tolerations_len; i++) {
        copy_text(copier, &pod->tolerations[i].key);
        copy_text(copier, &pod->tolerations[i].op);
        copy_text(copier, &pod->tolerations[i].value);
        copy_text(copier, &pod->tolerations[i].effect);
    }
}

static void copy_term(struct copier *copier, struct fb_term *term)
{
    term->at = copy_array(copier, term->at, term->len, sizeof *term->at);
    term->size = term->len;
    for (size_t i = 0; !copier->failed && i < term->len; i++) {
        copy_text(copier, &term->at[i].key);
        copy_text(copier, &term->at[i].op);
        copy_texts(copier, &term->at[i].values);
    }
}

static void copy_terms(struct copier *copier, struct fb_pod *pod)
{
    pod->terms = copy_array(copier, pod->terms, pod->terms_len, sizeof *pod->terms);
    pod->terms_size = pod->terms_len;
    for (size_t i = 0; !copier->failed && i < pod->terms_len; i++)
        copy_term(copier, &pod->terms[i]);
}

static void copy_pod(struct copier *copier, struct fb_pod *pod)
{
    copy_text(copier, &pod->space);
    copy_text(copier, &pod->name);
    copy_text(copier, &pod->uid);
    copy_text(copier, &pod->node);
    copy_text(copier, &pod->phase);
    copy_pairs(copier, &pod->labels);
    copy_pairs(copier, &pod->annotations);
    copy_pairs(copier, &pod->selector);
    copy_owners(copier, pod);
    copy_containers(copier, pod);
    copy_resources(copier, &pod->overhead);
    copy_tolerations(copier, pod);
    copy_terms(copier, pod);
    copy_texts(copier, &pod->device_classes);
    copy_texts(copier, &pod->claims);
}

enum fb_status fb_copy_pod(const struct fb_copy_room *room, const struct fb_pod *pod,
                           struct fb_pod *ret)
{
    struct copier copier = {.room = room};
    struct fb_pod copy = *pod;

    copy_pod(&copier, &copy);
    if (copier.failed)
        return FB_ENOMEM;
    *ret = copy;
    return FB_OK;
}

enum fb_status fb_pod_copy(struct fb_arena *arena, const struct fb_pod *pod, struct fb_pod *ret)
{
    struct fb_copy_room room = fb_copy_room_of(arena);

    return fb_copy_pod(&room, pod, ret);
}

static void copy_taints(struct copier *copier, struct fb_node *node)
{
    node->taints = copy_array(copier, node->taints, node->taints_len, sizeof *node->taints);
    node->taints_size = node->taints_len;
    for (size_t i = 0; !copier->failed && i < node->taints_len; i++) {
        copy_text(copier, &node->taints[i].key);
        copy_text(copier, &node->taints[i].value);
        copy_text(copier, &node->taints[i].effect);
    }
}

enum fb_status fb_copy_node(const struct fb_copy_room *room, const struct fb_node *node,
                            struct fb_node *ret)
{
    struct copier copier = {.room = room};
    struct fb_node copy = *node;

    copy_text(&copier, &copy.name);
    copy_text(&copier, &copy.uid);
    copy_text(&copier, &copy.provider_id);
    copy_text(&copier, &copy.instance_type);
    copy_pairs(&copier, &copy.labels);
    copy_taints(&copier, &copy);
    copy_resources(&copier, &copy.capacity);
    copy_resources(&copier, &copy.allocatable);
    if (copier.failed)
        return FB_ENOMEM;
    *ret = copy;
    return FB_OK;
}

enum fb_status fb_node_copy(struct fb_arena *arena, const struct fb_node *node, struct fb_node *ret)
{
    struct fb_copy_room room = fb_copy_room_of(arena);

    return fb_copy_node(&room, node, ret);
}

static void copy_task(struct copier *copier, struct fb_task *task)
{
    copy_text(copier, &task->name);
    copy_text(copier, &task->pod_name);
    copy_text(copier, &task->template_json);
    copy_pod(copier, &task->pod);
}

enum fb_status fb_copy_job(const struct fb_copy_room *room, const struct fb_job *job,
                           struct fb_job *ret)
{
    struct copier copier = {.room = room};
    struct fb_job copy = *job;

    copy_text(&copier, &copy.kind);
    copy_text(&copier, &copy.group);
    copy_text(&copier, &copy.space);
    copy_text(&copier, &copy.name);
    copy_text(&copier, &copy.uid);
    copy_pairs(&copier, &copy.labels);
    copy_pairs(&copier, &copy.annotations);
    copy.tasks = copy_array(&copier, copy.tasks, copy.tasks_len, sizeof *copy.tasks);
    copy.tasks_size = copy.tasks_len;
    for (size_t i = 0; !copier.failed && i < copy.tasks_len; i++)
        copy_task(&copier, &copy.tasks[i]);
    if (copier.failed)
        return FB_ENOMEM;
    *ret = copy;
    return FB_OK;
}

enum fb_status fb_copy_podgroup(const struct fb_copy_room *room, const struct fb_podgroup *group,
                                struct fb_podgroup *ret)
{
    struct copier copier = {.room = room};
    struct fb_podgroup copy = *group;

    copy_text(&copier, &copy.space);
    copy_text(&copier, &copy.name);
    copy_text(&copier, &copy.uid);
    copy_owner(&copier, &copy.owner);
    copy_pairs(&copier, &copy.annotations);
    if (copier.failed)
        return FB_ENOMEM;
    *ret = copy;
    return FB_OK;
}
