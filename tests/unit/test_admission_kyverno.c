/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_case.h"
#include "apply_patch.h"

#include "fabricbind/own.h"
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * All pods of tests/data/kyverno as reviews, on the nodes of their provider and without any: each
 * is admitted or denied with a reason, what is put in applies, and the second time there is
 * nothing left to do.
 */

struct tally {
    size_t pods, changed, same, denied;
};

static int is_pod(const struct dirent *entry)
{
    return strstr(entry->d_name, ".in.json") != NULL;
}

static void ask_again(const struct admission_case *run, const char *made, const char *name)
{
    char *text = admission_case_say(run, "Pod", made);
    char *patch = find_json(text, "/response/patch");

    if (patch != NULL)
        fail_msg("%s: changed again", name);
    free(text);
}

static void ask(const struct admission_case *run, const char *object, const char *name,
                struct tally *tally)
{
    char *text = admission_case_say(run, "Pod", object);
    char *allowed = admission_case_at(text, "/response/allowed");
    char *made = admission_case_apply(object, text);

    tally->pods++;
    if (strcmp(allowed, "true") != 0) {
        tally->denied++;
        admission_case_expect(text, "/response/status/code", "403");
    } else if (strcmp(made, object) == 0) {
        tally->same++;
    } else {
        tally->changed++;
        ask_again(run, made, name);
    }
    free(made);
    free(allowed);
    free(text);
}

static struct tally ask_all(const struct admission_case *run, const char *provider)
{
    char folder[512];
    struct dirent **entries = NULL;
    struct tally tally = {0};
    int len;

    (void)snprintf(folder, sizeof folder, FB_TEST_DATA "/kyverno/%s", provider);
    len = scandir(folder, &entries, is_pod, alphasort);
    assert_true(len > 0);
    for (int i = 0; i < len; i++) {
        char *object = admission_case_file(folder, entries[i]->d_name);

        ask(run, object, entries[i]->d_name, &tally);
        free(object);
        free(entries[i]);
    }
    free(entries);
    return tally;
}

enum how { WITH_NODES, CONFIGURED, WITHOUT_NODES, HOWS };

/*
 * Two of each provider are not networked, nor is a pod of one GPU where a network is shared by
 * whole nodes only. Two ask for more GPUs than any node has. Without nodes nobody can tell how many
 * NICs the annotated ones need.
 */
static const struct row {
    const char *provider;
    struct tally want[HOWS];
} rows[] = {
    {"aws", {{42, 40, 2, 0}, {42, 40, 2, 0}, {42, 0, 5, 37}}},
    {"azure", {{32, 30, 2, 0}, {32, 30, 2, 0}, {32, 0, 4, 28}}},
    {"gcp", {{36, 33, 3, 0}, {36, 33, 3, 0}, {36, 0, 4, 32}}},
    {"oci", {{45, 43, 2, 0}, {45, 43, 2, 0}, {45, 0, 5, 40}}},
};

static size_t check(const struct row *row, enum how how)
{
    struct fb_inventory *inventory =
        admission_case_read(how != WITHOUT_NODES ? row->provider : NULL);
    struct fb_settings *settings = &inventory->in.config.settings;
    struct admission_case run;
    struct tally tally;

    if (how == CONFIGURED) {
        settings->provider = row->provider;
        settings->ratio_mode = FB_RATIO_CONFIGURED;
        settings->ratio = (struct fb_ratio){2, 1};
        admission_case_build(inventory);
    }
    admission_case_start(&run, inventory, NULL);
    tally = ask_all(&run, row->provider);
    if (memcmp(&tally, &row->want[how], sizeof tally) != 0)
        fail_msg("%s, %d: %zu pods: %zu changed, %zu the same, %zu denied", row->provider, (int)how,
                 tally.pods, tally.changed, tally.same, tally.denied);
    admission_case_stop(&run);
    return tally.pods;
}

static void test_admission_kyverno__answers_for_each_pod(void **state)
{
    (void)state;
    for (int how = 0; how < HOWS; how++) {
        size_t pods = 0;

        for (size_t i = 0; i < COUNT(rows); i++)
            pods += check(&rows[i], (enum how)how);
        assert_int_equal(pods, 155);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission_kyverno__answers_for_each_pod),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
