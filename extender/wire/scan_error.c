/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_state.h"

#include <stdio.h>
#include <string.h>

/* A path in an error, cut so that the reason behind it still has room. */
struct place {
    char text[128];
    size_t len;
    bool cut;
};

static void put(struct place *place, const char *text, size_t len)
{
    size_t room = sizeof place->text - sizeof "..." - place->len;

    if (place->cut)
        return;
    place->cut = len > room;
    if (place->cut) {
        len = room;
        while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
            len--; /* not in the middle of a UTF-8 sequence */
    }
    for (size_t i = 0; i < len; i++) {
        bool is_control = (unsigned char)text[i] < 0x20 || text[i] == 0x7F;

        place->text[place->len++] = text[i];
        if (is_control) /* the error stays one line */
            place->text[place->len - 1] = '?';
    }
    if (place->cut)
        memcpy(place->text + place->len, "...", 3);
}

static void put_frame(struct place *place, const struct fb_scan *scan, size_t i)
{
    const struct fb_scan_frame *frame = &scan->frames[i];
    char index[32];

    if ((scan->arrays[i / 8] >> i % 8 & 1) != 0) {
        int len = snprintf(index, sizeof index, "[%zu]", frame->index);

        put(place, index, (size_t)len);
        return;
    }
    if (i > 0)
        put(place, ".", 1);
    if (frame->child != NULL && frame->child != frame->node->star)
        put(place, frame->child->key, frame->child->key_len);
    else
        put(place, frame->key.at, frame->key.len);
}

enum fb_status fb_scan_locate(struct fb_scan *scan, size_t offset, enum fb_status status)
{
    struct place place = {0};

    if (fb_scan_is_named(scan)) {
        for (size_t i = 0; i < scan->frames_len; i++)
            put_frame(&place, scan, i);
    }
    if (place.len == 0)
        return fb_error_prefix(&scan->failed, status, "byte %zu", offset);
    return fb_error_prefix(&scan->failed, status, "byte %zu: %s", offset, place.text);
}

enum fb_status fb_scan_fail(struct fb_scan *scan, size_t offset, enum fb_status status,
                            const char *text)
{
    return fb_scan_locate(scan, offset, fb_error_set(&scan->failed, status, "%s", text));
}

enum fb_status fb_scan_fail_limit(struct fb_scan *scan, size_t offset, const char *noun,
                                  size_t bound, const char *unit)
{
    (void)fb_error_set(&scan->failed, FB_ELIMIT, "%s over %zu %s", noun, bound, unit);
    return fb_scan_locate(scan, offset, FB_ELIMIT);
}
