/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_CONFIG_POLICIES_H
#define FB_TESTS_CONFIG_POLICIES_H

#include "fabricbind/config.h"

#include "unit.h"

#include <string.h>

/* Providers as the shipped policies have them, as far as the configuration asks. */
static const char *prefixes[] = {"ml."};
static struct fb_shape aws_shapes[] = {{.name = "p4d.24xlarge"}, {.name = "p5.48xlarge"}};
static struct fb_shape oci_shapes[] = {{.name = "BM.GPU.H100.8"}};
static struct fb_policy all[] = {
    {.provider = "aws",
     .detect = {.instance_type_prefixes = {prefixes, 1, 1}},
     .shapes = aws_shapes,
     .shapes_len = 2,
     .helix = {.ratio_key = "efaDevicesPerGPU"}},
    {.provider = "azure",
     .helix = {.ratio_key = "rdmaDevicesPerGPU",
               .resource_key = "rdmaDeviceName",
               .resource_prefix = "rdma/"}},
    {.provider = "gcp", .helix = {.networks_key = "networks"}},
    {.provider = "oci",
     .shapes = oci_shapes,
     .shapes_len = 1,
     .helix = {.ratio_key = "rdmaDevicesPerGPU",
               .resource_key = "rdmaResourceName",
               .attachment_key = "networkAttachment"}},
    {.provider = "onprem"},
};
static const struct fb_policies policies = {all, COUNT(all), COUNT(all)};

static inline int set_up(void **state)
{
    *state = fb_arena_new(0);
    return *state == NULL;
}

static inline int tear_down(void **state)
{
    fb_arena_free(*state);
    return 0;
}

static inline enum fb_status read_config(struct fb_arena *arena, const char *yaml,
                                         struct fb_config *ret, struct fb_error *err)
{
    assert_int_equal(fb_config_defaults(arena, ret), FB_OK);
    return fb_config_read(arena, ret, &policies, yaml, strlen(yaml), err);
}

#endif
