/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/policyfile.h"
#include "fabricbind/profile.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* What pods get by the policies that are shipped, against what was written down by hand. */

static const struct golden {
    const char *provider, *shape;
    const char *topology; /* "0 ( GPU GPU +NIC ) 1 ( GPU +NIC ) ...": NUMA nodes, switches */
} goldens[] = {
    {"aws", "p4d.24xlarge",
     "0 ( 0000:10:1c.0 0000:10:1d.0 +0000:10:1b.0 ) "
     "( 0000:20:1c.0 0000:20:1d.0 +0000:20:1b.0 ) "
     "1 ( 0000:90:1c.0 0000:90:1d.0 +0000:90:1b.0 ) "
     "( 0000:a0:1c.0 0000:a0:1d.0 +0000:a0:1b.0 )"},
    {"aws", "p5.48xlarge", ""},
    {"aws", "p5en.48xlarge", ""},
    {"aws", "p6-b200.48xlarge", ""},
    {"azure", "Standard_ND96asr_v4",
     "0 ( 0003:00:00.0 0004:00:00.0 +0103:00:00.0 +0104:00:00.0 ) "
     "1 ( 0001:00:00.0 0002:00:00.0 +0101:00:00.0 +0102:00:00.0 ) "
     "2 ( 000d:00:00.0 000e:00:00.0 +0107:00:00.0 +0108:00:00.0 ) "
     "3 ( 000b:00:00.0 000c:00:00.0 +0105:00:00.0 +0106:00:00.0 )"},
    {"azure", "Standard_ND96isr_H100_v5",
     "0 ( 0001:00:00.0 +0101:00:00.0 ) ( 0002:00:00.0 +0102:00:00.0 ) "
     "( 0003:00:00.0 +0103:00:00.0 ) ( 0008:00:00.0 +0104:00:00.0 ) "
     "1 ( 0009:00:00.0 +0105:00:00.0 ) ( 000a:00:00.0 +0106:00:00.0 ) "
     "( 000b:00:00.0 +0107:00:00.0 ) ( 000c:00:00.0 +0108:00:00.0 )"},
    {"gcp", "a3-megagpu-8g", ""},
    {"oci", "BM.GPU.A100-v2.8", ""},
    {"oci", "BM.GPU.H100.8", ""},
    {"oci", "BM.GPU.B200.8", ""},
};

/* PCI speed and class of the NICs. Source: AZHPC and OFI of policies/azure.yaml and aws.yaml. */
static const struct links {
    const char *shape, *speed, *nic_class;
} links[] = {
    {"p4d.24xlarge", "8 GT/s", "0x020000"},
    {"Standard_ND96asr_v4", "16 GT/s", "0x020700"},
    {"Standard_ND96isr_H100_v5", "32.0 GT/s PCIe", "0x020700"},
};

/* The text of a file, at most 64 KiB. */
static const char *text_of(const char *dir, const char *name, const char *rest)
{
    static char text[65536];
    char path[512];
    FILE *file;
    size_t len;

    (void)snprintf(path, sizeof path, "%s/%s%s", dir, name, rest);
    file = fopen(path, "rbe");
    if (file == NULL)
        fail_msg("%s: cannot be read", path);
    len = fread(text, 1, sizeof text, file);
    assert_int_equal(fclose(file), 0);
    assert_true(len < sizeof text);
    text[len] = '\0';
    return text;
}

struct shelf {
    struct fb_arena *arena;
    struct fb_policies all;
};

static int shelf_fill(void **state)
{
    static const char *const providers[] = {"aws", "azure", "gcp", "oci"};
    static struct shelf shelf;

    shelf.arena = fb_arena_new(0);
    assert_non_null(shelf.arena);
    *state = &shelf;
    for (size_t i = 0; i < COUNT(providers); i++) {
        const char *text = text_of(FB_TEST_POLICIES, providers[i], ".yaml");
        struct fb_error err = {0};

        if (fb_policyfile_read(shelf.arena, &shelf.all, text, strlen(text), &err) != FB_OK)
            fail_msg("%s: %s", providers[i], err.text);
    }
    return 0;
}

static int shelf_empty(void **state)
{
    struct shelf *shelf = *state;

    fb_arena_free(shelf->arena);
    return 0;
}

static void equip(struct shelf *shelf, const char *provider, const char *name,
                  struct fb_equip *ret_equip, struct fb_reading *ret)
{
    const struct fb_policy *policy = fb_policies_find(&shelf->all, provider);
    const struct fb_shape *shape = policy != NULL ? fb_policy_shape(policy, name) : NULL;

    if (shape == NULL)
        fail_msg("%s: no %s", provider, name);
    *ret = (struct fb_reading){.policy = policy, .shape = shape, .instance = name};
    assert_int_equal(fb_equip_merge(shelf->arena, &policy->equip, &shape->equip, ret_equip), FB_OK);
}

static struct fb_profile profile_of(struct shelf *shelf, const struct golden *golden)
{
    struct fb_node node = {.name = "n1"};
    struct fb_site site = {.node = &node};
    struct fb_fabric fabric = {.name = "fabric"};
    struct fb_need need = {0};
    struct fb_equip equipped;
    struct fb_profile_input in = {
        .site = &site, .fabric = &fabric, .need = &need, .equip = &equipped};
    struct fb_profile profile;

    equip(shelf, golden->provider, golden->shape, &equipped, &site.reading);
    assert_int_equal(fb_profile_make(shelf->arena, &in, &profile, NULL), FB_OK);
    return profile;
}

static void test_golden__nccl_conf_is_as_written_by_hand(void **state)
{
    int failed = 0;

    for (size_t i = 0; i < COUNT(goldens); i++) {
        const char *got = profile_of(*state, &goldens[i]).conf;
        const char *want = text_of(FB_TEST_DATA "/golden", goldens[i].shape, "/nccl.conf");

        if (strcmp(got, want) != 0) {
            print_error("%s: nccl.conf is\n%swritten by hand is\n%s\n", goldens[i].shape, got,
                        want);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

/* A variable of the environment wins over the file: twice would be once too often. */
static void test_golden__no_setting_is_in_the_environment_and_in_nccl_conf(void **state)
{
    for (size_t i = 0; i < COUNT(goldens); i++) {
        struct fb_reading reading;
        struct fb_equip equipped;

        equip(*state, goldens[i].provider, goldens[i].shape, &equipped, &reading);
        for (size_t j = 0; j < equipped.conf.len; j++) {
            if (fb_pairs_find(&equipped.env, equipped.conf.at[j].key) != NULL)
                fail_msg("%s: %s is in both", goldens[i].shape, equipped.conf.at[j].key);
        }
    }
}

static void test_golden__nothing_is_left_out(void **state)
{
    for (size_t i = 0; i < COUNT(goldens); i++)
        assert_non_null(
            strstr(profile_of(*state, &goldens[i]).profile, ",\"degraded\":[],\"env\":{"));
}

/* The word for the tag at @tag in such a line; "" for those that it does not tell. */
static void word_of(const char *tag, char word[32])
{
    const char *id = strstr(tag, "id=\"");
    int id_len = id != NULL ? (int)strcspn(id + 4, "\"") : 0;

    word[0] = '\0';
    if (strncmp(tag, "</pci>", 6) == 0)
        (void)snprintf(word, 32, ")");
    else if (strncmp(tag, "<pci busid=\"ffff:", 17) == 0)
        (void)snprintf(word, 32, "(");
    else if (id != NULL && strncmp(tag, "<cpu ", 5) == 0)
        (void)snprintf(word, 32, "%.*s", id_len, id + 4);
    else if (id != NULL && strncmp(tag, "<pci ", 5) == 0)
        (void)snprintf(word, 32, "%s%.*s",
                       strncmp(id + 4 + id_len, "\" class=\"0x02", 13) == 0 ? "+" : "", id_len,
                       id + 4);
}

static void line_of(const char *xml, char line[1024])
{
    size_t len = 0;

    line[0] = '\0';
    for (const char *tag = strchr(xml, '<'); tag != NULL; tag = strchr(tag + 1, '<')) {
        char word[32];

        word_of(tag, word);
        if (word[0] != '\0')
            len += (size_t)snprintf(line + len, 1024 - len, "%s%s", len > 0 ? " " : "", word);
    }
}

static void test_golden__topology_has_the_devices_of_the_reference(void **state)
{
    for (size_t i = 0; i < COUNT(goldens); i++) {
        char line[1024];

        line_of(profile_of(*state, &goldens[i]).topo, line);
        assert_string_equal(line, goldens[i].topology);
    }
}

static void test_golden__topology_has_the_links_of_the_sources(void **state)
{
    for (size_t i = 0; i < COUNT(links); i++) {
        for (size_t j = 0; j < COUNT(goldens); j++) {
            char tail[128];
            const char *topo;

            if (strcmp(goldens[j].shape, links[i].shape) != 0)
                continue;
            topo = profile_of(*state, &goldens[j]).topo;
            (void)snprintf(tail, sizeof tail,
                           " class=\"%s\" link_speed=\"%s\" link_width=\"16\"/>\n",
                           links[i].nic_class, links[i].speed);
            if (strstr(topo, tail) == NULL)
                fail_msg("%s: no%sin\n%s", links[i].shape, tail, topo);
        }
    }
}

static int run(const char *command, const char *input)
{
    FILE *pipe = popen(command, "we");
    int status;

    assert_non_null(pipe);
    (void)fputs(input, pipe);
    status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_golden__topology_is_well_formed(void **state)
{
    size_t checked = 0;

    if (run("command -v xmllint >/dev/null", "") != 0)
        skip();
    assert_int_not_equal(run("xmllint --noout - 2>/dev/null", "<system>\n<cpu>\n</system>\n"), 0);
    for (size_t i = 0; i < COUNT(goldens); i++) {
        const char *topo = profile_of(*state, &goldens[i]).topo;

        if (topo[0] == '\0')
            continue;
        assert_int_equal(run("xmllint --noout -", topo), 0);
        checked++;
    }
    assert_int_equal(checked, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden__nccl_conf_is_as_written_by_hand),
        cmocka_unit_test(test_golden__no_setting_is_in_the_environment_and_in_nccl_conf),
        cmocka_unit_test(test_golden__nothing_is_left_out),
        cmocka_unit_test(test_golden__topology_has_the_devices_of_the_reference),
        cmocka_unit_test(test_golden__topology_has_the_links_of_the_sources),
        cmocka_unit_test(test_golden__topology_is_well_formed),
    };

    return cmocka_run_group_tests(tests, shelf_fill, shelf_empty);
}
