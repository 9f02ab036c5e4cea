/* SPDX-License-Identifier: Apache-2.0 */
#include "choice_object.h"

#include "inventory.h"

#include "api_peer.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define SPACE "/namespaces/team/"

static void test_paths__lead_to_the_pod_group_then_to_the_owner(void **state)
{
    static const struct {
        const char *kind, *group, *space, *name, *podgroup;
        const char *want; /* separated by spaces */
    } cases[] = {
        {"Job", "batch.volcano.sh", "team", "j", NULL,
         "/apis/batch.volcano.sh/v1alpha1" SPACE "jobs/j "},
        {"Job", "batch.volcano.sh", "team", "j", "g",
         "/apis/scheduling.volcano.sh/v1beta1" SPACE "podgroups/g "
         "/apis/batch.volcano.sh/v1alpha1" SPACE "jobs/j "},
        {"Job", "batch", "team", "j", NULL, "/apis/batch/v1" SPACE "jobs/j "},
        {"JobSet", "jobset.x-k8s.io", "team", "j.1", NULL,
         "/apis/jobset.x-k8s.io/v1alpha2" SPACE "jobsets/j.1 "},
        {"MPIJob", "kubeflow.org", "team", "j", "g",
         "/apis/scheduling.volcano.sh/v1beta1" SPACE "podgroups/g "
         "/apis/kubeflow.org/v2beta1" SPACE "mpijobs/j "
         "/apis/kubeflow.org/v1" SPACE "mpijobs/j "},
        {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", "team", "l", NULL,
         "/apis/leaderworkerset.x-k8s.io/v1" SPACE "leaderworkersets/l "},
        /* nobody's */
        {"Thing", "example.com", "team", "j", NULL, ""},
        {"Thing", "example.com", "team", "j", "g",
         "/apis/scheduling.volcano.sh/v1beta1" SPACE "podgroups/g "},
        {"Job", "apps", "team", "j", NULL, ""},
        /* what is no name leads nowhere */
        {"Job", "batch", "team", "../../x", "a/b", ""},
        {"Job", "batch", "a/b", "j", "g", ""},
        {"Job", "batch", "", "j", "g", ""},
        {"Job", "batch", "team", "", "", ""},
        {"Job", "batch", "team", "..", "?x=y", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_pair note = {"scheduling.k8s.io/group-name", cases[i].podgroup};
        const struct fb_pod pod = {.annotations = {&note, cases[i].podgroup != NULL, 1}};
        const struct fb_gang gang = {.kind = cases[i].kind,
                                     .group = cases[i].group,
                                     .space = cases[i].space,
                                     .name = cases[i].name};
        struct fb_arena *arena = fb_arena_new(0);
        const char *paths[FB_CHOICE_OBJECTS];
        char text[1024] = "";
        size_t len = 0;

        assert_non_null(arena);
        assert_int_equal(fb_choice_paths(arena, &gang, &pod, paths, &len), FB_OK);
        for (size_t p = 0; p < len; p++) {
            size_t at = strlen(text);

            (void)snprintf(text + at, sizeof text - at, "%s ", paths[p]);
        }
        assert_string_equal(text, cases[i].want);
        fb_arena_free(arena);
    }
}

static void test_api_version__is_that_of_the_kind(void **state)
{
    (void)state;
    assert_string_equal(fb_choice_api_version("Job", "batch"), "batch/v1");
    assert_string_equal(fb_choice_api_version("TrainJob", "trainer.kubeflow.org"),
                        "trainer.kubeflow.org/v1alpha1");
    assert_null(fb_choice_api_version("Job", "example.com"));
}

/* What the API server says, and what is made of it. */
struct said {
    const char *body;
    const char *told;  /* NULL: none */
    const char *error; /* of the reading, in it */
    unsigned status;
    enum fb_status read, written;
};

#define META "{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"7\""

static const struct said sayings[] = {
    {META ",\"annotations\":{\"key\":\"a|b\\\"c\",\"other\":\"x\"}}}", "a|b\"c", "", 200, FB_OK,
     FB_OK},
    {META "}}", NULL, "", 200, FB_OK, FB_OK},
    {META ",\"annotations\":null},\"spec\":{\"annotations\":{\"key\":\"x\"}}}", NULL, "", 200,
     FB_OK, FB_OK},
    {META ",\"annotations\":{\"key\":5}}}", NULL, "", 200, FB_OK, FB_OK},
    {"{\"metadata\":{\"uid\":\"u\"}}", NULL, "/o: no object with uid", 200, FB_EINPUT, FB_OK},
    {"[]", NULL, "/o: no object with uid", 200, FB_EINPUT, FB_OK},
    {"{\"metadata\":", NULL, "/o: byte ", 200, FB_EINPUT, FB_OK},
    {"", NULL, "/o: ", 200, FB_EINPUT, FB_OK},
    {"{}", NULL, "/o: not found", 404, FB_ENOTFOUND, FB_ENOTFOUND},
    {"{}", NULL, "/o: it has changed", 409, FB_EINPUT, FB_EINPUT},
    {"{\"message\":\"no\"}", NULL, "/o: 403: no", 403, FB_EIO, FB_EIO},
    {"busy", NULL, "/o: 503: busy", 503, FB_EIO, FB_EIO},
};

static bool answer(struct api_peer *peer, const struct api_request *request, int fd)
{
    const struct said *said = peer->context;

    (void)request;
    return api_peer_reply(fd, said->status, "", said->body);
}

static void check(struct fb_apiserver *server, const struct said *said)
{
    struct fb_arena *arena = fb_arena_new(0);
    const struct fb_choice_asking asking = {server, arena, "key", fb_inventory_clock_ms() + 20000};
    const struct fb_choice_object known = {"/o", "u", "7", NULL};
    struct fb_choice_object object = {.told = "before"};
    struct fb_error err = {.text = ""};

    assert_non_null(arena);
    assert_int_equal(fb_choice_object_read(&asking, "/o", &object, &err), said->read);
    if (strstr(err.text, said->error) == NULL)
        fail_msg("'%s', not '%s'", err.text, said->error);
    if (said->read != FB_OK) {
        assert_string_equal(object.told, "before");
    } else {
        assert_string_equal(object.uid, "u");
        assert_string_equal(object.version, "7");
        assert_int_equal(object.told != NULL, said->told != NULL);
        if (said->told != NULL)
            assert_string_equal(object.told, said->told);
    }
    assert_int_equal(fb_choice_object_write(&asking, &known, "value", NULL), said->written);
    fb_arena_free(arena);
}

static void test_object__is_what_the_api_server_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sayings); i++) {
        struct said said = sayings[i];
        struct fb_access access = {.token = "t", .space = "team"};
        struct fb_apiserver *server = NULL;
        struct api_peer peer;

        api_peer_start(&peer, answer, &said);
        access.server = peer.base;
        assert_int_equal(fb_apiserver_new(&access, NULL, &server, NULL), FB_OK);
        check(server, &said);
        fb_apiserver_free(server);
        api_peer_stop(&peer);
    }
}

static void test_object__is_not_asked_for_when_no_time_is_left(void **state)
{
    const struct fb_choice_asking late = {NULL, NULL, "key", fb_inventory_clock_ms()};
    struct fb_choice_object object;
    struct fb_error err;

    (void)state;
    assert_int_equal(fb_choice_object_read(&late, "/o", &object, &err), FB_EIO);
    assert_string_equal(err.text, "GET /o: no time is left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths__lead_to_the_pod_group_then_to_the_owner),
        cmocka_unit_test(test_api_version__is_that_of_the_kind),
        cmocka_unit_test(test_object__is_what_the_api_server_says),
        cmocka_unit_test(test_object__is_not_asked_for_when_no_time_is_left),
    };

    return cmocka_run_group_tests_name("choice_object", tests, NULL, NULL);
}
