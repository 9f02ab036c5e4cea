/* SPDX-License-Identifier: Apache-2.0 */
#include "injection_work.h"

#include <string.h>

void fb_injection_annotation(struct fb_injection_work *work, const char *key, const char *text)
{
    struct fb_jsontext path = fb_injection_at(work, "/metadata/annotations");
    struct fb_jsontext value = {.arena = work->arena};

    if (text == NULL) {
        work->failed = true;
        return;
    }
    fb_jsontext_pointer(&path, key);
    fb_jsontext_string(&value, text);
    fb_injection_add(work, &path, &value);
}

/* @number below 0: the prefix is the name. */
static void put_interface(struct fb_jsontext *text, const char *prefix, int64_t number,
                          const char *network)
{
    struct fb_jsontext name = {.arena = text->arena};
    const char *done;

    fb_jsontext_raw(&name, prefix);
    if (number >= 0)
        fb_jsontext_int(&name, number);
    done = fb_jsontext_done(&name);
    text->failed = text->failed || done == NULL;
    fb_jsontext_raw(text, "{\"interfaceName\":");
    fb_jsontext_string(text, done != NULL ? done : "");
    fb_jsontext_raw(text, ",\"network\":");
    fb_jsontext_string(text, network);
    fb_jsontext_raw(text, "}");
}

/* "<resource prefix>/gpu-nic0" is the network gpu-nic0. */
static const char *network_of(const char *resource)
{
    const char *slash = strrchr(resource, '/');

    return slash != NULL ? slash + 1 : resource;
}

/* Each NIC keeps the number of its interface, also where the pod asks for some of them only. */
static void add_interfaces(struct fb_injection_work *work)
{
    const struct fb_equip *equip = work->in->equip;
    const struct fb_texts *nics = &work->in->fabric->nics;
    struct fb_jsontext text = {.arena = work->arena};
    size_t wanted = 0;

    if (equip->interfaces_annotation == NULL ||
        fb_pairs_find(&work->in->spec->annotations, equip->interfaces_annotation) != NULL)
        return;
    fb_jsontext_raw(&text, "[");
    put_interface(&text, equip->first_interface, -1, equip->first_network);
    for (size_t i = 0; i < nics->len; i++) {
        if (fb_resources_get(&work->need.nics, nics->at[i]) < 1)
            continue;
        fb_jsontext_raw(&text, ",");
        put_interface(&text, equip->interface_prefix, equip->interface_from + (int64_t)i,
                      network_of(nics->at[i]));
        wanted++;
    }
    fb_jsontext_raw(&text, "]");
    if (wanted > 0)
        fb_injection_annotation(work, equip->interfaces_annotation, fb_jsontext_done(&text));
}

int64_t fb_injection_own_nics(const struct fb_injection_work *work)
{
    const struct fb_texts *nics = &work->in->fabric->nics;
    int64_t count = 0;

    for (size_t i = 0; work->need.source != FB_NEED_OWN && i < nics->len; i++)
        count = fb_amount_add(count, fb_resources_get(&work->need.all, nics->at[i]) -
                                         fb_resources_get(&work->need.nics, nics->at[i]));
    return count;
}

/* NICs of the pod by request, its own or ours. */
static int64_t count_nics(const struct fb_injection_work *work)
{
    const struct fb_resources *nics = &work->need.nics;
    int64_t count = 0;

    if (!work->adds_nics && work->need.source != FB_NEED_OWN)
        return fb_injection_own_nics(work);
    for (size_t i = 0; i < nics->len; i++)
        count = fb_amount_add(count, nics->at[i].amount);
    return count;
}

/* How often @name stands in a comma list, spaces and "@interface" behind it allowed. */
static int64_t count_entries(const char *list, const char *name)
{
    size_t len = strlen(name);
    int64_t count = 0;

    while (*list != '\0') {
        size_t entry;

        list += strspn(list, " \t\n,");
        entry = strcspn(list, " \t\n,@");
        if (entry == len && strncmp(list, name, len) == 0)
            count++;
        list += strcspn(list, ",");
    }
    return count;
}

/* A JSON list of networks is another notation, which a comma list cannot be appended to. */
static bool is_json(const char *list)
{
    return strchr("[{", list[strspn(list, " \t\n")]) != NULL && *list != '\0';
}

/* The user's list without what an empty entry at its end is made of. */
static const char *their_list(struct fb_injection_work *work, const char *list)
{
    size_t len = strlen(list);
    const char *kept;

    while (len > 0 && strchr(" \t\n,", list[len - 1]) != NULL)
        len--;
    kept = fb_arena_text(work->arena, list, len);
    work->failed = work->failed || kept == NULL;
    return kept != NULL ? kept : "";
}

static void append_networks(struct fb_injection_work *work, const char *theirs, const char *network,
                            int64_t missing)
{
    struct fb_jsontext text = {.arena = work->arena};

    fb_jsontext_raw(&text, theirs);
    for (int64_t i = 0; i < missing; i++) {
        fb_jsontext_raw(&text, i > 0 || *theirs != '\0' ? "," : "");
        fb_jsontext_raw(&text, network);
    }
    fb_injection_annotation(work, work->in->equip->networks_annotation, fb_jsontext_done(&text));
}

/* Multus: one entry a NIC. */
/* The network of the pod's NICs: the configured one, else that of their resource. */
static const char *choose_network(const struct fb_injection_work *work)
{
    const struct fb_resources *nics = &work->need.nics;

    if (work->in->network != NULL)
        return work->in->network;
    return fb_equip_network(work->in->equip, nics->len > 0 ? nics->at[0].name : "");
}

static void add_entries(struct fb_injection_work *work)
{
    const char *key = work->in->equip->networks_annotation;
    const char *network = choose_network(work);
    const char *theirs = key != NULL ? fb_pairs_find(&work->in->spec->annotations, key) : NULL;
    int64_t missing = count_nics(work);

    if (key == NULL || network == NULL)
        return;
    theirs = theirs != NULL ? theirs : "";
    if (!is_json(theirs))
        missing -= count_entries(theirs, network);
    if (missing > FB_INJECTION_NETWORKS)
        work->out->refused = "more networks than a pod can have";
    else if (missing > 0 && is_json(theirs))
        fb_injection_note(work, &work->out->warnings,
                          "%s is a JSON list: its networks are left as they are", key);
    else if (missing > 0)
        append_networks(work, their_list(work, theirs), network, missing);
}

void fb_injection_networks(struct fb_injection_work *work)
{
    add_interfaces(work);
    add_entries(work);
}
