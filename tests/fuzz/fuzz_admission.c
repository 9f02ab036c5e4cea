/* SPDX-License-Identifier: Apache-2.0 */
#include "admission.h"

#include "apply_patch.h"

#include "fabricbind/base64.h"
#include "fabricbind/own.h"
#include "log.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The first byte chooses the route, the rest is a body, asked on the nodes of one cloud. Whatever
 * came, there is an answer of JSON; a patch applies to the object that was sent, and of the pod
 * that comes of it nothing is left to do.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right)
{
    if (!right)
        abort();
}

static void ignore(void *context, const char *text)
{
    (void)context;
    (void)text;
}

/* Kept from run to run. */
static struct fb_admission *get_admission(void)
{
    static struct fb_admission *admission;
    const char *policies[] = {FB_TEST_POLICIES};
    struct fb_options options = {
        .policies = {.at = policies, .len = 1},
        .snapshot = FB_TEST_DATA "/snapshots/aws",
    };
    struct fb_inventory *inventory = NULL;

    if (admission != NULL)
        return admission;
    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    check(fb_inventory_read(&options, ignore, NULL, &inventory, NULL) == FB_OK);
    check(fb_admission_new(fb_inventory_slot_new(inventory), fb_metrics_new(), NULL, &admission,
                           NULL) == FB_OK);
    return admission;
}

/* The answer, to be freed. */
static char *ask(int number, const char *body, size_t len, unsigned *ret_status)
{
    struct fb_admission *admission = get_admission();
    const struct fb_route route = {.verb = "fuzz", .number = number};
    const struct fb_request request = {.route = &route, .query = "", .id = 1, .bytes = len};
    struct fb_answer answer = {0};
    struct fb_error err = {0};
    void *state = fb_admission_handler.begin(admission, &request);
    enum fb_status st = fb_admission_handler.feed(state, body, len / 2, &err);
    char *text;

    if (st == FB_OK)
        st = fb_admission_handler.feed(state, body + len / 2, len - len / 2, &err);
    fb_admission_handler.finish(admission, &request, state, st, st != FB_OK ? &err : NULL, &answer);
    check(answer.body != NULL && answer.len == strlen(answer.body));
    text = answer.body;
    *ret_status = answer.status;
    return text;
}

/* @coded stands in quotes. To be freed. */
static char *from_base64(const char *coded)
{
    size_t len = strlen(coded) - 2;
    unsigned char *made = calloc(1, len + 1);
    size_t made_len;

    check(made != NULL && fb_base64_decode(coded + 1, len, made, &made_len));
    return (char *)made;
}

/* What came of the object in @body, to be freed; NULL: no patch was sent. */
static char *apply(const char *body, const char *answer)
{
    char *coded = find_json(answer, "/response/patch");
    char *object = find_json(body, "/request/object");
    char *patch = coded != NULL ? from_base64(coded) : NULL;
    char *made = NULL;
    int failed;

    if (patch != NULL) {
        check(object != NULL);
        made = apply_patch(object, patch, &failed);
        check(made != NULL);
    }
    free(patch);
    free(object);
    free(coded);
    return made;
}

static void ask_again(const char *pod)
{
    static const char head[] =
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{"
        "\"uid\":\"u\",\"kind\":{\"kind\":\"Pod\"},\"operation\":\"CREATE\",\"object\":";
    size_t size = sizeof head + strlen(pod) + 2;
    char *body = malloc(size);
    char *answer, *patch;
    unsigned status;

    check(body != NULL);
    memcpy(body, head, sizeof head);
    memcpy(body + sizeof head - 1, pod, strlen(pod));
    memcpy(body + sizeof head - 1 + strlen(pod), "}}", 3);
    answer = ask(FB_ADMISSION_PODS, body, strlen(body), &status);
    patch = find_json(answer, "/response/patch");
    check(status == 200 && patch == NULL);
    free(patch);
    free(answer);
    free(body);
}

static void run(int number, const char *body, size_t len)
{
    unsigned status;
    char *answer = ask(number, body, len, &status);
    char *uid = find_json(answer, status == 200 ? "/response/uid" : "/error");
    char *made = status == 200 ? apply(body, answer) : NULL;

    check(status == 200 || status == 400 || status == 413);
    check(uid != NULL && strlen(uid) > 2);
    if (made != NULL && number == FB_ADMISSION_PODS)
        ask_again(made);
    check(made == NULL || number != FB_ADMISSION_JOBS);
    free(made);
    free(uid);
    free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *body;

    if (size < 1)
        return 0;
    body = malloc(size); /* the NUL is for the one who applies */
    check(body != NULL);
    memcpy(body, data + 1, size - 1);
    body[size - 1] = '\0';
    run(data[0] % 3, body, size - 1);
    free(body);
    return 0;
}
