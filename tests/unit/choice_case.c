/* SPDX-License-Identifier: Apache-2.0 */
#include "choice_case.h"

#include "fabricbind/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY "\"" FB_CHOICE_KEY "\":\""

static struct choice_kept *find(struct choice_case *at, const char *line)
{
    const char *path = strchr(line, ' ') + 1;
    size_t len = strcspn(path, " ");

    for (size_t i = 0; i < CHOICE_CASE_OBJECTS; i++) {
        const char *has = at->kept[i].path;

        if (has != NULL && strlen(has) == len && strncmp(has, path, len) == 0)
            return &at->kept[i];
    }
    return NULL;
}

static bool say(int fd, unsigned status)
{
    return api_peer_reply(fd, status, "", "{\"kind\":\"Status\",\"message\":\"said so\"}");
}

static bool tell(int fd, const struct choice_kept *kept)
{
    char body[1024];
    char note[512] = "";

    if (kept->told[0] != '\0')
        (void)snprintf(note, sizeof note, ",\"annotations\":{\"x\":\"y\"," KEY "%s\"}", kept->told);
    (void)snprintf(body, sizeof body,
                   "{\"kind\":\"Job\",\"metadata\":{\"uid\":\"%s\",\"resourceVersion\":\"%u\"%s},"
                   "\"spec\":{\"metadata\":{\"uid\":\"other\"}}}",
                   kept->uid, kept->version, note);
    return api_peer_reply(fd, 200, "", body);
}

/* The value in @body behind @mark, up to a quote. */
static void cut(const char *body, const char *mark, char *text, size_t size)
{
    const char *from = strstr(body, mark);

    (void)snprintf(text, size, "%.*s", from != NULL ? (int)strcspn(from + strlen(mark), "\"") : 0,
                   from != NULL ? from + strlen(mark) : "");
}

static bool change(struct choice_case *at, struct choice_kept *kept, const char *body, int fd)
{
    char version[32];
    char want[32];

    cut(body, "\"resourceVersion\":\"", version, sizeof version);
    (void)snprintf(want, sizeof want, "%u", kept->version);
    if (at->conflicts > 0) {
        at->conflicts--;
        kept->version++;
        if (at->rival != NULL)
            (void)snprintf(kept->told, sizeof kept->told, "%s", at->rival);
        return say(fd, 409);
    }
    if (strcmp(version, want) != 0)
        return say(fd, 409);
    cut(body, KEY, kept->told, sizeof kept->told);
    kept->version++;
    at->written++;
    return tell(fd, kept);
}

static bool serve(struct choice_case *at, const struct api_request *request, int fd)
{
    bool patch = strncmp(request->line, "PATCH ", 6) == 0;
    struct choice_kept *kept = find(at, request->line);

    *(patch ? &at->writes : &at->reads) += 1;
    if (at->status != 0)
        return say(fd, at->status);
    if (kept == NULL)
        return say(fd, 404);
    if (!patch)
        return tell(fd, kept);
    if (strstr(request->head, "Content-Type: application/merge-patch+json\r\n") == NULL)
        return say(fd, 415);
    return change(at, kept, request->body, fd);
}

static bool answer(struct api_peer *peer, const struct api_request *request, int fd)
{
    struct choice_case *at = peer->context;
    bool more;

    (void)pthread_mutex_lock(&at->lock);
    if (at->silent) {
        (void)pthread_mutex_unlock(&at->lock);
        (void)api_peer_await_end(fd);
        return false;
    }
    more = serve(at, request, fd);
    (void)pthread_mutex_unlock(&at->lock);
    return more;
}

struct fb_apiserver *choice_case_client(struct choice_case *at)
{
    const struct fb_access access = {.server = at->peer.base, .token = "t", .space = "team"};
    struct fb_apiserver *server = NULL;

    assert_int_equal(fb_apiserver_new(&access, NULL, &server, NULL), FB_OK);
    return server;
}

void choice_case_renew(struct choice_case *at)
{
    at->inventory.in.objects = builder_objects(at->builder);
    at->inventory.in.cluster = build_cluster(at->builder);
    at->inventory.read_ms = fb_inventory_clock_ms();
    at->inventory.generation++;
}

void choice_case_start(struct choice_case *at, const struct plan_case *from)
{
    static const struct plan_case plain = {"a b c:-/-:z2 d:-/-:z2", NULL, NULL, "worker=2x8", 0};

    memset(at, 0, sizeof *at);
    at->builder = plan_case_make(from != NULL ? from : &plain);
    choice_case_renew(at);
    (void)pthread_mutex_init(&at->lock, NULL);
    at->kept[0] = (struct choice_kept){.path = CHOICE_CASE_JOB, .uid = "j", .version = 7};
    api_peer_start(&at->peer, answer, at);
    at->server = choice_case_client(at);
    at->metrics = fb_metrics_new();
    assert_non_null(at->metrics);
}

void choice_case_stop(struct choice_case *at)
{
    fb_apiserver_free(at->server);
    api_peer_stop(&at->peer);
    fb_metrics_free(at->metrics);
    (void)pthread_mutex_destroy(&at->lock);
    builder_free(at->builder);
}

struct fb_pod *choice_case_pod(struct choice_case *at, const char *job)
{
    struct fb_pod *pod = make_template(at->builder, "", 8);

    give_owner(at->builder, pod, "Job", "batch.volcano.sh", job);
    give_pod_label(at->builder, pod, "volcano.sh/task-spec", "worker");
    return pod;
}

static const char *zone_of(const struct fb_fabric *fabric)
{
    const char *space = strrchr(fabric->name, ' ');

    return space != NULL ? space + 1 : fabric->name;
}

const char *choice_case_key(const struct choice_case *at, const char *zone)
{
    const struct fb_cluster *cluster = &at->inventory.in.cluster;

    for (size_t i = 0; i < cluster->fabrics_len; i++) {
        if (strcmp(zone_of(&cluster->fabrics[i]), zone) == 0)
            return cluster->fabrics[i].key;
    }
    return zone;
}

const char *choice_case_get(struct choice_case *at, struct fb_choice *choice,
                            const struct fb_pod *pod, bool dry_run)
{
    const struct fb_cluster *cluster = &at->inventory.in.cluster;
    struct fb_arena *arena = fb_arena_new_small(0);
    const char *key = NULL;
    const char *zone = "";

    if (arena == NULL ||
        fb_choice_get(choice, arena, &at->inventory, pod, dry_run, &key, NULL) != FB_OK) {
        fb_arena_free(arena);
        return "failed";
    }
    if (*key != '\0')
        zone = fb_cluster_fabric(cluster, key) != FB_NONE
                   ? zone_of(&cluster->fabrics[fb_cluster_fabric(cluster, key)])
                   : "no fabric";
    fb_arena_free(arena);
    return zone;
}
