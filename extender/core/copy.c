/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/node.h"
#include "fabricbind/pod.h"

#include <string.h>

/* What is copied where; after a failure all further calls do nothing. */
struct copier {
    struct fb_arena *arena;
    bool failed; /* out of memory */
};

static void copy_text(struct copier *copier, const char **text)
{
    if (copier->failed || *text == NULL)
        return;
    *text = fb_arena_text(copier->arena, *text, strlen(*text));
    copier->failed = *text == NULL;
}

/* A copy of @len elements of @elem bytes, whose own pointers are still those of @from. */
static void *copy_array(struct copier *copier, const void *from, size_t len, size_t elem)
{
    void *to;

    if (copier->failed || len == 0)
        return NULL;
    to = fb_arena_alloc(copier->arena, len * elem);
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

static void copy_owners(struct copier *copier, struct fb_pod *pod)
{
    pod->owners = copy_array(copier, pod->owners, pod->owners_len, sizeof *pod->owners);
    pod->owners_size = pod->owners_len;
    for (size_t i = 0; !copier->failed && i < pod->owners_len; i++) {
        copy_text(copier, &pod->owners[i].kind);
        copy_text(copier, &pod->owners[i].group);
        copy_text(copier, &pod->owners[i].name);
        copy_text(copier, &pod->owners[i].uid);
    }
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

enum fb_status fb_pod_copy(struct fb_arena *arena, const struct fb_pod *pod, struct fb_pod *ret)
{
    struct copier copier = {.arena = arena};
    struct fb_pod copy = *pod;

    copy_text(&copier, &copy.space);
    copy_text(&copier, &copy.name);
    copy_text(&copier, &copy.uid);
    copy_text(&copier, &copy.node);
    copy_text(&copier, &copy.phase);
    copy_pairs(&copier, &copy.labels);
    copy_pairs(&copier, &copy.annotations);
    copy_pairs(&copier, &copy.selector);
    copy_owners(&copier, &copy);
    copy_containers(&copier, &copy);
    copy_resources(&copier, &copy.overhead);
    copy_tolerations(&copier, &copy);
    copy_terms(&copier, &copy);
    copy_texts(&copier, &copy.device_classes);
    copy_texts(&copier, &copy.claims);
    if (copier.failed)
        return FB_ENOMEM;
    *ret = copy;
    return FB_OK;
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

enum fb_status fb_node_copy(struct fb_arena *arena, const struct fb_node *node, struct fb_node *ret)
{
    struct copier copier = {.arena = arena};
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
