/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc_fault.h"
#include "apply_patch.h"

#include "fabricbind/admission.h"
#include "fabricbind/own.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bodies are written with ' for ". */

struct bench {
    struct fb_arena *arena;
    struct fb_review_formats *formats;
    struct fb_review review;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);

    assert_non_null(bench);
    bench->arena = fb_arena_new(0);
    assert_non_null(bench->arena);
    assert_int_equal(fb_review_formats_new(&bench->formats, NULL), FB_OK);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;

    fb_review_fini(&bench->review);
    fb_review_formats_free(bench->formats);
    fb_arena_free(bench->arena);
    free(bench);
    return 0;
}

/* The text with real quotes; the arena's. */
static const char *quote(struct bench *bench, const char *text)
{
    char *at = fb_arena_alloc(bench->arena, strlen(text) + 1);

    assert_non_null(at);
    memcpy(at, text, strlen(text) + 1);
    for (char *quote = strchr(at, '\''); quote != NULL; quote = strchr(quote, '\''))
        *quote = '"';
    return at;
}

static enum fb_status decode(struct bench *bench, const char *text, struct fb_error *err)
{
    const char *body = quote(bench, text);

    fb_review_fini(&bench->review);
    return fb_review_decode(bench->arena, body, strlen(body), &bench->review, err);
}

#define HEAD "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1',"
#define REVIEW(request) HEAD "'request':{" request "}}"

static void test_review_decode__reads_a_request(void **state)
{
    struct bench *bench = *state;
    const struct fb_review *review = &bench->review;

    assert_int_equal(decode(bench,
                            REVIEW("'uid':'u','kind':{'group':'g','version':'v1','kind':'K'},"
                                   "'namespace':'s','name':'n','operation':'CREATE',"
                                   "'subResource':'binding','userInfo':{'username':'me','x':1},"
                                   "'dryRun':true,'object':{'a':1},'new':[{}]"),
                            NULL),
                     FB_OK);
    assert_string_equal(review->uid, "u");
    assert_string_equal(review->group, "g");
    assert_string_equal(review->kind, "K");
    assert_string_equal(review->space, "s");
    assert_string_equal(review->name, "n");
    assert_string_equal(review->operation, "CREATE");
    assert_string_equal(review->subresource, "binding");
    assert_string_equal(review->user, "me");
    assert_true(review->dry_run);
    assert_non_null(review->object);

    assert_int_equal(decode(bench, REVIEW("'uid':'u','object':null,'dryRun':null"), NULL), FB_OK);
    assert_string_equal(review->kind, "");
    assert_string_equal(review->space, "");
    assert_string_equal(review->user, "");
    assert_false(review->dry_run);
    assert_null(review->object);
}

static void test_review_decode__says_what_is_wrong(void **state)
{
    static const struct {
        const char *body, *want;
    } cases[] = {
        {"", "byte 0: "},
        {"{", "byte 1: "},
        {"[]", "not a map"},
        {"7", "not a map"},
        {"null", "not a map"},
        {"{}", "kind: not given, wanted AdmissionReview"},
        {"{'kind':'Pod','apiVersion':'v1'}", "kind: 'Pod' is not AdmissionReview"},
        {"{'kind':7}", "kind: not a string"},
        {"{'kind':'AdmissionReview'}", "apiVersion: not given, wanted admission.k8s.io/v1"},
        {"{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1beta1','request':{'uid':'u'}}",
         "apiVersion: 'admission.k8s.io/v1beta1' is not admission.k8s.io/v1"},
        {HEAD "'response':{'uid':'u'}}", "request: not given"},
        {HEAD "'request':null}", "request: not given"},
        {HEAD "'request':[]}", "request: not a map"},
        {REVIEW(""), "request.uid: not given"},
        {REVIEW("'uid':''"), "request.uid: not given"},
        {REVIEW("'uid':7"), "request.uid: not a string"},
        {REVIEW("'uid':'u','kind':'Pod'"), "request.kind: not a map"},
        {REVIEW("'uid':'u','kind':{'kind':[]}"), "request.kind.kind: not a string"},
        {REVIEW("'uid':'u','namespace':{}"), "request.namespace: not a string"},
        {REVIEW("'uid':'u','dryRun':'true'"), "request.dryRun: not true or false"},
        {REVIEW("'uid':'u','object':[]"), "request.object: not a map"},
        {REVIEW("'uid':'u','userInfo':'me'"), "request.userInfo: not a map"},
        {REVIEW("'uid':'u'") "}", "byte "},
    };
    struct bench *bench = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_error err = {0};

        assert_int_equal(decode(bench, cases[i].body, &err), FB_EINPUT);
        if (strncmp(err.text, cases[i].want, strlen(cases[i].want)) != 0)
            fail_msg("%s: %s, wanted %s", cases[i].body, err.text, cases[i].want);
    }
}

static void test_review_decode__refuses_more_than_its_bound(void **state)
{
    struct bench *bench = *state;
    char *body = malloc(FB_REVIEW_BYTES + 1);
    struct fb_error err = {0};

    assert_non_null(body);
    memset(body, ' ', FB_REVIEW_BYTES + 1);
    assert_int_equal(
        fb_review_decode(bench->arena, body, FB_REVIEW_BYTES + 1, &bench->review, &err), FB_ELIMIT);
    assert_int_equal(fb_review_decode(bench->arena, body, FB_REVIEW_BYTES, &bench->review, &err),
                     FB_EINPUT);
    free(body);
}

static void test_review_read_pod__takes_what_the_request_says(void **state)
{
    struct bench *bench = *state;
    struct fb_review_pod pod;

    assert_int_equal(
        decode(bench,
               REVIEW("'uid':'u','namespace':'team','object':{'metadata':{'generateName':'w-',"
                      "'labels':{'a':'b'},'annotations':{'x':'y'}},'spec':{'containers':[{'name':"
                      "'c','resources':{'limits':{'nvidia.com/gpu':8}},'env':[{'name':'E'}]}]}}"),
               NULL),
        FB_OK);
    assert_int_equal(fb_review_read_pod(bench->formats, bench->arena, &bench->review, &pod, NULL),
                     FB_OK);
    assert_string_equal(pod.pod.space, "team");
    assert_string_equal(pod.pod.name, "");
    assert_string_equal(pod.called, "w-");
    assert_int_equal(fb_resources_get(&pod.pod.containers[0].requests, "nvidia.com/gpu"), 8);
    assert_int_equal(pod.spec.containers_len, 1);
    assert_string_equal(fb_pairs_find(&pod.spec.annotations, "x"), "y");
    assert_string_equal(pod.spec.containers[0].env.at[0], "E");

    assert_int_equal(decode(bench,
                            REVIEW("'uid':'u','object':{'kind':'Pod','apiVersion':'v1',"
                                   "'metadata':{'name':'p','namespace':'own'}}"),
                            NULL),
                     FB_OK);
    assert_int_equal(fb_review_read_pod(bench->formats, bench->arena, &bench->review, &pod, NULL),
                     FB_OK);
    assert_string_equal(pod.pod.space, "own");
    assert_string_equal(pod.called, "p");
}

static void test_review_read__says_where_an_object_is_wrong(void **state)
{
    static const struct {
        const char *object, *want;
    } cases[] = {
        {"null", "request.object: not of the kind that is asked about"},
        {"{'kind':'Node','apiVersion':'v1'}", "request.object: not of the kind"},
        {"{'spec':{'containers':{}}}", "request.object"},
        {"{'spec':{'containers':[{'resources':{'limits':{'cpu':'4x'}}}]}}", "request.object"},
        {"{'spec':{'containers':[{'env':'x'}]}}", "request.object: spec.containers[0].env: not"},
    };
    struct bench *bench = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_review_pod pod;
        struct fb_error err = {0};
        char body[512];

        (void)snprintf(body, sizeof body, REVIEW("'uid':'u','object':%s"), cases[i].object);
        assert_int_equal(decode(bench, body, NULL), FB_OK);
        assert_int_equal(
            fb_review_read_pod(bench->formats, bench->arena, &bench->review, &pod, &err),
            FB_EINPUT);
        if (strstr(err.text, cases[i].want) == NULL)
            fail_msg("%s: %s, wanted %s", cases[i].object, err.text, cases[i].want);
    }
}

static void test_review_read_job__has_the_templates_of_its_tasks(void **state)
{
    struct bench *bench = *state;
    struct fb_job job;
    struct fb_podspec *specs;

    assert_int_equal(
        decode(bench,
               REVIEW("'uid':'u','namespace':'team','object':{'kind':'Job',"
                      "'apiVersion':'batch.volcano.sh/v1alpha1','metadata':{'generateName':'j-'},"
                      "'spec':{'minAvailable':3,'tasks':[null,{'name':'a','replicas':1},{'name':"
                      "'b','replicas':2,'template':{'metadata':{'annotations':{'k':'v'}},'spec':"
                      "{'containers':[{'name':'c'}]}}}]}}"),
               NULL),
        FB_OK);
    assert_int_equal(
        fb_review_read_job(bench->formats, bench->arena, &bench->review, &job, &specs, NULL),
        FB_OK);
    assert_string_equal(job.name, "j-");
    assert_string_equal(job.space, "team");
    assert_int_equal(job.tasks_len, 2);
    assert_string_equal(job.tasks[1].pod.space, "team");
    assert_int_equal(specs[0].containers_len, 0);
    assert_string_equal(fb_pairs_find(&specs[1].annotations, "k"), "v");
    assert_int_equal(specs[1].containers_len, 1);
}

static void test_review_read_binding__is_whole(void **state)
{
    struct bench *bench = *state;
    struct fb_binding binding;

    assert_int_equal(
        decode(bench,
               REVIEW("'uid':'u','object':{'metadata':{'name':'p','uid':'pu','annotations':{'a/b':"
                      "'1'}},'target':{'kind':'Node','name':'n'}}"),
               NULL),
        FB_OK);
    assert_int_equal(fb_review_read_binding(bench->arena, &bench->review, &binding, NULL), FB_OK);
    assert_string_equal(binding.name, "p");
    assert_string_equal(binding.uid, "pu");
    assert_string_equal(binding.kind, "Node");
    assert_string_equal(binding.node, "n");
    assert_true(binding.has_annotations);
    assert_string_equal(fb_pairs_find(&binding.annotations, "a/b"), "1");

    assert_int_equal(decode(bench, REVIEW("'uid':'u','object':{}"), NULL), FB_OK);
    assert_int_equal(fb_review_read_binding(bench->arena, &bench->review, &binding, NULL), FB_OK);
    assert_string_equal(binding.node, "");
    assert_false(binding.has_metadata);
    assert_int_equal(decode(bench, REVIEW("'uid':'u'"), NULL), FB_OK);
    assert_int_equal(fb_review_read_binding(bench->arena, &bench->review, &binding, NULL),
                     FB_EINPUT);
}

static void expect_answer(const struct fb_review_answer *answer, const char *want)
{
    char *text = fb_review_encode("u-1", answer);

    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
}

#define ANSWER(rest)                                                                               \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","                        \
    "\"response\":{\"uid\":\"u-1\"," rest "}}"

static void test_review_encode__answers_in_kind(void **state)
{
    static struct fb_patch_op op = {"/a", "1"};
    static const struct fb_patch empty, patch = {.at = &op, .len = 1};

    (void)state;
    expect_answer(&(struct fb_review_answer){.allowed = true}, ANSWER("\"allowed\":true"));
    expect_answer(&(struct fb_review_answer){.allowed = true, .patch = &empty},
                  ANSWER("\"allowed\":true"));
    expect_answer(&(struct fb_review_answer){.allowed = true, .patch = &patch},
                  ANSWER("\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":"
                         "\"W3sib3AiOiJhZGQiLCJwYXRoIjoiL2EiLCJ2YWx1ZSI6MX1d\""));
    expect_answer(
        &(struct fb_review_answer){
            .code = 403, .reason = "Forbidden", .message = "no \"way\"", .patch = &patch},
        ANSWER("\"allowed\":false,\"status\":{\"status\":\"Failure\",\"message\":\"no "
               "\\\"way\\\"\",\"reason\":\"Forbidden\",\"code\":403}"));
}

/* All three lengths of the last group. Source: RFC 4648, section 10. */
static void test_review_encode__fills_base64(void **state)
{
    static const struct {
        const char *value, *want;
    } cases[] = {
        {"1", "InZhbHVlIjoxfV0="},
        {"12", "InZhbHVlIjoxMn1d"},
        {"123", "InZhbHVlIjoxMjN9XQ=="},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_patch_op op = {"/abc", cases[i].value};
        struct fb_patch patch = {.at = &op, .len = 1};
        struct fb_review_answer answer = {.allowed = true, .patch = &patch};
        char *text = fb_review_encode("u", &answer);

        assert_non_null(text);
        if (strstr(text, cases[i].want) == NULL)
            fail_msg("%s: %s", cases[i].want, text);
        free(text);
    }
}

static void test_review_encode__bounds_warnings(void **state)
{
    char longest[FB_REVIEW_WARNING_BYTES + 1], longer[FB_REVIEW_WARNING_BYTES + 3];
    const char *many[FB_REVIEW_WARNINGS + 1] = {"a\n\x7f\"\xc3\xa4", longest, longer};
    struct fb_texts warnings = {.at = many, .len = COUNT(many)};
    struct fb_review_answer answer = {.allowed = true, .warnings = &warnings};
    char *text, *at;

    (void)state;
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    memset(longer, 'y', sizeof longer);
    memcpy(longer + FB_REVIEW_WARNING_BYTES - 1, "\xc3\xa4", 3);
    for (size_t i = 3; i < COUNT(many); i++)
        many[i] = i < FB_REVIEW_WARNINGS ? "z" : "too many";
    text = fb_review_encode("u", &answer);
    assert_non_null(text);
    at = find_json(text, "/response/warnings/0");
    assert_string_equal(at, "\"a??\\\"\xc3\xa4\"");
    free(at);
    at = find_json(text, "/response/warnings/1");
    assert_int_equal(strlen(at), FB_REVIEW_WARNING_BYTES + 2);
    free(at);
    at = find_json(text, "/response/warnings/2");
    assert_int_equal(strlen(at), FB_REVIEW_WARNING_BYTES - 1 + 2);
    free(at);
    at = find_json(text, "/response/warnings/19");
    assert_string_equal(at, "\"z\"");
    free(at);
    assert_null(find_json(text, "/response/warnings/20"));
    free(text);
}

/* One review of everything, with every allocation failed in turn. */
static enum fb_status read_all(const char *body, char **ret)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    FB_OWNED(fb_review_formats_freep) struct fb_review_formats *formats = NULL;
    FB_OWNED(fb_review_fini) struct fb_review review = {0};
    struct fb_review_pod pod;
    struct fb_binding binding;
    struct fb_patch_op op = {"/a", "1"};
    struct fb_patch patch = {.at = &op, .len = 1};
    struct fb_review_answer answer = {.allowed = true, .patch = &patch};
    enum fb_status st = arena != NULL ? fb_review_formats_new(&formats, NULL) : FB_ENOMEM;

    if (st == FB_OK)
        st = fb_review_decode(arena, body, strlen(body), &review, NULL);
    if (st == FB_OK)
        st = fb_review_read_pod(formats, arena, &review, &pod, NULL);
    if (st == FB_OK)
        st = fb_review_read_binding(arena, &review, &binding, NULL);
    if (st != FB_OK)
        return st;
    *ret = fb_review_encode(review.uid, &answer);
    return *ret != NULL ? FB_OK : FB_ENOMEM;
}

static void test_review__survives_want_of_memory(void **state)
{
    cJSON_Hooks hooks = {malloc, free}; /* those that can be made to fail */
    struct bench *bench = *state;
    const char *body =
        quote(bench, REVIEW("'uid':'u','kind':{'kind':'Pod'},'object':{'metadata':{'name':'p',"
                            "'annotations':{'a':'b'}},'spec':{'containers':[{'name':'c'}]},"
                            "'target':{'name':'n'}}"));
    char *text = NULL;
    enum fb_status st = FB_ENOMEM;
    int after;

    cJSON_InitHooks(&hooks);
    for (after = 0; st == FB_ENOMEM && after < 5000; after++) {
        alloc_fault_arm(after);
        st = read_all(body, &text);
        alloc_fault_disarm();
    }
    cJSON_InitHooks(NULL);
    assert_int_equal(st, FB_OK);
    assert_true(after > 50);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_review_decode__reads_a_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_review_decode__says_what_is_wrong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_review_decode__refuses_more_than_its_bound, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_review_read_pod__takes_what_the_request_says, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_review_read__says_where_an_object_is_wrong, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_review_read_job__has_the_templates_of_its_tasks,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_review_read_binding__is_whole, set_up, tear_down),
        cmocka_unit_test(test_review_encode__answers_in_kind),
        cmocka_unit_test(test_review_encode__fills_base64),
        cmocka_unit_test(test_review_encode__bounds_warnings),
        cmocka_unit_test_setup_teardown(test_review__survives_want_of_memory, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
