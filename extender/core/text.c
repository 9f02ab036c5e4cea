/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/text.h"

#include "fabricbind/arena.h"

#include <string.h>

#define NAME_MAX_BYTES 253

/* Names longer than this are compared by no one who mistyped them. */
#define NEAREST_MAX 63

/* Most texts that differ do so in the first byte. */
bool fb_text_equal(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && *a == *b && strcmp(a, b) == 0);
}

bool fb_text_has_prefix(const char *text, const char *prefix)
{
    return text != NULL && strncmp(text, prefix, strlen(prefix)) == 0;
}

bool fb_text_matches(const char *text, const char *pattern)
{
    const char *star = NULL;
    const char *retry = NULL;

    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool fb_texts_has(const struct fb_texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->len; i++) {
        if (fb_text_equal(texts->at[i], text))
            return true;
    }
    return false;
}

enum fb_status fb_texts_add(struct fb_arena *arena, struct fb_texts *texts, const char *text)
{
    const char **at;

    if (text == NULL)
        return FB_ENOMEM;
    at = fb_arena_more(arena, texts->at, texts->len, &texts->size, sizeof *at);
    if (at == NULL)
        return FB_ENOMEM;
    texts->at = at;
    at[texts->len++] = text;
    return FB_OK;
}

bool fb_text_is_name(const char *text)
{
    size_t len = text != NULL ? strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-.") : 0;

    return len > 0 && len <= NAME_MAX_BYTES && text[len] == '\0' && strchr("-.", text[0]) == NULL &&
           strchr("-.", text[len - 1]) == NULL;
}

const char *fb_pairs_find(const struct fb_pairs *pairs, const char *key)
{
    for (size_t i = pairs->len; i > 0; i--) {
        if (fb_text_equal(pairs->at[i - 1].key, key))
            return pairs->at[i - 1].value;
    }
    return NULL;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance, row by row. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NEAREST_MAX + 1];
    size_t b_len = strlen(b);

    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t corner = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < b_len; j++) {
            size_t swap = corner + (a[i] == b[j] ? 0 : 1);

            corner = row[j + 1];
            row[j + 1] = least(swap, least(row[j], row[j + 1]) + 1);
        }
    }
    return row[b_len];
}

const char *fb_text_nearest(const char *text, const char *const *candidates, size_t len)
{
    const char *nearest = NULL;
    size_t text_len = strlen(text);
    size_t best = text_len / 2 + 1;

    if (text_len > NEAREST_MAX)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        size_t far;

        if (strlen(candidates[i]) > NEAREST_MAX)
            continue;
        far = distance(text, candidates[i]);
        if (far < best) {
            best = far;
            nearest = candidates[i];
        }
    }
    return nearest;
}
