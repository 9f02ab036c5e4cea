/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/own.h"
#include "fabricbind/policyfile.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

/* Policy files whose inject, bind and daemon are wrong. */

static void refuses(const char *yaml, const char *want)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_policies all = {0};
    struct fb_error err = {0};
    char text[512];

    (void)snprintf(text, sizeof text, "provider: p\n%s\n", yaml);
    assert_int_equal(fb_policyfile_read(arena, &all, text, strlen(text), &err), FB_EINPUT);
    assert_string_equal(err.text, want);
    assert_int_equal(all.len, 0);
}

static void test_policyfile_inject__refuses_bad_values_and_says_where(void **state)
{
    static const struct {
        const char *yaml, *want;
    } cases[] = {
        {"inject: []", "line 2: inject: not a mapping"},
        {"inject: {envs: {}}", "line 2: inject.envs: unknown key, nearest is 'env'"},
        {"inject: {env: [A]}", "line 2: inject.env: not a mapping"},
        {"inject:\n  env:\n    A: 1\n    1A: 1",
         "line 5: inject.env: '1A' is no name of a variable"},
        {"inject: {env: {A-B: 1}}", "line 2: inject.env: 'A-B' is no name of a variable"},
        {"inject: {env: {'': 1}}", "line 2: inject.env: '' is no name of a variable"},
        {"inject: {env: {A: [1]}}", "line 2: inject.env.A: not a text"},
        {"inject: {env: {A: ~}}", "line 2: inject.env.A: not a text"},
        {"inject: {env: {A: 1, A: 2}}", "line 2: key 'A' is given twice"},
        {"bind: {A: \"x\\ny\"}", "line 2: bind.A: 'x?y' is not one line"},
        {"bind: {A=: x}", "line 2: bind: 'A=' is no name of a variable"},
        {"bind: [A]", "line 2: bind: not a mapping"},
        {"inject: {capabilities: [IPC_LOCK, ipc]}",
         "line 2: inject.capabilities: 'ipc' is no capability such as IPC_LOCK"},
        {"inject: {capabilities: [CAP_NET_ADMIN]}",
         "line 2: inject.capabilities: 'CAP_NET_ADMIN' is no capability such as IPC_LOCK"},
        {"inject: {capabilities: ['']}",
         "line 2: inject.capabilities: '' is no capability such as IPC_LOCK"},
        {"inject: {noPrivilegeEscalation: 1}",
         "line 2: inject.noPrivilegeEscalation: '1' is neither true nor false"},
        {"inject: {seccompProfile: Localhost}",
         "line 2: inject.seccompProfile: 'Localhost' is neither RuntimeDefault nor Unconfined"},
        {"inject: {requests: {cpu: much}}",
         "line 2: inject.requests.cpu: 'much' is no amount such as 100m"},
        {"inject: {requests: {cpu: -1}}",
         "line 2: inject.requests.cpu: '-1' is no amount such as 100m"},
        {"inject: {requests: {'': 1}}", "line 2: inject.requests: '' is no resource"},
        {"inject: {annotations: {'': x}}",
         "line 2: inject.annotations: '' is no key of an annotation"},
        {"inject: {annotations: {a: {b: c}}}", "line 2: inject.annotations.a: not a text"},
        {"inject: {ncclNet: [IB]}", "line 2: inject.ncclNet: not a text"},
        {"confFile: home", "line 2: confFile: 'home' is none of env, etc, both, none"},
        {"nicClass: '0x0207'", "line 2: nicClass: '0x0207' is no PCI class such as 0x020700"},
        {"nicClass: 02070000", "line 2: nicClass: '02070000' is no PCI class such as 0x020700"},
        {"nicClass: '0x020700x'", "line 2: nicClass: '0x020700x' is no PCI class such as 0x020700"},
        {"nicClass: '0x02070g'", "line 2: nicClass: '0x02070g' is no PCI class such as 0x020700"},
        {"assume: ''", "line 2: assume: empty"},
        {"shapes: {s: {gpus: 1}}\nassume: t", "line 3: assume: 't' is none of shapes"},
        {"shapes:\n  s:\n    inject: {env: {1: 1}}",
         "line 4: shapes.s.inject.env: '1' is no name of a variable"},
        {"shapes:\n  s:\n    gpus: 1\n    linkSpeed: 16",
         "line 5: shapes.s.linkSpeed: '16' is no PCI speed such as 16 GT/s"},
        {"shapes: {s: {linkSpeed: ' GT/s'}}",
         "line 2: shapes.s.linkSpeed: ' GT/s' is no PCI speed such as 16 GT/s"},
        {"shapes: {s: {linkSpeed: .5 GT/s}}",
         "line 2: shapes.s.linkSpeed: '.5 GT/s' is no PCI speed such as 16 GT/s"},
        {"shapes: {s: {networks: {}}}", "line 2: shapes.s.networks: not a text"},
        {"shapes: {s: {confFile: x}}",
         "line 2: shapes.s.confFile: 'x' is none of env, etc, both, none"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        refuses(cases[i].yaml, cases[i].want);
}

#define SHM "volume: shm, path: /dev/shm"
#define EMPTY "source: {emptyDir: {}}"

static void test_policyfile_mounts__refuses_bad_values_and_says_where(void **state)
{
    static const struct {
        const char *mounts, *want;
    } cases[] = {
        {"{}", "mounts: not a list"},
        {"[shm]", "mounts[0]: not a mapping"},
        {"[{path: /dev/shm, " EMPTY "}]", "mounts[0].volume: missing"},
        {"[{volume: shm, " EMPTY "}]", "mounts[0].path: missing"},
        {"[{" SHM "}]", "mounts[0].source: missing"},
        {"[{volume: Shm}]", "mounts[0].volume: 'Shm' is no name of a volume"},
        {"[{volume: ''}]", "mounts[0].volume: '' is no name of a volume"},
        {"[{volume: a-}]", "mounts[0].volume: 'a-' is no name of a volume"},
        {"[{volume: '-a'}]", "mounts[0].volume: '-a' is no name of a volume"},
        {"[{volume: a.b}]", "mounts[0].volume: 'a.b' is no name of a volume"},
        {"[{volume: a123456789b123456789c123456789d123456789e123456789f123456789g123}]",
         "mounts[0].volume: 'a123456789b123456789c123456789d123456789e123456789f123456789g123' is "
         "no name of a volume"},
        {"[{path: dev/shm}]", "mounts[0].path: 'dev/shm' is no absolute path below /"},
        {"[{path: /}]", "mounts[0].path: '/' is no absolute path below /"},
        {"[{path: '/a:b'}]", "mounts[0].path: '/a:b' is no absolute path below /"},
        {"[{source: emptyDir}]", "mounts[0].source: not a mapping"},
        {"[{source: {}}]", "mounts[0].source: 0 keys, not the one of its kind"},
        {"[{source: {emptyDir: {}, hostPath: {}}}]",
         "mounts[0].source: 2 keys, not the one of its kind"},
        {"[{source: {emptyDir: ~}}]", "mounts[0].source.emptyDir: not a mapping"},
        {"[{source: {hostPath: /sys}}]", "mounts[0].source.hostPath: not a mapping"},
        {"[{source: {emptyDir: {a: .nan}}}]", ".nan is no number in JSON"},
        {"[{subPath: ../b}]", "mounts[0].subPath: '../b' is no path inside the volume"},
        {"[{subPath: /b}]", "mounts[0].subPath: '/b' is no path inside the volume"},
        {"[{subPath: ''}]", "mounts[0].subPath: '' is no path inside the volume"},
        {"[{readOnly: 'true'}]",
         "mounts[0].readOnly: 'true' in quotes is a text, not true or false"},
        {"[{on: maybe}]", "mounts[0].on: 'maybe' is neither true nor false"},
        {"[{" SHM ", " EMPTY "}, {volume: b, path: /dev/shm, " EMPTY "}]",
         "mounts[1].path: '/dev/shm' is given twice"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[384];
        char want[256];

        (void)snprintf(yaml, sizeof yaml, "inject: {mounts: %s}", cases[i].mounts);
        (void)snprintf(want, sizeof want, "line 2: %s%s", cases[i].want[0] == '.' ? "" : "inject.",
                       cases[i].want);
        refuses(yaml, want);
    }
}

static void test_policyfile_networks__refuses_bad_values_and_says_where(void **state)
{
    static const struct {
        const char *yaml, *want;
    } cases[] = {
        {"networks: a", "networks: not a mapping"},
        {"networks: {network: a}", "networks.annotation: missing"},
        {"networks: {annotation: a}", "networks.network: missing"},
        {"networks: {annotation: '', network: a}", "networks.annotation: empty"},
        {"networks: {annotation: a, network: ''}", "networks.network: empty"},
        {"networks: {annotation: a, network: b, byResource: {c: ''}}",
         "networks.byResource.c: '' is no network"},
        {"networks: {byResource: {'': c}}", "networks.byResource: '' is no resource"},
        {"interfaces: []", "interfaces: not a mapping"},
        {"interfaces: {}", "interfaces.annotation: missing"},
        {"interfaces: {annotation: a}", "interfaces.first: missing"},
        {"interfaces: {annotation: a, first: b}", "interfaces.firstNetwork: missing"},
        {"interfaces: {annotation: a, first: b, firstNetwork: c}", "interfaces.prefix: missing"},
        {"interfaces: {annotation: a, first: b, firstNetwork: c, prefix: d}",
         "interfaces.from: missing"},
        {"interfaces: {prefix: ''}", "interfaces.prefix: empty"},
        {"interfaces: {from: -1}", "interfaces.from: -1 is outside 0 to 1000"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[256];
        char want[256];

        (void)snprintf(yaml, sizeof yaml, "inject: {%s}", cases[i].yaml);
        (void)snprintf(want, sizeof want, "line 2: inject.%s", cases[i].want);
        refuses(yaml, want);
    }
}

#define DAEMON "name: d, restartPolicy: Always"

static void test_policyfile_sidecars__refuses_bad_values_and_says_where(void **state)
{
    static const struct {
        const char *yaml, *want;
    } cases[] = {
        {"[{}]", "inject.sidecars[0].container: missing"},
        {"[{container: d}]", "inject.sidecars[0].container: not a mapping"},
        {"[{container: {}}]", "inject.sidecars[0].container.name: missing"},
        {"[{container: {name: ''}}]", "inject.sidecars[0].container: empty"},
        {"[{container: {name: d}}]", "inject.sidecars[0].container.restartPolicy: not Always"},
        {"[{container: {name: d, restartPolicy: Never}}]",
         "inject.sidecars[0].container.restartPolicy: not Always"},
        {"[{container: {name: d, restartPolicy: [Always]}}]",
         "inject.sidecars[0].container.restartPolicy: not Always"},
        {"[{container: {" DAEMON "}}, {container: {" DAEMON "}}]",
         "inject.sidecars[1].container.name: 'd' is given twice"},
        {"[{podSecurity: none}]", "inject.sidecars[0].podSecurity: 'none' is none of privileged, "
                                  "baseline, restricted"},
        {"[{volumes: [{volume: a}]}]", "inject.sidecars[0].volumes[0].source: missing"},
        {"[{volumes: [{" EMPTY "}]}]", "inject.sidecars[0].volumes[0].volume: missing"},
        {"[{volumes: [{volume: A}]}]",
         "inject.sidecars[0].volumes[0].volume: 'A' is no name of a volume"},
        {"[{volumes: [{volume: a, source: {}}]}]",
         "inject.sidecars[0].volumes[0].source: 0 keys, not the one of its kind"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[384];
        char want[256];

        (void)snprintf(yaml, sizeof yaml, "inject: {sidecars: %s}", cases[i].yaml);
        (void)snprintf(want, sizeof want, "line 2: %s", cases[i].want);
        refuses(yaml, want);
    }
}

static void test_policyfile_daemon__refuses_bad_values_and_says_where(void **state)
{
    static const struct {
        const char *yaml, *want;
    } cases[] = {
        {"daemon: v1", "line 2: daemon: not a mapping"},
        {"daemon: {}", "line 2: daemon.version: missing"},
        {"daemon: {version: ''}", "line 2: daemon.version: '' is no tag of an image"},
        {"daemon: {version: 'a\"b'}", "line 2: daemon.version: 'a\"b' is no tag of an image"},
        {"daemon: {version: .a}", "line 2: daemon.version: '.a' is no tag of an image"},
        {"daemon: {version: v1, pairs: {1.0: 'a b'}}",
         "line 2: daemon.pairs.1.0: 'a b' is no tag of an image"},
        {"daemon: {version: v1, pairs: [a]}", "line 2: daemon.pairs: not a mapping"},
        {"daemon:\n  version: v1\n  installer: 1.0",
         "line 4: daemon.installer: '1.0' is none of daemon.pairs"},
        {"daemon: {version: v1, pair: {}}", "line 2: daemon.pair: unknown key, nearest is 'pairs'"},
        {"inject: {sidecars: [{container: {" DAEMON ", image: 'i:{version}'}}]}",
         "line 1: daemon: missing, but sidecar d has {version}"},
        {"shapes: {s: {gpus: 1, inject: {sidecars: [{container: {" DAEMON ", x: '{version}'}}]}}}",
         "line 1: daemon: missing, but sidecar d has {version}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        refuses(cases[i].yaml, cases[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policyfile_inject__refuses_bad_values_and_says_where),
        cmocka_unit_test(test_policyfile_mounts__refuses_bad_values_and_says_where),
        cmocka_unit_test(test_policyfile_networks__refuses_bad_values_and_says_where),
        cmocka_unit_test(test_policyfile_sidecars__refuses_bad_values_and_says_where),
        cmocka_unit_test(test_policyfile_daemon__refuses_bad_values_and_says_where),
    };

    return cmocka_run_group_tests_name("policyfile_refused", tests, NULL, NULL);
}
