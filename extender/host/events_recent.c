/* SPDX-License-Identifier: Apache-2.0 */
#include "events_recent.h"

struct fb_event_entry *fb_events_recent_find(struct fb_events_recent *recent, uint64_t hash,
                                             int64_t now_ms)
{
    for (size_t i = 0; i < FB_EVENTS_RECENT; i++) {
        struct fb_event_entry *entry = &recent->at[i];

        if (entry->count == 0 || entry->hash != hash)
            continue;
        if (now_ms - entry->told_ms < recent->alive_ms)
            return entry;
        entry->count = 0;
    }
    return NULL;
}

void fb_events_recent_add(struct fb_events_recent *recent, uint64_t hash, int64_t window,
                          int64_t now_ms)
{
    struct fb_event_entry *place = &recent->at[0];

    for (size_t i = 0; i < FB_EVENTS_RECENT && place->count != 0; i++) {
        struct fb_event_entry *entry = &recent->at[i];

        if (entry->count == 0 || entry->told_ms < place->told_ms)
            place = entry;
    }
    *place = (struct fb_event_entry){hash, window, 1, now_ms, now_ms};
}

bool fb_events_bucket_take(struct fb_events_bucket *bucket, int64_t now_ms)
{
    bucket->left += (double)(now_ms - bucket->filled_ms) / 1000.0 * bucket->each_s;
    bucket->filled_ms = now_ms;
    if (bucket->left > bucket->most)
        bucket->left = bucket->most;
    if (bucket->left < 1.0)
        return false;
    bucket->left -= 1.0;
    return true;
}
