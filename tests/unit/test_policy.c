/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/policy.h"

#include "unit.h"

static const char *excluded[] = {"*.IP", "*/plain-*"};
static const char *prefixes[] = {"ml.", "m"};

static struct fb_nic_rule first_nics[] = {
    {.pattern = "example.com/nic", .kind = FB_NIC_EXCLUSIVE},
    {.pattern = "example.com/net/*", .kind = FB_NIC_EACH, .exclude = {excluded, 2, 2}},
    {.pattern = "example.com/*", .kind = FB_NIC_SLOT, .exclude = {excluded, 1, 1}},
};
static struct fb_nic_rule second_nics[] = {{.pattern = "rdma/seat", .kind = FB_NIC_SLOT}};
static struct fb_shape shapes[] = {{.name = "big", .gpus = 8}, {.name = "small", .gpus = 1}};
static struct fb_policy providers[] = {
    {.provider = "first",
     .detect = {.instance_type_prefixes = {prefixes, 2, 2}},
     .nics = first_nics,
     .nics_len = COUNT(first_nics),
     .shapes = shapes,
     .shapes_len = COUNT(shapes)},
    {.provider = "second", .nics = second_nics, .nics_len = COUNT(second_nics)},
};
static const struct fb_policies all = {providers, COUNT(providers), COUNT(providers)};

static void test_nic_kind_name__is_the_word_of_the_policy_file(void **state)
{
    (void)state;
    assert_string_equal(fb_nic_kind_name(FB_NIC_EXCLUSIVE), "exclusive");
    assert_string_equal(fb_nic_kind_name(FB_NIC_SLOT), "slot");
    assert_string_equal(fb_nic_kind_name(FB_NIC_EACH), "each");
}

static void test_policies_find__knows_providers_by_name(void **state)
{
    const struct fb_policies none = {0};

    (void)state;
    assert_ptr_equal(fb_policies_find(&all, "first"), &providers[0]);
    assert_ptr_equal(fb_policies_find(&all, "second"), &providers[1]);
    assert_null(fb_policies_find(&all, "third"));
    assert_null(fb_policies_find(&all, "First"));
    assert_null(fb_policies_find(&none, "first"));
}

static void test_policy_shape__knows_shapes_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(fb_policy_shape(&providers[0], "small"), &shapes[1]);
    assert_null(fb_policy_shape(&providers[0], "smal"));
    assert_null(fb_policy_shape(&providers[0], ""));
    assert_null(fb_policy_shape(&providers[1], "small"));
}

static void test_policy_instance__cuts_one_prefix(void **state)
{
    static const struct {
        const char *type;
        const char *want;
    } cases[] = {
        {"ml.big", "big"}, {"ml.ml.big", "ml.big"}, {"medium", "edium"},
        {"big", "big"},    {"big.ml.", "big.ml."},  {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(fb_policy_instance(&providers[0], cases[i].type), cases[i].want);
    assert_string_equal(fb_policy_instance(&providers[1], "ml.big"), "ml.big");
}

static void test_policy_nic_rule__is_the_first_that_covers_the_name(void **state)
{
    static const struct {
        const char *name;
        const struct fb_nic_rule *want;
    } cases[] = {
        {"example.com/nic", &first_nics[0]},
        {"example.com/net/a", &first_nics[1]},
        {"example.com/net/a.IP", NULL},
        {"example.com/net/plain-1", &first_nics[2]}, /* excluded there, not here */
        {"example.com/other", &first_nics[2]},
        {"example.org/nic", NULL},
        {"rdma/seat", NULL},
        {"", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_ptr_equal(fb_policy_nic_rule(&providers[0], cases[i].name), cases[i].want);
}

static void test_policies_nic__asks_every_provider(void **state)
{
    (void)state;
    assert_true(fb_policies_nic(&all, "example.com/nic"));
    assert_true(fb_policies_nic(&all, "rdma/seat"));
    assert_false(fb_policies_nic(&all, "example.com/net/a.IP"));
    assert_false(fb_policies_nic(&all, "cpu"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nic_kind_name__is_the_word_of_the_policy_file),
        cmocka_unit_test(test_policies_find__knows_providers_by_name),
        cmocka_unit_test(test_policy_shape__knows_shapes_by_name),
        cmocka_unit_test(test_policy_instance__cuts_one_prefix),
        cmocka_unit_test(test_policy_nic_rule__is_the_first_that_covers_the_name),
        cmocka_unit_test(test_policies_nic__asks_every_provider),
    };

    return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
