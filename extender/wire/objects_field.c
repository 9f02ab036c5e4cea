/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/profile_keys.h"
#include "fabricbind/quantity.h"
#include "objects_fields.h"

#include <stdlib.h>
#include <string.h>

/* Annotations that placement reads; all others may be long and are left out. */
static const char *const note_prefixes[] = {
    "fabricbind.io/",         "nhx.nvidia.com/", "scheduling.k8s.io/",
    "scheduling.volcano.sh/", "volcano.sh/",     "leaderworkerset.sigs.k8s.io/",
    "jobset.sigs.k8s.io/",
};

static enum fb_status no_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

static enum fb_status too_many(struct fb_error *err)
{
    return fb_error_set(err, FB_ELIMIT, "more than %d entries", FB_OBJECT_ENTRIES_MAX);
}

/* The field in @thing, which has its offset from a table made with offsetof(). */
static void *field_at(void *thing, const struct fb_field *field)
{
    return (char *)thing + field->at;
}

static enum fb_status read_text(struct fb_arena *arena, const struct fb_scan_value *value,
                                size_t len, const char **ret, struct fb_error *err)
{
    const char *text;

    if (value->type != FB_SCAN_STRING)
        return fb_error_set(err, FB_EINPUT, "not a string");
    text = fb_arena_text(arena, value->text, len);
    if (text == NULL)
        return no_memory(err);
    *ret = text;
    return FB_OK;
}

/* "apps/v1" is of group apps, "v1" of none. */
static size_t group_len(const struct fb_scan_value *value)
{
    const char *slash = memchr(value->text, '/', value->len);

    return slash != NULL ? (size_t)(slash - value->text) : 0;
}

static enum fb_status read_count(const struct fb_scan_value *value, unsigned most, int64_t *ret,
                                 struct fb_error *err)
{
    int64_t limit = most > 0 ? (int64_t)most : FB_OBJECT_PODS_MAX;
    char *end;
    long long number = strtoll(value->text, &end, 10); /* stops at its own limits */

    if (value->type != FB_SCAN_NUMBER || *end != '\0')
        return fb_error_set(err, FB_EINPUT, "not an integer");
    if (number < 0)
        return fb_error_set(err, FB_EINPUT, "%.40s is below 0", value->text);
    if (number > limit)
        return fb_error_set(err, FB_ELIMIT, "%.40s is above %lld", value->text, (long long)limit);
    *ret = number;
    return FB_OK;
}

static enum fb_status read_bool(const struct fb_scan_value *value, bool *ret, struct fb_error *err)
{
    if (value->type != FB_SCAN_TRUE && value->type != FB_SCAN_FALSE)
        return fb_error_set(err, FB_EINPUT, "not true or false");
    *ret = value->type == FB_SCAN_TRUE;
    return FB_OK;
}

static enum fb_status read_always(struct fb_container *container, const struct fb_scan_value *value,
                                  struct fb_error *err)
{
    if (value->type != FB_SCAN_STRING)
        return fb_error_set(err, FB_EINPUT, "not a string");
    if (container->role != FB_CONTAINER_MAIN)
        container->role =
            strcmp(value->text, "Always") == 0 ? FB_CONTAINER_SIDECAR : FB_CONTAINER_INIT;
    return FB_OK;
}

/* Texts of one arena are equal when their addresses are. */
static enum fb_status set_pair(struct fb_arena *arena, struct fb_pairs *pairs,
                               const struct fb_scan_value *value, struct fb_error *err)
{
    const char *key = fb_arena_text(arena, value->key, value->key_len);
    const char *text = NULL;
    struct fb_pair *at;
    size_t i = 0;
    enum fb_status st;

    if (key == NULL)
        return no_memory(err);
    st = read_text(arena, value, value->len, &text, err);
    if (st != FB_OK)
        return st;
    while (i < pairs->len && pairs->at[i].key != key)
        i++;
    if (i == FB_OBJECT_ENTRIES_MAX)
        return too_many(err);
    at = fb_arena_more(arena, pairs->at, i, &pairs->size, sizeof *at);
    if (at == NULL)
        return no_memory(err);
    pairs->at = at;
    at[i] = (struct fb_pair){.key = key, .value = text};
    pairs->len = i < pairs->len ? pairs->len : i + 1;
    return FB_OK;
}

static void drop_pair(struct fb_pairs *pairs, const char *key)
{
    for (size_t i = 0; i < pairs->len; i++) {
        if (fb_text_equal(pairs->at[i].key, key)) {
            pairs->at[i] = pairs->at[--pairs->len];
            return;
        }
    }
}

static bool is_note(const char *key)
{
    for (size_t i = 0; i < sizeof note_prefixes / sizeof note_prefixes[0]; i++) {
        if (*key == *note_prefixes[i] && fb_text_has_prefix(key, note_prefixes[i]))
            return true;
    }
    return false;
}

/* What the three of profile.h take is counted anew at the bind. */
static void count_note(struct fb_pod *pod, const struct fb_scan_value *value)
{
    if (strcmp(value->key, FB_PROFILE_KEY) != 0 && strcmp(value->key, FB_PROFILE_CONF_KEY) != 0 &&
        strcmp(value->key, FB_PROFILE_TOPO_KEY) != 0)
        pod->annotations_bytes += value->key_len + value->len;
}

/* By how much a suffix multiplies what is counted in units, or thousandths; 0: not told here. */
static int64_t scale_of(const char *suffix, bool milli)
{
    if (*suffix == '\0')
        return milli ? 1000 : 1;
    if (milli)
        return strcmp(suffix, "m") == 0 ? 1 : 0;
    if (strcmp(suffix, "Ki") == 0)
        return (int64_t)1 << 10;
    if (strcmp(suffix, "Mi") == 0)
        return (int64_t)1 << 20;
    return strcmp(suffix, "Gi") == 0 ? (int64_t)1 << 30 : 0;
}

/* The common case, without wide arithmetic: up to nine digits and a suffix that never overflows. */
static bool read_common(const struct fb_scan_value *value, bool milli, int64_t *ret)
{
    int64_t number = 0;
    int64_t scale;
    size_t i = 0;

    for (; i < 9 && value->text[i] >= '0' && value->text[i] <= '9'; i++)
        number = number * 10 + (value->text[i] - '0');
    scale = i > 0 ? scale_of(value->text + i, milli) : 0;
    if (scale != 0)
        *ret = number * scale;
    return scale != 0;
}

static enum fb_status parse_amount(const struct fb_scan_value *value, int64_t *ret,
                                   struct fb_error *err)
{
    bool milli = strcmp(value->key, "cpu") == 0;
    struct fb_quantity quantity;
    enum fb_status st;

    if (value->type != FB_SCAN_STRING && value->type != FB_SCAN_NUMBER)
        return fb_error_set(err, FB_EINPUT, "not a quantity");
    if (read_common(value, milli, ret))
        return FB_OK;
    st = fb_quantity_parse(value->text, value->len, &quantity, err);
    if (st != FB_OK)
        return st;
    if (quantity.whole < 0)
        return fb_error_set(err, FB_EINPUT, "'%.40s' is below 0", value->text);
    *ret = milli ? fb_quantity_milli(&quantity) : fb_quantity_units(&quantity);
    return FB_OK;
}

static enum fb_status set_amount(struct fb_arena *arena, struct fb_resources *amounts,
                                 const struct fb_scan_value *value, struct fb_error *err)
{
    const char *name = fb_arena_text(arena, value->key, value->key_len);
    int64_t amount = 0;
    enum fb_status st = parse_amount(value, &amount, err);

    if (st != FB_OK)
        return st;
    if (name == NULL)
        return no_memory(err);
    if (amounts->len >= FB_OBJECT_ENTRIES_MAX && fb_resources_find(amounts, name) == NULL)
        return too_many(err);
    st = fb_resources_set(arena, amounts, name, amount);
    return st != FB_OK ? no_memory(err) : FB_OK;
}

static void drop_amount(struct fb_resources *amounts, const char *name)
{
    for (size_t i = 0; i < amounts->len; i++) {
        if (fb_text_equal(amounts->at[i].name, name)) {
            amounts->at[i] = amounts->at[--amounts->len];
            return;
        }
    }
}

static enum fb_status add_text(struct fb_arena *arena, struct fb_texts *texts,
                               const struct fb_scan_value *value, struct fb_error *err)
{
    const char *text = NULL;
    enum fb_status st = read_text(arena, value, value->len, &text, err);

    if (st != FB_OK)
        return st;
    if (texts->len >= FB_OBJECT_ENTRIES_MAX)
        return too_many(err);
    return fb_texts_add(arena, texts, text) == FB_OK ? FB_OK : no_memory(err);
}

static enum fb_status read_entry(struct fb_arena *arena, enum fb_shape shape, void *field,
                                 const struct fb_scan_value *value, struct fb_error *err)
{
    bool absent = value->type == FB_SCAN_NULL;

    if (shape == FB_SHAPE_TEXTS)
        return absent ? FB_OK : add_text(arena, field, value, err);
    if (shape == FB_SHAPE_AMOUNTS && !absent)
        return set_amount(arena, field, value, err);
    if (shape == FB_SHAPE_AMOUNTS)
        drop_amount(field, value->key);
    else if (absent)
        drop_pair(field, value->key);
    else if (shape == FB_SHAPE_PAIRS || is_note(value->key))
        return set_pair(arena, field, value, err);
    return FB_OK;
}

enum fb_status fb_field_read(struct fb_object_reader *reader, const struct fb_mounted *row,
                             void *thing, const struct fb_scan_value *value, struct fb_error *err)
{
    void *field = field_at(thing, row->field);
    const char *unused;

    if (row->entry && row->field->shape == FB_SHAPE_NOTES)
        count_note(thing, value);
    if (row->entry)
        return read_entry(reader->arena, row->field->shape, field, value, err);
    if (value->type == FB_SCAN_NULL) {
        fb_field_clear(row, thing);
        return FB_OK;
    }
    switch ((int)row->field->shape) {
    case FB_SHAPE_TEXT:
        return read_text(reader->arena, value, value->len, field, err);
    case FB_SHAPE_GROUP:
        return read_text(reader->arena, value, group_len(value), field, err);
    case FB_SHAPE_STAMP:
        *(bool *)field = true;
        return read_text(reader->arena, value, 0, &unused, err);
    case FB_SHAPE_BOOL:
        return read_bool(value, field, err);
    case FB_SHAPE_COUNT:
        return read_count(value, row->field->variant, field, err);
    case FB_SHAPE_ALWAYS:
        return read_always(thing, value, err);
    case FB_SHAPE_FLAGGED:
        *(bool *)field = true;
        return FB_OK;
    default:
        return FB_OK;
    }
}

void fb_field_clear(const struct fb_mounted *row, void *thing)
{
    void *field = field_at(thing, row->field);

    switch ((int)row->field->shape) {
    case FB_SHAPE_TEXT:
    case FB_SHAPE_GROUP:
        *(const char **)field = "";
        break;
    case FB_SHAPE_STAMP:
    case FB_SHAPE_BOOL:
    case FB_SHAPE_FLAGGED:
        *(bool *)field = false;
        break;
    case FB_SHAPE_COUNT:
        *(int64_t *)field = -1;
        break;
    case FB_SHAPE_ALWAYS:
        if (((struct fb_container *)thing)->role == FB_CONTAINER_SIDECAR)
            ((struct fb_container *)thing)->role = FB_CONTAINER_INIT;
        break;
    case FB_SHAPE_NOTES:
        ((struct fb_pod *)thing)->annotations_bytes = 0;
        ((struct fb_pairs *)field)->len = 0;
        break;
    case FB_SHAPE_PAIRS:
        ((struct fb_pairs *)field)->len = 0;
        break;
    case FB_SHAPE_AMOUNTS:
        ((struct fb_resources *)field)->len = 0;
        break;
    case FB_SHAPE_TEXTS:
        ((struct fb_texts *)field)->len = 0;
        break;
    default:
        break;
    }
}
