/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/own.h"
#include "fabricbind/policyfile.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

static void assert_same(const struct fb_helix *got, const struct fb_helix *want)
{
    assert_true(fb_text_equal(got->ratio_key, want->ratio_key));
    assert_true(fb_text_equal(got->resource_key, want->resource_key));
    assert_true(fb_text_equal(got->resource_prefix, want->resource_prefix));
    assert_true(fb_text_equal(got->networks_key, want->networks_key));
    assert_true(fb_text_equal(got->attachment_key, want->attachment_key));
}

static void test_policyfile_helix__names_the_keys_of_the_block(void **state)
{
    static const struct {
        const char *yaml;
        struct fb_helix want;
    } cases[] = {
        {"", {0}},
        {"helix: {}", {0}},
        {"helix: {ratio: a}", {.ratio_key = "a"}},
        {"helix: {resource: {key: b}}", {.resource_key = "b"}},
        {"helix: {resource: {prefix: c/, key: b}}", {.resource_key = "b", .resource_prefix = "c/"}},
        {"helix: {networks: d, networkAttachment: e}",
         {.networks_key = "d", .attachment_key = "e"}},
    };
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[128];
        struct fb_policies policies = {0};
        struct fb_error err = {0};

        (void)snprintf(yaml, sizeof yaml, "provider: x\n%s\n", cases[i].yaml);
        assert_int_equal(fb_policyfile_read(arena, &policies, yaml, strlen(yaml), &err), FB_OK);
        assert_same(&policies.at[0].helix, &cases[i].want);
    }
}

static void test_policyfile_helix__refuses_bad_input_and_says_where(void **state)
{
    static const struct {
        const char *yaml, *want;
    } cases[] = {
        {"helix: ratio", "line 2: helix: not a mapping"},
        {"helix: {ratoi: a}", "line 2: helix.ratoi: unknown key, nearest is 'ratio'"},
        {"helix: {ratio: ''}", "line 2: helix.ratio: empty"},
        {"helix: {ratio: [a]}", "line 2: helix.ratio: not a text"},
        {"helix: {networks: ''}", "line 2: helix.networks: empty"},
        {"helix: {networkAttachment: ''}", "line 2: helix.networkAttachment: empty"},
        {"helix: {resource: a}", "line 2: helix.resource: not a mapping"},
        {"helix: {resource: {}}", "line 2: helix.resource.key: missing"},
        {"helix: {resource: {prefix: a/}}", "line 2: helix.resource.key: missing"},
        {"helix: {resource: {key: a, prefix: ''}}", "line 2: helix.resource.prefix: empty"},
        {"helix: {resource: {keys: a}}",
         "line 2: helix.resource.keys: unknown key, nearest is 'key'"},
    };
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[128];
        struct fb_policies policies = {0};
        struct fb_error err = {0};

        (void)snprintf(yaml, sizeof yaml, "provider: x\n%s\n", cases[i].yaml);
        assert_int_equal(fb_policyfile_read(arena, &policies, yaml, strlen(yaml), &err), FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
    }
}

static void test_policies__have_the_parts_of_the_chart(void **state)
{
    static const struct {
        const char *file;
        struct fb_helix want;
    } cases[] = {
        {"aws", {.ratio_key = "efaDevicesPerGPU"}},
        {"azure",
         {.ratio_key = "rdmaDevicesPerGPU",
          .resource_key = "rdmaDeviceName",
          .resource_prefix = "rdma/"}},
        {"gcp", {.networks_key = "networks"}},
        {"oci",
         {.ratio_key = "rdmaDevicesPerGPU",
          .resource_key = "rdmaResourceName",
          .attachment_key = "networkAttachment"}},
        {"coreweave", {0}},
        {"nebius", {0}},
        {"onprem", {0}},
    };
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        static char text[65536];
        char path[512];
        struct fb_policies policies = {0};
        struct fb_error err = {0};
        FILE *file;
        size_t len;

        (void)snprintf(path, sizeof path, "%s/%s.yaml", FB_TEST_POLICIES, cases[i].file);
        file = fopen(path, "r");
        assert_non_null(file);
        len = fread(text, 1, sizeof text, file);
        (void)fclose(file);
        assert_int_equal(fb_policyfile_read(arena, &policies, text, len, &err), FB_OK);
        assert_same(&policies.at[0].helix, &cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policyfile_helix__names_the_keys_of_the_block),
        cmocka_unit_test(test_policyfile_helix__refuses_bad_input_and_says_where),
        cmocka_unit_test(test_policies__have_the_parts_of_the_chart),
    };

    return cmocka_run_group_tests_name("policyfile_helix", tests, NULL, NULL);
}
