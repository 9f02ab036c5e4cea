/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/injection.h"
#include "fabricbind/own.h"
#include "fabricbind/patch.h"

#include "apply_patch.h"
#include "read_pod.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * The first byte chooses the fabric and what is configured, the rest is a Pod. What is put into a
 * pod that could be read must apply, the pod that comes of it must be readable, and the second
 * time there is nothing left to do.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TEXTS(...)                                                                                 \
    {                                                                                              \
        .at = (const char *[]){__VA_ARGS__},                                                       \
        .len = sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *)                        \
    }

static struct fb_nic_rule rules[] = {
    {"n/ic", FB_NIC_EXCLUSIVE, {0}}, {"n/seat", FB_NIC_SLOT, {0}}, {"net/*", FB_NIC_EACH, {0}}};
static struct fb_policy policy = {.provider = "p", .nics = rules, .nics_len = 3};
static const struct fb_policies policies = {.at = &policy, .len = 1};
static const struct fb_settings settings = {.gpu_resources = TEXTS("gpu", "gpu2"),
                                            .match_gangs = true};
static struct fb_shape shape = {.name = "s", .gpus = 8, .nics = 2};

static const struct fb_texts nics[] = {TEXTS("n/ic"), TEXTS("n/seat"), TEXTS("net/a", "net/b"),
                                       TEXTS("own/vf")};

/* The last of them is of a resource that no policy knows. */
static struct fb_fabric make_fabric(unsigned choice)
{
    static const enum fb_nic_kind kinds[] = {FB_NIC_EXCLUSIVE, FB_NIC_SLOT, FB_NIC_EACH,
                                             FB_NIC_EXCLUSIVE};
    struct fb_fabric fabric = {.has_nics = true,
                               .kind = kinds[choice],
                               .nics = nics[choice],
                               .gpus = 8,
                               .auto_ratio = {1, 4}};

    if (choice < 3) {
        fabric.policy = &policy;
        fabric.shape = &shape;
    }
    return fabric;
}

static struct fb_equip_mount mounts[] = {
    {.volume = "v", .path = "/v", .source = "{\"emptyDir\":{}}", .kind = "emptyDir", .on = true},
    {.volume = "w",
     .path = "/w",
     .source = "{\"hostPath\":{\"path\":\"/\"}}",
     .kind = "hostPath",
     .read_only = true,
     .on = true},
};
static struct fb_equip_sidecar sidecar = {
    .name = "d",
    .container = "{\"name\":\"d\",\"restartPolicy\":\"Always\",\"volumeMounts\":[{\"name\":\"v\","
                 "\"mountPath\":\"/v\"},{\"name\":\"w\",\"mountPath\":\"/w\"}]}",
    .volumes = mounts,
    .volumes_len = 2,
    .level = FB_POD_SECURITY_BASELINE,
};
static struct fb_pair env[] = {{"A", "1"}, {"B", "$(A)\""}};
static struct fb_pair requests[] = {{"cpu", "100m"}, {"hugepages-2Mi", "1Gi"}};
static struct fb_pair annotations[] = {{"a~/b", "\n"}, {"c", ""}};
static struct fb_pair pins[] = {{"type", "t"}, {"zone", "z"}};

static const struct fb_equip equip = {
    .env = {.at = env, .len = 2},
    .mounts = mounts,
    .mounts_len = 2,
    .capabilities = TEXTS("X", "CHOWN"),
    .no_escalation = true,
    .seccomp = "RuntimeDefault",
    .requests = {.at = requests, .len = 2},
    .annotations = {.at = annotations, .len = 2},
    .networks_annotation = "nets",
    .network = "n/n",
    .interfaces_annotation = "ifs",
    .first_interface = "eth0",
    .first_network = "default",
    .interface_prefix = "eth",
    .interface_from = 1,
    .sidecars = &sidecar,
    .sidecars_len = 1,
    .nccl_net = "N",
    .has_conf_file = true,
    .conf_file = FB_CONF_FILE_BOTH,
};

static void check(bool right)
{
    if (!right)
        abort();
}

/* Inject @json; false when it is no pod. */
static bool inject(struct fb_arena *arena, const char *json, size_t len, uint8_t choice,
                   struct fb_injection *ret)
{
    struct fb_pod pod;
    struct fb_podspec spec;
    struct fb_fabric fabric = make_fabric(choice & 3U);
    struct fb_injection_input in = {
        .pod = &pod,
        .spec = &spec,
        .fabric = &fabric,
        .equip = &equip,
        .policies = &policies,
        .settings = &settings,
        .require_transport = (choice & 4) != 0,
        .level = (enum fb_pod_security)((choice >> 3) % 3),
        .pins = {.at = pins, .len = (choice >> 5) % 3},
    };

    if (read_pod(arena, json, len, &pod, &spec, NULL) != FB_OK)
        return false;
    in.networking = fb_need_networking(&pod, &settings, true, 2);
    check(fb_injection_make(arena, &in, ret) == FB_OK);
    check(ret->refused == NULL || ret->patch.len == 0);
    return true;
}

static void check_same(const struct fb_texts *a, const struct fb_texts *b)
{
    check(a->len == b->len);
    for (size_t i = 0; i < a->len; i++)
        check(strcmp(a->at[i], b->at[i]) == 0);
}

static void run(const char *json, size_t len, uint8_t choice)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_injection first, second;
    char *patch, *text;
    int failed;

    check(arena != NULL);
    if (!inject(arena, json, len, choice, &first))
        return;
    patch = fb_patch_encode(&first.patch);
    check(patch != NULL);
    text = apply_patch(json, patch, &failed);
    check(text != NULL);
    check(inject(arena, text, strlen(text), choice, &second));
    check(second.patch.len == 0);
    check_same(&first.degraded, &second.degraded);
    check(fb_text_equal(first.refused, second.refused));
    free(text);
    free(patch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *json;

    if (size < 1)
        return 0;
    json = malloc(size); /* the NUL is for the one who applies */
    check(json != NULL);
    memcpy(json, data + 1, size - 1);
    json[size - 1] = '\0';
    run(json, size - 1, data[0]);
    free(json);
    return 0;
}
