/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/config.h"
#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "config_policies.h"
#include "unit.h"

#include <string.h>

static void assert_defaults_of_admission(const struct fb_admission_config *admission)
{
    assert_string_equal(admission->name, "fabricbind");
    assert_string_equal(admission->service.space, "");
    assert_string_equal(admission->service.name, "fabricbind-admission");
    assert_int_equal(admission->service.port, 443);
    assert_string_equal(admission->url, "");
    assert_string_equal(admission->secret, "fabricbind-tls");
    assert_string_equal(admission->cert_file, "");
    assert_string_equal(admission->key_file, "");
    assert_string_equal(admission->ca_file, "");
    assert_int_equal(admission->exclude_spaces.len, 2);
    assert_string_equal(admission->exclude_spaces.at[0], "kube-system");
    assert_string_equal(admission->exclude_spaces.at[1], "volcano-system");
    assert_int_equal(admission->timeout_s, 3);
    assert_true(admission->is_registered);
}

static void test_config_defaults__are_those_of_the_design(void **state)
{
    static const struct fb_owner_rule owners[] = {
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
    struct fb_config config;
    const struct fb_settings *settings = &config.settings;

    assert_int_equal(fb_config_defaults(*state, &config), FB_OK);
    assert_null(settings->provider);
    assert_null(config.provider_by);
    assert_int_equal(settings->ratio_mode, FB_RATIO_AUTO);
    assert_null(settings->nic_resource);
    assert_int_equal(settings->networks.len, 0);
    assert_null(config.network_attachment);
    assert_int_equal(config.mode, FB_MODE_ENFORCE);
    assert_int_equal(config.wiring, FB_WIRING_FULL);
    assert_false(config.settings.pin_gangs);
    assert_int_equal(settings->placement, FB_PLACEMENT_REQUIRE);
    assert_int_equal(config.transport, FB_TRANSPORT_PREFER);
    assert_int_equal(config.on_fault, FB_ON_FAULT_PASS);
    assert_int_equal(settings->gpu_resources.len, 2);
    assert_string_equal(settings->gpu_resources.at[0], "nvidia.com/gpu");
    assert_string_equal(settings->gpu_resources.at[1], "amd.com/gpu");
    assert_true(settings->match_gangs);
    assert_int_equal(settings->owners_len, COUNT(owners));
    for (size_t i = 0; i < COUNT(owners); i++) {
        assert_string_equal(settings->owners[i].kind, owners[i].kind);
        assert_string_equal(settings->owners[i].group, owners[i].group);
        assert_int_equal(settings->owners[i].indexed, owners[i].indexed);
    }
    assert_int_equal(settings->expected_shapes.len, 0);
    assert_string_equal(settings->boundary, "");
    assert_true(settings->scoring.weight == 1000.0);
    assert_true(settings->scoring.locality == 0.8);
    assert_true(settings->scoring.packing == 0.2);
    assert_int_equal(config.limits.file_bytes, (size_t)1 << 30);
    assert_int_equal(config.limits.body_bytes, (size_t)256 << 20);
    assert_int_equal(config.limits.depth, 64);
    assert_int_equal(config.limits.string_bytes, (size_t)1 << 20);
    assert_int_equal(config.limits.nodes, 20000);
    assert_int_equal(config.limits.pods, 500000);
    assert_string_equal(config.listen.extender, "127.0.0.1:9712");
    assert_string_equal(config.listen.admission, "0.0.0.0:9443");
    assert_string_equal(config.listen.metrics, "0.0.0.0:9713");
    assert_defaults_of_admission(&config.admission);
    assert_int_equal(fb_config_finish(&config, &policies, NULL), FB_OK);
}

static void test_config_read__takes_every_key(void **state)
{
    static const char yaml[] = "provider: onprem\n"
                               "mode: observe\n"
                               "wiring: lean\n"
                               "placement: prefer\n"
                               "transport: require\n"
                               "gpuResources: [example.com/gpu]\n"
                               "match:\n"
                               "  gangs: false\n"
                               "  owners:\n"
                               "  - apps/StatefulSet\n"
                               "  - {kind: Job, group: batch, indexed: true}\n"
                               "expectedShapes: [ml.p5.48xlarge, BM.GPU.H100.8]\n"
                               "fabric: {boundary: example.com/rack}\n"
                               "scoring: {weight: 50, locality: 0.25, packing: 0.75}\n"
                               "onFault: reject\n"
                               "limits: {fileBytes: 2Gi, bodyBytes: 1M, depth: 32,\n"
                               "  stringBytes: 4Ki, nodes: 10, pods: 20k}\n"
                               "listen: {extender: '[::1]:0', admission: example.com:443,\n"
                               "  metrics: '0.0.0.0:65535'}\n";
    struct fb_config config;
    struct fb_error err = {0};
    const struct fb_settings *settings = &config.settings;

    assert_int_equal(read_config(*state, yaml, &config, &err), FB_OK);
    assert_string_equal(settings->provider, "onprem");
    assert_string_equal(config.provider_by, "provider");
    assert_int_equal(config.mode, FB_MODE_OBSERVE);
    assert_int_equal(config.wiring, FB_WIRING_LEAN);
    assert_true(config.settings.pin_gangs);
    assert_int_equal(settings->placement, FB_PLACEMENT_PREFER);
    assert_int_equal(config.transport, FB_TRANSPORT_REQUIRE);
    assert_int_equal(config.on_fault, FB_ON_FAULT_REJECT);
    assert_int_equal(settings->gpu_resources.len, 1);
    assert_string_equal(settings->gpu_resources.at[0], "example.com/gpu");
    assert_false(settings->match_gangs);
    assert_int_equal(settings->owners_len, 2);
    assert_string_equal(settings->owners[0].group, "apps");
    assert_string_equal(settings->owners[0].kind, "StatefulSet");
    assert_false(settings->owners[0].indexed);
    assert_string_equal(settings->owners[1].group, "batch");
    assert_string_equal(settings->owners[1].kind, "Job");
    assert_true(settings->owners[1].indexed);
    assert_int_equal(settings->expected_shapes.len, 2);
    assert_string_equal(settings->boundary, "example.com/rack");
    assert_true(settings->scoring.weight == 50.0);
    assert_true(settings->scoring.locality == 0.25);
    assert_true(settings->scoring.packing == 0.75);
    assert_int_equal(config.limits.file_bytes, (size_t)2 << 30);
    assert_int_equal(config.limits.body_bytes, 1000000);
    assert_int_equal(config.limits.depth, 32);
    assert_int_equal(config.limits.string_bytes, 4096);
    assert_int_equal(config.limits.nodes, 10);
    assert_int_equal(config.limits.pods, 20000);
    assert_string_equal(config.listen.extender, "[::1]:0");
    assert_string_equal(config.listen.admission, "example.com:443");
    assert_string_equal(config.listen.metrics, "0.0.0.0:65535");
    assert_string_equal("onprem", settings->provider);
}

static void test_config_read__takes_every_key_of_admission(void **state)
{
    static const char yaml[] = "admission:\n"
                               "  name: webhooks.example.com\n"
                               "  service: {namespace: ops, name: bind, port: 8443}\n"
                               "  url: https://127.0.0.1:9443/a\n"
                               "  secret: keys\n"
                               "  certFile: tls.crt\n"
                               "  keyFile: tls.key\n"
                               "  caFile: ca.crt\n"
                               "  excludeNamespaces: []\n"
                               "  timeoutSeconds: 30\n"
                               "  register: false\n";
    struct fb_config config;
    struct fb_error err = {0};
    const struct fb_admission_config *admission = &config.admission;

    assert_int_equal(read_config(*state, yaml, &config, &err), FB_OK);
    assert_string_equal(admission->name, "webhooks.example.com");
    assert_string_equal(admission->service.space, "ops");
    assert_string_equal(admission->service.name, "bind");
    assert_int_equal(admission->service.port, 8443);
    assert_string_equal(admission->url, "https://127.0.0.1:9443/a");
    assert_string_equal(admission->secret, "keys");
    assert_string_equal(admission->cert_file, "tls.crt");
    assert_string_equal(admission->key_file, "tls.key");
    assert_string_equal(admission->ca_file, "ca.crt");
    assert_int_equal(admission->exclude_spaces.len, 0);
    assert_int_equal(admission->timeout_s, 30);
    assert_false(admission->is_registered);
    assert_int_equal(fb_config_finish(&config, &policies, &err), FB_OK);
}

static void test_config_read__leaves_what_is_absent_or_null(void **state)
{
    static const char *const cases[] = {
        "",
        "# nothing\n",
        "---\n...\n",
        "{}\n",
        "mode:\nscoring:\nlimits: {depth: ~}\nmultinodeNetworking:\nprovider: null\nmatch: {}\n",
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_config config;

        assert_int_equal(read_config(*state, cases[i], &config, NULL), FB_OK);
        assert_int_equal(config.mode, FB_MODE_ENFORCE);
        assert_int_equal(config.limits.depth, 64);
        assert_int_equal(config.settings.owners_len, 9);
        assert_null(config.provider_by);
    }
}

static const struct {
    const char *yaml, *want;
} bad_input[] = {
    {"mode: observe\n\nplacment: prefer\n",
     "line 3: placment: unknown key, nearest is 'placement'"},
    {"scoring:\n  wieght: 5\n", "line 2: scoring.wieght: unknown key, nearest is 'weight'"},
    {"zzzzzzzz: 1\n", "line 1: zzzzzzzz: unknown key"},
    {"weight: 1\n", "line 1: weight: unknown key"},
    {"- mode: observe\n", "line 1: not a mapping"},
    {"mode: observe\n---\nmode: enforce\n", "line 3: a second document"},
    {"mode: [observe]\n", "line 1: mode: not a text"},
    {"mode: off\n", "line 1: mode: 'off' is none of enforce, observe"},
    {"\nwiring: slim\n", "line 2: wiring: 'slim' is none of full, score, lean"},
    {"placement: ''\n", "line 1: placement: '' is none of require, prefer"},
    {"transport: x\n", "line 1: transport: 'x' is none of prefer, require"},
    {"onFault: x\n", "line 1: onFault: 'x' is none of pass, reject"},
    {"gpuResources: {a: b}\n", "line 1: gpuResources: not a text"},
    {"gpuResources: []\n", "line 1: gpuResources: an empty list"},
    {"gpuResources: ['']\n", "line 1: gpuResources: an empty text"},
    {"match: true\n", "line 1: match: not a mapping"},
    {"match: {gangs: maybe}\n", "line 1: match.gangs: 'maybe' is neither true nor false"},
    {"match:\n  owners:\n  - Job\n",
     "line 3: match.owners: 'Job' is no group/Kind such as batch/Job"},
    {"match: {owners: batch/v1/Job}\n",
     "line 1: match.owners: 'batch/v1/Job' is no group/Kind such as batch/Job"},
    {"match: {owners: [/Job]}\n",
     "line 1: match.owners: '/Job' is no group/Kind such as batch/Job"},
    {"match: {owners: [batch/]}\n",
     "line 1: match.owners: 'batch/' is no group/Kind such as batch/Job"},
    {"match: {owners: [{kind: Job}]}\n", "line 1: match.owners: group and kind are both needed"},
    {"match: {owners: [{kind: Job, group: ''}]}\n",
     "line 1: match.owners: group and kind are both needed"},
    {"match: {owners: [{kind: Job, grup: batch}]}\n",
     "line 1: match.owners.grup: unknown key, nearest is 'group'"},
    {"match: {owners: [[batch/Job]]}\n", "line 1: match.owners: not a text"},
    {"fabric: {boundary: 'a b'}\n", "line 1: fabric.boundary: 'a b' is no label key, zone or none"},
    {"scoring: {weight: 0.5}\n", "line 1: scoring.weight: 0.5 is outside 1 to 1e+06"},
    {"scoring: {weight: 1000001}\n", "line 1: scoring.weight: 1000001 is outside 1 to 1e+06"},
    {"scoring: {locality: -0.1}\n", "line 1: scoring.locality: -0.1 is outside 0 to 1"},
    {"scoring: {packing: 1.1}\n", "line 1: scoring.packing: 1.1 is outside 0 to 1"},
    {"scoring: {packing: high}\n", "line 1: scoring.packing: 'high' is no number"},
    {"limits: {fileBytes: 1Gig}\n", "line 1: limits.fileBytes: '1Gig' is no quantity"},
    {"limits: {fileBytes: 0}\n", "line 1: limits.fileBytes: 0 is outside 1 to 1099511627776"},
    {"limits: {fileBytes: 2Ti}\n", "line 1: limits.fileBytes: 2Ti is outside 1 to 1099511627776"},
    {"limits: {depth: -1}\n", "line 1: limits.depth: -1 is outside 1 to 1024"},
    {"limits: {nodes: 500m}\n", "line 1: limits.nodes: '500m' is no whole number"},
    {"limits: {pods: [1]}\n", "line 1: limits.pods: not a text"},
    {"listen: {metrics: '9713'}\n",
     "line 1: listen.metrics: '9713' is no address such as 127.0.0.1:9712 or [::1]:9712"},
    {"listen: {metrics: ':9713'}\n",
     "line 1: listen.metrics: ':9713' is no address such as 127.0.0.1:9712 or [::1]:9712"},
    {"listen: {metrics: 'a:65536'}\n",
     "line 1: listen.metrics: 'a:65536' is no address such as 127.0.0.1:9712 or [::1]:9712"},
    {"listen: {metrics: '::1:80'}\n",
     "line 1: listen.metrics: '::1:80' is no address such as 127.0.0.1:9712 or [::1]:9712"},
    {"listen: {metrics: '[x]:80'}\n",
     "line 1: listen.metrics: '[x]:80' is no address such as 127.0.0.1:9712 or [::1]:9712"},
    {"listen: {metrics: 'a:80x'}\n",
     "line 1: listen.metrics: 'a:80x' is no address such as 127.0.0.1:9712 or [::1]:9712"},
    {"admission: {service: {prot: 1}}\n",
     "line 1: admission.service.prot: unknown key, nearest is 'port'"},
    {"admission:\n  service: fabricbind\n", "line 2: admission.service: not a mapping"},
    {"admission: {service: {name: ''}}\n",
     "line 1: admission.service.name: '' is no name such as fabricbind"},
    {"admission: {service: {port: 0}}\n",
     "line 1: admission.service.port: 0 is outside 1 to 65535"},
    {"admission: {name: Web}\n", "line 1: admission.name: 'Web' is no name such as fabricbind"},
    {"admission: {secret: a-}\n", "line 1: admission.secret: 'a-' is no name such as fabricbind"},
    {"admission: {url: 'http://a'}\n",
     "line 1: admission.url: 'http://a' is no URL such as https://127.0.0.1:9443"},
    {"admission: {url: 'https://a/'}\n",
     "line 1: admission.url: 'https://a/' is no URL such as https://127.0.0.1:9443"},
    {"admission: {url: 'https://a?b'}\n",
     "line 1: admission.url: 'https://a?b' is no URL such as https://127.0.0.1:9443"},
    {"admission: {timeoutSeconds: 31}\n",
     "line 1: admission.timeoutSeconds: 31 is outside 1 to 30"},
    {"provider: onprm\n", "line 1: provider: 'onprm' is no provider, nearest is 'onprem'"},
    {"provider: ''\n", "line 1: provider: '' is none of auto, aws, azure, gcp, oci, onprem"},
    {"provider: quantumcloud\n",
     "line 1: provider: 'quantumcloud' is none of auto, aws, azure, gcp, oci, onprem"},
    {"provider: [aws]\n", "line 1: provider: not a text"},
    {"provider: auto\nmultinodeNetworking:\n  aws: {enabled: true}\n",
     "line 3: multinodeNetworking: not beside provider, only one may be"},
    {"multinodeNetworking:\n  aws: {enabled: true}\nprovider: onprem\n",
     "line 3: provider: not beside multinodeNetworking, only one may be"},
};

static void test_config_read__refuses_bad_input_and_says_where(void **state)
{

    for (size_t i = 0; i < COUNT(bad_input); i++) {
        struct fb_config config;
        struct fb_config before;
        struct fb_error err = {0};

        assert_int_equal(fb_config_defaults(*state, &config), FB_OK);
        before = config;
        assert_int_equal(fb_config_read(*state, &config, &policies, bad_input[i].yaml,
                                        strlen(bad_input[i].yaml), &err),
                         FB_EINPUT);
        assert_string_equal(err.text, bad_input[i].want);
        assert_memory_equal(&config, &before, sizeof config);
    }
}

static void test_config_finish__checks_what_belongs_together(void **state)
{
    static const struct {
        const char *yaml, *want; /* NULL: fine */
    } cases[] = {
        {"scoring: {locality: 0.9, packing: 0.1}\n", NULL},
        {"scoring: {locality: 0.7, packing: 0.3}\n", NULL},
        {"scoring: {locality: 0, packing: 0}\n", NULL},
        {"scoring: {locality: 0.9}\n",
         "scoring: locality 0.9 and packing 0.2 are more than 1 together"},
        {"expectedShapes: [p5.48xlarge, ml.p4d.24xlarge]\n", NULL},
        {"expectedShapes: [p5.48xlarg]\n",
         "expectedShapes: 'p5.48xlarg' is no shape of a policy, nearest is 'p5.48xlarge'"},
        {"expectedShapes: [BM.GPU.H200.8]\n",
         "expectedShapes: 'BM.GPU.H200.8' is no shape of a policy, nearest is 'BM.GPU.H100.8'"},
        {"expectedShapes: [whatever]\n", "expectedShapes: 'whatever' is no shape of a policy"},
        {"provider: oci\nexpectedShapes: [BM.GPU.H100.8]\n", NULL},
        {"provider: oci\nexpectedShapes: [p5.48xlarge]\n",
         "expectedShapes: 'p5.48xlarge' is no shape of a policy"},
        {"listen: {metrics: '127.0.0.1:9712'}\n",
         "listen: extender and metrics are both 127.0.0.1:9712"},
        {"listen: {extender: '[::1]:0', metrics: '[::1]:0'}\n", NULL},
        {"listen: {extender: '[::1]:10', metrics: '[::1]:10'}\n",
         "listen: extender and metrics are both [::1]:10"},
        {"admission: {certFile: a}\n", "admission: certFile without keyFile"},
        {"admission: {keyFile: a}\n", "admission: keyFile without certFile"},
        {"admission: {caFile: a}\n", "admission: caFile without certFile"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_config config;
        struct fb_error err = {0};

        assert_int_equal(read_config(*state, cases[i].yaml, &config, &err), FB_OK);
        assert_int_equal(fb_config_finish(&config, &policies, &err),
                         cases[i].want == NULL ? FB_OK : FB_EINPUT);
        assert_string_equal(err.text, cases[i].want == NULL ? "" : cases[i].want);
    }
}

static void test_config_keys__are_one_line_each(void **state)
{
    size_t len = 0;

    (void)state;
    for (; fb_config_keys(len) != NULL; len++) {
        const struct fb_config_key *key = fb_config_keys(len);

        assert_true(strlen(key->key) > 0);
        assert_true(strlen(key->help) > 0 && strlen(key->help) < 72);
        assert_null(strchr(key->help, '\n'));
    }
    assert_int_equal(len, 36);
}

static void test_config__survives_a_lack_of_memory(void **state)
{
    static const char yaml[] = "match: {owners: [a/B, {group: c, kind: D}]}\n"
                               "gpuResources: [a, b]\n"
                               "multinodeNetworking:\n"
                               "  azure: {enabled: true, rdmaDeviceName: x}\n"
                               "  gcp: {networks: [a, b]}\n";
    enum fb_status st = FB_ENOMEM;

    (void)state;
    for (int after = 0; st == FB_ENOMEM && after < 10000; after++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_config config;

        assert_non_null(arena);
        alloc_fault_arm(after);
        st = fb_config_defaults(arena, &config);
        if (st == FB_OK)
            st = fb_config_read(arena, &config, &policies, yaml, strlen(yaml), NULL);
        alloc_fault_disarm();
        assert_true(after > 0 || st == FB_ENOMEM);
    }
    assert_int_equal(st, FB_OK);
}

static void test_config__survives_a_full_arena(void **state)
{
    static const char yaml[] = "provider: nothing\n";
    enum fb_status st = FB_ENOMEM;

    (void)state;
    for (size_t limit = 65536; st == FB_ENOMEM && limit < (size_t)1 << 24; limit += 65536) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(limit);
        struct fb_config config;

        assert_non_null(arena);
        st = fb_config_defaults(arena, &config);
        if (st == FB_OK)
            st = fb_config_read(arena, &config, &policies, yaml, strlen(yaml), NULL);
    }
    assert_int_equal(st, FB_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config_defaults__are_those_of_the_design),
        cmocka_unit_test(test_config_read__takes_every_key),
        cmocka_unit_test(test_config_read__takes_every_key_of_admission),
        cmocka_unit_test(test_config_read__leaves_what_is_absent_or_null),
        cmocka_unit_test(test_config_read__refuses_bad_input_and_says_where),
        cmocka_unit_test(test_config_finish__checks_what_belongs_together),
        cmocka_unit_test(test_config_keys__are_one_line_each),
        cmocka_unit_test(test_config__survives_a_lack_of_memory),
        cmocka_unit_test(test_config__survives_a_full_arena),
    };

    return cmocka_run_group_tests_name("config", tests, set_up, tear_down);
}
