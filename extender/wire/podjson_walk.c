/* SPDX-License-Identifier: Apache-2.0 */
#include "podjson_walk.h"

#include "fabricbind/podjson.h"
#include "fabricbind/quantity.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 16 /* more than any decoder goes down */

/* Append the way to @at; what is too long ends where the room does. */
static void put_path(char *text, size_t size, const struct fb_podjson_at *at)
{
    const struct fb_podjson_at *steps[STEPS];
    size_t count = 0;
    size_t len = 0;

    for (; at->up != NULL && count < STEPS; at = at->up)
        steps[count++] = at;
    text[0] = '\0';
    while (count-- > 0 && len < size) {
        const struct fb_podjson_at *step = steps[count];
        int wrote;

        if (step->key == NULL)
            wrote = snprintf(text + len, size - len, "[%zu]", step->index);
        else
            wrote = snprintf(text + len, size - len, "%s%s", len > 0 ? "." : "", step->key);
        len += wrote > 0 ? (size_t)wrote : 0;
    }
}

static void fail(struct fb_podjson *walk, const struct fb_podjson_at *at, enum fb_status status,
                 const char *fmt, ...) FB_PRINTF(4, 5);

static void fail(struct fb_podjson *walk, const struct fb_podjson_at *at, enum fb_status status,
                 const char *fmt, ...)
{
    char path[160];
    char why[80];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    put_path(path, sizeof path, at);
    walk->status =
        fb_error_set(walk->err, status, "%s%s%s", path, path[0] != '\0' ? ": " : "", why);
}

void fb_podjson_no_memory(struct fb_podjson *walk)
{
    walk->status = fb_error_set(walk->err, FB_ENOMEM, "out of memory");
}

bool fb_podjson_is(struct fb_podjson *walk, const struct fb_podjson_at *at, enum fb_json_type type)
{
    static const char *const wanted[] = {
        [FB_JSON_NULL] = "null",       [FB_JSON_BOOL] = "true or false",
        [FB_JSON_NUMBER] = "a number", [FB_JSON_TEXT] = "a string",
        [FB_JSON_LIST] = "a list",     [FB_JSON_MAP] = "a map",
    };

    if (walk->status != FB_OK)
        return false;
    if (fb_json_type(at->node) != type)
        fail(walk, at, FB_EINPUT, "not %s", wanted[type]);
    return walk->status == FB_OK;
}

bool fb_podjson_enter(struct fb_podjson *walk, const struct fb_podjson_at *up, const char *key,
                      enum fb_json_type type, struct fb_podjson_at *ret)
{
    *ret = (struct fb_podjson_at){.node = fb_json_find(up->node, key), .up = up, .key = key};
    return ret->node != NULL && fb_podjson_is(walk, ret, type);
}

struct fb_podjson_at fb_podjson_entries(const struct fb_podjson_at *in)
{
    return (struct fb_podjson_at){.up = in};
}

bool fb_podjson_next_any(struct fb_podjson *walk, struct fb_podjson_at *entry)
{
    bool in_map = fb_json_type(entry->up->node) == FB_JSON_MAP;

    if (walk->status != FB_OK)
        return false;
    entry->node = entry->begun ? fb_json_next(entry->node) : fb_json_first(entry->up->node);
    entry->index = entry->begun ? entry->index + 1 : 0;
    entry->begun = true;
    entry->key = in_map && entry->node != NULL ? fb_json_key(entry->node) : NULL;
    if (entry->node != NULL && entry->index >= FB_OBJECT_ENTRIES_MAX)
        fail(walk, entry->up, FB_ELIMIT, "more than %d entries", FB_OBJECT_ENTRIES_MAX);
    return entry->node != NULL && walk->status == FB_OK;
}

bool fb_podjson_next(struct fb_podjson *walk, struct fb_podjson_at *entry, enum fb_json_type type)
{
    while (fb_podjson_next_any(walk, entry)) {
        if (fb_json_type(entry->node) != FB_JSON_NULL)
            return fb_podjson_is(walk, entry, type);
    }
    return false;
}

const char *fb_podjson_keep(struct fb_podjson *walk, const char *text)
{
    const char *kept = fb_arena_text(walk->arena, text, strlen(text));

    if (kept == NULL)
        fb_podjson_no_memory(walk);
    return kept != NULL ? kept : "";
}

const char *fb_podjson_text(struct fb_podjson *walk, const struct fb_podjson_at *up,
                            const char *key)
{
    struct fb_podjson_at at;

    if (!fb_podjson_enter(walk, up, key, FB_JSON_TEXT, &at))
        return "";
    return fb_podjson_keep(walk, fb_json_read_text(at.node));
}

void *fb_podjson_room(struct fb_podjson *walk, void *at, size_t len, size_t *size, size_t elem)
{
    void *room = fb_arena_more(walk->arena, at, len, size, elem);

    if (room == NULL)
        fb_podjson_no_memory(walk);
    return room;
}

static void add_text(struct fb_podjson *walk, struct fb_texts *to, const char *text)
{
    if (fb_texts_add(walk->arena, to, fb_podjson_keep(walk, text)) != FB_OK)
        fb_podjson_no_memory(walk);
}

void fb_podjson_texts(struct fb_podjson *walk, const struct fb_podjson_at *list,
                      struct fb_texts *to)
{
    struct fb_podjson_at entry = fb_podjson_entries(list);

    while (fb_podjson_next(walk, &entry, FB_JSON_TEXT))
        add_text(walk, to, fb_json_read_text(entry.node));
}

void fb_podjson_names(struct fb_podjson *walk, const struct fb_podjson_at *list, const char *key,
                      struct fb_texts *to)
{
    struct fb_podjson_at entry = fb_podjson_entries(list);

    while (fb_podjson_next(walk, &entry, FB_JSON_MAP)) {
        struct fb_podjson_at name;

        if (fb_podjson_enter(walk, &entry, key, FB_JSON_TEXT, &name))
            add_text(walk, to, fb_json_read_text(name.node));
    }
}

/* Texts of one arena are equal when their addresses are. */
static size_t place_of(const struct fb_pairs *pairs, const char *key)
{
    size_t i = 0;

    while (i < pairs->len && pairs->at[i].key != key)
        i++;
    return i;
}

static void set_pair(struct fb_podjson *walk, struct fb_pairs *to, const char *key,
                     const char *value)
{
    size_t place = place_of(to, key);
    struct fb_pair *at = fb_podjson_room(walk, to->at, to->len, &to->size, sizeof *at);

    if (at == NULL)
        return;
    to->at = at;
    at[place] = (struct fb_pair){.key = key, .value = value};
    to->len += place == to->len ? 1 : 0;
}

bool fb_podjson_pairs(struct fb_podjson *walk, const struct fb_podjson_at *up, const char *key,
                      struct fb_pairs *to)
{
    struct fb_podjson_at map, entry;

    if (!fb_podjson_enter(walk, up, key, FB_JSON_MAP, &map))
        return false;
    entry = fb_podjson_entries(&map);
    while (fb_podjson_next_any(walk, &entry)) {
        const char *name = fb_podjson_keep(walk, fb_json_key(entry.node));
        size_t place = place_of(to, name);

        if (fb_json_type(entry.node) != FB_JSON_NULL && fb_podjson_is(walk, &entry, FB_JSON_TEXT))
            set_pair(walk, to, name, fb_podjson_keep(walk, fb_json_read_text(entry.node)));
        else if (place < to->len)
            to->at[place] = to->at[--to->len];
    }
    return true;
}

/* The amount at @at, a string or a number. */
static int64_t read_amount(struct fb_podjson *walk, const struct fb_podjson_at *at)
{
    bool is_number = fb_json_type(at->node) == FB_JSON_NUMBER;
    char *printed = is_number ? fb_json_print_node(at->node) : NULL;
    const char *text = is_number ? printed : fb_json_read_text(at->node);
    struct fb_quantity quantity = {0, 0};
    struct fb_error err = {0};
    int64_t amount = 0;

    if (text == NULL && is_number)
        fb_podjson_no_memory(walk);
    else if (text == NULL)
        fail(walk, at, FB_EINPUT, "not a quantity");
    else if (fb_quantity_parse(text, strlen(text), &quantity, &err) != FB_OK)
        fail(walk, at, err.status, "%s", err.text);
    else if (quantity.whole < 0)
        fail(walk, at, FB_EINPUT, "'%.40s' is below 0", text);
    else
        amount = strcmp(fb_json_key(at->node), "cpu") == 0 ? fb_quantity_milli(&quantity)
                                                           : fb_quantity_units(&quantity);
    free(printed);
    return amount;
}

static void drop_amount(struct fb_resources *all, const char *name)
{
    for (size_t i = 0; i < all->len; i++) {
        if (all->at[i].name == name)
            all->at[i--] = all->at[--all->len];
    }
}

bool fb_podjson_amounts(struct fb_podjson *walk, const struct fb_podjson_at *up, const char *key,
                        struct fb_resources *to)
{
    struct fb_podjson_at map, entry;

    if (!fb_podjson_enter(walk, up, key, FB_JSON_MAP, &map))
        return false;
    entry = fb_podjson_entries(&map);
    while (fb_podjson_next_any(walk, &entry)) {
        const char *name = fb_podjson_keep(walk, fb_json_key(entry.node));

        if (fb_json_type(entry.node) == FB_JSON_NULL)
            drop_amount(to, name);
        else if (fb_resources_set(walk->arena, to, name, read_amount(walk, &entry)) != FB_OK)
            fb_podjson_no_memory(walk);
        if (to->len > FB_PODSPEC_RESOURCES_MAX)
            fail(walk, &map, FB_ELIMIT, "more than %d entries", FB_PODSPEC_RESOURCES_MAX);
    }
    return true;
}
