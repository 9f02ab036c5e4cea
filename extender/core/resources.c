/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/resources.h"

#include <string.h>

int64_t fb_amount_add(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a > 0 ? INT64_MAX : INT64_MIN;
}

/* Without a call for the many names that are the same text, or differ in the first byte. */
static struct fb_resource *find(const struct fb_resources *all, const char *name)
{
    for (size_t i = 0; name != NULL && i < all->len; i++) {
        const char *each = all->at[i].name;

        if (each == name || (*each == *name && strcmp(each, name) == 0))
            return &all->at[i];
    }
    return NULL;
}

const struct fb_resource *fb_resources_find(const struct fb_resources *all, const char *name)
{
    return find(all, name);
}

int64_t fb_resources_get(const struct fb_resources *all, const char *name)
{
    const struct fb_resource *entry = find(all, name);

    return entry != NULL ? entry->amount : 0;
}

enum fb_status fb_resources_reserve(struct fb_arena *arena, struct fb_resources *all, size_t len)
{
    struct fb_resource *at;

    if (len <= all->size)
        return FB_OK;
    at = fb_arena_alloc(arena, len * sizeof *at);
    if (at == NULL)
        return FB_ENOMEM;
    if (all->len > 0)
        memcpy(at, all->at, all->len * sizeof *at);
    all->at = at;
    all->size = len;
    return FB_OK;
}

enum fb_status fb_resources_set(struct fb_arena *arena, struct fb_resources *all, const char *name,
                                int64_t amount)
{
    struct fb_resource *entry = find(all, name);
    struct fb_resource *at;

    if (entry != NULL) {
        entry->amount = amount;
        return FB_OK;
    }
    at = fb_arena_more(arena, all->at, all->len, &all->size, sizeof *at);
    if (at == NULL)
        return FB_ENOMEM;
    all->at = at;
    at[all->len++] = (struct fb_resource){.name = name, .amount = amount};
    return FB_OK;
}

enum fb_status fb_resources_add(struct fb_arena *arena, struct fb_resources *all, const char *name,
                                int64_t amount)
{
    return fb_resources_set(arena, all, name, fb_amount_add(fb_resources_get(all, name), amount));
}

enum fb_status fb_resources_add_all(struct fb_arena *arena, struct fb_resources *all,
                                    const struct fb_resources *more)
{
    enum fb_status st = all->len == 0 ? fb_resources_reserve(arena, all, more->len) : FB_OK;

    for (size_t i = 0; st == FB_OK && i < more->len; i++)
        st = fb_resources_add(arena, all, more->at[i].name, more->at[i].amount);
    return st;
}

enum fb_status fb_resources_max_all(struct fb_arena *arena, struct fb_resources *all,
                                    const struct fb_resources *other)
{
    for (size_t i = 0; i < other->len; i++) {
        enum fb_status st = FB_OK;

        if (fb_resources_get(all, other->at[i].name) < other->at[i].amount)
            st = fb_resources_set(arena, all, other->at[i].name, other->at[i].amount);
        if (st != FB_OK)
            return st;
    }
    return FB_OK;
}
