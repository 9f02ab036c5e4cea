/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/config.h"
#include "options_table.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

static char page[65536];

static int set_up(void **state)
{
    FILE *file = fopen(FB_SOURCE_DIR "/deploy/fabricbind.1", "r");
    size_t len;

    (void)state;
    if (file == NULL)
        return 1;
    len = fread(page, 1, sizeof page - 1, file);
    (void)fclose(file);
    return len == 0 || len == sizeof page - 1;
}

/* @text as it stands in a page: dashes are no hyphens there. */
static void escape(const char *text, char *ret, size_t size)
{
    size_t used = 0;

    for (; *text != '\0'; text++) {
        assert_true(used + 3 < size);
        if (*text == '-')
            ret[used++] = '\\';
        ret[used++] = *text;
    }
    ret[used] = '\0';
}

static void assert_has(const char *text)
{
    if (strstr(page, text) == NULL)
        fail_msg("deploy/fabricbind.1 has no:\n%s", text);
}

static void test_manual__has_every_key_with_help_and_default(void **state)
{
    const struct fb_config_key *key;
    size_t len = 0;
    size_t entries = 0;

    (void)state;
    for (; (key = fb_config_keys(len)) != NULL; len++) {
        char fallback[512];
        char entry[1024];

        escape(key->fallback, fallback, sizeof fallback);
        (void)snprintf(entry, sizeof entry, "\n.TP\n.B %s\n%s\n%s%s%s", key->key, key->help,
                       fallback[0] == '\0' ? "" : "[", fallback, fallback[0] == '\0' ? "" : "]\n");
        assert_has(entry);
    }
    for (const char *at = strstr(page, ".SH CONFIGURATION");
         at != NULL && strncmp(at, ".SH EXIT", 8) != 0; at = strchr(at + 1, '\n') + 1)
        entries += strncmp(at, ".TP", 3) == 0;
    assert_int_equal(entries, len);
}

static void test_manual__has_every_option_and_command(void **state)
{
    (void)state;
    for (size_t i = 0; i < fb_options_table_len; i++) {
        char name[64];
        char text[80];

        escape(fb_options_table[i].name, name, sizeof name);
        (void)snprintf(text, sizeof text, "\\-\\-%s", name);
        assert_has(text);
    }
    for (size_t i = 1; i < FB_COMMANDS; i++) {
        char text[64];

        (void)snprintf(text, sizeof text, "\n.SY \"fabricbind %s\"\n", fb_command_table[i].name);
        assert_has(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manual__has_every_key_with_help_and_default),
        cmocka_unit_test(test_manual__has_every_option_and_command),
    };

    return cmocka_run_group_tests_name("manual", tests, set_up, NULL);
}
