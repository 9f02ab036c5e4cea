/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/config.h"

#include "config_policies.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static void test_config_read__takes_the_block_of_helix(void **state)
{
    static const struct {
        const char *yaml, *provider;
        enum fb_ratio_mode mode;
        const char *ratio, *resource, *attachment, *network;
    } cases[] = {
        {"aws: {enabled: true}", "aws", FB_RATIO_AUTO, "", NULL, NULL, NULL},
        {"aws: {enabled: true, efaDevicesPerGPU: auto}", "aws", FB_RATIO_AUTO, "", NULL, NULL,
         NULL},
        {"aws: {enabled: true, efaDevicesPerGPU: shape}", "aws", FB_RATIO_SHAPE, "", NULL, NULL,
         NULL},
        {"aws: {enabled: true, efaDevicesPerGPU: 4}", "aws", FB_RATIO_CONFIGURED, "4", NULL, NULL,
         NULL},
        {"aws: {enabled: true, efaDevicesPerGPU: 0.5}", "aws", FB_RATIO_CONFIGURED, "1/2", NULL,
         NULL, NULL},
        {"aws: {enabled: true, efaDevicesPerGPU: 0.1}", "aws", FB_RATIO_CONFIGURED, "1/10", NULL,
         NULL, NULL},
        {"aws: {enabled: true, efaDevicesPerGPU: \"1/2\"}", "aws", FB_RATIO_CONFIGURED, "1/2", NULL,
         NULL, NULL},
        {"aws: {enabled: true, efaDevicesPerGPU: 3/8}", "aws", FB_RATIO_CONFIGURED, "3/8", NULL,
         NULL, NULL},
        {"{azure: {enabled: true, rdmaDeviceName: hca_shared_devices_a}, aws: {enabled: false}}",
         "azure", FB_RATIO_AUTO, "", "rdma/hca_shared_devices_a", NULL, NULL},
        {"azure: {enabled: true, rdmaDevicesPerGPU: 1, rdmaDeviceName: rdma/ib}", "azure",
         FB_RATIO_CONFIGURED, "1", "rdma/ib", NULL, NULL},
        {"azure: {enabled: true, rdmaDeviceName: \"\"}", "azure", FB_RATIO_AUTO, "", NULL, NULL,
         NULL},
        {"gcp: {enabled: true}", "gcp", FB_RATIO_AUTO, "", NULL, NULL, NULL},
        {"gcp: {networks: [gpu-nic0, gpu-nic1], enabled: true}", "gcp", FB_RATIO_AUTO, "", NULL,
         NULL, "gpu-nic0"},
        {"oci: {enabled: true, rdmaDevicesPerGPU: 8, rdmaResourceName: nvidia.com/sriov, "
         "networkAttachment: ops/net}",
         "oci", FB_RATIO_CONFIGURED, "8", "nvidia.com/sriov", "ops/net", NULL},
        /* What is switched off is checked, and has no effect. */
        {"{oci: {enabled: true}, aws: {efaDevicesPerGPU: 7}, gcp: {networks: [a]}, azure: }", "oci",
         FB_RATIO_AUTO, "", NULL, NULL, NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[256];
        char ratio[FB_RATIO_TEXT];
        struct fb_config config;
        const struct fb_settings *settings = &config.settings;
        struct fb_error err = {0};

        assert_true(snprintf(yaml, sizeof yaml, "multinodeNetworking:\n  %s\n", cases[i].yaml) <
                    (int)sizeof yaml);
        assert_int_equal(read_config(*state, yaml, &config, &err), FB_OK);
        assert_string_equal(settings->provider, cases[i].provider);
        assert_string_equal(config.provider_by, "multinodeNetworking");
        assert_int_equal(settings->ratio_mode, cases[i].mode);
        assert_string_equal(fb_ratio_format(settings->ratio, ratio), cases[i].ratio);
        assert_true(fb_text_equal(settings->nic_resource, cases[i].resource));
        assert_true(fb_text_equal(config.network_attachment, cases[i].attachment));
        assert_int_equal(settings->networks.len, cases[i].network == NULL ? 0 : 2);
        if (cases[i].network != NULL)
            assert_string_equal(settings->networks.at[0], cases[i].network);
    }
}

static void test_config_read__refuses_a_bad_block_and_says_where(void **state)
{
    static const struct {
        const char *yaml, *want;
    } cases[] = {
        {"{}", "line 2: multinodeNetworking: no provider is enabled, of aws, azure, gcp and oci"},
        {"aws: {enabled: false}",
         "line 2: multinodeNetworking: no provider is enabled, of aws, azure, gcp and oci"},
        {"{aws: {enabled: true}, azure: {enabled: true}}",
         "line 2: multinodeNetworking: aws and azure are both enabled"},
        {"{oci: {enabled: true}, aws: {enabled: true}, gcp: {enabled: true}}",
         "line 2: multinodeNetworking: oci, aws and gcp are all enabled"},
        {"[aws]", "line 2: multinodeNetworking: not a mapping"},
        {"aws: true", "line 2: multinodeNetworking.aws: not a mapping"},
        {"awz: {enabled: true}", "line 2: multinodeNetworking.awz: unknown key, nearest is 'aws'"},
        {"onprem: {enabled: true}", "line 2: multinodeNetworking.onprem: unknown key"},
        {"aws: {enabled: yes please}",
         "line 2: multinodeNetworking.aws.enabled: 'yes please' is neither true nor false"},
        {"aws:\n    enabled: true\n    efaDevicesPerGpu: 4",
         "line 4: multinodeNetworking.aws.efaDevicesPerGpu: unknown key, nearest is "
         "'efaDevicesPerGPU'"},
        {"gcp: {enabled: true, rdmaDevicesPerGPU: 1}",
         "line 2: multinodeNetworking.gcp.rdmaDevicesPerGPU: unknown key"},
        {"aws: {enabled: true, efaDevicesPerGPU: 0}",
         "line 2: multinodeNetworking.aws.efaDevicesPerGPU: '0' is no ratio above 0 such as 4, 1/2 "
         "or 0.5, nor auto or shape"},
        {"aws: {enabled: true, efaDevicesPerGPU: -1}",
         "line 2: multinodeNetworking.aws.efaDevicesPerGPU: '-1' is no ratio above 0 such as 4, "
         "1/2 or 0.5, nor auto or shape"},
        {"aws: {enabled: true, efaDevicesPerGPU: 1/0}",
         "line 2: multinodeNetworking.aws.efaDevicesPerGPU: '1/0' is no ratio above 0 such as 4, "
         "1/2 or 0.5, nor auto or shape"},
        /* Also where the provider is switched off. */
        {"{oci: {enabled: true}, aws: {efaDevicesPerGPU: 4x}}",
         "line 2: multinodeNetworking.aws.efaDevicesPerGPU: '4x' is no ratio above 0 such as 4, "
         "1/2 or 0.5, nor auto or shape"},
        {"aws: {enabled: true, efaDevicesPerGPU: [4]}",
         "line 2: multinodeNetworking.aws.efaDevicesPerGPU: not a text"},
        {"azure: {rdmaDeviceName: [a]}",
         "line 2: multinodeNetworking.azure.rdmaDeviceName: not a text"},
        {"gcp: {networks: [a, '']}", "line 2: multinodeNetworking.gcp.networks: an empty text"},
        {"gcp: {networks: {a: b}}", "line 2: multinodeNetworking.gcp.networks: not a text"},
        {"oci: {networkAttachment: {}}",
         "line 2: multinodeNetworking.oci.networkAttachment: not a text"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[256];
        struct fb_config config;
        struct fb_error err = {0};

        assert_true(snprintf(yaml, sizeof yaml, "multinodeNetworking:\n  %s\n", cases[i].yaml) <
                    (int)sizeof yaml);
        assert_int_equal(read_config(*state, yaml, &config, &err), FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
        assert_null(config.settings.provider);
    }
}

static void test_config_read_helix__takes_the_block_out_of_a_whole_file(void **state)
{
    static const char yaml[] = "rbac: {volcanoEnabled: true}\n"
                               "mode: 7\n"
                               "provider: nothing of ours\n"
                               "multinodeNetworking:\n"
                               "  # -- One provider\n"
                               "  aws: {enabled: false, efaDevicesPerGPU: 1}\n"
                               "  azure:\n"
                               "    enabled: true\n"
                               "    rdmaDevicesPerGPU: 1\n"
                               "    rdmaDeviceName: \"hca_shared_devices_a\"\n"
                               "  gcp: {enabled: false}\n"
                               "  oci: {enabled: false, rdmaDevicesPerGPU: 8}\n";
    struct fb_config config;
    struct fb_error err = {0};

    assert_int_equal(fb_config_defaults(*state, &config), FB_OK);
    assert_int_equal(fb_config_read_helix(*state, &config, &policies, yaml, strlen(yaml), &err),
                     FB_OK);
    assert_string_equal(config.settings.provider, "azure");
    assert_string_equal(config.settings.nic_resource, "rdma/hca_shared_devices_a");
    assert_int_equal(config.settings.ratio_mode, FB_RATIO_CONFIGURED);
    assert_int_equal(config.settings.ratio.num, 1);
    assert_int_equal(config.mode, FB_MODE_ENFORCE);
}

static void test_config_read_helix__refuses_bad_input_and_says_where(void **state)
{
    static const struct {
        const char *first, *yaml, *want;
    } cases[] = {
        {"", "", "multinodeNetworking: no such block in these values"},
        {"", "mode: observe\n", "multinodeNetworking: no such block in these values"},
        {"", "multinodeNetworking:\n", "multinodeNetworking: no such block in these values"},
        {"", "- 1\n", "line 1: not a mapping"},
        {"", "\nmultinodeNetworking: {aws: {enable: true}}\n",
         "line 2: multinodeNetworking.aws.enable: unknown key, nearest is 'enabled'"},
        {"", "a: 1\nmultinodeNetworking: {}\n",
         "line 2: multinodeNetworking: no provider is enabled, of aws, azure, gcp and oci"},
        {"provider: auto\n", "multinodeNetworking: {aws: {enabled: true}}\n",
         "line 1: multinodeNetworking: not beside provider, only one may be"},
        {"multinodeNetworking: {oci: {enabled: true}}\n",
         "multinodeNetworking: {aws: {enabled: true}}\n",
         "line 1: multinodeNetworking: given in the configuration already, only one may be"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_config config;
        struct fb_config before;
        struct fb_error err = {0};

        assert_int_equal(read_config(*state, cases[i].first, &config, NULL), FB_OK);
        before = config;
        assert_int_equal(fb_config_read_helix(*state, &config, &policies, cases[i].yaml,
                                              strlen(cases[i].yaml), &err),
                         FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
        assert_memory_equal(&config, &before, sizeof config);
    }
}

static void test_config_read__bounds_the_providers_of_the_block(void **state)
{
    static struct fb_policy many[65];
    const struct fb_policies set = {many, COUNT(many), COUNT(many)};
    static char names[COUNT(many)][4];
    static const char yaml[] = "multinodeNetworking: {p00: {enabled: true}}\n";
    struct fb_config config;
    struct fb_error err = {0};

    for (size_t i = 0; i < COUNT(many); i++) {
        (void)snprintf(names[i], sizeof names[i], "p%02u", (unsigned)i % 100);
        many[i] = (struct fb_policy){.provider = names[i], .helix = {.ratio_key = "ratio"}};
    }
    assert_int_equal(fb_config_defaults(*state, &config), FB_OK);
    assert_int_equal(fb_config_read(*state, &config, &set, yaml, strlen(yaml), &err), FB_ELIMIT);
    assert_string_equal(err.text, "line 1: multinodeNetworking: more than 64 policies have a part");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config_read__takes_the_block_of_helix),
        cmocka_unit_test(test_config_read__refuses_a_bad_block_and_says_where),
        cmocka_unit_test(test_config_read_helix__takes_the_block_out_of_a_whole_file),
        cmocka_unit_test(test_config_read_helix__refuses_bad_input_and_says_where),
        cmocka_unit_test(test_config_read__bounds_the_providers_of_the_block),
    };

    return cmocka_run_group_tests_name("config_network", tests, set_up, tear_down);
}
