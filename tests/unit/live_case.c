/* SPDX-License-Identifier: Apache-2.0 */
#include "live_case.h"

#include "objects_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AWAIT_MS 20000

static const struct fb_watch_pace pace = {
    .backoff_ms = 2,
    .backoff_most_ms = 20,
    .absent_ms = 600000,
    .timeout_s = 300,
    .idle_ms = 30000,
    .page = 500,
};

static void pause_ms(long ms, struct live_case *all)
{
    struct timespec until = {0};

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&all->told, &all->lock, &until);
}

static bool send_list(int fd, const char *items)
{
    size_t size = strlen(items) + 128;
    char *text = malloc(size);
    char *json;
    bool sent;

    assert_non_null(text);
    (void)snprintf(text, size, "{'metadata':{'resourceVersion':'5'},'items':[%s]}", items);
    json = json_of(text);
    assert_non_null(json);
    sent = api_peer_reply(fd, 200, "", json);
    free(json);
    free(text);
    return sent;
}

/* What is told from now on, until the test is over. Another watch of pods begins at the start. */
static bool send_tells(struct live_case *all, int fd, bool pods)
{
    bool sent = api_peer_chunks(fd, 200);
    size_t next = 0;

    (void)pthread_mutex_lock(&all->lock);
    while (sent && !all->over) {
        const char *tell = pods && next < all->tells_len ? all->tells[next++] : NULL;

        if (tell == NULL) {
            pause_ms(20, all);
            continue;
        }
        (void)pthread_mutex_unlock(&all->lock);
        sent = api_peer_chunk(fd, tell);
        (void)pthread_mutex_lock(&all->lock);
    }
    (void)pthread_mutex_unlock(&all->lock);
    return false;
}

static bool is_broken(struct live_case *all)
{
    bool broken;

    (void)pthread_mutex_lock(&all->lock);
    broken = all->broken;
    (void)pthread_mutex_unlock(&all->lock);
    return broken;
}

static bool answer(struct api_peer *peer, const struct api_request *request, int fd)
{
    struct live_case *all = peer->context;
    bool nodes = strstr(request->line, "GET /api/v1/nodes?") != NULL;
    bool pods = strstr(request->line, "GET /api/v1/pods?") != NULL;
    bool namespaces = strstr(request->line, "GET /api/v1/namespaces?") != NULL;

    if (namespaces && strstr(request->line, "watch=true") != NULL)
        return api_peer_chunks(fd, 200) && api_peer_await_end(fd);
    if (namespaces)
        return api_peer_reply(fd, 200, "",
                              "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}");
    if (!nodes && !pods)
        return api_peer_reply(fd, 404, "", "{}");
    if (nodes && is_broken(all))
        return api_peer_reply(fd, 500, "", "{}");
    if (strstr(request->line, "watch=true") != NULL)
        return send_tells(all, fd, pods);
    return send_list(fd, nodes ? all->nodes : all->pods);
}

static void ignore(void *context, const char *text)
{
    (void)context;
    (void)text;
}

struct fb_inventory *live_case_base(void)
{
    static const char *policies[] = {FB_TEST_POLICIES};
    struct fb_options options = {.policies = {.at = policies, .len = 1}};
    struct fb_inventory *base = NULL;
    struct fb_error err = {.text = ""};

    if (fb_inventory_read(&options, ignore, NULL, &base, &err) != FB_OK)
        fail_msg("%s", err.text);
    return base;
}

void live_case_init(struct live_case *all, const char *nodes, const char *pods)
{
    memset(all, 0, sizeof *all);
    all->nodes = nodes;
    all->pods = pods;
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)pthread_cond_init(&all->told, NULL);
    api_scene_start(&all->scene, answer);
    all->slot = fb_inventory_slot_new(live_case_base());
    assert_non_null(all->slot);
}

void live_case_start(struct live_case *all)
{
    struct fb_error err = {.text = ""};

    if (fb_live_start(all->scene.server, all->slot, all->scene.metrics, &pace, &all->live, &err) !=
        FB_OK)
        fail_msg("%s", err.text);
}

void live_case_stop(struct live_case *all)
{
    (void)pthread_mutex_lock(&all->lock);
    all->over = true;
    (void)pthread_cond_broadcast(&all->told);
    (void)pthread_mutex_unlock(&all->lock);
    assert_true(fb_live_stop(all->live, 20000));
    api_scene_stop(&all->scene);
    fb_inventory_slot_free(all->slot);
    for (size_t i = 0; i < all->tells_len; i++)
        free(all->tells[i]);
    (void)pthread_cond_destroy(&all->told);
    (void)pthread_mutex_destroy(&all->lock);
}

void live_case_tell(struct live_case *all, const char *type, const char *json)
{
    char text[1024];

    assert_true(all->tells_len < LIVE_CASE_TELLS);
    (void)snprintf(text, sizeof text, "{'type':'%s','object':%s}\n", type, json);
    (void)pthread_mutex_lock(&all->lock);
    all->tells[all->tells_len] = json_of(text);
    assert_non_null(all->tells[all->tells_len]);
    all->tells_len++;
    (void)pthread_cond_broadcast(&all->told);
    (void)pthread_mutex_unlock(&all->lock);
}

void live_case_break(struct live_case *all, bool broken)
{
    (void)pthread_mutex_lock(&all->lock);
    all->broken = broken;
    (void)pthread_mutex_unlock(&all->lock);
}

struct fb_inventory *live_case_await(struct live_case *all, size_t pods)
{
    int64_t late = fb_inventory_clock_ms() + AWAIT_MS;
    size_t seen = 0;

    while (fb_inventory_clock_ms() < late) {
        struct fb_inventory *inventory = fb_inventory_slot_get(all->slot);

        if (inventory->synced && inventory->in.objects.pods_len == pods)
            return inventory;
        seen = inventory->in.objects.pods_len;
        fb_inventory_release(inventory);
        (void)pthread_mutex_lock(&all->lock);
        pause_ms(5, all);
        (void)pthread_mutex_unlock(&all->lock);
    }
    fail_msg("%zu pods, not %zu", seen, pods);
    return NULL;
}
