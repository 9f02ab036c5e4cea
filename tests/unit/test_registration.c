/* SPDX-License-Identifier: Apache-2.0 */
#include "registration.h"

#include "certificates_case.h"
#include "extender_case.h"
#include "log.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEVER_MS 3600000U

/* A program with certificates, and the two objects that it keeps. */
struct scene {
    struct object_store secrets, webhooks;
    struct certificates_case certificates;
    struct fb_apiserver *server;
    struct fb_inventory_slot *slot;
    struct fb_registration *registration;
    const char *url; /* NULL: behind the service */
};

static struct scene scene;

static void put_config(struct scene *at, enum fb_mode mode, bool registered)
{
    struct fb_inventory *inventory = extender_case_read(NULL);

    inventory->in.config.mode = mode;
    inventory->in.config.admission.is_registered = registered;
    if (at->url != NULL)
        inventory->in.config.admission.url = at->url;
    if (at->slot == NULL)
        at->slot = fb_inventory_slot_new(inventory);
    else
        fb_inventory_slot_put(at->slot, inventory);
    assert_non_null(at->slot);
}

static int set_up(void **state)
{
    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    memset(&scene, 0, sizeof scene);
    object_store_start(&scene.secrets, "/api/v1/namespaces/ops/secrets", "fabricbind-tls");
    object_store_start(&scene.webhooks,
                       "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
                       "fabricbind");
    return 0;
}

static struct fb_registration *start_one(struct scene *at)
{
    const struct fb_registration_setup setup = {
        .server = at->server,
        .slot = at->slot,
        .certificates = at->certificates.certificates,
        .metrics = at->certificates.metrics,
        .period_ms = NEVER_MS,
    };
    struct fb_registration *ret = NULL;

    assert_int_equal(fb_registration_start(&setup, &ret, NULL), FB_OK);
    return ret;
}

static void start(struct scene *at, bool registered)
{
    const struct fb_admission_config config = certificates_case_config();

    put_config(at, FB_MODE_ENFORCE, registered);
    certificates_case_start(&at->certificates, &at->secrets, &config);
    at->server = object_store_client(&at->webhooks);
    at->registration = start_one(at);
}

static int tear_down(void **state)
{
    (void)state;
    fb_registration_stop(scene.registration);
    certificates_case_stop(&scene.certificates);
    fb_apiserver_free(scene.server);
    fb_inventory_slot_free(scene.slot);
    object_store_stop(&scene.webhooks);
    object_store_stop(&scene.secrets);
    return 0;
}

static unsigned count_of(const unsigned *counter)
{
    return object_store_count(&scene.webhooks, counter);
}

/* How often something was written, and what is wanted. */
struct wanted {
    const unsigned *counter;
    unsigned want;
};

static bool is_reached(void *context)
{
    const struct wanted *wanted = context;

    return count_of(wanted->counter) >= wanted->want;
}

static void await(const unsigned *counter, unsigned want)
{
    struct wanted wanted = {counter, want};

    object_store_await(is_reached, &wanted);
    assert_int_equal(count_of(counter), want);
}

/* Turns until one has begun after this was called, and has ended. */
struct turned {
    struct fb_registration *registration;
    uint64_t want;
};

static bool has_turned(void *context)
{
    const struct turned *turned = context;

    return fb_registration_turns(turned->registration) >= turned->want;
}

static void turn(struct fb_registration *registration)
{
    for (int i = 0; i < 2; i++) {
        struct turned turned = {registration, fb_registration_turns(registration) + 1};

        fb_registration_wake(registration);
        object_store_await(has_turned, &turned);
    }
}

static bool has(const char *word)
{
    char *body = object_store_get(&scene.webhooks);
    bool found = strstr(body, word) != NULL;

    free(body);
    return found;
}

/* Write what is there again, with @to for @from, as somebody else would. */
static void change(const char *from, const char *to)
{
    char *body = object_store_get(&scene.webhooks);
    char *next = calloc(1, strlen(body) + strlen(to) + 1);
    const char *at = strstr(body, from);

    assert_non_null(at);
    assert_non_null(next);
    (void)sprintf(next, "%.*s%s%s", (int)(at - body), body, to, at + strlen(from));
    object_store_set(&scene.webhooks, next);
    free(next);
    free(body);
}

static bool has_failed(struct fb_metrics *metrics)
{
    char *text = fb_metrics_print(metrics, &(size_t){0});
    bool found;

    assert_non_null(text);
    found = strstr(text, "fabricbind_registrations_total{result=\"failed\"}") != NULL;
    free(text);
    return found;
}

static void test_registration__is_made_once_a_certificate_is_shown(void **state)
{
    (void)state;
    object_store_refuse(&scene.secrets, 500, 0);
    start(&scene, true);
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.gets), 0);
    assert_false(has_failed(scene.certificates.metrics));
    object_store_refuse(&scene.secrets, 0, 0);
    certificates_case_turn(&scene.certificates);
    await(&scene.webhooks.posts, 1);
    assert_true(has("\"caBundle\":\"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t"));
    assert_true(has("\"namespace\":\"ops\",\"name\":\"fabricbind-admission\""));
    assert_true(has("\"kube-system\",\"volcano-system\",\"ops\""));
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.puts), 0);
    assert_int_equal(count_of(&scene.webhooks.posts), 1);
}

/* The namespace of whoever runs it by hand is one that is worked in. */
static void test_registration__leaves_out_its_namespace_behind_the_service_only(void **state)
{
    (void)state;
    scene.url = "https://127.0.0.1:9443";
    start(&scene, true);
    await(&scene.webhooks.posts, 1);
    assert_true(has("\"kube-system\",\"volcano-system\"]"));
    assert_true(has("\"url\":\"https://127.0.0.1:9443/admission/pods\""));
}

static void test_registration__is_repaired_and_keeps_what_others_noted(void **state)
{
    (void)state;
    start(&scene, true);
    await(&scene.webhooks.posts, 1);
    change("\"metadata\":{", "\"metadata\":{\"annotations\":{\"example.com/a\":\"b\"},");
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.puts), 0);
    change("\"failurePolicy\":\"Fail\"", "\"failurePolicy\":\"Ignore\"");
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.puts), 1);
    assert_true(has("\"failurePolicy\":\"Fail\""));
    assert_true(has("\"example.com/a\":\"b\""));
    object_store_set(&scene.webhooks, NULL);
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.posts), 2);
}

static void test_registration__follows_the_configuration(void **state)
{
    (void)state;
    start(&scene, true);
    await(&scene.webhooks.posts, 1);
    put_config(&scene, FB_MODE_OBSERVE, true);
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.puts), 1);
    assert_false(has("\"failurePolicy\":\"Fail\""));
    put_config(&scene, FB_MODE_ENFORCE, false);
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.puts), 1);
}

static void test_registration__follows_the_authorities(void **state)
{
    char *before;
    char *after;

    (void)state;
    start(&scene, true);
    await(&scene.webhooks.posts, 1);
    before = object_store_get(&scene.webhooks);
    object_store_set(&scene.secrets, NULL);
    certificates_case_turn(&scene.certificates);
    await(&scene.webhooks.puts, 1);
    after = object_store_get(&scene.webhooks);
    assert_true(strlen(after) > strlen(before) + 500); /* both authorities */
    free(before);
    free(after);
}

static void test_registration__leaves_others_to_it_when_told_so(void **state)
{
    (void)state;
    start(&scene, false);
    certificates_case_turn(&scene.certificates);
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.gets), 0);
}

static void test_registration__is_made_once_by_two_who_race(void **state)
{
    struct fb_registration *other;

    (void)state;
    object_store_refuse(&scene.secrets, 500, 0);
    start(&scene, true);
    other = start_one(&scene);
    object_store_refuse(&scene.secrets, 0, 0);
    certificates_case_turn(&scene.certificates);
    for (unsigned i = 1; i <= 6; i++) {
        fb_registration_wake(scene.registration);
        fb_registration_wake(other);
        await(&scene.webhooks.posts, i);
        turn(scene.registration);
        turn(other);
        object_store_set(&scene.webhooks, NULL);
    }
    fb_registration_stop(other);
}

static void test_registration__tries_again_when_it_was_overtaken(void **state)
{
    struct fb_metrics *metrics;

    (void)state;
    object_store_overtake(&scene.webhooks, 1);
    start(&scene, true);
    metrics = scene.certificates.metrics;
    certificates_case_turn(&scene.certificates);
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.conflicts), 1);
    assert_int_equal(count_of(&scene.webhooks.posts), 0); /* another one's did it */
    change("\"timeoutSeconds\":3", "\"timeoutSeconds\":9");
    object_store_overtake(&scene.webhooks, 2);
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.conflicts), 3);
    assert_int_equal(count_of(&scene.webhooks.puts), 1);
    assert_false(has_failed(metrics));
    change("\"timeoutSeconds\":3", "\"timeoutSeconds\":9");
    object_store_overtake(&scene.webhooks, 1000);
    turn(scene.registration);
    assert_int_equal(count_of(&scene.webhooks.puts), 1);
    assert_true(has_failed(metrics));
}

static void test_registration__logs_a_refusal_once(void **state)
{
    FILE *out = tmpfile();
    char text[8192] = "";
    size_t lines = 0;

    (void)state;
    assert_non_null(out);
    fb_log_setup(fileno(out), FB_LOG_WARNING, true);
    object_store_refuse(&scene.webhooks, 403, 0);
    start(&scene, true);
    certificates_case_turn(&scene.certificates);
    for (int i = 0; i < 3; i++)
        turn(scene.registration);
    object_store_refuse(&scene.webhooks, 0, 0);
    turn(scene.registration);
    await(&scene.webhooks.posts, 1);
    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    rewind(out);
    assert_true(fread(text, 1, sizeof text - 1, out) < sizeof text - 1);
    (void)fclose(out);
    for (const char *at = text; (at = strstr(at, "\"error\":\"fabricbind: 403: no\"")) != NULL;
         at++)
        lines++;
    assert_int_equal(lines, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_registration__is_made_once_a_certificate_is_shown),
        TEST(test_registration__leaves_out_its_namespace_behind_the_service_only),
        TEST(test_registration__is_repaired_and_keeps_what_others_noted),
        TEST(test_registration__follows_the_configuration),
        TEST(test_registration__follows_the_authorities),
        TEST(test_registration__leaves_others_to_it_when_told_so),
        TEST(test_registration__is_made_once_by_two_who_race),
        TEST(test_registration__tries_again_when_it_was_overtaken),
        TEST(test_registration__logs_a_refusal_once),
    };

    return cmocka_run_group_tests_name("registration", tests, NULL, NULL);
}
