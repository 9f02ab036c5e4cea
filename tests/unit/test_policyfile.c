/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/policyfile.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char full[] =
    "provider: test\n"
    "detect:\n"
    "  providerID: [\"test://\", bare]\n"
    "  labels: \"test.example/*\"\n"
    "  instanceTypes: [\"t*\"]\n"
    "  instanceTypePrefixes: [\"ml.\"]\n"
    "  resources: [test.example/nic]\n"
    "nics:\n"
    "- {resource: test.example/nic, kind: exclusive}\n"
    "- {pattern: \"test.example/net/*\", kind: each, exclude: [\"*.IP\"]}\n"
    "- {resource: test.example/seat, kind: slot}\n"
    "boundary: [{providerID: \"sets/*/\"}, {label: test.example/set}]\n"
    "tiers: [test.example/core, [test.example/leaf, test.example/rack]]\n"
    "placeholders: [\"\", none]\n"
    "healthTaints: test.example/sick\n"
    "nicDeviceClasses: [nic.test.example]\n"
    "shapes:\n"
    "  t8:\n"
    "    gpus: 8\n"
    "    nics: 4\n"
    "    gbps: 400\n"
    "    topology:\n"
    "    - {numa: 0, switches: [{gpus: [\"0000:10:1c.0\", \"0000:10:1D.7\"], nics: "
    "\"0000:10:1b.0\"}]}\n"
    "    - {numa: 1, switches: []}\n"
    "  t4: {gpus: 4, hostNetwork: true, dra: true}\n"
    "  t0: {gpus: 0, nics: 0}\n";

static int arena_make(void **state)
{
    *state = fb_arena_new(0);
    return *state != NULL ? 0 : -1;
}

static int arena_drop(void **state)
{
    fb_arena_free(*state);
    return 0;
}

static void must_read(struct fb_arena *arena, struct fb_policies *into, const char *text,
                      size_t len)
{
    struct fb_error err = {0};

    if (fb_policyfile_read(arena, into, text, len, &err) != FB_OK)
        fail_msg("%s", err.text);
}

static char *slurp(const char *path, size_t *ret_len)
{
    FILE *file = fopen(path, "rbe");
    char *text = malloc(65536);

    if (file == NULL || text == NULL)
        fail_msg("%s: cannot be read", path);
    *ret_len = fread(text, 1, 65535, file);
    text[*ret_len] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_true(*ret_len < 65535);
    return text;
}

static void test_policyfile_read__fills_the_policy(void **state)
{
    struct fb_policies all = {0};
    const struct fb_policy *policy;

    must_read(*state, &all, full, strlen(full));
    assert_int_equal(all.len, 1);
    policy = &all.at[0];
    assert_string_equal(policy->provider, "test");
    assert_int_equal(policy->detect.provider_ids.len, 2);
    assert_string_equal(policy->detect.provider_ids.at[1], "bare");
    assert_string_equal(policy->detect.labels.at[0], "test.example/*");
    assert_string_equal(policy->detect.instance_types.at[0], "t*");
    assert_string_equal(policy->detect.instance_type_prefixes.at[0], "ml.");
    assert_string_equal(policy->detect.resources.at[0], "test.example/nic");
    assert_int_equal(policy->nics_len, 3);
    assert_string_equal(policy->nics[1].pattern, "test.example/net/*");
    assert_int_equal(policy->nics[0].kind, FB_NIC_EXCLUSIVE);
    assert_int_equal(policy->nics[1].kind, FB_NIC_EACH);
    assert_int_equal(policy->nics[2].kind, FB_NIC_SLOT);
    assert_string_equal(policy->nics[1].exclude.at[0], "*.IP");
    assert_int_equal(policy->boundary_len, 2);
    assert_string_equal(policy->boundary[0].provider_id, "sets/*/");
    assert_null(policy->boundary[0].label);
    assert_string_equal(policy->boundary[1].label, "test.example/set");
    assert_null(policy->boundary[1].provider_id);
    assert_int_equal(policy->tiers_len, 2);
    assert_int_equal(policy->tiers[0].labels.len, 1);
    assert_string_equal(policy->tiers[1].labels.at[1], "test.example/rack");
    assert_string_equal(policy->placeholders.at[1], "none");
    assert_string_equal(policy->health_taints.at[0], "test.example/sick");
    assert_string_equal(policy->nic_device_classes.at[0], "nic.test.example");
}

static void test_policyfile_read__fills_the_shapes(void **state)
{
    struct fb_policies all = {0};
    const struct fb_shape *shape;

    must_read(*state, &all, full, strlen(full));
    assert_int_equal(all.at[0].shapes_len, 3);
    shape = fb_policy_shape(&all.at[0], "t8");
    assert_int_equal(shape->gpus, 8);
    assert_int_equal(shape->nics, 4);
    assert_int_equal(shape->gbps, 400);
    assert_false(shape->host_network || shape->dra);
    assert_int_equal(shape->topology_len, 2);
    assert_int_equal(shape->topology[0].len, 1);
    assert_string_equal(shape->topology[0].at[0].gpus.at[1], "0000:10:1D.7");
    assert_string_equal(shape->topology[0].at[0].nics.at[0], "0000:10:1b.0");
    assert_int_equal(shape->topology[1].numa, 1);
    shape = fb_policy_shape(&all.at[0], "t4");
    assert_int_equal(shape->nics, -1);
    assert_int_equal(shape->gbps, 0);
    assert_true(shape->host_network && shape->dra);
    shape = fb_policy_shape(&all.at[0], "t0");
    assert_int_equal(shape->gpus, 0);
    assert_int_equal(shape->nics, 0);
}

static void test_policyfile_read__replaces_a_provider_as_a_whole(void **state)
{
    static const char less[] = "provider: test\nshapes: {t2: {gpus: 2}}\n";
    static const char other[] = "provider: other\n";
    struct fb_policies all = {0};

    must_read(*state, &all, full, strlen(full));
    must_read(*state, &all, other, strlen(other));
    must_read(*state, &all, less, strlen(less));
    assert_int_equal(all.len, 2);
    assert_string_equal(all.at[0].provider, "test");
    assert_int_equal(all.at[0].nics_len, 0);
    assert_int_equal(all.at[0].shapes_len, 1);
    assert_string_equal(all.at[1].provider, "other");
}

static void refuses(struct fb_arena *arena, const char *yaml, const char *want)
{
    struct fb_policies all = {0};
    struct fb_error err = {0};

    assert_int_equal(fb_policyfile_read(arena, &all, yaml, strlen(yaml), &err), FB_EINPUT);
    assert_string_equal(err.text, want);
    assert_int_equal(all.len, 0); /* untouched on failure */
}

static void test_policyfile_read__refuses_bad_input_and_says_where(void **state)
{
    static const struct {
        const char *yaml;
        const char *want;
    } cases[] = {
        {"", "line 1: provider: missing"},
        {"\nshapes: {}\n", "line 2: provider: missing"},
        {"provider:\n", "line 1: provider: missing"},
        {"provider: ''\n", "line 1: provider: empty"},
        {"provider: [p]\n", "line 1: provider: not a text"},
        {"- provider: p\n", "line 1: not a mapping"},
        {"provider: p\n---\nprovider: q\n", "line 3: a second document"},
        {"provider: p\nshape: {}\n", "line 2: shape: unknown key, nearest is 'shapes'"},
        {"detect: {label: x}\n", "line 1: detect.label: unknown key, nearest is 'labels'"},
        {"detect: []\n", "line 1: detect: not a mapping"},
        {"detect: {labels: [{}]}\n", "line 1: detect.labels: not a text"},
        {"nics: {}\n", "line 1: nics: not a list"},
        {"nics: [x]\n", "line 1: nics[0]: not a mapping"},
        {"nics:\n- {resource: a, kind: slot}\n- {resource: b, kind: seat}\n",
         "line 3: nics[1].kind: 'seat' is none of exclusive, slot, each"},
        {"nics: [{resource: a}]\n", "line 1: nics[0].kind: missing"},
        {"nics: [{kind: slot}]\n", "line 1: nics[0]: resource or pattern is missing"},
        {"nics: [{resource: a, pattern: b, kind: slot}]\n",
         "line 1: nics[0]: resource and pattern exclude each other"},
        {"nics: [{resource: 'a/*', kind: slot}]\n",
         "line 1: nics[0].resource: 'a/*' is a pattern, not a name"},
        {"boundary: [{}]\n", "line 1: boundary[0]: label or providerID is missing"},
        {"boundary: [{label: a, providerID: 'b*'}]\n",
         "line 1: boundary[0]: label and providerID exclude each other"},
        {"boundary: [{providerID: sets/}]\n",
         "line 1: boundary[0].providerID: 'sets/' has not exactly one '*'"},
        {"boundary: [{providerID: '*/*'}]\n",
         "line 1: boundary[0].providerID: '*/*' has not exactly one '*'"},
        {"tiers: [a, [[b]]]\n", "line 1: tiers[1]: not a text"},
        {"tiers: [[]]\n", "line 1: tiers[0]: no label"},
        {"tiers: a\n", "line 1: tiers: not a list"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        refuses(*state, cases[i].yaml, cases[i].want);
}

static void test_policyfile_read__refuses_bad_shapes_and_says_where(void **state)
{
    static const struct {
        const char *yaml;
        const char *want;
    } cases[] = {
        {"shapes: [p9]\n", "line 1: shapes: not a mapping"},
        {"shapes:\n  p9:\n", "line 2: shapes.p9: not a mapping"},
        {"shapes:\n  p9: {nics: 4}\n", "line 2: shapes.p9.gpus: missing"},
        {"shapes:\n  p9: {gpus: ~}\n", "line 2: shapes.p9.gpus: missing"},
        {"shapes:\n  p9:\n    gpus: x\n", "line 3: shapes.p9.gpus: 'x' is no whole number"},
        {"shapes: {p9: {gpus: -1}}\n", "line 1: shapes.p9.gpus: -1 is outside 0 to 1000000"},
        {"shapes: {p9: {gpus: 8, nics: -4}}\n",
         "line 1: shapes.p9.nics: -4 is outside 0 to 1000000"},
        {"shapes: {p9: {gpus: 8, gbps: 1000001}}\n",
         "line 1: shapes.p9.gbps: 1000001 is outside 0 to 1000000"},
        {"shapes: {p9: {gpus: 8, dra: 1}}\n",
         "line 1: shapes.p9.dra: '1' is neither true nor false"},
        {"shapes: {p9: {gpus: 8, ratio: 4}}\n", "line 1: shapes.p9.ratio: unknown key"},
        {"shapes: {p9: {gpus: 8}, p9: {gpus: 4}}\n", "line 1: key 'p9' is given twice"},
        {"shapes: {p9: {gpus: 8, topology: [{switches: []}]}}\n",
         "line 1: shapes.p9.topology[0].numa: missing"},
        {"shapes: {p9: {gpus: 8, topology: [{numa: -1}]}}\n",
         "line 1: shapes.p9.topology[0].numa: -1 is outside 0 to 1000000"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        refuses(*state, cases[i].yaml, cases[i].want);
}

static void test_policyfile_read__refuses_what_is_no_pci_address(void **state)
{
    static const char *const bad[] = {
        "10:1c.0", "0000:10:1c.8",  "0000:10:1c.00", "0000:10:1c",  "000g:10:1c.0", "0000-10-1c-0",
        "",        "0000:10:1c.0 ", "00000:10:1c.0", "0000:1:1c.0",
    };

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct fb_policies all = {0};
        struct fb_error err = {0};
        char yaml[256];
        char want[256];

        (void)snprintf(yaml, sizeof yaml,
                       "provider: p\nshapes: {p9: {gpus: 8, topology: [{numa: 0, switches:\n"
                       "[{gpus: ['0000:00:00.0', '%s']}]}]}}\n",
                       bad[i]);
        (void)snprintf(want, sizeof want,
                       "line 3: shapes.p9.topology[0].switches[0].gpus: '%s' is no PCI address "
                       "such as 0000:10:1c.0",
                       bad[i]);
        assert_int_equal(fb_policyfile_read(*state, &all, yaml, strlen(yaml), &err), FB_EINPUT);
        assert_string_equal(err.text, want);
    }
}

/* Every allocation fails once; what was read before stays. */
static void test_policyfile_read__survives_want_of_memory(void **state)
{
    enum fb_status st = FB_ENOMEM;
    int after = 0;

    (void)state;
    for (; st != FB_OK; after++) {
        struct fb_arena *arena;
        struct fb_policies all = {0};

        assert_true(after < 1000);
        alloc_fault_arm(after);
        arena = fb_arena_new(0);
        if (arena != NULL)
            st = fb_policyfile_read(arena, &all, full, strlen(full), NULL);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        assert_int_equal(all.len, st == FB_OK ? 1 : 0);
        fb_arena_free(arena);
    }
    assert_true(after > 4);
}

/* The arena's own limit stops at other places than malloc does. */
static void test_policyfile_read__keeps_to_the_limit_of_its_arena(void **state)
{
    char yaml[8192];
    size_t len = (size_t)snprintf(yaml, sizeof yaml, "provider: p\nshapes:\n");
    bool fits = false;

    (void)state;
    for (int i = 0; i < 200; i++)
        len += (size_t)snprintf(yaml + len, sizeof yaml - len, " s%d: {gpus: 8, nics: 4}\n", i);
    for (size_t limit = 65536; !fits; limit += 4096) {
        struct fb_arena *arena = fb_arena_new(limit);
        struct fb_policies all = {0};
        enum fb_status st = fb_policyfile_read(arena, &all, yaml, len, NULL);

        assert_true(limit < 4194304);
        assert_true(st == FB_OK || st == FB_ENOMEM);
        fits = st == FB_OK;
        fb_arena_free(arena);
    }
}

/* Does @text have a row "| `key` | help |". */
static bool has_row(const char *text, const char *key, const char *help)
{
    char row[512];
    int len = snprintf(row, sizeof row, "\n| `%s` | %s |\n", key, help);

    assert_true(len > 0 && (size_t)len < sizeof row);
    return strstr(text, row) != NULL;
}

static size_t rows_of(const char *text)
{
    size_t rows = 0;

    for (const char *at = strstr(text, "\n| `"); at != NULL; at = strstr(at + 1, "\n| `"))
        rows++;
    return rows;
}

static void test_policies_readme__has_the_row_of_each_key_and_no_other(void **state)
{
    struct fb_policyfile_keys tables[FB_POLICYFILE_TABLES];
    size_t len = fb_policyfile_keys(tables);
    size_t keys = 0;
    size_t text_len;
    char *text = slurp(FB_SOURCE_DIR "/policies/README.md", &text_len);

    (void)state;
    assert_int_equal(len, FB_POLICYFILE_TABLES);
    for (size_t i = 0; i < len; i++) {
        for (size_t k = 0; k < tables[i].len; k++) {
            char key[128];

            (void)snprintf(key, sizeof key, "%s%s", tables[i].prefix, tables[i].at[k].key);
            if (!has_row(text, key, tables[i].at[k].help))
                fail_msg("policies/README.md: no row `%s` with the meaning of the code", key);
            keys++;
        }
    }
    assert_int_equal(rows_of(text), keys);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policyfile_read__fills_the_policy),
        cmocka_unit_test(test_policyfile_read__fills_the_shapes),
        cmocka_unit_test(test_policyfile_read__replaces_a_provider_as_a_whole),
        cmocka_unit_test(test_policyfile_read__refuses_bad_input_and_says_where),
        cmocka_unit_test(test_policyfile_read__refuses_bad_shapes_and_says_where),
        cmocka_unit_test(test_policyfile_read__refuses_what_is_no_pci_address),
        cmocka_unit_test(test_policyfile_read__survives_want_of_memory),
        cmocka_unit_test(test_policyfile_read__keeps_to_the_limit_of_its_arena),
        cmocka_unit_test(test_policies_readme__has_the_row_of_each_key_and_no_other),
    };

    return cmocka_run_group_tests_name("policyfile", tests, arena_make, arena_drop);
}
