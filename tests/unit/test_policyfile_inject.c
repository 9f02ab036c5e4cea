/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/own.h"
#include "fabricbind/policyfile.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static const char full[] =
    "provider: p\n"
    "assume: s8\n"
    "confFile: etc\n"
    "nicClass: \"0x020700\"\n"
    "daemon: {version: v2, pairs: {1.0: v1, 1.1-1: v1_1}, installer: ''}\n"
    "inject:\n"
    "  env: {A_1: 0, _b: 'x y', C: \"two\\nlines\"}\n"
    "  mounts:\n"
    "  - {volume: shm, path: /dev/shm, source: {emptyDir: {medium: Memory}}}\n"
    "  - {volume: lib-1, path: /opt/lib, readOnly: true, subPath: a/b, on: false,\n"
    "     source: {hostPath: {path: /opt/lib, type: Directory}}}\n"
    "  capabilities: [IPC_LOCK, SYS_NICE]\n"
    "  noPrivilegeEscalation: true\n"
    "  seccompProfile: RuntimeDefault\n"
    "  requests: {cpu: 100m, memory: 1Gi}\n"
    "  annotations: {example.com/a: 'true', example.com/b: \"- x\\n\"}\n"
    "  networks: {annotation: example.com/networks, network: ns/net, byResource: {r/vf: ns/vf}}\n"
    "  interfaces: {annotation: example.com/interfaces, first: eth0, firstNetwork: default,\n"
    "    prefix: eth, from: 2}\n"
    "  sidecars:\n"
    "  - podSecurity: baseline\n"
    "    container: {name: d, restartPolicy: Always, image: \"i:{version}\", args: [\"{version}\", "
    "1]}\n"
    "    volumes: [{volume: sys, source: {hostPath: {path: /sys}}}]\n"
    "  - container: {name: e, image: plain, restartPolicy: Always}\n"
    "  ncclNet: AWS Libfabric\n"
    "bind: {NCCL_A: 1, NCCL_B: '=x,y'}\n"
    "shapes:\n"
    "  s8:\n"
    "    gpus: 8\n"
    "    linkSpeed: 32.0 GT/s PCIe\n"
    "    networks: [n0, n1]\n"
    "    confFile: both\n"
    "    inject:\n"
    "      env: {A_1: 1}\n"
    "      sidecars: [{container: {name: f, image: \"{version}\", restartPolicy: Always}}]\n"
    "    bind: {NCCL_A: 2}\n";

static void must_read(struct fb_arena *arena, struct fb_policies *into, const char *text)
{
    struct fb_error err = {0};

    if (fb_policyfile_read(arena, into, text, strlen(text), &err) != FB_OK)
        fail_msg("%s", err.text);
}

static void assert_pair(const struct fb_pairs *pairs, size_t i, const char *key, const char *value)
{
    assert_true(i < pairs->len);
    assert_string_equal(pairs->at[i].key, key);
    assert_string_equal(pairs->at[i].value, value);
}

struct read {
    struct fb_arena *arena;
    struct fb_policies all;
};

static int read_full(void **state)
{
    static struct read read;

    read.arena = fb_arena_new(0);
    if (read.arena == NULL)
        return -1;
    must_read(read.arena, &read.all, full);
    *state = &read;
    return 0;
}

static int drop(void **state)
{
    struct read *read = *state;

    fb_arena_free(read->arena);
    return 0;
}

static const struct fb_policy *policy_of(void **state)
{
    const struct read *read = *state;

    return &read->all.at[0];
}

static void test_policyfile_inject__reads_variables_and_amounts(void **state)
{
    const struct fb_equip *equip = &policy_of(state)->equip;

    assert_int_equal(equip->env.len, 3);
    assert_pair(&equip->env, 0, "A_1", "0");
    assert_pair(&equip->env, 1, "_b", "x y");
    assert_pair(&equip->env, 2, "C", "two\nlines");
    assert_int_equal(equip->requests.len, 2);
    assert_pair(&equip->requests, 0, "cpu", "100m");
    assert_pair(&equip->requests, 1, "memory", "1Gi");
    assert_int_equal(equip->annotations.len, 2);
    assert_pair(&equip->annotations, 0, "example.com/a", "true");
    assert_pair(&equip->annotations, 1, "example.com/b", "- x\n");
    assert_int_equal(equip->conf.len, 2);
    assert_pair(&equip->conf, 0, "NCCL_A", "1");
    assert_pair(&equip->conf, 1, "NCCL_B", "=x,y");
}

static void test_policyfile_inject__reads_mounts(void **state)
{
    const struct fb_equip *equip = &policy_of(state)->equip;

    assert_int_equal(equip->mounts_len, 2);
    assert_string_equal(equip->mounts[0].volume, "shm");
    assert_string_equal(equip->mounts[0].path, "/dev/shm");
    assert_string_equal(equip->mounts[0].kind, "emptyDir");
    assert_string_equal(equip->mounts[0].source, "{\"emptyDir\":{\"medium\":\"Memory\"}}");
    assert_null(equip->mounts[0].sub_path);
    assert_false(equip->mounts[0].read_only);
    assert_true(equip->mounts[0].on);
    assert_string_equal(equip->mounts[1].volume, "lib-1");
    assert_string_equal(equip->mounts[1].kind, "hostPath");
    assert_string_equal(equip->mounts[1].source,
                        "{\"hostPath\":{\"path\":\"/opt/lib\",\"type\":\"Directory\"}}");
    assert_string_equal(equip->mounts[1].sub_path, "a/b");
    assert_true(equip->mounts[1].read_only);
    assert_false(equip->mounts[1].on);
}

static void test_policyfile_inject__reads_security_and_networks(void **state)
{
    const struct fb_policy *policy = policy_of(state);
    const struct fb_equip *equip = &policy->equip;

    assert_int_equal(equip->capabilities.len, 2);
    assert_string_equal(equip->capabilities.at[1], "SYS_NICE");
    assert_true(equip->no_escalation);
    assert_string_equal(equip->seccomp, "RuntimeDefault");
    assert_string_equal(equip->networks_annotation, "example.com/networks");
    assert_string_equal(equip->network, "ns/net");
    assert_pair(&equip->networks_by_nic, 0, "r/vf", "ns/vf");
    assert_string_equal(equip->interfaces_annotation, "example.com/interfaces");
    assert_string_equal(equip->first_interface, "eth0");
    assert_string_equal(equip->first_network, "default");
    assert_string_equal(equip->interface_prefix, "eth");
    assert_int_equal(equip->interface_from, 2);
    assert_string_equal(equip->nccl_net, "AWS Libfabric");
    assert_true(equip->has_conf_file);
    assert_int_equal(equip->conf_file, FB_CONF_FILE_ETC);
    assert_string_equal(equip->nic_class, "0x020700");
    assert_string_equal(policy->assume, "s8");
}

static void test_policyfile_inject__reads_sidecars_with_their_version(void **state)
{
    const struct fb_equip *equip = &policy_of(state)->equip;

    assert_int_equal(equip->sidecars_len, 2);
    assert_string_equal(equip->sidecars[0].name, "d");
    assert_string_equal(equip->sidecars[0].container,
                        "{\"name\":\"d\",\"restartPolicy\":\"Always\",\"image\":\"i:v2\","
                        "\"args\":[\"v2\",1]}");
    assert_int_equal(equip->sidecars[0].level, FB_POD_SECURITY_BASELINE);
    assert_int_equal(equip->sidecars[0].volumes_len, 1);
    assert_string_equal(equip->sidecars[0].volumes[0].volume, "sys");
    assert_string_equal(equip->sidecars[0].volumes[0].kind, "hostPath");
    assert_string_equal(equip->sidecars[0].volumes[0].source, "{\"hostPath\":{\"path\":\"/sys\"}}");
    assert_int_equal(equip->sidecars[1].level, FB_POD_SECURITY_PRIVILEGED);
}

static void test_policyfile_inject__reads_the_same_below_a_shape(void **state)
{
    const struct fb_shape *shape = &policy_of(state)->shapes[0];

    assert_string_equal(shape->equip.link_speed, "32.0 GT/s PCIe");
    assert_int_equal(shape->networks.len, 2);
    assert_string_equal(shape->networks.at[1], "n1");
    assert_true(shape->equip.has_conf_file);
    assert_int_equal(shape->equip.conf_file, FB_CONF_FILE_BOTH);
    assert_int_equal(shape->equip.env.len, 1);
    assert_pair(&shape->equip.env, 0, "A_1", "1");
    assert_int_equal(shape->equip.conf.len, 1);
    assert_pair(&shape->equip.conf, 0, "NCCL_A", "2");
    assert_string_equal(shape->equip.sidecars[0].container,
                        "{\"name\":\"f\",\"image\":\"v2\",\"restartPolicy\":\"Always\"}");
}

static void test_policyfile_inject__leaves_unset_what_is_not_said(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_policies all = {0};
    const struct fb_equip *equip;

    (void)state;
    must_read(arena, &all, "provider: p\ninject: {}\nbind: {}\n");
    equip = &all.at[0].equip;
    assert_false(equip->has_conf_file || equip->no_escalation);
    assert_null(equip->seccomp);
    assert_null(equip->networks_annotation);
    assert_null(equip->interfaces_annotation);
    assert_null(equip->nccl_net);
    assert_null(equip->nic_class);
    assert_null(all.at[0].assume);
    assert_int_equal(equip->env.len + equip->conf.len + equip->mounts_len, 0);
}

static void test_policyfile_daemon__takes_the_pair_of_the_installer(void **state)
{
    static const struct {
        const char *installer, *want;
    } cases[] = {
        {"", "\"v9\""},
        {", installer: ''", "\"v9\""},
        {", installer: 1.0", "\"v1\""},
        {", installer: '1.0-1'", "\"v1_1\""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_policies all = {0};
        char yaml[512];

        (void)snprintf(yaml, sizeof yaml,
                       "provider: p\n"
                       "inject: {sidecars: [{container: {name: d, restartPolicy: Always,\n"
                       "  image: '{version}'}}]}\n"
                       "daemon: {version: v9, pairs: {1.0: v1, 1.0-1: v1_1}%s}\n",
                       cases[i].installer);
        must_read(arena, &all, yaml);
        assert_non_null(strstr(all.at[0].equip.sidecars[0].container, cases[i].want));
        assert_null(strstr(all.at[0].equip.sidecars[0].container, "{version}"));
    }
}

/* What stands in front of the places is kept, also half a place. */
static void test_policyfile_daemon__fills_every_place(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_policies all = {0};

    (void)state;
    must_read(arena, &all,
              "provider: p\n"
              "daemon: {version: a-much-longer-version-than-the-place}\n"
              "inject: {sidecars: [{container: {name: '{version}{version', restartPolicy: Always,\n"
              "  args: ['{version}{version}', '{{version}}']}}]}\n");
    assert_string_equal(all.at[0].equip.sidecars[0].container,
                        "{\"name\":\"a-much-longer-version-than-the-place{version\","
                        "\"restartPolicy\":\"Always\",\"args\":["
                        "\"a-much-longer-version-than-the-placea-much-longer-version-than-the-"
                        "place\",\"{a-much-longer-version-than-the-place}\"]}");
}

/* Every allocation fails once. */
static void test_policyfile_inject__survives_want_of_memory(void **state)
{
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    for (; st != FB_OK; after++) {
        struct fb_policies all = {0};
        struct fb_arena *arena;

        assert_true(after < 1000);
        alloc_fault_arm(after);
        arena = fb_arena_new(0);
        if (arena != NULL)
            st = fb_policyfile_read(arena, &all, full, strlen(full), NULL);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        assert_int_equal(all.len, st == FB_OK ? 1 : 0);
        fb_arena_free(arena);
    }
    assert_true(after > 4);
}

/* The arena's own limit stops at every list. */
static void test_policyfile_inject__keeps_to_the_limit_of_its_arena(void **state)
{
    static char yaml[65536];
    size_t len =
        (size_t)snprintf(yaml, sizeof yaml, "provider: p\ndaemon: {version: v1}\ninject:\n");
    bool fits = false;

    (void)state;
    len += (size_t)snprintf(yaml + len, sizeof yaml - len, " mounts:\n");
    for (int i = 0; i < 100; i++)
        len += (size_t)snprintf(yaml + len, sizeof yaml - len,
                                " - {volume: v, path: /p%d, source: {emptyDir: {}}}\n", i);
    len += (size_t)snprintf(yaml + len, sizeof yaml - len, " sidecars:\n");
    for (int i = 0; i < 100; i++)
        len += (size_t)snprintf(yaml + len, sizeof yaml - len,
                                " - {container: {name: c%d, restartPolicy: Always, image: "
                                "'{version}'}, volumes: [{volume: v, source: {emptyDir: {}}}]}\n",
                                i);
    assert_true(len < sizeof yaml);
    for (size_t limit = 65536; !fits; limit += 4096) {
        struct fb_arena *arena = fb_arena_new(limit);
        struct fb_policies all = {0};
        enum fb_status st = fb_policyfile_read(arena, &all, yaml, len, NULL);

        assert_true(limit < 4194304);
        assert_true(st == FB_OK || st == FB_ENOMEM);
        fits = st == FB_OK;
        fb_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policyfile_inject__reads_variables_and_amounts),
        cmocka_unit_test(test_policyfile_inject__reads_mounts),
        cmocka_unit_test(test_policyfile_inject__reads_security_and_networks),
        cmocka_unit_test(test_policyfile_inject__reads_sidecars_with_their_version),
        cmocka_unit_test(test_policyfile_inject__reads_the_same_below_a_shape),
        cmocka_unit_test(test_policyfile_inject__leaves_unset_what_is_not_said),
        cmocka_unit_test(test_policyfile_daemon__takes_the_pair_of_the_installer),
        cmocka_unit_test(test_policyfile_daemon__fills_every_place),
        cmocka_unit_test(test_policyfile_inject__survives_want_of_memory),
        cmocka_unit_test(test_policyfile_inject__keeps_to_the_limit_of_its_arena),
    };

    return cmocka_run_group_tests_name("policyfile_inject", tests, read_full, drop);
}
