/* SPDX-License-Identifier: Apache-2.0 */
#include "gather.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct fb_gather *gather, size_t len)
{
    size_t size = (gather->len + len) * 2 + 256;
    char *grown;

    if (gather->len + len < gather->size)
        return true;
    grown = realloc(gather->at, size);
    if (grown == NULL)
        return false;
    gather->at = grown;
    gather->size = size;
    return true;
}

enum fb_status fb_gather_add(struct fb_gather *gather, const char *bytes, size_t len,
                             struct fb_error *err)
{
    if (len > gather->most - gather->len)
        return fb_error_set(err, FB_ELIMIT, "answer of more than %zu bytes", gather->most);
    if (!make_room(gather, len))
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    memcpy(gather->at + gather->len, bytes, len);
    gather->len += len;
    gather->at[gather->len] = '\0';
    return FB_OK;
}

enum fb_status fb_gather_some(struct fb_gather *gather, const char *bytes, size_t len,
                              struct fb_error *err)
{
    size_t room = gather->most - gather->len;

    return fb_gather_add(gather, bytes, len < room ? len : room, err);
}

void fb_gather_fini(struct fb_gather *gather)
{
    free(gather->at);
    *gather = (struct fb_gather){.most = gather->most};
}
