/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/scan.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The first bytes are sizes of pieces, the rest is the document. Read at once and in these pieces
 * it must give the same events and the same error. What the reader takes, cJSON must take, and a
 * walk over cJSON's tree that knows nothing of the reader's tree of paths must find the same.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PIECES 4

static const struct fb_scan_path rows[] = {
    {"", 0},      {"i[].n", 1}, {"i[].l.*", 2}, {"i[].l.a", 3}, {"i[]", 4},
    {"*.b[]", 5}, {"a.b", 6},   {"[][]", 7},    {"[].*.a", 8},  {"*.*.*", 9},
};
#define ROWS (sizeof rows / sizeof rows[0])

/* A number over 63 bytes is more than cJSON reads. */
static const struct fb_scan_limits limits = {.depth = 16, .string_bytes = 100, .number_bytes = 60};

struct trace {
    char text[1 << 18]; /* cut when full, which is the same for equal events */
    size_t len;
    bool as_double; /* numbers by value instead of as written */
};

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
    if (value->type == FB_SCAN_STRING && strcmp(value->text, "refuse") == 0)
        return fb_error_set(err, FB_EINPUT, "refused");
    return FB_OK;
}

static enum fb_status read_pieces(const struct fb_scan_paths *paths, const uint8_t *sizes,
                                  const char *json, size_t len, struct trace *trace,
                                  struct fb_error *err)
{
    struct fb_scan *scan = fb_scan_new(paths, &limits, note, trace);
    enum fb_status st = FB_OK;

    if (scan == NULL)
        abort();
    for (size_t i = 0; len > 0 && st == FB_OK; i++) {
        size_t size = 1 + (size_t)sizes[i % PIECES] % 32;
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
    if (st == FB_OK)
        st = fb_scan_finish(scan, err);
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

static void compare_with_cjson(const struct fb_scan_paths *paths, const char *json, size_t len)
{
    static struct trace mine, theirs;
    const struct place top = {""};
    cJSON *root = cJSON_ParseWithLength(json, len);

    if (root == NULL)
        abort();
    mine.len = theirs.len = 0;
    mine.text[0] = theirs.text[0] = '\0';
    mine.as_double = true;
    if (fb_scan_all(paths, &limits, json, len, note, &mine, NULL) != FB_OK)
        abort();
    walk(root, &top, "", &theirs);
    cJSON_Delete(root);
    if (strcmp(mine.text, theirs.text) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trace whole, cut;
    struct fb_error whole_err = {0}, cut_err = {0};
    struct fb_scan_paths *paths = NULL;
    const char *json = (const char *)data + PIECES;
    enum fb_status st;

    if (size < PIECES)
        return 0;
    size -= PIECES;
    whole.len = cut.len = 0;
    whole.text[0] = cut.text[0] = '\0';
    if (fb_scan_paths_new(rows, ROWS, &paths, NULL) != FB_OK)
        abort();
    st = fb_scan_all(paths, &limits, json, size, note, &whole, &whole_err);
    if (read_pieces(paths, data, json, size, &cut, &cut_err) != st ||
        strcmp(whole.text, cut.text) != 0 || strcmp(whole_err.text, cut_err.text) != 0)
        abort();
    if (st == FB_OK)
        compare_with_cjson(paths, json, size);
    fb_scan_paths_free(paths);
    return 0;
}
