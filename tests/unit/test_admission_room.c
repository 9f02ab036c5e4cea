/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_case.h"
#include "metrics_text.h"

#include "fabricbind/own.h"
#include "fabricbind/profile.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What the annotations of a bound pod may take: beyond the API server's bound it would be bound,
 * but never change its status again.
 */

#define NOTES "/metadata/annotations"
#define PROFILE NOTES "/fabricbind.io~1profile"
#define CONF NOTES "/fabricbind.io~1nccl.conf"
#define TOPO NOTES "/fabricbind.io~1nccl-topo.xml"

struct scene {
    struct admission_case run;
};

/* A node whose instance type has a topology, and a pod that is not bound. */
static void start(struct scene *scene, const struct fb_admission_world *world)
{
    static const char pod[] =
        "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'p','namespace':'team','uid':'u-p',"
        "'labels':{'fabricbind.io/managed':'true'},'annotations':{'fabricbind.io/networking':"
        "'true'}},'spec':{'containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu':8}}}]"
        "}}";
    char *objects[] = {admission_case_quote(pod),
                       admission_case_file(FB_TEST_DATA "/nodes", "eks-p4d.json")};
    struct fb_inventory *inventory = admission_case_read(NULL);

    admission_case_put(inventory, objects, COUNT(objects));
    admission_case_start(&scene->run, inventory, world);
    free(objects[0]);
    free(objects[1]);
}

static const char *sign(void *context, struct fb_arena *arena, const char *pod_uid,
                        const char *node, const char *content)
{
    (void)arena;
    (void)pod_uid;
    (void)node;
    (void)content;
    return context;
}

/* A Binding whose own annotations have @bytes keys and values in all; to be freed. */
static char *large_binding(size_t bytes, const char *more)
{
    static const char format[] = "{\"metadata\":{\"name\":\"p\",\"uid\":\"u-p\",\"annotations\":{"
                                 "%s\"k\":\"%s\"}},\"target\":{\"name\":\"node-1\"}}";
    char *value = malloc(bytes);
    char *text = malloc(bytes + sizeof format + strlen(more));

    assert_true(value != NULL && text != NULL);
    memset(value, 'x', bytes);
    value[bytes - 1] = '\0';
    (void)snprintf(text, bytes + sizeof format + strlen(more), format, more, value);
    free(value);
    return text;
}

/* Keys and values of all annotations of @json, and how many there are of ours. */
static size_t measure(const char *json, size_t *ret_ours)
{
    static const char *const keys[] = {FB_PROFILE_KEY, FB_PROFILE_CONF_KEY, FB_PROFILE_TOPO_KEY,
                                       "k"};
    static const char *const pointers[] = {PROFILE, CONF, TOPO, NOTES "/k"};
    size_t bytes = 0;

    *ret_ours = 0;
    for (size_t i = 0; i < COUNT(keys); i++) {
        char *text = admission_case_at(json, pointers[i]);

        if (*text == '"') {
            char *plain = admission_case_text(json, pointers[i]);

            bytes += strlen(keys[i]) + strlen(plain);
            *ret_ours += i < 3;
            free(plain);
        }
        free(text);
    }
    return bytes;
}

static void expect_bound(struct scene *scene, size_t left)
{
    char *object = large_binding(FB_PROFILE_LIMIT_BYTES - left, "");
    char *text = admission_case_say(&scene->run, "Binding", object);
    char *made = admission_case_apply(object, text);
    size_t ours;
    size_t bytes = measure(made, &ours);

    if (bytes > FB_PROFILE_LIMIT_BYTES)
        fail_msg("%zu bytes left: %zu in all", left, bytes);
    assert_int_equal(ours, left >= 71 ? 3 : 0);
    free(made);
    free(text);
    free(object);
}

/* With a signature as long as those of Ed25519 are, and without. */
static void test_admission_room__stays_below_the_bound(void **state)
{
    static const size_t left[] = {100000, 4000, 700, 80, 71, 70, 40, 0};
    static char signature[89];
    const struct fb_admission_world ask = {.context = signature, .sign = sign};
    struct scene scene;

    (void)state;
    memset(signature, 's', sizeof signature - 1);
    for (int round = 0; round < 2; round++) {
        start(&scene, round == 0 ? NULL : &ask);
        for (size_t i = 0; i < COUNT(left); i++)
            expect_bound(&scene, left[i]);
        for (size_t each = 300; each < 1600; each += 13)
            expect_bound(&scene, each);
        admission_case_stop(&scene.run);
    }
}

/* A scheduler whose Bindings carry no annotations: those of the pod count all the same. */
static void test_admission_room__counts_what_the_pod_has(void **state)
{
    static const char format[] =
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"full\","
        "\"namespace\":\"team\",\"uid\":\"u-full\",\"annotations\":{"
        "\"fabricbind.io/networking\":\"true\",\"fabricbind.io/managed\":\"true\","
        "\"example.com/k\":\"%s\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{"
        "\"limits\":{\"nvidia.com/gpu\":8}}}]}}";
    static const char binding[] = "{\"metadata\":{\"name\":\"full\",\"uid\":\"u-full\"},"
                                  "\"target\":{\"name\":\"node-1\"}}";
    struct fb_inventory *inventory = admission_case_read(NULL);
    size_t left = 1200; /* the topology takes more, the rest less */
    size_t bytes = FB_PROFILE_LIMIT_BYTES - left;
    char *value = calloc(1, bytes + 1);
    char *objects[] = {malloc(bytes + sizeof format),
                       admission_case_file(FB_TEST_DATA "/nodes", "eks-p4d.json")};
    struct scene scene;
    char *text, *made;

    (void)state;
    assert_true(value != NULL && objects[0] != NULL);
    memset(value, 'x', bytes);
    (void)snprintf(objects[0], bytes + sizeof format, format, value);
    admission_case_put(inventory, objects, COUNT(objects));
    admission_case_start(&scene.run, inventory, NULL);
    text = admission_case_say(&scene.run, "Binding", binding);
    made = admission_case_apply(binding, text);
    admission_case_expect(made, TOPO, "''");
    free(text);
    text = admission_case_text(made, PROFILE);
    admission_case_expect(text, "/degraded", "['topology left out: annotations too large']");
    free(text);
    free(made);
    free(objects[0]);
    free(objects[1]);
    free(value);
    admission_case_stop(&scene.run);
}

/* A user's value is emptied even then. */
static void test_admission_room__leaves_no_forged_value_for_want_of_room(void **state)
{
    struct scene scene;
    char *object = large_binding(FB_PROFILE_LIMIT_BYTES - 30, "\"" FB_PROFILE_KEY "\":\"mine\",");
    char *text, *made;

    (void)state;
    start(&scene, NULL);
    text = admission_case_say(&scene.run, "Binding", object);
    made = admission_case_apply(object, text);
    admission_case_expect(made, PROFILE, "''");
    admission_case_expect(made, CONF, "-");
    free(made);
    free(text);
    free(object);
    admission_case_stop(&scene.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission_room__stays_below_the_bound),
        cmocka_unit_test(test_admission_room__counts_what_the_pod_has),
        cmocka_unit_test(test_admission_room__leaves_no_forged_value_for_want_of_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
