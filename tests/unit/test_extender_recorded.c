/* SPDX-License-Identifier: Apache-2.0 */
#include "extender_case.h"
#include "extender_want.h"
#include "volcano_case.h"

#include "fabricbind/own.h"
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Both sides decide at one moment, however slow the machine is: the linker sends the handler's look
 * at the clock here. */
int64_t __wrap_fb_inventory_clock_ms(void);

int64_t __wrap_fb_inventory_clock_ms(void)
{
    return 1000;
}

static const struct folder {
    const char *name, *provider;
    enum fb_volcano_dialect dialect;
} folders[] = {
    {"aws", "aws", FB_VOLCANO_TEXT},          {"azure", "azure", FB_VOLCANO_TEXT},
    {"gcp", "gcp", FB_VOLCANO_TEXT},          {"oci", "oci", FB_VOLCANO_TEXT},
    {"volcano-1.12", "aws", FB_VOLCANO_TEXT}, {"volcano-1.9", "aws", FB_VOLCANO_ARRAY},
};

/* What was answered, so that a test that compares nothing but passes fails. */
struct seen {
    size_t predicates, refused; /* refused: not code 0 */
    size_t prioritized, scored; /* scored: a score above 0 */
};

/* The verb of "0005-predicate.json"; FB_VOLCANO_VERBS for what is no body. */
static enum fb_volcano_verb verb_of(const char *file)
{
    static const char *const events[] = {"allocateFunc.json", "onSessionOpen.json"};
    const char *dash = strchr(file, '-');
    enum fb_volcano_verb verb = FB_VOLCANO_VERBS;

    if (dash == NULL)
        return verb;
    if (strcmp(dash + 1, events[0]) == 0)
        return FB_VOLCANO_ALLOCATE;
    if (strcmp(dash + 1, events[1]) == 0)
        return FB_VOLCANO_SESSIONOPEN;
    for (int i = 0; i < FB_VOLCANO_VERBS; i++) {
        const char *name = fb_volcano_verb_name((enum fb_volcano_verb)i);

        if (strncasecmp(dash + 1, name, strlen(name)) == 0 && dash[1 + strlen(name)] == '.')
            verb = (enum fb_volcano_verb)i;
    }
    return verb;
}

static bool has_score(const char *text)
{
    for (const char *at = text; (at = strstr(at, "\":")) != NULL; at += 2) {
        if (at[2] >= '1' && at[2] <= '9')
            return true;
    }
    return false;
}

static void count(struct seen *seen, enum fb_volcano_verb verb, const char *text)
{
    if (verb == FB_VOLCANO_PREDICATE) {
        seen->predicates++;
        seen->refused += strstr(text, "ode\":0") == NULL;
    } else if (verb == FB_VOLCANO_PRIORITIZE) {
        seen->prioritized++;
        seen->scored += has_score(text);
    }
}

static void compare_body(const struct extender_case *run, struct extender_want *want,
                         const struct extender_ask *from, const char *path, struct seen *seen)
{
    FB_OWNED(fb_inventory_releasep)
    struct fb_inventory *inventory = fb_inventory_slot_get(run->slot);
    const struct extender_ask ask = *from;
    char *expected =
        extender_want_answer(want, inventory, ask.verb, ask.dialect, ask.body, ask.len);
    char *text = extender_case_ask(run, &ask);

    assert_non_null(text);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: %s, wanted %s", path, text, expected);
    if (!extender_case_documented(ask.verb, ask.dialect, text))
        fail_msg("%s: %s", path, text);
    count(seen, ask.verb, text);
    free(expected);
    free(text);
}

static void compare(const struct extender_case *run, struct extender_want *want,
                    const struct folder *folder, const char *file, struct seen *seen)
{
    struct extender_ask ask = {.verb = verb_of(file), .dialect = folder->dialect};
    char path[512];
    char *body;

    (void)snprintf(path, sizeof path, "%s/%s", folder->name, file);
    body = volcano_case_load(path, &ask.len);
    ask.body = body;
    compare_body(run, want, &ask, path, seen);
    free(body);
}

typedef void (*each_file)(const struct folder *folder, const char *file, void *context);

static void for_each(const struct folder *folder, each_file each, void *context)
{
    char path[512];
    struct dirent **found;
    int len;

    (void)snprintf(path, sizeof path, FB_TEST_RECORDED "/%s", folder->name);
    len = scandir(path, &found, NULL, alphasort);
    assert_true(len > 2);
    for (int i = 0; i < len; i++) {
        if (verb_of(found[i]->d_name) != FB_VOLCANO_VERBS)
            each(folder, found[i]->d_name, context);
        free(found[i]);
    }
    free(found);
}

/* A run over one folder. */
struct alone {
    struct fb_inventory *inventory;
    struct seen *seen;
};

static void compare_alone(const struct folder *folder, const char *file, void *context)
{
    const struct alone *alone = context;
    FB_OWNED(extender_want_freep) struct extender_want *want = NULL;
    enum fb_volcano_verb verb = verb_of(file);
    struct extender_case run;

    if (verb != FB_VOLCANO_PREDICATE && verb != FB_VOLCANO_PRIORITIZE)
        return;
    want = extender_want_new();
    extender_case_start(&run, fb_inventory_hold(alone->inventory));
    compare(&run, want, folder, file, alone->seen);
    extender_case_stop(&run);
}

static struct seen compare_all_alone(bool with_snapshot)
{
    struct seen seen = {0};

    for (size_t i = 0; i < COUNT(folders); i++) {
        FB_OWNED(fb_inventory_releasep)
        struct fb_inventory *inventory =
            extender_case_read(with_snapshot ? folders[i].provider : NULL);
        struct alone alone = {inventory, &seen};

        for_each(&folders[i], compare_alone, &alone);
    }
    print_message("%zu of %zu refused, %zu of %zu scored\n", seen.refused, seen.predicates,
                  seen.scored, seen.prioritized);
    return seen;
}

static void expect_all(const struct seen *seen, size_t times)
{
    assert_int_equal(seen->predicates, 391 * times);
    assert_int_equal(seen->prioritized, 60 * times);
    assert_true(seen->refused < seen->predicates);
    assert_in_range(seen->scored, 1, seen->prioritized);
}

static void test_extender__answers_recorded_bodies_as_the_core_does(void **state)
{
    struct seen seen = compare_all_alone(true);

    (void)state;
    expect_all(&seen, 1);
    assert_true(seen.refused > 0);
}

static void test_extender__answers_them_so_without_a_snapshot(void **state)
{
    struct seen seen = compare_all_alone(false);

    (void)state;
    expect_all(&seen, 1);
}

/* A run over folders in order. */
struct session {
    struct extender_case run;
    struct extender_want *want;
    struct seen seen;
};

static void compare_next(const struct folder *folder, const char *file, void *context)
{
    struct session *session = context;

    compare(&session->run, session->want, folder, file, &session->seen);
}

static void close_session(struct session *session)
{
    FB_OWNED(fb_inventory_releasep)
    struct fb_inventory *inventory = fb_inventory_slot_get(session->run.slot);
    char *text = extender_case_say(&session->run, FB_VOLCANO_SESSIONCLOSE, "{}");

    free(text);
    free(extender_want_answer(session->want, inventory, FB_VOLCANO_SESSIONCLOSE, FB_VOLCANO_TEXT,
                              "{}", 2));
}

/* Twice: the second session starts from what the first one left in the ledger. */
static void compare_in_order(const struct folder *folder, const char *provider, struct seen *ret)
{
    struct session session = {.want = extender_want_new(), .seen = *ret};

    extender_case_start(&session.run, extender_case_read(provider));
    for (int i = 0; i < 2; i++) {
        for_each(folder, compare_next, &session);
        close_session(&session);
    }
    *ret = session.seen;
    extender_case_stop(&session.run);
    extender_want_free(session.want);
}

static void test_extender__answers_whole_sessions_as_the_core_does(void **state)
{
    struct seen with = {0}, without = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(folders); i++) {
        compare_in_order(&folders[i], folders[i].provider, &with);
        compare_in_order(&folders[i], NULL, &without);
    }
    expect_all(&with, 2);
    assert_true(with.refused > 0);
    expect_all(&without, 2);
    assert_true(without.refused > 0); /* once the first request that scores has made a plan */
}

/* @body with @nics NICs in every @amount ("Releasing") of a node, where recordings have none. */
static char *put_nics(const char *body, const char *amount, int nics)
{
    char from[128];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *at;

    assert_non_null(out);
    (void)snprintf(from, sizeof from,
                   "\"%s\":{\"MilliCPU\":0,\"Memory\":0,\"ScalarResources\":", amount);
    for (; (at = strstr(body, from)) != NULL; body = at + strlen(from) + strlen("null")) {
        assert_memory_equal(at + strlen(from), "null", 4);
        (void)fprintf(out, "%.*s%s{\"vpc.amazonaws.com/efa\":%d}", (int)(at - body), body, from,
                      1000 * nics);
    }
    (void)fputs(body, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

struct changed {
    struct fb_inventory *inventory;
    int releasing, pipelined; /* NICs */
    struct seen seen;
};

static void compare_changed(const struct folder *folder, const char *file, void *context)
{
    struct changed *changed = context;
    FB_OWNED(extender_want_freep) struct extender_want *want = NULL;
    struct extender_ask ask = {.verb = verb_of(file), .dialect = folder->dialect};
    struct extender_case run;
    char path[512];
    char *body, *released, *both;

    if (ask.verb != FB_VOLCANO_PRIORITIZE)
        return;
    (void)snprintf(path, sizeof path, "%s/%s", folder->name, file);
    body = volcano_case_load(path, &ask.len);
    released = put_nics(body, "Releasing", changed->releasing);
    both = put_nics(released, "Pipelined", changed->pipelined);
    ask.body = both;
    ask.len = strlen(both);
    assert_true(ask.len > strlen(body));
    want = extender_want_new();
    extender_case_start(&run, fb_inventory_hold(changed->inventory));
    compare_body(&run, want, &ask, path, &changed->seen);
    extender_case_stop(&run);
    free(body);
    free(released);
    free(both);
}

static void test_extender__counts_what_goes_and_what_comes(void **state)
{
    struct changed cases[] = {
        {.pipelined = 0}, {.pipelined = 32}, {.releasing = 32, .pipelined = 32}, {.pipelined = 9}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        cases[i].inventory = extender_case_read("aws");
        for_each(&folders[0], compare_changed, &cases[i]);
        fb_inventory_release(cases[i].inventory);
        print_message("%zu of %zu scored\n", cases[i].seen.scored, cases[i].seen.prioritized);
    }
    assert_true(cases[1].seen.scored < cases[0].seen.scored);
    assert_int_equal(cases[2].seen.scored, cases[0].seen.scored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extender__answers_recorded_bodies_as_the_core_does),
        cmocka_unit_test(test_extender__answers_them_so_without_a_snapshot),
        cmocka_unit_test(test_extender__answers_whole_sessions_as_the_core_does),
        cmocka_unit_test(test_extender__counts_what_goes_and_what_comes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
