/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/patch.h"

#include "fabricbind/own.h"

void fb_patch_put(struct fb_json *json, void *in, const char *key, const struct fb_patch *patch)
{
    void *list = fb_json_list(json, in, key);

    for (size_t i = 0; i < patch->len; i++) {
        void *op = fb_json_map(json, list, NULL);

        fb_json_text(json, op, "op", "add");
        fb_json_text(json, op, "path", patch->at[i].path);
        fb_json_raw(json, op, "value", patch->at[i].value);
    }
}

char *fb_patch_encode(const struct fb_patch *patch)
{
    FB_OWNED(fb_json_fini) struct fb_json json = {0};

    fb_patch_put(&json, NULL, NULL, patch);
    return fb_json_print(&json);
}
