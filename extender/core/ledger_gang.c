/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AVOID_MAX 4096 /* nodes of one gang */

/* The namespace is part of it: labels can name another namespace's gang. */
static char *make_key(const char *space, const char *key)
{
    size_t size = strlen(space) + strlen(key) + 2;
    char *made = malloc(size);

    if (made != NULL)
        (void)snprintf(made, size, "%s/%s", space, key);
    return made;
}

static struct fb_ledger_gang *longest_ago(struct fb_ledger *ledger)
{
    struct fb_ledger_gang *oldest = ledger->gangs;

    for (struct fb_ledger_gang *gang = oldest; gang != NULL; gang = gang->hh.next) {
        if (gang->asked_ms < oldest->asked_ms)
            oldest = gang;
    }
    return oldest;
}

static struct fb_ledger_gang *make_gang(struct fb_ledger *ledger, char *key)
{
    struct fb_ledger_gang *gang = calloc(1, sizeof *gang);

    if (gang == NULL) {
        free(key);
        return NULL;
    }
    gang->key = key;
    if (HASH_COUNT(ledger->gangs) >= ledger->limits.gangs)
        fb_ledger_gang_free(ledger, longest_ago(ledger));
    HASH_ADD_KEYPTR(hh, ledger->gangs, gang->key, strlen(gang->key), gang);
    if (!gang->refused)
        return gang;
    free(gang->key);
    free(gang);
    return NULL;
}

struct fb_ledger_gang *fb_ledger_gang_get(struct fb_ledger *ledger, const char *space,
                                          const char *key)
{
    char *made = make_key(space, key);
    struct fb_ledger_gang *gang;

    if (made == NULL)
        return NULL;
    HASH_FIND_STR(ledger->gangs, made, gang);
    if (gang == NULL)
        return make_gang(ledger, made);
    free(made);
    return gang;
}

void fb_ledger_gang_join(struct fb_ledger_gang *gang, struct fb_ledger_pod *pod)
{
    pod->gang = gang;
    pod->next = gang->pods;
    pod->link = &gang->pods;
    if (pod->next != NULL)
        pod->next->link = &pod->next;
    gang->pods = pod;
}

void fb_ledger_gang_leave(struct fb_ledger_pod *pod)
{
    if (pod->gang == NULL)
        return;
    *pod->link = pod->next;
    if (pod->next != NULL)
        pod->next->link = pod->link;
    pod->gang = NULL;
}

static void drop_avoid(struct fb_ledger_gang *gang, size_t at)
{
    free(gang->avoid[at].node);
    gang->avoid[at] = gang->avoid[--gang->avoid_len];
}

void fb_ledger_gang_free(struct fb_ledger *ledger, struct fb_ledger_gang *gang)
{
    while (gang->pods != NULL) {
        gang->pods->plan = 0;
        fb_ledger_gang_leave(gang->pods);
    }
    fb_ledger_plan_free(gang->plan);
    while (gang->avoid_len > 0)
        drop_avoid(gang, gang->avoid_len - 1);
    free(gang->avoid);
    HASH_DEL(ledger->gangs, gang);
    free(gang->key);
    free(gang);
}

size_t fb_ledger_gang_placed(const struct fb_ledger_gang *gang, uint64_t session)
{
    size_t placed = 0;

    for (const struct fb_ledger_pod *pod = gang->pods; pod != NULL; pod = pod->next)
        placed += pod->status != FB_TASK_PIPELINED && pod->status != FB_TASK_RELEASING &&
                  (session == 0 || pod->session == session);
    return placed;
}

const char *fb_ledger_gang_fabric(const struct fb_ledger_gang *gang)
{
    for (const struct fb_ledger_pod *pod = gang->pods; pod != NULL; pod = pod->next) {
        if (pod->status != FB_TASK_RELEASING && *pod->fabric != '\0')
            return pod->fabric;
    }
    return NULL;
}

bool fb_ledger_gang_avoids(const struct fb_ledger_gang *gang, const char *node)
{
    for (size_t i = 0; i < gang->avoid_len; i++) {
        if (strcmp(gang->avoid[i].node, node) == 0)
            return true;
    }
    return false;
}

void fb_ledger_gang_avoid(struct fb_ledger_gang *gang, const char *node, int64_t expires_ms)
{
    struct fb_ledger_avoid *at = gang->avoid;
    char *name;

    if (gang->avoid_len >= AVOID_MAX || fb_ledger_gang_avoids(gang, node))
        return;
    if (gang->avoid_len == gang->avoid_size) {
        size_t size = gang->avoid_size > 0 ? 2 * gang->avoid_size : 8;

        at = realloc(gang->avoid, size * sizeof *at);
        if (at == NULL)
            return;
        gang->avoid = at;
        gang->avoid_size = size;
    }
    name = strdup(node);
    if (name != NULL)
        at[gang->avoid_len++] = (struct fb_ledger_avoid){name, expires_ms};
}

void fb_ledger_gang_forget(struct fb_ledger_gang *gang, int64_t now_ms)
{
    for (size_t i = gang->avoid_len; i-- > 0;) {
        if (gang->avoid[i].expires_ms <= now_ms)
            drop_avoid(gang, i);
    }
    if (gang->plan != NULL && gang->plan->expires_ms <= now_ms) {
        fb_ledger_plan_free(gang->plan);
        gang->plan = NULL;
    }
}
