/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/pod.h"

bool fb_pod_lives(const struct fb_pod *pod)
{
    return !fb_text_equal(pod->phase, "Succeeded") && !fb_text_equal(pod->phase, "Failed");
}

const struct fb_owner *fb_pod_owner(const struct fb_pod *pod)
{
    for (size_t i = 0; i < pod->owners_len; i++) {
        if (pod->owners[i].controller)
            return &pod->owners[i];
    }
    return pod->owners_len > 0 ? &pod->owners[0] : NULL;
}
