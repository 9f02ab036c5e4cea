/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_API_SCENE_H
#define FB_TESTS_API_SCENE_H

#include "api_peer.h"
#include "apiserver.h"

/** A peer, a client of it with the token "abc" and the namespace "ml", and what the peer saw. */
struct api_scene {
    struct api_peer peer; /* its context is the scene */
    struct fb_apiserver *server;
    struct fb_metrics *metrics;
    pthread_mutex_t lock; /* of what follows */
    char seen[4096];      /* the last request that was noted */
    void *extra;          /* of the test */
};

void api_scene_start(struct api_scene *scene, api_peer_answer answer);

/** The same with an access of the test's own; its server is set. */
void api_scene_start_as(struct api_scene *scene, api_peer_answer answer, struct fb_access access);
void api_scene_stop(struct api_scene *scene);

void api_scene_note(struct api_peer *peer, const struct api_request *request);
void api_scene_expect_seen(struct api_scene *scene, const char *want);
void api_scene_expect_unseen(struct api_scene *scene, const char *word);

/** A GET of /x. */
void api_scene_expect_get(struct api_scene *scene, unsigned status, const char *body);

#endif
