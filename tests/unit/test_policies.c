/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/policyfile.h"

#include "shelf.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The policies that are shipped, against figures written down a second time. */

#define UNKNOWN (-1)

static const struct shipped {
    const char *provider, *shape;
    int64_t gpus, nics, gbps;
    bool host_network, dra;
} shipped[] = {
    {"aws", "p3dn.24xlarge", 8, 1, 100, false, false},
    {"aws", "p4d.24xlarge", 8, 4, 400, false, false},
    {"aws", "p4de.24xlarge", 8, 4, 400, false, false},
    {"aws", "p5.4xlarge", 1, 1, 100, false, false},
    {"aws", "p5.48xlarge", 8, 32, 3200, false, false},
    {"aws", "p5e.48xlarge", 8, 32, 3200, false, false},
    {"aws", "p5en.48xlarge", 8, 16, 3200, false, false},
    {"aws", "p6-b200.48xlarge", 8, 8, 3200, false, false},
    {"aws", "p6-b300.48xlarge", 8, 16, 6400, false, false},
    {"aws", "p6e-gb200.36xlarge", 4, 4, 0, false, false},
    {"aws", "p6e-gb300.36xlarge", 4, UNKNOWN, 0, false, false},
    {"aws", "g4dn.8xlarge", 1, 1, 50, false, false},
    {"aws", "g4dn.12xlarge", 4, 1, 50, false, false},
    {"aws", "g4dn.16xlarge", 1, 1, 50, false, false},
    {"aws", "g4dn.metal", 8, 1, 100, false, false},
    {"aws", "g5.8xlarge", 1, 1, 25, false, false},
    {"aws", "g5.12xlarge", 4, 1, 40, false, false},
    {"aws", "g5.16xlarge", 1, 1, 25, false, false},
    {"aws", "g5.24xlarge", 4, 1, 50, false, false},
    {"aws", "g5.48xlarge", 8, 1, 100, false, false},
    {"aws", "g6.8xlarge", 1, 1, 25, false, false},
    {"aws", "g6.12xlarge", 4, 1, 40, false, false},
    {"aws", "g6.16xlarge", 1, 1, 25, false, false},
    {"aws", "g6.24xlarge", 4, 1, 50, false, false},
    {"aws", "g6.48xlarge", 8, 1, 100, false, false},
    {"aws", "g6e.8xlarge", 1, 1, 25, false, false},
    {"aws", "g6e.12xlarge", 4, 1, 100, false, false},
    {"aws", "g6e.16xlarge", 1, 1, 35, false, false},
    {"aws", "g6e.24xlarge", 4, 2, 200, false, false},
    {"aws", "g6e.48xlarge", 8, 4, 400, false, false},
    {"aws", "g7.8xlarge", 1, 1, 80, false, false},
    {"aws", "g7.12xlarge", 2, 1, 175, false, false},
    {"aws", "g7.24xlarge", 4, 1, 350, false, false},
    {"aws", "g7.48xlarge", 8, 2, 700, false, false},
    {"aws", "g7e.8xlarge", 1, 1, 100, false, false},
    {"aws", "g7e.12xlarge", 2, 1, 400, false, false},
    {"aws", "g7e.24xlarge", 4, 2, 800, false, false},
    {"aws", "g7e.48xlarge", 8, 4, 1600, false, false},
    {"aws", "gr6.8xlarge", 1, 1, 0, false, false},
    {"aws", "trn1.32xlarge", 0, 8, 800, false, false},
    {"aws", "trn1n.32xlarge", 0, 16, 1600, false, false},
    {"aws", "trn2.48xlarge", 0, 16, 3200, false, false},
    {"aws", "inf1.24xlarge", 0, 1, 100, false, false},
    {"aws", "dl2q.24xlarge", 0, 1, 100, false, false},
    {"azure", "Standard_ND96asr_v4", 8, 8, 1600, false, false},
    {"azure", "Standard_ND96amsr_A100_v4", 8, 8, 1600, false, false},
    {"azure", "Standard_ND96isr_H100_v5", 8, 8, 3200, false, false},
    {"azure", "Standard_ND96isr_H200_v5", 8, 8, 3200, false, false},
    {"azure", "Standard_ND96isr_MI300X_v5", 8, 8, 3200, false, false},
    {"azure", "Standard_ND96is_MI300X_v5", 8, 0, 0, false, false},
    {"azure", "Standard_ND128isr_NDR_GB200_v6", 4, 4, 1600, false, false},
    {"azure", "Standard_ND128isr_GB300_v6", 4, 4, 3200, false, false},
    {"coreweave", "gd-8xh100ib-i128", 8, 8, 3200, false, false},
    {"gcp", "a3-highgpu-8g", 8, 4, 800, false, false},
    {"gcp", "a3-edgegpu-8g", 8, 4, 0, false, false},
    {"gcp", "a3-megagpu-8g", 8, 8, 1600, false, false},
    {"gcp", "a3-ultragpu-8g", 8, 8, 3200, false, false},
    {"gcp", "a4-highgpu-8g", 8, 8, 3200, false, false},
    {"gcp", "a4x-highgpu-4g", 4, 4, 1600, false, false},
    {"gcp", "a4x-maxgpu-4g-metal", 4, 8, 3200, false, true},
    {"nebius", "gpu-h200-sxm", 8, 8, 0, false, false},
    {"oci", "BM.GPU4.8", 8, 16, 1600, false, false},
    {"oci", "BM.GPU.A100-v2.8", 8, 16, 1600, false, false},
    {"oci", "BM.GPU.B4.8", 8, 16, 1600, false, false},
    {"oci", "BM.GPU.H100.8", 8, 16, 3200, false, false},
    {"oci", "BM.GPU.H200.8", 8, 8, 3200, false, false},
    {"oci", "BM.GPU.B200.8", 8, 8, 3200, false, false},
    {"oci", "BM.GPU.B300.8", 8, 16, 0, false, false},
    {"oci", "BM.GPU.MI300X.8", 8, 8, 3200, false, false},
    {"oci", "BM.GPU.MI355X.8", 8, 8, 3200, true, false},
    {"oci", "BM.GPU.MI355X-v1.8", 8, 8, 0, false, false},
    {"oci", "BM.GPU.GB200.4", 4, 4, 1600, false, false},
    {"oci", "BM.GPU.GB200-v2.4", 4, 4, 0, true, false},
    {"oci", "BM.GPU.GB200-v3.4", 4, 8, 0, true, false},
    {"oci", "BM.GPU.GB300.4", 4, 8, 3200, true, false},
    {"oci", "BM.GPU.L40S.4", 4, UNKNOWN, 800, false, false},
    {"oci", "BM.GPU.RTXPRO.8", 8, 8, 0, true, false},
};

static const struct fb_policy *policy_of(void **state, const char *provider)
{
    const struct shelf *shelf = *state;
    const struct fb_policy *policy = fb_policies_find(&shelf->all, provider);

    if (policy == NULL)
        fail_msg("no policy of %s", provider);
    return policy;
}

static void test_policies__are_called_like_their_files(void **state)
{
    const struct shelf *shelf = *state;

    assert_int_equal(shelf->all.len, SHELF_PROVIDERS);
    for (size_t i = 0; i < SHELF_PROVIDERS; i++)
        assert_string_equal(shelf->all.at[i].provider, shelf_providers[i]);
}

static void test_policies__have_the_figures_of_the_sources(void **state)
{
    for (size_t i = 0; i < COUNT(shipped); i++) {
        const struct shipped *want = &shipped[i];
        const struct fb_shape *got = fb_policy_shape(policy_of(state, want->provider), want->shape);

        if (got == NULL || got->gpus != want->gpus || got->nics != want->nics ||
            got->gbps != want->gbps || got->host_network != want->host_network ||
            got->dra != want->dra)
            fail_msg("%s: %s is missing or has other figures", want->provider, want->shape);
    }
}

static void test_policies__have_no_shape_besides(void **state)
{
    const struct shelf *shelf = *state;
    size_t shapes = 0;

    for (size_t i = 0; i < shelf->all.len; i++)
        shapes += shelf->all.at[i].shapes_len;
    assert_int_equal(shapes, COUNT(shipped));
}

static void test_policies__know_the_kind_of_each_nic_resource(void **state)
{
    static const struct {
        const char *provider, *resource, *want; /* NULL: none of its NICs */
    } cases[] = {
        {"aws", "vpc.amazonaws.com/efa", "exclusive"},
        {"aws", "rdma/ib", NULL},
        {"azure", "rdma/ib", "exclusive"},
        {"azure", "nvidia.com/mlnxnics", "exclusive"},
        {"azure", "rdma/shared_ib", "slot"},
        {"azure", "rdma/hca_shared_devices_a", "slot"},
        {"azure", "nvidia.com/ib", "slot"},
        {"coreweave", "rdma/ib", "slot"},
        {"gcp", "networking.gke.io.networks/vpc1", "each"},
        {"gcp", "networking.gke.io.networks/rdma-0", "each"},
        {"gcp", "networking.gke.io.networks/vpc1.IP", NULL},
        {"gcp", "networking.gke.io.networks/gvnic-1", NULL},
        {"nebius", "rdma/ib", "slot"},
        {"oci", "nvidia.com/rdma-vf", "exclusive"},
        {"oci", "nvidia.com/sriov_rdma_vf", "exclusive"},
        {"oci", "nvidia.com/mlnxnics", "exclusive"},
        {"onprem", "nvidia.com/hostdev", "exclusive"},
        {"onprem", "nvidia.com/mlnxnics", "exclusive"},
        {"onprem", "openshift.io/mlnxnics", "exclusive"},
        {"onprem", "nvidia.com/rdma-vf", "exclusive"},
        {"onprem", "nvidia.com/sriov_rdma_vf", "exclusive"},
        {"onprem", "nvidia.com/ib", "slot"},
        {"onprem", "rdma/ib", "slot"},
        {"onprem", "rdma/roce_gdr", "slot"},
        {"onprem", "rdma/anything", "slot"},
        {"onprem", "nvidia.com/gpu", NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fb_nic_rule *rule =
            fb_policy_nic_rule(policy_of(state, cases[i].provider), cases[i].resource);
        const char *got = rule != NULL ? fb_nic_kind_name(rule->kind) : "none";

        if (strcmp(got, cases[i].want != NULL ? cases[i].want : "none") != 0)
            fail_msg("%s: %s is %s", cases[i].provider, cases[i].resource, got);
    }
}

/* GPUs and NICs of @shape's topology in the order of the file: "gpu gpu + nic | ..., ...". */
static void format_topology(const struct fb_shape *shape, char *text, size_t size)
{
    size_t len = 0;

    text[0] = '\0';
    for (size_t n = 0; n < shape->topology_len; n++) {
        const struct fb_pci_numa *numa = &shape->topology[n];

        assert_int_equal(numa->numa, n);
        len += (size_t)snprintf(text + len, size - len, "%zu:", n);
        for (size_t s = 0; s < numa->len; s++) {
            for (size_t g = 0; g < numa->at[s].gpus.len; g++)
                len += (size_t)snprintf(text + len, size - len, " %s", numa->at[s].gpus.at[g]);
            len += (size_t)snprintf(text + len, size - len, " +");
            for (size_t g = 0; g < numa->at[s].nics.len; g++)
                len += (size_t)snprintf(text + len, size - len, " %s", numa->at[s].nics.at[g]);
            len += (size_t)snprintf(text + len, size - len, ";");
        }
        assert_true(len < size);
    }
}

#define P4                                                                                         \
    "0: 0000:10:1c.0 0000:10:1d.0 + 0000:10:1b.0; 0000:20:1c.0 0000:20:1d.0 + 0000:20:1b.0;"       \
    "1: 0000:90:1c.0 0000:90:1d.0 + 0000:90:1b.0; 0000:a0:1c.0 0000:a0:1d.0 + 0000:a0:1b.0;"
#define ND4                                                                                        \
    "0: 0003:00:00.0 0004:00:00.0 + 0103:00:00.0 0104:00:00.0;"                                    \
    "1: 0001:00:00.0 0002:00:00.0 + 0101:00:00.0 0102:00:00.0;"                                    \
    "2: 000d:00:00.0 000e:00:00.0 + 0107:00:00.0 0108:00:00.0;"                                    \
    "3: 000b:00:00.0 000c:00:00.0 + 0105:00:00.0 0106:00:00.0;"
#define ND5                                                                                        \
    "0: 0001:00:00.0 + 0101:00:00.0; 0002:00:00.0 + 0102:00:00.0;"                                 \
    " 0003:00:00.0 + 0103:00:00.0; 0008:00:00.0 + 0104:00:00.0;"                                   \
    "1: 0009:00:00.0 + 0105:00:00.0; 000a:00:00.0 + 0106:00:00.0;"                                 \
    " 000b:00:00.0 + 0107:00:00.0; 000c:00:00.0 + 0108:00:00.0;"

static void test_policies__have_the_addresses_of_the_topology_files(void **state)
{
    static const struct {
        const char *provider, *shape, *want;
    } cases[] = {
        {"aws", "p4d.24xlarge", P4},
        {"aws", "p4de.24xlarge", P4},
        {"azure", "Standard_ND96asr_v4", ND4},
        {"azure", "Standard_ND96amsr_A100_v4", ND4},
        {"azure", "Standard_ND96isr_H100_v5", ND5},
        {"azure", "Standard_ND96isr_H200_v5", ""},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fb_shape *shape =
            fb_policy_shape(policy_of(state, cases[i].provider), cases[i].shape);
        char text[1024];

        assert_non_null(shape);
        format_topology(shape, text, sizeof text);
        assert_string_equal(text, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policies__are_called_like_their_files),
        cmocka_unit_test(test_policies__have_the_figures_of_the_sources),
        cmocka_unit_test(test_policies__have_no_shape_besides),
        cmocka_unit_test(test_policies__know_the_kind_of_each_nic_resource),
        cmocka_unit_test(test_policies__have_the_addresses_of_the_topology_files),
    };

    return cmocka_run_group_tests_name("policies", tests, shelf_fill, shelf_empty);
}
