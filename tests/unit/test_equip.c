/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/equip.h"
#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define PAIRS(...)                                                                                 \
    {                                                                                              \
        .at = (struct fb_pair[]){__VA_ARGS__}, .len = COUNT(((struct fb_pair[]){__VA_ARGS__})),    \
    }

static void merge(struct fb_arena *arena, const struct fb_equip *base, const struct fb_equip *over,
                  struct fb_equip *ret)
{
    assert_non_null(arena);
    assert_int_equal(fb_equip_merge(arena, base, over, ret), FB_OK);
}

/* "A=1 B=2 " */
static const char *pairs_text(const struct fb_pairs *pairs)
{
    static char text[256];
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < pairs->len; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s=%s ", pairs->at[i].key,
                                pairs->at[i].value);
    assert_true(len < sizeof text);
    return text;
}

static void test_equip_merge__replaces_in_place_and_adds_at_the_end(void **state)
{
    const struct {
        struct fb_pairs base, over;
        const char *want;
    } cases[] = {
        {{0}, {0}, ""},
        {PAIRS({"A", "1"}), {0}, "A=1 "},
        {{0}, PAIRS({"A", "1"}), "A=1 "},
        {PAIRS({"A", "1"}, {"B", "2"}, {"C", "3"}), PAIRS({"B", "x"}), "A=1 B=x C=3 "},
        {PAIRS({"A", "1"}, {"B", "2"}), PAIRS({"C", "3"}, {"A", "x"}), "A=x B=2 C=3 "},
        {PAIRS({"A", "1"}), PAIRS({"a", "2"}, {"AA", "3"}), "A=1 a=2 AA=3 "},
        {PAIRS({"A", "1"}), PAIRS({"A", ""}), "A= "},
    };
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fb_pairs *base = &cases[i].base;
        const struct fb_pairs *over = &cases[i].over;
        struct fb_equip a = {*base, .requests = *base, .annotations = *base, .conf = *base,
                             .networks_by_nic = *base};
        struct fb_equip b = {*over, .requests = *over, .annotations = *over, .conf = *over,
                             .networks_by_nic = *over};
        struct fb_equip got;

        merge(arena, &a, &b, &got);
        assert_string_equal(pairs_text(&got.env), cases[i].want);
        assert_string_equal(pairs_text(&got.requests), cases[i].want);
        assert_string_equal(pairs_text(&got.annotations), cases[i].want);
        assert_string_equal(pairs_text(&got.conf), cases[i].want);
        assert_string_equal(pairs_text(&got.networks_by_nic), cases[i].want);
    }
}

static void test_equip_merge__unites_capabilities(void **state)
{
    const char *some[] = {"IPC_LOCK", "SYS_NICE"};
    const char *more[] = {"NET_ADMIN", "IPC_LOCK"};
    struct fb_equip base = {.capabilities = {some, 2, 2}};
    struct fb_equip over = {.capabilities = {more, 2, 2}};
    struct fb_equip got;
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    merge(arena, &base, &over, &got);
    assert_int_equal(got.capabilities.len, 3);
    assert_string_equal(got.capabilities.at[0], "IPC_LOCK");
    assert_string_equal(got.capabilities.at[1], "SYS_NICE");
    assert_string_equal(got.capabilities.at[2], "NET_ADMIN");
}

/* Two mounts of one volume are two mounts; one path is one. */
static void test_equip_merge__names_mounts_by_path(void **state)
{
    struct fb_equip_mount below[] = {
        {.volume = "shm", .path = "/dev/shm", .source = "{\"emptyDir\":{}}", .on = true},
        {.volume = "lib", .path = "/opt/lib", .read_only = true, .on = true},
    };
    struct fb_equip_mount above[] = {
        {.volume = "lib", .path = "/opt/more", .on = true},
        {.volume = "big", .path = "/dev/shm", .source = "{\"emptyDir\":{\"medium\":\"Memory\"}}"},
    };
    struct fb_equip base = {.mounts = below, .mounts_len = 2};
    struct fb_equip over = {.mounts = above, .mounts_len = 2};
    struct fb_equip got;
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    merge(arena, &base, &over, &got);
    assert_int_equal(got.mounts_len, 3);
    assert_string_equal(got.mounts[0].volume, "big");
    assert_string_equal(got.mounts[0].source, "{\"emptyDir\":{\"medium\":\"Memory\"}}");
    assert_false(got.mounts[0].on);
    assert_string_equal(got.mounts[1].path, "/opt/lib");
    assert_true(got.mounts[1].read_only);
    assert_string_equal(got.mounts[2].path, "/opt/more");
}

static void test_equip_merge__names_sidecars_by_name(void **state)
{
    struct fb_equip_sidecar below[] = {{.name = "a", .container = "{1}"},
                                       {.name = "b", .container = "{2}"}};
    struct fb_equip_sidecar above[] = {{.name = "c", .container = "{3}"},
                                       {.name = "b", .container = "{4}", .volumes_len = 1}};
    struct fb_equip base = {.sidecars = below, .sidecars_len = 2};
    struct fb_equip over = {.sidecars = above, .sidecars_len = 2};
    struct fb_equip got;
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    merge(arena, &base, &over, &got);
    assert_int_equal(got.sidecars_len, 3);
    assert_string_equal(got.sidecars[0].container, "{1}");
    assert_string_equal(got.sidecars[1].container, "{4}");
    assert_int_equal(got.sidecars[1].volumes_len, 1);
    assert_string_equal(got.sidecars[2].name, "c");
}

static const struct fb_equip low = {
    .seccomp = "RuntimeDefault",
    .networks_annotation = "low/networks",
    .network = "low/net",
    .interfaces_annotation = "low/interfaces",
    .first_interface = "eth0",
    .first_network = "default",
    .interface_prefix = "eth",
    .interface_from = 1,
    .nccl_net = "IB",
    .has_conf_file = true,
    .conf_file = FB_CONF_FILE_ETC,
    .link_speed = "16 GT/s",
    .nic_class = "0x020700",
};

static const struct fb_equip high = {
    .no_escalation = true,
    .seccomp = "Unconfined",
    .networks_annotation = "high/networks",
    .network = "high/net",
    .interfaces_annotation = "high/interfaces",
    .first_interface = "net0",
    .first_network = "own",
    .interface_prefix = "net",
    .interface_from = 2,
    .nccl_net = "Other",
    .has_conf_file = true,
    .conf_file = FB_CONF_FILE_BOTH,
    .link_speed = "32 GT/s",
    .nic_class = "0x020000",
};

static void assert_scalars(const struct fb_equip *got, const struct fb_equip *want)
{
    assert_int_equal(got->no_escalation, want->no_escalation);
    assert_true(fb_text_equal(got->seccomp, want->seccomp));
    assert_true(fb_text_equal(got->networks_annotation, want->networks_annotation));
    assert_true(fb_text_equal(got->network, want->network));
    assert_true(fb_text_equal(got->interfaces_annotation, want->interfaces_annotation));
    assert_true(fb_text_equal(got->first_interface, want->first_interface));
    assert_true(fb_text_equal(got->first_network, want->first_network));
    assert_true(fb_text_equal(got->interface_prefix, want->interface_prefix));
    assert_int_equal(got->interface_from, want->interface_from);
    assert_true(fb_text_equal(got->nccl_net, want->nccl_net));
    assert_int_equal(got->has_conf_file, want->has_conf_file);
    assert_int_equal(got->conf_file, want->conf_file);
    assert_true(fb_text_equal(got->link_speed, want->link_speed));
    assert_true(fb_text_equal(got->nic_class, want->nic_class));
}

static void test_equip_merge__takes_the_upper_value_where_it_is_set(void **state)
{
    static const struct fb_equip nothing = {0};
    static const struct {
        const struct fb_equip *base, *over, *want;
    } cases[] = {
        {&low, &high, &high}, {&low, &nothing, &low}, {&nothing, &high, &high},
        {&low, NULL, &low},   {NULL, &high, &high},   {NULL, NULL, &nothing},
    };
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_equip got;

        merge(arena, cases[i].base, cases[i].over, &got);
        assert_scalars(&got, cases[i].want);
    }
}

static void test_equip_merge__takes_an_empty_network_for_none(void **state)
{
    static const struct fb_equip none = {.nccl_net = ""};
    struct fb_equip got;
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    merge(arena, &low, &none, &got);
    assert_null(got.nccl_net);
    merge(arena, &none, NULL, &got);
    assert_null(got.nccl_net);
}

/* The lists that grow later must not be those of a policy. */
static void test_equip_merge__leaves_both_as_they_are(void **state)
{
    struct fb_pair pairs[] = {{"A", "1"}, {"B", "2"}};
    struct fb_equip base = {.env = {pairs, 1, 2}};
    struct fb_equip got;
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    merge(arena, &base, NULL, &got);
    assert_ptr_not_equal(got.env.at, pairs);
    got.env.at[0].value = "x";
    assert_string_equal(pairs[0].value, "1");
}

static void test_equip_network__prefers_that_of_the_resource(void **state)
{
    const struct fb_equip equip = {
        .network = "usual",
        .networks_by_nic = PAIRS({"example.com/vf", "own"}),
    };
    const struct fb_equip none = {0};

    (void)state;
    assert_string_equal(fb_equip_network(&equip, "example.com/vf"), "own");
    assert_string_equal(fb_equip_network(&equip, "example.com/nic"), "usual");
    assert_string_equal(fb_equip_network(&equip, NULL), "usual");
    assert_null(fb_equip_network(&none, "example.com/vf"));
}

static void test_equip_merge__survives_want_of_memory(void **state)
{
    struct fb_pair pairs[400];
    struct fb_equip_mount mounts[] = {{.path = "/a"}};
    struct fb_equip_sidecar sidecars[] = {{.name = "a"}};
    const char *capabilities[] = {"A"};
    struct fb_equip full = {.env = {pairs, COUNT(pairs), COUNT(pairs)},
                            .capabilities = {capabilities, 1, 1},
                            .mounts = mounts,
                            .mounts_len = 1,
                            .sidecars = sidecars,
                            .sidecars_len = 1};
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++)
        pairs[i] = (struct fb_pair){"A", "1"};
    full.requests = full.env;
    full.annotations = full.env;
    full.conf = full.env;
    full.networks_by_nic = full.env;
    for (; st != FB_OK; after++) {
        struct fb_arena *arena = fb_arena_new(0);
        struct fb_equip got = {.nccl_net = "untouched"};

        assert_non_null(arena);
        assert_true(after < 100);
        alloc_fault_arm(after);
        st = fb_equip_merge(arena, &full, &full, &got);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        assert_true(st == FB_OK || fb_text_equal(got.nccl_net, "untouched"));
        fb_arena_free(arena);
    }
    assert_true(after > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equip_merge__replaces_in_place_and_adds_at_the_end),
        cmocka_unit_test(test_equip_merge__unites_capabilities),
        cmocka_unit_test(test_equip_merge__names_mounts_by_path),
        cmocka_unit_test(test_equip_merge__names_sidecars_by_name),
        cmocka_unit_test(test_equip_merge__takes_the_upper_value_where_it_is_set),
        cmocka_unit_test(test_equip_merge__takes_an_empty_network_for_none),
        cmocka_unit_test(test_equip_merge__leaves_both_as_they_are),
        cmocka_unit_test(test_equip_network__prefers_that_of_the_resource),
        cmocka_unit_test(test_equip_merge__survives_want_of_memory),
    };

    return cmocka_run_group_tests_name("equip", tests, NULL, NULL);
}
