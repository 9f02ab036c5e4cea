/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/scan.h"

#include "scan_state.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The first bytes are sizes of pieces and what to skip, the rest is the document. Read at once and
 * in these pieces it must give the same events and the same error, strict or not, by every kernel.
 * What the strict reader takes, the other one and cJSON must take, and a walk over cJSON's tree
 * that knows nothing of the reader's tree of paths must find the same.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PIECES 4

static const struct fb_scan_path rows[] = {
    {"", 0},      {"i[].n", 1}, {"i[].l.*", 2}, {"i[].l.a", 3}, {"i[]", 4},
    {"*.b[]", 5}, {"a.b", 6},   {"[][]", 7},    {"[].*.a", 8},  {"*.*.*", 9},
};
#define ROWS (sizeof rows / sizeof rows[0])

/* A number over 63 bytes is more than cJSON reads. */
static const struct fb_scan_limits limits = {
    .depth = 16, .string_bytes = 100, .number_bytes = 60, .strict = true};
/* What is skipped counts as written: six bytes for one. */
static const struct fb_scan_limits loose_limits = {
    .depth = 16, .string_bytes = 600, .number_bytes = 60};
static const struct fb_scan_limits tight_limits = {
    .depth = 5, .string_bytes = 64, .number_bytes = 60};

struct trace {
    char text[1 << 18]; /* cut when full, which is the same for equal events */
    size_t len;
    bool as_double; /* numbers by value instead of as written */
    struct fb_scan *scan;
    unsigned skips; /* a bit an id: skip its objects and arrays */
};

static void clear(struct trace *trace)
{
    trace->text[0] = '\0';
    trace->len = 0;
    trace->as_double = false;
    trace->skips = 0;
}

static void add(struct trace *trace, int id, enum fb_scan_type type, const char *text,
                const char *key)
{
    size_t room = sizeof trace->text - trace->len;
    int len =
        snprintf(trace->text + trace->len, room, "%d %d '%s' '%s'\n", id, (int)type, text, key);

    trace->len += len > 0 && (size_t)len < room ? (size_t)len : room - 1;
}

static void add_number(struct trace *trace, int id, double number, const char *key)
{
    char text[64];

    (void)snprintf(text, sizeof text, "%.17g", number);
    add(trace, id, FB_SCAN_NUMBER, text, key);
}

static enum fb_status note(void *context, const struct fb_scan_value *value, struct fb_error *err)
{
    struct trace *trace = context;

    if (strlen(value->text) != value->len || strlen(value->key) != value->key_len)
        abort();
    if (trace->as_double && value->type == FB_SCAN_NUMBER)
        add_number(trace, value->id, strtod(value->text, NULL), value->key);
    else
        add(trace, value->id, value->type, value->text, value->key);
    if ((trace->skips >> value->id & 1) != 0 &&
        (value->type == FB_SCAN_OBJECT || value->type == FB_SCAN_ARRAY))
        fb_scan_skip(trace->scan);
    if (value->type == FB_SCAN_STRING && strcmp(value->text, "refuse") == 0)
        return fb_error_set(err, FB_EINPUT, "refused");
    return FB_OK;
}

/* One way to read a document. */
struct way {
    const struct fb_scan_paths *paths;
    const struct fb_scan_limits *limits;
    const struct fb_scan_kernel *kernel;
    const uint8_t *sizes; /* NULL: at once */
};

static enum fb_status feed_pieces(struct fb_scan *scan, const uint8_t *sizes, const char *json,
                                  size_t len, struct fb_error *err)
{
    enum fb_status st = FB_OK;

    for (size_t i = 0; len > 0 && st == FB_OK; i++) {
        size_t size = sizes != NULL ? 1 + (size_t)sizes[i % PIECES] % 32 : len;
        size_t taken = size < len ? size : len;
        char *copy = malloc(taken); /* so that a read beyond the piece is seen */

        if (copy == NULL)
            abort();
        memcpy(copy, json, taken);
        st = fb_scan_feed(scan, copy, taken, err);
        free(copy);
        json += taken;
        len -= taken;
    }
    return st == FB_OK ? fb_scan_finish(scan, err) : st;
}

static enum fb_status read_way(const struct way *way, const char *json, size_t len,
                               struct trace *trace, struct fb_error *err)
{
    struct fb_scan *scan = fb_scan_new(way->paths, way->limits, note, trace);
    enum fb_status st;

    if (scan == NULL)
        abort();
    scan->kernel = way->kernel;
    trace->scan = scan;
    st = feed_pieces(scan, way->sizes, json, len, err);
    fb_scan_free(scan);
    return st;
}

/* A place in the document as the paths write it: "i[].l.*". */
struct place {
    char path[64];
};

static bool leads_on(const char *path)
{
    size_t len = strlen(path);

    for (size_t i = 0; i < ROWS; i++) {
        if (strncmp(rows[i].path, path, len) == 0 &&
            (len == 0 || strchr(".[", rows[i].path[len]) != NULL)) /* finds the NUL, too */
            return true;
    }
    return false;
}

/* Go from @from to what is below @step; false when no path does. */
static bool go(const struct place *from, const char *step, struct place *ret)
{
    const char *dot = from->path[0] == '\0' || step[0] == '[' ? "" : ".";
    int len = snprintf(ret->path, sizeof ret->path, "%s%s%s", from->path, dot, step);

    return len > 0 && (size_t)len < sizeof ret->path && leads_on(ret->path);
}

static bool go_to_key(const struct place *from, const char *key, struct place *ret, bool *ret_star)
{
    *ret_star = false;
    if (key[0] != '\0' && strpbrk(key, ".[]*") == NULL && go(from, key, ret))
        return true;
    *ret_star = true;
    return go(from, "*", ret);
}

static enum fb_scan_type type_of(const cJSON *item)
{
    if (cJSON_IsObject(item))
        return FB_SCAN_OBJECT;
    if (cJSON_IsArray(item))
        return FB_SCAN_ARRAY;
    if (cJSON_IsString(item))
        return FB_SCAN_STRING;
    if (cJSON_IsNumber(item))
        return FB_SCAN_NUMBER;
    if (cJSON_IsBool(item))
        return cJSON_IsTrue(item) ? FB_SCAN_TRUE : FB_SCAN_FALSE;
    return FB_SCAN_NULL;
}

static void add_item(struct trace *trace, int id, const cJSON *item, const char *key)
{
    enum fb_scan_type type = type_of(item);

    if (type == FB_SCAN_NUMBER)
        add_number(trace, id, item->valuedouble, key);
    else
        add(trace, id, type, type == FB_SCAN_STRING ? item->valuestring : "", key);
}

static int find_id(const char *path)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].path, path) == 0)
            return rows[i].id;
    }
    return -1;
}

/* Goes as deep as the reader went: limits.depth. */
static void walk(const cJSON *item, const struct place *at, const char *key, struct trace *trace)
{
    int id = find_id(at->path);
    struct place below;

    if (id >= 0)
        add_item(trace, id, item, key);
    if (!cJSON_IsObject(item) && !cJSON_IsArray(item))
        return;
    for (const cJSON *each = item->child; each != NULL; each = each->next) {
        bool star = false;

        if (cJSON_IsArray(item) ? go(at, "[]", &below) : go_to_key(at, each->string, &below, &star))
            walk(each, &below, star ? each->string : key, trace);
    }
    if (id >= 0)
        add(trace, id, FB_SCAN_END, "", key);
}

static void compare_with_cjson(const struct way *way, const char *json, size_t len)
{
    static struct trace mine, theirs;
    const struct place top = {""};
    cJSON *root = cJSON_ParseWithLength(json, len);

    if (root == NULL)
        abort();
    clear(&mine);
    clear(&theirs);
    mine.as_double = true;
    if (read_way(way, json, len, &mine, NULL) != FB_OK)
        abort();
    walk(root, &top, "", &theirs);
    cJSON_Delete(root);
    if (strcmp(mine.text, theirs.text) != 0)
        abort();
}

/* By every kernel, at once and in pieces. Returns what all of them did. */
static enum fb_status read_all_ways(const struct way *way, unsigned skips, const char *json,
                                    size_t len)
{
    static struct trace first, other;
    struct fb_error first_err = {0};
    enum fb_status st;
    size_t kernels_len;
    const struct fb_scan_kernel *const *kernels = fb_scan_kernels(&kernels_len);
    struct way each = {.paths = way->paths, .limits = way->limits, .kernel = kernels[0]};

    clear(&first);
    first.skips = skips;
    st = read_way(&each, json, len, &first, &first_err);
    for (size_t i = 1; i < 2 * kernels_len; i++) {
        struct fb_error err = {0};

        each.kernel = kernels[i / 2];
        each.sizes = i % 2 != 0 ? way->sizes : NULL;
        clear(&other);
        other.skips = skips;
        if (read_way(&each, json, len, &other, &err) != st || strcmp(first.text, other.text) != 0 ||
            strcmp(first_err.text, err.text) != 0)
            abort();
    }
    return st;
}

/* The bits of the sizes that the pieces leave over. */
static unsigned read_skips(const uint8_t *sizes)
{
    unsigned skips = 0;

    for (size_t i = 0; i < PIECES; i++)
        skips = skips << 3 | sizes[i] >> 5;
    return skips;
}

static void check(struct way *way, const char *json, size_t len)
{
    unsigned skips = read_skips(way->sizes);
    enum fb_status st;

    way->limits = &limits;
    st = read_all_ways(way, 0, json, len);
    (void)read_all_ways(way, skips, json, len);
    way->limits = &tight_limits;
    (void)read_all_ways(way, skips, json, len);
    way->limits = &loose_limits;
    if (read_all_ways(way, 0, json, len) != FB_OK && st == FB_OK)
        abort();
    if (st != FB_OK)
        return;
    way->sizes = NULL;
    compare_with_cjson(way, json, len);
    way->limits = &limits;
    compare_with_cjson(way, json, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fb_scan_paths *paths = NULL;
    size_t kernels_len;
    struct way way = {.kernel = fb_scan_kernels(&kernels_len)[0], .sizes = data};

    if (size < PIECES)
        return 0;
    if (fb_scan_paths_new(rows, ROWS, &paths, NULL) != FB_OK)
        abort();
    way.paths = paths;
    check(&way, (const char *)data + PIECES, size - PIECES);
    fb_scan_paths_free(paths);
    return 0;
}
