/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/config.h"

#include "fabricbind/own.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fb_shape shapes[] = {{.name = "large.8"}, {.name = "small.4"}};
static struct fb_policy all[] = {
    {.provider = "aws", .shapes = shapes, .shapes_len = 2, .helix = {.ratio_key = "ratio"}},
    {.provider = "azure",
     .helix = {.ratio_key = "ratio", .resource_key = "resource", .resource_prefix = "rdma/"}},
    {.provider = "gcp", .helix = {.networks_key = "networks"}},
    {.provider = "oci", .helix = {.resource_key = "resource", .attachment_key = "attachment"}},
    {.provider = "onprem"},
};
static const struct fb_policies policies = {all, 5, 5};

/* What was read is whole: every text is there and every number in its range. */
static void check(const struct fb_config *config)
{
    const struct fb_settings *settings = &config->settings;

    assert(settings->gpu_resources.len > 0);
    for (size_t i = 0; i < settings->owners_len; i++)
        assert(settings->owners[i].kind[0] != '\0' && settings->owners[i].group[0] != '\0');
    assert(settings->ratio_mode != FB_RATIO_CONFIGURED || settings->ratio.den > 0);
    assert(settings->scoring.weight >= 1 && settings->scoring.weight <= 1000000);
    assert(config->limits.file_bytes > 0 && config->limits.nodes > 0 && config->limits.depth > 0);
    assert(strchr(config->listen.extender, ':') != NULL && settings->boundary != NULL);
    assert(config->mode <= FB_MODE_OBSERVE && config->wiring <= FB_WIRING_LEAN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new((size_t)64 << 20);
    const char *text = (const char *)data;
    struct fb_config config;
    struct fb_error err = {0};

    if (arena == NULL || fb_config_defaults(arena, &config) != FB_OK)
        return 0;
    if (fb_config_read(arena, &config, &policies, text, size, &err) == FB_OK)
        (void)!fb_config_finish(&config, &policies, &err);
    else
        assert(err.text[0] != '\0');
    check(&config);
    (void)!fb_config_read_helix(arena, &config, &policies, text, size, NULL);
    check(&config);
    return 0;
}
