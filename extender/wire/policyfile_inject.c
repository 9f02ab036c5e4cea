/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/quantity.h"
#include "policyfile_parts.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Numbers of network interfaces. */
#define INTERFACE_MOST 1000

/* The first rows of inject.networks are required. */
#define NETWORKS_NEEDED 2

static struct fb_equip *equip_of(void *into)
{
    struct fb_policyfile_target *target = into;

    return target->object;
}

static bool is_any(const char *text)
{
    (void)text;
    return true;
}

static bool is_filled(const char *text)
{
    return text[0] != '\0';
}

static bool is_amount(const char *text)
{
    struct fb_quantity quantity;

    return fb_quantity_parse(text, strlen(text), &quantity, NULL) == FB_OK && quantity.whole >= 0;
}

static enum fb_status inject_env(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    const struct fb_policyfile_form form[2] = {fb_policyfile_variable[0], {is_any, ""}};
    struct fb_policyfile_target *target = into;

    return fb_policyfile_pairs(target->arena, node, key, form, &equip_of(into)->env, err);
}

static bool is_capability(const char *text)
{
    return text[0] != '\0' && strncmp(text, "CAP_", 4) != 0 &&
           text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

static enum fb_status inject_capabilities(void *into, const struct fb_yaml *node, const char *key,
                                          struct fb_error *err)
{
    struct fb_policyfile_target *target = into;
    struct fb_texts *all = &equip_of(into)->capabilities;
    size_t before = all->len;
    enum fb_status st = fb_yaml_texts(target->arena, node, key, all, err);

    for (size_t i = before; st == FB_OK && i < all->len; i++) {
        if (!is_capability(all->at[i]))
            return fb_error_set(err, FB_EINPUT,
                                "line %zu: %s: '%s' is no capability such as IPC_LOCK", node->line,
                                key, all->at[i]);
    }
    return st;
}

static enum fb_status inject_no_escalation(void *into, const struct fb_yaml *node, const char *key,
                                           struct fb_error *err)
{
    return fb_yaml_bool(node, key, &equip_of(into)->no_escalation, err);
}

/* The third type, Localhost, needs a profile's name besides. */
static bool is_seccomp(const char *text)
{
    return strcmp(text, "RuntimeDefault") == 0 || strcmp(text, "Unconfined") == 0;
}

static enum fb_status inject_seccomp(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    static const struct fb_policyfile_form form = {is_seccomp,
                                                   "neither RuntimeDefault nor Unconfined"};

    return fb_policyfile_formed(node, key, &form, &equip_of(into)->seccomp, err);
}

static enum fb_status inject_requests(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    static const struct fb_policyfile_form form[2] = {{is_filled, "no resource"},
                                                      {is_amount, "no amount such as 100m"}};
    struct fb_policyfile_target *target = into;

    return fb_policyfile_pairs(target->arena, node, key, form, &equip_of(into)->requests, err);
}

static enum fb_status inject_annotations(void *into, const struct fb_yaml *node, const char *key,
                                         struct fb_error *err)
{
    static const struct fb_policyfile_form form[2] = {{is_filled, "no key of an annotation"},
                                                      {is_any, ""}};
    struct fb_policyfile_target *target = into;

    return fb_policyfile_pairs(target->arena, node, key, form, &equip_of(into)->annotations, err);
}

static enum fb_status networks_annotation(void *into, const struct fb_yaml *node, const char *key,
                                          struct fb_error *err)
{
    return fb_policyfile_name(node, key, &equip_of(into)->networks_annotation, err);
}

static enum fb_status networks_network(void *into, const struct fb_yaml *node, const char *key,
                                       struct fb_error *err)
{
    return fb_policyfile_name(node, key, &equip_of(into)->network, err);
}

static enum fb_status networks_by_resource(void *into, const struct fb_yaml *node, const char *key,
                                           struct fb_error *err)
{
    static const struct fb_policyfile_form form[2] = {{is_filled, "no resource"},
                                                      {is_filled, "no network"}};
    struct fb_policyfile_target *target = into;

    return fb_policyfile_pairs(target->arena, node, key, form, &equip_of(into)->networks_by_nic,
                               err);
}

static const struct fb_yaml_key networks_rows[] = {
    {"annotation", networks_annotation, "the annotation that lists them; required"},
    {"network", networks_network, "its entry, unless the configuration names one; required"},
    {"byResource", networks_by_resource,
     "by NIC resource: the entry that takes the place of `network` where the pod gets these"},
};

const struct fb_policyfile_keys fb_policyfile_networks_keys = {"inject.networks.", networks_rows,
                                                               COUNT(networks_rows)};

static enum fb_status need_all(const struct fb_yaml *node, const char *key,
                               const struct fb_yaml_key *rows, size_t len, struct fb_error *err)
{
    for (size_t i = 0; i < len; i++) {
        if (fb_yaml_find(node, rows[i].key) == NULL)
            return fb_policyfile_missing(node, key, rows[i].key, err);
    }
    return FB_OK;
}

static enum fb_status inject_networks(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    enum fb_status st = fb_yaml_read(node, key, networks_rows, COUNT(networks_rows), into, err);

    return st == FB_OK ? need_all(node, key, networks_rows, NETWORKS_NEEDED, err) : st;
}

static enum fb_status interfaces_annotation(void *into, const struct fb_yaml *node, const char *key,
                                            struct fb_error *err)
{
    return fb_policyfile_name(node, key, &equip_of(into)->interfaces_annotation, err);
}

static enum fb_status interfaces_first(void *into, const struct fb_yaml *node, const char *key,
                                       struct fb_error *err)
{
    return fb_policyfile_name(node, key, &equip_of(into)->first_interface, err);
}

static enum fb_status interfaces_network(void *into, const struct fb_yaml *node, const char *key,
                                         struct fb_error *err)
{
    return fb_policyfile_name(node, key, &equip_of(into)->first_network, err);
}

static enum fb_status interfaces_prefix(void *into, const struct fb_yaml *node, const char *key,
                                        struct fb_error *err)
{
    return fb_policyfile_name(node, key, &equip_of(into)->interface_prefix, err);
}

static enum fb_status interfaces_from(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    int64_t from = 0;
    enum fb_status st = fb_yaml_int(node, key, 0, INTERFACE_MOST, &from, err);

    if (st == FB_OK)
        equip_of(into)->interface_from = (long)from;
    return st;
}

static const struct fb_yaml_key interfaces_rows[] = {
    {"annotation", interfaces_annotation, "the annotation that lists them; required"},
    {"first", interfaces_first, "the interface of the pod's own network; required"},
    {"firstNetwork", interfaces_network, "the name of that network; required"},
    {"prefix", interfaces_prefix, "the other interfaces are this and a number; required"},
    {"from", interfaces_from, "the number of the first NIC's interface; required"},
};

const struct fb_policyfile_keys fb_policyfile_interfaces_keys = {
    "inject.interfaces.", interfaces_rows, COUNT(interfaces_rows)};

static enum fb_status inject_interfaces(void *into, const struct fb_yaml *node, const char *key,
                                        struct fb_error *err)
{
    enum fb_status st = fb_yaml_read(node, key, interfaces_rows, COUNT(interfaces_rows), into, err);

    return st == FB_OK ? need_all(node, key, interfaces_rows, COUNT(interfaces_rows), err) : st;
}

static enum fb_status inject_nccl_net(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err)
{
    return fb_yaml_text(node, key, &equip_of(into)->nccl_net, err);
}

static const struct fb_yaml_key inject_rows[] = {
    {"env", inject_env, "variables of GPU containers that do not depend on the node"},
    {"mounts", fb_policyfile_mounts, "list: volumes and where GPU containers see them"},
    {"capabilities", inject_capabilities, "capabilities added to GPU containers, without `CAP_`"},
    {"noPrivilegeEscalation", inject_no_escalation,
     "true: allowPrivilegeEscalation is false where a GPU container says nothing"},
    {"seccompProfile", inject_seccomp,
     "type of the seccomp profile where neither pod nor GPU container has one"},
    {"requests", inject_requests,
     "requests of GPU containers that have neither request nor limit of it; NICs come by `nics`"},
    {"annotations", inject_annotations, "annotations of the pod"},
    {"networks", inject_networks, "Multus networks: one entry for each NIC of the pod"},
    {"interfaces", inject_interfaces,
     "interfaces of the pod as a JSON list: the first for its own network, then one for each "
     "`each` network"},
    {"sidecars", fb_policyfile_sidecars,
     "list: restartable init containers that serve the pod's GPU containers"},
    {"ncclNet", inject_nccl_net,
     "NCCL_NET where the transport is required; empty, or left out everywhere: not set"},
};

const struct fb_policyfile_keys fb_policyfile_inject_keys = {"inject.", inject_rows,
                                                             COUNT(inject_rows)};

enum fb_status fb_policyfile_inject(struct fb_arena *arena, struct fb_equip *equip,
                                    const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    struct fb_policyfile_target inner = {arena, equip};

    return fb_yaml_read(node, key, inject_rows, COUNT(inject_rows), &inner, err);
}

enum fb_status fb_policyfile_bind(struct fb_arena *arena, struct fb_equip *equip,
                                  const struct fb_yaml *node, const char *key, struct fb_error *err)
{
    return fb_policyfile_pairs(arena, node, key, fb_policyfile_variable, &equip->conf, err);
}

enum fb_status fb_policyfile_conf_file(struct fb_equip *equip, const struct fb_yaml *node,
                                       const char *key, struct fb_error *err)
{
    static const struct {
        const char *name;
        enum fb_conf_file where;
    } places[] = {
        {"both", FB_CONF_FILE_BOTH},
        {"env", FB_CONF_FILE_ENV},
        {"etc", FB_CONF_FILE_ETC},
        {"none", FB_CONF_FILE_NONE},
    };
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    for (size_t i = 0; i < COUNT(places); i++) {
        if (strcmp(text, places[i].name) == 0) {
            equip->conf_file = places[i].where;
            equip->has_conf_file = true;
            return FB_OK;
        }
    }
    return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is none of env, etc, both, none",
                        node->line, key, text);
}
