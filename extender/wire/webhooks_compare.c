/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/webhooks.h"

#include "fabricbind/json.h"
#include "fabricbind/own.h"

#include <string.h>

#define OBJECT_BYTES ((size_t)4 << 20)

static bool holds(const struct fb_json_node *ours, const struct fb_json_node *theirs);

static bool is_empty_map(const struct fb_json_node *node)
{
    return fb_json_type(node) == FB_JSON_MAP && fb_json_first(node) == NULL;
}

static bool map_holds(const struct fb_json_node *ours, const struct fb_json_node *theirs)
{
    const struct fb_json_node *at = fb_json_first(ours);

    if (at == NULL)
        return fb_json_type(theirs) == FB_JSON_NULL || is_empty_map(theirs);
    if (fb_json_type(theirs) != FB_JSON_MAP)
        return false;
    for (; at != NULL; at = fb_json_next(at)) {
        if (!holds(at, fb_json_find(theirs, fb_json_key(at))))
            return false;
    }
    return true;
}

static bool list_holds(const struct fb_json_node *ours, const struct fb_json_node *theirs)
{
    const struct fb_json_node *a = fb_json_first(ours);
    const struct fb_json_node *b = fb_json_first(theirs);

    for (; a != NULL && b != NULL; a = fb_json_next(a), b = fb_json_next(b)) {
        if (!holds(a, b))
            return false;
    }
    return a == NULL && b == NULL;
}

static bool int_holds(const struct fb_json_node *ours, const struct fb_json_node *theirs)
{
    int64_t a = 0;
    int64_t b = 0;

    return fb_json_read_int(ours, &a) && fb_json_read_int(theirs, &b) && a == b;
}

/* NULL is what the API server leaves out. */
static bool holds(const struct fb_json_node *ours, const struct fb_json_node *theirs)
{
    enum fb_json_type type = fb_json_type(ours);

    if (type == FB_JSON_MAP)
        return map_holds(ours, theirs);
    if (type != fb_json_type(theirs))
        return false;
    if (type == FB_JSON_LIST)
        return list_holds(ours, theirs);
    if (type == FB_JSON_TEXT)
        return strcmp(fb_json_read_text(ours), fb_json_read_text(theirs)) == 0;
    return type == FB_JSON_NUMBER ? int_holds(ours, theirs)
                                  : fb_json_read_bool(ours) == fb_json_read_bool(theirs);
}

/* An authority, or another list of conditions, that is only theirs changes what ours says. */
static bool has_more(const struct fb_json_node *ours, const struct fb_json_node *theirs)
{
    static const char *const keys[] = {"matchConditions"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (fb_json_find(ours, keys[i]) == NULL && fb_json_find(theirs, keys[i]) != NULL)
            return true;
    }
    ours = fb_json_find(ours, "clientConfig");
    theirs = fb_json_find(theirs, "clientConfig");
    return fb_json_find(ours, "caBundle") == NULL && fb_json_find(theirs, "caBundle") != NULL;
}

static bool are_same(const struct fb_json_node *ours, const struct fb_json_node *theirs)
{
    const struct fb_json_node *a = fb_json_first(ours);
    const struct fb_json_node *b = fb_json_first(theirs);

    for (; a != NULL && b != NULL; a = fb_json_next(a), b = fb_json_next(b)) {
        if (!holds(a, b) || has_more(a, b))
            return false;
    }
    return a == NULL && b == NULL;
}

enum fb_status fb_webhooks_compare(const char *ours, const char *found, bool *ret_same,
                                   struct fb_error *err)
{
    FB_OWNED(fb_json_fini) struct fb_json a = {0};
    FB_OWNED(fb_json_fini) struct fb_json b = {0};
    enum fb_status st = fb_json_parse(ours, strlen(ours), OBJECT_BYTES, &a, err);

    if (st == FB_OK)
        st = fb_json_parse(found, strlen(found), OBJECT_BYTES, &b, err);
    if (st == FB_OK)
        *ret_same = are_same(fb_json_find(fb_json_root(&a), "webhooks"),
                             fb_json_find(fb_json_root(&b), "webhooks"));
    return st;
}
