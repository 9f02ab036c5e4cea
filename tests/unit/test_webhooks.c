/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/webhooks.h"

#include "fabricbind/json.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *excluded[] = {"kube-system", "volcano-system"};
static const struct fb_texts exclude = {excluded, 2, 2};
static const struct fb_texts nothing;
static const char *gpus[] = {"nvidia.com/gpu", "amd.com/gpu"};
static struct fb_owner_rule owners[] = {
    {"Job", "batch.volcano.sh", false},
    {"Job", "batch", true},
    {"JobSet", "jobset.x-k8s.io", false},
    {"PyTorchJob", "kubeflow.org", false},
    {"MPIJob", "kubeflow.org", false},
    {"TrainJob", "trainer.kubeflow.org", false},
    {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", false},
    {"RayCluster", "ray.io", false},
    {"RunaiJob", "run.ai", false},
};
static const struct fb_settings settings = {
    .gpu_resources = {gpus, 2, 2},
    .match_gangs = true,
    .owners = owners,
    .owners_len = COUNT(owners),
};
static const struct fb_settings by_annotation = {.gpu_resources = {gpus, 1, 1}};
static struct fb_arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = fb_arena_new(0);
    return arena == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    fb_arena_free(arena);
    return 0;
}

static struct fb_webhooks defaults(void)
{
    return (struct fb_webhooks){
        .name = "fabricbind",
        .url = "",
        .bundle = "PEM\n",
        .own = "fabricbind",
        .service = {"fabricbind", "fabricbind-admission", 443},
        .exclude = &exclude,
        .settings = &settings,
        .timeout_s = 3,
    };
}

static const char *print(const struct fb_webhooks *webhooks, const char *found)
{
    struct fb_error err = {0};
    const char *ret = NULL;

    if (fb_webhooks_print(arena, webhooks, found, &ret, &err) != FB_OK)
        fail_msg("%s", err.text);
    return ret;
}

/* The golden file @name as compact JSON, of the caller's to free(). */
static char *golden(const char *name)
{
    static char text[65536];
    struct fb_json json = {0};
    char path[512];
    FILE *file;
    char *ret;
    size_t len;

    (void)snprintf(path, sizeof path, "%s/webhooks/%s.json", FB_TEST_DATA, name);
    file = fopen(path, "r");
    assert_non_null(file);
    len = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    assert_int_equal(fb_json_parse(text, len, sizeof text, &json, NULL), FB_OK);
    ret = fb_json_print_node(fb_json_root(&json));
    assert_non_null(ret);
    fb_json_fini(&json);
    return ret;
}

static void test_webhooks_print__is_what_was_written_down(void **state)
{
    struct fb_webhooks service = defaults();
    struct fb_webhooks url = defaults();
    struct fb_webhooks observe = defaults();
    const struct {
        const char *name;
        const struct fb_webhooks *webhooks;
    } cases[] = {{"service", &service}, {"url", &url}, {"observe", &observe}};

    (void)state;
    url.url = "https://127.0.0.1:9443";
    url.bundle = NULL;
    url.own = "";
    url.exclude = &nothing;
    url.settings = &by_annotation;
    observe.observe = true;
    observe.own = "kube-system";
    observe.timeout_s = 30;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *want = golden(cases[i].name);
        const char *got = print(cases[i].webhooks, NULL);

        size_t same = 0;

        while (got[same] != '\0' && got[same] == want[same])
            same++;
        if (got[same] != want[same])
            fail_msg("%s: '%.80s' instead of '%.80s'", cases[i].name, got + same, want + same);
        free(want);
    }
}

static void test_webhooks_print__quotes_whatever_is_configured(void **state)
{
    static const char *odd[] = {"a'b\\c\n"};
    static struct fb_owner_rule rule[] = {{"x' || true || '", "g", false}};
    const struct fb_settings odd_settings = {
        .gpu_resources = {odd, 1, 1}, .match_gangs = true, .owners = rule, .owners_len = 1};
    struct fb_webhooks webhooks = defaults();
    const char *text;

    (void)state;
    webhooks.settings = &odd_settings;
    text = print(&webhooks, NULL);
    assert_non_null(strstr(text, "['a\\\\x27b\\\\x5cc\\\\x0a']"));
    assert_non_null(strstr(text, "o.kind == 'x\\\\x27 || true || \\\\x27' && "));
}

static void test_webhooks_print__matches_nothing_by_empty_lists(void **state)
{
    static const struct fb_settings empty = {.match_gangs = true};
    struct fb_webhooks webhooks = defaults();
    const char *text;

    (void)state;
    webhooks.settings = &empty;
    text = print(&webhooks, NULL);
    assert_non_null(strstr(text, "{\"name\":\"owned\",\"expression\":\"false\"}"));
    assert_non_null(strstr(text, "{\"name\":\"gpus\",\"expression\":\"false\"}"));
}

static void test_webhooks_print__keeps_the_metadata_that_it_found(void **state)
{
    static const char found[] = "{\"metadata\":{\"name\":\"fabricbind\",\"resourceVersion\":\"17\","
                                "\"annotations\":{\"example.com/a\":\"b\"}},\"webhooks\":[]}";
    const struct fb_webhooks webhooks = defaults();
    struct fb_error err = {0};
    const char *ret = "as before";

    (void)state;
    assert_non_null(strstr(print(&webhooks, found),
                           "\"metadata\":{\"name\":\"fabricbind\",\"resourceVersion\":\"17\","
                           "\"annotations\":{\"example.com/a\":\"b\"}},\"webhooks\":[{"));
    assert_int_equal(fb_webhooks_print(arena, &webhooks, "{}", &ret, &err), FB_EINPUT);
    assert_string_equal(err.text, "metadata: not a map");
    assert_int_equal(fb_webhooks_print(arena, &webhooks, "[", &ret, &err), FB_EINPUT);
    assert_string_equal(ret, "as before");
}

/* Does @ours still hold where @from in it reads @to. */
static bool same_with(const char *ours, const char *from, const char *to)
{
    const char *at = strstr(ours, from);
    size_t size = strlen(ours) + strlen(to) + 1;
    char *theirs = calloc(1, size);
    bool same = false;

    assert_non_null(theirs);
    if (at == NULL)
        fail_msg("no %s in %s", from, ours);
    (void)snprintf(theirs, size, "%.*s%s%s", (int)(at - ours), ours, to, at + strlen(from));
    assert_int_equal(fb_webhooks_compare(ours, theirs, &same, NULL), FB_OK);
    free(theirs);
    return same;
}

static void test_webhooks_compare__sees_what_others_changed(void **state)
{
    static const struct {
        const char *from, *to;
        bool same;
    } cases[] = {
        {"{", "{", true},
        {"\"kind\"", "\"kynd\"", true}, /* not looked at */
        {"\"objectSelector\":{},", "", true},
        {"\"matchLabels\":{}", "\"matchLabels\":null", true},
        {"\"name\":\"pods-annotated.fabricbind.io\"",
         "\"new\":1,\"name\":\"pods-annotated.fabricbind.io\"", true},
        {"\"timeoutSeconds\":3", "\"timeoutSeconds\":10", false},
        {"\"timeoutSeconds\":3", "\"timeoutSeconds\":3.5", false},
        {"\"timeoutSeconds\":3", "\"timeoutSeconds\":\"3\"", false},
        {"\"failurePolicy\":\"Fail\"", "\"failurePolicy\":\"Ignore\"", false},
        {"\"objectSelector\":{}", "\"objectSelector\":{\"matchLabels\":{\"a\":\"b\"}}", false},
        {"\"matchLabels\":{}", "\"matchLabels\":{\"a\":\"b\"}", false},
        {"\"caBundle\":\"UEVNCg==\"", "\"caBundle\":\"UEVN\"", false},
        {"\"operations\":[\"CREATE\"]", "\"operations\":[\"CREATE\",\"UPDATE\"]", false},
        {"\"operations\":[\"CREATE\"]", "\"operations\":[]", false},
        {"\"resources\":[\"pods/binding\",\"bindings\"]", "\"resources\":[\"pods/binding\"]",
         false},
        {"\"kube-system\",", "", false},
        {"\"expression\":\"has(", "\"expression\":\"!has(", false},
        {"\"port\":443", "\"port\":8443", false},
        {"\"rules\"", "\"ruls\"", false},
        {"\"webhooks\":[", "\"webhooks\":[{\"name\":\"theirs\"},", false},
        {"\"webhooks\":", "\"webhuks\":", false},
    };
    const struct fb_webhooks webhooks = defaults();
    const char *ours = print(&webhooks, NULL);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (same_with(ours, cases[i].from, cases[i].to) != cases[i].same)
            fail_msg("%s for %s", cases[i].to, cases[i].from);
    }
}

static void test_webhooks_compare__sees_what_others_added(void **state)
{
    struct fb_webhooks webhooks = defaults();
    const char *ours;

    (void)state;
    webhooks.bundle = NULL;
    ours = print(&webhooks, NULL);
    assert_true(same_with(ours, "{", "{"));
    assert_false(same_with(ours, "\"clientConfig\":{", "\"clientConfig\":{\"caBundle\":\"YQ==\","));
    assert_false(same_with(ours, "\"name\":\"jobs.fabricbind.io\"",
                           "\"name\":\"jobs.fabricbind.io\",\"matchConditions\":[{}]"));
}

static void test_webhooks_compare__refuses_what_is_no_json(void **state)
{
    struct fb_error err = {0};
    bool same = true;

    (void)state;
    assert_int_equal(fb_webhooks_compare("{}", "{", &same, &err), FB_EINPUT);
    assert_true(same);
    assert_int_equal(fb_webhooks_compare("{}", "7", &same, &err), FB_OK);
}

static void test_webhooks__survive_a_lack_of_memory(void **state)
{
    const struct fb_webhooks webhooks = defaults();
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    for (; st == FB_ENOMEM && after < 20000; after++) {
        struct fb_arena *own;
        const char *text = NULL;
        bool same = false;

        alloc_fault_arm(after);
        own = fb_arena_new(0);
        st = own == NULL ? FB_ENOMEM : fb_webhooks_print(own, &webhooks, NULL, &text, NULL);
        if (st == FB_OK)
            st = fb_webhooks_compare(text, text, &same, NULL);
        alloc_fault_disarm();
        fb_arena_free(own);
        assert_true(st == FB_ENOMEM || same);
    }
    assert_int_equal(st, FB_OK);
    assert_true(after > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_webhooks_print__is_what_was_written_down),
        cmocka_unit_test(test_webhooks_print__quotes_whatever_is_configured),
        cmocka_unit_test(test_webhooks_print__matches_nothing_by_empty_lists),
        cmocka_unit_test(test_webhooks_print__keeps_the_metadata_that_it_found),
        cmocka_unit_test(test_webhooks_compare__sees_what_others_changed),
        cmocka_unit_test(test_webhooks_compare__sees_what_others_added),
        cmocka_unit_test(test_webhooks_compare__refuses_what_is_no_json),
        cmocka_unit_test(test_webhooks__survive_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("webhooks", tests, set_up, tear_down);
}
