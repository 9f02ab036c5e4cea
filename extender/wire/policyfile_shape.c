/* SPDX-License-Identifier: Apache-2.0 */
#include "policyfile_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COUNT_MAX 1000000

static enum fb_status read_count(const struct fb_yaml *node, const char *key, int64_t *ret,
                                 struct fb_error *err)
{
    return fb_yaml_int(node, key, 0, COUNT_MAX, ret, err);
}

/* "0000:10:1c.0": domain, bus, device, function. */
static bool is_pci_address(const char *text)
{
    static const char form[] = "xxxx:xx:xx.o";
    size_t i;

    for (i = 0; form[i] != '\0'; i++) {
        bool fits = form[i] == text[i];

        if (form[i] == 'x')
            fits = isxdigit((unsigned char)text[i]) != 0;
        else if (form[i] == 'o')
            fits = text[i] >= '0' && text[i] <= '7';
        if (!fits)
            return false;
    }
    return text[i] == '\0';
}

static enum fb_status check_addresses(const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    size_t len = node->type == FB_YAML_LIST ? node->len : 1;

    for (size_t i = 0; i < len; i++) {
        const struct fb_yaml *item = node->type == FB_YAML_LIST ? &node->at[i] : node;

        if (item->type == FB_YAML_SCALAR && !is_pci_address(item->text))
            return fb_error_set(err, FB_EINPUT,
                                "line %zu: %s: '%s' is no PCI address such as 0000:10:1c.0",
                                item->line, key, item->text);
    }
    return FB_OK;
}

static enum fb_status read_addresses(struct fb_arena *arena, const struct fb_yaml *node,
                                     const char *key, struct fb_texts *ret, struct fb_error *err)
{
    enum fb_status st = check_addresses(node, key, err);

    return st == FB_OK ? fb_yaml_texts(arena, node, key, ret, err) : st;
}

static enum fb_status switch_gpus(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_pci_switch *at = target->object;

    return read_addresses(target->arena, node, key, &at->gpus, err);
}

static enum fb_status switch_nics(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_pci_switch *at = target->object;

    return read_addresses(target->arena, node, key, &at->nics, err);
}

static const struct fb_yaml_key switch_rows[] = {
    {"gpus", switch_gpus, "PCI addresses of the GPUs at this switch"},
    {"nics", switch_nics, "PCI addresses of the NICs at this switch"},
};

const struct fb_policyfile_keys fb_policyfile_switch_keys = {
    "shapes.*.topology[].switches[].", switch_rows, sizeof switch_rows / sizeof switch_rows[0]};

static enum fb_status read_switch(struct fb_policyfile_target *target, const struct fb_yaml *node,
                                  const char *key, struct fb_error *err)
{
    struct fb_pci_numa *numa = target->object;
    struct fb_pci_switch read = {0};
    struct fb_policyfile_target inner = {target->arena, &read};
    struct fb_pci_switch *at;
    enum fb_status st =
        fb_yaml_read(node, key, switch_rows, fb_policyfile_switch_keys.len, &inner, err);

    if (st != FB_OK)
        return st;
    at = fb_arena_more(target->arena, numa->at, numa->len, &numa->size, sizeof *at);
    if (at == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    numa->at = at;
    numa->at[numa->len++] = read;
    return FB_OK;
}

static enum fb_status numa_number(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_pci_numa *numa = target->object;

    return read_count(node, key, &numa->numa, err);
}

static enum fb_status numa_switches(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    return fb_policyfile_list(into, node, key, read_switch, err);
}

static const struct fb_yaml_key numa_rows[] = {
    {"numa", numa_number, "number of the NUMA node; required"},
    {"switches", numa_switches, "its PCI switches: what hangs on one reaches the rest of it fast"},
};

const struct fb_policyfile_keys fb_policyfile_numa_keys = {"shapes.*.topology[].", numa_rows,
                                                           sizeof numa_rows / sizeof numa_rows[0]};

static enum fb_status read_numa(struct fb_policyfile_target *target, const struct fb_yaml *node,
                                const char *key, struct fb_error *err)
{
    struct fb_shape *shape = target->object;
    struct fb_pci_numa read = {0};
    struct fb_policyfile_target inner = {target->arena, &read};
    struct fb_pci_numa *at;
    enum fb_status st =
        fb_yaml_read(node, key, numa_rows, fb_policyfile_numa_keys.len, &inner, err);

    if (st != FB_OK)
        return st;
    if (fb_yaml_find(node, "numa") == NULL)
        return fb_policyfile_missing(node, key, "numa", err);
    at = fb_arena_more(target->arena, shape->topology, shape->topology_len, &shape->topology_size,
                       sizeof *at);
    if (at == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    shape->topology = at;
    shape->topology[shape->topology_len++] = read;
    return FB_OK;
}

static enum fb_status shape_gpus(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_shape *shape = target->object;

    return read_count(node, key, &shape->gpus, err);
}

static enum fb_status shape_nics(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_shape *shape = target->object;

    return read_count(node, key, &shape->nics, err);
}

static enum fb_status shape_gbps(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_shape *shape = target->object;

    return read_count(node, key, &shape->gbps, err);
}

static enum fb_status shape_host_network(void *into, const struct fb_yaml *node, const char *key,
                                         struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_shape *shape = target->object;

    return fb_yaml_bool(node, key, &shape->host_network, err);
}

static enum fb_status shape_dra(void *into, const struct fb_yaml *node, const char *key,
                                struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_shape *shape = target->object;

    return fb_yaml_bool(node, key, &shape->dra, err);
}

static enum fb_status shape_topology(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    return fb_policyfile_list(into, node, key, read_numa, err);
}

/* "16 GT/s" or "32.0 GT/s PCIe": NCCL compares the text with what kernels write. */
static bool is_link_speed(const char *text)
{
    size_t digits = strspn(text, "0123456789.");

    return isdigit((unsigned char)text[0]) &&
           (strcmp(text + digits, " GT/s") == 0 || strcmp(text + digits, " GT/s PCIe") == 0);
}

static enum fb_status shape_link_speed(void *into, const struct fb_yaml *node, const char *key,
                                       struct fb_error *err)
{
    static const struct fb_policyfile_form form = {is_link_speed, "no PCI speed such as 16 GT/s"};
    struct fb_policyfile_target *target = into;
    struct fb_shape *shape = target->object;

    return fb_policyfile_formed(node, key, &form, &shape->equip.link_speed, err);
}

static enum fb_status shape_networks(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_shape *shape = target->object;

    return fb_yaml_texts(target->arena, node, key, &shape->networks, err);
}

static enum fb_status shape_conf_file(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_shape *shape = target->object;

    return fb_policyfile_conf_file(&shape->equip, node, key, err);
}

static enum fb_status shape_inject(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_shape *shape = target->object;

    return fb_policyfile_inject(target->arena, &shape->equip, node, key, err);
}

static enum fb_status shape_bind(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_shape *shape = target->object;

    return fb_policyfile_bind(target->arena, &shape->equip, node, key, err);
}

static const struct fb_yaml_key shape_rows[] = {
    {"gpus", shape_gpus, "GPUs of a healthy node; 0: none that a GPU resource counts; required"},
    {"nics", shape_nics,
     "NICs of a healthy node, for pods; 0: no networked pod; left out: nobody knows"},
    {"gbps", shape_gbps, "speed of these NICs together; left out: not stated"},
    {"hostNetwork", shape_host_network, "true: the NICs reach pods by host network only"},
    {"dra", shape_dra, "true: the NICs reach pods by ResourceClaim only"},
    {"topology", shape_topology,
     "PCI addresses by NUMA node, where the cloud's virtual machine hides the tree"},
    {"linkSpeed", shape_link_speed,
     "PCI speed of the links in this topology, as NCCL spells it: `16 GT/s`"},
    {"networks", shape_networks,
     "usual names of its `each` networks, in order, where no node tells them"},
    {"confFile", shape_conf_file, "as `confFile`, in its place"},
    {"inject", shape_inject,
     "as `inject`, on top of it: by name, mounts by path; capabilities are united"},
    {"bind", shape_bind, "as `bind`, on top of it by name"},
};

const struct fb_policyfile_keys fb_policyfile_shape_keys = {
    "shapes.*.", shape_rows, sizeof shape_rows / sizeof shape_rows[0]};

static enum fb_status read_shape(struct fb_policyfile_target *target, const struct fb_yaml *node,
                                 const char *name, const char *key, struct fb_error *err)
{
    struct fb_policy *policy = target->object;
    struct fb_shape read = {.name = name, .nics = -1};
    struct fb_policyfile_target inner = {target->arena, &read};
    struct fb_shape *at;
    enum fb_status st =
        fb_yaml_read(node, key, shape_rows, fb_policyfile_shape_keys.len, &inner, err);

    if (st != FB_OK)
        return st;
    if (fb_yaml_find(node, "gpus") == NULL)
        return fb_policyfile_missing(node, key, "gpus", err);
    at = fb_arena_more(target->arena, policy->shapes, policy->shapes_len, &policy->shapes_size,
                       sizeof *at);
    if (at == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    policy->shapes = at;
    policy->shapes[policy->shapes_len++] = read;
    return FB_OK;
}

enum fb_status fb_policyfile_shapes(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    enum fb_status st = FB_OK;

    if (node->type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: not a mapping", node->line, key);
    for (size_t i = 0; i < node->len && st == FB_OK; i++) {
        char path[FB_POLICYFILE_PATH];

        (void)snprintf(path, sizeof path, "%s.%s", key, node->keys[i]);
        st = read_shape(into, &node->at[i], node->keys[i], path, err);
    }
    return st;
}
