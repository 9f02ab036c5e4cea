/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/profile.h"

#include "profile_case.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define TOPO_LINE "NCCL_TOPO_FILE=/etc/fabricbind/nccl-topo.xml\n"

static const char *join(struct profile_case *bench, const char *before, const char *text,
                        const char *after)
{
    size_t size = strlen(before) + strlen(text) + strlen(after) + 1;
    char *at = fb_arena_alloc(bench->builder->arena, size);

    assert_non_null(at);
    (void)snprintf(at, size, "%s%s%s", before, text, after);
    return at;
}

static void test_profile_make__tells_what_the_network_asks_for(void **state)
{
    struct profile_case *bench = profile_case_new(true);
    struct fb_profile profile;

    (void)state;
    profile_case_conf(bench, "NCCL_B", "2");
    profile_case_conf(bench, "NCCL_A", "x,\"y\"");
    profile = profile_case_make(bench);
    assert_string_equal(
        profile.profile,
        "{\"version\":1,\"provider\":\"acme\",\"shape\":\"box.8\",\"node\":\"n1\","
        "\"fabric\":\"acme box.8 acme.net/nic z1\",\"nics\":{\"acme.net/nic\":2},"
        "\"ratio\":\"1/2\",\"degraded\":[],\"env\":{\"NCCL_B\":\"2\",\"NCCL_A\":\"x,\\\"y\\\"\","
        "\"NCCL_TOPO_FILE\":\"/etc/fabricbind/nccl-topo.xml\"},\"signature\":null}");
    assert_string_equal(profile.conf, "NCCL_B=2\nNCCL_A=x,\"y\"\n" TOPO_LINE);
    assert_string_equal(
        profile.topo,
        fb_profile_topology(bench->builder->arena, bench->in.site->reading.shape, bench->in.equip));
    assert_non_null(strstr(profile.topo, "0000:10:1c.0"));
    profile_case_free(bench);
}

static void test_profile_make__is_empty_where_nothing_is_asked_for(void **state)
{
    struct profile_case *bench = profile_case_new(false);
    struct fb_fabric fabric = {.name = "fabric"};
    struct fb_node node = {.name = "n\"2"};
    struct fb_site site = {.node = &node, .reading = {.instance = ""}};
    struct fb_need need = {0};
    struct fb_profile profile;

    (void)state;
    bench->in.site = &site;
    bench->in.fabric = &fabric;
    bench->in.need = &need;
    profile = profile_case_make(bench);
    assert_string_equal(profile.profile,
                        "{\"version\":1,\"provider\":null,\"shape\":null,\"node\":\"n\\\"2\","
                        "\"fabric\":\"fabric\",\"nics\":{},\"ratio\":null,\"degraded\":[],"
                        "\"env\":{},\"signature\":null}");
    assert_string_equal(profile.conf, "");
    assert_string_equal(profile.topo, "");
    profile_case_free(bench);
}

static void test_profile_make__tells_several_nics_and_what_was_left_out(void **state)
{
    struct profile_case *bench = profile_case_new(false);
    const char *left_out[] = {"IPC_LOCK: forbidden", "hostPath: forbidden"};
    struct fb_texts degraded = {.at = left_out, .len = 2, .size = 2};
    struct fb_profile profile;

    (void)state;
    bench->in.degraded = &degraded;
    assert_int_equal(
        fb_resources_set(bench->builder->arena, &bench->need.nics, "acme.net/b", INT64_MAX), FB_OK);
    profile = profile_case_make(bench);
    assert_non_null(strstr(profile.profile,
                           "\"nics\":{\"acme.net/nic\":2,\"acme.net/b\":9223372036854775807},"));
    assert_non_null(
        strstr(profile.profile, "\"degraded\":[\"IPC_LOCK: forbidden\",\"hostPath: forbidden\"],"));
    profile_case_free(bench);
}

static void test_profile_make__takes_the_ratio_of_the_fabric_then_of_the_node(void **state)
{
    static const struct {
        struct fb_ratio fabric, node;
        const char *want;
    } cases[] = {
        {{4, 1}, {1, 1}, "\"ratio\":\"4\","},
        {{3, 8}, {1, 2}, "\"ratio\":\"3/8\","},
        {{0, 0}, {1, 2}, "\"ratio\":\"1/2\","},
        {{0, 0}, {0, 0}, "\"ratio\":null,"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct profile_case *bench = profile_case_new(false);

        bench->cluster.fabrics[0].auto_ratio = cases[i].fabric;
        bench->cluster.sites[0].reading.ratio = cases[i].node;
        assert_non_null(strstr(profile_case_make(bench).profile, cases[i].want));
        profile_case_free(bench);
    }
}

static void test_profile_make__calls_an_unknown_shape_by_its_instance_type(void **state)
{
    struct profile_case *bench = profile_case_new(false);

    (void)state;
    bench->cluster.sites[0].reading.shape = NULL;
    bench->cluster.sites[0].reading.instance = "box.9";
    assert_non_null(strstr(profile_case_make(bench).profile, "\"shape\":\"box.9\","));
    profile_case_free(bench);
}

static void test_profile_make__writes_only_lines_that_nccl_reads(void **state)
{
    static const struct {
        const char *key, *value, *conf, *degraded;
    } cases[] = {
        {"K", "", "K=\n", ""},
        {"K", " a b ", "K= a b \n", ""},
        {"K", "a=b#c", "K=a=b#c\n", ""},
        {" #K", "v", " #K=v\n", ""},
        {"K", "\"v\"", "K=\"v\"\n", ""},
        {"", "v", "", "\"nccl.conf:  left out: no name of a variable\""},
        {"#K", "v", "", "\"nccl.conf: #K left out: no name of a variable\""},
        {"K=L", "v", "", "\"nccl.conf: K=L left out: no name of a variable\""},
        {"K\nL", "v", "", "\"nccl.conf: K\\nL left out: no name of a variable\""},
        {"K", "v\nL=w", "", "\"nccl.conf: K left out: its value has a line break\""},
        {"K", "\n", "", "\"nccl.conf: K left out: its value has a line break\""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct profile_case *bench = profile_case_new(false);
        struct fb_profile profile;

        profile_case_conf(bench, cases[i].key, cases[i].value);
        profile_case_conf(bench, "Z", "z");
        profile = profile_case_make(bench);
        assert_string_equal(profile.conf, join(bench, cases[i].conf, "Z=z\n", ""));
        assert_non_null(
            strstr(profile.profile, join(bench, "\"degraded\":[", cases[i].degraded, "],")));
        if (cases[i].degraded[0] != '\0')
            assert_non_null(strstr(profile.profile, "\"env\":{\"Z\":\"z\"},"));
        profile_case_free(bench);
    }
}

static void test_profile_make__names_and_values_end_at_1023_characters(void **state)
{
    struct profile_case *bench = profile_case_new(false);
    struct fb_profile profile;

    (void)state;
    profile_case_conf(bench, profile_case_repeat(bench, 'K', 1023),
                      profile_case_repeat(bench, 'v', 1023));
    profile_case_conf(bench, profile_case_repeat(bench, 'L', 1024), "v");
    profile_case_conf(bench, "M", profile_case_repeat(bench, 'v', 1024));
    profile = profile_case_make(bench);
    assert_int_equal(strlen(profile.conf), 1023 + 1 + 1023 + 1);
    assert_non_null(
        strstr(profile.profile,
               join(bench, "\"degraded\":[\"nccl.conf: ", profile_case_repeat(bench, 'L', 64),
                    "... left out: its name is longer than 1023 characters\",\"nccl.conf: M left "
                    "out: its value is longer than 1023 characters\"],")));
    assert_null(strstr(profile.profile, "\"M\""));
    profile_case_free(bench);
}

static void test_profile_make__says_each_setting_once(void **state)
{
    struct profile_case *bench = profile_case_new(true);
    struct fb_profile profile;

    (void)state;
    profile_case_conf(bench, "A", "1");
    profile_case_conf(bench, "NCCL_TOPO_FILE", "/opt/topo.xml");
    profile_case_conf(bench, "A", "2");
    profile = profile_case_make(bench);
    assert_string_equal(profile.conf, "A=1\nNCCL_TOPO_FILE=/opt/topo.xml\n");
    assert_non_null(
        strstr(profile.profile, "\"env\":{\"A\":\"1\",\"NCCL_TOPO_FILE\":\"/opt/topo.xml\"},"));
    profile_case_free(bench);
}

static void test_profile_sign__takes_the_place_of_null(void **state)
{
    struct profile_case *bench = profile_case_new(false);
    struct fb_arena *arena = bench->builder->arena;
    struct fb_profile profile = profile_case_make(bench);
    size_t content = strlen(profile.profile) - strlen("null}");
    const char *text = fb_profile_sign(arena, profile.profile, "c2ln\"");

    (void)state;
    assert_non_null(text);
    assert_memory_equal(text, profile.profile, content);
    assert_string_equal(text + content, "\"c2ln\\\"\"}");
    assert_null(fb_profile_sign(arena, profile.profile,
                                profile_case_repeat(bench, 'x', FB_PROFILE_SIGNATURE_BYTES + 3)));
    profile_case_free(bench);
}

static void test_profile_is_key__knows_its_three(void **state)
{
    (void)state;
    assert_true(fb_profile_is_key("fabricbind.io/profile"));
    assert_true(fb_profile_is_key("fabricbind.io/nccl.conf"));
    assert_true(fb_profile_is_key("fabricbind.io/nccl-topo.xml"));
    assert_false(fb_profile_is_key("fabricbind.io/managed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profile_make__tells_what_the_network_asks_for),
        cmocka_unit_test(test_profile_make__is_empty_where_nothing_is_asked_for),
        cmocka_unit_test(test_profile_make__tells_several_nics_and_what_was_left_out),
        cmocka_unit_test(test_profile_make__takes_the_ratio_of_the_fabric_then_of_the_node),
        cmocka_unit_test(test_profile_make__calls_an_unknown_shape_by_its_instance_type),
        cmocka_unit_test(test_profile_make__writes_only_lines_that_nccl_reads),
        cmocka_unit_test(test_profile_make__names_and_values_end_at_1023_characters),
        cmocka_unit_test(test_profile_make__says_each_setting_once),
        cmocka_unit_test(test_profile_sign__takes_the_place_of_null),
        cmocka_unit_test(test_profile_is_key__knows_its_three),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
