/* SPDX-License-Identifier: Apache-2.0 */
#include "lookup.h"

#include "fabricbind/own.h"

#include "api_scene.h"
#include "unit.h"

#include <string.h>

#define PAGE(items)                                                                                \
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[" items "]}"
#define POD(name)                                                                                  \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ml\",\"uid\":\"u-1\","                   \
    "\"annotations\":{\"fabricbind.io/managed\":\"true\"}},\"spec\":{\"containers\":[]}}"

struct answer {
    unsigned status;
    const char *body;
};

static bool answer(struct api_peer *peer, const struct api_request *request, int fd)
{
    const struct answer *as = ((struct api_scene *)peer->context)->extra;

    api_scene_note(peer, request);
    return api_peer_reply(fd, as->status, "", as->body);
}

static void test_lookup_pod__says_what_the_api_server_knows(void **state)
{
    static const struct {
        const char *name;
        struct answer answer;
        enum fb_status st;
        const char *want; /* the error, or the UID */
    } cases[] = {
        {"w-0", {200, PAGE(POD("w-0"))}, FB_OK, "u-1"},
        {"w-0", {200, PAGE("")}, FB_ENOTFOUND, "GET pod ml/w-0: not found"},
        {"w-0", {200, PAGE(POD("w-00"))}, FB_ENOTFOUND, "GET pod ml/w-0: not found"},
        {"w-0", {403, "{\"message\":\"no\"}"}, FB_EIO, "GET pod ml/w-0: 403: no"},
        {"w-0", {200, "{\"items\":[{"}, FB_EINPUT, NULL},
        {"w-0", {200, "7"}, FB_EINPUT, NULL},
        {"../w", {200, ""}, FB_ENOTFOUND, "GET pod ml/../w: no such name can be"},
        {"", {200, ""}, FB_ENOTFOUND, "GET pod ml/: no such name can be"},
    };
    struct api_scene scene;

    (void)state;
    api_scene_start(&scene, answer);
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_pod pod = {.uid = ""};
        struct fb_error err = {0};

        struct answer now = cases[i].answer;

        scene.extra = &now;
        assert_int_equal(fb_lookup_pod(scene.server, arena, "ml", cases[i].name, &pod, &err),
                         cases[i].st);
        if (cases[i].want != NULL)
            assert_string_equal(cases[i].st == FB_OK ? pod.uid : err.text, cases[i].want);
    }
    api_scene_expect_seen(&scene,
                          "GET /api/v1/namespaces/ml/pods?fieldSelector=metadata.name%3Dw-0 ");
    api_scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookup_pod__says_what_the_api_server_knows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
