/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/profile.h"

#include "alloc_fault.h"
#include "make_cluster.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A shape written in one line: "0: a b + c, d + e; 1: f + g" is two switches at NUMA node 0 and
 * one at 1, GPUs in front of the "+", NICs behind. */
static void give_topology(struct builder *builder, struct fb_shape *shape, const char *line)
{
    struct fb_pci_switch *at = NULL;
    bool nic = false;

    shape->topology = fb_arena_alloc(builder->arena, BUILDER_PARTS * sizeof *shape->topology);
    assert_non_null(shape->topology);
    while (*line != '\0') {
        size_t len = strcspn(line, " ,;");
        const char *word = fb_arena_text(builder->arena, line, len);

        assert_non_null(word);
        if (len > 0 && line[len - 1] == ':' && len < 4) {
            struct fb_pci_numa *numa = &shape->topology[shape->topology_len++];

            numa->numa = strtol(line, NULL, 10);
            numa->at = fb_arena_alloc(builder->arena, BUILDER_PARTS * sizeof *numa->at);
            assert_non_null(numa->at);
            at = &numa->at[numa->len++];
            nic = false;
        } else if (strcmp(word, "+") == 0) {
            nic = true;
        } else if (len > 0) {
            assert_non_null(at);
            give_text(builder, nic ? &at->nics : &at->gpus, word);
        }
        line += len;
        if (*line == ',') {
            struct fb_pci_numa *numa = &shape->topology[shape->topology_len - 1];

            at = &numa->at[numa->len++];
            nic = false;
        }
        line += *line != '\0' ? 1 : 0;
    }
}

static struct fb_shape *shape_of(struct builder *builder, const char *line)
{
    struct fb_policy *policy = make_policy(builder, "acme", NULL, FB_NIC_EXCLUSIVE);
    struct fb_shape *shape = make_shape(builder, policy, "box", 2, 1);

    give_topology(builder, shape, line);
    return shape;
}

static const char *xml_of(struct builder *builder, const char *line, const char *link_speed,
                          const char *nic_class)
{
    const struct fb_equip equip = {.link_speed = link_speed, .nic_class = nic_class};
    const char *xml = fb_profile_topology(builder->arena, shape_of(builder, line), &equip);

    assert_non_null(xml);
    return xml;
}

/* Four switches of as many devices as any that are shipped. */
#define MACHINE                                                                                    \
    "0: 0000:10:1c.0 0000:10:1d.0 + 0000:10:1b.0, 0000:20:1c.0 0000:20:1d.0 + 0000:20:1b.0; "      \
    "1: 0000:90:1c.0 0000:90:1d.0 + 0000:90:1b.0, 0000:a0:1c.0 0000:a0:1d.0 + 0000:a0:1b.0"

static void test_topology__is_what_nccl_reads(void **state)
{
    struct builder *builder = builder_new();
    const char *xml = xml_of(
        builder, "0: 0000:10:1c.0 0000:10:1d.0 + 0000:10:1b.0, + 0000:20:1b.0; 1: 0001:00:00.0",
        "16 GT/s", "0x020700");

    (void)state;
    assert_string_equal(xml, "<system version=\"1\">\n"
                             "  <cpu numaid=\"0\">\n"
                             "    <pci busid=\"ffff:ff:01.0\" class=\"0x060400\" link_speed=\"16 "
                             "GT/s\" link_width=\"16\">\n"
                             "      <pci busid=\"0000:10:1c.0\" class=\"0x030200\" link_speed=\"16 "
                             "GT/s\" link_width=\"16\"/>\n"
                             "      <pci busid=\"0000:10:1d.0\" class=\"0x030200\" link_speed=\"16 "
                             "GT/s\" link_width=\"16\"/>\n"
                             "      <pci busid=\"0000:10:1b.0\" class=\"0x020700\" link_speed=\"16 "
                             "GT/s\" link_width=\"16\"/>\n"
                             "    </pci>\n"
                             "    <pci busid=\"ffff:ff:02.0\" class=\"0x060400\" link_speed=\"16 "
                             "GT/s\" link_width=\"16\">\n"
                             "      <pci busid=\"0000:20:1b.0\" class=\"0x020700\" link_speed=\"16 "
                             "GT/s\" link_width=\"16\"/>\n"
                             "    </pci>\n"
                             "  </cpu>\n"
                             "  <cpu numaid=\"1\">\n"
                             "    <pci busid=\"ffff:ff:03.0\" class=\"0x060400\" link_speed=\"16 "
                             "GT/s\" link_width=\"16\">\n"
                             "      <pci busid=\"0001:00:00.0\" class=\"0x030200\" link_speed=\"16 "
                             "GT/s\" link_width=\"16\"/>\n"
                             "    </pci>\n"
                             "  </cpu>\n"
                             "</system>\n");
    builder_free(builder);
}

static void test_topology__takes_what_nccl_takes_where_the_policy_is_silent(void **state)
{
    struct builder *builder = builder_new();
    const char *xml = xml_of(builder, "0: 0000:10:1c.0 + 0000:10:1b.0", NULL, NULL);

    (void)state;
    assert_non_null(strstr(xml, "1c.0\" class=\"0x030200\" link_speed=\"8 GT/s\" link_width"));
    assert_non_null(strstr(xml, "1b.0\" class=\"0x020000\" link_speed=\"8 GT/s\" link_width"));
    builder_free(builder);
}

static void test_topology__tells_a_numa_node_once(void **state)
{
    static const struct {
        const char *topology, *want; /* what begins with "numaid" or "busid", in order */
    } cases[] = {
        {"0: a + b; 1: c; 0: d", "0 ffff:ff:01.0 a b ffff:ff:02.0 d 1 ffff:ff:03.0 c "},
        {"0: ; 1: c; 0: d + e", "1 ffff:ff:01.0 c 0 ffff:ff:02.0 d e "},
        {"2: a, , b; 1: ", "2 ffff:ff:01.0 a ffff:ff:02.0 b "},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder *builder = builder_new();
        const char *xml = xml_of(builder, cases[i].topology, NULL, NULL);
        char got[256] = "";
        size_t len = 0;

        for (const char *at = strstr(xml, "id=\""); at != NULL; at = strstr(at + 4, "id=\""))
            len += (size_t)snprintf(got + len, sizeof got - len, "%.*s ",
                                    (int)strcspn(at + 4, "\""), at + 4);
        assert_string_equal(got, cases[i].want);
        builder_free(builder);
    }
}

static void test_topology__is_empty_where_there_is_none(void **state)
{
    static const char *const cases[] = {"", "0: ", "0: ; 1: ,"};
    const struct fb_equip equip = {.link_speed = "16 GT/s", .nic_class = "0x020700"};
    struct builder *builder = builder_new();

    (void)state;
    assert_string_equal(fb_profile_topology(builder->arena, NULL, &equip), "");
    builder_free(builder);
    for (size_t i = 0; i < COUNT(cases); i++) {
        builder = builder_new();
        assert_string_equal(xml_of(builder, cases[i], "16 GT/s", "0x020700"), "");
        builder_free(builder);
    }
}

static const char *repeat(struct builder *builder, char c, size_t len)
{
    char *text = fb_arena_alloc(builder->arena, len + 1);

    assert_non_null(text);
    memset(text, c, len);
    return text;
}

/* NCCL knows no entities and would read such values as something else. */
static void test_topology__is_empty_rather_than_wrong(void **state)
{
    static const char *const values[] = {"",  "16\"GT", "<16",  "16>",  "a&b",
                                         "'", "a\nb",   "a\tb", "\x7f", "caf\xc3\xa9"};

    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        struct builder *builder = builder_new();
        const char *both[] = {"0000:00:00.0", values[i]};
        struct fb_texts texts = {.at = both, .len = 2, .size = 2};
        struct fb_pci_switch at = {.gpus = texts};
        struct fb_pci_numa numa = {.at = &at, .len = 1, .size = 1};
        struct fb_shape shape = {.topology = &numa, .topology_len = 1};
        struct fb_equip equip = {0};

        assert_string_equal(xml_of(builder, "0: a + b", values[i], "0x020700"), "");
        assert_string_equal(xml_of(builder, "0: a + b", "16 GT/s", values[i]), "");
        assert_string_equal(fb_profile_topology(builder->arena, &shape, &equip), "");
        at = (struct fb_pci_switch){.nics = texts};
        assert_string_equal(fb_profile_topology(builder->arena, &shape, &equip), "");
        builder_free(builder);
    }
}

static void test_topology__values_end_at_254_characters(void **state)
{
    struct builder *builder = builder_new();

    (void)state;
    assert_non_null(
        strstr(xml_of(builder, "0: a + b", repeat(builder, 's', 254), "0x02"), "sss\" link_width"));
    assert_string_equal(xml_of(builder, "0: a + b", repeat(builder, 's', 255), "0x02"), "");
    builder_free(builder);
}

/* NCCL has room for 640 children of one element. */
static void test_topology__switches_and_devices_end_at_640(void **state)
{
    enum { MOST = 640 };
    static const char *names[MOST + 1];
    static struct fb_pci_switch switches[MOST + 1];
    struct builder *builder = builder_new();
    struct fb_pci_numa numa = {.at = switches, .len = 1, .size = MOST + 1};
    struct fb_shape shape = {.topology = &numa, .topology_len = 1};
    const struct fb_equip equip = {0};
    const char *xml;

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        names[i] = "0000:00:00.0";
    switches[0].gpus = (struct fb_texts){.at = names, .len = MOST - 1};
    switches[0].nics = (struct fb_texts){.at = names, .len = 1};
    assert_string_not_equal(fb_profile_topology(builder->arena, &shape, &equip), "");
    switches[0].nics.len = 2;
    assert_string_equal(fb_profile_topology(builder->arena, &shape, &equip), "");
    for (size_t i = 0; i < COUNT(switches); i++)
        switches[i] = (struct fb_pci_switch){.gpus = {.at = names, .len = 1}};
    numa.len = MOST;
    xml = fb_profile_topology(builder->arena, &shape, &equip);
    assert_non_null(strstr(xml, "\"ffff:ff:1f.0\""));
    assert_non_null(strstr(xml, "\"ffff:fe:00.0\""));
    assert_non_null(strstr(xml, "\"ffff:eb:00.0\"")); /* the 640th */
    numa.len = MOST + 1;
    assert_string_equal(fb_profile_topology(builder->arena, &shape, &equip), "");
    builder_free(builder);
}

static void test_topology__survives_a_full_arena(void **state)
{
    enum { STEP = 16, CHUNK = 64 * 1024 };
    struct builder *builder = builder_new();
    const struct fb_shape *shape = shape_of(builder, MACHINE);
    const struct fb_equip equip = {0};
    size_t made = 0;
    size_t failed = 0;

    (void)state;
    for (size_t spare = 0; spare <= CHUNK && made == 0; spare += STEP) {
        struct fb_arena *arena = fb_arena_new(CHUNK);
        const char *xml;

        assert_non_null(arena);
        for (size_t used = spare; used < CHUNK; used += STEP)
            assert_non_null(fb_arena_alloc(arena, STEP));
        xml = fb_profile_topology(arena, shape, &equip);
        made += xml != NULL;
        failed += xml == NULL;
        if (xml != NULL)
            assert_non_null(strstr(xml, "</system>\n"));
        fb_arena_free(arena);
    }
    assert_true(made == 1 && failed > 100);
    builder_free(builder);
}

static void test_topology__survives_every_failed_allocation(void **state)
{
    struct builder *builder = builder_new();
    const struct fb_shape *shape = shape_of(builder, MACHINE);
    const struct fb_equip equip = {0};
    int after = 0;
    const char *xml = NULL;

    (void)state;
    for (; xml == NULL && after < 100; after++) {
        struct fb_arena *arena = fb_arena_new(0);

        alloc_fault_arm(after);
        xml = fb_profile_topology(arena, shape, &equip);
        alloc_fault_disarm();
        assert_true(xml == NULL || strlen(xml) > 1000);
        fb_arena_free(arena);
    }
    assert_true(xml != NULL && after > 1);
    builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topology__is_what_nccl_reads),
        cmocka_unit_test(test_topology__takes_what_nccl_takes_where_the_policy_is_silent),
        cmocka_unit_test(test_topology__tells_a_numa_node_once),
        cmocka_unit_test(test_topology__is_empty_where_there_is_none),
        cmocka_unit_test(test_topology__is_empty_rather_than_wrong),
        cmocka_unit_test(test_topology__values_end_at_254_characters),
        cmocka_unit_test(test_topology__switches_and_devices_end_at_640),
        cmocka_unit_test(test_topology__survives_a_full_arena),
        cmocka_unit_test(test_topology__survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
