/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/need.h"

#define OURS "fabricbind.io/networking"
#define HELIX "nhx.nvidia.com/enable-multi-node-networking"

bool fb_settings_owns(const struct fb_settings *settings, const char *kind, const char *group,
                      bool indexed)
{
    for (size_t i = 0; i < settings->owners_len; i++) {
        const struct fb_owner_rule *rule = &settings->owners[i];

        if (fb_text_equal(rule->kind, kind) && fb_text_equal(rule->group, group) &&
            (!rule->indexed || indexed))
            return true;
    }
    return false;
}

bool fb_need_annotated(const struct fb_pod *pod)
{
    const char *ours = fb_pairs_find(&pod->annotations, OURS);

    if (fb_text_equal(ours, "false"))
        return false;
    return fb_text_equal(ours, "true") ||
           fb_text_equal(fb_pairs_find(&pod->annotations, HELIX), "true");
}

enum fb_networking fb_need_networking(const struct fb_pod *pod, const struct fb_settings *settings,
                                      bool owned, int64_t size)
{
    if (fb_need_gpus(pod, settings, NULL) < 1)
        return FB_NETWORKING_NO;
    if (fb_need_annotated(pod))
        return FB_NETWORKING_ANNOTATED;
    if (fb_text_equal(fb_pairs_find(&pod->annotations, OURS), "false"))
        return FB_NETWORKING_NO;
    return settings->match_gangs && owned && size >= 2 ? FB_NETWORKING_GANG : FB_NETWORKING_NO;
}
