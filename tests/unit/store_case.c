/* SPDX-License-Identifier: Apache-2.0 */
#include "store_case.h"

#include "fabricbind/kubestream.h"
#include "fabricbind/own.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct taker {
    struct fb_store *store;
    size_t changed;
};

static enum fb_status take(void *context, const struct fb_kube_event *event, struct fb_error *err)
{
    struct taker *taker = context;
    bool changed = false;
    enum fb_status st = FB_OK;

    if (event->object != NULL)
        st = fb_store_put(taker->store, event->object, &changed, err);
    taker->changed += changed;
    return st;
}

enum fb_status store_case_list(struct fb_store *store, enum fb_kind kind, const char *json,
                               size_t len, size_t *ret_changed, struct fb_error *err)
{
    FB_OWNED(fb_kubestream_freep) struct fb_kubestream *stream = NULL;
    struct taker taker = {.store = store};
    enum fb_status st = fb_kubestream_new(kind, FB_KUBE_PAGE, take, &taker, &stream, err);

    if (st == FB_OK)
        st = fb_kubestream_feed(stream, json, len, err);
    if (st == FB_OK)
        st = fb_kubestream_finish(stream, err);
    *ret_changed = taker.changed;
    return st;
}

size_t store_case_put(struct fb_store *store, enum fb_kind kind, const char *json)
{
    struct fb_error err = {.text = ""};
    char *own = json_of(json);
    size_t changed = 0;

    assert_non_null(own);
    if (store_case_list(store, kind, own, strlen(own), &changed, &err) != FB_OK)
        fail_msg("%s", err.text);
    free(own);
    return changed;
}

static size_t name_all(const struct fb_snapshot *all, enum fb_kind kind, char (*names)[128])
{
    size_t len = 0;

    for (size_t i = 0; kind == FB_KIND_NODE && i < all->nodes_len; i++)
        (void)snprintf(names[len++], sizeof names[0], "%s", all->nodes[i].name);
    for (size_t i = 0; kind == FB_KIND_POD && i < all->pods_len; i++)
        (void)snprintf(names[len++], sizeof names[0], "%s/%s", all->pods[i].space,
                       all->pods[i].name);
    for (size_t i = 0; kind == FB_KIND_PODGROUP && i < all->podgroups_len; i++)
        (void)snprintf(names[len++], sizeof names[0], "%s/%s", all->podgroups[i].space,
                       all->podgroups[i].name);
    for (size_t i = 0; kind == FB_KIND_NAMESPACE && i < all->namespaces.len; i++)
        (void)snprintf(names[len++], sizeof names[0], "%s", all->namespaces.at[i].name);
    for (size_t i = 0; kind >= FB_KIND_VCJOB && i < all->jobs.len; i++)
        (void)snprintf(names[len++], sizeof names[0], "%s/%s", all->jobs.at[i].space,
                       all->jobs.at[i].name);
    return len;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

const char *store_case_names(struct fb_store *store, enum fb_kind kind, struct line *line)
{
    static char names[256][128];
    struct fb_arena *arena = fb_arena_new(0);
    struct fb_snapshot all = {0};
    struct fb_stock *stock = NULL;
    size_t len;

    assert_int_equal(fb_store_fill(store, arena, &all, &stock), FB_OK);
    len = name_all(&all, kind, names);
    fb_stock_release(stock, arena);
    qsort(names, len, sizeof names[0], by_text);
    *line = (struct line){0};
    for (size_t i = 0; i < len; i++)
        line_add(line, "%s%s", i > 0 ? " " : "", names[i]);
    return line->text;
}

void store_case_ignore(void *context, const char *text)
{
    (void)context;
    (void)text;
}
