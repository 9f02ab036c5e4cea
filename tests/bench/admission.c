/* SPDX-License-Identifier: Apache-2.0 */
#include "admission.h"

#include "fabricbind/own.h"
#include "log.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * CPU time of the webhooks' handlers on recorded reviews of an API server, without sockets and TLS,
 * on the cluster of a snapshot. Pods of Bindings are as a GET would tell them.
 *
 * bench_admission POLICIES SNAPSHOT REVIEWS [ROUNDS]
 */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define BODY_BYTES ((size_t)1 << 20)

struct bench {
    struct fb_inventory_slot *slot;
    struct fb_metrics *metrics;
    struct fb_admission *admission;
    const char *uid; /* of the Binding under way */
    size_t changed;  /* answers with a patch */
};

static const struct kind {
    const char *name, *pattern;
    enum fb_admission_route route;
} kinds[] = {
    {"injection", "*-admission-pods.json", FB_ADMISSION_PODS},
    {"binding", "*-admission-bindings.json", FB_ADMISSION_BINDINGS},
    {"submit", "*-admission-jobs.json", FB_ADMISSION_JOBS},
};

static void die(const char *what)
{
    (void)fprintf(stderr, "bench_admission: %s\n", what);
    exit(2);
}

static void ignore(void *context, const char *text)
{
    (void)context;
    (void)text;
}

/* A pod of eight GPUs that was injected into. */
static enum fb_status find_pod(void *context, struct fb_arena *arena, const char *space,
                               const char *name, struct fb_pod *ret, struct fb_error *err)
{
    static struct fb_resource gpus[] = {{"nvidia.com/gpu", 8}};
    static struct fb_container main = {.name = "main", .requests = {.at = gpus, .len = 1}};
    static struct fb_pair managed[] = {{"fabricbind.io/managed", "true"},
                                       {"fabricbind.io/networking", "true"}};
    const struct bench *bench = context;

    (void)err;
    *ret = (struct fb_pod){.space = fb_arena_print(arena, "%s", space),
                           .name = fb_arena_print(arena, "%s", name),
                           .uid = bench->uid,
                           .node = "",
                           .phase = "Pending",
                           .labels = {.at = managed, .len = 1},
                           .annotations = {.at = managed, .len = 2},
                           .containers = &main,
                           .containers_len = 1};
    return FB_OK;
}

static char *read_body(const char *path, size_t *ret_len)
{
    FILE *file = fopen(path, "r");
    char *body = malloc(BODY_BYTES);

    if (file == NULL || body == NULL)
        die(path);
    *ret_len = fread(body, 1, BODY_BYTES - 1, file);
    body[*ret_len] = '\0';
    (void)fclose(file);
    return body;
}

/* Of the object: the second one, behind that of the review. */
static char *uid_of(const char *body)
{
    const char *at = strstr(body, "\"object\":");

    at = at != NULL ? strstr(at, "\"uid\":\"") : NULL;
    return at != NULL ? strndup(at + 7, 36) : strdup("");
}

static void ask(struct bench *bench, const struct kind *kind, const char *body, size_t len)
{
    const struct fb_route route = {.method = "POST", .number = (int)kind->route};
    struct fb_request request = {.route = &route, .query = "", .id = 1, .bytes = len};
    struct fb_answer answer = {0};
    struct fb_error err;
    void *state = fb_admission_handler.begin(bench->admission, &request);

    if (state == NULL || fb_admission_handler.feed(state, body, len, &err) != FB_OK)
        die("a body is refused");
    fb_admission_handler.finish(bench->admission, &request, state, FB_OK, NULL, &answer);
    if (answer.status != 200)
        die("a review is not answered");
    bench->changed += strstr(answer.body, "\"patch\"") != NULL;
    free(answer.body);
}

static double now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void measure(struct bench *bench, const struct kind *kind, const char *folder, long rounds)
{
    char pattern[512];
    glob_t files;
    double us = 0;

    (void)snprintf(pattern, sizeof pattern, "%s/%s", folder, kind->pattern);
    if (glob(pattern, 0, NULL, &files) != 0)
        die(pattern);
    bench->changed = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        size_t len;
        char *body = read_body(files.gl_pathv[i], &len);
        char *uid = uid_of(body);
        double begun;

        bench->uid = uid;
        ask(bench, kind, body, len);
        begun = now_us();
        for (long round = 0; round < rounds; round++)
            ask(bench, kind, body, len);
        us += (now_us() - begun) / (double)rounds;
        free(uid);
        free(body);
    }
    (void)printf("%-10s %3zu bodies, %3zu with a patch, %8.1f us each\n", kind->name,
                 files.gl_pathc, bench->changed / (size_t)(rounds + 1),
                 us / (double)files.gl_pathc);
    globfree(&files);
}

int main(int argc, char **argv)
{
    const char *policies[] = {argc > 1 ? argv[1] : NULL};
    struct fb_options options = {.snapshot = argc > 2 ? argv[2] : NULL,
                                 .policies = {.at = policies, .len = 1}};
    struct bench bench = {0};
    const struct fb_admission_world world = {.context = &bench, .find_pod = find_pod};
    struct fb_inventory *inventory = NULL;
    struct fb_error err = {.text = "out of memory"};
    long rounds = argc > 4 ? strtol(argv[4], NULL, 10) : 1000;

    if (argc < 4 || rounds < 1)
        die("usage: bench_admission POLICIES SNAPSHOT REVIEWS [ROUNDS]");
    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    if (fb_inventory_read(&options, ignore, NULL, &inventory, &err) != FB_OK)
        die(err.text);
    bench.slot = fb_inventory_slot_new(inventory);
    bench.metrics = fb_metrics_new();
    if (bench.slot == NULL || bench.metrics == NULL ||
        fb_admission_new(bench.slot, bench.metrics, &world, &bench.admission, &err) != FB_OK)
        die(err.text);
    for (size_t i = 0; i < COUNT(kinds); i++)
        measure(&bench, &kinds[i], argv[3], rounds);
    fb_admission_free(bench.admission);
    fb_metrics_free(bench.metrics);
    fb_inventory_slot_free(bench.slot);
    return 0;
}
