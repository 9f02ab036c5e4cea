/* SPDX-License-Identifier: Apache-2.0 */
#include "apply_patch.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENT 4096

/* Turn the escapes of @segment into what they stand for. */
static bool unescape(char segment[SEGMENT])
{
    char *to = segment;

    for (const char *at = segment; *at != '\0'; at++) {
        *to++ = *at;
        if (*at != '~')
            continue;
        at++;
        if (*at != '0' && *at != '1')
            return false;
        if (*at == '1')
            to[-1] = '/';
    }
    *to = '\0';
    return true;
}

/* The first segment of @pointer without escapes; returns what is behind it, NULL when it is none.
 */
static const char *take_segment(const char *pointer, char segment[SEGMENT])
{
    size_t len;

    if (*pointer++ != '/')
        return NULL;
    len = strcspn(pointer, "/");
    if (len >= SEGMENT)
        return NULL;
    memcpy(segment, pointer, len);
    segment[len] = '\0';
    return unescape(segment) ? pointer + len : NULL;
}

/* A place in a list, at most @most; -1 when it is none. */
static int place_of(const char *segment, int most)
{
    char *end;
    long place = strtol(segment, &end, 10);

    if (*segment == '\0' || *end != '\0' || strspn(segment, "0123456789") != strlen(segment) ||
        (segment[0] == '0' && segment[1] != '\0') || place > most)
        return -1;
    return (int)place;
}

static cJSON *last_member(const cJSON *map, const char *key)
{
    cJSON *found = NULL;

    for (cJSON *each = map->child; each != NULL; each = each->next) {
        if (strcmp(each->string, key) == 0)
            found = each;
    }
    return found;
}

static cJSON *step(const cJSON *in, const char *segment)
{
    int place;

    if (cJSON_IsObject(in))
        return last_member(in, segment);
    if (!cJSON_IsArray(in))
        return NULL;
    place = place_of(segment, cJSON_GetArraySize(in) - 1);
    return place >= 0 ? cJSON_GetArrayItem(in, place) : NULL;
}

/* By appending and turning the rest over: cJSON_InsertItemInArray() of some versions refuses all
   places but the first. */
static bool insert(cJSON *list, int place, cJSON *value)
{
    int len = cJSON_GetArraySize(list);

    if (place < 0 || cJSON_AddItemToArray(list, value) == 0)
        return false;
    for (int i = place; i < len; i++)
        (void)cJSON_AddItemToArray(list, cJSON_DetachItemFromArray(list, place));
    return true;
}

/* Takes @value over when it can be put there. */
static bool add_last(cJSON *in, const char *segment, cJSON *value)
{
    cJSON *old;

    if (cJSON_IsArray(in) && strcmp(segment, "-") == 0)
        return cJSON_AddItemToArray(in, value) != 0;
    if (cJSON_IsArray(in))
        return insert(in, place_of(segment, cJSON_GetArraySize(in)), value);
    if (!cJSON_IsObject(in))
        return false;
    old = last_member(in, segment);
    if (old != NULL)
        cJSON_Delete(cJSON_DetachItemViaPointer(in, old));
    return cJSON_AddItemToObject(in, segment, value) != 0;
}

static bool apply_op(cJSON *document, const cJSON *op)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(op, "op"));
    const char *path = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(op, "path"));
    cJSON *value = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(op, "value"), 1);
    char segment[SEGMENT];
    cJSON *in = document;
    bool done = false;

    if (name != NULL && strcmp(name, "add") == 0 && path != NULL && value != NULL)
        path = take_segment(path, segment);
    else
        path = NULL;
    while (path != NULL && in != NULL && *path != '\0') {
        in = step(in, segment);
        path = take_segment(path, segment);
    }
    if (path != NULL && in != NULL)
        done = add_last(in, segment, value);
    if (!done)
        cJSON_Delete(value);
    return done;
}

char *apply_patch(const char *document, const char *patch, int *ret_failed)
{
    cJSON *root = cJSON_Parse(document);
    cJSON *ops = cJSON_Parse(patch);
    char *text = NULL;
    bool sound = cJSON_IsArray(ops) != 0 && root != NULL;
    const cJSON *op = sound ? ops->child : NULL;
    int done = sound ? 0 : -1;

    for (; op != NULL && apply_op(root, op); op = op->next)
        done++;
    if (sound && op == NULL)
        text = cJSON_PrintUnformatted(root);
    *ret_failed = done;
    cJSON_Delete(root);
    cJSON_Delete(ops);
    return text;
}

char *find_json(const char *document, const char *pointer)
{
    cJSON *root = cJSON_Parse(document);
    const cJSON *at = root;
    char segment[SEGMENT];
    char *text;

    while (at != NULL && *pointer != '\0') {
        pointer = take_segment(pointer, segment);
        at = pointer != NULL ? step(at, segment) : NULL;
        if (pointer == NULL)
            break;
    }
    text = at != NULL ? cJSON_PrintUnformatted(at) : NULL;
    cJSON_Delete(root);
    return text;
}
