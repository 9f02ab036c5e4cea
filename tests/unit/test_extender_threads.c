/* SPDX-License-Identifier: Apache-2.0 */
#include "extender_case.h"
#include "volcano_case.h"

#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 16
#define ROUNDS 24
#define RELOADS 8
#define BODIES_MOST 64

/* What all threads ask, each starting elsewhere. */
struct body {
    enum fb_volcano_verb verb;
    char *text;
    size_t len;
};

struct crowd {
    struct extender_case run;
    struct body bodies[BODIES_MOST];
    size_t len;
    atomic_size_t started, wrong;
};

static void add(struct crowd *crowd, enum fb_volcano_verb verb, char *text, size_t len)
{
    assert_true(crowd->len < BODIES_MOST);
    crowd->bodies[crowd->len++] = (struct body){verb, text, len};
}

/* Of the recordings of one provider, as many of each verb. */
static void add_recorded(const char *path, void *context)
{
    static const struct {
        const char *file;
        enum fb_volcano_verb verb;
    } verbs[] = {
        {"-predicate.", FB_VOLCANO_PREDICATE},
        {"-prioritize.", FB_VOLCANO_PRIORITIZE},
        {"-allocateFunc.", FB_VOLCANO_ALLOCATE},
    };
    struct crowd *crowd = context;

    for (size_t i = 0; i < COUNT(verbs); i++) {
        size_t len;
        char *text;

        if (strncmp(path, "aws/", 4) != 0 || strstr(path, verbs[i].file) == NULL)
            continue;
        if (verbs[i].verb == FB_VOLCANO_PREDICATE && crowd->len >= 10)
            continue;
        text = volcano_case_load(path, &len);
        add(crowd, verbs[i].verb, text, len);
        if (verbs[i].verb == FB_VOLCANO_ALLOCATE)
            add(crowd, FB_VOLCANO_DEALLOCATE, strdup(text), len);
    }
}

static void ask_one(struct crowd *crowd, const struct body *body)
{
    struct extender_ask ask = {
        .verb = body->verb, .body = body->text, .len = body->len, .piece = 4096};
    char *text = extender_case_ask(&crowd->run, &ask);

    if (text == NULL || !extender_case_documented(body->verb, FB_VOLCANO_TEXT, text))
        crowd->wrong++;
    free(text);
}

static void *keep_asking(void *context)
{
    struct crowd *crowd = context;
    size_t at = crowd->started++ * 5;

    for (size_t i = 0; i < ROUNDS; i++)
        ask_one(crowd, &crowd->bodies[(at + i) % crowd->len]);
    return NULL;
}

static double count(const struct extender_case *run, const char *series)
{
    size_t len;
    char *text = fb_metrics_print(run->metrics, &len);
    double sum = 0.0;

    assert_non_null(text);
    for (const char *at = text; (at = strstr(at, series)) != NULL; at++)
        sum += strtod(strchr(at, ' '), NULL);
    free(text);
    return sum;
}

static void fill(struct crowd *crowd)
{
    static const char *const verbs[] = {"predicate", "prioritize", "allocateFunc"};

    extender_case_start(&crowd->run, extender_case_read("aws"));
    for (size_t i = 0; i < COUNT(verbs); i++)
        (void)volcano_case_each(verbs[i], add_recorded, crowd);
    add(crowd, FB_VOLCANO_SESSIONCLOSE, strdup("{}"), 2);
    add(crowd, FB_VOLCANO_PREDICATE, strdup("{\"task\":"), 8);
    assert_int_equal(crowd->len, 10 + 10 + 20 + 2);
}

static void test_extender__is_safe_for_threads(void **state)
{
    struct crowd crowd = {.len = 0};
    pthread_t threads[THREADS];

    (void)state;
    fill(&crowd);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_asking, &crowd), 0);
    for (int i = 0; i < RELOADS; i++) {
        fb_inventory_slot_put(crowd.run.slot, extender_case_read(i % 2 == 0 ? NULL : "aws"));
        fb_extender_measure(crowd.run.extender);
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(crowd.wrong, 0);
    assert_true(count(&crowd.run, "fabricbind_decisions_total{") > THREADS);
    assert_true(count(&crowd.run, "fabricbind_faults_total{") > 0);
    for (size_t i = 0; i < crowd.len; i++)
        free(crowd.bodies[i].text);
    extender_case_stop(&crowd.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extender__is_safe_for_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
