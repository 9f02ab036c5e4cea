/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/volcano.h"

#include "alloc_fault.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_volcano_say_verdict__in_both_dialects(void **state)
{
    static const struct {
        struct fb_verdict verdict;
        const char *text, *array;
    } cases[] = {
        {{FB_FITS, FB_REASON_NONE, NULL},
         "{\"errorMessage\":\"\",\"status\":\"\",\"code\":0}",
         "{\"status\":[{\"Code\":0,\"Reason\":\"\"}]}"},
        {{FB_EXCLUDED, FB_REASON_TAINT, "a"},
         "{\"errorMessage\":\"\",\"status\":\"\",\"code\":0}",
         "{\"status\":[{\"Code\":0,\"Reason\":\"\"}]}"},
        {{FB_BUSY, FB_REASON_BUSY, "vpc.amazonaws.com/efa"},
         "{\"errorMessage\":\"fabricbind: too few free vpc.amazonaws.com/efa\",\"status\":"
         "\"fabricbind: too few free vpc.amazonaws.com/efa\",\"code\":2}",
         "{\"status\":[{\"Code\":2,\"Reason\":\"fabricbind: too few free "
         "vpc.amazonaws.com/efa\"}]}"},
        {{FB_NEVER, FB_REASON_PLAN, NULL},
         "{\"errorMessage\":\"fabricbind: outside the block planned for the job\",\"status\":"
         "\"fabricbind: outside the block planned for the job\",\"code\":3}",
         "{\"status\":[{\"Code\":3,\"Reason\":\"fabricbind: outside the block planned for the "
         "job\"}]}"},
        {{FB_NEVER, FB_REASON_ABSENT, "a\"b\\\n"},
         "{\"errorMessage\":\"fabricbind: node has no a\\\"b\\\\\\n\",\"status\":\"fabricbind: "
         "node has no a\\\"b\\\\\\n\",\"code\":3}",
         "{\"status\":[{\"Code\":3,\"Reason\":\"fabricbind: node has no a\\\"b\\\\\\n\"}]}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_volcano_answer text = fb_volcano_say_verdict(&cases[i].verdict, FB_VOLCANO_TEXT);
        struct fb_volcano_answer array =
            fb_volcano_say_verdict(&cases[i].verdict, FB_VOLCANO_ARRAY);

        assert_string_equal(text.at, cases[i].text);
        assert_string_equal(array.at, cases[i].array);
        assert_int_equal(text.len, strlen(text.at));
        assert_int_equal(array.len, strlen(array.at));
        free(text.at);
        free(array.at);
    }
}

static void test_volcano_say_scores__are_finite_numbers_by_name(void **state)
{
    static const char *const names[] = {"a", "b\"", "c", "d"};
    static const double scores[] = {1000.0, 0.1, 0.0, 996.66666666666663};
    const double wild[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    struct fb_volcano_answer said = fb_volcano_say_scores(names, scores, 4);
    struct fb_volcano_answer none = fb_volcano_say_scores(NULL, NULL, 0);
    struct fb_volcano_answer odd = fb_volcano_say_scores(names, wild, 3);

    (void)state;
    assert_string_equal(said.at, "{\"nodeScore\":{\"a\":1000,\"b\\\"\":0.10000000000000001,"
                                 "\"c\":0,\"d\":996.66666666666663},\"errorMessage\":\"\"}");
    assert_int_equal(said.len, strlen(said.at));
    assert_string_equal(none.at, "{\"nodeScore\":{},\"errorMessage\":\"\"}");
    assert_string_equal(odd.at,
                        "{\"nodeScore\":{\"a\":0,\"b\\\"\":0,\"c\":0},\"errorMessage\":\"\"}");
    free(said.at);
    free(none.at);
    free(odd.at);
}

static void test_volcano_neutral__changes_nothing(void **state)
{
    static const struct {
        const char *verb, *want;
        bool reads;
    } cases[FB_VOLCANO_VERBS] = {
        {"predicate", "{\"errorMessage\":\"\",\"status\":\"\",\"code\":0}", true},
        {"prioritize", "{\"nodeScore\":{},\"errorMessage\":\"\"}", true},
        {"allocate", "{\"errorMessage\":\"\"}", true},
        {"deallocate", "{\"errorMessage\":\"\"}", true},
        {"jobenqueueable", "{\"status\":0}", false},
        {"jobready", "{\"status\":true}", false},
        {"preemptable", "{\"status\":0,\"victims\":[]}", false},
        {"reclaimable", "{\"status\":0,\"victims\":[]}", false},
        {"queueoverused", "{\"overused\":false}", false},
        {"jobenqueued", "{}", false},
        {"sessionopen", "", false},
        {"sessionclose", "", false},
    };

    (void)state;
    for (int i = 0; i < FB_VOLCANO_VERBS; i++) {
        enum fb_volcano_verb verb = (enum fb_volcano_verb)i;

        assert_string_equal(fb_volcano_verb_name(verb), cases[i].verb);
        assert_string_equal(fb_volcano_neutral(verb, FB_VOLCANO_TEXT, false), cases[i].want);
        assert_int_equal(fb_volcano_reads(verb), cases[i].reads);
        if (verb != FB_VOLCANO_PREDICATE)
            assert_string_equal(fb_volcano_neutral(verb, FB_VOLCANO_TEXT, true), cases[i].want);
    }
    assert_string_equal(fb_volcano_neutral(FB_VOLCANO_PREDICATE, FB_VOLCANO_ARRAY, false),
                        "{\"status\":[{\"Code\":0,\"Reason\":\"\"}]}");
    assert_string_equal(fb_volcano_neutral(FB_VOLCANO_PREDICATE, FB_VOLCANO_TEXT, true),
                        "{\"errorMessage\":\"fabricbind: request not readable\",\"status\":"
                        "\"fabricbind: request not readable\",\"code\":2}");
    assert_string_equal(
        fb_volcano_neutral(FB_VOLCANO_PREDICATE, FB_VOLCANO_ARRAY, true),
        "{\"status\":[{\"Code\":2,\"Reason\":\"fabricbind: request not readable\"}]}");
}

static void test_volcano_say__survives_every_failed_allocation(void **state)
{
    static const char *const names[] = {"a", "b"};
    static const double scores[] = {1.0, 2.0};
    static const struct fb_verdict verdict = {FB_NEVER, FB_REASON_PLAN, NULL};
    bool done = false;

    (void)state;
    for (int after = 0; !done; after++) {
        struct fb_volcano_answer answers[2];

        assert_true(after < 100);
        alloc_fault_arm(after);
        answers[0] = fb_volcano_say_verdict(&verdict, FB_VOLCANO_TEXT);
        answers[1] = fb_volcano_say_scores(names, scores, 2);
        alloc_fault_disarm();
        done = answers[0].at != NULL && answers[1].at != NULL;
        free(answers[0].at);
        free(answers[1].at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volcano_say_verdict__in_both_dialects),
        cmocka_unit_test(test_volcano_say_scores__are_finite_numbers_by_name),
        cmocka_unit_test(test_volcano_neutral__changes_nothing),
        cmocka_unit_test(test_volcano_say__survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
