/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/scan.h"

#include "fabricbind/own.h"
#include "scan_state.h"

#include <cjson/cJSON.h>
#include <glob.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/*
 * The reader against cJSON_ParseWithLength() and look-ups, on recorded bodies of a scheduler: what
 * an answer needs of the task and of each node. Both must find the same, and CPU time is compared
 * round by round in one run.
 *
 * bench_scan [--json] [--rounds N] [--kernel NAME] DIR
 */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct body {
    char *at;
    size_t len;
};

struct bodies {
    struct body *at;
    size_t len;
    size_t bytes;
};

/* What was found: enough to see that both ways found the same. */
struct findings {
    uint64_t values, text_bytes;
    double sum;
};

static void find_text(struct findings *findings, const char *text)
{
    findings->values++;
    findings->text_bytes += strlen(text);
}

static void find_number(struct findings *findings, double number)
{
    findings->values++;
    findings->sum += number;
}

#define TASK_PATHS                                                                                 \
    {"task.UID", 0}, {"task.Pod.metadata.name", 0}, {"task.Pod.metadata.namespace", 0},            \
        {"task.Pod.metadata.uid", 0}, {"task.Pod.metadata.labels.*", 0},                           \
        {"task.Pod.metadata.annotations.*", 0}, {"task.Pod.spec.containers[].name", 0},            \
        {"task.Pod.spec.containers[].resources.requests.*", 0},                                    \
    {                                                                                              \
        "task.Pod.spec.containers[].resources.limits.*", 0                                         \
    }

#define RESOURCE_PATHS(at)                                                                         \
    {at ".MilliCPU", 0}, {at ".Memory", 0},                                                        \
    {                                                                                              \
        at ".ScalarResources.*", 0                                                                 \
    }

#define NODE_PATHS(at)                                                                             \
    {at ".Name", 0}, RESOURCE_PATHS(at ".Idle"), RESOURCE_PATHS(at ".Releasing"),                  \
        RESOURCE_PATHS(at ".Pipelined")

static const struct fb_scan_path predicate_paths[] = {TASK_PATHS, NODE_PATHS("node")};
static const struct fb_scan_path prioritize_paths[] = {TASK_PATHS, NODE_PATHS("nodes[]")};

static const struct kind {
    const char *name;
    const struct fb_scan_path *paths;
    size_t paths_len;
} kinds[] = {
    {"predicate", predicate_paths, COUNT(predicate_paths)},
    {"prioritize", prioritize_paths, COUNT(prioritize_paths)},
};

static enum fb_status take(void *context, const struct fb_scan_value *value, struct fb_error *err)
{
    struct findings *findings = context;

    (void)err;
    if (value->type == FB_SCAN_STRING)
        find_text(findings, value->text);
    else if (value->type == FB_SCAN_NUMBER)
        find_number(findings, strtod(value->text, NULL));
    return FB_OK;
}

struct way {
    const struct fb_scan_paths *paths;
    const struct fb_scan_kernel *kernel;
};

static void read_scan(const struct way *way, const struct body *body, struct findings *ret)
{
    FB_OWNED(fb_scan_freep) struct fb_scan *scan = fb_scan_new(way->paths, NULL, take, ret);

    if (scan == NULL)
        abort();
    scan->kernel = way->kernel;
    if (fb_scan_feed(scan, body->at, body->len, NULL) != FB_OK ||
        fb_scan_finish(scan, NULL) != FB_OK)
        abort();
}

static const cJSON *get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void find_item(struct findings *findings, const cJSON *item)
{
    if (cJSON_IsString(item))
        find_text(findings, item->valuestring);
    else if (cJSON_IsNumber(item))
        find_number(findings, item->valuedouble);
}

static void find_members(struct findings *findings, const cJSON *object)
{
    const cJSON *each;

    cJSON_ArrayForEach(each, object)
    {
        find_item(findings, each);
    }
}

static void find_task(struct findings *findings, const cJSON *task)
{
    const cJSON *pod = get(task, "Pod");
    const cJSON *metadata = get(pod, "metadata");
    const cJSON *container;

    find_item(findings, get(task, "UID"));
    find_item(findings, get(metadata, "name"));
    find_item(findings, get(metadata, "namespace"));
    find_item(findings, get(metadata, "uid"));
    find_members(findings, get(metadata, "labels"));
    find_members(findings, get(metadata, "annotations"));
    cJSON_ArrayForEach(container, get(get(pod, "spec"), "containers"))
    {
        const cJSON *resources = get(container, "resources");

        find_item(findings, get(container, "name"));
        find_members(findings, get(resources, "requests"));
        find_members(findings, get(resources, "limits"));
    }
}

static void find_resources(struct findings *findings, const cJSON *resource)
{
    find_item(findings, get(resource, "MilliCPU"));
    find_item(findings, get(resource, "Memory"));
    find_members(findings, get(resource, "ScalarResources"));
}

static void find_node(struct findings *findings, const cJSON *node)
{
    find_item(findings, get(node, "Name"));
    find_resources(findings, get(node, "Idle"));
    find_resources(findings, get(node, "Releasing"));
    find_resources(findings, get(node, "Pipelined"));
}

static void read_cjson(const struct body *body, struct findings *ret)
{
    cJSON *root = cJSON_ParseWithLength(body->at, body->len);
    const cJSON *node;

    if (root == NULL)
        abort();
    find_task(ret, get(root, "task"));
    if (get(root, "node") != NULL)
        find_node(ret, get(root, "node"));
    cJSON_ArrayForEach(node, get(root, "nodes"))
    {
        find_node(ret, node);
    }
    cJSON_Delete(root);
}

static double cpu_seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#define ROUNDS_MOST 1001

struct figures {
    double scan_s[ROUNDS_MOST], cjson_s[ROUNDS_MOST], ratio[ROUNDS_MOST];
    size_t len;
};

/* The faster way goes over the bodies this often in a round, so that both take about as long. */
#define SCAN_TIMES 10

static bool run_round(const struct way *way, const struct bodies *bodies, struct figures *figures)
{
    struct findings scan = {0}, cjson = {0};
    double begin = cpu_seconds();
    double middle;

    for (size_t n = 0; n < SCAN_TIMES; n++) {
        memset(&scan, 0, sizeof scan);
        for (size_t i = 0; i < bodies->len; i++)
            read_scan(way, &bodies->at[i], &scan);
    }
    middle = cpu_seconds();
    for (size_t i = 0; i < bodies->len; i++)
        read_cjson(&bodies->at[i], &cjson);
    figures->scan_s[figures->len] = (middle - begin) / SCAN_TIMES;
    figures->cjson_s[figures->len] = cpu_seconds() - middle;
    figures->ratio[figures->len] = figures->cjson_s[figures->len] / figures->scan_s[figures->len];
    figures->len++;
    if (scan.values > 0 && scan.values == cjson.values && scan.text_bytes == cjson.text_bytes &&
        fabs(scan.sum - cjson.sum) <= 1e-9 * fabs(cjson.sum))
        return true;
    (void)fputs("bench_scan: the two ways found different values\n", stderr);
    return false;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static void print(const struct kind *kind, const struct bodies *bodies, struct figures *figures,
                  bool as_json)
{
    size_t middle = figures->len / 2;
    double megabytes = (double)bodies->bytes / 1e6;

    qsort(figures->scan_s, figures->len, sizeof(double), compare);
    qsort(figures->cjson_s, figures->len, sizeof(double), compare);
    qsort(figures->ratio, figures->len, sizeof(double), compare);
    (void)printf(as_json ? "{\"kind\":\"%s\",\"bodies\":%zu,\"bytes\":%zu,\"rounds\":%zu,"
                           "\"scanMBs\":%.1f,\"cjsonMBs\":%.1f,\"ratioMin\":%.2f,"
                           "\"ratioMedian\":%.2f}\n"
                         : "%-10s %4zu bodies %9zu bytes, %zu rounds: scan %.0f MB/s, cJSON %.0f "
                           "MB/s, ratio min %.2f median %.2f\n",
                 kind->name, bodies->len, bodies->bytes, figures->len,
                 megabytes / figures->scan_s[middle], megabytes / figures->cjson_s[middle],
                 figures->ratio[0], figures->ratio[middle]);
}

static bool read_file(const char *path, struct body *ret)
{
    FILE *file = fopen(path, "rb");
    struct stat about;

    if (file == NULL)
        return false;
    if (fstat(fileno(file), &about) == 0 && about.st_size > 0) {
        ret->len = (size_t)about.st_size;
        ret->at = malloc(ret->len);
    }
    if (ret->at != NULL && fread(ret->at, 1, ret->len, file) != ret->len) {
        free(ret->at);
        ret->at = NULL;
    }
    (void)fclose(file);
    return ret->at != NULL;
}

/* The recorded bodies of a kind: DIR/SESSION/NUMBER-KIND.json. */
static bool read_bodies(const char *dir, const char *kind, struct bodies *ret)
{
    char pattern[4096];
    glob_t found = {0};

    (void)snprintf(pattern, sizeof pattern, "%s/*/*-%s.json", dir, kind);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread. */
    if (glob(pattern, 0, NULL, &found) == 0)
        ret->at = calloc(found.gl_pathc, sizeof *ret->at);
    for (; ret->at != NULL && ret->len < found.gl_pathc; ret->len++) {
        if (!read_file(found.gl_pathv[ret->len], &ret->at[ret->len]))
            break;
        ret->bytes += ret->at[ret->len].len;
    }
    if (ret->len == 0 || ret->len < found.gl_pathc)
        (void)fprintf(stderr, "bench_scan: %s: no bodies, or one not readable\n", pattern);
    globfree(&found);
    return ret->len > 0 && ret->len == found.gl_pathc;
}

static void free_bodies(struct bodies *bodies)
{
    for (size_t i = 0; i < bodies->len; i++)
        free(bodies->at[i].at);
    free(bodies->at);
}

struct options {
    const char *dir, *kernel;
    size_t rounds;
    bool as_json;
};

static bool parse_options(int argc, char **argv, struct options *ret)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            ret->as_json = true;
        else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            ret->rounds = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--kernel") == 0 && i + 1 < argc)
            ret->kernel = argv[++i];
        else if (argv[i][0] != '-' && ret->dir == NULL)
            ret->dir = argv[i];
        else
            return false;
    }
    return ret->dir != NULL && ret->rounds > 0 && ret->rounds < ROUNDS_MOST;
}

static const struct fb_scan_kernel *find_kernel(const char *name)
{
    size_t len;
    const struct fb_scan_kernel *const *kernels = fb_scan_kernels(&len);

    for (size_t i = 0; i < len; i++) {
        if (name == NULL || strcmp(kernels[i]->name, name) == 0)
            return kernels[i];
    }
    return NULL;
}

static bool measure(const struct kind *kind, const struct options *options)
{
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = NULL;
    struct way way = {.kernel = find_kernel(options->kernel)};
    static struct figures figures;
    struct bodies bodies = {0};
    bool good = way.kernel != NULL && read_bodies(options->dir, kind->name, &bodies) &&
                fb_scan_paths_new(kind->paths, kind->paths_len, &paths, NULL) == FB_OK;

    way.paths = paths;
    for (size_t i = 0; good && i <= options->rounds; i++) {
        if (i == 1)
            figures.len = 0; /* the first one is not counted */
        good = run_round(&way, &bodies, &figures);
    }
    if (good)
        print(kind, &bodies, &figures, options->as_json);
    free_bodies(&bodies);
    return good;
}

int main(int argc, char **argv)
{
    struct options options = {.rounds = 15};

    if (!parse_options(argc, argv, &options)) {
        (void)fputs("usage: bench_scan [--json] [--rounds N] [--kernel NAME] DIR\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!measure(&kinds[i], &options))
            return 1;
    }
    return 0;
}
