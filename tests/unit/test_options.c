/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define WORDS 16

/* A command line in words with one blank between them; "''" is an empty word. */
struct line {
    char text[256];
    char *argv[WORDS + 2];
    int argc;
};

static void split(struct line *line, const char *text)
{
    char *save = NULL;

    *line = (struct line){.argc = 0};
    assert_true(strlen(text) < sizeof line->text);
    memcpy(line->text, text, strlen(text));
    for (char *word = strtok_r(line->text, " ", &save); word != NULL;
         word = strtok_r(NULL, " ", &save)) {
        assert_true(line->argc < WORDS);
        if (strcmp(word, "''") == 0)
            word[0] = '\0';
        line->argv[line->argc++] = word;
    }
}

static enum fb_status read_line(struct fb_arena *arena, struct line *line, const char *text,
                                struct fb_options *ret, struct fb_error *err)
{
    split(line, text);
    return fb_options_read(arena, line->argc, line->argv, ret, err);
}

/* "a,b" of a list. */
static void join(const struct fb_texts *texts, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < texts->len && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ",", texts->at[i]);
}

static const struct {
    const char *line;
    struct fb_options want;
    const char *jobs, *policies;
} good_usage[] = {
    {"fabricbind plan --snapshot d --job j",
     {.command = FB_COMMAND_PLAN, .snapshot = "d"},
     "j",
     ""},
    {"fabricbind plan --snapshot=d --job=j --job k --keep-members -o json",
     {.command = FB_COMMAND_PLAN, .snapshot = "d", .output = FB_OUTPUT_JSON, .keep_members = true},
     "j,k",
     ""},
    {"fabricbind plan --snapshot - --job j --config c --helix-values h --policies p "
     "--policies q --output yaml",
     {.command = FB_COMMAND_PLAN,
      .snapshot = "-",
      .config = "c",
      .helix_values = "h",
      .output = FB_OUTPUT_YAML},
     "j",
     "p,q"},
    {"fabricbind plan --snapshot d --job -",
     {.command = FB_COMMAND_PLAN, .snapshot = "d"},
     "-",
     ""},
    {"fabricbind nodes --snapshot d -otable",
     {.command = FB_COMMAND_NODES, .snapshot = "d"},
     "",
     ""},
    {"fabricbind serve", {.command = FB_COMMAND_SERVE, .log_level = 1}, "", ""},
    {"fabricbind serve --config c --helix-values h --policies p --snapshot d --log-level debug",
     {.command = FB_COMMAND_SERVE, .snapshot = "d", .config = "c", .helix_values = "h"},
     "",
     "p"},
    {"fabricbind serve --log-level error", {.command = FB_COMMAND_SERVE, .log_level = 3}, "", ""},
    {"fabricbind check --snapshot d --volcano-conf v",
     {.command = FB_COMMAND_CHECK, .snapshot = "d", .volcano_conf = "v"},
     "",
     ""},
    {"fabricbind check --config c --snapshot d",
     {.command = FB_COMMAND_CHECK, .snapshot = "d", .config = "c"},
     "",
     ""},
    /* The last of two wins; names may be shortened. */
    {"fabricbind nodes --snapshot d --snap e -o json -o yaml",
     {.command = FB_COMMAND_NODES, .snapshot = "e", .output = FB_OUTPUT_YAML},
     "",
     ""},
    {"fabricbind replay r",
     {.command = FB_COMMAND_REPLAY,
      .directory = "r",
      .url = "http://127.0.0.1:9712",
      .rounds = 1,
      .connections = 1},
     "",
     ""},
    {"fabricbind replay --repeat 1000000 r --connections 256 --url u --volcano-1.9",
     {.command = FB_COMMAND_REPLAY,
      .directory = "r",
      .url = "u",
      .rounds = 1000000,
      .connections = 256,
      .array_dialect = true},
     "",
     ""},
    {"fabricbind version", {.command = FB_COMMAND_VERSION}, "", ""},
    {"fabricbind --version", {.command = FB_COMMAND_VERSION}, "", ""},
    /* Help asks for nothing else. */
    {"fabricbind --help", {.command = FB_COMMAND_NONE, .help = true}, "", ""},
    {"fabricbind -h", {.command = FB_COMMAND_NONE, .help = true}, "", ""},
    {"fabricbind plan -h", {.command = FB_COMMAND_PLAN, .help = true}, "", ""},
    {"fabricbind check x --help", {.command = FB_COMMAND_CHECK, .help = true}, "", ""},
};

static void test_options_read__takes_every_option(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    for (size_t i = 0; i < COUNT(good_usage); i++) {
        const struct fb_options *want = &good_usage[i].want;
        struct fb_options got;
        struct fb_error err = {0};
        struct line line;
        char text[64];

        assert_int_equal(read_line(arena, &line, good_usage[i].line, &got, &err), FB_OK);
        assert_int_equal(got.command, want->command);
        assert_int_equal(got.help, want->help);
        assert_int_equal(got.output, want->output);
        assert_int_equal(got.keep_members, want->keep_members);
        assert_true(fb_text_equal(got.snapshot, want->snapshot));
        assert_true(fb_text_equal(got.config, want->config));
        assert_true(fb_text_equal(got.volcano_conf, want->volcano_conf));
        assert_true(fb_text_equal(got.directory, want->directory));
        assert_int_equal(got.array_dialect, want->array_dialect);
        if (want->command == FB_COMMAND_REPLAY) {
            assert_string_equal(got.url, want->url);
            assert_int_equal(got.rounds, want->rounds);
            assert_int_equal(got.connections, want->connections);
        }
        if (want->command == FB_COMMAND_SERVE)
            assert_int_equal(got.log_level, want->log_level);
        assert_true(fb_text_equal(got.helix_values, want->helix_values));
        join(&got.jobs, text, sizeof text);
        assert_string_equal(text, good_usage[i].jobs);
        join(&got.policies, text, sizeof text);
        assert_string_equal(text, good_usage[i].policies);
    }
}

static const struct {
    const char *line, *want;
} bad_usage[] = {
    {"fabricbind", "fabricbind: no command, see --help"},
    {"fabricbind ''", "fabricbind: unknown command '', see --help"},
    {"fabricbind --", "fabricbind: no command, see --help"},
    {"fabricbind paln", "fabricbind: unknown command 'paln', nearest is 'plan'"},
    {"fabricbind frobnicate", "fabricbind: unknown command 'frobnicate', see --help"},
    {"fabricbind --versoin", "fabricbind: unknown option '--versoin', nearest is '--version'"},
    {"fabricbind --help=plan", "fabricbind: --help takes no value"},
    {"fabricbind -x", "fabricbind: unknown option '-x', see --help"},
    {"fabricbind plan", "fabricbind plan: --snapshot is missing"},
    {"fabricbind plan --snapshot d", "fabricbind plan: --job is missing"},
    {"fabricbind plan --job j", "fabricbind plan: --snapshot is missing"},
    {"fabricbind nodes", "fabricbind nodes: --snapshot is missing"},
    {"fabricbind check -o json", "fabricbind check: --snapshot is missing"},
    {"fabricbind plan --snaphsot d",
     "fabricbind plan: unknown option '--snaphsot', nearest is '--snapshot'"},
    {"fabricbind plan --snaphsot=d",
     "fabricbind plan: unknown option '--snaphsot', nearest is '--snapshot'"},
    {"fabricbind plan j --colour", "fabricbind plan: unknown option '--colour', see --help"},
    {"fabricbind plan --h", "fabricbind plan: '--h' is short for more than one option"},
    {"fabricbind plan -snapshot d",
     "fabricbind plan: unknown option '-s', nearest is '--snapshot'"},
    {"fabricbind plan --snapshot", "fabricbind plan: --snapshot needs a value"},
    {"fabricbind plan --snapshot d -o", "fabricbind plan: --output needs a value"},
    {"fabricbind plan --snapshot '' --job j", "fabricbind plan: --snapshot is empty"},
    {"fabricbind plan --snapshot d --job=", "fabricbind plan: --job is empty"},
    {"fabricbind plan --keep-members=no", "fabricbind plan: --keep-members takes no value"},
    {"fabricbind plan --snapshot d --job j -o xml",
     "fabricbind plan: --output 'xml' is none of table, json, yaml"},
    {"fabricbind plan --snapshot d --job j more", "fabricbind plan: unexpected argument 'more'"},
    {"fabricbind plan --snapshot d --job j -- --help",
     "fabricbind plan: unexpected argument '--help'"},
    {"fabricbind plan --snapshot - --job -",
     "fabricbind plan: standard input is asked for 2 times"},
    {"fabricbind plan --snapshot d --job - --job -",
     "fabricbind plan: standard input is asked for 2 times"},
    {"fabricbind serve --snapshot d --kubeconfig k",
     "fabricbind serve: --snapshot and --kubeconfig exclude each other"},
    {"fabricbind nodes --snapshot d --job j",
     "fabricbind nodes: unknown option '--job', see --help"},
    {"fabricbind nodes --snapshot d --keep-members",
     "fabricbind nodes: unknown option '--keep-members', see --help"},
    {"fabricbind serve --log-level loud",
     "fabricbind serve: --log-level 'loud' is none of debug, info, warning, error"},
    {"fabricbind serve -o json", "fabricbind serve: unknown option '-o', see --help"},
    {"fabricbind nodes --snapshot d --volcano-conf v",
     "fabricbind nodes: unknown option '--volcano-conf', see --help"},
    {"fabricbind replay", "fabricbind replay: DIR is missing"},
    {"fabricbind replay ''", "fabricbind replay: DIR is empty"},
    {"fabricbind replay r s", "fabricbind replay: unexpected argument 's'"},
    {"fabricbind replay r --repeat 0",
     "fabricbind replay: --repeat '0' is no number from 1 to 1000000"},
    {"fabricbind replay r --repeat 1000001",
     "fabricbind replay: --repeat '1000001' is no number from 1 to 1000000"},
    {"fabricbind replay r --repeat 18446744073709551617",
     "fabricbind replay: --repeat '18446744073709551617' is no number from 1 to 1000000"},
    {"fabricbind replay r --connections 2x",
     "fabricbind replay: --connections '2x' is no number from 1 to 256"},
    {"fabricbind replay r --connections -1",
     "fabricbind replay: --connections '-1' is no number from 1 to 256"},
    {"fabricbind replay r --snapshot d",
     "fabricbind replay: unknown option '--snapshot', see --help"},
    {"fabricbind version -o json", "fabricbind version: unknown option '-o', see --help"},
    {"fabricbind version 1", "fabricbind version: unexpected argument '1'"},
};

static void test_options_read__refuses_bad_usage_in_one_line(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    for (size_t i = 0; i < COUNT(bad_usage); i++) {
        struct fb_options got = {.config = "untouched"};
        struct fb_error err = {0};
        struct line line;

        assert_int_equal(read_line(arena, &line, bad_usage[i].line, &got, &err), FB_EINPUT);
        assert_string_equal(err.text, bad_usage[i].want);
        assert_string_equal(got.config, "untouched");
    }
}

/* The help of @command; free() it. */
static char *help(struct fb_arena *arena, enum fb_command command, size_t width)
{
    struct fb_terminal terminal = {.width = width};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_int_equal(fb_options_help(arena, command, &terminal, out, NULL), FB_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_options_help__has_usage_options_and_examples(void **state)
{
    static const struct {
        enum fb_command command;
        const char *has[4];
    } cases[] = {
        {FB_COMMAND_NONE,
         {"Usage: fabricbind COMMAND [options]\n", "  check    Checks ", "      --version  print",
          "  limits.fileBytes             1Gi"}},
        {FB_COMMAND_SERVE,
         {"Usage: fabricbind serve [options]\n", "      --snapshot DIR|-  ",
          "      --log-level LEVEL  ", "  fabricbind serve --config fabricbind.yaml\n"}},
        {FB_COMMAND_PLAN,
         {"Usage: fabricbind plan --snapshot DIR|- --job FILE|- [options]\n",
          "  -o, --output table|json|yaml  how to print",
          "  fabricbind plan --snapshot snapshot --job job.yaml\n", "      --keep-members   "}},
        {FB_COMMAND_NODES,
         {"Usage: fabricbind nodes --snapshot DIR|- [options]\n", "      --policies DIR   ",
          "  fabricbind nodes --snapshot snapshot\n", "  -h, --help   "}},
        {FB_COMMAND_CHECK,
         {"Usage: fabricbind check --snapshot DIR|- [options]\n", "      --helix-values FILE   ",
          "  fabricbind check --snapshot snapshot --config", "Exit status: 0 yes, 1 no, 2 bad"}},
        {FB_COMMAND_REPLAY,
         {"Usage: fabricbind replay DIR [options]\n", "      --connections C  ",
          "      --volcano-1.9  ", "  fabricbind replay recorded\n"}},
        {FB_COMMAND_VERSION,
         {"Usage: fabricbind version [options]\n", "  -h, --help  print this\n",
          "  fabricbind version\n", "Exit status: 0 yes"}},
    };
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = help(arena, cases[i].command, 80);

        for (size_t k = 0; k < COUNT(cases[i].has); k++) {
            if (strstr(text, cases[i].has[k]) == NULL)
                fail_msg("no '%s' in:\n%s", cases[i].has[k], text);
        }
        assert_int_equal(strstr(text, "--job") != NULL, cases[i].command == FB_COMMAND_PLAN ||
                                                            cases[i].command == FB_COMMAND_NONE);
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
            assert_true(strcspn(line, "\n") <= 80);
        free(text);
    }
}

static void test_options_help__says_when_the_file_refuses(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_terminal terminal = {.width = 80};
    FILE *out = fopen("/dev/full", "w");

    (void)state;
    assert_non_null(out);
    assert_int_equal(setvbuf(out, NULL, _IONBF, 0), 0);
    assert_int_equal(fb_options_help(arena, FB_COMMAND_PLAN, &terminal, out, NULL), FB_EIO);
    (void)fclose(out);
}

static void test_options__survive_a_lack_of_memory(void **state)
{
    struct fb_terminal terminal = {.width = 80};
    FILE *out = fopen("/dev/null", "w");
    enum fb_status st = FB_ENOMEM;

    (void)state;
    assert_non_null(out);
    for (int after = 0; st == FB_ENOMEM && after < 1000; after++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        struct fb_options options;
        struct line line;

        assert_non_null(arena);
        alloc_fault_arm(after);
        st = read_line(arena, &line, "fabricbind plan --snapshot d --job j --policies p", &options,
                       NULL);
        if (st == FB_OK)
            st = fb_options_help(arena, FB_COMMAND_NONE, &terminal, out, NULL);
        alloc_fault_disarm();
        assert_true(after > 0 || st == FB_ENOMEM);
    }
    assert_int_equal(st, FB_OK);
    (void)fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_read__takes_every_option),
        cmocka_unit_test(test_options_read__refuses_bad_usage_in_one_line),
        cmocka_unit_test(test_options_help__has_usage_options_and_examples),
        cmocka_unit_test(test_options_help__says_when_the_file_refuses),
        cmocka_unit_test(test_options__survive_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
