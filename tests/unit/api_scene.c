/* SPDX-License-Identifier: Apache-2.0 */
#include "api_scene.h"

#include <stdio.h>
#include <string.h>

void api_scene_start_as(struct api_scene *scene, api_peer_answer answer, struct fb_access access)
{
    struct fb_error err = {0};

    memset(scene, 0, sizeof *scene);
    (void)pthread_mutex_init(&scene->lock, NULL);
    api_peer_start(&scene->peer, answer, scene);
    access.server = scene->peer.base;
    scene->metrics = fb_metrics_new();
    assert_non_null(scene->metrics);
    if (fb_apiserver_new(&access, scene->metrics, &scene->server, &err) != FB_OK)
        fail_msg("%s", err.text);
}

void api_scene_start(struct api_scene *scene, api_peer_answer answer)
{
    api_scene_start_as(scene, answer, (struct fb_access){.token = "abc", .space = "ml"});
}

void api_scene_stop(struct api_scene *scene)
{
    fb_apiserver_free(scene->server);
    api_peer_stop(&scene->peer);
    fb_metrics_free(scene->metrics);
    (void)pthread_mutex_destroy(&scene->lock);
}

void api_scene_note(struct api_peer *peer, const struct api_request *request)
{
    struct api_scene *scene = peer->context;

    (void)pthread_mutex_lock(&scene->lock);
    (void)snprintf(scene->seen, sizeof scene->seen, "%s%s", request->head, request->body);
    (void)pthread_mutex_unlock(&scene->lock);
}

static bool has_seen(struct api_scene *scene, const char *word)
{
    bool found;

    (void)pthread_mutex_lock(&scene->lock);
    found = strcasestr(scene->seen, word) != NULL;
    (void)pthread_mutex_unlock(&scene->lock);
    return found;
}

void api_scene_expect_seen(struct api_scene *scene, const char *want)
{
    if (!has_seen(scene, want))
        fail_msg("no '%s' in %s", want, scene->seen);
}

void api_scene_expect_unseen(struct api_scene *scene, const char *word)
{
    if (has_seen(scene, word))
        fail_msg("'%s' in %s", word, scene->seen);
}

void api_scene_expect_get(struct api_scene *scene, unsigned status, const char *body)
{
    const struct fb_api_call call = {.method = "GET", .path = "/x"};
    struct fb_api_reply reply = {0};
    struct fb_error err = {0};

    if (fb_apiserver_call(scene->server, &call, &reply, &err) != FB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(reply.status, status);
    assert_string_equal(reply.body, body);
    assert_int_equal(reply.len, strlen(body));
    fb_api_reply_fini(&reply);
}
