/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_work.h"

#include "fabricbind/own.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What decisions read of one pod, far more than any has. */
#define POD_BYTES ((size_t)256 * 1024)

static const struct fb_ledger_limits defaults = {
    .pods = 100000,
    .gangs = 20000,
    .nodes = 20000,
    .pod_ms = 600000,
    .plan_ms = 60000,
    .avoid_ms = 60000,
};

static void fill_limits(struct fb_ledger_limits *limits)
{
    size_t *const counts[] = {&limits->pods, &limits->gangs, &limits->nodes};
    const size_t count_defaults[] = {defaults.pods, defaults.gangs, defaults.nodes};
    int64_t *const times[] = {&limits->pod_ms, &limits->plan_ms, &limits->avoid_ms};
    const int64_t time_defaults[] = {defaults.pod_ms, defaults.plan_ms, defaults.avoid_ms};

    for (size_t i = 0; i < 3; i++) {
        if (*counts[i] == 0)
            *counts[i] = count_defaults[i];
        if (*times[i] == 0)
            *times[i] = time_defaults[i];
    }
}

struct fb_ledger *fb_ledger_new(const struct fb_ledger_limits *limits)
{
    struct fb_ledger *ledger = calloc(1, sizeof *ledger);

    if (ledger == NULL)
        return NULL;
    if (limits != NULL)
        ledger->limits = *limits;
    fill_limits(&ledger->limits);
    ledger->session = 1;
    return ledger;
}

static void free_pod(struct fb_ledger_pod *pod)
{
    if (pod == NULL)
        return;
    fb_arena_free(pod->arena);
    free(pod);
}

static void free_podp(struct fb_ledger_pod **pod)
{
    free_pod(*pod);
}

static void remove_node(struct fb_ledger *ledger, struct fb_ledger_node *node)
{
    HASH_DEL(ledger->nodes, node);
    free(node->fabric);
    free(node);
}

void fb_ledger_free(struct fb_ledger *ledger)
{
    if (ledger == NULL)
        return;
    while (ledger->pods != NULL)
        fb_ledger_remove(ledger, ledger->pods);
    while (ledger->gangs != NULL)
        fb_ledger_gang_free(ledger, ledger->gangs);
    while (ledger->nodes != NULL)
        remove_node(ledger, ledger->nodes);
    free(ledger);
}

void fb_ledger_freep(struct fb_ledger **ledger)
{
    fb_ledger_free(*ledger);
}

struct fb_ledger_counts fb_ledger_count(const struct fb_ledger *ledger)
{
    struct fb_ledger_counts counts = {0};

    for (const struct fb_ledger_pod *pod = ledger->pods; pod != NULL; pod = pod->hh.next) {
        if (pod->status == FB_TASK_PIPELINED)
            counts.pipelined++;
        else if (pod->status == FB_TASK_RELEASING)
            counts.releasing++;
        else
            counts.allocated++;
    }
    for (const struct fb_ledger_gang *gang = ledger->gangs; gang != NULL; gang = gang->hh.next) {
        if (gang->plan == NULL)
            continue;
        counts.planned++;
        counts.reserved += fb_ledger_plan_room(gang->plan, FB_NONE);
    }
    return counts;
}

struct fb_ledger_pod *fb_ledger_find(struct fb_ledger *ledger, const char *uid)
{
    struct fb_ledger_pod *pod;

    HASH_FIND_STR(ledger->pods, uid, pod);
    return pod;
}

/* An entry that is in no table yet. NULL: out of memory. */
static struct fb_ledger_pod *make_pod(const char *uid, const struct fb_pod *from, const char *node)
{
    FB_OWNED(free_podp) struct fb_ledger_pod *pod = calloc(1, sizeof *pod);

    if (pod == NULL)
        return NULL;
    pod->arena = fb_arena_new_small(POD_BYTES);
    if (pod->arena == NULL || fb_pod_copy(pod->arena, from, &pod->pod) != FB_OK)
        return NULL;
    pod->pod.uid = fb_arena_text(pod->arena, uid, strlen(uid));
    pod->pod.node = fb_arena_text(pod->arena, node, strlen(node));
    pod->fabric = "";
    return pod->pod.uid != NULL && pod->pod.node != NULL ? FB_TAKE(pod) : NULL;
}

enum fb_status fb_ledger_put(struct fb_ledger *ledger, const char *uid, const struct fb_pod *pod,
                             const char *node, int64_t now_ms, struct fb_ledger_pod **ret)
{
    FB_OWNED(free_podp) struct fb_ledger_pod *entry = make_pod(uid, pod, node);
    struct fb_ledger_pod *old = fb_ledger_find(ledger, uid);

    if (entry == NULL)
        return FB_ENOMEM;
    entry->session = ledger->session;
    entry->placed_ms = now_ms;
    entry->expires_ms = now_ms + ledger->limits.pod_ms;
    if (old != NULL)
        fb_ledger_remove(ledger, old);
    else if (HASH_COUNT(ledger->pods) >= ledger->limits.pods)
        fb_ledger_remove(ledger, ledger->pods);
    HASH_ADD_KEYPTR(hh, ledger->pods, entry->pod.uid, strlen(entry->pod.uid), entry);
    if (entry->refused)
        return FB_ENOMEM;
    *ret = FB_TAKE(entry);
    return FB_OK;
}

void fb_ledger_remove(struct fb_ledger *ledger, struct fb_ledger_pod *pod)
{
    fb_ledger_plan_give_back(pod);
    fb_ledger_gang_leave(pod);
    assert(ledger->pods != NULL && ledger->pods->hh.tbl != NULL);
    HASH_DEL(ledger->pods, pod);
    free_pod(pod);
}

void fb_ledger_expire(struct fb_ledger *ledger, int64_t now_ms)
{
    struct fb_ledger_pod *next;

    ledger->expired_ms = now_ms;
    for (struct fb_ledger_pod *pod = ledger->pods; pod != NULL; pod = next) {
        next = pod->hh.next;
        if (pod->expires_ms <= now_ms)
            fb_ledger_remove(ledger, pod);
    }
    for (struct fb_ledger_gang *gang = ledger->gangs, *after; gang != NULL; gang = after) {
        after = gang->hh.next;
        fb_ledger_gang_forget(gang, now_ms);
        if (gang->pods == NULL && gang->plan == NULL && gang->avoid_len == 0)
            fb_ledger_gang_free(ledger, gang);
    }
}

const char *fb_ledger_fabric(struct fb_ledger *ledger, const char *node)
{
    struct fb_ledger_node *found;

    HASH_FIND_STR(ledger->nodes, node, found);
    return found != NULL ? found->fabric : "";
}

void fb_ledger_note(struct fb_ledger *ledger, const char *node, const char *fabric)
{
    struct fb_ledger_node *entry;
    size_t size = strlen(node) + 1;

    HASH_FIND_STR(ledger->nodes, node, entry);
    if (entry != NULL && strcmp(entry->fabric, fabric) == 0)
        return;
    if (entry != NULL)
        remove_node(ledger, entry);
    else if (HASH_COUNT(ledger->nodes) >= ledger->limits.nodes)
        remove_node(ledger, ledger->nodes);
    entry = calloc(1, sizeof *entry + size);
    if (entry == NULL)
        return;
    memcpy(entry->name, node, size);
    entry->fabric = strdup(fabric);
    if (entry->fabric != NULL)
        HASH_ADD_KEYPTR(hh, ledger->nodes, entry->name, size - 1, entry);
    if (entry->fabric == NULL || entry->refused) {
        free(entry->fabric);
        free(entry);
    }
}
