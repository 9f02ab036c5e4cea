/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/jsontext.h"
#include "fabricbind/profile.h"

#include <stdio.h>
#include <string.h>

/*
 * NCCL reads the file with a parser of its own: single blanks between attributes, no line break
 * inside a tag, no entities, bounded values and children. What the running CPU or GPU fills in
 * when it is absent is absent.
 * Source: NVIDIA/nccl, src/graph/xml.cc and xml.h.
 */
#define VALUE_BYTES 255 /* NUL included */
#define CHILDREN 640

#define GPU_CLASS "0x030200"
/* What NCCL takes an unknown speed for, and any class of a NIC: it reads no further than 0x02. */
#define LINK_SPEED "8 GT/s"
#define NIC_CLASS "0x020000"

struct writer {
    struct fb_jsontext text;
    const char *link_speed, *nic_class;
    unsigned switches; /* so far */
};

static bool is_plain(const char *value)
{
    size_t len = 0;

    for (; value[len] != '\0'; len++) {
        if (value[len] < ' ' || value[len] > '~' || strchr("\"'<>&", value[len]) != NULL)
            return false;
    }
    return len > 0 && len < VALUE_BYTES;
}

static bool all_plain(const struct fb_texts *texts)
{
    for (size_t i = 0; i < texts->len; i++) {
        if (!is_plain(texts->at[i]))
            return false;
    }
    return true;
}

static size_t devices_of(const struct fb_pci_switch *at)
{
    return at->gpus.len + at->nics.len;
}

static bool has_devices(const struct fb_pci_numa *numa)
{
    for (size_t i = 0; i < numa->len; i++) {
        if (devices_of(&numa->at[i]) > 0)
            return true;
    }
    return false;
}

/* Can NCCL read what would be written. */
static bool is_readable(const struct fb_shape *shape)
{
    size_t switches = 0;

    for (size_t i = 0; i < shape->topology_len; i++) {
        const struct fb_pci_numa *numa = &shape->topology[i];

        switches += numa->len;
        for (size_t j = 0; j < numa->len; j++) {
            if (!all_plain(&numa->at[j].gpus) || !all_plain(&numa->at[j].nics) ||
                devices_of(&numa->at[j]) > CHILDREN)
                return false;
        }
    }
    return switches <= CHILDREN;
}

/* The tag of a device, its end left open. */
static void write_pci(struct writer *to, const char *indent, const char *address,
                      const char *pci_class)
{
    fb_jsontext_raw(&to->text, indent);
    fb_jsontext_raw(&to->text, "<pci busid=\"");
    fb_jsontext_raw(&to->text, address);
    fb_jsontext_raw(&to->text, "\" class=\"");
    fb_jsontext_raw(&to->text, pci_class);
    fb_jsontext_raw(&to->text, "\" link_speed=\"");
    fb_jsontext_raw(&to->text, to->link_speed);
    fb_jsontext_raw(&to->text, "\" link_width=\"16\"");
}

static void write_devices(struct writer *to, const struct fb_texts *addresses,
                          const char *pci_class)
{
    for (size_t i = 0; i < addresses->len; i++) {
        write_pci(to, "      ", addresses->at[i], pci_class);
        fb_jsontext_raw(&to->text, "/>\n");
    }
}

/* The switch itself is hidden: it gets an address that no device has, downwards from bus ff. */
static void write_switch(struct writer *to, const struct fb_pci_switch *at)
{
    char address[sizeof "ffff:ff:1f.0"];
    unsigned number = ++to->switches;

    (void)snprintf(address, sizeof address, "ffff:%02x:%02x.0", 0xffU - number / 32U, number % 32U);
    write_pci(to, "    ", address, "0x060400");
    fb_jsontext_raw(&to->text, ">\n");
    write_devices(to, &at->gpus, GPU_CLASS);
    write_devices(to, &at->nics, to->nic_class);
    fb_jsontext_raw(&to->text, "    </pci>\n");
}

static bool is_repeated(const struct fb_shape *shape, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (has_devices(&shape->topology[i]) &&
            shape->topology[i].numa == shape->topology[index].numa)
            return true;
    }
    return false;
}

/* One element a NUMA node, however many entries speak of it: NCCL refuses a second. */
static void write_cpu(struct writer *to, const struct fb_shape *shape, size_t first)
{
    fb_jsontext_raw(&to->text, "  <cpu numaid=\"");
    fb_jsontext_int(&to->text, shape->topology[first].numa);
    fb_jsontext_raw(&to->text, "\">\n");
    for (size_t i = first; i < shape->topology_len; i++) {
        const struct fb_pci_numa *numa = &shape->topology[i];

        if (numa->numa != shape->topology[first].numa)
            continue;
        for (size_t j = 0; j < numa->len; j++) {
            if (devices_of(&numa->at[j]) > 0)
                write_switch(to, &numa->at[j]);
        }
    }
    fb_jsontext_raw(&to->text, "  </cpu>\n");
}

const char *fb_profile_topology(struct fb_arena *arena, const struct fb_shape *shape,
                                const struct fb_equip *equip)
{
    struct writer to = {
        .text = {.arena = arena},
        .link_speed = equip->link_speed != NULL ? equip->link_speed : LINK_SPEED,
        .nic_class = equip->nic_class != NULL ? equip->nic_class : NIC_CLASS,
    };

    if (shape == NULL || !is_plain(to.link_speed) || !is_plain(to.nic_class) || !is_readable(shape))
        return "";
    fb_jsontext_raw(&to.text, "<system version=\"1\">\n");
    for (size_t i = 0; i < shape->topology_len; i++) {
        if (has_devices(&shape->topology[i]) && !is_repeated(shape, i))
            write_cpu(&to, shape, i);
    }
    fb_jsontext_raw(&to.text, "</system>\n");
    if (!to.text.failed && to.switches == 0)
        return "";
    return fb_jsontext_done(&to.text);
}
