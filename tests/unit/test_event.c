/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/event.h"

#include "fabricbind/own.h"

#include "alloc_fault.h"
#include "unit.h"

#include <string.h>

static struct fb_event gang_event(void)
{
    return (struct fb_event){
        .kind = "Job",
        .api_version = "batch.volcano.sh/v1alpha1",
        .space = "ml",
        .name = "train",
        .uid = "1-2",
        .reason = "GangTooLarge",
        .note = "64 pods \"x\"",
        .warning = true,
    };
}

static const struct fb_event node_event = {
    .kind = "Node", .api_version = "v1", .name = "n1", .reason = "MissingNICs", .note = "few"};

static void test_event_encode__writes_what_the_api_takes(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    const struct fb_event_teller teller = {"train.01", "pod-1", 1767225600000042};
    const struct fb_event gang = gang_event();

    (void)state;
    assert_string_equal(
        fb_event_encode(arena, &gang, &teller),
        "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{\"name\":"
        "\"train.01\",\"namespace\":\"ml\"},\"eventTime\":\"2026-01-01T00:00:00.000042Z\","
        "\"reportingController\":\"fabricbind.io/fabricbind\",\"reportingInstance\":\"pod-1\","
        "\"action\":\"Observed\",\"reason\":\"GangTooLarge\",\"type\":\"Warning\","
        "\"note\":\"64 pods \\\"x\\\"\",\"regarding\":{\"kind\":\"Job\",\"apiVersion\":"
        "\"batch.volcano.sh/v1alpha1\",\"name\":\"train\",\"namespace\":\"ml\",\"uid\":\"1-2\"}}");
    assert_string_equal(
        fb_event_encode(arena, &node_event, &teller),
        "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{\"name\":"
        "\"train.01\",\"namespace\":\"default\"},\"eventTime\":\"2026-01-01T00:00:00.000042Z\","
        "\"reportingController\":\"fabricbind.io/fabricbind\",\"reportingInstance\":\"pod-1\","
        "\"action\":\"Observed\",\"reason\":\"MissingNICs\",\"type\":\"Normal\",\"note\":\"few\","
        "\"regarding\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"name\":\"n1\"}}");
    assert_string_equal(fb_event_encode_series(arena, 7, 1767225600999999),
                        "{\"series\":{\"count\":7,\"lastObservedTime\":"
                        "\"2026-01-01T00:00:00.999999Z\"}}");
}

/* The note of @body as it stands between its quotes. */
static void expect_note(const char *body, const char *want)
{
    const char *note = strstr(body, "\"note\":\"");

    assert_non_null(note);
    note += strlen("\"note\":\"");
    assert_int_equal(strcspn(note, "\""), strlen(want));
    assert_int_equal(strncmp(note, want, strlen(want)), 0);
}

static void test_event_encode__cuts_long_notes(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    const struct fb_event_teller teller = {"a", "b", 0};
    struct fb_event event = node_event;
    char note[FB_EVENT_NOTE_BYTES + 2];
    char want[FB_EVENT_NOTE_BYTES + 2];

    (void)state;
    memset(note, 'a', sizeof note);
    note[FB_EVENT_NOTE_BYTES] = '\0';
    event.note = note;
    expect_note(fb_event_encode(arena, &event, &teller), note);
    note[FB_EVENT_NOTE_BYTES] = 'a';
    note[FB_EVENT_NOTE_BYTES + 1] = '\0';
    memcpy(want, note, sizeof want);
    memcpy(want + FB_EVENT_NOTE_BYTES - 3, "...", 4);
    expect_note(fb_event_encode(arena, &event, &teller), want);
    /* A character of two bytes where it would be cut goes as a whole. */
    memcpy(note + FB_EVENT_NOTE_BYTES - 4, "\xc3\xa4", 2);
    memcpy(want + FB_EVENT_NOTE_BYTES - 4, "...", 4);
    expect_note(fb_event_encode(arena, &event, &teller), want);
}

static void test_event_name__can_stand_in_a_path(void **state)
{
    static const struct {
        const char *object, *want; /* what stands before the hash */
    } cases[] = {
        {"train", "train."},
        {"a.b-c", "a.b-c."},
        {"Train_1", "-rain-1."},
        {"a-.", "a."},
        {"..", ""},
        {"a/b?c", "a-b-c."},
        {"\xc3\xa4", ""},
        {"x\r\nHost: y", "x---ost--y."},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fb_event event = node_event;
        char name[FB_EVENT_NAME_BYTES];

        event.name = cases[i].object;
        fb_event_name(&event, 1, name);
        assert_int_equal(strncmp(name, cases[i].want, strlen(cases[i].want)), 0);
        assert_int_equal(strlen(name), strlen(cases[i].want) + 16);
        assert_int_equal(strspn(name + strlen(cases[i].want), "0123456789abcdef"), 16);
    }
}

static void test_event_name__is_short_enough(void **state)
{
    struct fb_event event = node_event;
    char object[400];
    char name[FB_EVENT_NAME_BYTES];

    (void)state;
    memset(object, 'a', sizeof object - 1);
    object[sizeof object - 1] = '\0';
    event.name = object;
    fb_event_name(&event, 1, name);
    assert_int_equal(strlen(name), 220 + 1 + 16);
}

static void test_event_hash__tells_objects_and_reasons_apart(void **state)
{
    const struct fb_event gang = gang_event();
    struct fb_event others[6];
    char name[FB_EVENT_NAME_BYTES];
    char other[FB_EVENT_NAME_BYTES];

    (void)state;
    for (size_t i = 0; i < COUNT(others); i++)
        others[i] = gang;
    others[0].kind = "PodGroup";
    others[1].space = "m";
    others[1].name = "ltrain";
    others[2].name = "train2";
    others[3].uid = NULL;
    others[4].reason = "FabricFull";
    others[5].api_version = "v1";
    for (size_t i = 0; i < COUNT(others); i++)
        assert_true(fb_event_hash(&gang) != fb_event_hash(&others[i]));
    others[0] = gang;
    others[0].note = "other";
    assert_true(fb_event_hash(&gang) == fb_event_hash(&others[0]));
    fb_event_name(&gang, 1, name);
    fb_event_name(&others[0], 1, other);
    assert_string_equal(name, other);
    fb_event_name(&gang, 2, other);
    assert_string_not_equal(name, other);
}

static void test_event_check__refuses_what_is_no_event(void **state)
{
    static const struct {
        struct fb_event event;
        const char *want;
    } cases[] = {
        {{.kind = "Node"}, "api_version: missing"},
        {{.kind = "", .api_version = "v1"}, "kind: missing"},
        {{.kind = "a", .api_version = "b", .name = "c", .reason = "d"}, "note: missing"},
        {{.kind = "a", .api_version = "b", .name = "c", .note = "d"}, "reason: missing"},
        {{.kind = "a", .api_version = "b", .note = "c", .reason = "d"}, "name: missing"},
        {{"a", "b", "../x", "c", NULL, "d", "e", false}, "space: '../x' is no name"},
        {{"a", "b", "A", "c", NULL, "d", "e", false}, "space: 'A' is no name"},
    };
    const struct fb_event gang = gang_event();
    struct fb_event event = node_event;
    char reason[FB_EVENT_REASON_BYTES + 2] = "";
    struct fb_error err = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(fb_event_check(&cases[i].event, &err), FB_EINPUT);
        assert_string_equal(err.text, cases[i].want);
    }
    assert_int_equal(fb_event_check(&gang, NULL), FB_OK);
    memset(reason, 'R', FB_EVENT_REASON_BYTES);
    event.reason = reason;
    assert_int_equal(fb_event_check(&event, NULL), FB_OK);
    reason[FB_EVENT_REASON_BYTES] = 'R';
    assert_int_equal(fb_event_check(&event, &err), FB_EINPUT);
    assert_string_equal(err.text, "reason: more than 128 bytes");
}

static void test_event_path__goes_to_the_object_s_namespace(void **state)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    const struct fb_event gang = gang_event();

    (void)state;
    assert_string_equal(fb_event_path(arena, &gang, NULL),
                        "/apis/events.k8s.io/v1/namespaces/ml/events");
    assert_string_equal(fb_event_path(arena, &node_event, "n1.0"),
                        "/apis/events.k8s.io/v1/namespaces/default/events/n1.0");
}

static void test_event__survives_a_lack_of_memory(void **state)
{
    const struct fb_event_teller teller = {"a", "b", 0};
    const char *got = NULL;
    struct fb_event event = node_event;
    char note[2000];

    (void)state;
    memset(note, 'a', sizeof note - 1);
    note[sizeof note - 1] = '\0';
    event.note = note;
    for (int after = 0; got == NULL && after < 1000; after++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new_small(0);

        alloc_fault_arm(after);
        got = fb_event_encode(arena, &event, &teller);
        alloc_fault_disarm();
        assert_true(after > 0 || got == NULL);
    }
    assert_non_null(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event_encode__writes_what_the_api_takes),
        cmocka_unit_test(test_event_encode__cuts_long_notes),
        cmocka_unit_test(test_event_name__can_stand_in_a_path),
        cmocka_unit_test(test_event_name__is_short_enough),
        cmocka_unit_test(test_event_hash__tells_objects_and_reasons_apart),
        cmocka_unit_test(test_event_check__refuses_what_is_no_event),
        cmocka_unit_test(test_event_path__goes_to_the_object_s_namespace),
        cmocka_unit_test(test_event__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
