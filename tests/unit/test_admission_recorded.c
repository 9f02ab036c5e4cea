/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_case.h"
#include "apply_patch.h"
#include "read_pod.h"

#include "fabricbind/own.h"
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Reviews as an API server sent them, in order, on the nodes they were sent with: what comes of a
 * pod at its creation is the pod that is bound later.
 */

#define PODS 32

/* A pod that was made, as the API server would have it. */
struct made {
    char *name, *json;
};

struct replay {
    struct admission_case run;
    struct made pods[PODS];
    size_t pods_len;
    const char *uid; /* of the Binding under way */
    size_t injected, profiles, empty, warned;
};

static enum fb_status find_pod(void *context, struct fb_arena *arena, const char *space,
                               const char *name, struct fb_pod *ret, struct fb_error *err)
{
    const struct replay *replay = context;

    (void)space;
    for (size_t i = 0; i < replay->pods_len; i++) {
        const char *json = replay->pods[i].json;
        struct fb_podspec spec;
        enum fb_status st;

        if (strcmp(replay->pods[i].name, name) != 0)
            continue;
        st = read_pod(arena, json, strlen(json), ret, &spec, err);
        ret->uid = fb_arena_text(arena, replay->uid, strlen(replay->uid));
        return ret->uid != NULL ? st : FB_ENOMEM;
    }
    return fb_error_set(err, FB_ENOTFOUND, "no");
}

/* The string at @pointer, to be freed. */
static char *string_at(const char *json, const char *pointer)
{
    char *text = admission_case_at(json, pointer);
    size_t len = strlen(text);

    if (len < 2 || text[0] != '"')
        fail_msg("%s is %s", pointer, text);
    memmove(text, text + 1, len - 2);
    text[len - 2] = '\0';
    return text;
}

static bool has(const char *json, const char *pointer)
{
    char *text = find_json(json, pointer);

    free(text);
    return text != NULL;
}

static void take_pod(struct replay *replay, const char *object, const char *answer)
{
    struct made *to = &replay->pods[replay->pods_len++];

    assert_true(replay->pods_len <= PODS);
    to->name = string_at(object, "/metadata/name");
    to->json = admission_case_apply(object, answer);
    if (has(answer, "/response/patch")) {
        replay->injected++;
        admission_case_expect(to->json, "/metadata/labels/fabricbind.io~1managed", "'true'");
    }
}

static void take_binding(struct replay *replay, const char *object, const char *answer)
{
    char *made = admission_case_apply(object, answer);
    char *text;

    if (!has(answer, "/response/patch")) {
        replay->empty++;
    } else {
        text = admission_case_at(made, "/metadata/annotations/fabricbind.io~1profile");
        if (strlen(text) < 100)
            fail_msg("%s: no profile", text);
        replay->profiles++;
        free(text);
    }
    free(made);
}

static void play(struct replay *replay, const char *folder, const char *file)
{
    char *body = admission_case_file(folder, file);
    char *object = find_json(body, "/request/object");
    char *uid = admission_case_at(body, "/request/uid");
    bool binds = strstr(file, "-bindings") != NULL;
    enum fb_admission_route route = binds                           ? FB_ADMISSION_BINDINGS
                                    : strstr(file, "-pods") != NULL ? FB_ADMISSION_PODS
                                                                    : FB_ADMISSION_JOBS;
    char *of = binds ? string_at(body, "/request/object/metadata/uid") : NULL;
    unsigned status;
    char *answer, *echo;

    replay->uid = of;
    answer = admission_case_ask(&replay->run, route, body, strlen(body), &status);
    if (status != 200)
        fail_msg("%s/%s: %u %s", folder, file, status, answer);
    admission_case_expect(answer, "/response/allowed", "true");
    echo = admission_case_at(answer, "/response/uid");
    assert_string_equal(echo, uid);
    replay->warned += has(answer, "/response/warnings");
    if (binds)
        take_binding(replay, object, answer);
    else if (route == FB_ADMISSION_PODS)
        take_pod(replay, object, answer);
    else
        assert_false(has(answer, "/response/patch"));
    free(echo);
    free(answer);
    free(of);
    free(uid);
    free(object);
    free(body);
}

static void play_all(struct replay *replay, const char *provider)
{
    char folder[512];
    struct dirent **entries = NULL;
    int len;

    (void)snprintf(folder, sizeof folder, FB_TEST_RECORDED "/admission/%s", provider);
    len = scandir(folder, &entries, NULL, alphasort);
    assert_true(len > 2);
    for (int i = 0; i < len; i++) {
        if (entries[i]->d_name[0] != '.')
            play(replay, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* The two gangs are networked: 6 pods. Of a third, which is too big, there is only the job. */
static void test_admission_recorded__makes_and_binds_each_gang(void **state)
{
    static const char *const providers[] = {"aws", "azure", "gcp", "oci"};

    (void)state;
    for (size_t i = 0; i < COUNT(providers); i++) {
        struct replay replay = {0};
        const struct fb_admission_world world = {.context = &replay, .find_pod = find_pod};

        admission_case_start(&replay.run, admission_case_read(providers[i]), &world);
        play_all(&replay, providers[i]);
        assert_int_equal(replay.pods_len, 10);
        assert_int_equal(replay.injected, 6);
        assert_int_equal(replay.profiles, 6);
        assert_int_equal(replay.empty, 4);
        assert_int_equal(replay.warned, 1);
        for (size_t p = 0; p < replay.pods_len; p++) {
            free(replay.pods[p].name);
            free(replay.pods[p].json);
        }
        admission_case_stop(&replay.run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission_recorded__makes_and_binds_each_gang),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
