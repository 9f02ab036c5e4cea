/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_answer.h"

#include "alloc_fault.h"
#include "unit.h"

#include <string.h>

static struct fb_replay_answer read_answer(enum fb_recording_verb verb, unsigned status,
                                           const char *body)
{
    struct fb_http_reply reply = {status, body, strlen(body)};
    struct fb_replay_answer answer = {.text = "not set"};

    fb_replay_answer_read(verb, &reply, &answer);
    return answer;
}

static const struct {
    enum fb_recording_verb verb;
    unsigned status;
    const char *body, *want;
    bool good;
} cases[] = {
    {FB_RECORDING_PREDICATE, 200, "{\"errorMessage\":\"\",\"status\":\"\",\"code\":0}", "fits",
     true},
    {FB_RECORDING_PREDICATE, 200, "{}", "fits", true},
    {FB_RECORDING_PREDICATE, 200, "{\"status\":null,\"code\":null}", "fits", true},
    {FB_RECORDING_PREDICATE, 200, "{\"status\":\"few NICs\",\"code\":3}", "code 3: few NICs", true},
    {FB_RECORDING_PREDICATE, 200, "{\"errorMessage\":\"few NICs\",\"code\":2}", "code 2: few NICs",
     true},
    {FB_RECORDING_PREDICATE, 200, "{\"status\":[]}", "fits", true},
    {FB_RECORDING_PREDICATE, 200, "{\"status\":[{\"Code\":0},{\"Code\":2,\"Reason\":\"no\"}]}",
     "code 2: no", true},
    {FB_RECORDING_PREDICATE, 200, "{\"status\":[{\"Code\":\"2\"}]}", "Code is no number", false},
    {FB_RECORDING_PREDICATE, 200, "{\"code\":1.5}", "code is no number", false},
    {FB_RECORDING_PREDICATE, 200, "", "answer: byte 0: input ends before any value", false},
    {FB_RECORDING_PREDICATE, 200, "[1]", "answer: not an object", false},
    {FB_RECORDING_PREDICATE, 400, "bad \x1b[31m\xff", "400: bad ?[31m?", false},
    {FB_RECORDING_PREDICATE, 204, "", "204", false},
    {FB_RECORDING_PRIORITIZE, 200, "{\"nodeScore\":{},\"errorMessage\":\"\"}", "no scores", true},
    {FB_RECORDING_PRIORITIZE, 200, "{\"nodeScore\":{\"a\":-2.5}}", "1 score, best a -2.5", true},
    {FB_RECORDING_PRIORITIZE, 200, "{\"nodeScore\":{\"a\":1,\"b\":9.96,\"c\":9}}",
     "3 scores, best b 10.0", true},
    {FB_RECORDING_PRIORITIZE, 200, "{\"nodeScore\":{\"a\":\"1\"}}", "the score of a is no number",
     false},
    {FB_RECORDING_PRIORITIZE, 200, "{\"errorMessage\":\"broken\"}", "error: broken", true},
    {FB_RECORDING_ALLOCATE, 200, "{\"errorMessage\":\"\"}", "ok", true},
    {FB_RECORDING_DEALLOCATE, 200, "{\"errorMessage\":\"x\"}", "error: x", true},
    {FB_RECORDING_JOBENQUEUEABLE, 200, "{\"status\":-1}", "status -1", true},
    {FB_RECORDING_JOBENQUEUEABLE, 200, "{}", "status is no number", false},
    {FB_RECORDING_JOBENQUEUED, 200, "{}", "ok", true},
    {FB_RECORDING_JOBREADY, 200, "{\"status\":false}", "status false", true},
    {FB_RECORDING_JOBREADY, 200, "{\"status\":1}", "status is no boolean", false},
    {FB_RECORDING_PREEMPTABLE, 200, "{\"status\":0,\"victims\":null}", "status 0, 0 victims", true},
    {FB_RECORDING_RECLAIMABLE, 200, "{\"status\":1,\"victims\":[{}]}", "status 1, 1 victim", true},
    {FB_RECORDING_QUEUEOVERUSED, 200, "{\"overused\":true}", "overused true", true},
    {FB_RECORDING_SESSIONOPEN, 200, "", "ok", true},
    {FB_RECORDING_SESSIONCLOSE, 200, "not read", "ok", true},
    {FB_RECORDING_SESSIONCLOSE, 500, "", "500", false},
};

static void test_replay_answer__says_in_short_what_came(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_replay_answer got = read_answer(cases[i].verb, cases[i].status, cases[i].body);

        assert_string_equal(got.text, cases[i].want);
        assert_int_equal(got.good, cases[i].good);
    }
}

static void test_replay_answer__is_cut_when_too_long(void **state)
{
    char body[1024];
    struct fb_replay_answer got;

    (void)state;
    memset(body, 'x', sizeof body);
    body[sizeof body - 1] = '\0';
    got = read_answer(FB_RECORDING_PREDICATE, 500, body);
    assert_int_equal(strlen(got.text), strlen("500: ") + 100);
    memcpy(body, "{\"status\":\"", 11);
    memcpy(body + sizeof body - 3, "\"}", 3);
    got = read_answer(FB_RECORDING_PREDICATE, 200, body);
    assert_int_equal(strlen(got.text), sizeof got.text - 1);
    assert_true(got.good);
}

static void test_replay_answer__survives_a_lack_of_memory(void **state)
{
    struct fb_replay_answer got = {.good = false};

    (void)state;
    for (int after = 0; !got.good && after < 100; after++) {
        alloc_fault_arm(after);
        got = read_answer(FB_RECORDING_PRIORITIZE, 200, "{\"nodeScore\":{\"a\":1}}");
        alloc_fault_disarm();
        assert_true(after > 0 || !got.good);
    }
    assert_string_equal(got.text, "1 score, best a 1.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay_answer__says_in_short_what_came),
        cmocka_unit_test(test_replay_answer__is_cut_when_too_long),
        cmocka_unit_test(test_replay_answer__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
