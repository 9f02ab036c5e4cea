/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/patch.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "apply_patch.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static struct fb_patch_op ops[] = {
    {"/a", "{}"},
    {"/a/x~1y", "\"a \\\"quoted\\\" text\""},
    {"/b \"/\n/0", "[1,{\"c\":null}]"},
};

static void test_patch_encode__writes_rfc_6902(void **state)
{
    static const char *const want[] = {
        "[]",
        "[{\"op\":\"add\",\"path\":\"/a\",\"value\":{}}]",
        "[{\"op\":\"add\",\"path\":\"/a\",\"value\":{}},"
        "{\"op\":\"add\",\"path\":\"/a/x~1y\",\"value\":\"a \\\"quoted\\\" text\"}]",
        "[{\"op\":\"add\",\"path\":\"/a\",\"value\":{}},"
        "{\"op\":\"add\",\"path\":\"/a/x~1y\",\"value\":\"a \\\"quoted\\\" text\"},"
        "{\"op\":\"add\",\"path\":\"/b \\\"/\\n/0\",\"value\":[1,{\"c\":null}]}]",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(want); i++) {
        struct fb_patch patch = {.at = ops, .len = i};
        char *text = fb_patch_encode(&patch);

        assert_string_equal(text, want[i]);
        free(text);
    }
}

static void test_patch_put__is_a_part_of_a_report(void **state)
{
    FB_OWNED(fb_json_fini) struct fb_json json = {0};
    struct fb_patch patch = {.at = ops, .len = 1};
    struct fb_patch empty = {0};
    void *root = fb_json_map(&json, NULL, NULL);
    void *list = fb_json_list(&json, root, "l");
    char *text;

    (void)state;
    fb_patch_put(&json, list, NULL, &patch);
    fb_patch_put(&json, root, "p", &empty);
    text = fb_json_print(&json);
    assert_string_equal(text, "{\"l\":[[{\"op\":\"add\",\"path\":\"/a\",\"value\":{}}]],\"p\":[]}");
    free(text);
}

/* The tool that other tests believe. */
static void test_apply_patch__does_what_the_rfcs_say(void **state)
{
    static const struct {
        const char *document, *path, *value, *want; /* NULL: it does not apply */
    } cases[] = {
        {"{}", "/a", "1", "{\"a\":1}"},
        {"{\"a\":2}", "/a", "1", "{\"a\":1}"},
        {"{\"a\":null}", "/a", "[]", "{\"a\":[]}"},
        {"{\"a\":1,\"a\":[]}", "/a/0", "5", "{\"a\":1,\"a\":[5]}"},
        {"{\"a\":{}}", "/a/b~1c~0d", "1", "{\"a\":{\"b/c~d\":1}}"},
        {"{\"a\":[]}", "/a/0", "1", "{\"a\":[1]}"},
        {"{\"a\":[5,6]}", "/a/0", "1", "{\"a\":[1,5,6]}"},
        {"{\"a\":[5,6,7]}", "/a/1", "1", "{\"a\":[5,1,6,7]}"},
        {"{\"a\":[5,6]}", "/a/2", "1", "{\"a\":[5,6,1]}"},
        {"{\"a\":[5,6]}", "/a/-", "1", "{\"a\":[5,6,1]}"},
        {"{\"a\":[{},{}]}", "/a/1/b", "1", "{\"a\":[{},{\"b\":1}]}"},
        {"{\"a\":[5,6]}", "/a/3", "1", NULL},
        {"{\"a\":[5,6]}", "/a/01", "1", NULL},
        {"{\"a\":[5,6]}", "/a/x", "1", NULL},
        {"{\"a\":[{}]}", "/a/-/b", "1", NULL},
        {"{\"a\":[{}]}", "/a/1/b", "1", NULL},
        {"{}", "/a/b", "1", NULL},
        {"{\"a\":null}", "/a/b", "1", NULL},
        {"{\"a\":5}", "/a/b", "1", NULL},
        {"{}", "a", "1", NULL},
        {"{}", "/~2", "1", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_patch_op op = {cases[i].path, cases[i].value};
        struct fb_patch patch = {.at = &op, .len = 1};
        char *text = fb_patch_encode(&patch);
        int failed = 0;
        char *got = apply_patch(cases[i].document, text, &failed);

        if (cases[i].want == NULL ? got != NULL : got == NULL || strcmp(got, cases[i].want) != 0)
            fail_msg("row %zu: %s", i, got != NULL ? got : "does not apply");
        free(got);
        free(text);
    }
}

static void test_apply_patch__refuses_what_is_no_patch(void **state)
{
    static const char *const cases[] = {
        "{}",
        "[",
        "[{\"op\":\"remove\",\"path\":\"/a\"}]",
        "[{\"op\":\"add\",\"path\":\"/a\"}]",
        "[{\"op\":\"add\",\"value\":1}]",
        "[{\"path\":\"/a\",\"value\":1}]",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int failed;

        assert_null(apply_patch("{\"a\":1}", cases[i], &failed));
    }
}

static void test_patch_encode__survives_want_of_memory(void **state)
{
    cJSON_Hooks hooks = {malloc, free}; /* those that can be made to fail */
    struct fb_patch patch = {.at = ops, .len = COUNT(ops)};
    char *text = NULL;
    int after;

    (void)state;
    cJSON_InitHooks(&hooks);
    for (after = 0; text == NULL && after < 1000; after++) {
        alloc_fault_arm(after);
        text = fb_patch_encode(&patch);
        alloc_fault_disarm();
    }
    assert_true(after > 20 && text != NULL);
    free(text);
    cJSON_InitHooks(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patch_encode__writes_rfc_6902),
        cmocka_unit_test(test_patch_put__is_a_part_of_a_report),
        cmocka_unit_test(test_apply_patch__does_what_the_rfcs_say),
        cmocka_unit_test(test_apply_patch__refuses_what_is_no_patch),
        cmocka_unit_test(test_patch_encode__survives_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
