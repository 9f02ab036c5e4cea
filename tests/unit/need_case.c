/* SPDX-License-Identifier: Apache-2.0 */
#include "need_case.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder *need_case_builder(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *policy = make_policy(builder, "acme", NIC, FB_NIC_EXCLUSIVE);
    struct fb_nic_rule *each;

    give_nic_rule(builder, policy, SEAT, FB_NIC_SLOT);
    each = give_nic_rule(builder, policy, "acme.net/*", FB_NIC_EACH);
    give_text(builder, &each->exclude, "*.IP");
    give_text(builder, &policy->nic_device_classes, "acme-nic");
    return builder;
}

struct fb_fabric need_case_fabric(struct builder *builder, const char *name)
{
    static struct fb_shape big = {.name = "big", .gpus = 8, .nics = 32};
    static struct fb_shape half = {.name = "half", .gpus = 8, .nics = 4};
    static struct fb_shape small = {.name = "small", .gpus = 8, .nics = 1};
    static struct fb_shape seats = {.name = "seats", .gpus = 8, .nics = 8};
    static struct fb_shape nets = {.name = "nets", .gpus = 8, .nics = 3};
    static struct fb_shape none = {.name = "none", .gpus = 8, .nics = 0};
    static struct fb_shape unknown = {.name = "unknown", .gpus = 8, .nics = -1};
    static struct fb_shape dra = {.name = "dra", .gpus = 8, .nics = -1, .dra = true};
    static struct fb_shape host = {.name = "host", .gpus = 8, .nics = -1, .host_network = true};
    static const struct {
        const char *name;
        struct fb_shape *shape;
        const char *nics; /* "": none */
        enum fb_nic_kind kind;
        struct fb_ratio ratio; /* what `auto` means there */
    } fabrics[] = {
        {"big", &big, NIC, FB_NIC_EXCLUSIVE, {4, 1}},
        {"half", &half, NIC, FB_NIC_EXCLUSIVE, {1, 2}},
        {"small", &small, NIC, FB_NIC_EXCLUSIVE, {1, 8}},
        {"pool", &half, NIC, FB_NIC_EXCLUSIVE, {3, 8}}, /* all its nodes show 3 of 4 */
        {"own", NULL, NIC, FB_NIC_EXCLUSIVE, {2, 1}},   /* by its nodes, of no known shape */
        {"untold", &unknown, NIC, FB_NIC_EXCLUSIVE, {0, 0}},
        {"seats", &seats, SEAT, FB_NIC_SLOT, {1, 1}},
        {"nets", &nets, "acme.net/a acme.net/b acme.net/c", FB_NIC_EACH, {3, 8}},
        {"bare", &big, "", FB_NIC_EXCLUSIVE, {4, 1}}, /* its plugin is away */
        {"none", &none, "", FB_NIC_EXCLUSIVE, {0, 0}},
        {"none-seats", &none, SEAT, FB_NIC_SLOT, {0, 0}},
        {"dra", &dra, "", FB_NIC_EXCLUSIVE, {0, 0}},
        {"host", &host, "", FB_NIC_EXCLUSIVE, {0, 0}},
        {"dra-plugin", &dra, NIC, FB_NIC_EXCLUSIVE, {1, 1}},
        {"nobody", NULL, "", FB_NIC_EXCLUSIVE, {0, 0}},
    };
    size_t i = 0;
    struct fb_fabric fabric = {.gpus = 8};

    while (i < COUNT(fabrics) && strcmp(fabrics[i].name, name) != 0)
        i++;
    assert_true(i < COUNT(fabrics));
    fabric.shape = fabrics[i].shape;
    fabric.kind = fabrics[i].kind;
    fabric.auto_ratio = fabrics[i].ratio;
    fabric.has_nics = *fabrics[i].nics != '\0';
    if (strcmp(name, "nobody") != 0)
        fabric.policy = &builder->policies.at[0];
    for (const char *at = fabrics[i].nics; *at != '\0';) {
        size_t len = strcspn(at, " ");

        give_text(builder, &fabric.nics, fb_arena_text(builder->arena, at, len));
        at += len + (at[len] == ' ' ? 1 : 0);
    }
    return fabric;
}

struct fb_pod *need_case_pod(struct builder *builder, const char *text)
{
    struct fb_pod *pod = make_template(builder, "p", 0);

    pod->containers_len = 0;
    while (*text != '\0') {
        enum fb_container_role role = *text == 'i'   ? FB_CONTAINER_INIT
                                      : *text == 's' ? FB_CONTAINER_SIDECAR
                                                     : FB_CONTAINER_MAIN;
        char *end;

        give_container(builder, pod, role, strtoll(text + 1, &end, 10));
        if (*end == '/')
            give_request(builder, pod, pod->containers_len - 1, NIC, strtoll(end + 1, &end, 10));
        text = end + (*end == ' ' ? 1 : 0);
    }
    return pod;
}

void need_case_configure(struct builder *builder, const char *ratio)
{
    struct fb_settings *settings = &builder->settings;

    settings->ratio = (struct fb_ratio){0, 0};
    settings->ratio_mode = strcmp(ratio, "auto") == 0    ? FB_RATIO_AUTO
                           : strcmp(ratio, "shape") == 0 ? FB_RATIO_SHAPE
                                                         : FB_RATIO_CONFIGURED;
    if (settings->ratio_mode == FB_RATIO_CONFIGURED)
        assert_int_equal(fb_ratio_parse(ratio, &settings->ratio, NULL), FB_OK);
}

static void append(char text[NEED_CASE_TEXT], const char *what)
{
    size_t len = strlen(text);

    (void)snprintf(text + len, NEED_CASE_TEXT - len, "%s", what);
}

const char *need_case_format(const struct fb_need *need, char text[NEED_CASE_TEXT])
{
    static const char *const sources[] = {
        [FB_NEED_NONE] = "none",
        [FB_NEED_OWN] = "own",
        [FB_NEED_ANNOTATION] = "annotation",
        [FB_NEED_CONFIGURED] = "configured",
        [FB_NEED_AUTO] = "auto",
    };

    (void)snprintf(text, NEED_CASE_TEXT, "%lld GPUs, ", (long long)need->gpus);
    for (size_t i = 0; i < need->nics.len; i++) {
        const struct fb_resource *nic = &need->nics.at[i];
        char one[128];

        (void)snprintf(one, sizeof one, "%s %lld, ", nic->name, (long long)nic->amount);
        append(text, one);
        assert_int_equal(fb_resources_get(&need->all, nic->name), nic->amount);
    }
    append(text, sources[need->source]);
    append(text, need->whole ? ", whole" : "");
    append(text, need->plain ? ", plain" : "");
    return text;
}
