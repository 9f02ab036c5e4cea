/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/policyfile.h"

#include "shelf.h"
#include "unit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What the shipped policies put into pods, in form and in the figures that matter most. */

/* The merged equipment of @shape, "": of the provider alone. */
static struct fb_equip equip_of(struct shelf *shelf, const char *provider, const char *shape)
{
    const struct fb_policy *policy = fb_policies_find(&shelf->all, provider);
    const struct fb_shape *at = policy != NULL ? fb_policy_shape(policy, shape) : NULL;
    struct fb_equip got;

    if (policy == NULL || (*shape != '\0' && at == NULL))
        fail_msg("%s has no %s", provider, shape);
    assert_int_equal(
        fb_equip_merge(shelf->arena, &policy->equip, at != NULL ? &at->equip : NULL, &got), FB_OK);
    return got;
}

/* @check sees the equipment of every shape of every provider, and of the providers alone. */
static void walk(struct shelf *shelf, void (*check)(struct shelf *shelf, const char *where,
                                                    const struct fb_equip *equip))
{
    size_t seen = 0;

    for (size_t p = 0; p < shelf->all.len; p++) {
        const struct fb_policy *policy = &shelf->all.at[p];

        for (size_t s = 0; s <= policy->shapes_len; s++) {
            const char *shape = s < policy->shapes_len ? policy->shapes[s].name : "";
            struct fb_equip equip = equip_of(shelf, policy->provider, shape);
            char where[128];

            (void)snprintf(where, sizeof where, "%s %s", policy->provider, shape);
            check(shelf, where, &equip);
            seen++;
        }
    }
    assert_true(seen > 70);
}

static void check_variables(const char *where, const struct fb_pairs *pairs)
{
    for (size_t i = 0; i < pairs->len; i++) {
        const char *name = pairs->at[i].key;
        const char *value = pairs->at[i].value;

        if (isdigit((unsigned char)name[0]) || name[0] == '\0' ||
            strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") !=
                strlen(name))
            fail_msg("%s: %s is no name of a variable", where, name);
        if (value[0] == '\0' || value[0] == ' ' || value[strlen(value) - 1] == ' ')
            fail_msg("%s: %s has the value '%s'", where, name, value);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(name, pairs->at[j].key);
    }
}

static void check_names(struct shelf *shelf, const char *where, const struct fb_equip *equip)
{
    (void)shelf;
    check_variables(where, &equip->env);
    check_variables(where, &equip->conf);
    for (size_t i = 0; i < equip->conf.len; i++) {
        if (!fb_text_has_prefix(equip->conf.at[i].key, "NCCL_") &&
            !fb_text_has_prefix(equip->conf.at[i].key, "RCCL_"))
            fail_msg("%s: %s in nccl.conf", where, equip->conf.at[i].key);
    }
}

static void test_policies__name_variables_as_variables_are_named(void **state)
{
    walk(*state, check_names);
}

/* A line of nccl.conf that a variable hides would do nothing, and the topology is not theirs. */
static void check_layers(struct shelf *shelf, const char *where, const struct fb_equip *equip)
{
    (void)shelf;
    for (size_t i = 0; i < equip->conf.len; i++) {
        if (fb_pairs_find(&equip->env, equip->conf.at[i].key) != NULL)
            fail_msg("%s: %s is in env and in bind", where, equip->conf.at[i].key);
    }
    if (fb_pairs_find(&equip->env, "NCCL_TOPO_FILE") != NULL ||
        fb_pairs_find(&equip->conf, "NCCL_TOPO_FILE") != NULL)
        fail_msg("%s: NCCL_TOPO_FILE", where);
    if (fb_pairs_find(&equip->env, "NCCL_NET") != NULL ||
        fb_pairs_find(&equip->conf, "NCCL_NET") != NULL)
        fail_msg("%s: NCCL_NET is ncclNet's", where);
}

static void test_policies__set_each_variable_in_one_place(void **state)
{
    walk(*state, check_layers);
}

static void check_source(struct shelf *shelf, const char *where, const struct fb_equip_mount *mount)
{
    struct fb_yaml_documents all = {0};
    struct fb_error err = {0};

    if (fb_yaml_parse(shelf->arena, mount->source, strlen(mount->source), &all, &err) != FB_OK)
        fail_msg("%s: %s: %s", where, mount->source, err.text);
    assert_int_equal(all.len, 1);
    assert_int_equal(all.at[0].type, FB_YAML_MAP);
    assert_int_equal(all.at[0].len, 1);
    assert_string_equal(all.at[0].keys[0], mount->kind);
    assert_true(strchr(mount->source, '\n') == NULL && strchr(mount->source, ' ') == NULL);
}

static void check_mounts(struct shelf *shelf, const char *where, const struct fb_equip *equip)
{
    bool shm = false;

    for (size_t i = 0; i < equip->mounts_len; i++) {
        const struct fb_equip_mount *mount = &equip->mounts[i];

        if (mount->path[0] != '/')
            fail_msg("%s: %s", where, mount->path);
        check_source(shelf, where, mount);
        shm = shm || strcmp(mount->path, "/dev/shm") == 0;
    }
    if (!shm || !fb_texts_has(&equip->capabilities, "IPC_LOCK"))
        fail_msg("%s: no /dev/shm or no IPC_LOCK", where);
}

static void test_policies__mount_absolute_paths_of_one_source(void **state)
{
    walk(*state, check_mounts);
}

static bool has_volume(const struct fb_equip_sidecar *sidecar, const char *name)
{
    for (size_t i = 0; i < sidecar->volumes_len; i++) {
        if (strcmp(sidecar->volumes[i].volume, name) == 0)
            return true;
    }
    return false;
}

/* A GPU container's mount of the same volume must mean the same thing. */
static void check_shared(const char *where, const struct fb_equip *equip,
                         const struct fb_equip_mount *volume)
{
    for (size_t i = 0; i < equip->mounts_len; i++) {
        if (strcmp(equip->mounts[i].volume, volume->volume) == 0 &&
            strcmp(equip->mounts[i].source, volume->source) != 0)
            fail_msg("%s: two sources of volume %s", where, volume->volume);
    }
}

static void check_sidecars(struct shelf *shelf, const char *where, const struct fb_equip *equip)
{
    for (size_t i = 0; i < equip->sidecars_len; i++) {
        const struct fb_equip_sidecar *sidecar = &equip->sidecars[i];
        struct fb_yaml_documents all = {0};
        const struct fb_yaml *mounts;

        assert_int_equal(
            fb_yaml_parse(shelf->arena, sidecar->container, strlen(sidecar->container), &all, NULL),
            FB_OK);
        assert_null(strstr(sidecar->container, "{version}"));
        mounts = fb_yaml_find(&all.at[0], "volumeMounts");
        assert_non_null(mounts);
        assert_int_equal(mounts->len, sidecar->volumes_len);
        for (size_t m = 0; m < mounts->len; m++) {
            if (!has_volume(sidecar, fb_yaml_find(&mounts->at[m], "name")->text))
                fail_msg("%s: %s mounts what is no volume of it", where, sidecar->name);
        }
        for (size_t v = 0; v < sidecar->volumes_len; v++) {
            check_source(shelf, where, &sidecar->volumes[v]);
            check_shared(where, equip, &sidecar->volumes[v]);
        }
    }
}

static void test_policies__give_sidecars_the_volumes_they_mount(void **state)
{
    walk(*state, check_sidecars);
}

/* Lines of nccl.conf, or "env " variables, that differ by shape; NULL: none. */
static void test_policies__set_what_the_sources_say(void **state)
{
    static const struct {
        const char *provider, *shape, *key, *env, *conf;
    } cases[] = {
        {"aws", "", "FI_EFA_USE_HUGE_PAGE", "0", NULL},
        {"aws", "p5.48xlarge", "NCCL_SOCKET_IFNAME", NULL, "^docker,lo,veth,pod-id-link"},
        {"aws", "g5.48xlarge", "NCCL_SHM_USE_CUDA_MEMCPY", NULL, "1"},
        {"aws", "g6e.48xlarge", "NCCL_SHM_USE_CUDA_MEMCPY", NULL, NULL},
        {"azure", "", "UCX_TLS", "tcp", NULL},
        {"azure", "", "OMPI_MCA_orte_keep_fqdn_hostnames", "t", NULL},
        {"azure", "Standard_ND96asr_v4", "NCCL_IB_AR_THRESHOLD", NULL, "0"},
        {"azure", "Standard_ND96isr_H100_v5", "NCCL_MIN_NCHANNELS", NULL, "32"},
        {"azure", "Standard_ND96isr_H200_v5", "NCCL_MIN_NCHANNELS", NULL, NULL},
        {"azure", "Standard_ND96isr_H200_v5", "NCCL_IGNORE_CPU_AFFINITY", NULL, "1"},
        {"gcp", "", "NCCL_SOCKET_IFNAME", NULL, NULL},
        {"gcp", "a3-megagpu-8g", "NCCL_PROTO", "Simple,LL128", NULL},
        {"gcp", "a3-megagpu-8g", "NCCL_NVLSTREE_MAX_CHUNKSIZE", "131072", NULL},
        {"gcp", "a3-megagpu-8g", "NCCL_ALGO", NULL, NULL},
        {"gcp", "a3-highgpu-8g", "NCCL_ALGO", "Ring,Tree", NULL},
        {"gcp", "a3-ultragpu-8g", "LD_LIBRARY_PATH", "/usr/local/nvidia/lib64", NULL},
        {"oci", "", "NCCL_IB_TC", "41", NULL},
        {"oci", "BM.GPU.A100-v2.8", "NCCL_IB_QPS_PER_CONNECTION", NULL, "4"},
        {"oci", "BM.GPU.H100.8", "NCCL_IB_QPS_PER_CONNECTION", NULL, "4"},
        {"oci", "BM.GPU.MI300X.8", "NCCL_IB_QPS_PER_CONNECTION", NULL, "1"},
        {"oci", "BM.GPU.B200.8", "NCCL_CUMEM_ENABLE", NULL, "0"},
        {"oci", "BM.GPU.GB200.4", "NCCL_CUMEM_ENABLE", NULL, "1"},
        {"oci", "BM.GPU.H100.8", "NCCL_IB_HCA", NULL, "mlx5"},
        {"oci", "BM.GPU.RTXPRO.8", "NCCL_IB_HCA", NULL,
         "=mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_6,mlx5_7,mlx5_8,mlx5_9"},
        {"oci", "BM.GPU.MI355X.8", "NCCL_IB_GID_INDEX", NULL, "1"},
        {"oci", "BM.GPU.MI355X.8", "NCCL_SOCKET_IFNAME", NULL, "ens9np0"},
        {"oci", "BM.GPU.H200.8", "NCCL_IB_GID_INDEX", NULL, "3"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_equip got = equip_of(*state, cases[i].provider, cases[i].shape);

        if (!fb_text_equal(fb_pairs_find(&got.env, cases[i].key), cases[i].env) ||
            !fb_text_equal(fb_pairs_find(&got.conf, cases[i].key), cases[i].conf))
            fail_msg("%s %s: %s is another", cases[i].provider, cases[i].shape, cases[i].key);
    }
}

static void test_policies__name_the_network_of_nccl_where_it_is_known(void **state)
{
    static const struct {
        const char *provider, *shape, *want;
    } cases[] = {
        {"aws", "", "AWS Libfabric"},
        {"azure", "", "IB"},
        {"coreweave", "", "IB"},
        {"nebius", "", "IB"},
        {"onprem", "", NULL},
        {"oci", "", "IB"},
        {"oci", "BM.GPU.MI355X.8", NULL},
        {"gcp", "", NULL},
        {"gcp", "a3-highgpu-8g", NULL},
        {"gcp", "a3-megagpu-8g", "FasTrak"},
        {"gcp", "a3-ultragpu-8g", "gIB"},
        {"gcp", "a4-highgpu-8g", "gIB"},
        {"gcp", "a4x-highgpu-4g", "gIB"},
        {"gcp", "a4x-maxgpu-4g-metal", "gIB"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_equip got = equip_of(*state, cases[i].provider, cases[i].shape);

        if (!fb_text_equal(got.nccl_net, cases[i].want))
            fail_msg("%s %s: NCCL_NET", cases[i].provider, cases[i].shape);
    }
}

/* Names and interfaces belong together, so both are read of one list. */
static void test_policies__know_the_usual_networks(void **state)
{
    static const struct {
        const char *shape, *first, *last;
        size_t networks;
        long from;
    } cases[] = {
        {"a3-highgpu-8g", "vpc1", "vpc4", 4, 1},
        {"a3-megagpu-8g", "gpu-nic0", "gpu-nic7", 8, 1},
        {"a3-ultragpu-8g", "rdma-0", "rdma-7", 8, 2},
        {"a4-highgpu-8g", "rdma-0", "rdma-7", 8, 2},
        {"a4x-highgpu-4g", "rdma-0", "rdma-3", 4, 2},
    };
    struct shelf *shelf = *state;
    const struct fb_policy *policy = fb_policies_find(&shelf->all, "gcp");

    assert_string_equal(policy->assume, "a3-megagpu-8g");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fb_shape *shape = fb_policy_shape(policy, cases[i].shape);
        struct fb_equip got = equip_of(shelf, "gcp", cases[i].shape);

        assert_int_equal(shape->networks.len, cases[i].networks);
        assert_int_equal(shape->networks.len, shape->nics);
        assert_string_equal(shape->networks.at[0], cases[i].first);
        assert_string_equal(shape->networks.at[shape->networks.len - 1], cases[i].last);
        assert_int_equal(got.interface_from, cases[i].from);
        assert_string_equal(got.first_interface, "eth0");
        assert_non_null(fb_pairs_find(&got.annotations, "networking.gke.io/default-interface"));
    }
}

static void test_policies__name_the_multus_network_of_the_resource(void **state)
{
    struct fb_equip got = equip_of(*state, "oci", "");

    assert_string_equal(got.networks_annotation, "k8s.v1.cni.cncf.io/networks");
    assert_string_equal(fb_equip_network(&got, "nvidia.com/mlnxnics"),
                        "network-operator/sriov-net");
    assert_string_equal(fb_equip_network(&got, "nvidia.com/rdma-vf"), "default/rdma-vf");
}

static void test_policies__run_the_daemon_of_the_current_release(void **state)
{
    struct fb_equip got = equip_of(*state, "gcp", "a3-megagpu-8g");

    assert_int_equal(got.sidecars_len, 1);
    assert_string_equal(got.sidecars[0].name, "tcpxo-daemon");
    assert_non_null(strstr(got.sidecars[0].container, "/tcpgpudmarxd-dev:v1.0.21\""));
    assert_null(strstr(got.sidecars[0].container, "--num_nics"));
    assert_int_equal(got.sidecars[0].level, FB_POD_SECURITY_PRIVILEGED);
    assert_non_null(strstr(fb_pairs_find(&got.annotations, "devices.gke.io/container.tcpxo-daemon"),
                           "- path: /dev/nvidia7\n- path: /dev/nvidiactl\n"));
}

/* Every topology needs both for its file. */
static void test_policies__know_speed_and_class_of_every_topology(void **state)
{
    struct shelf *shelf = *state;
    size_t topologies = 0;

    for (size_t p = 0; p < shelf->all.len; p++) {
        const struct fb_policy *policy = &shelf->all.at[p];

        for (size_t s = 0; s < policy->shapes_len; s++) {
            bool has = policy->shapes[s].topology_len > 0;

            if (has != (policy->shapes[s].equip.link_speed != NULL))
                fail_msg("%s: topology or linkSpeed alone", policy->shapes[s].name);
            if (has && policy->equip.nic_class == NULL)
                fail_msg("%s: no nicClass", policy->provider);
            topologies += has ? 1 : 0;
        }
    }
    assert_int_equal(topologies, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policies__name_variables_as_variables_are_named),
        cmocka_unit_test(test_policies__set_each_variable_in_one_place),
        cmocka_unit_test(test_policies__mount_absolute_paths_of_one_source),
        cmocka_unit_test(test_policies__give_sidecars_the_volumes_they_mount),
        cmocka_unit_test(test_policies__set_what_the_sources_say),
        cmocka_unit_test(test_policies__name_the_network_of_nccl_where_it_is_known),
        cmocka_unit_test(test_policies__know_the_usual_networks),
        cmocka_unit_test(test_policies__name_the_multus_network_of_the_resource),
        cmocka_unit_test(test_policies__run_the_daemon_of_the_current_release),
        cmocka_unit_test(test_policies__know_speed_and_class_of_every_topology),
    };

    return cmocka_run_group_tests_name("policies_equip", tests, shelf_fill, shelf_empty);
}
